/** Messages: vote, vote-status, delete with truncate. */

import type { Hono } from 'hono';
import * as v from 'valibot';
import { type AccessEnv, requireBot } from '../access.ts';
import { AgentError } from '../errors.ts';
import { chatId, flag, messageId, takes, target } from '../input.ts';
import type { Parts } from '../parts.ts';
import type { Bot } from '../store/bots.ts';
import { requireChat } from './conversations.ts';

const person = v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(200)));
/** `none` is ours: it takes a vote back. */
const voteType = v.optional(v.picklist(['upvote', 'downvote', 'none']));
const voterType = v.optional(v.pipe(v.string(), v.maxLength(32)), 'member');

export function routeMessages(app: Hono<AccessEnv>, parts: Parts) {
  const { chats, messages } = parts;

  function requireMessage(bot: Bot, chat_id: string, uuid: string) {
    const chat = requireChat(parts, bot, chat_id);
    const message = messages.find(chat.id, uuid);
    if (!message) throw new AgentError(404, 'message_not_found', 'This conversation has no such message.');
    return { chat, message };
  }

  app.put(
    '/v1/bot/chat/message/vote',
    takes({
      ...target,
      chat_id: chatId,
      message_id: messageId,
      voter_id: person,
      anonymous_id: person,
      voter_type: voterType,
      type: voteType,
      vote_type: voteType,
    }),
    async (c) => {
      const input = c.get('input');
      const { message } = requireMessage(
        requireBot(parts, c.get('caller'), input),
        input.chat_id,
        input.message_id,
      );
      const voter = input.voter_id ?? input.anonymous_id;
      const vote = input.type ?? input.vote_type;
      if (voter === undefined)
        throw new AgentError(400, 'invalid_parameters', 'voter_id: voter_id or anonymous_id is needed.');
      if (vote === undefined)
        throw new AgentError(400, 'invalid_parameters', 'type: upvote or downvote is needed.');
      messages.vote(message.uuid, input.voter_type, voter, vote === 'none' ? null : vote);
      return c.json({
        success: true,
        message: vote === 'none' ? 'The vote was removed.' : 'The vote was saved.',
      });
    },
  );

  app.get(
    '/v1/bot/chat/message/vote-status',
    takes({
      bot_id: target.bot_id,
      project_id: v.optional(target.project_id),
      message_id: messageId,
      voter_id: v.pipe(v.string(), v.minLength(1)),
      voter_type: voterType,
    }),
    async (c) => {
      const caller = c.get('caller');
      const input = c.get('input');
      const bot = requireBot(parts, caller, { ...input, project_id: input.project_id ?? caller.projectId });
      if (!messages.isOfBot(bot.uuid, input.message_id))
        throw new AgentError(404, 'message_not_found', 'This bot has no such message.');
      const vote_type = messages.voteOf(input.message_id, input.voter_type, input.voter_id);
      return c.json({ voted: vote_type !== null, vote_type });
    },
  );

  app.delete(
    '/v1/bot/chat/message/delete',
    takes({
      ...target,
      chat_id: chatId,
      message_id: messageId,
      truncate: v.optional(flag, false),
    }),
    async (c) => {
      const input = c.get('input');
      const bot = requireBot(parts, c.get('caller'), input);
      const { chat, message } = requireMessage(bot, input.chat_id, input.message_id);
      parts.turns.requireIdle(bot.uuid, chat.chat_id);
      const count = messages.delete(message, input.truncate);
      parts.pauses.supersede(chat.id);
      messages.endPaused(chat.id);
      // A summary that holds what was deleted is made anew from what is left.
      if (message.id <= chat.summary_until) chats.set(chat.id, { summary: '', summary_until: 0 });
      return c.json({
        success: true,
        message: count === 1 ? '1 message deleted.' : `${count} messages deleted.`,
      });
    },
  );
}
