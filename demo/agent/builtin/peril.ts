/** A question about a danger, or an accident that has happened: what the site warns of goes before all else. */

import { isSaidIn } from '../retrieval/terms.ts';
import { countUses } from '../retrieval/wordnet.ts';
import { toStems } from '../retrieval/words.ts';
import { replacePhrases } from './phrases.ts';
import type { Question } from './question.ts';
import { isFragment, type Ranked } from './rank.ts';
import { isGrave, isUrgent } from './units.ts';
import type { Vocabulary } from './vocabulary.ts';

/** `doubt`: it is asked whether something may be done, and nothing else answers. */
export type Peril = 'accident' | 'risk' | 'doubt';

const accident =
  /\b(ate|eaten|(wolf|gobbl|scoff|nibbl|munch|gulp)ed|got into|knocked|no (pee|wee|urine)|swallow(ed|s|ing)?|lick(ed|s|ing)?|chew(ed|s|ing)?|eating|nibbling|(in|into) (my|his|her|their|the) eyes?|stings?|electrocuted|electric shock|got a shock|scald(ed)?|rash|itch(ing|es)?|blister(s|ed)?|vomit(ing|ed)?|throwing up|drown(ing|ed)?|passed out|concussion|puffed up|bulging|swelling|drank|drunk|inhaled|bleed(s|ing)?|chok(es|ing|ed)|burn(ed|t|s|ing)|stung|bitten|bit|collaps(ed|es|ing)|unconscious|faint(ed|ing)?|dizzy|overheat(ed|ing|s)?|pant(s|ing)|trembl\w+|shaking|twitch\w+|blood|seizures?|convuls\w+|having a fit|poisoned|smell(s|ing)? (of )?(gas|smoke|burning)|leak(s|ing|ed)?|on fire|caught fire|explod(ed|es|ing)|hit by|run over|ran over|fell|fallen|can['’]?t (breathe|pee|wee|walk|stand|move)|struggl\w+|not breathing|hasn['’]?t eaten|not eating|blue|pale|swollen|emergency)\b/i;
const asking = /^\W*(how much|what does|when|where|do you|which)\b/i;
const risk =
  /\b(safe|safely|dangerous|danger|poisonous|toxic|harm(ful|s)?|hurt|bad for|risk(y|s)?|fumes|overnight|ok(ay)?|alright|all right|give|heat|warm)\b/i;
const may = /\b(can|could|may|should|shall|is|are|would it|do i)\b/i;

/** Words so rare on the site that one of them is the matter. */
const tellingWeight = 2.4;
/** Less is enough where the warning stands under the very thing. */
const headedWeight = 1.5;
const nearBest = 0.05;
/** Of an accident the page on emergencies speaks first. */
const urgentShare = 1.4;
/** To what it happened, or with what, tells more than what happened. */
const happenedShare = 0.5;
/** What is said of all stoves is said of this one. */
const kindShare = 0.6;
/** Said next to the warning, not in it. */
const besideShare = 0.2;
/** A word met so seldom is the matter by itself. */
const fewUses = 20;
const mostRows = 3;

/** A fire in a closed place is a danger whoever asks, and however. */
const fireInside =
  /\b(cook|heat|warm|boil|grill|barbecue|burn|stove|burner|heater|fire|generator)\w*\b.*\b(inside|indoors|overnight|asleep|sleep\w*|in (my|the|a|our|his|her) (\w+ )?(tent|van|car|camper|caravan|room|house|cabin|garage|porch|vestibule|bedroom))\b|\b(heat|warm) (up )?(my|the|our|a) (tent|van|car|camper|caravan|room|cabin)\b/i;

export function readPeril(text: string): Peril | undefined {
  const asked = replacePhrases(text);
  if (fireInside.test(asked)) return 'risk';
  if (accident.test(asked) && !asking.test(asked)) return 'accident';
  return may.test(asked) && risk.test(asked) ? 'risk' : undefined;
}

