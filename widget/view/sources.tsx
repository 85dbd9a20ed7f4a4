/** What an answer cites. */
import { toSafeLink } from '../markdown/url.ts';
import type { Entry } from '../state/entries.ts';
import type { Answer } from '../state/turn.ts';
import css from '../styles/sources.css?inline';
import { useChat } from './context.ts';

export { css };

export type SourcesProps = { entry: Entry; answer: Answer };

export default function Sources({ entry, answer }: SourcesProps) {
  const { conversation, t } = useChat();
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
