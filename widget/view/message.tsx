/** One turn on screen: the question as it was asked, and the answer as it grows. A delta renders this alone. */
import { useComputed } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { isRetryable, sentences } from '../errors.ts';
import { Markdown } from '../markdown/markdown.tsx';
import type { RenderContext } from '../markdown/render.tsx';
import { toSafeLink } from '../markdown/url.ts';
import type { Entry } from '../state/entries.ts';
import type { Answer } from '../state/turn.ts';
import { useChat } from './context.ts';
import { CopyButton } from './copy.tsx';
import { useCountdown } from './countdown.ts';
import { Decision } from './decision.tsx';
import { Icon } from './icons.tsx';

const renderContext: RenderContext = { copyButton: (code) => <CopyButton text={code} /> };

export function Turn({ entry, onGrow }: { entry: Entry; onGrow: () => void }) {
  const { t } = useChat();
  const answer = entry.answer.value;
  // The question is delivered once the answer is anything but on its way.
  const isSending = useComputed(() => entry.answer.value?.status === 'sending');
  return (
    <>
      {entry.question !== undefined && (
        <article
          part="message"
          class="visitor"
          data-role="visitor"
          data-status={isSending.value ? 'sending' : 'completed'}
          aria-label={t('you')}
        >
          <div part="body" class="body">
            {entry.question}
          </div>
        </article>
      )}
      {answer && <AgentMessage entry={entry} answer={answer} onGrow={onGrow} />}
    </>
  );
}

function AgentMessage({ entry, answer, onGrow }: { entry: Entry; answer: Answer; onGrow: () => void }) {
  const { panel } = useChat();
  useLayoutEffect(onGrow, [answer, onGrow]);
  const isWaiting = answer.text === '' && (answer.status === 'sending' || answer.status === 'writing');
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
      {isWaiting && <Waiting answer={answer} />}
      <div part="body" class="body">
        <Markdown text={answer.text} context={renderContext} />
      </div>
      {answer.pause && <Decision turnId={entry.turnId} pause={answer.pause} />}
      <Sources answer={answer} />
      <Outcome entry={entry} answer={answer} />
    </article>
  );
}

function Waiting({ answer }: { answer: Answer }) {
  const { conversation, t } = useChat();
  const isLong = useCountdown(20_000, answer.turnId) === 0;
  const offline = conversation.lost.value;
  return (
    <p class="waiting">
      <span class="dots" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      {offline
        ? t(answer.status === 'sending' ? 'waitingOffline' : 'reconnecting')
        : t(isLong ? 'stillThinking' : 'thinking')}
    </p>
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

function Sources({ answer }: { answer: Answer }) {
  const { t } = useChat();
  if (answer.sources.length === 0 || answer.status === 'sending') return null;
  return (
    <nav class="sources" aria-label={t('sources')}>
      <ol>
        {answer.sources.map((source) => {
          const link = source.url === undefined ? undefined : toSafeLink(source.url);
          return (
            <li key={source.number}>
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
  const waitMs = useCountdown(answer.status === 'failed' ? (answer.retryAfterMs ?? 0) : 0, answer);
  const code = answer.code;
  const isNewest = conversation.entries.value.at(-1) === entry;
  if (answer.status === 'stopped')
    return <p class="outcome">{t(answer.text === '' ? 'stoppedEmpty' : 'stopped')}</p>;
  if (answer.status !== 'failed' || code === undefined) return null;
  const mayRetry = isNewest && isRetryable(code) && entry.question !== undefined;
  return (
    <div class="outcome failed">
      <p>
        {answer.text !== '' && `${t('incomplete')} `}
        {t(sentences[code])}
      </p>
      {mayRetry && (
        <button type="button" disabled={waitMs > 0} onClick={() => conversation.retry(entry.turnId)}>
          <Icon name="retry" />
          {waitMs > 0 ? t('retryIn', { seconds: Math.ceil(waitMs / 1000) }) : t('retry')}
        </button>
      )}
    </div>
  );
}
