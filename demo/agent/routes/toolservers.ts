/** Tool servers: list, create, read, change, delete; their tools: configure, toggle, refresh, test. */

import type { Hono } from 'hono';
import * as v from 'valibot';
import { type AccessEnv, requireBot, requireManager, requireStaff } from '../access.ts';
import { AgentError } from '../errors.ts';
import { flag, paging, takes, target, toSent } from '../input.ts';
import { readPage, toPagination } from '../paging.ts';
import type { Parts } from '../parts.ts';
import type { Bot } from '../store/bots.ts';
import { placeOf, type ToolDecisions, type ToolServer } from '../store/toolservers.ts';
import { toIso, toIsoOrNull } from '../time.ts';
import { decisions, readFilter, readHeaders, settings, toHidden } from '../toolservers/input.ts';

const mostServers = 50;
const notFound = () => new AgentError(404, 'tool_not_found', 'This agent has no such tool.');

export function routeToolServers(app: Hono<AccessEnv>, parts: Parts) {
  const { toolServers, toolServerClient, events } = parts;
  const requireServer = (bot: Bot, uuid: string): ToolServer => {
    const server = toolServers.find(bot.uuid, uuid);
    if (!server) throw notFound();
    return server;
  };
  async function refresh(server: ToolServer): Promise<{ error?: string; count: number }> {
    try {
      const { tools, leftOut } = await toolServerClient.list(server);
      const note =
        leftOut > 0 ? `${leftOut} of its tools were left out: too many, too large, or not usable.` : null;
      toolServers.keepTools(server, tools, note);
      return { count: tools.length };
    } catch (thrown) {
      const { message: error } = thrown as Error;
      toolServers.keepError(server, error);
      events.record('tool_server.failed', { id: server.uuid, cause: error });
      return { error, count: 0 };
    }
  }

  app.get('/v1/bot/tool', takes({ ...target, ...paging, filter: v.optional(v.string()) }), async (c) => {
    const input = c.get('input');
    const wanted = readFilter(input.filter);
    const bot = requireBot(parts, c.get('caller'), input);
    requireStaff(c.get('caller'));
    const page = readPage(input);
    const { servers, total } = toolServers.list(bot.uuid, wanted, page);
    return c.json({ tools: servers.map(toWireServer), pagination: toPagination(page, total) });
  });

  app.post('/v1/bot/tool', takes({ ...target, ...settings }), async (c) => {
    const input = c.get('input');
    const bot = requireBot(parts, c.get('caller'), input);
    requireManager(c.get('caller'));
    if (toolServers.count(bot.uuid) >= mostServers)
      throw new AgentError(403, 'plan_limit_reached', `An agent has ${mostServers} tool servers at most.`);
    const { server_label, server_url, transport } = input;
    const server = toolServers.create(bot.uuid, {
      server_label,
      server_url,
      transport,
      require_approval: input.require_approval ?? 'never',
      headers: input.headers ?? {},
      is_enabled: true,
      access: input.access ?? 'public_safe',
    });
    await refresh(server);
    return c.json({ tool: toWireServer(toolServers.find(bot.uuid, server.uuid) ?? server) }, 201);
  });

  app.get('/v1/bot/tool/:id', takes(target), async (c) => {
    const bot = requireBot(parts, c.get('caller'), c.get('input'));
    requireStaff(c.get('caller'));
    return c.json({ tool: toWireServer(requireServer(bot, c.req.param('id'))) });
  });

  app.put(
    '/v1/bot/tool/:id',
    takes({
      ...target,
      ...settings,
      server_label: v.optional(settings.server_label),
      server_url: v.optional(settings.server_url),
      transport: v.optional(settings.transport),
      is_enabled: v.optional(flag),
    }),
    async (c) => {
      const { project_id, bot_id, type: _, headers: sent, ...input } = c.get('input');
      const bot = requireBot(parts, c.get('caller'), { project_id, bot_id });
      requireManager(c.get('caller'));
      const server = requireServer(bot, c.req.param('id'));
      const changes = {
        ...toSent(input),
        headers: readHeaders(server, sent, input.server_url ?? server.server_url),
      };
      const changed = toolServers.change(server.id, changes);
      if (placeOf(changed) !== placeOf(server)) await refresh(changed);
      return c.json({ tool: toWireServer(toolServers.find(bot.uuid, server.uuid) ?? changed) });
    },
  );

  app.delete('/v1/bot/tool/:id', takes(target), async (c) => {
    const bot = requireBot(parts, c.get('caller'), c.get('input'));
    requireManager(c.get('caller'));
    toolServers.delete(requireServer(bot, c.req.param('id')));
    return c.json({ success: true, message: 'The tool server was deleted.' });
  });

  app.put('/v1/bot/tool/:id/configure', takes({ ...target, tools: decisions }), async (c) => {
    const { tools, ...input } = c.get('input');
    const bot = requireBot(parts, c.get('caller'), input);
    requireManager(c.get('caller'));
    const server = requireServer(bot, c.req.param('id'));
    toolServers.change(server.id, { decisions: decide(server, tools) });
    return c.json({ success: true, message: 'The tools were changed.' });
  });

  app.post(
    '/v1/bot/tool/:id/toggle',
    takes({ ...target, tool_name: v.string(), is_active: v.optional(flag), active: v.optional(flag) }),
    async (c) => {
      const { tool_name: name, active, is_active = active, ...input } = c.get('input');
      if (is_active === undefined)
        throw new AgentError(400, 'invalid_parameters', 'is_active: a boolean is needed.');
      const bot = requireBot(parts, c.get('caller'), input);
      requireManager(c.get('caller'));
      const server = requireServer(bot, c.req.param('id'));
      toolServers.change(server.id, { decisions: decide(server, [{ name, is_active }]) });
      return c.json({ success: true, message: `The tool is ${is_active ? 'on' : 'off'}.` });
    },
  );

  app.post('/v1/bot/tool/:id/refresh', takes(target), async (c) => {
    const bot = requireBot(parts, c.get('caller'), c.get('input'));
    requireStaff(c.get('caller'));
    const { error, count } = await refresh(requireServer(bot, c.req.param('id')));
    return c.json({
      success: error === undefined,
      message: error ?? 'The tools were read anew.',
      tools_count: count,
    });
  });

  app.post('/v1/bot/tool/:id/test', takes(target), async (c) => {
    const bot = requireBot(parts, c.get('caller'), c.get('input'));
    requireStaff(c.get('caller'));
    const server = requireServer(bot, c.req.param('id'));
    const answer = await toolServerClient.list(server).then(
      ({ tools }) => ({ success: true, message: 'The tool server answers.', tools_count: tools.length }),
      ({ message }: Error) => ({ success: false, message, tools_count: 0 }),
    );
    return c.json(answer);
  });
}

/** What is decided with it. Throws 404 for a tool that the server does not have. */
function decide(
  { tools, decisions: before }: ToolServer,
  wanted: v.InferOutput<typeof decisions>,
): ToolDecisions {
  const decided = new Map(Object.entries(before));
  for (const { name, ...one } of wanted) {
    if (!tools.some((tool) => tool.name === name)) throw notFound();
    decided.set(name, { ...decided.get(name), ...toSent(one) });
  }
  return Object.fromEntries(decided);
}

function toWireServer({ uuid, id: _, bot_id: _bot, decisions: _decided, headers, ...server }: ToolServer) {
  return {
    ...server,
    id: uuid,
    type: 'mcp',
    headers: toHidden(headers),
    refreshed_at: toIsoOrNull(server.refreshed_at),
    created_at: toIso(server.created_at),
    updated_at: toIso(server.updated_at),
  };
}
