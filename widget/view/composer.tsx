/** Where the visitor writes: Enter sends, Shift+Enter breaks the line. */
import { computed, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { limits } from '../../server-helper/protocol/wire.ts';
import type { State } from '../states.ts';
import { useChat } from './context.ts';
import { isEnter } from './enter.ts';
import { Icon } from './icons.tsx';
import { Notice } from './notice.tsx';
import { createPart } from './part.tsx';

const Modes = createPart(
  () => import('./modes.tsx'),
  () => null,
);

/** So long after Send and Stop have changed places a click was meant for the one that is gone. */
const swapMs = 400;

export function Composer({ focus }: { focus: boolean }) {
  const { panel, conversation, begin, changing, hint, field, options, root, t, ...shared } = useChat();
  const veil = panel.veil.value;
  /** What is typed while the draft is out of sight: whoever is there may see it, until the tab is left again. */
  const fresh = useSignal('');
  const draft = veil > 0 ? fresh : shared.draft;
  const lastVeil = useRef(0);
  const glue = useRef('');
  const veiled = useRef(0);
  const lastWhose = useRef('');
  const hadFocus = useRef<boolean>(undefined);
  const place = useRef<readonly [number, number] | null>(null);
  // Nobody has left, and somebody may be writing: what comes next goes on with the word.
  if (veil > 0 && lastVeil.current === 0) {
    glue.current = !document.hidden && field.current?.matches(':focus') ? '' : ' ';
    place.current = field.current && [field.current.selectionStart, field.current.selectionEnd];
  }
  // A browser would undo what was typed before whoever is there now. That it has the focus still is no first use.
  if (veil > lastVeil.current && document.hidden) veiled.current = veil;
  const whose = `${panel.visit.value} ${veiled.current}`;
  if (whose !== lastWhose.current) hadFocus.current = root.activeElement?.matches('textarea');
  lastWhose.current = whose;
  lastVeil.current = veil;
  useLayoutEffect(() => {
    if (veil > 0 && !document.hidden) return;
    if (fresh.value !== '' && veil === 0)
      shared.draft.value = (shared.draft.value + glue.current + fresh.value).trimStart();
    // In Safari this gives the focus.
    else if (place.current && root.activeElement === field.current)
      field.current?.setSelectionRange(...place.current);
    fresh.value = '';
  }, [veil]);
  const isRunning = conversation.running.value !== undefined;
  const isPaused = useMemo(
    () => computed(() => conversation.entries.value.at(-1)?.answer.value?.pause !== undefined),
    [],
  );
  /** Nothing has been asked since: what is sent takes its question's place. */
  const changed =
    veil === 0 && conversation.entries.value.at(-1)?.turnId === changing.value ? changing.value : undefined;
  const { agent, allowed } = panel.session.value ?? {};
  const isRefused = panel.refused.value?.code === 'sign-in-required';
  const over = draft.value.trim().length - limits.maxTextChars;
  const guardedUntil = useRef(0);

  const write = () => field.current?.focus({ preventScroll: true });
  useEffect(() => {
    if (focus) write();
  }, [focus]);
  useLayoutEffect(() => {
    if (hadFocus.current) write();
    hadFocus.current = false;
  }, [whose]);
  const wasRunning = useRef(false);
  useLayoutEffect(() => {
    if (wasRunning.current) guardedUntil.current = performance.now() + swapMs;
    wasRunning.current = isRunning;
  }, [isRunning]);

  const part = isRunning ? 'stop' : 'send';
  const inTheWay = (): State | undefined => {
    if (over > 0) return 'too-long';
    if (isRunning) return 'answer-first';
    return isPaused.value ? 'decision-first' : undefined;
  };
  const obstacle = inTheWay();
  // What stood in the way may be gone meanwhile.
  const shown =
    /^not|failed$/.test(hint.value?.state ?? '') || hint.value?.state === obstacle ? hint.value : undefined;
  const send = () => {
    const question = draft.value.trim();
    if (question === '' || isRefused) return;
    panel.show('conversation');
    hint.value = obstacle && { state: obstacle };
    if (obstacle) return;
    conversation.send(question, changed);
    draft.value = '';
    changing.value = undefined;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isEnter(event) || event.shiftKey) return;
    event.preventDefault();
    // A key that is held down was meant for what had the focus before.
    if (!event.repeat) send();
  };
  const onInput = (event: { currentTarget: HTMLTextAreaElement }) => {
    // It had the focus before whoever types came.
    shared.sessions.isBegun || begin();
    draft.value = event.currentTarget.value;
    guardedUntil.current = 0;
    hint.value = draft.value.trim().length > limits.maxTextChars ? { state: 'too-long' } : undefined;
  };
  /** A key's click has no detail. */
  const onClick = ({ detail }: MouseEvent) => {
    const now = performance.now();
    if (detail && now < guardedUntil.current) return;
    guardedUntil.current = now + swapMs;
    if (isRunning) conversation.stop();
    else send();
  };

  return (
    <form class="ask" onSubmit={(event) => event.preventDefault()}>
      {shown && (
        <div class="hint">
          <Notice
            state={shown.state}
            occasion={shown}
            cause={shown.cause}
            values={{ over }}
            class="outcome"
          />
          {shown.state === 'decision-first' && (
            <button
              type="button"
              onClick={() => {
                write();
                conversation.stop();
              }}
            >
              {t('stop')}
            </button>
          )}
        </div>
      )}
      {changed !== undefined && (
        <div class="hint">
          <p>{t('changing')}</p>
          <button
            type="button"
            onClick={() => {
              draft.value = '';
              changing.value = undefined;
              write();
            }}
          >
            {t('cancel')}
          </button>
        </div>
      )}
      <div class="composer">
        {/* As tall as its text, which the browser lays out beside it: nothing is measured. */}
        <div class="field" data-t={`${draft.value} `}>
          <textarea
            key={whose}
            ref={field}
            part="composer"
            // An empty one would be from left to right for a browser, in every language.
            dir={draft.value ? 'auto' : undefined}
            rows={1}
            aria-label={t('compose')}
            placeholder={
              isRefused ? t('sign-in-required') : options.placeholder || agent?.placeholder || t('compose')
            }
            enterkeyhint="send"
            readOnly={isRefused}
            value={draft.value}
            onFocus={() => hadFocus.current || begin()}
            onInput={onInput}
            onKeyDown={onKeyDown}
          />
        </div>
        {(allowed?.reasoningModes[1] || allowed?.chatModes[1]) && <Modes />}
        <button
          type="button"
          class="round"
          part={part}
          aria-label={t(part)}
          aria-disabled={isRunning ? conversation.isBusy.value : draft.value.trim() === ''}
          // A key that is held down is one wish.
          onKeyDown={(event) => event.repeat && event.preventDefault()}
          onClick={onClick}
        >
          <Icon name={part} />
        </button>
      </div>
    </form>
  );
}
