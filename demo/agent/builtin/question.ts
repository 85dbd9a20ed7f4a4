/** What a question asks: its terms, the aspect and form of its answer, and what it takes over from before. */

import { isPlaceName } from '../retrieval/places.ts';
import { type Term, toTerms } from '../retrieval/terms.ts';
import { findRelated } from '../retrieval/wordnet.ts';
import { toStem, toWords } from '../retrieval/words.ts';
import { type Aspect, readAspect } from './aspects.ts';
import { type Extreme, type Form, isAskedFor, isDone, readExtreme, readForm } from './form.ts';
import { replacePhrases } from './phrases.ts';

export interface WeightedTerm extends Term {
  /** 1 for the question's own terms, less for those of questions before and of the page that the visitor is on. */
  share: number;
  /** The site says nothing of the sort, by this word or another for it. */
  isUnknown: boolean;
  /** Of an unknown word: what it is a kind of, in words that the site has. */
  related: readonly string[];
  /** A country or region: no other one is an answer. */
  isPlace: boolean;
  /** Satisfied by an answer of the aspect asked for. */
  isOfAspect: boolean;
  /** Not said, and perhaps not meant: what names it goes first, what does not is no worse. */
  isBeside: boolean;
  /** Not said: it names the page that the visitor is on. */
  isOfPage: boolean;
  /** What is asked for by name: without it there is no answer. */
  isNamed: boolean;
  /** The name of a thing of the site's. */
  isName: boolean;
  /** Of a kind: the stems of the names of its things. */
  members: readonly string[];
  /** What is to be done: "how do I wash …". */
  isAction: boolean;
}

export interface Question {
  text: string;
  terms: WeightedTerm[];
  /** Terms of its own that name a topic. */
  topics: WeightedTerm[];
  aspect: Aspect | undefined;
  form: Form;
  extreme: Extreme | undefined;
  isFollowUp: boolean;
  /** What "it" means, where that is a thing of the site's: nothing is told of another thing. */
  referents: WeightedTerm[];
  /** "What is not covered?" */
  isNegated: boolean;
  /** "How long does it take?": of nothing in particular. */
  isVague: boolean;
  /** "My stove leaks": nothing is asked. */
  isTold: boolean;
  /** Two things are asked of one: "what does it cost and how long does it take?" */
  isDouble: boolean;
}

export interface ReadContext {
  /** Questions before, oldest first. */
  earlier: readonly string[];
  /** Title of the page that the visitor is on. */
  pageTitle?: string | undefined;
  synonyms: readonly (readonly string[])[];
  /** Whether the site's pages have this word, or another for it. */
  knows(term: Term): boolean;
  /** A name of the site's own: "Skylark". */
  isName(stem: string): boolean;
  /** In a heading or the name of a row. */
  isThing(stem: string): boolean;
  /** Of a kind of the site's, such as "bag": the names of its things. */
  membersOf(stem: string): readonly string[];
  /** Two things of the same kind, such as two products: one said anew stands in the other's place. */
  areSiblings(one: string, other: string): boolean;
}

const followUpStart =
  /^\s*(?:(?:ok|okay|great|thanks|cool|right|so|hmm|well),? )*(and|or|but|also|what about|how about|what if|then|to|in|on|at|for|from|with|which one)\b/i;