/** What must not be done, however harmless it sounds. */
function forbids({ warns, text }: Ranked): boolean {
  return warns && /(^|[.!:] )(never|do not|don['’]t|you must not)\b/i.test(text);
}

/** "If you hear or smell gas, close the valve": what to do when it has happened. */
function instructs({ text }: Ranked, peril: Peril): boolean {
  return peril === 'accident' && /^If\b/.test(text) && accident.test(text);
}

/** The warning that names the most telling part of the question, in its own words, and its like in the same table. */
export function findWarnings(
  ranked: readonly Ranked[],
  { terms }: Question,
  vocabulary: Vocabulary,
  peril: Peril,
): Ranked[] {
  const telling = terms.filter(
    ({ weak, isOfAspect, isUnknown, share }) => !weak && !isOfAspect && !isUnknown && share === 1,
  );
  const top = ranked[0];
  const passages = new Map<number, Set<string>>();
  const readPassage = ({ id, content }: Ranked['passage']) => {
    const stems = passages.get(id) ?? toStems(content);
    passages.set(id, stems);
    return stems;
  };
  const weigh = (unit: Ranked) => {
    const passage = readPassage(unit.passage);
    let weight = 0;
    let beside = 0;
    let named = 0;
    let count = 0;
    for (const term of telling) {
      const isOfWhatHappened = accident.test(term.word);
      // What happened is said of many things, but where the site says what cannot wait.
      if (isOfWhatHappened && !isUrgent(unit)) continue;
      const rarity =
        vocabulary.rarity(term.stem, [...term.synonyms, ...term.related]) *
        (isOfWhatHappened ? happenedShare : 1);
      const kinds = term.isName ? vocabulary.kindsOf(term.stem) : [];
      const isNamed = isSaidIn(term, unit.own);
      // "It makes carbon monoxide" under the heading "Stoves" is about a stove.
      const isAbout =
        isSaidIn(term, unit.around) || kinds.some((kind) => unit.own.has(kind) || unit.around.has(kind));
      if (isNamed) weight += rarity;
      else if (isAbout) weight += rarity * kindShare;
      if (isNamed || isAbout) {
        count += 1;
        named += unit.own.has(term.stem) && countUses(term.word) <= fewUses ? 2 : 1;
      } else if (isSaidIn(term, passage)) beside += besideShare * rarity;
    }
    const isHeaded = isHeadedBy(unit, telling, vocabulary);
    if (weight < (peril === 'risk' && isHeaded ? headedWeight : tellingWeight)) return 0;
    // Where nobody spoke of a danger, one word in common is none, nor is what other places say better.
    if (
      peril === 'doubt' &&
      !isHeaded &&
      (named < 2 || (unit.passage.url !== top?.passage.url && unit.score < top!.score - nearBest))
    )
      return 0;
    return (weight + beside) * Math.sqrt(count) * (peril === 'accident' && isUrgent(unit) ? urgentShare : 1);
  };
  const weighed = ranked
    .filter((unit) => unit.kind !== 'steps' && unit.cells?.column === undefined && !isFragment(unit))
    .map((unit) => ({ unit, weight: weigh(unit) }));
  const best = weighed
    .filter(({ unit }) => isGrave(unit) || forbids(unit) || instructs(unit, peril))
    .reduce((most, one) => (one.weight > most.weight ? one : most), { unit: ranked[0], weight: 0 });
  if (!best.unit || best.weight === 0) return [];
  const { unit: first, weight } = best;
  const like = weighed.filter(
    (one) => one.unit !== first && one.weight === weight && isInTableOf(first, one.unit),
  );
  return [first, ...like.map(({ unit }) => unit)].slice(0, mostRows);
}

/** A warning about stoves, asked about a stove, by its kind or its name. */
function isHeadedBy({ around, page }: Ranked, terms: Question['terms'], vocabulary: Vocabulary): boolean {
  return terms.some(({ stem, isName }) =>
    [stem, ...(isName ? vocabulary.kindsOf(stem) : [])].some((one) => around.has(one) || page.has(one)),
  );
}

function isInTableOf(first: Ranked, { kind, passage, line }: Ranked): boolean {
  return kind === 'row' && first.kind === 'row' && passage.id === first.passage.id && line === first.line;
}
