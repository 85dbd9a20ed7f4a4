/** How well each unit answers a question: what share of it the unit names, and whether it tells the aspect asked for. */

import { isSaidIn, toTerms } from '../retrieval/terms.ts';
import { countUses, isVerb } from '../retrieval/wordnet.ts';
import { toStem, toStems, toWords } from '../retrieval/words.ts';
import { type Aspect, tells } from './aspects.ts';
import type { Question, WeightedTerm } from './question.ts';
import { isGrave, isHomePath, toThing, type Unit } from './units.ts';
import type { Vocabulary } from './vocabulary.ts';

export interface Ranked extends Unit {
  score: number;
  /** 0 to 1: how much of what was asked this unit, its headings and its page name. */
  coverage: number;
  /** It tells what was asked for: a price, a time … */
  tells: boolean;
  /** Weight of the most telling word of the question that it does not name. */
  missing: number;
}

const aroundShare = 0.85;
const pageShare = 0.65;
const nearShare = 0.35;
/** "Goods" are boots too, where boots are something that the site has. */
const genericShare = 0.6;
const generic = ['goods', 'items', 'anything', 'everything'].map(toStem);
/** A list says many things: one of its lines is not the whole of it. */
const listShare = 0.6;
const subjectBonus = 0.1;
const synonymShare = 0.85;
const relatedShare = 0.52;
/** A Lark is a sleeping bag. */
const memberShare = 0.9;
const weakWeight = 0.29;
const aspectWeight = 0.15;
/** An unknown word weighs like one of middling rarity: it may be the heart of the matter, or an aside. */
const unknownWeight = 2.8;
const maxWeight = 4;
const numberWeight = 0.8;
const headingShare = 0.25;

/** Of a word that is met everywhere less is to be learnt, the more so where the site does not have it. */
const commonUses = 20;
const unknownFall = 0.8;
const knownFall = 0.3;
const leastTold = 0.2;

/** 1 for a rare word of the language; less, the more common it is. */
function toTold(word: string, fall: number): number {
  return Math.max(leastTold, 1 - fall * Math.log10(Math.max(1, countUses(word) / commonUses)));
}

export function rankUnits(units: readonly Unit[], question: Question, vocabulary: Vocabulary): Ranked[] {
  const weightOf = ({ word, stem, synonyms, related, share, weak, isOfAspect, isUnknown }: WeightedTerm) => {
    if (isOfAspect) return aspectWeight * share;
    if (weak) return weakWeight * share;
    if (isUnknown) return unknownWeight * toTold(word, unknownFall) * share;
    if (/^\d/.test(word)) return numberWeight * share;
    if (vocabulary.isEverywhere(stem)) return weakWeight * share;
    return (
      share *
      toTold(word, knownFall) *
      Math.min(maxWeight, Math.max(0.6, vocabulary.rarity(stem, [...synonyms, ...related])))
    );
  };
  const weights = question.terms.map((term) => ({ term, weight: weightOf(term) }));
  const total = weights.reduce((sum, { term, weight }) => sum + (term.isBeside ? 0 : weight), 0) || 1;
  const { aspect, form } = question;

  return units
    .map((unit): Ranked => {
      const doesTell =
        aspect !== undefined &&
        (aspect.name === 'count' ? tellsCount(unit, question) : tells(aspect, unit.text, unit.attribute));
      let covered = 0;
      let missing = 0;
      for (const { term, weight } of weights) {
        let share = term.isOfAspect && doesTell ? 1 : matchShare(term, unit);
        if (
          share === 0 &&
          unit.kind !== 'attribute' &&
          unit.kind !== 'row' &&
          (term.isName || term.members.length > 0) &&
          generic.some((stem) => unit.own.has(stem))
        )
          share = genericShare;
        covered += weight * share;
        if (share === 0 && term.share === 1) missing = Math.max(missing, weight);
      }
      const coverage = Math.min(1, covered / total);
      let score = covered / total;
      if (doesTell) score += /\d/.test(unit.text) || !aspect.dimension ? 0.25 : 0.15;
      if (question.isNegated && (unit.own.has('not') || unit.around.has('not'))) score += 0.15;
      if (aspect && unit.attribute && aspect.named.test(unit.attribute)) score += doesTell ? 0.06 : 0;
      if (unit.kind === 'row') score -= aspect ? 0.03 : 0.07;
      if (aspect && isOfThing(unit, aspect))
        score += subjectBonus * nameShare(unit, question) + headBonus(unit, question);
      if (unit.kind === 'attribute' && !doesTell) score -= isAttributeNamed(unit, question) ? 0.15 : 0.35;
      if (unit.kind === 'steps') score += listBonus(unit, question);
      if (
        form === 'may' &&
        /\b(can|cannot|may|must|allowed|possible|welcome|only|not|no|need)\b/i.test(unit.text)
      )
        score += 0.05;
      if (form === 'may' && isGrave(unit)) score += 0.04;
      if (unit.kind !== 'row' && unit.kind !== 'attribute' && opensWith(unit, question)) score += 0.06;
      if (form === 'how-to' && isInstruction(unit)) score += isHeadedBy(unit, question) ? 0.3 : 0.15;
      if (unit.kind !== 'attribute') score += headingBonus(unit, question);
      if (question.form === 'meaning' && isDefined(unit, question)) score += 0.5;
      if (unit.text.endsWith('?') || isFragment(unit)) score -= 0.3;
      if (isHomePage(unit)) score -= 0.06;
      if (doesTell && saysAll(unit, question)) score += 0.15;
      score -= Math.max(0, unit.own.size - 25) * 0.004;
      return { ...unit, score, coverage, tells: doesTell, missing };
    })
    .sort((a, b) => b.score - a.score || a.passage.id - b.passage.id || a.at - b.at);
}

