/** Workflows: catalog, create, read, readall, update, delete, run, logs; and what comes in from elsewhere. */

import { createHash, timingSafeEqual } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Hono } from 'hono';
import * as v from 'valibot';
import { type AccessEnv, requireBot, requireManager, requireStaff } from '../access.ts';
import { AgentError } from '../errors.ts';
import { paging, readBody, takes, target, toSent } from '../input.ts';
import { readPage, toPagination } from '../paging.ts';
import type { Parts } from '../parts.ts';
import type { Bot } from '../store/bots.ts';
import type { WorkflowLog } from '../store/workflowruns.ts';
import type { Workflow, WorkflowChanges } from '../store/workflows.ts';
import { nextSlot } from '../tasks/schedule.ts';
import { toIso, toIsoOrNull } from '../time.ts';
import { catalog } from '../workflows/catalog.ts';
import { object, ofWorkflow, readTrigger, settings } from '../workflows/input.ts';
import { asWorkflow, originHeader } from '../workflows/origin.ts';
import { scheduleOf } from '../workflows/runner.ts';

const workflowsPerPage = 50;
const logsPerPage = 20;

const notFound = () => new AgentError(404, 'workflow_not_found', 'This agent has no such workflow.');

export function routeWorkflows(app: Hono<AccessEnv>, parts: Parts) {
  const { workflows, workflowRunner, config } = parts;
  const { limits, now } = config;
  const requireWorkflow = (bot: Bot, uuid: string): Workflow => {
    const workflow = workflows.find(bot.uuid, uuid);
    if (!workflow) throw notFound();
    return workflow;
  };
  /** From now on: an interval counts from here. */
  const toSlots = (workflow: Pick<Workflow, 'trigger_type' | 'trigger_config' | 'is_active'>) => {
    const schedule = workflow.is_active ? scheduleOf(workflow) : undefined;
    return { anchor_at: now(), next_run_at: schedule ? (nextSlot(schedule, now(), now()) ?? null) : null };
  };

  app.get('/v1/bot/workflow/catalog', takes(target), async (c) => {
    requireBot(parts, c.get('caller'), c.get('input'));
    requireStaff(c.get('caller'));
    return c.json(catalog);
  });

  app.post('/v1/bot/workflow/create', takes({ ...target, ...settings }), async (c) => {
    const input = c.get('input');
    const trigger = readTrigger(input, undefined, now(), limits.min_task_interval_seconds);
    const bot = requireBot(parts, c.get('caller'), input);
    requireManager(c.get('caller'));
    if (workflows.count(bot.uuid) >= limits.workflows_per_agent)
      throw new AgentError(
        403,
        'plan_limit_reached',
        `The plan has ${limits.workflows_per_agent} workflows an agent.`,
      );
    const wanted = { ...trigger, is_active: input.is_active ?? true };
    const workflow = workflows.create(bot.uuid, {
      ...wanted,
      ...toSlots(wanted),
      name: input.name,
      description: input.description ?? null,
      conditions: input.conditions ?? [],
      actions: input.actions,
    });
    parts.events.record('workflow.created', { workflow_id: workflow.uuid, trigger: workflow.trigger_type });
    return c.json({ workflow: toWireWorkflow(workflow) }, 201);
  });

  app.put(
    '/v1/bot/workflow/update',
    takes({
      ...ofWorkflow,
      ...settings,
      name: v.optional(settings.name),
      trigger_type: v.optional(settings.trigger_type),
      actions: v.optional(settings.actions),
    }),
    async (c) => {
      const input = c.get('input');
      const bot = requireBot(parts, c.get('caller'), input);
      requireManager(c.get('caller'));
      const workflow = requireWorkflow(bot, input.workflow_id);
      const { name, description, conditions, actions, is_active = workflow.is_active } = input;
      const sent = { name, description, conditions: conditions === null ? [] : conditions, actions };
      const { trigger_type: type, trigger_event: event, trigger_config: config } = workflow;
      const wanted = {
        type: input.trigger_type ?? type,
        event: input.trigger_event === undefined ? event : input.trigger_event,
        config: { ...config, ...input.trigger_config },
      };
      // A record that is sent back as it was read begins nothing anew.
      const isRetriggered = !isDeepStrictEqual(wanted, { type, event, config });
      const isBegun = is_active && !workflow.is_active;
      const trigger =
        isRetriggered || isBegun
          ? readTrigger(input, workflow, now(), limits.min_task_interval_seconds)
          : workflow;
      const { trigger_type, trigger_event, trigger_config } = trigger;
      const changes: WorkflowChanges = {
        ...toSent(sent),
        ...{ trigger_type, trigger_event, trigger_config, is_active },
        ...(isRetriggered || is_active !== workflow.is_active
          ? toSlots({ trigger_type, trigger_config, is_active })
          : {}),
      };
      return c.json({ workflow: toWireWorkflow(workflows.change(workflow, changes)) });
    },
  );

  app.get('/v1/bot/workflow/readall', takes({ ...target, ...paging }), async (c) => {
    const input = c.get('input');
    const bot = requireBot(parts, c.get('caller'), input);
    requireStaff(c.get('caller'));
    const page = readPage(input, workflowsPerPage);
    const { workflows: found, total } = workflows.list(bot.uuid, page);
    return c.json({
      total,
      workflows: found.map(toWireWorkflow),
      limits: { max_workflows: limits.workflows_per_agent, used: total },
      pagination: toPagination(page, total),
    });
  });

  app.get('/v1/bot/workflow/read', takes(ofWorkflow), async (c) => {
    const bot = requireBot(parts, c.get('caller'), c.get('input'));
    requireStaff(c.get('caller'));
    return c.json({ workflow: toWireWorkflow(requireWorkflow(bot, c.get('input').workflow_id)) });
  });

  app.delete('/v1/bot/workflow/delete', takes(ofWorkflow), async (c) => {
    const bot = requireBot(parts, c.get('caller'), c.get('input'));
    requireManager(c.get('caller'));
    workflows.delete(requireWorkflow(bot, c.get('input').workflow_id).id);
    return c.json({ success: true, message: 'The workflow was deleted.' });
  });

  app.post('/v1/bot/workflow/run', takes({ ...ofWorkflow, payload: v.optional(object, {}) }), async (c) => {
    const bot = requireBot(parts, c.get('caller'), c.get('input'));
    requireStaff(c.get('caller'));
    const { workflow_id, payload } = c.get('input');
    return c.json({ result: await workflowRunner.run(requireWorkflow(bot, workflow_id), 'manual', payload) });
  });

  app.get('/v1/bot/workflow/logs', takes({ ...ofWorkflow, ...paging }), async (c) => {
    const input = c.get('input');
    const bot = requireBot(parts, c.get('caller'), input);
    requireStaff(c.get('caller'));
    const page = readPage(input, logsPerPage);
    const { logs, total } = parts.workflowRuns.logs(requireWorkflow(bot, input.workflow_id), page);
    return c.json({ total, logs: logs.map(toWireRun), pagination: toPagination(page, total) });
  });
}

