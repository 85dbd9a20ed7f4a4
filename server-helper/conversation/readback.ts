/** Reads a chat's record from its end backwards, page by page, until what is looked for is found. */
import type { AgentConversations, RecordedMessage, RecordPage } from '../agent/conversation.ts';

const pageMessages = 100;
/** Further back than this nothing is looked for. */
const mostPages = 20;

/**
 * @param look gets all messages read so far, oldest first, and whether they are the whole record
 * @returns what `look` found
 */
export async function readBack<T>(
  conversations: AgentConversations,
  chatId: string,
  look: (messages: readonly RecordedMessage[], isWhole: boolean) => T | undefined,
): Promise<T | undefined> {
  let messages: RecordedMessage[] = [];
  let before: number | undefined;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const page = await conversations.read(chatId, pageMessages, before);
    messages = [...page.messages, ...messages];
    // A page of nothing before which there is said to be more: the agent's count is wrong.
    const isWhole = page.from === 0 || page.held === 0;
    const found = look(messages, page.from === 0);
    if (found !== undefined || isWhole) return found;
    before = page.from;
  }
  return undefined;
}

/** An answer may have been written down in so many messages, a step each. */
const stepMessages = 20;
const mostStepPages = 5;

/**
 * The newest `count` messages before index `before`, and as many more as it takes for the first to be a question: no
 * answer stands without its own. Of an answer in more than 100 messages the end is read.
 */
export async function readExchanges(
  conversations: AgentConversations,
  chatId: string,
  count: number,
  before?: number,
): Promise<RecordPage> {
  let { total, from, messages, indices, held } = await conversations.read(chatId, count, before);
  for (let pages = 0; pages < mostStepPages; pages += 1) {
    if (from === 0 || held === 0 || messages[0]?.role === 'visitor') break;
    const older = await conversations.read(chatId, stepMessages, from);
    if (older.held === 0) break;
    const asked = older.messages.findLastIndex(({ role }) => role === 'visitor');
    const own = Math.max(0, asked);
    from = older.indices[asked] ?? older.from;
    messages = [...older.messages.slice(own), ...messages];
    indices = [...older.indices.slice(own), ...indices];
    held += older.held;
  }
  return { total, from, messages, indices, held };
}
