/** Context compaction: older messages become one summary when the context reaches 70 % of the model's limit. */

import type { Answerer, HistoryMessage } from '../answer/answerer.ts';
import { summariseByFirstSentences } from '../answer/summary.ts';
import { estimateTokens } from '../answer/tokens.ts';
import type { Chat } from '../store/chats.ts';
import type { Message } from '../store/messages.ts';

export const compactAtShare = 0.7;
/** What the newest messages may keep; the rest is summarised. */
const keepShare = 0.3;

export interface Compacted {
  summary: string;
  /** Messages up to this id are in the summary. */
  until: number;
}

/**
 * Undefined when there is room enough.
 *
 * @param messages those after the summary, oldest first; the last is the question
 * @param overhead tokens of all that is sent besides the summary and these
 */
export async function compactChat(
  chat: Pick<Chat, 'summary' | 'summary_until'>,
  messages: readonly Message[],
  contextTokens: number,
  overhead: number,
  answerer: Answerer,
  signal: AbortSignal,
): Promise<Compacted | undefined> {
  const sizes = messages.map(({ content }) => estimateTokens(content));
  const total = overhead + estimateTokens(chat.summary) + sizes.reduce((sum, size) => sum + size, 0);
  if (total < contextTokens * compactAtShare) return undefined;
  let kept = 0;
  let from = messages.length;
  // The newest message is the question: it always stays.
  while (from > 0 && (from === messages.length || kept + sizes[from - 1]! <= contextTokens * keepShare)) {
    from -= 1;
    kept += sizes[from]!;
  }
  const older = messages.slice(0, from);
  const last = older.at(-1);
  if (!last) return undefined;
  return { summary: await summarise(chat.summary, older, answerer, signal), until: last.id };
}

async function summarise(
  earlier: string,
  older: readonly HistoryMessage[],
  answerer: Answerer,
  signal: AbortSignal,
): Promise<string> {
  try {
    const summary = await answerer.summarise(earlier, older, signal);
    if (summary.trim() !== '') return summary;
  } catch (thrown) {
    if (signal.aborted) throw thrown;
  }
  // A provider that cannot summarise must not cost the visitor the turn.
  return summariseByFirstSentences(earlier, older);
}
