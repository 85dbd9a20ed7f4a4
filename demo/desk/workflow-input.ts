/** What a form of a workflow gives, as the API takes it. */

import type { Answer } from './api.ts';
import { readSchedule } from './schedule.tsx';
import { readSeveral } from './several.tsx';

type Raw = Record<string, string>;

/** @param before what is changed: of it stays as it was what nobody touched. Throws an Error for headers and JSON that are none */
export function readWorkflow(fields: Raw, before?: Answer): Record<string, unknown> {
  const { name, trigger_type, trigger_event } = fields;
  return {
    name,
    trigger_type,
    ...(trigger_type === 'event' && { trigger_event }),
    ...(trigger_type === 'schedule' && { trigger_config: readSchedule(fields, before?.trigger_config) }),
    conditions: readSeveral(fields, 'conditions', before?.conditions ?? []).map(([raw, one]) =>
      readFields(raw, one, String),
    ),
    actions: readSeveral(fields, 'actions', before?.actions ?? []).map(([raw, one]) =>
      readFields(raw, one?.type === raw.type ? one : undefined, (text, field) =>
        readActionField(text, field, raw.type),
      ),
    ),
  };
}

/** A text need not be what it came from: a number, a list, nothing at all. */
function readFields(raw: Raw, before: Answer | undefined, read: (text: string, field: string) => unknown) {
  const values = Object.entries(raw).map(([field, text]) => {
    const shown = before && toText(before[field], field);
    // A field of one line holds no line ends, and one of several but one kind of them.
    const isUntouched = [shown, shown?.replace(/[\r\n]/g, ''), shown?.replace(/\r\n?/g, '\n')].includes(text);
    return [field, isUntouched ? before[field] : read(text, field)] as const;
  });
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** @returns undefined: left out */
function readActionField(text: string, field: string, type: string | undefined): unknown {
  const isJson = field === 'body' && type === 'call_url';
  if (text === '' && (isJson || optionalFields.includes(field))) return undefined;
  if (isJson) return readJson(text);
  if (field === 'headers') return readHeaders(text);
  if (field !== 'tags') return text;
  return text
    .split(',')
    .map((tag) => tag.trim())
    .filter(Boolean);
}

function readHeaders(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const names = new Set<string>();
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value = ''] = /^\s*([^:\s]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
      if (!name) throw new Error(`Headers: “${line}” is not written as Name: value.`);
      if (names.has(name.toLowerCase())) throw new Error(`Headers: ${name} is there twice.`);
      names.add(name.toLowerCase());
      return [name, value];
    }),
  );
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('JSON: what is to be sent cannot be read as such. Texts stand in quotation marks.');
  }
}

/** Of actions, what may be left out. */
export const optionalFields: readonly string[] = ['headers', 'method', 'title', 'tags', 'chat_id'];

/** As it stands in its field. */
export function toText(value: unknown, field?: string): string {
  // As what is sent it is a value of JSON.
  if (value === undefined || (value === null && field !== 'body')) return '';
  if (field === 'tags') return (value as string[]).join(', ');
  if (field === 'headers')
    return Object.entries(value as object)
      .map(([name, one]) => `${name}: ${one}`)
      .join('\n');
  return typeof value === 'string' ? value : JSON.stringify(value, null, field === 'body' ? 2 : undefined);
}
