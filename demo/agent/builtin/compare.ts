/** Comparisons and superlatives, computed over the attributes of things and shown as a small table. */

import { toStem, toStems } from '../retrieval/words.ts';
import { type Aspect, tells } from './aspects.ts';
import { readMeasures } from './measure.ts';
import type { Question } from './question.ts';
import { names } from './rank.ts';
import { withoutLonger } from './things.ts';
import { toThing, type Unit } from './units.ts';

export interface Comparison {
  /** A sentence in front of the table; empty when the rows speak for themselves. */
  summary: { thing: string; value: string; word: string } | undefined;
  header: readonly string[];
  rows: readonly (readonly string[])[];
  /** What the rows were taken from. */
  units: readonly Unit[];
}

interface Entry {
  thing: string;
  value: string;
  measure: number;
  unit: Unit;
}

const maxRows = 12;
/** "The heaviest thing you sell": of all there is. */
const ofAll = /^(things?|items?|products?|stuff|gear|goods|sell|sells|have|offer|stock)$/;

export function compareThings(question: Question, units: readonly Unit[]): Comparison | undefined {
  const { aspect, extreme, form } = question;
  if (form !== 'compare' && !extreme) return undefined;
  if (aspect?.dimension) {
    const cluster = findCluster(question, aspect, units);
    if (cluster) return toComparison(question, cluster);
  }
  return form === 'compare' && !extreme ? compareAll(question, units) : undefined;
}

/** The entries of one attribute on one page that fit the question best. */
function findCluster(question: Question, aspect: Aspect, units: readonly Unit[]) {
  const clusters = new Map<string, { attribute: string; entries: Entry[] }>();
  const add = (
    unit: Unit,
    attribute: string,
    thing: string,
    value: string,
    measure: number,
    where: unknown,
  ) => {
    const key = JSON.stringify([unit.passage.url, where, attribute]);
    const cluster = clusters.get(key) ?? { attribute, entries: [] };
    if (!cluster.entries.some((entry) => entry.thing === thing))
      cluster.entries.push({ thing, value, measure, unit });
    clusters.set(key, cluster);
  };
  for (const unit of units) {
    const measure = readMeasures(unit.text).find(({ dimension }) => dimension === aspect.dimension);
    if (!measure) continue;
    if (unit.attribute === undefined) {
      // "The comfort rating is 5 °C" tells it too, under the heading of the thing.
      if (unit.kind === 'sentence' && unit.passage.section.includes(' › '))
        add(unit, aspect.name, unit.subject, unit.text, measure.value, 'text');
      continue;
    }
    if (!tells(aspect, unit.text)) continue;
    if (!unit.cells && aspect.named.test(unit.attribute))
      add(unit, aspect.name, unit.attribute, unit.text, measure.value, `names ${unit.line}`);
    const isTransposed = unit.cells && !aspect.named.test(unit.attribute) && aspect.named.test(unit.subject);
    const attribute = isTransposed ? unit.subject : unit.attribute;
    const thing = isTransposed ? unit.attribute : toThing(unit);
    const table = unit.cells ? unit.line : 'list';
    add(unit, attribute, thing, unit.text, measure.value, table);
  }
  const asked = question.terms.filter(
    ({ word, isOfAspect, weak, isUnknown, isOfPage }) =>
      !isOfAspect && !weak && !isUnknown && !isOfPage && !ofAll.test(word),
  );
  let best: { attribute: string; entries: Entry[]; score: number } | undefined;
  for (const { attribute, entries } of clusters.values()) {
    const named = pickNamed(question, entries);
    const around = entries.filter(({ unit, thing }) => covers(asked, unit, thing) >= 0.5);
    // "The lightest pack": what is called a pack, and not what is in one.
    const ofName = around.filter(({ thing }) => isCalled(asked, thing));
    const fitting = named.length >= 2 ? named : ofName.length >= 2 ? ofName : around;
    if (fitting.length < 2) continue;
    if (question.form === 'compare' && !question.extreme && named.length < (fitting.length <= 3 ? 1 : 2))
      continue;
    const fit =
      fitting.reduce((sum, { unit, thing }) => sum + covers(asked, unit, thing), 0) / fitting.length;
    const isNamed = asked.length > 0 && fitting === ofName;
    const score =
      fit +
      (isNamed ? 0.3 : 0) +
      (aspect.named.test(attribute) ? 0.4 : 0) +
      Math.min(fitting.length, 10) * 0.01;
    if (!best || score > best.score) best = { attribute, entries: fitting, score };
  }
  return best;
}

