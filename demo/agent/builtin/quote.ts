/** What is quoted of the units that answer: neighbours of a sentence, a warning first, what to do and whom to call. */

import { phoneNumber } from '../retrieval/reach.ts';
import { isSaidIn, toTerms } from '../retrieval/terms.ts';
import { toStems } from '../retrieval/words.ts';
import { readMeasures } from './measure.ts';
import type { Question, WeightedTerm } from './question.ts';
import { names, type Ranked } from './rank.ts';
import { isGrave, isUrgent, toThing, toUnits, type Unit } from './units.ts';

const maxSentences = 3;
const mostRows = 12;
const leastOfHeading = 0.6;

/** Several things that fit as well, or the best and what belongs to it. */
export function pick(
  tied: readonly Ranked[],
  usable: readonly Ranked[],
  best: Ranked,
  question: Question,
): Ranked[] {
  const [only] = tied;
  if (question.isDouble && tied.length === 1 && only?.cells)
    return [{ ...only, kind: 'row', subject: only.cells.row[0]! }];
  if (tied.length > 1) {
    const rows = tied.filter(({ cells }) => cells);
    if (rows.length === tied.length)
      return (readWholeTable(rows, question) ?? tied)
        .map((unit): Ranked => ({ ...unit, kind: 'row', subject: unit.cells!.row[0]! }))
        .slice(0, mostRows);
    const subjects = new Set(tied.map(toThing));
    return subjects.size === 1 ? tied.slice(0, 1) : tied.slice(0, 3);
  }
  const whole = only?.cells && readWholeTable([only], question);
  if (whole) return whole;
  // Asked for nothing in particular, all that a table says of a thing is the answer.
  const one = only ?? best;
  if (one.kind === 'attribute' && one.cells && !question.aspect)
    return [{ ...one, kind: 'row', subject: one.cells.row[0]! }];
  if (one.kind === 'sentence' && isAskedThere(one, question)) return fromTheTop(one);
  if (one.kind === 'sentence') return withNeighbours(one, usable);
  if (one.kind === 'item')
    return [
      one,
      ...usable
        .slice(1)
        .filter(
          (unit) =>
            unit.kind === 'item' &&
            unit.score >= one.score - 0.05 &&
            unit.line === one.line &&
            unit.passage.id === one.passage.id,
        )
        .slice(0, 4),
    ];
  return [one];
}

/** Where the question names the table and none of its rows, some of them would pass for all. */
function readWholeTable(tied: readonly Ranked[], { text, topics }: Question): Ranked[] | undefined {
  const [first] = tied;
  const table = first?.cells?.table;
  if (!first || !table || table.rows.length > mostRows || readMeasures(text).length > 0) return undefined;
  const own = topics.filter(({ share }) => share === 1);
  const isNamed = (row: readonly string[]) => own.some(({ stem }) => toStems(row[0] ?? '').has(stem));
  const named = new Set(toTerms(`${table.caption} ${first.passage.section}`).map(({ stem }) => stem));
  const isTableNamed = own.length > 0 && own.every((term) => isSaidIn(term, named));
  if (!isTableNamed || table.rows.some(isNamed)) return undefined;
  return table.rows.map(
    (row): Ranked => ({ ...first, kind: 'row', subject: row[0]!, cells: { table, row } }),
  );
}

/** "Do I need an account?" stands over it as it was asked: what follows answers it from its first word on. */
function isAskedThere({ passage }: Ranked, { terms }: Question): boolean {
  const heading = passage.section.split(' › ').at(-1)!;
  if (!heading.endsWith('?')) return false;
  const said = toTerms(heading).filter(({ weak }) => !weak);
  const own = terms.filter(({ share, weak, isOfAspect }) => share === 1 && !weak && !isOfAspect);
  const isAsked = (term: { stem: string }) => own.some((other) => isSaidIn(other, new Set([term.stem])));
  const isSaid = (term: WeightedTerm) => said.some(({ stem }) => isSaidIn(term, new Set([stem])));
  return said.length > 0 && said.every(isAsked) && own.filter(isSaid).length >= own.length * leastOfHeading;
}

/** The first sentences under the heading, and the one that says most. */
function fromTheTop(best: Ranked): Ranked[] {
  const sentences = toUnits(best.passage).filter(({ kind }) => kind === 'sentence');
  const first = sentences.slice(0, maxSentences);
  const chosen = first.some(({ at }) => at === best.at) ? first : [...first.slice(0, -1), best];
  return chosen.map((unit): Ranked => ({ ...best, ...unit }));
}

const leansBack = /^(it|its|they|them|this|these|that|those|then|otherwise|instead|also|both|after that)\b/i;

