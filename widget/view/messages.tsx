/** The conversation: its turns in order, kept at the end while it grows unless the visitor has scrolled up. */

import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { useChat } from './context.ts';
import { Turn, Words } from './message.tsx';
import type { NewestProps } from './newest.tsx';
import { Notice } from './notice.tsx';
import { createPart } from './part.tsx';
import { Starters } from './suggestions.tsx';

const Newest = createPart<NewestProps>(
  () => import('./newest.tsx'),
  () => null,
);

const nearTopPx = 120;
/** Scroll positions are fractions on a zoomed screen. */
const atEndPx = 1.5;
const isAtEnd = ({ scrollHeight, scrollTop, clientHeight }: Element) =>
  scrollHeight - scrollTop - clientHeight < atEndPx;
const toSize = ({ clientWidth, clientHeight }: Element) => `${clientWidth} ${clientHeight}`;
/** A finger that goes sideways over code goes a little up, too. */
const slackPx = 6;
const keysUp = new Set(['ArrowUp', 'PageUp', 'Home']);

export function Messages() {
  const { panel, conversation, options, t, memory, begin } = useChat();
  const list = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const lastTop = useRef(0);
  /** Reads further up than the end. */
  const isAway = useSignal(false);
  const entries = conversation.entries.value;
  const oldest = entries[0]?.turnId;
  const newest = entries.at(-1);
  const problem = conversation.problem.value;
  const refused = panel.refused.value;
  // Said by the question that it kept from being sent.
  const isSaid =
    refused && (newest?.answer.value?.code === refused.code || conversation.lost.value === refused.code);
  const trouble = problem && <Notice state={problem.situation} cause={problem.cause} again={problem.again} />;
  // Said where it happened.
  const isOnTop = problem?.situation === 'older-failed';
  const below = (
    <>
      {!isOnTop && trouble}
      {refused && !isSaid && <Notice state={refused.code} cause={refused} again={begin} />}
    </>
  );

  // While the question is on its way, or the conversation is read.
  const hasAnswers = conversation.id.value !== undefined;
  useEffect(() => {
    if (hasAnswers) Words.load(options.helper);
  }, [hasAnswers]);

  const look = () => {
    follows.current = !!list.current && isAtEnd(list.current);
    isAway.value = !follows.current;
  };
  // Writes only: where the list stands is read when the visitor scrolls, never while an answer streams.
  const stayAtEnd = useRef((isOpened = false) => {
    // What is opened is read from its beginning.
    if (isOpened) look();
    else if (follows.current && list.current) list.current.scrollTop = Number.MAX_SAFE_INTEGER;
  }).current;
  // What was asked here is followed wherever the visitor was, and so is what a conversation begins with.
  const shown = useRef<string | undefined>(undefined);
  useLayoutEffect(() => {
    if (!newest || newest.request || shown.current === undefined) follows.current = true;
    isAway.value = !follows.current;
    shown.current = newest?.turnId;
    stayAtEnd();
  }, [newest?.turnId, stayAtEnd]);

  // Older messages come in above what is read: that stays where it is on the screen.
  const before = useRef<{ oldest: string | undefined; fromEndPx: number | undefined }>(undefined);
  const area = list.current;
  if (area && before.current?.oldest !== oldest) {
    const isOlder = entries.some(({ turnId }) => turnId === before.current?.oldest);
    before.current = { oldest, fromEndPx: isOlder ? area.scrollHeight - area.scrollTop : undefined };
  }
  useLayoutEffect(() => {
    const fromEndPx = before.current?.fromEndPx;
    if (follows.current) stayAtEnd();
    else if (area && fromEndPx !== undefined) area.scrollTop = area.scrollHeight - fromEndPx;
  }, [oldest]);
  useLayoutEffect(stayAtEnd, [problem, refused]);
  const size = useRef<string>(undefined);
  // The composer grows, a phone's keyboard comes up; the window becomes wider, and its lines are others.
  useEffect(() => {
    const watch = new ResizeObserver(() => {
      stayAtEnd();
      if (list.current) size.current = toSize(list.current);
    });
    if (list.current) watch.observe(list.current);
    return () => watch.disconnect();
  }, []);

  const isReadersOwn = useRef<() => boolean>(undefined);
  const onScroll = () => {
    const area = list.current;
    if (!area) return;
    const { scrollTop } = area;
    // Our own scrolling to the end measures nothing.
    const isReaders = scrollTop < lastTop.current || !follows.current;
    // The browser has moved what has other lines or more room now, and that is put right as soon as it can be measured.
    if (isReaders && size.current !== toSize(area)) return;
    if (isReadersOwn.current?.() === false) return;
    // Only the very end is followed again, by one who goes there: what has become shorter takes nobody there.
    if (isReaders) follows.current = isAtEnd(area) && (follows.current || scrollTop > lastTop.current);
    lastTop.current = scrollTop;
    isAway.value = !follows.current;
    if (scrollTop < nearTopPx && conversation.told.value?.next && !problem) void conversation.loadOlder();
  };
  const touchedAt = useRef(0);
  /** Before the scroll itself, which an answer's next word would undo. */
  const letGo = () => {
    if (list.current && list.current.scrollTop > 0) follows.current = false;
  };

  return (
    <>
      {entries.length > 0 && !memory.keeps && <Notice state="not-kept" class="notice" />}
      <div
        class="messages"
        ref={list}
        onScroll={onScroll}
        // Sideways it is a line of code that scrolls, or a table.
        onWheel={({ deltaX, deltaY }) => -deltaY > Math.abs(deltaX) && letGo()}
        onTouchStart={({ touches }) => {
          touchedAt.current = touches[0]?.clientY ?? 0;
        }}
        onTouchMove={({ touches }) => (touches[0]?.clientY ?? 0) > touchedAt.current + slackPx && letGo()}
        onKeyDown={({ key }) => {
          if (keysUp.has(key)) letGo();
          // The browser would aim at where the end is now.
          if (key === 'End') follows.current = true;
        }}
        role="log"
        aria-live="off"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls must be reachable by keyboard
        tabIndex={0}
        aria-label={t('chat')}
      >
        {entries.length === 0 &&
          (conversation.loading.value ? <Notice state="loading" class="outcome" /> : <Welcome />)}
        {isOnTop && trouble}
        {conversation.told.value?.next && !isOnTop && (
          <button
            type="button"
            class="quiet"
            onClick={() => {
              list.current?.focus();
              void conversation.loadOlder();
            }}
          >
            {t('older')}
          </button>
        )}
        {entries.map((entry) => (
          <div key={entry.turnId} class={entry === newest && entry.request ? 'asked' : ''}>
            <Turn entry={entry} onGrow={stayAtEnd} />
            {entry === newest && below}
          </div>
        ))}
        {!newest && below}
        {isAway.value && (
          <Newest
            list={list}
            isReadersOwn={isReadersOwn}
            onClick={() => {
              follows.current = true;
              isAway.value = false;
              list.current?.focus();
              stayAtEnd();
            }}
          />
        )}
      </div>
    </>
  );
}

function Welcome() {
  const { panel } = useChat();
  const session = panel.session.value;
  if (panel.refused.value) return null;
  if (!session) return <Notice state="loading" class="outcome" />;
  const { greetings, starters } = session.agent;
  return (
    <div class="welcome">
      {greetings.map((greeting) => (
        <p part="greeting" dir="auto" key={greeting}>
          {greeting}
        </p>
      ))}
      {starters.length > 0 && (
        <div class="starters">
          <Starters />
        </div>
      )}
    </div>
  );
}
