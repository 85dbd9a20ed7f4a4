/** The people of an agent: its subscribers and leads, and what it remembers of them. For staff. */

import type { Hono } from 'hono';
import * as v from 'valibot';
import { type AccessEnv, requireBot, requireProject, requireStaff } from '../access.ts';
import { AgentError } from '../errors.ts';
import { chatId, paging, projectTarget, takes, target } from '../input.ts';
import { readPage, toPagination } from '../paging.ts';
import type { Parts } from '../parts.ts';
import { memoryTypes, type UserMemory } from '../store/memories.ts';
import { toIso } from '../time.ts';
import { toWireSubscriber } from '../turns/wire.ts';

const memoriesPerPage = 50;

export function routePeople(app: Hono<AccessEnv>, parts: Parts) {
  const { subscribers, memories } = parts;
  const ofProject = { ...projectTarget, bot_id: v.optional(target.bot_id) };

  app.get('/v1/bot/subscriber/readall', takes({ ...ofProject, ...paging }), async (c) => {
    const { project_id, bot_id, ...input } = c.get('input');
    const caller = c.get('caller');
    if (bot_id === undefined) requireProject(caller, { project_id });
    else requireBot(parts, caller, { project_id, bot_id });
    requireStaff(caller);
    const page = readPage(input);
    const { subscribers: found, total } = subscribers.list(project_id, bot_id, page);
    return c.json({ subscribers: found.map(toWireSubscriber), pagination: toPagination(page, total) });
  });

  app.get(
    '/v1/bot/memory/readall',
    takes({
      ...target,
      ...paging,
      user_uuid: v.optional(chatId),
      type: v.optional(v.picklist([...memoryTypes, 'all']), 'all'),
    }),
    async (c) => {
      const input = c.get('input');
      const bot = requireBot(parts, c.get('caller'), input);
      requireStaff(c.get('caller'));
      const page = readPage(input, memoriesPerPage);
      const type = input.type === 'all' ? undefined : input.type;
      const total = memories.count(bot.uuid, input.user_uuid, type);
      return c.json({
        total,
        memories: memories.list(bot.uuid, page, input.user_uuid, type).map(toWireMemory),
        pagination: toPagination(page, total),
      });
    },
  );

  app.get('/v1/bot/memory/count', takes({ ...target, user_uuid: chatId }), async (c) => {
    const input = c.get('input');
    const bot = requireBot(parts, c.get('caller'), input);
    requireStaff(c.get('caller'));
    return c.json({ count: memories.count(bot.uuid, input.user_uuid) });
  });

  app.delete('/v1/bot/memory/:memory_id', takes(target), async (c) => {
    const bot = requireBot(parts, c.get('caller'), c.get('input'));
    requireStaff(c.get('caller'));
    if (!memories.delete(bot.uuid, c.req.param('memory_id')))
      throw new AgentError(404, 'memory_not_found', 'This agent remembers no such thing.');
    return c.json({ success: true, message: 'The memory was deleted.' });
  });
}

function toWireMemory({ uuid, type, content, is_active, created_at, updated_at, ...user }: UserMemory) {
  return {
    uuid,
    type,
    content,
    is_active: is_active === 1,
    created_at: toIso(created_at),
    updated_at: toIso(updated_at),
    user: { uuid: user.account, email: user.email, name: user.name },
  };
}
