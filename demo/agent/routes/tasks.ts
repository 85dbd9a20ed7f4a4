/** Tasks: create, read, readall, update, enable, disable, trigger, delete; and those of a conversation. */

import type { Hono } from 'hono';
import * as v from 'valibot';
import { type AccessEnv, requireBot, requireManager, requireStaff } from '../access.ts';
import { AgentError } from '../errors.ts';
import { chatId, paging, takes, target } from '../input.ts';
import { readPage, toPagination } from '../paging.ts';
import type { Parts } from '../parts.ts';
import type { Bot } from '../store/bots.ts';
import type { Task, TaskChanges, TaskSettings } from '../store/tasks.ts';
import {
  mergeSchedule,
  ofTask,
  ofTasks,
  prompt,
  requireBothHours,
  requireInterval,
  settings,
  toPlain,
} from '../tasks/input.ts';
import { endOf } from '../tasks/runner.ts';
import { isSameSchedule, nextSlot, readSchedule, type Schedule } from '../tasks/schedule.ts';
import { toIso, toIsoOrNull } from '../time.ts';
import { toWireLog } from './tasklogs.ts';

const tasksPerPage = 50;
const nameLength = 60;
const off = { enabled: false, next_run_at: null };

export function requireTask({ tasks }: Pick<Parts, 'tasks'>, bot: Bot, uuid: string): Task {
  const task = tasks.find(bot.uuid, uuid);
  if (!task) throw new AgentError(404, 'task_not_found', 'This agent has no such task.');
  return task;
}