function covers(asked: Question['terms'], unit: Unit, thing: string): number {
  if (asked.length === 0) return 1;
  const stems = toStems(thing);
  const held = asked.filter((term) => names(unit, term) || stems.has(term.stem));
  return held.length / asked.length;
}

function isCalled(asked: Question['terms'], thing: string): boolean {
  const stems = toStems(thing);
  return asked.some(({ stem }) => stems.has(stem));
}

/** Things of which the question says a word that the others do not have. */
function pickNamed(question: Question, entries: readonly Entry[]): Entry[] {
  const said = new Set(
    question.terms.flatMap(({ stem, synonyms, weak, isOfAspect }) =>
      weak || isOfAspect ? [stem] : [stem, ...synonyms.map(toStem)],
    ),
  );
  const counts = new Map<string, number>();
  const stemsOf = entries.map(({ thing }) => toStems(thing));
  for (const stems of stemsOf) for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  return entries.filter((_, index) =>
    [...stemsOf[index]!].some((stem) => said.has(stem) && counts.get(stem)! * 2 <= entries.length),
  );
}

function toComparison(
  question: Question,
  { attribute, entries }: { attribute: string; entries: Entry[] },
): Comparison {
  const asked = question.extreme?.most ?? readDirection(question.text);
  // What keeps warm down to a lower temperature is warmer.
  const isRating =
    question.aspect?.name === 'temperature' &&
    entries.some(({ value }) => /rating|limit|comfort|down to/i.test(value));
  const most = isRating && asked !== undefined ? !asked : asked;
  const sorted =
    most === undefined
      ? entries
      : entries.toSorted((a, b) => (most ? b.measure - a.measure : a.measure - b.measure));
  const first = sorted[0]!;
  const isClear = most !== undefined && first.measure !== sorted[1]!.measure;
  return {
    summary: isClear
      ? { thing: first.thing, value: first.value, word: question.extreme?.word ?? '' }
      : undefined,
    header: ['', attribute],
    rows: sorted.slice(0, maxRows).map(({ thing, value }) => [thing, value]),
    units: sorted.map(({ unit }) => unit),
  };
}

function readDirection(text: string): boolean | undefined {
  if (/\b(cheaper|lighter|smaller|shorter|faster|less|fewer|lower|colder)\b/i.test(text)) return false;
  return /\b(heavier|bigger|larger|longer|warmer|higher|taller|more|dearer)\b/i.test(text) ? true : undefined;
}

/** Two things side by side, by every attribute that both have. */
function compareAll(question: Question, units: readonly Unit[]): Comparison | undefined {
  const things = new Map<string, Unit[]>();
  for (const unit of units) {
    if (unit.attribute === undefined) continue;
    const thing = toThing(unit);
    const key = JSON.stringify([unit.passage.url, thing]);
    things.set(key, [...(things.get(key) ?? []), unit]);
  }
  const all = [...things.values()].map((of) => ({
    thing: toThing(of[0]!),
    value: '',
    measure: 0,
    unit: of[0]!,
    of,
  }));
  const picked = pickNamed(question, all).map((entry) => all.find(({ unit }) => unit === entry.unit)!);
  const plain = withoutLonger(picked, ({ thing }) => thing, question);
  const longer = picked.filter((one) => !plain.includes(one));
  longer.sort((one, other) => toStems(one.thing).size - toStems(other.thing).size);
  const named = [...plain, ...longer];
  for (const one of named)
    for (const other of named) {
      if (one === other || one.thing === other.thing || one.unit.passage.url !== other.unit.passage.url)
        continue;
      const rows = one.of.flatMap(({ attribute, text }) => {
        const same = other.of.find((unit) => unit.attribute === attribute);
        return same ? [[attribute!, text, same.text]] : [];
      });
      if (rows.length < 2) continue;
      return {
        summary: undefined,
        header: ['', one.thing, other.thing],
        rows,
        units: [one.unit, other.unit],
      };
    }
  return undefined;
}
