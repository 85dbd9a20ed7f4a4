/** The settings of an agent as fields of a form: what stands in them, and what the API takes. */

import type { Answer } from '../api.ts';

/** What stands in a field: a text, or whether it is on. */
export type Raw = string | boolean;
/** Of the fields that were touched, by name. */
export type Draft = Readonly<Record<string, Raw>>;

export interface Field {
  name: string;
  label: string;
  kind: 'line' | 'area' | 'lines' | 'color' | 'number' | 'switch' | 'choice';
  group: 'agent' | 'chat' | 'more';
  isBranding?: true;
  /** Characters, or the largest number. */
  most?: number;
  isRequired?: true;
  /** Of no effect without this one. */
  beside?: string;
  choices?: Readonly<Record<string, string>>;
}

const chat = { group: 'chat', isBranding: true } as const;
export const fields: readonly Field[] = [
  { name: 'name', label: 'Name', kind: 'line', group: 'agent', most: 100, isRequired: true },
  { name: 'instruction', label: 'Instruction', kind: 'area', group: 'agent', most: 20_000 },
  { name: 'status', label: 'Answers', kind: 'switch', group: 'agent' },
  { name: 'require_login', label: 'Answers signed-in visitors only', kind: 'switch', group: 'agent' },
  { ...chat, name: 'accent_color', label: 'Colour', kind: 'color' },
  {
    ...chat,
    name: 'theme',
    label: 'Theme',
    kind: 'choice',
    choices: { light: 'as the visitor has it', dark: 'always dark' },
  },
  { ...chat, name: 'tagline', label: 'Tagline', kind: 'line', most: 300 },
  { ...chat, name: 'placeholder', label: 'Text in the empty field', kind: 'line', most: 200 },
  { ...chat, name: 'message_greetings', label: 'Greetings, one a line', kind: 'lines' },
  { ...chat, name: 'conversation_starters', label: 'Starters, one a line', kind: 'lines' },
  {
    name: 'memory',
    label: 'Answers from its sources, and remembers its visitors',
    kind: 'switch',
    group: 'more',
  },
  {
    name: 'reasoning_type',
    label: 'Thinks',
    kind: 'choice',
    group: 'more',
    choices: { auto: 'as the question needs', standard: 'in one pass', agent: 'in steps' },
  },
  {
    name: 'no_answer_reply',
    label: 'What it says where it knows no answer',
    kind: 'area',
    group: 'more',
    most: 2_000,
  },
  {
    name: 'top',
    label: 'Passages it reads for an answer',
    kind: 'number',
    group: 'more',
    most: 50,
    isRequired: true,
  },
  { name: 'max_reply_tokens', label: 'Longest answer, in tokens', kind: 'number', group: 'more' },
  {
    name: 'ratelimit_requests',
    label: 'A visitor may ask so often',
    kind: 'number',
    group: 'more',
    beside: 'ratelimit_seconds',
  },
  {
    name: 'ratelimit_seconds',
    label: 'in so many seconds',
    kind: 'number',
    group: 'more',
    beside: 'ratelimit_requests',
  },
  {
    name: 'ratelimit_message',
    label: 'What is said to who asks more often',
    kind: 'line',
    group: 'more',
    most: 500,
  },
];

/** What stands in the field of an agent as it is. */
export function toRaw({ name, kind, isBranding }: Field, bot: Answer): Raw {
  const value = (isBranding ? bot.branding : bot)[name];
  if (kind === 'switch') return value === true || value === 1;
  if (kind === 'lines') return value.join('\n');
  return String(value ?? '');
}

/** As `bot/update` takes it. What is empty is put back to what it is by default. */
export function toChanges(draft: Draft): Record<string, unknown> & { branding?: object } {
  const ofKind = (isBranding: boolean) =>
    Object.fromEntries(
      fields
        .filter((field) => (field.isBranding ?? false) === isBranding && draft[field.name] !== undefined)
        .map((field) => [field.name, toValue(field, draft[field.name]!)]),
    );
  const branding = ofKind(true);
  return { ...ofKind(false), ...(Object.keys(branding).length > 0 && { branding }) };
}

function toValue({ name, kind, isBranding }: Field, raw: Raw): unknown {
  if (name === 'status') return raw ? 1 : 0;
  if (typeof raw === 'boolean') return raw;
  if (kind === 'lines')
    return raw
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  if (raw.trim() === '') return isBranding ? '' : null;
  return kind === 'number' ? Number(raw) : raw;
}