const pointsBack = /\b(it|its|they|them|that|those|these|there|one|ones|same|he|she|his|her|him)\b/i;
const pronoun = /\b(it|its)\b/i;
const refersBack = /\b(it|its|they|them)\b/i;
const pointsAtPage = /\b(this|these|here)\b/i;
const pointsHere = /\b(this|it|its|here|these)\b/i;
const told = /^\W*(i|my|we|our|the|it|there|this)\b/i;
const toldOfOneself = /^\W*(i|my|we|our)\b(?! (need|want|would|wonder|['’]d|am looking|look))/i;
const maxOwnTopics = 3;
const maxShortWords = 6;
const maxBareWords = 2;
const asideShare = 0.35;
const inBetweenShare = 0.1;
const besideShare = 0.5;

export function readQuestion(asked: string, context: ReadContext): Question {
  const { text, aside } = splitAside(asked);
  const replaced = replacePhrases(text);
  const isDouble = / and (?:how|what|when|until when|where|which)\b/i.test(text);
  const aspect =
    (isDouble ? readAspect(text.split(/ and (?:how|what|when|until when|where|which)\b/i)[0]!) : undefined) ??
    readAspect(text) ??
    readAspect(replaced);
  const aspectStems = new Set(toWords(aspect?.words ?? '').map(toStem));
  const toWeighted = (term: Term, share: number): WeightedTerm => {
    const known = toKnown(term, context);
    return {
      ...term,
      share,
      ...known,
      isPlace: isPlaceName(term.word) || known.related.some(isPlaceName),
      isOfAspect: aspectStems.has(term.stem),
      isOfPage: false,
      isBeside: false,
      isNamed: isAskedFor(term.word, text),
      isName: context.isName(term.stem),
      members: term.weak ? [] : context.membersOf(term.stem),
      isAction: isDone(term.word, replaced, term.weak),
    };
  };
  const main = toTerms(replaced, context.synonyms).map((term) => toWeighted(term, 1));
  const beside = toTerms(replacePhrases(aside), context.synonyms)
    .filter(({ stem, weak }) => !weak && !main.some((term) => term.stem === stem))
    .map((term) => toWeighted(term, asideShare));
  const own = promote([...main, ...beside]);
  const topics = own.filter(({ weak, isOfAspect }) => !weak && !isOfAspect);
  const question = {
    text,
    topics,
    form: aspect?.dimension && / or /.test(text) ? ('compare' as const) : readForm(replaced),
    extreme: readExtreme(text),
    isDouble,
    referents: [] as WeightedTerm[],
    isTold:
      (aspect === undefined || toldOfOneself.test(text)) &&
      told.test(text) &&
      !/\?|\b(what|how|can|could|should|may|do|does|is it|are)\b/i.test(text),
    isVague: aspect !== undefined && own.every(({ weak, isOfAspect }) => weak || isOfAspect),
    isNegated: /^\W*(what|which|who|when|where)\b.*(\bnot\b|n['’]t\b)/i.test(text),
  };
  const previous = context.earlier.at(-1);
  const pointsAtBefore =
    topics.length === 0 ||
    (topics.length <= maxOwnTopics && (followUpStart.test(text) || pointsBack.test(text)));
  // "How much to fix?" names no thing of the site's: it is still about what was spoken of.
  const namesNothing =
    topics.length <= 2 &&
    toWords(text).length <= maxShortWords &&
    !topics.some(({ stem }) => context.isThing(stem));
  const isFollowUp = previous !== undefined && (pointsAtBefore || namesNothing);
  const known = new Set(own.map(({ stem }) => stem));
  const take = (terms: readonly WeightedTerm[], share: number) =>
    terms
      .filter(
        ({ stem, weak, isPlace, isOfAspect }) =>
          !known.has(stem) && !weak && !isOfAspect && !(isPlace && topics.some((topic) => topic.isPlace)),
      )
      .filter(({ stem }) => !topics.some((topic) => context.areSiblings(topic.stem, stem)))
      .map(
        (term): WeightedTerm => ({
          ...term,
          share: term.share * share,
          isOfAspect: aspectStems.has(term.stem),
        }),
      );
  if (isFollowUp) {
    const before = readQuestion(previous, { ...context, earlier: context.earlier.slice(0, -1) });
    const share = topics.length === 0 ? 0.9 : topics.length === 1 ? 0.7 : 0.35;
    const taken = take(toReferents(text, previous, before), pointsAtBefore ? share : besideShare);
    const referents = refersBack.test(text) && !topics.some(isOfThing) ? taken.filter(isOfThing) : [];
    // "How heavy is it?" asks no more whether it is waterproof.
    const isAnew = aspect !== undefined && topics.length === 0 && referents.length > 0;
    const carried = isAnew
      ? taken.filter((term) => referents.includes(term) || /^\d/.test(term.word))
      : taken;
    return {
      ...question,
      referents,
      terms: [...own, ...carried.map((term) => ({ ...term, isBeside: !pointsAtBefore }))],
      // "Can I cancel it?" asks for no price, though one was asked for before.
      aspect:
        aspect ??
        (pointsAtBefore && (topics.length === 0 || question.form === 'plain') ? before.aspect : undefined),
      isFollowUp,
    };
  }
  // "How much is the Skylark 2?" names what is meant: the page is not it, unless "this" is said.
  const isClear = question.isVague || topics.some(({ isName }) => isName);
  // Or nothing but "price?" is.
  const isOfPage =
    (question.isVague && toWords(text).length <= maxBareWords) ||
    (isClear ? pointsAtPage : pointsHere).test(text);
  if (context.pageTitle !== undefined && isOfPage) {
    const ofPage = toTerms(context.pageTitle, context.synonyms).map((term) => ({
      ...toWeighted(term, 1),
      isOfPage: true,
    }));
    return { ...question, terms: [...own, ...take(ofPage, 0.3)], aspect, isFollowUp };
  }
  return { ...question, terms: own, aspect, isFollowUp };
}

const isOfThing = ({ isName, isPlace, members }: WeightedTerm) => (isName && !isPlace) || members.length > 0;

/** "It" said again means what it meant before, not what was asked about it in between. */
function toReferents(text: string, previous: string, { isFollowUp, terms }: Question): WeightedTerm[] {
  if (!isFollowUp || !pronoun.test(text) || !pronoun.test(previous)) return terms;
  return terms.map((term) => ({ ...term, share: term.share === 1 ? inBetweenShare : 1 }));
}

/** A word that the site lacks may be a kind of one that it has, or lie there: a labrador is a dog, Ohio is in the US. */
function toKnown(term: Term, context: ReadContext): Pick<WeightedTerm, 'isUnknown' | 'related'> {
  if (context.knows(term)) return { isUnknown: false, related: [] };
  const related = term.weak
    ? []
    : findRelated(term.word)
        .filter((word) =>
          context.knows({ word, stem: toStem(word), weak: false, synonyms: [], otherStems: [] }),
        )
        .slice(0, 3);
  return { isUnknown: related.length === 0, related };
}

/** "I am 1.80 m tall. Up to what height does it fit?": the question, and what is said beside it. */
function splitAside(text: string): { text: string; aside: string } {
  const sentences = text.split(/(?<=[.!?])\s+(?=\S)/).filter((part) => part.trim() !== '');
  if (sentences.length < 2) {
    const clauses = /^\W*(?:can|could|may|should|do|does|is|are|will|would)\b/i.test(text)
      ? /^(\S.{12,}?),? (?:while|because|although|since|when) (.+)$/i
      : /^(\S.{12,}?),? (?:while|because|although|since) (.+)$/i;
    const [, main, clause] = clauses.exec(text) ?? [];
    return main !== undefined && clause !== undefined ? { text: main, aside: clause } : { text, aside: '' };
  }
  const at = Math.max(
    0,
    sentences.findLastIndex((part) => part.trim().endsWith('?')),
  );
  const main = sentences.some((part) => part.trim().endsWith('?')) ? at : sentences.length - 1;
  return { text: sentences[main]!, aside: sentences.filter((_, index) => index !== main).join(' ') };
}

/** Where nothing else is a topic, the words that usually tell little are. */
function promote(terms: WeightedTerm[]): WeightedTerm[] {
  if (terms.some(({ weak, isOfAspect }) => !weak && !isOfAspect)) return terms;
  return terms.map((term) =>
    term.weak && !term.isOfAspect && !term.isUnknown ? { ...term, weak: false } : term,
  );
}
