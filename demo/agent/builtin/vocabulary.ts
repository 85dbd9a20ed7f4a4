/** The words of a bot's pages: which are known, how rare each is, and which one a misspelt word means. */

import { readFileSync } from 'node:fs';
import wordListPath from 'word-list';
import type { Search } from '../retrieval/search.ts';
import { fillers, isCommonWord, knownSynonyms, type Term } from '../retrieval/terms.ts';
import { countUses, isInWordNet } from '../retrieval/wordnet.ts';
import { toStem, toStems, toWords } from '../retrieval/words.ts';
import { nameOther, nameThings } from './things.ts';

export interface Vocabulary {
  hasWord(word: string): boolean;
  /** In a heading or the name of a row: something that the site has. */
  isThing(stem: string): boolean;
  knows(term: Term): boolean;
  /** Under the same heading, or in the first column of the same table. */
  areSiblings(one: string, other: string): boolean;
  /** Written with a capital wherever it stands, and not the site's own: no other thing's answer is its own. */
  isName(stem: string): boolean;
  /** What else the heading of a thing of this name says: a Kestrel is a canister stove. */
  kindsOf(stem: string): readonly string[];
  /** The names of the things that stand under a heading of this word: a Lark is a sleeping bag. */
  membersOf(stem: string): readonly string[];
  /** In most of the pages' sections: the site's own name, for example. */
  isEverywhere(stem: string): boolean;
  /** The rarer, the more it says: 0.3 to 6 or so. Of a word that the site lacks, that of its commonest synonym there. */
  rarity(stem: string, synonyms?: readonly string[]): number;
  /** "What tents do you sell", "the two tents": with the names of the things under that heading. */
  nameThings(text: string): string;
  /** "And the other one?", after the question before: with its name. */
  nameOther(text: string, before: string | undefined): string;
  /** The text with misspelt words replaced by the site's own. */
  correct(text: string): string;
}

const maxKept = 20;
/** Read again when the passages have changed. */
export function createVocabularies(search: Search) {
  const kept = new Map<string, { version: string; vocabulary: Vocabulary }>();
  return (botId: string): Vocabulary => {
    const version = search.version(botId);
    const known = kept.get(botId);
    if (known?.version === version) return known.vocabulary;
    const vocabulary = createVocabulary(search.texts(botId), search.names(botId));
    kept.delete(botId);
    kept.set(botId, { version, vocabulary });
    if (kept.size > maxKept) kept.delete(kept.keys().next().value!);
    return vocabulary;
  };
}