/** Before the check of keys: the secret in the address is the key. */
export function routeIncoming(app: Hono<AccessEnv>, { workflows, workflowRunner }: Parts) {
  app.post('/v1/bot/workflow/incoming/:workflow_id/:secret', async (c) => {
    const { workflow_id, secret } = c.req.param();
    const workflow = workflows.findWebhook(workflow_id);
    if (!workflow || !isSame(secret, workflow.trigger_config.secret!)) throw notFound();
    const payload = await readBody(c);
    if (!v.is(object, payload))
      throw new AgentError(400, 'invalid_parameters', 'body: fewer levels are needed.');
    const run = () => workflowRunner.run(workflow, 'webhook', payload);
    const isLoop = c.req.header(originHeader) !== undefined;
    return c.json({ received: true, result: await (isLoop ? asWorkflow(run) : run()) });
  });
}

function isSame(a: string, b: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(a), hash(b));
}

function toWireWorkflow({ id: _id, anchor_at: _anchor, ...workflow }: Workflow) {
  return {
    ...workflow,
    status: workflow.is_active ? 'active' : 'inactive',
    last_run_at: toIsoOrNull(workflow.last_run_at),
    next_run_at: toIsoOrNull(workflow.next_run_at),
    created_at: toIso(workflow.created_at),
    updated_at: toIso(workflow.updated_at),
  };
}

function toWireRun({ trigger_type, created_at, ...log }: WorkflowLog) {
  return { ...log, trigger: trigger_type, created_at: toIso(created_at) };
}
