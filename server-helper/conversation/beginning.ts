/** A conversation as its first question makes it. */
import { makeRandomHex } from '../auth/keys.ts';
import type { ChatMode } from '../protocol/wire.ts';
import type { ConversationRecord } from '../store/store.ts';

const maxTitleChars = 60;

/** @param now ms since 1970 @param mode default `ask` */
export function toConversation({
  id,
  owner,
  bot,
  question,
  mode = 'ask',
  now,
}: Pick<ConversationRecord, 'id' | 'owner' | 'bot'> & {
  question: string;
  mode: ChatMode | undefined;
  now: number;
}): ConversationRecord {
  return {
    id,
    owner,
    bot,
    chatId: `porchlight-${makeRandomHex(16)}`,
    title: toTitle(question),
    mode,
    workspace: undefined,
    workspaceOf: undefined,
    createdAt: now,
    updatedAt: now,
  };
}

function toTitle(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  if (line.length <= maxTitleChars) return line;
  // Not in the middle of a character.
  return `${line
    .slice(0, maxTitleChars - 1)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd()}…`;
}
