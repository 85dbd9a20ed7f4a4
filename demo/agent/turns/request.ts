/** The answerer's request: history after compaction, the tools this persona may have, the call's data. */

import type { Answerer, AnswerRequest } from '../answer/answerer.ts';
import type { Parts } from '../parts.ts';
import type { Bot } from '../store/bots.ts';
import type { Persona } from '../store/chats.ts';
import type { Tool } from '../tools.ts';
import type { TurnStart } from './answering.ts';
import { compactChat } from './compaction.ts';

export async function toAnswerRequest(
  parts: Parts,
  bot: Bot,
  { chat, user, call }: TurnStart,
  answerer: Answerer,
  signal: AbortSignal,
): Promise<AnswerRequest> {
  let { summary } = chat;
  let messages = parts.messages.after(chat.id, chat.summary_until).filter(({ id }) => id <= user.id);
  const compacted = await compactChat(chat, messages, parts.config.contextTokens, answerer, signal);
  if (compacted) {
    summary = compacted.summary;
    messages = messages.filter(({ id }) => id > compacted.until);
    parts.chats.set(chat.id, { summary, summary_until: compacted.until });
    parts.events.record('chat.compacted', { chat_id: chat.chat_id });
  }
  return {
    bot,
    persona: call.persona,
    question: user.content,
    summary,
    history: messages
      .filter(({ id, content }) => id !== user.id && content !== '')
      .map(({ role, content }) => ({ role, content })),
    data: call.data,
    scope: call.scope,
    tools: toToolsFor(parts, bot, call.persona),
    isSignedIn: chat.member_id !== null,
    reasoningMode: call.reasoningMode,
    overrides: call.overrides,
  };
}

/** `read_conversations` is the builder's alone: it shows what other people talked about. */
export function toToolsFor(
  parts: Pick<Parts, 'tools' | 'chats'>,
  bot: Bot,
  persona: Persona,
): readonly Tool[] {
  if (persona !== 'builder') return parts.tools;
  const readConversations: Tool = {
    name: 'read_conversations',
    title: 'Read conversations',
    description: 'Lists the latest conversations of this agent: subject, message count, time.',
    approval: 'auto',
    parameters: { type: 'object', properties: {} },
    async run() {
      const { chats } = parts.chats.list(bot.uuid, { page: 1, perPage: 20 });
      return {
        ok: true,
        result: chats.map(({ subject, message_count, updated_at }) => ({
          subject,
          message_count,
          updated_at: new Date(updated_at).toISOString(),
        })),
      };
    },
  };
  return [...parts.tools, readConversations];
}
