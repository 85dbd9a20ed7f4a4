/** Bots: read. */

import type { Hono } from 'hono';
import { type AccessEnv, requireBot } from '../access.ts';
import { readInput, target } from '../input.ts';
import type { Parts } from '../parts.ts';
import { toIso } from '../turns/wire.ts';

export function routeBots(app: Hono<AccessEnv>, parts: Parts) {
  app.get('/v1/bot/read', async (c) => {
    const bot = requireBot(parts, c.get('caller'), await readInput(c, target));
    return c.json({
      bot: {
        uuid: bot.uuid,
        name: bot.name,
        model: parts.answerers.choose().model,
        instruction: bot.instruction,
        reasoning_type: 'auto',
        max_reply_tokens: null,
        temperature: 0.7,
        top: 5,
        memory: true,
        require_login: false,
        chat_mode: 'ask',
        credits: bot.credits,
        status: 1,
        branding: bot.branding,
        created_at: toIso(bot.createdAt),
      },
    });
  });
}
