/** Reads a chat's record from its end backwards, page by page, until what is looked for is found. */
import type { AgentConversations, RecordedMessage } from '../agent/conversation.ts';

const pageMessages = 100;
/** Further back than this nothing is looked for: some thirty calls. */
const mostMessages = 3_000;

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
  for (;;) {
    const page = await conversations.read(chatId, pageMessages, before);
    messages = [...page.messages, ...messages];
    const found = look(messages, page.from === 0);
    if (found !== undefined || page.from === 0 || messages.length >= mostMessages) return found;
    before = page.from;
  }
}
