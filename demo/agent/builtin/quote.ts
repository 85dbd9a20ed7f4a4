/** What is quoted of the units that answer: neighbours of a sentence, a warning first, what to do and whom to call. */

import type { Question } from './question.ts';
import { names, type Ranked } from './rank.ts';
import { isGrave, toThing, toUnits } from './units.ts';

const maxSentences = 3;
export const phoneNumber = /\+?\(?\d[\d ()-]{6,}\d/;

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
      return tied
        .map((unit): Ranked => ({ ...unit, kind: 'row', subject: unit.cells!.row[0]! }))
        .slice(0, 12);
    const subjects = new Set(tied.map(toThing));
    return subjects.size === 1 ? tied.slice(0, 1) : tied.slice(0, 3);
  }
  if (best.kind === 'sentence') return withNeighbours(best, usable);
  if (best.kind === 'item')
    return [
      best,
      ...usable
        .slice(1)
        .filter(
          (unit) =>
            unit.kind === 'item' &&
            unit.score >= best.score - 0.05 &&
            unit.line === best.line &&
            unit.passage.id === best.passage.id,
        )
        .slice(0, 4),
    ];
  return [best];
}

/** The rest of a short paragraph: what a sentence says often needs the next one. */
function withNeighbours(best: Ranked, usable: readonly Ranked[]): Ranked[] {
  const paragraph = toUnits(best.passage).filter(
    ({ line, kind }) => line === best.line && kind === 'sentence',
  );
  const at = paragraph.findIndex((unit) => unit.at === best.at);
  const from = paragraph.length <= maxSentences ? 0 : Math.min(at, paragraph.length - maxSentences);
  const chosen = paragraph.slice(from, from + maxSentences).map((unit): Ranked => ({ ...best, ...unit }));
  const other = usable.find(
    (unit) => unit.score >= best.score - 0.06 && unit.passage.id !== best.passage.id && unit.kind !== 'steps',
  );
  return other ? [...chosen, other] : chosen;
}

/** A warning on the matter goes first. */
export function withWarning(picked: Ranked[], ranked: readonly Ranked[], question: Question): Ranked[] {
  const topics = question.terms.filter(
    ({ weak, isOfAspect, isUnknown }) => !weak && !isOfAspect && !isUnknown,
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
      unit.coverage >= 0.35,
  );
  if (!warning || question.form === 'plain') return picked;
  const first = warning.kind === 'sentence' ? withNeighbours(warning, []) : [warning];
  return [
    ...first,
    ...picked.filter(
      (unit) => !first.some((other) => other.passage.id === unit.passage.id && other.at === unit.at),
    ),
  ];
}

/** What to do about a danger, from its page. */
export function withSteps(picked: Ranked[], ranked: readonly Ranked[], { form }: Question): Ranked[] {
  const [first] = picked;
  if (form !== 'how-to' || !first || !isGrave(first) || picked.some(({ kind }) => kind === 'steps'))
    return picked;
  const steps = ranked.find(
    ({ kind, passage, coverage }) =>
      kind === 'steps' && passage.url === first.passage.url && coverage >= 0.15,
  );
  return steps ? [...picked, steps] : picked;
}

/** Whom to call about an emergency, from its page. */
export function withHelpLine(picked: Ranked[], ranked: readonly Ranked[]): Ranked[] {
  const [first] = picked;
  const isUrgent = (unit: Ranked) =>
    /\b(emergenc|poison|at once)/i.test(`${unit.passage.title} ${unit.passage.section}`);
  if (
    !first ||
    !isGrave(first) ||
    !isUrgent(first) ||
    picked.some((unit) => phoneNumber.test([unit.text, ...(unit.lines ?? [])].join(' ')))
  )
    return picked;
  const line = ranked
    .filter(
      ({ passage, text }) =>
        passage.url === first.passage.url && /\b(call|phone|ring)\b/i.test(text) && phoneNumber.test(text),
    )
    .sort((a, b) => a.passage.id - b.passage.id || a.at - b.at)[0];
  return line ? [...picked, line] : picked;
}
