/** What an answer cites. */
import { useLayoutEffect } from 'preact/hooks';
import type { toSafeLink } from '../markdown/url.ts';
import { words } from '../strings/en/sources.ts';
import css from '../styles/sources.css?inline';
import { useChat } from './context.ts';
import type { AnswerProps } from './message.tsx';

export { css, words };

/** `toLink` is of the answer's file: imported from there, it would cost that one a table of all that it has. */
export type SourcesProps = AnswerProps & { toLink: typeof toSafeLink };

export default function Sources({ entry, answer, onGrow, toLink }: SourcesProps) {
  const { conversation, t } = useChat();
  useLayoutEffect(onGrow, []);
  return (
    <nav
      part="sources"
      class="sources"
      aria-label={t('sources', { number: conversation.entries.value.indexOf(entry) + 1 })}
    >
      <ol>
        {answer.sources.map((source) => {
          const link = source.url === undefined ? undefined : toLink(source.url);
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
