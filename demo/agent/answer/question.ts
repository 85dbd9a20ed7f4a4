/** What a question asks for: its terms, the kind of its answer, an order number, a product in stock, small talk. */

import { type Term, toTerms, toWords } from '../retrieval/terms.ts';

export interface WeightedTerm extends Term {
  /** 1 for the question's own terms, less for those of the question before. */
  share: number;
}

export interface Question {
  text: string;
  terms: WeightedTerm[];
  /** Terms of its own that name a topic. */
  topics: WeightedTerm[];
  kind: AnswerKind | undefined;
  isFollowUp: boolean;
}

/** What the answer must hold to be one. */
export interface AnswerKind {
  name: string;
  asked: RegExp;
  found: RegExp;
  /** To search with when the question names no topic. */
  words: readonly string[];
}

const kinds: readonly AnswerKind[] = [
  {
    name: 'weight',
    asked: /\bhow heavy\b|\bweigh/i,
    found: /\d\s?(g|kg|lbs?|oz|grams?|kilos?)\b/i,
    words: ['weight', 'kg', 'g'],
  },
  {
    name: 'duration',
    asked: /\bhow (long|fast|quick|quickly|soon|many (days|weeks))\b|\bwhen (will|does|do|can)\b/i,
    found: /\d[^.]*\b(minutes?|hours?|days?|weeks?|months?|years?)\b|\b(same|next) day\b/i,
    words: ['days', 'weeks', 'hours', 'months'],
  },
  {
    name: 'price',
    asked: /\bhow much\b|\bprices?\b|\bcosts?\b|\bfees?\b/i,
    found: /[$€£]\s?\d|\bfree\b|\d\s?(usd|cad|eur|gbp)\b/i,
    words: ['cost', 'price', 'free', 'fee'],
  },
  {
    name: 'hours',
    asked: /\bwhat time\b|\bopening\b|\bopen\b|\bhours\b/i,
    found: /\d\s?(am|pm|a\.m|p\.m)\b|\d{1,2}:\d\d/i,
    words: ['open', 'hours'],
  },
  {
    name: 'phone',
    asked: /\b(phone|telephone)\b|\bcall you\b/i,
    found: /\+?\(?\d[\d\s()-]{6,}\d/,
    words: ['phone'],
  },
  {
    name: 'email',
    asked: /\be-?mail\b/i,
    found: /\S@\S/,
    words: ['email'],
  },
];

const followUpStart = /^\s*(and|or|but|also|what about|how about|what if|then)\b/i;
const pointsBack = /\b(it|its|they|them|that|this|those|these|there|one|same)\b/i;

/** `earlier` are the questions before, oldest first. */
export function readQuestion(text: string, earlier: readonly string[]): Question {
  const own = toTerms(text).map((term) => ({ ...term, share: 1 }));
  const topics = own.filter(({ weak }) => !weak);
  const previous = earlier.at(-1);
  const kind = kinds.find(({ asked }) => asked.test(text));
  const isFollowUp =
    previous !== undefined &&
    (topics.length === 0 || (topics.length <= 2 && (followUpStart.test(text) || pointsBack.test(text))));
  if (!isFollowUp) return { text, terms: own, topics, kind, isFollowUp };
  const before = readQuestion(previous, earlier.slice(0, -1));
  const known = new Set(own.map(({ stem }) => stem));
  const inherited = before.terms
    .filter(({ stem }) => !known.has(stem))
    .map((term) => ({ ...term, share: term.share / 2 }));
  return { text, terms: [...own, ...inherited], topics, kind: kind ?? before.kind, isFollowUp };
}

/** "LF-10234", upper case. */
export function readOrderNumber(text: string): string | undefined {
  return /\b[A-Z]{2}-\d{4,6}\b/i.exec(text)?.[0].toUpperCase();
}

export function asksForOrder(text: string): boolean {
  return /\bwhere('s|’s| is| are)? my (order|package|parcel|delivery)\b|\b(track|status of|check|find|look up) my (order|package|parcel|delivery)\b|\border status\b/i.test(
    text,
  );
}

const stockWords =
  /\b(in stock|out of stock|sold out|stock of|available|availability|back in|restocked?)\b/gi;

/** What somebody asks the stock of, or undefined when it is another question. */
export function readStockQuestion(text: string): string | undefined {
  if (text.search(stockWords) < 0) return undefined;
  const product = text
    .replace(stockWords, ' ')
    .replace(/[?!,;]|\.(?=\s|$)/g, ' ')
    .replace(
      /\b(is|are|do|does|did|you|have|has|got|the|a|an|any|still|currently|now|right|please|can|could|tell|me|if|whether|when|will|be|what|how|many|much|of|for|there|your|in|size|hi|hello|and|i|it|they|them|that|this|one|available)\b/gi,
      ' ',
    )
    .replace(/\s+/g, ' ')
    .trim();
  return product === '' ? undefined : product;
}

export type SmallTalk = 'greeting' | 'thanks' | 'identity';

export function readSmallTalk(text: string): SmallTalk | undefined {
  const words = toWords(text).join(' ');
  if (/^(who|what) (are|r) you|^are you (a |an )?(human|robot|bot|ai|person|real)/.test(words))
    return 'identity';
  if (words.split(' ').length > 4) return undefined;
  if (
    /^(hi|hello|hey|good (morning|afternoon|evening))\b/.test(words) &&
    toTerms(text).every(({ weak, stem }) => weak || /^(good|morn|afternoon|even)/.test(stem))
  )
    return 'greeting';
  if (/^(thanks?|thank you|thx|cheers)\b/.test(words)) return 'thanks';
  return undefined;
}

/** A page's title without the site's name. */
export function toShortTitle(title: string): string {
  return title.split(/\s+[|–—·-]\s+/)[0]?.trim() || title;
}
