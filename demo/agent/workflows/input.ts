/** What a workflow is made and changed with, as it is sent. */

import * as v from 'valibot';
import { AgentError } from '../errors.ts';
import { flag, target } from '../input.ts';
import { makeSecret, type TriggerConfig, type Workflow } from '../store/workflows.ts';
import { readSchedule, type ScheduleConfig, scheduleTypes } from '../tasks/schedule.ts';
import { action, condition, isTooDeep, triggerTypes, workflowEvents } from './catalog.ts';

export const ofWorkflow = { ...target, workflow_id: v.pipe(v.string(), v.minLength(1), v.maxLength(200)) };

export const object = v.pipe(
  v.unknown(),
  v.check((value) => !Array.isArray(value), 'an object is needed'),
  v.record(v.string(), v.unknown()),
  v.check((value) => !isTooDeep(value), 'fewer levels are needed'),
);

export const settings = {
  name: v.pipe(v.string(), v.minLength(1), v.maxLength(200)),
  description: v.optional(v.nullable(v.pipe(v.string(), v.maxLength(2_000)))),
  trigger_type: v.picklist(triggerTypes),
  trigger_event: v.optional(v.nullable(v.picklist(workflowEvents))),
  trigger_config: v.optional(v.nullable(object)),
  conditions: v.optional(v.nullable(v.pipe(v.array(condition), v.maxLength(50)))),
  actions: v.pipe(v.array(action), v.minLength(1, 'at least one is needed'), v.maxLength(20)),
  is_active: v.optional(flag),
};

type Trigger = Pick<Workflow, 'trigger_type' | 'trigger_event' | 'trigger_config'>;
interface SentTrigger {
  trigger_type?: Workflow['trigger_type'] | undefined;
  trigger_event?: Workflow['trigger_event'] | undefined;
  trigger_config?: Record<string, unknown> | null | undefined;
}

/** Of each kind its own, and nothing else. 400 where that is missing. @param before what it is now, if it is */
export function readTrigger(
  sent: SentTrigger,
  before: Trigger | undefined,
  now: number,
  minIntervalSeconds: number,
): Trigger {
  const trigger_type = sent.trigger_type ?? before!.trigger_type;
  const stays = trigger_type === before?.trigger_type;
  const trigger_event = sent.trigger_event === undefined && stays ? before.trigger_event : sent.trigger_event;
  if (trigger_type === 'event') {
    if (!trigger_event) refuse('trigger_event', `one of ${workflowEvents.join(', ')} is needed`);
    return { trigger_type, trigger_event: trigger_event!, trigger_config: {} };
  }
  const none = { trigger_type, trigger_event: null };
  if (trigger_type === 'manual') return { ...none, trigger_config: {} };
  const config = stays ? before.trigger_config : {};
  // A secret that is known elsewhere already would be none.
  if (trigger_type === 'webhook')
    return { ...none, trigger_config: { secret: config.secret ?? makeSecret() } };
  return {
    ...none,
    trigger_config: readScheduleOf(mergeConfig(config, sent.trigger_config), now, minIntervalSeconds),
  };
}

/** Of its hours and days only what is sent, as with tasks. */
function mergeConfig(before: TriggerConfig, sent: Record<string, unknown> | null | undefined) {
  const given = sent?.schedule_config;
  const schedule_config = v.is(object, given)
    ? { ...before.schedule_config, ...(given as ScheduleConfig) }
    : given;
  return { ...before, ...sent, ...(given === undefined ? {} : { schedule_config }) };
}

function readScheduleOf(config: TriggerConfig | Record<string, unknown>, now: number, minSeconds: number) {
  const { schedule_type, schedule_config = {}, timezone = 'UTC' } = config;
  const type = scheduleTypes.find((one) => one === schedule_type);
  if (!type) refuse('trigger_config', `schedule_type is one of ${scheduleTypes.join(', ')}`);
  if (typeof timezone !== 'string') refuse('trigger_config', 'timezone is a name of the IANA database');
  if (!v.is(object, schedule_config)) refuse('trigger_config', 'schedule_config is an object');
  const schedule = {
    schedule_type: type!,
    schedule_config: schedule_config as ScheduleConfig,
    timezone: timezone as string,
  };
  return readSchedule(schedule, now, minSeconds);
}

function refuse(field: string, what: string): never {
  throw new AgentError(400, 'invalid_parameters', `${field}: ${what}.`);
}
