/** Agents: create, read, readall, update, reset, delete. */

import type { Hono } from 'hono';
import * as v from 'valibot';
import { type AccessEnv, requireBot, requireManager, requireProject } from '../access.ts';
import { AgentError } from '../errors.ts';
import { flag, paging, projectTarget, takes, target } from '../input.ts';
import { readPage, toPagination } from '../paging.ts';
import type { Parts } from '../parts.ts';
import type { Bot, BotChanges } from '../store/bots.ts';
import { toIso } from '../time.ts';

const text = (max: number) => v.pipe(v.string(), v.maxLength(max));
const count = v.pipe(v.number(), v.integer(), v.minValue(1));
const color = v.pipe(v.string(), v.regex(/^#[0-9a-f]{3,8}$/i, 'a hex colour is needed'));
const lines = v.pipe(v.array(text(300)), v.maxLength(10));
/** A field that null clears. */
const clearable = <const Schema extends v.GenericSchema>(schema: Schema) => v.optional(v.nullable(schema));

const branding = v.object({
  accent_color: v.optional(color),
  background_color: v.optional(color),
  theme: v.optional(v.picklist(['light', 'dark'])),
  avatar: clearable(text(2000)),
  placeholder: v.optional(text(200)),
  tagline: v.optional(text(300)),
  message_greetings: v.optional(lines),
  conversation_starters: v.optional(lines),
  logo: clearable(text(2000)),
});

const settings = {
  name: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(100))),
  model: clearable(v.pipe(v.string(), v.minLength(1), v.maxLength(200))),
  instruction: clearable(text(20_000)),
  reasoning_type: v.optional(v.picklist(['auto', 'standard', 'agent'])),
  max_reply_tokens: clearable(count),
  temperature: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(1))),
  top: v.optional(v.pipe(count, v.maxValue(50))),
  memory: v.optional(flag),
  require_login: v.optional(flag),
  no_answer_reply: clearable(text(2000)),
  ratelimit_requests: clearable(count),
  ratelimit_seconds: clearable(count),
  ratelimit_message: clearable(text(500)),
  chat_mode: v.optional(v.picklist(['ask', 'edit', 'plan'])),
  branding: v.optional(branding),
  status: v.optional(
    v.pipe(
      v.picklist([0, 1, '0', '1', 'inactive', 'active']),
      v.transform((status): 0 | 1 => (['0', 'inactive'].includes(String(status)) ? 0 : 1)),
    ),
  ),
};

export function routeBots(app: Hono<AccessEnv>, parts: Parts) {
  const { bots, config } = parts;

  app.post(
    '/v1/bot/create',
    takes({ ...projectTarget, ...settings, name: v.unwrap(settings.name) }),
    async (c) => {
      const caller = c.get('caller');
      const input = c.get('input');
      requireProject(caller, input);
      requireManager(caller);
      if (bots.count(caller.projectId) >= config.limits.agents)
        throw new AgentError(
          403,
          'plan_limit_reached',
          `The plan ${config.plan} has ${config.limits.agents} agents.`,
        );
      const bot = bots.create(caller.projectId, toChanges(input), config.credits);
      parts.workspaces.requireDefault(bot.uuid);
      parts.events.record('bot.created', { bot_id: bot.uuid });
      return c.json({ bot: toWireBot(parts, bot) }, 201);
    },
  );

  app.get('/v1/bot/read', takes(target), async (c) => {
    return c.json({ bot: toWireBot(parts, requireBot(parts, c.get('caller'), c.get('input'))) });
  });

  for (const path of ['/v1/bot/readall', '/v1/bots'])
    app.get(path, takes({ ...projectTarget, ...paging }), async (c) => {
      const caller = c.get('caller');
      const input = c.get('input');
      requireProject(caller, input);
      const page = readPage(input);
      const { bots: found, total } = bots.list(caller.projectId, page);
      return c.json({
        bots: found.map((bot) => toWireBot(parts, bot)),
        pagination: toPagination(page, total),
      });
    });

  app.put('/v1/bot/update', takes({ ...target, ...settings }), async (c) => {
    const caller = c.get('caller');
    const input = c.get('input');
    const bot = requireBot(parts, caller, input);
    requireManager(caller);
    const changes = toChanges(input);
    const wire = toWireBot(parts, bots.update(bot, changes));
    const sent = Object.keys(changes).map((name) => [name, wire[name as keyof typeof wire]]);
    parts.events.record('bot.updated', { bot_id: bot.uuid, fields: Object.keys(changes) });
    return c.json({ id: wire.id, updated_at: wire.updated_at, ...Object.fromEntries(sent) });
  });

  app.post('/v1/bot/reset', takes(target), async (c) => {
    const bot = requireBot(parts, c.get('caller'), c.get('input'));
    requireManager(c.get('caller'));
    parts.sources.deleteAll(bot.uuid);
    parts.events.record('bot.reset', { bot_id: bot.uuid });
    return c.json({ success: true, message: 'All sources of the agent were deleted.' });
  });

  app.delete('/v1/bot/delete', takes(target), async (c) => {
    const bot = requireBot(parts, c.get('caller'), c.get('input'));
    requireManager(c.get('caller'));
    if (bot.uuid === config.botId)
      throw new AgentError(400, 'default_bot', 'The agent that the service starts with cannot be deleted.');
    await Promise.all(
      parts.turns.list(bot.uuid).map(({ reply }) => parts.turns.cancel(bot.uuid, reply.chatId)),
    );
    parts.sources.deleteAll(bot.uuid);
    bots.delete(bot);
    parts.events.record('bot.deleted', { bot_id: bot.uuid });
    return c.json({ success: true, message: 'The agent was deleted.' });
  });
}

/** Of what was sent, the settings; null puts back what is so by default. */
function toChanges(input: Record<string, unknown>): BotChanges {
  const sent = Object.keys(settings).filter((name) => input[name] !== undefined);
  const entries = sent.map((name) => [name, name === 'instruction' ? (input[name] ?? '') : input[name]]);
  return Object.fromEntries(entries) as BotChanges;
}

function toWireBot({ answerers }: Pick<Parts, 'answerers'>, { uuid, projectId: _, ...bot }: Bot) {
  const { createdAt, updatedAt, credits, ...fields } = bot;
  return {
    uuid,
    id: uuid,
    ...fields,
    model: bot.model ?? answerers.choose().model,
    credits,
    created_at: toIso(createdAt),
    updated_at: toIso(updatedAt),
  };
}
