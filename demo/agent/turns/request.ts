/** The answerer's request: history after compaction, the tools this persona may have, the call's data. */

import type { Answerer, AnswerRequest, Memories } from '../answer/answerer.ts';
import { thatFit } from '../answer/room.ts';
import { estimateTokens } from '../answer/tokens.ts';
import { AgentError } from '../errors.ts';
import type { Parts } from '../parts.ts';
import type { Bot } from '../store/bots.ts';
import type { Chat, Persona } from '../store/chats.ts';
import type { Tool, ToolParameters } from '../tools.ts';
import { toServerTools } from '../toolservers/tools.ts';
import type { TurnStart } from './answering.ts';
import type { Call } from './call.ts';
import { compactChat } from './compaction.ts';
import { mayRunCommands, toMode, toOwnTools } from './owntools.ts';

export async function toAnswerRequest(
  parts: Parts,
  bot: Bot,
  { chat: begun, user, call }: TurnStart,
  answerer: Answerer,
  signal: AbortSignal,
): Promise<AnswerRequest> {
  // A plan may have been accepted since.
  const chat = parts.chats.find(bot.uuid, begun.chat_id) ?? begun;
  const memories = memoriesOf(parts, bot, chat, call);
  const request: AnswerRequest = {
    bot,
    persona: call.persona,
    question: user.content,
    summary: '',
    history: [],
    data: call.data,
    scope: call.scope,
    ...(await toTools(parts, bot, chat, call, memories)),
    isSignedIn: findMember(parts, bot, chat) !== undefined,
    reasoningMode: call.reasoningMode,
    contextTokens: parts.config.contextTokens,
    overrides: {
      ...(bot.max_reply_tokens === null ? {} : { maxReplyTokens: bot.max_reply_tokens }),
      temperature: bot.temperature,
      ...call.overrides,
    },
    memories,
    chatMode: toMode(chat, call),
  };
  let { summary } = chat;
  let messages = parts.messages
    .after(chat.id, chat.summary_until)
    .filter(({ id }) => id <= user.id)
    .map((message) => ({ ...message, content: `${message.content}${toRanNote(message.ran)}`.trim() }));
  // The question is among the messages.
  const overhead = Math.max(0, (answerer.overhead?.(request) ?? 0) - estimateTokens(user.content));
  const compacted = await compactChat(chat, messages, parts.config.contextTokens, overhead, answerer, signal);
  if (compacted) {
    summary = compacted.summary;
    messages = messages.filter(({ id }) => id > compacted.until);
    parts.chats.set(chat.id, { summary, summary_until: compacted.until });
    parts.events.record('chat.compacted', { chat_id: chat.chat_id });
  }
  return {
    ...request,
    summary,
    history: messages
      .filter(({ id, content }) => id !== user.id && content !== '')
      .map(({ role, content }) => ({ role, content })),
  };
}

/** An answer that came to its end tells it itself. */
const toRanNote = (ran: string) => (ran === '' ? '' : `\n\n(Not finished. Tools: ${ran}.)`);

/** Of the model's context: they come with each question, and no conversation is without them. */
const mostOfMemories = 0.1;

/** Of a signed-in visitor alone, while memory is on. */
export function memoriesOf(
  parts: Parts,
  bot: Bot,
  { member_id }: Chat,
  { scope }: Call,
): Memories | undefined {
  if (member_id === null || scope.top === 0 || !parts.accounts.find(bot.projectId, member_id))
    return undefined;
  const room = parts.config.contextTokens * mostOfMemories;
  return {
    // The latest that there is room for, oldest first.
    known: thatFit(parts.memories.of(bot.uuid, member_id).reverse(), room, estimateTokens).reverse(),
    add(content, type) {
      // It would be told of in no conversation.
      if (estimateTokens(content) > room)
        throw new AgentError(400, 'invalid_parameters', 'content: a shorter one is needed.');
      const uuid = parts.memories.add(bot.uuid, member_id, content, type);
      parts.events.record('user_memory.created', { member_id });
      return uuid;
    },
  };
}

/** Who came by single sign-on; a member id that nobody signed for is nobody's. */
function findMember({ accounts }: Pick<Parts, 'accounts'>, bot: Bot, { member_id }: Chat) {
  const account = member_id === null ? undefined : accounts.find(bot.projectId, member_id);
  return account && { id: account.uuid, email: account.email };
}

/** Of two with one name the site's comes first, then the service's own. */
export async function toTools(
  parts: Parts,
  bot: Bot,
  chat: Chat,
  call: Call,
  memories: Memories | undefined,
): Promise<Pick<AnswerRequest, 'tools' | 'modelTools'>> {
  if (call.reasoningMode === 'standard') return { tools: [], modelTools: [] };
  const tools = toSiteTools(parts, bot, call.persona, chat);
  const taken = new Set(tools.map(({ name }) => name));
  const hasSandbox = mayRunCommands(chat, call) && (await parts.sandbox.whyNot()) === undefined;
  const own = toOwnTools(parts, bot, chat, call, memories, hasSandbox).filter(({ name }) => !taken.has(name));
  return { tools, modelTools: [...own, ...toServerTools(parts, bot, call.persona, [...tools, ...own])] };
}

/** `read_conversations` is the builder's alone: it shows what other people talked about. */
function toSiteTools(
  parts: Pick<Parts, 'tools' | 'chats' | 'accounts'>,
  bot: Bot,
  persona: Persona,
  chat: Chat,
): readonly Tool[] {
  const member = findMember(parts, bot, chat);
  const tools = parts.tools
    .filter(({ access }) => persona === 'builder' || access !== 'staff_only')
    .map((tool) => ({
      ...tool,
      run: (parameters: ToolParameters, signal: AbortSignal) => tool.run(parameters, signal, member),
    }));
  if (persona !== 'builder') return tools;
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
  return [...tools, readConversations];
}
