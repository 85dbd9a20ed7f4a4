/** Small pieces of areas: a button that acts, one that asks first, a form, an answer in full. */

import type { ComponentChildren } from 'preact';
import { useContext, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Loaded } from './load.ts';
import { act, canManage, forgetNews, notice } from './state.ts';
import { noteWritten, WrittenInPanel } from './written.ts';

interface ActionProps {
  children: ComponentChildren;
  /** Of what, for who does not see the row. */
  label?: string;
  done: string;
  work(): Promise<unknown>;
}

/** @param isTooSoon to be pressed: what stood in its place may have been meant */
export function Action({
  children,
  label,
  done,
  work,
  isTooSoon = false,
}: ActionProps & { isTooSoon?: boolean }) {
  const [isBusy, setBusy] = useState(false);
  return (
    <button
      type="button"
      aria-label={label}
      aria-disabled={isBusy || isTooSoon}
      onClick={async ({ detail }) => {
        // A double click is meant once. By keyboard it has no count.
        if (isBusy || detail > 1 || (detail > 0 && isTooSoon)) return;
        setBusy(true);
        await act(done, work);
        setBusy(false);
      }}
    >
      {children}
    </button>
  );
}

/** Where that is gone, the panel or the area: nobody has to begin at the top of the page again. */
export function focusOn(wanted: Element | null) {
  const isThere = wanted?.isConnected && wanted !== document.body;
  const place = document.querySelector('dialog[open] h2') ?? document.querySelector('#main');
  const target = isThere ? wanted : place;
  // What stands above the area stays in sight.
  (target as HTMLElement | null)?.focus({ preventScroll: target?.id === 'main' });
}

/** So soon after it was asked a press is no answer yet. */
const tooSoonMs = 500;

/** What cannot be undone is asked about in the place where it was pressed. */
export function Removal({ children, label, done, work }: ActionProps) {
  const [isAsking, setAsking] = useState(false);
  const [isTooSoon, setTooSoon] = useState(true);
  useEffect(() => {
    if (!isAsking) return;
    const timer = setTimeout(() => setTooSoon(false), tooSoonMs);
    return () => {
      clearTimeout(timer);
      setTooSoon(true);
    };
  }, [isAsking]);
  const button = useRef<HTMLButtonElement>(null);
  const place = useRef<HTMLSpanElement>(null);
  if (!isAsking)
    return (
      <button type="button" class="plain" aria-label={label} ref={button} onClick={() => setAsking(true)}>
        {children}
      </button>
    );
  return (
    <span class="asking" ref={place}>
      <Action
        label={`Yes: ${label}`}
        isTooSoon={isTooSoon}
        done={done}
        work={async () => {
          await work();
          const { activeElement } = document;
          // Who is elsewhere by now stays there.
          if (activeElement === document.body || place.current?.contains(activeElement)) focusOn(null);
          setAsking(false);
        }}
      >
        Yes
      </Action>
      <No
        press={() => {
          setAsking(false);
          requestAnimationFrame(() => button.current?.focus());
        }}
      />
    </span>
  );
}

/** Has the focus once it is there. */
export function useFocus<Place extends HTMLElement>() {
  const ref = useRef<Place>(null);
  // At once: who is quick has gone on by the next frame, and is not put back.
  useLayoutEffect(() => ref.current?.focus(), []);
  return ref;
}

export function No({ press }: { press(): void }) {
  const button = useRef<HTMLButtonElement>(null);
  // At once: what had the focus gives way to the question, and the next key is pressed here.
  useLayoutEffect(() => button.current?.focus(), []);
  return (
    // A double click on what asked is no answer.
    <button type="button" class="plain" ref={button} onClick={({ detail }) => detail > 1 || press()}>
      No
    </button>
  );
}

