/** Units as markdown, each page with its citation. */

import { toCitedSource } from '../answer/answerer.ts';
import type { FoundPassage } from '../retrieval/search.ts';
import { toShortTitle } from '../retrieval/title.ts';
import type { CitedSource } from '../store/messages.ts';
import type { Comparison } from './compare.ts';
import { toThing, type Unit } from './units.ts';

export interface Said {
  text: string;
  sources: CitedSource[];
}

/** A page's text must not become markup: it is quoted as it reads. */
export function escapeMarkdown(text: string): string {
  return text
    .replace(/[\\`*_[\]<>~]/g, '\\$&')
    .replace(/^(#{1,6}|[-+])(?=\s)/, '\\$1')
    .replace(/^(\d+)([.)])(?=\s)/, '$1\\$2');
}

function createCiting() {
  const pages = new Map<string, CitedSource>();
  return {
    mark(passage: FoundPassage): string {
      const key = passage.url ?? passage.source_id;
      const known = pages.get(key) ?? toCitedSource(passage, pages.size + 1);
      pages.set(key, known);
      return `[${known.citation_number}]`;
    },
    sources: () => [...pages.values()],
  };
}

/** In the order given: what matters most comes first. */
export function sayUnits(units: readonly Unit[]): Said {
  const citing = createCiting();
  const blocks: string[] = [];
  let at = 0;
  while (at < units.length) {
    const unit = units[at]!;
    const group = [unit];
    while (at + group.length < units.length && belongsTogether(unit, units[at + group.length]!))
      group.push(units[at + group.length]!);
    blocks.push(sayGroup(group, citing.mark(unit.passage)));
    at += group.length;
  }
  return { text: blocks.join('\n\n'), sources: citing.sources() };
}

function belongsTogether(a: Unit, b: Unit): boolean {
  if (a.kind !== b.kind || (a.passage.url ?? a.passage.source_id) !== (b.passage.url ?? b.passage.source_id))
    return false;
  return (
    a.kind === 'sentence' ||
    a.kind === 'item' ||
    (a.kind === 'row' && a.cells!.table.header.join() === b.cells!.table.header.join())
  );
}

const denial = /\b(not|never|without|except|exclud\w+|cannot)\b|n[’']t\b/i;

function sayGroup(group: readonly Unit[], mark: string): string {
  const unit = group[0]!;
  const escaped = group.map(({ text }) => escapeMarkdown(text));
  switch (unit.kind) {
    case 'sentence':
      return `${escaped.join(' ')} ${mark}`;
    case 'item': {
      // "your cat eats nothing" says little without what it stands under, and what is not covered says the opposite.
      const section = unit.passage.section.split(' › ').at(-1) ?? '';
      const heading = /^[a-z]|[^.!?]$/.test(unit.text) || denial.test(section) ? section : undefined;
      const above = unit.lead || (heading ? `${heading}:` : '');
      const lead = above === '' ? '' : `${escapeMarkdown(above)}\n\n`;
      return group.length === 1 && lead === ''
        ? `${escaped[0]} ${mark}`
        : `${lead}${escaped.map((text) => `- ${text}`).join('\n')} ${mark}`;
    }
    case 'attribute':
      return `${sayAttribute(unit)} ${mark}`;
    case 'row': {
      const { table } = unit.cells!;
      return sayTable(
        unit.passage,
        table.caption,
        table.header,
        group.map(({ cells }) => cells!.row),
        mark,
      );
    }
    case 'steps': {
      const isNumbered = unit.passage.content.includes(`1. ${unit.lines![0]}`);
      const lines = unit.lines!.map(
        (text, index) => `${isNumbered ? `${index + 1}.` : '-'} ${escapeMarkdown(text)}`,
      );
      const lead = unit.text === '' ? `**${escapeMarkdown(unit.subject)}**` : escapeMarkdown(unit.text);
      return `${lead} ${mark}\n\n${lines.join('\n')}`;
    }
  }
}

function sayAttribute(unit: Unit): string {
  const { attribute, text } = unit;
  const thing = toThing(unit);
  const value = /[.!?]$/.test(text) ? text : `${text}.`;
  const name = attribute ? `, ${attribute.charAt(0).toLowerCase()}${attribute.slice(1)}` : '';
  return `**${escapeMarkdown(thing)}**${escapeMarkdown(name)}: ${escapeMarkdown(value)}`;
}

function sayTable(
  passage: FoundPassage,
  caption: string,
  header: readonly string[],
  rows: readonly (readonly string[])[],
  mark: string,
): string {
  const shown = [...new Map(rows.map((row) => [row.join('|'), row])).values()];
  const top = header.length > 0 ? header : Array.from({ length: rows[0]?.length ?? 1 }, () => '');
  const name = caption || passage.section.split(' › ').at(-1) || toShortTitle(passage.title);
  return `**${escapeMarkdown(name)}** ${mark}\n\n${toTable(top, shown)}`;
}

function toTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const toRow = (cells: readonly string[]) => `| ${cells.map(escapeMarkdown).join(' | ')} |`;
  return [toRow(header), `|${' --- |'.repeat(header.length)}`, ...rows.map(toRow)].join('\n');
}

export function sayComparison({ summary, header, rows, units }: Comparison): Said {
  const citing = createCiting();
  for (const { passage } of units) citing.mark(passage);
  const marks = citing
    .sources()
    .map(({ citation_number }) => `[${citation_number}]`)
    .join('');
  const table = toTable(header, rows);
  const lead = summary
    ? `${summary.word ? `The ${escapeMarkdown(summary.word)} is ` : ''}**${escapeMarkdown(summary.thing)}**: ${escapeMarkdown(summary.value.replace(/\.$/, ''))}. ${marks}`
    : `${header.length > 2 ? 'Side by side' : 'The site has'}: ${marks}`;
  return { text: `${lead}\n\n${table}`, sources: citing.sources() };
}
