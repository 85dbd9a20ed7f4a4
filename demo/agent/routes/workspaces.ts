/** Workspaces: create, readall, delete. */

import type { Hono } from 'hono';
import * as v from 'valibot';
import { type AccessEnv, requireBot, requireManager } from '../access.ts';
import { AgentError } from '../errors.ts';
import { paging, takes, target } from '../input.ts';
import { readPage, toPagination } from '../paging.ts';
import type { Parts } from '../parts.ts';
import { type Workspace, workspaceKinds } from '../store/workspaces.ts';
import { toIso } from '../time.ts';

export function routeWorkspaces(app: Hono<AccessEnv>, parts: Parts) {
  app.post(
    '/v1/bot/workspace/create',
    takes({
      ...target,
      name: v.optional(v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(200)), 'Workspace'),
      description: v.nullish(v.pipe(v.string(), v.maxLength(1_000)), null),
      purpose: v.optional(v.unknown()),
    }),
    async (c) => {
      const caller = c.get('caller');
      const input = c.get('input');
      const bot = requireBot(parts, caller, input);
      requireManager(caller);
      const kind = input.purpose === 'service' ? 'service' : 'dashboard';
      const most = parts.config.limits[`${kind}_workspaces`];
      if (parts.workspaces.countOf(bot.uuid, kind) >= most)
        throw new AgentError(403, 'plan_limit_reached', `The plan has ${most} ${kind} workspaces an agent.`);
      const { name, description } = input;
      const workspace = parts.workspaces.create(caller.projectId, bot.uuid, { name, description, kind });
      parts.events.record('workspace.created', { workspace_uuid: workspace.uuid });
      return c.json({ success: true, workspace: toWireWorkspace(workspace) }, 201);
    },
  );

  app.get(
    '/v1/bot/workspace/readall',
    takes({ ...target, ...paging, kind: v.optional(v.picklist(workspaceKinds)) }),
    async (c) => {
      const input = c.get('input');
      const bot = requireBot(parts, c.get('caller'), input);
      const page = readPage(input);
      const kinds = input.kind ? [input.kind] : (['dashboard', 'service'] as const);
      const { workspaces, total } = parts.workspaces.list(bot.uuid, kinds, page);
      return c.json({ workspaces: workspaces.map(toWireWorkspace), pagination: toPagination(page, total) });
    },
  );

  app.delete('/v1/bot/workspace/delete', takes({ ...target, workspace_uuid: v.string() }), async (c) => {
    const caller = c.get('caller');
    const input = c.get('input');
    const bot = requireBot(parts, caller, input);
    requireManager(caller);
    const workspace = parts.workspaces.find(caller.projectId, input.workspace_uuid);
    if (workspace?.bot_id !== bot.uuid)
      throw new AgentError(404, 'workspace_not_found', 'This agent has no such workspace.');
    if (workspace.is_default === 1)
      throw new AgentError(400, 'default_workspace', 'The default workspace cannot be deleted.');
    parts.workspaces.delete(workspace.uuid);
    return c.json({ success: true, message: 'The workspace was deleted.' });
  });
}

function toWireWorkspace({ uuid, name, description, kind, is_default, ...times }: Workspace) {
  return {
    uuid,
    name,
    description,
    kind,
    is_default: is_default === 1,
    created_at: toIso(times.created_at),
    updated_at: toIso(times.updated_at),
  };
}
