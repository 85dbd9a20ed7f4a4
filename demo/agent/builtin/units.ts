/** Passages as units that can answer: sentences, items, attributes of a thing, table rows, lists of steps. */

import { isRule, toSentences } from '../retrieval/chunk.ts';
import type { FoundPassage } from '../retrieval/search.ts';
import { toShortTitle } from '../retrieval/title.ts';
import { toStems } from '../retrieval/words.ts';

export interface Table {
  caption: string;
  header: readonly string[];
  rows: readonly (readonly string[])[];
}

export interface Unit {
  passage: FoundPassage;
  kind: 'sentence' | 'item' | 'attribute' | 'row' | 'steps';
  /** As the page has it, without list marks. */
  text: string;
  /** What it is about: a row's name, else the nearest heading, else the page. */
  subject: string;
  /** Of an attribute: its name; `text` is its value. */
  attribute?: string;
  /** Of a row, or of an attribute that a row gives. */
  cells?: { table: Table; row: readonly string[]; column?: number };
  /** Of steps: one line each. */
  lines?: readonly string[];
  /** The words that lead into a list or table. */
  lead: string;
  /** Paragraph and place in the passage. */
  line: number;
  at: number;
  warns: boolean;
  own: ReadonlySet<string>;
  around: ReadonlySet<string>;
  /** The rest of its paragraph. */
  near: ReadonlySet<string>;
  page: ReadonlySet<string>;
}

type Found = Omit<Unit, 'passage' | 'own' | 'around' | 'near' | 'page' | 'warns' | 'at' | 'lead'> & {
  lead?: string;
};

const warning =
  /\b(never|do not|don[’']t|must not|may not|danger\w*|warning|caution|poison\w*|toxic|carbon monoxide|suffocat\w*|can kill|kills?|fatal|death|burns?|explo\w+|unsafe|emergency|at once|harm(s|ful)?|failure|only outdoors|outdoors only)\b/i;
const grave =
  /\b(carbon monoxide|outdoors only|only outdoors|kills?|fatal|death|poison\w*|toxic|danger\w*|suffocat\w*|explo\w+|emergency|never|failure|unsafe|harm(s|ful)?)\b/i;

const urgent = /\b(at once|immediately|emergenc\w+|do not wait)\b/i;

/** A home page has a bit of everything; the page on the matter says it in full. */
export function isHomePath(path: string): boolean {
  return /^\/(index\.html?)?$/.test(path);
}

/** What the unit is about, by its name. */
export function toThing({ subject, passage }: Pick<Unit, 'subject' | 'passage'>): string {
  return subject || toShortTitle(passage.title);
}

/** It stands where the site says what cannot wait. */
export function isUrgent({ passage }: Unit): boolean {
  return /\b(emergenc|poison|at once)/i.test(`${passage.title} ${passage.section}`);
}

export function isGrave(unit: Unit): boolean {
  if (unit.kind === 'item' && urgent.test(`${unit.lead} ${unit.passage.section.split(' › ').at(-1)}`))
    return true;
  return unit.warns && grave.test(`${unit.text} ${unit.lines?.join(' ') ?? ''} ${toHeader(unit)}`);
}

export function toUnits(passage: FoundPassage): Unit[] {
  const headings = passage.section.split(' › ').filter((part) => part !== '');
  const title = toShortTitle(passage.title);
  const thing = headings.at(-1) ?? title;
  const page = toStems(title);
  const lines = readLines(passage.content, thing);
  const paragraphs = new Map<number, Set<string>>();
  for (const { kind, line, text } of lines)
    if (kind === 'sentence')
      paragraphs.set(line, new Set([...(paragraphs.get(line) ?? []), ...toStems(text)]));
  return lines.map((unit, at): Unit => {
    const before = lines[at - 1];
    // "It does not pay for illness" is about what the sentence before speaks of.
    const isLinked = unit.kind === 'sentence' && before?.kind === 'sentence' && before.line === unit.line;
    const linked =
      isLinked && /^(It|They|This|These|Those|That|He|She|Both|Each|The price|The fee)\b/.test(unit.text)
        ? before.text
        : '';
    const isNamed = unit.subject !== thing || unit.kind === 'attribute';
    const named = [unit.attribute, isNamed ? unit.subject : '', unit.lines?.join(' ')];
    const around = [
      ...headings,
      linked,
      unit.cells?.table.caption,
      unit.kind === 'row' ? header(unit) : '',
      unit.lead,
    ];
    const text = [unit.text, ...(unit.lines ?? [])].join(' ');
    return {
      lead: '',
      ...unit,
      passage,
      at,
      warns: warning.test(`${text} ${unit.attribute ?? ''} ${unit.subject} ${toHeader(unit)}`),
      own: toStems([unit.text, ...named].filter(Boolean).join(' ')),
      near: paragraphs.get(unit.line) ?? none,
      around: toStems(around.filter(Boolean).join(' ')),
      page,
    };
  });
}

const none: ReadonlySet<string> = new Set();

const header = (unit: Found) => unit.cells?.table.header.join(' ') ?? '';

/** Each row of a table of poisons is a warning. */
function toHeader({ kind, cells }: Pick<Unit, 'kind' | 'cells'>): string {
  return kind === 'row' && cells ? `${cells.table.caption} ${cells.table.header.join(' ')}` : '';
}

function readLines(content: string, thing: string): Found[] {
  const units: Found[] = [];
  const lines = content.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at]!;
    const before = lines[at - 1] ?? '';
    const lead = isMarked(before) || /[.!?]$/.test(before) ? '' : before;
    if (line.startsWith('| ')) {
      const { table, end } = readTable(lines, at, lead);
      units.push(...toRowUnits(table, at));
      at = end;
    } else if (/^1\. /.test(line)) {
      const steps = takeWhile(lines, at, (each) => /^\d+\. /.test(each)).map((each) =>
        each.replace(/^\d+\. /, ''),
      );
      units.push({ kind: 'steps', text: lead, subject: thing, lines: steps, line: at });
      units.push(...steps.map((text): Found => ({ kind: 'item', text, subject: thing, line: at, lead })));
      at += steps.length - 1;
    } else if (line.startsWith('- ')) {
      const items = takeWhile(lines, at, (each) => each.startsWith('- ')).map((each) => each.slice(2));
      units.push(...items.flatMap((text) => toItemUnits(text, thing, at, lead)));
      if (items.length > 1 && !items.every((text) => readPair(text)))
        units.push({ kind: 'steps', text: lead, subject: thing, lines: items, line: at });
      at += items.length - 1;
    } else if (/^[$€£]\s?\d[\d.,]*$/.test(line.trim()))
      units.push({ kind: 'attribute', text: line.trim(), subject: thing, attribute: 'Price', line: at });
    else
      for (const text of toSentences(line)) units.push({ kind: 'sentence', text, subject: thing, line: at });
  }
  return units;
}

