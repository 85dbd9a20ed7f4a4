/** A summary without a model: who said what, by first sentences. */

import { toSentences } from '../retrieval/chunk.ts';
import type { HistoryMessage } from './answerer.ts';

const maxSummaryLength = 2000;
const maxLineLength = 160;
/** Of a message. */
const maxLooked = 1_000;

/** The latest lines stay when it grows too long. */
export function summariseByFirstSentences(earlier: string, messages: readonly HistoryMessage[]): string {
  const lines = messages
    .filter(({ content }) => content.trim() !== '')
    .map(({ role, content }) => {
      const first = toSentences(content.slice(0, maxLooked))[0] ?? '';
      return `${role === 'user' ? 'Visitor' : 'Agent'}: ${first.slice(0, maxLineLength)}`;
    });
  const kept = [...earlier.split('\n').filter((line) => line !== ''), ...lines];
  while (kept.length > 1 && kept.join('\n').length > maxSummaryLength) kept.shift();
  return kept.join('\n');
}
