/** What an answer says, read as markdown, and what it cites: loaded while the first question is on its way. */
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { references } from '../markdown/entities.ts';
import { Markdown } from '../markdown/markdown.tsx';
import type { RenderContext } from '../markdown/render.tsx';
import { toSafeLink } from '../markdown/url.ts';
import css from '../styles/answer.css?inline';
import { useChat } from './context.ts';
import { CopyButton } from './copy.tsx';
import type { AnswerProps } from './message.tsx';
import { keepSelection } from './selection.ts';

export { css };

export default function Words({ entry, answer, onGrow }: AnswerProps) {
  const { strings } = useChat();
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
  return (
    <>
      <div part="body" class="body" lang="" dir="auto" ref={body}>
        <Markdown text={answer.text} context={context} />
      </div>
      <Sources entry={entry} answer={answer} />
    </>
  );
}

function Sources({ entry, answer }: Pick<AnswerProps, 'entry' | 'answer'>) {
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
