/** Conversations: read, readall, delete, rename, mode. */

import type { Hono } from 'hono';
import * as v from 'valibot';
import { type AccessEnv, requireBot } from '../access.ts';
import { AgentError } from '../errors.ts';
import { chatId, paging, takes, target } from '../input.ts';
import { readPage, toPagination } from '../paging.ts';
import type { Parts } from '../parts.ts';
import type { Bot } from '../store/bots.ts';
import type { Chat } from '../store/chats.ts';
import { toIso } from '../time.ts';
import { requireMode } from '../turns/gate.ts';
import { toWireMessage } from '../turns/wire.ts';

const title = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(200));
const mode = v.picklist(['ask', 'edit', 'plan']);

export function requireChat({ chats }: Pick<Parts, 'chats'>, bot: Bot, id: string): Chat {
  const chat = chats.find(bot.uuid, id);
  if (!chat) throw new AgentError(404, 'chat_not_found', 'This bot has no such conversation.');
  return chat;
}

export function routeConversations(app: Hono<AccessEnv>, parts: Parts) {
  const { chats, messages } = parts;

  app.get('/v1/bot/chat/read', takes({ ...target, chat_id: chatId, ...paging }), async (c) => {
    const input = c.get('input');
    const chat = requireChat(parts, requireBot(parts, c.get('caller'), input), input.chat_id);
    const page = readPage(input);
    const { messages: found, total } = messages.page(chat.id, page);
    return c.json({
      total,
      conversation: found.map((message) => toWireMessage(message, chat.chat_id)),
      pagination: toPagination(page, total),
    });
  });

  app.get('/v1/bot/chat/readall', takes({ ...target, ...paging }), async (c) => {
    const input = c.get('input');
    const bot = requireBot(parts, c.get('caller'), input);
    const page = readPage(input);
    const { chats: found, total } = chats.list(bot.uuid, page);
    return c.json({
      chats: found.map((chat) => ({
        chat_id: chat.chat_id,
        subject: chat.subject,
        channel: chat.channel,
        chat_mode: chat.chat_mode,
        message_count: chat.message_count,
        user: chat.member_id === null ? null : { member_id: chat.member_id },
        latest: chat.latest,
        updated_at: toIso(chat.updated_at),
      })),
      pagination: toPagination(page, total),
    });
  });

  app.delete('/v1/bot/chat/delete', takes({ ...target, chat_id: chatId }), async (c) => {
    const input = c.get('input');
    const bot = requireBot(parts, c.get('caller'), input);
    const chat = requireChat(parts, bot, input.chat_id);
    await parts.turns.cancel(bot.uuid, chat.chat_id);
    chats.delete(chat);
    parts.events.record('chat.deleted', { chat_id: chat.chat_id });
    return c.json({ success: true, message: 'The conversation was deleted.' });
  });

  app.put(
    '/v1/bot/chat/rename',
    takes({
      ...target,
      chat_id: chatId,
      title: v.optional(title),
      name: v.optional(title),
    }),
    async (c) => {
      const input = c.get('input');
      const chat = requireChat(parts, requireBot(parts, c.get('caller'), input), input.chat_id);
      const subject = input.title ?? input.name;
      if (subject === undefined)
        throw new AgentError(400, 'invalid_parameters', 'title: 1 to 200 characters are needed.');
      chats.set(chat.id, { subject });
      return c.json({ success: true, chat: { chat_id: chat.chat_id, subject } });
    },
  );

  app.put(
    '/v1/bot/chat/mode',
    takes({
      ...target,
      chat_id: chatId,
      chat_mode: v.optional(mode),
      mode: v.optional(mode),
      member_id: v.optional(chatId),
    }),
    async (c) => {
      const input = c.get('input');
      const chat = requireChat(parts, requireBot(parts, c.get('caller'), input), input.chat_id);
      const chat_mode = input.chat_mode ?? input.mode;
      if (chat_mode === undefined)
        throw new AgentError(400, 'invalid_parameters', 'chat_mode: ask, edit or plan is needed.');
      requireMode(parts, c.get('caller'), chat.persona, input.member_id ?? chat.member_id, chat_mode);
      chats.set(chat.id, { chat_mode });
      return c.json({ success: true, chat: { chat_id: chat.chat_id, chat_mode } });
    },
  );
}
