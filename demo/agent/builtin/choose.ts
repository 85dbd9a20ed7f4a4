/** Which units answer a question, and whether several things are meant equally well. */

import { isPlaceName } from '../retrieval/places.ts';
import { isSaidIn } from '../retrieval/terms.ts';
import { toShortTitle } from '../retrieval/title.ts';
import { countUses } from '../retrieval/wordnet.ts';
import { toStems } from '../retrieval/words.ts';
import { readMeasures, readRange } from './measure.ts';
import type { Question } from './question.ts';
import { isFragment, isHomePage, names, type Ranked } from './rank.ts';
import { withoutLonger } from './things.ts';
import { isGrave, isUrgent, toThing, type Unit } from './units.ts';
import type { Vocabulary } from './vocabulary.ts';

const maxOptions = 4;
const leastCoverage = 0.6;
/** Of a question with a word or two to go by, each counts. */
const leastOfShort = 0.68;
/** What is told, and not asked, is answered by what is about all of it. */
const leastOfTold = 0.85;
const tieWindow = 0.03;
const fewUses = 20;
/** A word that tells more than this is the heart of the matter. */
const mostMissing = 2.5;

/** The page that the visitor looks at goes before others that say as much. */
export function preferPage(ranked: readonly Ranked[], path: string | undefined): readonly Ranked[] {
  if (path === undefined) return ranked;
  const isHere = ({ passage: { url } }: Ranked) => url !== null && new URL(url).pathname === path;
  return ranked
    .map((unit) => (isHere(unit) ? { ...unit, score: unit.score + 0.06 } : unit))
    .sort((a, b) => b.score - a.score);
}

/** Who made or owns something is told by a name. */
const asksForMaker =
  /^\W*who (owns?|runs?|made|built|founded|started|created|designed|is the (owner|founder)|(is|are) (your|the) \w+)\b/i;
const maker =
  /\b(founded|started|owned|built|run|made|designed) by\b|\bowners?\b(?=.*[A-Z]\w+ [A-Z])|\b[A-Z]\w+ [A-Z]\w+ (founded|started|built|runs|owns)\b/;

/** What holds for the site's own goods need not hold for others. */
const asksForOthers =
  /\b(other|another|different) (brands?|makes?|manufacturers?|compan(y|ies)|shops?|stores?)\b|\bnot (bought |purchased )?from (you|here)\b|\b(bought|purchased|from) (elsewhere|somewhere else)\b/i;
const others =
  /\b(other (brands?|makes?|compan(y|ies))|any (brand|make)|elsewhere|other (shops?|stores?))\b/i;

const asksForSale = /\bdo (you|u|they) (sell|stock|carry)\b/i;
const sale = /\b(sell(s|ing)?|sold|sale|stock(ed)?|buy|prices?)\b|[$€£]\s?\d/i;

/** It names enough of what was asked, and tells what cannot be missing. */
export function isAnswer(unit: Ranked, { aspect, isTold, terms, text, topics }: Question): boolean {
  if (unit.coverage < (topics.length <= 2 && !unit.tells ? leastOfShort : leastCoverage)) return false;
  if (unit.missing > mostMissing || isFragment(unit)) return false;
  // What leads into a list says nothing without it.
  if (unit.kind === 'sentence' && unit.text.endsWith(':')) return false;
  if (isTold && unit.coverage < leastOfTold && !isGrave(unit) && !isUrgent(unit)) return false;
  if (topics.length > 0 && !topics.some((term) => isSaidHere(term, unit))) return false;
  if (asksForMaker.test(text) && !maker.test(unit.text)) return false;
  if (asksForOthers.test(text) && !others.test(`${unit.text} ${unit.passage.section}`)) return false;
  if (terms.some((term) => term.isName && term.share === 1 && !names(unit, term))) return false;
  if (terms.some((term) => term.isAction && !names(unit, term))) return false;
  if (
    terms.some(
      (term) => term.isNamed && (term.isUnknown || term.related.length > 0) && !term.weak && term.share === 1,
    )
  )
    return false;
  if (aspect?.isStrict && !unit.tells) return false;
  // What is on a list of what to take along is not on sale.
  if (asksForSale.test(text) && !sale.test(`${unit.attribute ?? ''} ${unit.text} ${unit.passage.section}`))
    return false;
  if (topics.length === 0 && !unit.tells && !terms.some(({ share }) => share < 1)) return false;
  return terms.every((term) => !term.isPlace || term.share < 1 || names(unit, term));
}

/** A labrador is a dog, and that is enough; what a word of every day is a kind of tells nothing. */
function isSaidHere(term: Question['topics'][number], unit: Ranked): boolean {
  if (term.related.length > 0 && countUses(term.word) <= fewUses && names(unit, term)) return true;
  return [unit.own, unit.around, unit.page, unit.near].some(
    (stems) => isSaidIn(term, stems) || term.members.some((stem) => stems.has(stem)),
  );
}

/** Asked of a kind ("the tent"), each thing under the heading of that kind could be meant. */
export function findGroup(usable: readonly Ranked[], { aspect, topics }: Question): Ranked[] | undefined {
  if (!aspect || topics.length === 0) return undefined;
  const things = usable.filter((unit) => {
    const group = unit.passage.section.split(' › ').at(-2);
    if (unit.kind !== 'attribute' || unit.cells || !unit.tells || group === undefined) return false;
    const stems = toStems(group);
    return stems.size === topics.length && topics.every(({ stem }) => stems.has(stem));
  });
  const [first] = things;
  if (!first) return undefined;
  const same = things.filter(
    ({ attribute, passage }) => attribute === first.attribute && passage.url === first.passage.url,
  );
  return new Set(same.map(({ subject }) => subject)).size >= 2 ? same : undefined;
}

