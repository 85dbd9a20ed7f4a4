/** What a tool gave, in words that fit any tool: its result as a list. */

import type { Decision } from '../answer/answerer.ts';
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

export function toResultText({ title, parameters }: Called, { ok, result }: Outcome): string {
  const [asked = ''] = Object.values(parameters).filter((value) => typeof value === 'string') as string[];
  const what = asked === '' ? title : `${title}: ${asked}`;
  if (!ok) {
    const { error } = toRecord(result);
    const reason = typeof error === 'string' ? `: ${escapeMarkdown(error)}` : '.';
    return `**${escapeMarkdown(what)}** could not be looked up${reason}`;
  }
  const { status, inStock, product, ...rest } = toRecord(result);
  const name = `**${escapeMarkdown(typeof product === 'string' ? product : asked || title)}**`;
  if (typeof status === 'string')
    return joinParts(`${name} is **${escapeMarkdown(status)}**.`, toList(rest, asked));
  if (typeof inStock === 'boolean')
    return joinParts(`${name}: ${inStock ? 'in stock' : 'not in stock'}.`, toList(rest, asked));
  const list = toList(toRecord(result), asked);
  return list === ''
    ? `**${escapeMarkdown(what)}**: ${toText(result)}`
    : `**${escapeMarkdown(what)}**\n\n${list}`;
}

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
  if (typeof value === 'string' && /^https?:\/\/[^\s<>]+$/.test(value)) return `<${value}>`;
  if (typeof value !== 'object' || value === null) return escapeMarkdown(String(value));
  const { name: item, quantity, size } = value as Record<string, unknown>;
  if (typeof item === 'string') {
    const count = typeof quantity === 'number' ? `${quantity} × ` : '';
    return `${count}${escapeMarkdown(item)}${typeof size === 'string' ? ` (${escapeMarkdown(size)})` : ''}`;
  }
  return Object.entries(value)
    .map(([each, inner]) => `${escapeMarkdown(each)} ${toText(inner, each)}`)
    .join(', ');
}

function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