export function isFragment({ kind, text }: Unit): boolean {
  return (
    kind === 'sentence' && !/[.!:]["”’)]?$/.test(text) && text.split(/\s+/).length < 8 && !/\d/.test(text)
  );
}

function matchShare(term: WeightedTerm, unit: Unit): number {
  const direct = shareOf(term.stem, unit);
  if (direct === 1) return 1;
  let best = direct;
  for (const stem of term.otherStems) best = Math.max(best, synonymShare * shareOf(stem, unit));
  for (const stem of term.members) best = Math.max(best, memberShare * shareOf(stem, unit));
  for (const word of term.related) best = Math.max(best, relatedShare * shareOf(toStem(word), unit));
  return best;
}

/** "Canada, standard: 6 to 9 days" is about what stands before the colon, not about the heading above it. */
function isOfThing({ kind, attribute, cells }: Unit, aspect: Aspect): boolean {
  return (
    kind === 'row' || (kind === 'attribute' && (cells !== undefined || aspect.named.test(attribute ?? '')))
  );
}

/** How much of the thing's name the question says: of two that it could mean, the one without further words. */
function nameShare(unit: Unit, { terms }: Question): number {
  const stems = toStems(toThing(unit));
  const said = terms.filter((term) => isSaidIn(term, stems));
  return stems.size === 0 ? 0 : Math.min(1, said.length / stems.size);
}

const numbers =
  /^(\d[\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|twenty|thirty|unlimited|no)$/;

/** A sentence that names the whole matter itself needs no heading to be understood. */
function saysAll({ kind, own }: Unit, { topics }: Question): boolean {
  return kind === 'sentence' && topics.length > 1 && topics.every((term) => isSaidIn(term, own));
}

export function isHomePage({ passage: { url } }: Unit): boolean {
  return url !== null && isHomePath(new URL(url).pathname);
}

/** "14 indoor pens" tells how many pens there are. */
function tellsCount({ text, attribute = '', subject }: Unit, { topics }: Question): boolean {
  const isTopic = (word: string) => {
    const stems = new Set([toStem(word)]);
    return topics.some((topic) => isSaidIn(topic, stems));
  };
  const words = toWords(text);
  if (toWords(`${attribute} ${subject}`).some(isTopic) && words.some((word) => numbers.test(word)))
    return true;
  return words.some((word, at) => numbers.test(word) && words.slice(at + 1, at + 4).some(isTopic));
}

/** A tent seam is no tent: what a name ends with is what the thing is. */
function headBonus(unit: Unit, { terms }: Question): number {
  const parts = toThing(unit).split(/[,(/]| and | or /);
  const heads = parts.map((part) =>
    toStem(toWords(part.split(/ (?:of|in|with|for|up to|from|per|under|over) /)[0]!).at(-1) ?? ''),
  );
  const isSaid = (head: string) => terms.some((term) => isSaidIn(term, new Set([head])));
  const said = heads.findIndex((head) => head !== '' && (isSaid(head) || /^\d/.test(head)));
  return said < 0 ? -0.08 : said === 0 ? 0.08 : 0;
}

/** A list is the answer where steps are asked for, or where its heading is the question's own matter. */
function listBonus(unit: Unit, { form, topics, isNegated }: Question): number {
  const headings = { has: (stem: string) => unit.around.has(stem) || unit.page.has(stem) };
  const isHeaded = topics.length > 0 && topics.every((term) => isSaidIn(term, headings));
  const bonus = isHeaded ? (isNegated && unit.around.has('not') ? 0.4 : 0.1) : -0.1;
  if (form !== 'how-to') return bonus;
  return bonus + (unit.passage.content.includes(`1. ${unit.lines?.[0]}`) ? 0.25 : 0.05);
}

/** "A repair takes 15 days" is about repairs. */
function opensWith({ text }: Unit, { topics }: Question): boolean {
  const first = new Set(toWords(text).slice(0, 3).map(toStem));
  return topics.some(({ stem }) => first.has(stem));
}

/** "Brush off mud while it is wet": it begins with what to do. */
function isInstruction({ kind, text }: Unit): boolean {
  const [, first] =
    /^([A-Z][a-z]+) (?!\w+ (?:can|cannot|are|is|was|must|may|will|do|have|go)\b)/.exec(text) ?? [];
  return (kind === 'sentence' || kind === 'item') && first !== undefined && isVerb(first.toLowerCase());
}

/** "How to book" says how to book, and "What is poisonous" what is: a heading made of what is asked. */
function headingBonus({ kind, passage }: Unit, { aspect, form, terms, topics }: Question): number {
  const heading = toTerms(passage.section.split(' › ').at(-1) ?? '').filter(({ weak }) => !weak);
  const isAsked = ({ stem }: { stem: string }) =>
    topics.some((topic) => topic.stem === stem && topic.share === 1);
  const held = heading.filter(isAsked).length;
  if (held === 0 || (aspect && form !== 'how-to')) return 0;
  if (form === 'how-to') {
    const saysHow = terms.some(
      ({ isAction, stem }) => isAction && heading.some((term) => term.stem === stem),
    );
    return (headingShare * held) / topics.length + (saysHow && kind === 'steps' ? headingShare : 0);
  }
  return held === heading.length ? (headingShare * held) / topics.length : 0;
}

/** Under the heading "Boots", where boots are asked about. */
function isHeadedBy({ passage }: Unit, { topics }: Question): boolean {
  const heading = toStems(passage.section.split(' › ').at(-1) ?? '');
  return heading.size > 0 && [...heading].every((stem) => topics.some((topic) => topic.stem === stem));
}

/** "What does being packed mean": the entry of that name. */
function isDefined({ kind, attribute = '', subject }: Unit, { topics }: Question): boolean {
  const stems = toStems(`${attribute} ${subject}`);
  return kind === 'attribute' && topics.length > 0 && topics.every(({ stem }) => stems.has(stem));
}

function isAttributeNamed({ attribute = '', cells }: Unit, { terms }: Question): boolean {
  const stems = toStems(cells ? `${attribute} ${cells.row[0]}` : attribute);
  return terms.some((term) => !term.weak && isSaidIn(term, stems));
}

function shareOf(stem: string, { kind, own, around, near, page }: Unit): number {
  if (own.has(stem)) return kind === 'steps' && !around.has(stem) ? listShare : 1;
  if (around.has(stem)) return aroundShare;
  if (page.has(stem)) return pageShare;
  return near.has(stem) ? nearShare : 0;
}

/** Whether the unit, or what stands around it, names the term. */
export function names(unit: Unit, term: WeightedTerm): boolean {
  return matchShare(term, unit) > 0;
}
