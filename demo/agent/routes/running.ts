/** Running replies: cancel, subscribe, stream-status, active-streams. */

import type { Hono } from 'hono';
import { type AccessEnv, requireBot } from '../access.ts';
import { AgentError } from '../errors.ts';
import { chatId, takes, target } from '../input.ts';
import type { Parts } from '../parts.ts';
import { toEventStream } from './stream.ts';

const ofChat = { ...target, chat_id: chatId };

export function routeRunning(app: Hono<AccessEnv>, parts: Parts) {
  const { turns } = parts;

  app.post('/v1/bot/chat/cancel', takes(ofChat), async (c) => {
    const input = c.get('input');
    const bot = requireBot(parts, c.get('caller'), input);
    const wasRunning = await turns.cancel(bot.uuid, input.chat_id);
    return c.json({ success: true, message: wasRunning ? 'cancelled' : 'nothing was running' });
  });

  app.get('/v1/bot/chat/subscribe', takes(ofChat), async (c) => {
    const input = c.get('input');
    const bot = requireBot(parts, c.get('caller'), input);
    const turn = turns.find(bot.uuid, input.chat_id);
    if (!turn) throw new AgentError(404, 'no_stream', 'No reply is running in this conversation.');
    return toEventStream(turn.reply, c.res.headers);
  });

  app.get('/v1/bot/chat/stream-status', takes(ofChat), async (c) => {
    const input = c.get('input');
    const bot = requireBot(parts, c.get('caller'), input);
    const turn = turns.find(bot.uuid, input.chat_id);
    return c.json(turn ? { streaming: true, message_id: turn.reply.messageId } : { streaming: false });
  });

  app.get('/v1/bot/chat/active-streams', takes(target), async (c) => {
    const bot = requireBot(parts, c.get('caller'), c.get('input'));
    const streams = turns
      .list(bot.uuid)
      .map(({ reply }) => ({ chat_id: reply.chatId, message_id: reply.messageId }));
    return c.json({ streams });
  });
}
