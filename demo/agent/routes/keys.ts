/** Keys of a project, and what its plan allows: for owners and admins. */

import type { Hono } from 'hono';
import * as v from 'valibot';
import { type AccessEnv, requireManager, requireProject } from '../access.ts';
import { AgentError } from '../errors.ts';
import { paging, projectTarget, takes } from '../input.ts';
import { readPage, toPagination } from '../paging.ts';
import type { Parts } from '../parts.ts';
import { type Caller, type Key, roles } from '../store/keys.ts';
import { dayMs, toIso } from '../time.ts';

export function routeKeys(app: Hono<AccessEnv>, parts: Parts) {
  const { keys, config } = parts;

  app.get('/v1/keys', takes({ ...projectTarget, ...paging }), async (c) => {
    const input = c.get('input');
    const caller = c.get('caller');
    requireProject(caller, input);
    requireManager(caller);
    const page = readPage(input);
    const { keys: found, total } = keys.list(caller.projectId, page);
    return c.json({
      success: true,
      data: { keys: found.map(toWireKey), pagination: toPagination(page, total) },
    });
  });

  app.post(
    '/v1/keys',
    takes({
      ...projectTarget,
      name: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(100))),
      role: v.optional(v.picklist(roles), 'member'),
    }),
    async (c) => {
      const input = c.get('input');
      const caller = c.get('caller');
      requireProject(caller, input);
      requireManager(caller);
      requireOwnerFor(caller, input.role);
      const { key, record } = keys.create(caller.projectId, input.name ?? input.role, input.role);
      parts.events.record('key.created', { key_id: record.id, role: record.role });
      return c.json({ success: true, data: { key, ...toWireKey(record) } }, 201);
    },
  );

  app.post(
    '/v1/keys/:id/rotate',
    takes({
      ...projectTarget,
      overlap_seconds: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(86_400)), 0),
    }),
    async (c) => {
      const input = c.get('input');
      const { id } = requireKey(c.get('caller'), input, c.req.param('id'));
      const { key, record } = keys.rotate(input.project_id, id, input.overlap_seconds * 1000);
      parts.events.record('key.rotated', { key_id: id });
      return c.json({ success: true, data: { key, ...toWireKey(record) } });
    },
  );

  app.delete('/v1/keys/:id', takes(projectTarget), async (c) => {
    const { id } = requireKey(c.get('caller'), c.get('input'), c.req.param('id'));
    keys.delete(id);
    parts.events.record('key.deleted', { key_id: id });
    return c.json({ success: true, data: { id } });
  });

  app.get('/v1/plan', takes(projectTarget), async (c) => {
    const caller = c.get('caller');
    requireProject(caller, c.get('input'));
    requireManager(caller);
    const { projectId } = caller;
    return c.json({
      success: true,
      data: {
        plan: config.plan,
        limits: config.limits,
        usage: {
          requests_today: keys.requestsToday(projectId, Math.floor(config.now() / dayMs)),
          agents: parts.bots.count(projectId),
          dashboard_workspaces: parts.workspaces.count(projectId, 'dashboard'),
          service_workspaces: parts.workspaces.count(projectId, 'service'),
          credits: parts.bots.creditsOf(projectId),
        },
        sandbox_available: (await parts.sandbox.whyNot()) === undefined,
      },
    });
  });

  /** One that may be changed: the project's, made by a call, and none of an owner's by an admin. */
  function requireKey(caller: Caller, input: { project_id: string }, id: string): Key {
    requireProject(caller, input);
    requireManager(caller);
    const key = keys.find(caller.projectId, id);
    if (!key) throw new AgentError(404, 'key_not_found', 'This project has no such key.');
    requireOwnerFor(caller, key.role);
    if (key.configured)
      throw new AgentError(
        400,
        'configured_key',
        'This key comes from the environment of the service: change it there.',
      );
    return key;
  }
}

function requireOwnerFor(caller: Caller, role: Key['role']) {
  if (role === 'owner' && caller.role !== 'owner')
    throw new AgentError(403, 'forbidden', 'Keys of an owner are made and changed by owners.');
}

function toWireKey({ id, name, role, prefix, configured, created_at, last_used_at }: Key) {
  return {
    id,
    name,
    role,
    prefix,
    configured: configured === 1,
    created_at: toIso(created_at),
    last_used_at: last_used_at === null ? null : toIso(last_used_at),
  };
}
