/** What a workflow is made of: triggers, conditions, actions. One table, which is shown and which checks. */

import * as v from 'valibot';
import { webhookEvents } from '../webhooks/events.ts';

export const triggerTypes = ['event', 'schedule', 'webhook', 'manual'] as const;
export type TriggerType = (typeof triggerTypes)[number];

export const workflowEvents = [...webhookEvents, 'chat.ended', 'email.received'] as const;
export type WorkflowEvent = (typeof workflowEvents)[number];

export const operators = ['equals', 'not_equals', 'contains', 'exists', 'greater_than', 'less_than'] as const;
export type Operator = (typeof operators)[number];

export interface Condition {
  /** A dotted path in the payload. */
  field: string;
  operator: Operator;
  value?: unknown;
}

const text = (most: number) => v.pipe(v.string(), v.minLength(1), v.maxLength(most));
const json = v.custom<unknown>((value) => !isTooDeep(value), 'fewer levels are needed');

const headers = v.pipe(
  v.unknown(),
  v.check((value) => !Array.isArray(value), 'an object is needed'),
  // The characters of a token, RFC 9110.
  v.record(
    v.pipe(text(200), v.regex(/^[\w!#$%&'*+.^`|~-]+$/, 'the name of a header is needed')),
    v.pipe(v.string(), v.maxLength(4_000)),
  ),
);

/** Their strings may hold `{{path}}`. */
export const action = v.variant('type', [
  v.object({
    type: v.literal('call_url'),
    url: text(4_000),
    method: v.optional(v.picklist(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']), 'POST'),
    headers: v.optional(headers, {}),
    body: v.optional(json),
  }),
  v.object({ type: v.literal('send_email'), to: text(1_000), subject: text(1_000), body: text(50_000) }),
  v.object({
    type: v.literal('add_memory'),
    title: v.optional(text(300), 'Text'),
    content: text(100_000),
    tags: v.optional(v.pipe(v.array(text(200)), v.maxLength(100)), []),
  }),
  v.object({ type: v.literal('start_chat'), message: text(20_000), chat_id: v.optional(text(200)) }),
]);
export type Action = v.InferOutput<typeof action>;
export type ActionType = Action['type'];

export const condition = v.object({
  field: text(500),
  operator: v.picklist(operators),
  value: v.optional(json),
});

/** As `workflow/catalog` shows it. */
export const catalog = {
  triggers: triggerTypes.map((type) => ({ type, events: type === 'event' ? [...workflowEvents] : [] })),
  actions: action.options.map(({ entries: { type, ...fields } }) => ({
    type: type.literal,
    fields: Object.keys(fields),
  })),
  operators: [...operators],
};

const mostLevels = 50;

/** What nests endlessly would end the stack of whatever walks it. */
export function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth < mostLevels; depth += 1) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
    if (level.length === 0) return false;
  }
  return true;
}
