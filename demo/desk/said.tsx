/** A message as the visitor saw it: an answer as markdown, with what it cites. */

import { Markdown } from '../../widget/markdown/markdown.tsx';
import { toSafeLink } from '../../widget/markdown/url.ts';
import type { Answer } from './api.ts';
import { Time } from './list.tsx';

/** How an answer ended that is not whole. */
const ends: Readonly<Record<string, string>> = {
  paused: 'It waits for the visitor’s word.',
  cancelled: 'It was stopped here.',
  error: 'It failed here.',
};
const strings = { taskDone: 'done', taskOpen: 'open', image: 'image' };

export function Said({ message }: { message: Answer }) {
  const isVisitor = message.role === 'user';
  const sources = (message.sources as Answer[]).map(({ citation_number, source_id, title, url, type }) => ({
    number: citation_number,
    id: source_id,
    title,
    type,
    ...(url && { url }),
  }));
  return (
    <li class={isVisitor ? 'asked' : 'answered'}>
      <p class="faint">
        {isVisitor ? 'Visitor' : 'Agent'}, <Time at={message.created_at} />
      </p>
      {isVisitor ? (
        <p class="said" dir="auto">
          {message.content}
        </p>
      ) : (
        <div class="words" dir="auto">
          <Markdown text={message.content} context={{ strings, sources, codeButtons: () => <></> }} />
        </div>
      )}
      {ends[message.finish_reason] && <p class="faint">{ends[message.finish_reason]}</p>}
      {sources.length > 0 && (
        <ol class="cited" aria-label="Sources">
          {sources.map((source) => {
            const link = source.url && toSafeLink(source.url);
            return (
              <li key={source.number} value={source.number} dir="auto">
                {link ? (
                  <a href={link.href} target="_blank" rel="noopener noreferrer">
                    {source.title}
                  </a>
                ) : (
                  source.title
                )}
              </li>
            );
          })}
        </ol>
      )}
    </li>
  );
}
