/** The words of a bot's pages: which are known, and how rare each is. */

import type { Search } from '../retrieval/search.ts';
import type { Term } from '../retrieval/terms.ts';
import { toStem, toStems, toWords } from '../retrieval/words.ts';
import { findNearest, joinParts } from './spelling.ts';
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

const dates = toStems(
  'monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november december',
);
