/** One turn on screen: the question as it was asked, and the answer as it grows. A delta renders this alone. */
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { references } from '../markdown/entities.ts';
import { Markdown } from '../markdown/markdown.tsx';
import type { RenderContext } from '../markdown/render.tsx';
import { toSafeLink } from '../markdown/url.ts';
import { type Entry, toStoppedState } from '../state/entries.ts';
import type { Answer } from '../state/turn.ts';
import type { State } from '../states.ts';
import { useChat } from './context.ts';
import { CopyButton } from './copy.tsx';
import { useCountdown } from './countdown.ts';
import { Notice } from './notice.tsx';
import { createPart } from './part.tsx';
import { keepSelection } from './selection.ts';

const Decision = createPart(() => import('./decision.tsx'));

export function Turn({ entry, onGrow }: { entry: Entry; onGrow: () => void }) {
  const { t } = useChat();
  const answer = entry.answer.value;
  // The question is delivered once the answer is anything but on its way.
  const isSending = answer?.status === 'sending';
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
  const { panel, conversation, strings } = useChat();
  const context = useMemo<RenderContext>(
    () => ({ strings, copyButton: (code) => <CopyButton text={code} /> }),
    [strings, references.value],
  );
  const body = useRef<HTMLDivElement>(null);
  const selectAgain = keepSelection(body.current);
  useLayoutEffect(() => {
    selectAgain();
    onGrow();
  }, [answer]);
  const isSettled = answer.status === 'completed';
  useEffect(() => {
    // A table wider than the chat is scrolled by keyboard too.
    const area = body.current;
    if (isSettled && area && area.scrollWidth > area.clientWidth) area.tabIndex = 0;
  }, [isSettled]);
  const isRunning = answer.status === 'sending' || answer.status === 'writing';
  const isWaiting = isRunning && (answer.text === '' || conversation.lost.value !== undefined);
  return (
    <article
      part="message"
      class="agent"
      data-role="agent"
      data-status={answer.status}
      aria-label={panel.session.value?.agent.name}
      aria-busy={answer.status === 'writing'}
    >
      <Tools answer={answer} />
      <div part="body" class="body" lang="" dir="auto" ref={body}>
        <Markdown text={answer.text} context={context} />
      </div>
      {isWaiting && <Waiting answer={answer} />}
      {answer.pause && <Decision entry={entry} pause={answer.pause} onGrow={onGrow} />}
      <Sources entry={entry} answer={answer} />
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

function Tools({ answer }: { answer: Answer }) {
  const { t } = useChat();
  if (answer.tools.length === 0) return null;
  const key = { running: 'toolRunning', done: 'toolDone', failed: 'toolFailed' } as const;
  return (
    <ul class="tools">
      {answer.tools.map((tool) => (
        <li key={tool.id}>{t(key[tool.status], { title: tool.title ?? tool.name })}</li>
      ))}
    </ul>
  );
}

function Sources({ entry, answer }: { entry: Entry; answer: Answer }) {
  const { conversation, t } = useChat();
  if (answer.sources.length === 0 || answer.status === 'sending') return null;
  return (
    <nav class="sources" aria-label={t('sources', { number: conversation.entries.value.indexOf(entry) + 1 })}>
      <ol>
        {answer.sources.map((source) => {
          const link = source.url === undefined ? undefined : toSafeLink(source.url);
          return (
            <li key={source.number} dir="auto">
              <span aria-hidden="true">{source.number}</span>
              {link ? (
                <a href={link.href} target="_blank" rel="noopener noreferrer nofollow" title={link.host}>
                  {source.title}
                </a>
              ) : (
                source.title
              )}
            </li>
          );
        })}
      </ol>
    </nav>
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
