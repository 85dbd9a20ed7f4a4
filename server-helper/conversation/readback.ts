/** Reads a chat's record from its end backwards, page by page, until what is looked for is found. */
import type { AgentConversations, RecordedMessage } from '../agent/conversation.ts';

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
    const isWhole = page.from === 0 || page.messages.length === 0;
    const found = look(messages, page.from === 0);
    if (found !== undefined || isWhole) return found;
    before = page.from;
  }
  return undefined;
}
