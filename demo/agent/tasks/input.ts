/** What a task is made and changed with, as it is sent. */

import * as v from 'valibot';
import { AgentError } from '../errors.ts';
import { chatId, flag, target, toSent } from '../input.ts';
import { isTime, type Schedule, type ScheduleConfig, scheduleTypes, timePattern } from './schedule.ts';

/** Heartbeats became tasks. */
export const ofTasks = {
  heartbeat_id: v.optional(
    v.pipe(
      v.unknown(),
      v.check(() => false, 'heartbeats became tasks, use task_id'),
    ),
  ),
  ...target,
};
export const taskId = v.pipe(v.string(), v.minLength(1), v.maxLength(200));
export const ofTask = { ...ofTasks, task_id: taskId };

const hours = v.optional(v.nullable(v.pipe(v.string(), v.regex(timePattern, 'HH:MM is needed'))));
const whole = (least: number, most: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(most));

export const settings = {
  name: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(200))),
  description: v.optional(v.nullable(v.pipe(v.string(), v.maxLength(2_000)))),
  schedule_type: v.optional(v.picklist(scheduleTypes)),
  schedule_config: v.optional(
    v.pipe(
      v.unknown(),
      v.check((config) => !Array.isArray(config), 'an object is needed'),
      v.record(v.string(), v.unknown()),
    ),
  ),
  cron_pattern: v.optional(v.string()),
  timezone: v.optional(v.pipe(v.string(), v.maxLength(100))),
  active_hours_start: hours,
  active_hours_end: hours,
  max_executions: v.optional(v.nullable(whole(1, Number.MAX_SAFE_INTEGER))),
  max_consecutive_errors: v.optional(whole(1, 100)),
  enabled: v.optional(flag),
  chat_id: v.optional(v.nullable(chatId)),
  chat_mode: v.optional(v.picklist(['ask', 'edit', 'plan'])),
};
export const prompt = v.pipe(v.string(), v.regex(/\S/, 'words are needed'), v.maxLength(20_000));
export type Settings = v.InferOutput<v.ObjectSchema<typeof settings, undefined>>;

/** What changes by being sent, without what has a meaning of its own. */
export function toPlain(input: Settings & { prompt?: string | undefined }) {
  const { name, description, active_hours_start, active_hours_end } = input;
  const { max_executions, max_consecutive_errors, chat_id, chat_mode } = input;
  const sent = {
    prompt: input.prompt,
    name,
    description,
    active_hours_start,
    active_hours_end,
    max_executions,
    max_consecutive_errors,
    chat_id,
    chat_mode,
  };
  return toSent(sent);
}

/** 400 where a cron pattern stands beside another kind of schedule. */
export function mergeSchedule(before: Schedule, input: Settings): Schedule {
  const { schedule_type: type, schedule_config: given, cron_pattern: pattern } = input;
  const timezone = input.timezone ?? before.timezone;
  if (pattern === undefined)
    return {
      schedule_type: type ?? before.schedule_type,
      schedule_config: { ...before.schedule_config, ...(given as ScheduleConfig) },
      timezone,
    };
  if (type !== undefined && type !== 'cron')
    throw new AgentError(400, 'invalid_parameters', 'cron_pattern: it needs schedule_type cron, or none.');
  return { schedule_type: 'cron', schedule_config: { cron: pattern }, timezone };
}

/** 400 where the config is of a kind that is not named: a task of another kind would come of it. */
export function requireInterval(config: object) {
  const other = ['scheduled_at', 'time', 'day', 'day_of_month', 'cron'].find((key) => key in config);
  if (other !== undefined)
    throw new AgentError(400, 'invalid_parameters', `schedule_type: schedule_config.${other} needs it.`);
}

export function requireBothHours(hours: Pick<Settings, 'active_hours_start' | 'active_hours_end'>) {
  if ((hours.active_hours_start ?? null) === null && (hours.active_hours_end ?? null) === null) return;
  for (const name of ['active_hours_start', 'active_hours_end'] as const)
    if (!isTime(hours[name])) throw new AgentError(400, 'invalid_parameters', `${name}: HH:MM is needed.`);
}
