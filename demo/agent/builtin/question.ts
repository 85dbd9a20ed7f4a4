/** What a question asks: its terms, the aspect and form of its answer, and what it takes over from before. */

import { type Term, toTerms } from '../retrieval/terms.ts';
import { findRelated } from '../retrieval/wordnet.ts';
import { toStem, toWords } from '../retrieval/words.ts';
import { type Aspect, readAspect } from './aspects.ts';
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
  /** Not said: it names the page that the visitor is on. */
  isOfPage: boolean;
  /** What is asked for by name: without it there is no answer. */
  isNamed: boolean;
}

export type Form = 'how-to' | 'may' | 'compare' | 'plain';
export type Extreme = { most: boolean; word: string };

export interface Question {
  text: string;
  terms: WeightedTerm[];
  /** Terms of its own that name a topic. */
  topics: WeightedTerm[];
  aspect: Aspect | undefined;
  form: Form;
  extreme: Extreme | undefined;
  isFollowUp: boolean;
  /** "What is not covered?" */
  isNegated: boolean;
  /** "How long does it take?": of nothing in particular. */
  isVague: boolean;
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
  /** Two things of the same kind, such as two products: one said anew stands in the other's place. */
  areSiblings(one: string, other: string): boolean;
}

const followUpStart = /^\s*(and|or|but|also|what about|how about|what if|then|to|in|for|with|which one)\b/i;
const pointsBack = /\b(it|its|they|them|that|those|these|there|one|ones|same|he|she|his|her|him)\b/i;
const pointsAtPage = /\b(this|these|here)\b/i;
const pointsHere = /\b(this|it|its|here|these|the)\b/i;
const maxOwnTopics = 3;
const asideShare = 0.35;

