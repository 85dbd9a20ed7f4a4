/** What a tool gave, in words that fit any tool: its result as a list. */

import type { Decision } from '../answer/answerer.ts';
import { toWords } from '../retrieval/words.ts';
import type { PauseRecord } from '../store/pauses.ts';
import { escapeMarkdown } from './say.ts';

type Called = Pick<PauseRecord['tool'], 'name' | 'title' | 'parameters'>;
type Outcome = Pick<Extract<Decision, { kind: 'result' }>, 'ok' | 'result'>;

export function toDenied({ name }: Called): string {
  return name === 'ask_user'
    ? 'All right. Ask me something else whenever you like.'
    : 'All right, I did not do that.';
}

export const lookUp = 'I can look that up.';

/** @param names of what the visitor has to say first */
export function toMissing(names: readonly string[]): string {
  const wanted = names.map((name) => name.charAt(0).toLowerCase() + name.slice(1));
  return `${lookUp} Send me the ${wanted.join(' and the ')}${names.length > 1 ? ', in one message' : ''}.`;
}

/** @param asked the visitor's words: of several sizes the one that they name is told first */
export function toResultText({ title, parameters }: Called, { ok, result }: Outcome, asked = ''): string {
  const [given = ''] = Object.values(parameters).filter((value) => typeof value === 'string') as string[];
  const what = given === '' ? title : `${title}: ${given}`;
  if (!ok) {
    const { error } = toRecord(result);
    const reason = typeof error === 'string' ? `: ${escapeMarkdown(error)}` : '.';
    return `**${escapeMarkdown(what)}** could not be looked up${reason}`;
  }
  const { status, inStock, product, ...rest } = toRecord(result);
  const name = `**${escapeMarkdown(typeof product === 'string' ? product : given || title)}**`;
  if (typeof status === 'string')
    return joinParts(`${name} is **${escapeMarkdown(status)}**.`, toList(rest, given));
  if (typeof inStock === 'boolean') {
    const one = findNamed(rest, asked);
    const what = one ? `${name}, ${escapeMarkdown(one.key)}` : name;
    return joinParts(
      `${what}: ${(one?.isThere ?? inStock) ? 'in stock' : 'not in stock'}.`,
      toList(rest, given),
    );
  }
  const list = toList(toRecord(result), given);
  return list === ''
    ? `**${escapeMarkdown(what)}**: ${toText(result)}`
    : `**${escapeMarkdown(what)}**\n\n${list}`;
}

/** "Women’s", "women's" and "womens" are one. */
const plainly = (text: string) => text.replace(/['’]/g, '');

/** Of counts by name, such as sizes, the one that is asked for: "women's 9". */
function findNamed(record: Readonly<Record<string, unknown>>, asked: string) {
  const said = new Set(toWords(plainly(asked)));
  const counts = Object.values(record).flatMap((value) => Object.entries(toRecord(value)));
  const named = counts.filter(
    ([key, count]) => typeof count === 'number' && toWords(plainly(key)).every((word) => said.has(word)),
  );
  const [key, count] = named.sort(([a], [b]) => b.length - a.length)[0] ?? [];
  return key === undefined ? undefined : { key, isThere: Number(count) > 0 };
}

const days = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' });

function joinParts(...parts: string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}

/** Without what was asked by: the visitor has just said it. */
function toList(record: Readonly<Record<string, unknown>>, asked: string): string {
  return Object.entries(record)
    .filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== asked)
    .map(([name, value]) => `- ${toLabel(name)}: ${toText(value, name)}`)
    .join('\n');
}

const labels: Readonly<Record<string, string>> = { eta: 'Expected', id: 'ID' };

/** "placedOn" to "Placed on", "priceUsd" to "Price". */
function toLabel(name: string): string {
  if (Object.hasOwn(labels, name)) return labels[name]!;
  const words = name
    .replace(/(Usd|Url)$/, '')
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replaceAll('_', ' ');
  return escapeMarkdown(words.charAt(0).toUpperCase() + words.slice(1));
}

function toText(value: unknown, name = ''): string {
  if (Array.isArray(value)) return value.map((each) => toText(each)).join(', ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number' && name.endsWith('Usd')) return `$${value}`;
  if (typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value)))
    return days.format(new Date(value));
  if (typeof value === 'string' && /^https?:\/\/[^\s<>]+$/.test(value)) return `<${value}>`;
  if (typeof value !== 'object' || value === null) return escapeMarkdown(String(value));
  const { name: item, quantity, size } = value as Record<string, unknown>;
  if (typeof item === 'string') {
    const count = typeof quantity === 'number' ? `${quantity} × ` : '';
    return `${count}${escapeMarkdown(item)}${typeof size === 'string' ? ` (${escapeMarkdown(size)})` : ''}`;
  }
  return Object.entries(value)
    .map(([each, inner]) => `${escapeMarkdown(each)}: ${toText(inner, each)}`)
    .join(', ');
}

function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
