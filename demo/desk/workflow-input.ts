/** What a form of a workflow gives, as the API takes it. */

import { readSchedule } from './schedule.tsx';
import { readSeveral } from './several.tsx';

/** Throws an Error for headers and JSON that are none. */
export function readWorkflow(fields: Record<string, string>): Record<string, unknown> {
  const { name, trigger_type, trigger_event } = fields;
  return {
    name,
    trigger_type,
    ...(trigger_type === 'event' && { trigger_event }),
    ...(trigger_type === 'schedule' && { trigger_config: readSchedule(fields) }),
    conditions: readSeveral(fields, 'conditions').map(({ value, ...condition }) => ({
      ...condition,
      ...(value !== '' && { value }),
    })),
    actions: readSeveral(fields, 'actions').map(readAction),
  };
}

function readAction({ headers, tags, body, ...action }: Record<string, string>): Record<string, unknown> {
  const filled = Object.entries(action).filter(
    ([field, value]) => value !== '' || !optionalFields.includes(field),
  );
  return {
    ...Object.fromEntries(filled),
    ...(headers && { headers: readHeaders(headers) }),
    ...(tags && {
      tags: tags
        .split(',')
        .map((tag) => tag.trim())
        .filter(Boolean),
    }),
    ...(body && { body: action.type === 'call_url' ? readJson(body) : body }),
  };
}

function readHeaders(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value = ''] = /^\s*([^:\s]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
      if (!name) throw new Error(`Headers: “${line}” is not written as Name: value.`);
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
  if (value === undefined || value === null) return '';
  if (field === 'tags') return (value as string[]).join(', ');
  if (field === 'headers')
    return Object.entries(value)
      .map(([name, one]) => `${name}: ${one}`)
      .join('\n');
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
