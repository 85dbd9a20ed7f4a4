/** What became of tasks: the log of their runs, and what it adds up to. */

import type { Hono } from 'hono';
import * as v from 'valibot';
import { type AccessEnv, requireBot, requireManager, requireStaff } from '../access.ts';
import { AgentError } from '../errors.ts';
import { paging, takes } from '../input.ts';
import { readPage, toPagination } from '../paging.ts';
import type { Parts } from '../parts.ts';
import type { TaskLog } from '../store/tasks.ts';
import { ofTask, ofTasks } from '../tasks/input.ts';
import { dayMs, toIso } from '../time.ts';
import { requireTask } from './tasks.ts';

const logsPerPage = 20;

/** A number, also as it reads in a query string. */
const numeric = (schema: v.GenericSchema<number>) =>
  v.pipe(
    v.union([v.number(), v.pipe(v.string(), v.regex(/^\d{1,15}$/, 'a whole number is needed'))]),
    v.transform(Number),
    schema,
  );

export function routeTaskLogs(app: Hono<AccessEnv>, parts: Parts) {
  const { tasks, config } = parts;
  const ofAll = { ...ofTasks, task_id: v.optional(ofTask.task_id) };

  app.get('/v1/bot/tasks/logs', takes({ ...ofAll, ...paging }), async (c) => {
    const input = c.get('input');
    const bot = requireBot(parts, c.get('caller'), input);
    requireStaff(c.get('caller'));
    const id = input.task_id === undefined ? undefined : requireTask(parts, bot, input.task_id).id;
    const page = readPage(input, logsPerPage);
    const { logs, total } = tasks.logs(bot.uuid, id, page);
    return c.json({ total, logs: logs.map(toWireLog), pagination: toPagination(page, total) });
  });

  app.delete(
    '/v1/bot/tasks/logs/delete',
    takes({ ...ofTasks, run_id: numeric(v.pipe(v.number(), v.integer())) }),
    async (c) => {
      const input = c.get('input');
      const bot = requireBot(parts, c.get('caller'), input);
      requireManager(c.get('caller'));
      if (!tasks.deleteLog(bot.uuid, input.run_id))
        throw new AgentError(404, 'log_not_found', 'This agent has no such run in its log.');
      return c.json({ success: true, message: 'The run was deleted from the log.' });
    },
  );

  app.get(
    '/v1/bot/tasks/stats',
    takes({
      ...ofAll,
      days: v.optional(numeric(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(365))), 30),
    }),
    async (c) => {
      const input = c.get('input');
      const bot = requireBot(parts, c.get('caller'), input);
      requireStaff(c.get('caller'));
      const task = input.task_id === undefined ? undefined : requireTask(parts, bot, input.task_id);
      const days = tasks.countByDay(bot.uuid, task?.id, config.now() - input.days * dayMs);
      const sum = (name: 'success' | 'error' | 'skipped' | 'credits') =>
        days.reduce((total, day) => total + day[name], 0);
      const [success, error] = [sum('success'), sum('error')];
      const total = success + error;
      return c.json({
        stats: {
          total_executions: total,
          success_count: success,
          error_count: error,
          skipped_count: sum('skipped'),
          success_rate: total === 0 ? 0 : (success / total) * 100,
          total_credits: sum('credits'),
          active_tasks: task ? Number(task.enabled) : tasks.countEnabled(bot.uuid),
          time_series: days
            .map((day) => ({
              date: day.date,
              total: day.success + day.error,
              success: day.success,
              error: day.error,
            }))
            .filter((day) => day.total > 0),
        },
      });
    },
  );
}

export function toWireLog({ id, task_uuid, status, reason, credits_used, created_at }: TaskLog) {
  return { id, task_uuid, status, reason, credits_used, created_at: toIso(created_at) };
}
