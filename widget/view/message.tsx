/** One turn on screen: the question as it was asked, and the answer as it grows. A delta renders this alone. */
import { useLayoutEffect } from 'preact/hooks';
import { type Entry, toStoppedState } from '../state/entries.ts';
import { type Answer, isRunning } from '../state/turn.ts';
import type { State } from '../states.ts';
import { useChat } from './context.ts';
import { useCountdown } from './countdown.ts';
import { Notice } from './notice.tsx';
import { createPart } from './part.tsx';

/** `onGrow`: told when it becomes longer; `isOpened`: by what the reader has opened or closed. */
export type AnswerProps = { entry: Entry; answer: Answer; onGrow: (isOpened?: boolean) => void };

const Decision = createPart(() => import('./decision.tsx'));
const Work = createPart<AnswerProps>(
  () => import('./work.tsx'),
  () => null,
);
/** Markdown that nobody has read yet is no sight; where what reads it is late or missing, the words stand as they were written. */
export const Words = createPart<AnswerProps>(
  () => import('./answer.tsx'),
  function Unread({ entry, answer, failure }) {
    const { conversation } = useChat();
    const isLate = useCountdown(1_000, answer.turnId) === 0;
    return (
      <>
        <div part="body" class="body unread" lang="" dir="auto">
          {(failure || isLate) && answer.text}
        </div>
        {conversation.entries.value.at(-1) === entry && answer.text && failure && <Notice state={failure} />}
      </>
    );
  },
);

export function Turn({ entry, onGrow }: { entry: Entry; onGrow: () => void }) {
  const { display, t } = useChat();
  const known = entry.answer.value;
  const answer = known && display.value(known);
  // The question is delivered once the answer is anything but on its way.
  const isSending = known?.status === 'sending';
  return (
    <>
      {entry.question !== undefined && (
        <article
          part="message"
          class="visitor"
          data-role="visitor"
          data-status={isSending ? 'sending' : 'completed'}
          aria-label={t('you')}
        >
          <div part="body" class="body" lang="" dir="auto">
            {entry.question}
          </div>
        </article>
      )}
      {answer && <AgentMessage entry={entry} answer={answer} onGrow={onGrow} />}
    </>
  );
}

function AgentMessage({ entry, answer, onGrow }: { entry: Entry; answer: Answer; onGrow: () => void }) {
  const { panel, conversation } = useChat();
  useLayoutEffect(onGrow, [answer]);
  const isWaiting = isRunning(answer) && (answer.text === '' || conversation.lost.value !== undefined);
  return (
    <article
      part="message"
      class="agent"
      data-role="agent"
      data-status={answer.status}
      aria-label={panel.session.value?.agent.name}
      aria-busy={answer.status === 'writing'}
    >
      {(answer.reasoning || answer.said || answer.tools.length > 0) && (
        <Work entry={entry} answer={answer} onGrow={onGrow} />
      )}
      <Words entry={entry} answer={answer} onGrow={onGrow} />
      {isWaiting && <Waiting answer={answer} />}
      {answer.pause && <Decision entry={entry} pause={answer.pause} onGrow={onGrow} />}
      <Outcome entry={entry} answer={answer} />
    </article>
  );
}

function Waiting({ answer }: { answer: Answer }) {
  const { conversation } = useChat();
  const isLong = useCountdown(20_000, answer.turnId) === 0;
  const lost = conversation.lost.value;
  const toState = (): State => {
    if (!lost) return isLong ? 'still-thinking' : 'thinking';
    if (answer.status !== 'sending') return 'reconnecting';
    return lost === 'offline' ? 'waiting-offline' : 'waiting-unreachable';
  };
  return (
    <div class="waiting">
      <span class="dots" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      <Notice state={toState()} class="" />
    </div>
  );
}

/** How the turn ended when it did not simply complete, with the one thing to do about it. */
function Outcome({ entry, answer }: { entry: Entry; answer: Answer }) {
  const { conversation, t } = useChat();
  const { code } = answer;
  // Said by the announcer, which knows an end from one that history tells of.
  if (answer.status === 'stopped')
    return <Notice state={toStoppedState(entry, answer)} class="outcome" quiet />;
  if (answer.status !== 'failed' || code === undefined) return null;
  const isNewest = conversation.entries.value.at(-1) === entry;
  return (
    <Notice
      state={code}
      before={answer.text !== '' && t('incomplete')}
      cause={answer}
      again={isNewest && entry.question !== undefined ? () => conversation.retry(entry.turnId) : undefined}
      quiet
    />
  );
}