/** The rest of a short paragraph: what a sentence says often needs the next one. */
function withNeighbours(best: Ranked, usable: readonly Ranked[]): Ranked[] {
  const paragraph = toUnits(best.passage).filter(
    ({ line, kind }) => line === best.line && kind === 'sentence',
  );
  const at = paragraph.findIndex((unit) => unit.at === best.at);
  // What stands before it in a long one may be of another matter: "You can use up to three" is of gift cards there.
  const first = leansBack.test(best.text) ? Math.max(0, at - 1) : at;
  const from = paragraph.length <= maxSentences ? 0 : first;
  const chosen = paragraph.slice(from, from + maxSentences).map((unit): Ranked => ({ ...best, ...unit }));
  const other = usable.find(
    (unit) =>
      unit.score >= best.score - 0.06 &&
      unit.passage.id !== best.passage.id &&
      unit.kind !== 'steps' &&
      !chosen.some(({ text }) => text.includes(unit.text)),
  );
  return other ? [...chosen, other] : chosen;
}

/** So many things; the rows of a table are one, or some of them would pass for all. */
export function takeFirst(units: readonly Ranked[], most: number): Ranked[] {
  const things = new Set<unknown>();
  return units.filter((unit) => {
    const thing = unit.kind === 'row' ? `${unit.passage.id} ${unit.cells?.table.caption}` : unit;
    if (things.size < most) things.add(thing);
    return things.has(thing);
  });
}

/** A warning on the matter goes first. */
export function withWarning(
  picked: Ranked[],
  ranked: readonly Ranked[],
  question: Question,
  isPerilous: boolean,
): Ranked[] {
  const topics = question.terms.filter(
    ({ weak, isOfAspect, isUnknown, share }) => !weak && !isOfAspect && !isUnknown && share === 1,
  );
  const isPicked = (unit: Ranked) =>
    picked.some((other) => other.passage.id === unit.passage.id && other.at === unit.at);
  const warning = ranked.find(
    (unit) =>
      isGrave(unit) &&
      unit.kind !== 'steps' &&
      !isPicked(unit) &&
      topics.length > 0 &&
      topics.filter((term) => names(unit, term)).length >= Math.min(2, topics.length) &&
      unit.coverage >= Math.max(0.35, (picked[0]?.coverage ?? 0) - (isPerilous ? 0.3 : 0.1)),
  );
  if (question.form === 'plain') return picked;
  const all = putFirst(warning, picked);
  // The one that is asked for is not said after another.
  return picked[0] && isGrave(picked[0]) ? [...picked, ...all.filter((unit) => !picked.includes(unit))] : all;
}

/** A warning is told from its beginning, if that is not far. */
function firstOf(warning: Ranked): Ranked {
  const first = toUnits(warning.passage).find(
    (unit) =>
      unit.line === warning.line &&
      unit.kind === 'sentence' &&
      unit.warns &&
      unit.at > warning.at - maxSentences,
  );
  return first && first.at < warning.at ? { ...warning, ...first } : warning;
}

/** With what stands around it; what was picked already is not said twice. */
export function putFirst(warning: Ranked | undefined, picked: Ranked[]): Ranked[] {
  if (!warning) return picked;
  // "If you smell gas, close the valve" stands for itself.
  const isWhole = /^If\b/.test(warning.text);
  const first = warning.kind === 'sentence' && !isWhole ? withNeighbours(firstOf(warning), []) : [warning];
  return [
    ...first,
    ...picked.filter(
      (unit) => !first.some((other) => other.passage.id === unit.passage.id && other.at === unit.at),
    ),
  ];
}

/** What to do about a danger, from its page. */
export function withSteps(
  picked: Ranked[],
  ranked: readonly Ranked[],
  { form }: Question,
  isAccident: boolean,
): Ranked[] {
  const [first] = picked;
  if (!first || picked.some(({ kind }) => kind === 'steps')) return picked;
  if (!isAccident && !(form === 'how-to' && isGrave(first))) return picked;
  const lists = ranked.filter(
    ({ kind, passage, coverage }) =>
      kind === 'steps' && passage.url === first.passage.url && coverage >= 0.15,
  );
  const steps = lists.find(({ passage }) => passage.id === first.passage.id) ?? lists[0];
  return steps ? [...picked, steps] : picked;
}

export function findHelpLine(units: readonly Unit[]): Unit | undefined {
  return units.find(
    ({ text, kind }) => kind !== 'steps' && /\b(call|phone|ring)\b/i.test(text) && phoneNumber.test(text),
  );
}

/** Whom to call about an emergency, from its page. */
export function withHelpLine(
  picked: Ranked[],
  isAccident: boolean,
  readUnits: (picked: Ranked) => readonly Unit[],
): Ranked[] {
  const [first] = picked;
  if (
    !first ||
    !(isAccident || (isGrave(first) && isUrgent(first))) ||
    picked.some((unit) => phoneNumber.test([unit.text, ...(unit.lines ?? [])].join(' ')))
  )
    return picked;
  const line = findHelpLine(readUnits(first));
  return line ? [...picked, { ...first, ...line }] : picked;
}
