/** Small pieces of areas: a button that acts, one that asks first, a form, an answer in full. */

import type { ComponentChildren } from 'preact';
import { createContext } from 'preact';
import { useContext, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { act, canManage, notice } from './state.ts';

interface ActionProps {
  children: ComponentChildren;
  /** Of what, for who does not see the row. */
  label?: string;
  done: string;
  work(): Promise<unknown>;
}

export function Action({ children, label, done, work }: ActionProps) {
  const [isBusy, setBusy] = useState(false);
  return (
    <button
      type="button"
      aria-label={label}
      aria-disabled={isBusy}
      onClick={async () => {
        if (isBusy) return;
        setBusy(true);
        await act(done, work);
        setBusy(false);
      }}
    >
      {children}
    </button>
  );
}

/** Where that is gone, the area: nobody has to begin at the top of the page again. */
function focusOn(wanted: Element | null) {
  const target = wanted?.isConnected && wanted !== document.body ? wanted : document.querySelector('#main');
  (target as HTMLElement | null)?.focus();
}

/** What cannot be undone is asked about in the place where it was pressed. */
export function Removal({ children, label, done, work }: ActionProps) {
  const [isAsking, setAsking] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  if (!isAsking)
    return (
      <button type="button" class="plain" aria-label={label} ref={button} onClick={() => setAsking(true)}>
        {children}
      </button>
    );
  return (
    <span class="asking">
      <Action label={`Yes: ${label}`} done={done} work={() => work().finally(() => focusOn(null))}>
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
function useFocus<Place extends HTMLElement>() {
  const ref = useRef<Place>(null);
  useEffect(() => ref.current?.focus(), []);
  return ref;
}

function No({ press }: { press(): void }) {
  return (
    <button type="button" class="plain" ref={useFocus<HTMLButtonElement>()} onClick={press}>
      No
    </button>
  );
}

/** Whether something in the panel was written and not sent yet. */
const Written = createContext({ current: false });

interface NewProps {
  title: string;
  done: string;
  children: ComponentChildren;
  /** Of what stands in the fields, as text. */
  work(fields: Record<string, string>): Promise<unknown>;
  submit?: string;
  /** Of what is changed: where that is another, the fields begin with it. */
  version?: string | undefined;
}

/** Closed until it is wanted; empty again when its work is done. */
export function New({ title, done, children, work, submit = 'Create', version = '' }: NewProps) {
  const [round, setRound] = useState(0);
  const isBusy = useRef(false);
  const written = useContext(Written);
  const summary = useRef<HTMLElement>(null);
  useEffect(() => {
    // What was pressed is gone.
    if (round > 0 && document.activeElement === document.body) summary.current?.focus();
  }, [round, version]);
  return (
    <details class="new" key={`${round} ${version}`}>
      <summary ref={summary}>{title}</summary>
      <form
        onSubmit={async (event) => {
          event.preventDefault();
          // Pressed twice, it is still meant once.
          if (isBusy.current) return;
          isBusy.current = true;
          const fields = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>;
          if (await act(done, () => work(fields))) {
            written.current = false;
            setRound(round + 1);
          }
          isBusy.current = false;
        }}
      >
        {children}
        <button type="submit">{submit}</button>
      </form>
    </details>
  );
}

/** What the last action came to. */
export function Notice() {
  return (
    <p role="status" class={notice.value?.isError ? 'notice wrong' : 'notice'}>
      {notice.value?.text}
    </p>
  );
}

/** What only those see who may change what an agent is. */
export function Managed({ children }: { children: ComponentChildren }) {
  return canManage.value && children;
}

interface PanelProps {
  title: string;
  close(): void;
  children: ComponentChildren;
}

/** Before all else until it is closed; what had the focus has it again then. What was written is not closed unasked. */
export function Panel({ title, close, children }: PanelProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const opener = useRef(document.activeElement);
  const written = useRef(false);
  const [isAsking, setAsking] = useState(false);
  useLayoutEffect(() => {
    dialog.current!.showModal();
    return () => {
      dialog.current?.close();
      focusOn(opener.current);
    };
  }, []);
  const leave = () => (written.current ? setAsking(true) : close());
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog.
    <dialog
      class="panel"
      ref={dialog}
      aria-label={title}
      onClose={close}
      onCancel={(event) => {
        if (!written.current) return;
        event.preventDefault();
        setAsking(true);
      }}
      onInput={() => {
        written.current = true;
      }}
      onClick={(event) => event.target === event.currentTarget && leave()}
    >
      <div>
        <header>
          <h2 tabIndex={-1} ref={useFocus<HTMLHeadingElement>()} dir="auto">
            {title}
          </h2>
          {isAsking ? (
            <span class="asking">
              Throw away what is not saved?
              <button type="button" onClick={close}>
                Yes
              </button>
              <No press={() => setAsking(false)} />
            </span>
          ) : (
            <button type="button" class="plain" onClick={leave}>
              Close
            </button>
          )}
        </header>
        <Notice />
        <Written.Provider value={written}>{children}</Written.Provider>
      </div>
    </dialog>
  );
}