export function routeTasks(app: Hono<AccessEnv>, parts: Parts) {
  const { tasks, taskRunner, config } = parts;
  const { limits, now } = config;
  /** Answers with the task as it is now, and looks when the next is due. */
  const change = (task: Task, changes: TaskChanges) => {
    tasks.update(task.id, changes);
    taskRunner.wake();
    return { task: toWireTask(tasks.get(task.id)!) };
  };
  const enable = (task: Task & TaskSettings): TaskChanges => {
    if (task.max_executions !== null && task.execution_count >= task.max_executions)
      throw new AgentError(400, 'invalid_parameters', 'max_executions: this is reached, set a higher one.');
    const next = nextSlot(task, now(), now());
    if (next === undefined)
      throw new AgentError(400, 'invalid_schedule', 'scheduled_at: this has passed, set another one.');
    return { enabled: true, error_count: 0, paused_reason: null, anchor_at: now(), next_run_at: next };
  };

  app.post('/v1/bot/tasks/create', takes({ ...ofTasks, prompt, ...settings }), async (c) => {
    const input = c.get('input');
    const caller = c.get('caller');
    requireBothHours(input);
    const standard: Schedule = { schedule_type: 'interval', schedule_config: {}, timezone: 'UTC' };
    const isPlain = input.schedule_type === undefined && input.cron_pattern === undefined;
    const wanted = mergeSchedule(standard, input);
    if (isPlain) requireInterval(input.schedule_config ?? {});
    if (isPlain) wanted.schedule_config = { interval_minutes: 60, ...wanted.schedule_config };
    const schedule = readSchedule(wanted, now(), limits.min_task_interval_seconds);
    const bot = requireBot(parts, caller, input);
    requireManager(caller);
    if (limits.tasks_per_agent === 0) throw new AgentError(403, 'plan_required', 'Tasks need another plan.');
    if (tasks.count(bot.uuid) >= limits.tasks_per_agent)
      throw new AgentError(
        403,
        'plan_limit_reached',
        `The plan has ${limits.tasks_per_agent} tasks an agent.`,
      );
    const enabled = input.enabled ?? true;
    const task = tasks.create(bot.uuid, {
      ...schedule,
      name: input.name ?? [...input.prompt].slice(0, nameLength).join(''),
      description: input.description ?? null,
      prompt: input.prompt,
      enabled,
      chat_id: input.chat_id ?? null,
      chat_mode: input.chat_mode ?? 'ask',
      active_hours_start: input.active_hours_start ?? null,
      active_hours_end: input.active_hours_end ?? null,
      max_executions: input.max_executions ?? null,
      max_consecutive_errors: input.max_consecutive_errors ?? 5,
      anchor_at: now(),
      next_run_at: enabled ? (nextSlot(schedule, now(), now()) ?? null) : null,
    });
    parts.events.record('task.created', { task_id: task.uuid, schedule_type: task.schedule_type });
    taskRunner.wake();
    return c.json({ task: toWireTask(task) }, 201);
  });

  app.get('/v1/bot/tasks/read', takes(ofTask), async (c) => {
    const bot = requireBot(parts, c.get('caller'), c.get('input'));
    requireStaff(c.get('caller'));
    return c.json({ task: toWireTask(requireTask(parts, bot, c.get('input').task_id)) });
  });

  app.get('/v1/bot/tasks/readall', takes({ ...ofTasks, ...paging }), async (c) => {
    const input = c.get('input');
    const bot = requireBot(parts, c.get('caller'), input);
    requireStaff(c.get('caller'));
    const page = readPage(input, tasksPerPage);
    const { tasks: found, total } = tasks.list(bot.uuid, page);
    return c.json({ tasks: found.map(toWireTask), pagination: toPagination(page, total) });
  });

  app.put(
    '/v1/bot/tasks/update',
    takes({ ...ofTask, prompt: v.optional(prompt), ...settings }),
    async (c) => {
      const input = c.get('input');
      const bot = requireBot(parts, c.get('caller'), input);
      requireManager(c.get('caller'));
      const task = requireTask(parts, bot, input.task_id);
      const merged = { ...task, ...toPlain(input) };
      requireBothHours(merged);
      const wanted = mergeSchedule(task, input);
      // A record that is sent back as it was read begins nothing anew, nor does what is no part of a schedule.
      const read = isSameSchedule(wanted, task)
        ? task
        : readSchedule(wanted, now(), limits.min_task_interval_seconds);
      const isRescheduled = !isSameSchedule(read, task);
      const schedule = isRescheduled ? read : {};
      const isEnabled = input.enabled ?? task.enabled;
      const isBegun = isEnabled && (isRescheduled || !task.enabled);
      return c.json(
        change(task, {
          ...toPlain(input),
          ...schedule,
          ...(isBegun
            ? { anchor_at: now(), next_run_at: nextSlot({ ...task, ...schedule }, now(), now()) ?? null }
            : {}),
          ...(isEnabled && !task.enabled ? enable({ ...merged, ...schedule }) : {}),
          ...(isEnabled
            ? (endOf({ ...merged, error_count: task.enabled ? task.error_count : 0 }) ?? {})
            : off),
        }),
      );
    },
  );

  app.post('/v1/bot/tasks/enable', takes(ofTask), async (c) => {
    const bot = requireBot(parts, c.get('caller'), c.get('input'));
    requireManager(c.get('caller'));
    const task = requireTask(parts, bot, c.get('input').task_id);
    return c.json(change(task, enable(task)));
  });

  app.post('/v1/bot/tasks/disable', takes(ofTask), async (c) => {
    const bot = requireBot(parts, c.get('caller'), c.get('input'));
    requireManager(c.get('caller'));
    const task = requireTask(parts, bot, c.get('input').task_id);
    return c.json(change(task, off));
  });

  app.post('/v1/bot/tasks/trigger', takes(ofTask), async (c) => {
    const bot = requireBot(parts, c.get('caller'), c.get('input'));
    requireStaff(c.get('caller'));
    const { result, log } = await taskRunner.trigger(bot, requireTask(parts, bot, c.get('input').task_id));
    return c.json({ result, log: log ? toWireLog(log) : null });
  });

  app.delete('/v1/bot/tasks/delete', takes(ofTask), async (c) => {
    const bot = requireBot(parts, c.get('caller'), c.get('input'));
    requireManager(c.get('caller'));
    tasks.delete(requireTask(parts, bot, c.get('input').task_id).id);
    return c.json({ success: true, message: 'The task was deleted.' });
  });

  // Of one conversation, which is everybody's who may chat: no list of the agent's tasks (S169).
  app.get('/v1/bot/chat/scheduled-tasks', takes({ ...target, chat_id: chatId }), async (c) => {
    const bot = requireBot(parts, c.get('caller'), c.get('input'));
    return c.json({ tasks: tasks.ofChat(bot.uuid, c.get('input').chat_id).map(toWireTask) });
  });

  app.put('/v1/bot/chat/scheduled-tasks/toggle', takes({ ...target, task_id: ofTask.task_id }), async (c) => {
    const bot = requireBot(parts, c.get('caller'), c.get('input'));
    requireManager(c.get('caller'));
    const task = requireTask(parts, bot, c.get('input').task_id);
    return c.json(change(task, task.enabled ? off : enable(task)));
  });
}

function toWireTask({ id: _id, anchor_at: _anchor, running_since: _running, ...task }: Task) {
  return {
    ...task,
    last_executed_at: toIsoOrNull(task.last_executed_at),
    next_run_at: toIsoOrNull(task.next_run_at),
    created_at: toIso(task.created_at),
    updated_at: toIso(task.updated_at),
  };
}
