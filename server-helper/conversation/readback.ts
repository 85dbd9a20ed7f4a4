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

/** The newest `count`, and as many before them as it takes for a question to be there: an answer may be many messages, and as many notes. */
export async function readNewest(
  conversations: AgentConversations,
  chatId: string,
  count: number,
): Promise<readonly RecordedMessage[]> {
  const { messages, from } = await conversations.read(chatId, count);
  const hasQuestion = (read: readonly RecordedMessage[]) => read.some(({ role }) => role === 'visitor');
  if (from === 0 || hasQuestion(messages)) return messages;
  return (
    (await readBack(conversations, chatId, (read) => (hasQuestion(read) ? read : undefined))) ?? messages
  );
}

/** An answer may have been written down in so many messages, a step each. */
const stepMessages = 20;
const mostStepPages = 5;

/**
 * The newest `count` messages before index `before`, notes not counted, and as many more as it takes for the first to be a
 * question: no answer stands without its own. Of an answer in more than 100 messages the end is read.
 */
export async function readExchanges(
  conversations: AgentConversations,
  chatId: string,
  count: number,
  before?: number,
): Promise<RecordPage> {
  let { total, from, messages, indices, held } = await conversations.read(chatId, count, before);
  for (let pages = 0; pages < mostStepPages; pages += 1) {
    const lacking = count - messages.length;
    if (from === 0 || held === 0 || (lacking <= 0 && messages[0]?.role === 'visitor')) break;
    const older = await conversations.read(chatId, lacking > 0 ? pageMessages : stepMessages, from);
    if (older.held === 0) break;
    // The newest question that makes the page full, else the oldest there is.
    const asked = older.messages.findLastIndex(
      ({ role }, index) => role === 'visitor' && older.messages.length - index >= lacking,
    );
    const own = Math.max(0, asked);
    from = older.indices[asked] ?? older.from;
    messages = [...older.messages.slice(own), ...messages];
    indices = [...older.indices.slice(own), ...indices];
    held += older.held;
  }
  return { total, from, messages, indices, held };
}
