/** Quotes and tool results as markdown. */

import type { CitedSource } from '../store/messages.ts';
import { toCitedSource } from './answerer.ts';
import { type Quote, toPageKey } from './quote.ts';

/** Quotes grouped by page, each group with its citation marker. */
export function toQuotedAnswer(quotes: readonly Quote[]): { text: string; sources: CitedSource[] } {
  const pages = new Map<string, Quote[]>();
  for (const quote of quotes) {
    const key = toPageKey(quote.passage);
    pages.set(key, [...(pages.get(key) ?? []), quote]);
  }
  const sources: CitedSource[] = [];
  const parts = [...pages.values()].map((group, index) => {
    const number = index + 1;
    sources.push(toCitedSource(group[0]!.passage, number));
    const ordered = group.toSorted((a, b) => a.passage.id - b.passage.id || a.at - b.at);
    return toGroup(ordered, number);
  });
  return { text: parts.join('\n\n'), sources };
}

function toGroup(quotes: readonly Quote[], number: number): string {
  const marker = `[${number}]`;
  const blocks: string[] = [];
  const rows = quotes.filter(({ kind }) => kind === 'row');
  const sentences = quotes.filter(({ kind }) => kind === 'sentence');
  const items = quotes.filter(({ kind }) => kind === 'item');
  if (sentences.length > 0)
    blocks.push(`${sentences.map(({ text }) => escapeMarkdown(text)).join(' ')} ${marker}`);
  if (items.length === 1) blocks.push(`${escapeMarkdown(items[0]!.text)} ${marker}`);
  else if (items.length > 1)
    blocks.push(items.map(({ text }) => `- ${escapeMarkdown(text)} ${marker}`).join('\n'));
  for (const header of new Set(rows.map((row) => row.header ?? ''))) {
    const ofTable = rows.filter((row) => row.header === header);
    const { section, title } = ofTable[0]!.passage;
    const columns = header.split('|').length - 2;
    blocks.push(
      [
        `**${escapeMarkdown(section || title)}** ${marker}`,
        '',
        escapeMarkdown(header),
        `|${' --- |'.repeat(columns)}`,
        ...ofTable.map(({ text }) => escapeMarkdown(text)),
      ].join('\n'),
    );
  }
  return blocks.join('\n\n');
}

/** A page's text must not become markup: it is quoted as it reads. */
export function escapeMarkdown(text: string): string {
  return text
    .replace(/[\\`*_[\]<>~]/g, '\\$&')
    .replace(/^(#{1,6}|[-+])(?=\s)/, '\\$1')
    .replace(/^(\d+)([.)])(?=\s)/, '$1\\$2');
}

/** What the shop's order tool said. */
export function toOrderAnswer(orderNumber: string, ok: boolean, result: unknown): string {
  if (!ok) return toFailure(`I could not look up order **${escapeMarkdown(orderNumber)}**`, result);
  const order = toRecord(result);
  const status = typeof order.status === 'string' ? order.status : 'of unknown status';
  const { orderNumber: _number, status: _status, ...rest } = order;
  return [`Order **${escapeMarkdown(orderNumber)}** is **${escapeMarkdown(status)}**.`, toList(rest)]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** What the shop's stock tool said. */
export function toStockAnswer(asked: string, result: unknown): string {
  const stock = toRecord(result);
  const product = typeof stock.product === 'string' ? stock.product : asked;
  const { product: _product, inStock, ...rest } = stock;
  return [
    `**${escapeMarkdown(product)}** is ${inStock === true ? 'in stock' : 'not in stock'}.`,
    toList(rest),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** A tool that this answerer has no words for: its result as a list. */
export function toToolAnswer(title: string, ok: boolean, result: unknown): string {
  if (!ok) return toFailure(`**${escapeMarkdown(title)}** failed`, result);
  const list = toList(toRecord(result));
  return list === ''
    ? `**${escapeMarkdown(title)}**: ${toText(result)}`
    : `**${escapeMarkdown(title)}**\n\n${list}`;
}

function toFailure(start: string, result: unknown): string {
  const { error } = toRecord(result);
  return typeof error === 'string' ? `${start}: ${escapeMarkdown(error)}` : `${start}.`;
}

const labels: Readonly<Record<string, string>> = {
  trackingUrl: 'Tracking',
  eta: 'Expected',
  restockDate: 'Expected back',
};

function toList(record: Readonly<Record<string, unknown>>): string {
  return Object.entries(record)
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([name, value]) => `- ${labels[name] ?? toLabel(name)}: ${toText(value, name)}`)
    .join('\n');
}

/** "placedOn" to "Placed on", "priceUsd" to "Price". */
function toLabel(name: string): string {
  const words = name
    .replace(/Usd$/, '')
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replaceAll('_', ' ');
  return escapeMarkdown(words.charAt(0).toUpperCase() + words.slice(1));
}

function toText(value: unknown, name = ''): string {
  if (Array.isArray(value)) return value.map((each) => toText(each)).join(', ');
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