export function readQuestion(asked: string, context: ReadContext): Question {
  const { text, aside } = splitAside(asked);
  const isDouble = / and (?:how|what|when|until when|where|which)\b/i.test(text);
  const aspect =
    (isDouble ? readAspect(text.split(/ and (?:how|what|when|until when|where|which)\b/i)[0]!) : undefined) ??
    readAspect(text);
  const aspectStems = new Set(toWords(aspect?.words ?? '').map(toStem));
  const toWeighted = (term: Term, share: number): WeightedTerm => ({
    ...term,
    share,
    ...toKnown(term, context),
    isPlace: isPlaceName(term.word),
    isOfAspect: aspectStems.has(term.stem),
    isOfPage: false,
    isNamed: isAskedFor(term.word, text),
  });
  const main = toTerms(replacePhrases(text), context.synonyms).map((term) => toWeighted(term, 1));
  const beside = toTerms(replacePhrases(aside), context.synonyms)
    .filter(({ stem, weak }) => !weak && !main.some((term) => term.stem === stem))
    .map((term) => toWeighted(term, asideShare));
  const own = promote([...main, ...beside]);
  const topics = own.filter(({ weak, isOfAspect }) => !weak && !isOfAspect);
  const question = {
    text,
    topics,
    form: aspect?.dimension && / or /.test(text) ? ('compare' as const) : readForm(text),
    extreme: readExtreme(text),
    isDouble,
    isVague: aspect !== undefined && own.every(({ weak, isOfAspect }) => weak || isOfAspect),
    isNegated: /^\W*(what|which|who|when|where)\b.*(\bnot\b|n['’]t\b)/i.test(text),
  };
  const previous = context.earlier.at(-1);
  const isFollowUp =
    previous !== undefined &&
    (topics.length === 0 ||
      (topics.length <= maxOwnTopics && (followUpStart.test(text) || pointsBack.test(text))));
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
    return {
      ...question,
      terms: [...own, ...take(before.terms, topics.length === 0 ? 0.9 : topics.length === 1 ? 0.7 : 0.35)],
      aspect: aspect ?? before.aspect,
      isFollowUp,
    };
  }
  if (context.pageTitle !== undefined && (question.isVague ? pointsAtPage : pointsHere).test(text)) {
    const ofPage = toTerms(context.pageTitle, context.synonyms).map((term) => ({
      ...toWeighted(term, 1),
      isOfPage: true,
    }));
    return { ...question, terms: [...own, ...take(ofPage, 0.3)], aspect, isFollowUp };
  }
  return { ...question, terms: own, aspect, isFollowUp };
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

/** "Which brand …", "is there a crèche", "do you do cremations". */
function isAskedFor(word: string, text: string): boolean {
  const before = String.raw`\b(which|what|what (kind|sort|type)s? of|is there|are there|do you (have|sell|do|offer|make|run|take|treat|stock|provide|know)|can i (rent|hire|buy|get|have)|how many|(any|some)(one|body) who (does|do|is|can))`;
  const verb = String.raw`\b(can|could|may|do|does|will|would) (i|you|we|they|my \w+)`;
  if (new RegExp(`${verb} ${word}\\b`, 'i').test(text)) return true;
  return new RegExp(`${before}( an?| any| the| your| some)?( [\\w-]+)? ${word}\\b`, 'i').test(text);
}

function readForm(text: string): Form {
  if (/\b(compare|comparison|difference|differ|versus|vs\.?)\b/i.test(text)) return 'compare';
  if (
    /\b(than|less|more)\b.*\bor\b|\b\w+er\b.*\b(or|than)\b|\bwhich (one|of them|of the two|of those)\b.*\b\w+er\b/i.test(
      text,
    )
  )
    return 'compare';
  if (
    /\b(how (do|can|to|should|would|could|must)|steps?\b|what (should|shall|must|do) i do|what now)\b/i.test(
      text,
    )
  )
    return 'how-to';
  if (
    /^(\W|and |but |so |hi |hello |please )*(can|could|may|might|should|shall|is it|am i|are|would it)\b|\b(safe|ok|okay|allowed|alright|dangerous) (to|if|for)\b|\b(can|may|should|shall) (i|we|my|he|she|it|you)\b(?!.*\b(where|when)\b)/i.test(
      text,
    ) &&
    !/^\W*(where|when|how|what|which|who|from|until|by)\b/i.test(text)
  )
    return 'may';
  return 'plain';
}

const extremes: readonly [RegExp, boolean][] = [
  [
    /\b(cheapest|lightest|smallest|shortest|lowest|coldest|fastest|quickest|least expensive|earliest|thinnest|narrowest)\b/i,
    false,
  ],
  [
    /\b(most expensive|dearest|heaviest|biggest|largest|tallest|longest|highest|warmest|slowest|latest|roomiest|priciest|widest)\b/i,
    true,
  ],
];

function readExtreme(text: string): Extreme | undefined {
  for (const [pattern, most] of extremes) {
    const word = pattern.exec(text)?.[0];
    if (word) return { most, word: word.toLowerCase() };
  }
  return undefined;
}

const places = new Set<string>();
const regionNames = new Intl.DisplayNames('en', { type: 'region' });
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
for (const first of letters)
  for (const second of letters) {
    const name = regionNames.of(first + second);
    if (name && name !== first + second)
      for (const word of toWords(name))
        if (
          word.length > 3 &&
          !/^(and|south|north|island|islands|united|states|kingdom|republic|saint|unknown|region|outlying|territory|territories|french|southern|northern|british|virgin|central|part|city|land|coast|ivory|world|ocean|indian|new|american|heard|cook|isle|norfolk|christmas|guinea|equatorial|dutch|turkey|chad|jordan|niger|mali|cocos|keeling|pseudo|accents|bidi|ascension|reunion|european|union|outlying|us)$/.test(
            word,
          )
        )
          places.add(word);
  }
for (const word of toWords(
  'alaska hawaii guam usa britain america england scotland wales europe asia africa texas california florida australia brasil',
))
  places.add(word);

export function isPlaceName(word: string): boolean {
  return places.has(word);
}