function createVocabulary(texts: Iterable<string>, headings: Iterable<string>): Vocabulary {
  const words = new Map<string, number>();
  const stems = new Map<string, number>();
  const plain = new Set<string>();
  const capital = new Set<string>();
  const rows: [string, string][] = [];
  let total = 0;
  for (const text of texts) {
    total += 1;
    const inText = new Set(toWords(text));
    for (const [table, name] of readRowNames(text)) rows.push([`${total} ${table}`, name]);
    for (const [word] of text.matchAll(/\p{L}[\p{L}\p{N}]+/gu))
      (word[0] === word[0]!.toLowerCase() ? plain : capital).add(toStem(word.toLowerCase()));
    for (const word of inText) words.set(word, (words.get(word) ?? 0) + 1);
    for (const stem of new Set([...inText].map(toStem))) stems.set(stem, (stems.get(stem) ?? 0) + 1);
  }
  const names = [...headings];
  const things = new Set<string>();
  for (const name of names) for (const stem of toStems(name)) things.add(stem);
  const kinds = new Map<string, Set<string>>();
  const addKind = (name: string, kind: string) => {
    for (const stem of toStems(name)) kinds.set(stem, (kinds.get(stem) ?? new Set()).add(kind));
  };
  for (const name of names) {
    const parts = name.split(' › ');
    if (parts.length > 1) addKind(parts.at(-1)!, parts.slice(0, -1).join(' › '));
  }
  for (const [table, name] of rows) addKind(name, table);
  const corrections = new Map<string, string>();

  const correctWord = (word: string): string => {
    const known = corrections.get(word);
    if (known !== undefined) return known;
    const corrected = findNearest(word, words, stems) ?? word;
    if (corrections.size < 10_000) corrections.set(word, corrected);
    return corrected;
  };

  const isEverywhere = (stem: string) => total > 5 && (stems.get(stem) ?? 0) > total / 2;
  const isName = (stem: string) =>
    capital.has(stem) && !plain.has(stem) && !dates.has(stem) && !isEverywhere(stem);
  const members = new Map<string, Set<string>>();
  for (const name of names) {
    const parts = name.split(' › ');
    if (parts.length < 2) continue;
    const own = [...toStems(parts.at(-1)!)].filter(isName);
    for (const stem of toStems(parts.at(-2)!))
      for (const one of own) members.set(stem, (members.get(stem) ?? new Set()).add(one));
  }

  return {
    knows: ({ stem, synonyms }) => stems.has(stem) || synonyms.some((word) => stems.has(toStem(word))),
    hasWord: (word) => words.has(word.toLowerCase()),
    areSiblings: (one, other) =>
      one !== other && [...(kinds.get(one) ?? [])].some((kind) => kinds.get(other)?.has(kind)),
    isName,
    membersOf: (stem) => [...(members.get(stem) ?? [])],
    isThing: (stem) => things.has(stem),
    kindsOf: (stem) =>
      names.flatMap((name) => {
        const own = toStems(name.split(' › ').at(-1)!);
        return own.has(stem) ? [...own].filter((other) => other !== stem) : [];
      }),
    isEverywhere,
    rarity(stem, synonyms = []) {
      const holding = stems.get(stem) ?? Math.max(0, ...synonyms.map((word) => stems.get(toStem(word)) ?? 0));
      return Math.log(1 + (total - holding + 0.5) / (holding + 0.5));
    },
    nameThings: (text) => nameThings(text, names),
    nameOther: (text, before) => nameOther(text, before, names),
    correct: (text) =>
      joinParts(text, words).replace(/[\p{L}’']{4,}/gu, (word) => {
        const lower = word.toLowerCase();
        const corrected = correctWord(lower);
        return corrected === lower ? word : corrected;
      }),
  };
}

/** The first cell of each row, with its table's header. */
function* readRowNames(text: string): Iterable<[table: string, name: string]> {
  let header: string | undefined;
  for (const line of text.split('\n')) {
    if (!line.startsWith('| ')) {
      if (!line.startsWith('|')) header = undefined;
      continue;
    }
    if (header === undefined) header = line;
    else yield [header, line.slice(2).split(' | ')[0]!];
  }
}

function findNearest(word: string, words: ReadonlyMap<string, number>, stems: ReadonlyMap<string, number>) {
  const isKnown = words.has(word) || stems.has(toStem(word)) || young.has(word) || isCommonWord(word);
  if (!/^[a-z]+$/.test(word) || isKnown) return undefined;
  if (isEnglish(word)) {
    // "mutch" is a cap, but hardly meant.
    const common =
      countUses(word) === 0 &&
      [...fillers].find((each) => each.length >= 4 && editDistance(word, each, 1) <= 1);
    return common || (toFullWord(word, words) ?? splitExactly(word, words));
  }
  const limit = word.length >= 6 ? 2 : 1;
  let best: { word: string; distance: number; count: number } | undefined;
  const consider = (candidate: string, count: number) => {
    if (candidate.length < 3 || Math.abs(candidate.length - word.length) > limit) return;
    // Hardly anybody gets the first letter wrong.
    if (candidate[0] !== word[0] && candidate[1] !== word[0]) return;
    const distance = editDistance(word, candidate, limit);
    if (distance > limit) return;
    if (!best || distance < best.distance || (distance === best.distance && count > best.count))
      best = { word: candidate, distance, count };
  };
  for (const [candidate, count] of words) if (/^[a-z]+$/.test(candidate)) consider(candidate, count);
  if (!best) for (const candidate of fillers) if (candidate.length >= 4) consider(candidate, 0);
  for (const candidate of knownSynonyms()) if (!best) consider(candidate, 0);
  return best?.word ?? toFullWord(word, words) ?? splitCompound(word, words);
}

