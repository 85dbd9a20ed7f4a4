/** A question about a danger, or an accident that has happened: what the site warns of goes before all else. */

import { isSaidIn } from '../retrieval/terms.ts';
import type { Question } from './question.ts';
import type { Ranked } from './rank.ts';
import { isGrave, isUrgent } from './units.ts';
import type { Vocabulary } from './vocabulary.ts';

export type Peril = 'accident' | 'risk';

const accident =
  /\b(ate|eaten|swallow(ed|s)?|lick(ed|s)?|chew(ed|s)?|drank|drunk|inhaled|bleed(s|ing)?|chok(es|ing|ed)|burn(ed|t|s|ing)|stung|bitten|bit|collaps(ed|es|ing)|unconscious|faint(ed|ing)?|dizzy|overheat(ed|ing|s)?|seizures?|convuls\w+|having a fit|poisoned|smell(s|ing)? (of )?(gas|smoke|burning)|leak(s|ing|ed)?|on fire|caught fire|explod(ed|es|ing)|hit by|run over|ran over|fell|fallen|can['’]?t (breathe|pee|wee|walk|stand|move)|struggl\w+|not breathing|hasn['’]?t eaten|not eating|blue|pale|swollen|emergency)\b/i;
const asking = /^\W*(how much|what does|when|where|do you|which)\b/i;
const risk =
  /\b(safe|safely|dangerous|danger|poisonous|toxic|harm(ful|s)?|hurt|bad for|risk(y|s)?|fumes|overnight|ok(ay)?|alright|all right|give|heat|warm)\b/i;
const may = /\b(can|could|may|should|shall|is|are|would it|do i)\b/i;

/** Words so rare on the site that one of them is the matter. */
const tellingWeight = 2.4;
/** Of an accident the page on emergencies speaks first. */
const urgentShare = 1.4;

export function readPeril(asked: string): Peril | undefined {
  if (accident.test(asked) && !asking.test(asked)) return 'accident';
  return may.test(asked) && risk.test(asked) ? 'risk' : undefined;
}

/** What must not be done, however harmless it sounds. */
function forbids({ warns, text }: Ranked): boolean {
  return warns && /(^|[.!:] )(never|do not|don['’]t|you must not)\b/i.test(text);
}

/** The warning that names the most telling part of the question, in its own words. */
export function findWarning(
  ranked: readonly Ranked[],
  { terms }: Question,
  vocabulary: Vocabulary,
  peril: Peril,
): Ranked | undefined {
  // What happened is said of many things: to what, or with what, tells them apart.
  const telling = terms.filter(
    ({ word, weak, isOfAspect, isUnknown, share }) =>
      !weak && !isOfAspect && !isUnknown && share === 1 && !accident.test(word),
  );
  let best: { unit: Ranked; weight: number } | undefined;
  for (const unit of ranked) {
    if (!(isGrave(unit) || forbids(unit)) || unit.kind === 'steps' || unit.cells?.column !== undefined)
      continue;
    const weight = telling
      .filter((term) => isSaidIn(term, unit.own))
      .reduce(
        (sum, { stem, synonyms, related }) => sum + vocabulary.rarity(stem, [...synonyms, ...related]),
        0,
      );
    const counted = peril === 'accident' && isUrgent(unit) ? weight * urgentShare : weight;
    if (weight >= tellingWeight && counted > (best?.weight ?? 0)) best = { unit, weight: counted };
  }
  return best?.unit;
}