const isMarked = (line: string) => /^(- |\| |\|-|\d+\. )/.test(line);

function takeWhile(lines: readonly string[], from: number, test: (line: string) => boolean): string[] {
  const end = lines.findIndex((line, index) => index >= from && !test(line));
  return lines.slice(from, end < 0 ? undefined : end);
}

function toItemUnits(text: string, thing: string, line: number, lead: string): Found[] {
  const pair = readPair(text);
  if (!pair) return [{ kind: 'item', text, subject: thing, line, lead }];
  return [{ kind: 'attribute', text: pair.value, attribute: pair.name, subject: thing, line, lead }];
}

function readPair(text: string): { name: string; value: string } | undefined {
  const [, name, value] = /^((?:[^:.!?]|:(?=\S)){2,60}): (\S.*)$/.exec(text) ?? [];
  return name !== undefined && value !== undefined ? { name, value } : undefined;
}

function readTable(lines: readonly string[], from: number, lead: string): { table: Table; end: number } {
  const block = takeWhile(lines, from, (line) => line.startsWith('|'));
  const hasHeader = isRule(block[1] ?? '');
  const rows = block.filter((line) => !isRule(line)).map(toCells);
  const table = {
    caption: /[.!?]$/.test(lead) ? '' : lead,
    header: hasHeader ? rows[0]! : [],
    rows: hasHeader ? rows.slice(1) : rows,
  };
  return { table, end: from + block.length - 1 };
}

const toCells = (line: string) =>
  line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());

/** The whole row, and each of its cells as an attribute of the row's name; of a table of properties, of the page's thing. */
function toRowUnits(table: Table, line: number): Found[] {
  const isOfProperties =
    table.header.length === 0 || /^(value|details?|answer)$/i.test(table.header[1] ?? '');
  return table.rows.flatMap((row): Found[] => {
    const name = row[0] ?? '';
    if (isOfProperties && row.length === 2)
      return [
        {
          kind: 'attribute',
          text: row[1]!,
          attribute: name,
          subject: '',
          line,
          cells: { table, row, column: 1 },
        },
      ];
    const cells = row.slice(1).map(
      (text, index): Found => ({
        kind: 'attribute',
        text,
        attribute: table.header[index + 1] ?? '',
        subject: toRowName(table, row, index + 1),
        line,
        cells: { table, row, column: index + 1 },
      }),
    );
    return [{ kind: 'row', text: row.join(', '), subject: name, line, cells: { table, row } }, ...cells];
  });
}

/** Where several rows have the same first cell ("Dog"), the next one belongs to the name. */
function toRowName(table: Table, row: readonly string[], column: number): string {
  const isShared = table.rows.filter((each) => each[0] === row[0]).length > 1;
  return isShared && column > 1 ? `${row[0]}, ${row[1]}` : (row[0] ?? '');
}