/** Blanks alone are nothing, where something is needed. */
export function requireWords(form: HTMLFormElement): boolean {
  const blank = [...form.elements].find(
    (field): field is HTMLInputElement =>
      'required' in field && field.required === true && (field as HTMLInputElement).value.trim() === '',
  );
  if (!blank) return true;
  blank.focus();
  const label = blank.labels?.[0]?.firstChild?.textContent?.trim();
  notice.value = { text: `${label}: more than blanks is needed.`, isError: true };
  return false;
}

type Fields = Record<string, string>;
const readFields = (form: HTMLFormElement) => Object.fromEntries(new FormData(form)) as Fields;

/** What was touched: the rest may have become another meanwhile, and stays that. */
export function onlyChanged<T extends object>(now: T, begun: T): Partial<T> {
  const isSame = (name: string, value: unknown) =>
    JSON.stringify(value) === JSON.stringify(begun[name as keyof T]);
  return Object.fromEntries(
    Object.entries(now).filter(([name, value]) => !isSame(name, value)),
  ) as Partial<T>;
}

interface NewProps {
  title: string;
  done: string;
  children: ComponentChildren;
  /** Of what stands in the fields, as text, and stood there at first. */
  work(fields: Fields, begun: Fields): Promise<unknown>;
  submit?: string;
  /** Of what is changed: where that is another, the fields begin with it. */
  version?: string | undefined;
}

/** Closed until it is wanted; empty again when its work is done. */
export function New({ title, done, children, work, submit = 'Create', version = '' }: NewProps) {
  const [round, setRound] = useState(0);
  const [isSending, setSending] = useState(false);
  const isBusy = useRef(false);
  const inPanel = useContext(WrittenInPanel);
  const own = useRef(Symbol(title)).current;
  const isWritten = useRef(false);
  /** What is written in stays, whatever becomes of what it is about. */
  const shownVersion = useRef(version);
  if (!isWritten.current) shownVersion.current = version;
  const note = (now: boolean) => {
    isWritten.current = now;
    inPanel(now);
    noteWritten(own, now);
  };
  useEffect(() => () => note(false), []);
  const summary = useRef<HTMLElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const begun = useRef<Fields>({});
  /** Since it was sent. */
  const isTouched = useRef(false);
  useLayoutEffect(() => {
    begun.current = readFields(form.current!);
  }, [round, shownVersion.current]);
  useEffect(() => {
    // What was pressed is gone.
    if (round > 0 && document.activeElement === document.body) summary.current?.focus();
  }, [round, shownVersion.current]);
  return (
    <details class="new" key={`${round} ${shownVersion.current}`}>
      <summary ref={summary}>{title}</summary>
      <form
        ref={form}
        onInput={() => {
          isTouched.current = true;
          note(true);
          forgetNews();
        }}
        onInvalidCapture={forgetNews}
        onSubmit={async (event) => {
          event.preventDefault();
          // Pressed twice, it is still meant once.
          if (isBusy.current) return;
          isBusy.current = true;
          setSending(true);
          isTouched.current = false;
          const { currentTarget } = event;
          const send = () => work(readFields(currentTarget), begun.current);
          const isDone = requireWords(currentTarget) && (await act(done, send));
          isBusy.current = false;
          setSending(false);
          // What was written meanwhile stays.
          if (!isDone || isTouched.current) return;
          note(false);
          setRound(round + 1);
        }}
      >
        {children}
        <button type="submit" aria-disabled={isSending}>
          {submit}
        </button>
      </form>
    </details>
  );
}

/** What only those see who may change what an agent is. */
export function Managed({ children }: { children: ComponentChildren }) {
  return canManage.value && children;
}

/** Instead of what is not there yet, or could not be loaded. */
export function Waiting({ error, reload }: Pick<Loaded, 'error' | 'reload'>) {
  if (!error) return <p class="faint">Loading</p>;
  return (
    <p class="wrong">
      {error}{' '}
      <button
        type="button"
        onClick={() => {
          reload();
          focusOn(null);
        }}
      >
        Try again
      </button>
    </p>
  );
}