/** "A dog of 30 kg" is meant by "25 to 39.9 kg" alone. */
export function pickRange(tied: Ranked[], usable: readonly Ranked[], asked: string): Ranked[] {
  const measures = readMeasures(asked);
  const [first] = tied;
  const rows = usable.filter(
    ({ passage, attribute, cells }) =>
      cells && passage.id === first?.passage.id && attribute === first.attribute,
  );
  const fitting = rows.filter(({ subject }) => {
    const range = readRange(subject);
    return (
      range &&
      measures.some(
        ({ dimension, value }) => dimension === range.dimension && value >= range.min && value <= range.max,
      )
    );
  });
  return fitting.length > 0 ? fitting : tied;
}

/** Units about different things that fit as well as the best. */
export function findTied(usable: readonly Ranked[], best: Ranked, question: Question): Ranked[] {
  const own = question.topics.filter(({ share }) => share === 1);
  const namesAll = (unit: Ranked) => own.every((term) => names(unit, term));
  if (best.kind !== 'attribute' && best.kind !== 'row') return [best];
  const seen = new Set<string>();
  const [isTwo, bestStems] = [/ (and|or|&) /i.test(question.text), toStems(best.subject)];
  /** "Of packs and stoves": the row of the same table that is named beside the best. */
  const isBeside = ({ passage, line, attribute, cells, subject }: Ranked) => {
    if (!isTwo || !cells || passage.id !== best.passage.id || line !== best.line) return false;
    const stems = toStems(subject);
    return (
      attribute === best.attribute && own.some((term) => isSaidIn(term, stems) && !isSaidIn(term, bestStems))
    );
  };
  const tied = usable.filter((unit) => {
    if (isBeside(unit)) return true;
    if (
      unit.kind !== best.kind ||
      unit.score < best.score - tieWindow ||
      unit.coverage < best.coverage - tieWindow
    )
      return false;
    if (namesAll(best) && !namesAll(unit)) return false;
    const key = `${unit.subject} ${unit.attribute}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
  // What is said of the thing itself goes before what is said of it in a list of others.
  const ofThing = tied.filter((unit) => {
    const thing = toStems(toThing(unit));
    return own.length > 0 && own.every((term) => isSaidIn(term, thing));
  });
  return withoutLonger(ofThing.length > 0 ? ofThing : tied, toThing, question);
}

/** The things that could be meant, by name; fewer than two when it is clear, or too many to choose from. */
export function toOptions(tied: readonly Ranked[], { aspect, text, topics }: Question): string[] {
  if (!aspect || topics.length === 0 || tied.length < 2) return [];
  if (areAllAsked(tied, text, topics)) return [];
  const subjects = withoutVariants([...new Set(tied.map(toThing))]);
  if (subjects.length < 2) return [];
  if (subjects.length <= maxOptions) return subjects;
  const groups = [...new Set(subjects.map((subject) => subject.split(/[\s,]/)[0]!))];
  return groups.length <= maxOptions && groups.length >= 2 ? groups : [];
}

/** "Of packs and stoves": each is named by another word of the question. */
function areAllAsked(tied: readonly Ranked[], text: string, topics: Question['topics']): boolean {
  const named = tied.map(({ cells, subject }) => {
    const stems = toStems(subject);
    return cells ? topics.filter((term) => isSaidIn(term, stems)).map(({ stem }) => stem) : [];
  });
  return / and /i.test(text) && named.every(([one]) => one) && new Set(named.map(String)).size > 1;
}

/** "A tent (second)" is no choice beside "A tent". */
function withoutVariants(subjects: string[]): string[] {
  const all = subjects.map((subject) => ({ subject, stems: toStems(subject) }));
  const isWithin = (a: Set<string>, b: Set<string>) => a.size < b.size && [...a].every((stem) => b.has(stem));
  return all
    .filter(({ stems }) => !all.some((other) => isWithin(other.stems, stems)))
    .map(({ subject }) => subject);
}

/** The pages that a question without a matter of its own could be about, but for the home page, which has a bit of all. */
export function toPages(usable: readonly Ranked[]): string[] {
  const counts = new Map<string, number>();
  for (const unit of usable) {
    if (!unit.tells || isHomePage(unit)) continue;
    const title = toShortTitle(unit.passage.title);
    counts.set(title, (counts.get(title) ?? 0) + 1);
  }
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([title]) => title)
    .slice(0, maxOptions);
}

/** Of another thing than the one that "it" means, by its heading or its paragraph: of a sleeping bag, where a tent was spoken of. */
export function isOfOther(unit: Unit, { referents }: Question, vocabulary: Vocabulary): boolean {
  const isNamed = [unit.own, unit.around, unit.near].some((stems) =>
    referents.some((term) => isSaidIn(term, stems) || term.members.some((stem) => stems.has(stem))),
  );
  if (referents.length === 0 || isNamed) return false;
  const isThing = (stem: string) =>
    vocabulary.membersOf(stem).length > 0 ||
    (vocabulary.isName(stem) && !isPlaceName(stem) && vocabulary.kindsOf(stem).length > 0);
  const headed = toStems(`${unit.passage.section.split(' › ').at(-1)} ${toThing(unit)}`);
  return [...headed, ...unit.own, ...unit.near].some(isThing);
}