/** "temp" for temperature: a short form that hardly anybody writes out as a word of its own. */
function toFullWord(word: string, words: ReadonlyMap<string, number>): string | undefined {
  if (word.length > 5 || countUses(word) > 0) return undefined;
  let best: { word: string; count: number } | undefined;
  for (const [candidate, count] of words)
    if (candidate.startsWith(word) && candidate.length >= word.length + 3 && count > (best?.count ?? 0))
      best = { word: candidate, count };
  return best?.word;
}

/** "daypack" where the site has a day pack. */
function splitExactly(word: string, words: ReadonlyMap<string, number>): string | undefined {
  for (let at = 3; at <= word.length - 3; at += 1) {
    const [left, right] = [word.slice(0, at), word.slice(at)];
    if (words.has(left) && words.has(right)) return `${left} ${right}`;
  }
  return undefined;
}

/** "giftcrads": two words of the site without the space between them, the second perhaps with a slip. */
function splitCompound(word: string, words: ReadonlyMap<string, number>): string | undefined {
  for (let at = 4; at <= word.length - 4; at += 1) {
    const [left, right] = [word.slice(0, at), word.slice(at)];
    if (!words.has(left)) continue;
    if (words.has(right)) return `${left} ${right}`;
    for (const candidate of words.keys())
      if (candidate[0] === right[0] && candidate.length >= 4 && editDistance(right, candidate, 1) <= 1)
        return `${left} ${candidate}`;
  }
  return undefined;
}

/** "micro chipp" where the site has "microchip". */
function joinParts(text: string, words: ReadonlyMap<string, number>): string {
  return text.replace(
    /(?<![\p{L}\d])(\p{L}{3,}) (\p{L}{3,})/gu,
    (said: string, left: string, right: string) => {
      const [one, other] = [left.toLowerCase(), right.toLowerCase()];
      if (fillers.has(one) || fillers.has(other) || (words.has(one) && words.has(other))) return said;
      const joined = one + other;
      const isNear = (word: string) =>
        word.length >= 7 && word[0] === joined[0] && Math.abs(word.length - joined.length) <= 1;
      const meant = [...words.keys()].find((word) => isNear(word) && editDistance(joined, word, 1) <= 1);
      return meant ?? said;
    },
  );
}

const dates = toStems(
  'monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november december',
);

/** Younger than the dictionaries, or short for something. */
const young = new Set(
  `wifi nhs app apps usb bluetooth pdf csv api sms gps iphone ipad android emoji hashtag selfie podcast vlog ebook ebike vape vegan
  paypal klarna venmo whatsapp instagram facebook tiktok youtube google airbnb uber linkedin login signup timeslot preorder
  smartphone webcam dropbox covid gdpr faq atm oap vat iva crypto bitcoin`.split(/\s+/),
);
let english: Set<string> | undefined;

/** A word of the language is taken as it is: boats are no misspelt boots. */
function isEnglish(word: string): boolean {
  english ??= new Set(readFileSync(wordListPath, 'utf8').split('\n'));
  return isCommonWord(word) || english.has(word) || isInWordNet(word);
}

/** Insertions, deletions, replacements and swaps of neighbours; more than `limit` is only told as more. */
export function editDistance(a: string, b: string, limit: number): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      let cost = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, before[j - 2]! + 1);
      row.push(cost);
    }
    if (Math.min(...row) > limit) return limit + 1;
    before = last;
    last = row;
  }
  return last[b.length]!;
}
