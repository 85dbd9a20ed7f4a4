/** Which word a misspelt one means: the site's own before the language's. */

import { readFileSync } from 'node:fs';
import wordListPath from 'word-list';
import { fillers, isCommonWord, knownSynonyms } from '../retrieval/terms.ts';
import { countUses, isInWordNet } from '../retrieval/wordnet.ts';
import { toStem } from '../retrieval/words.ts';

export function findNearest(
  word: string,
  words: ReadonlyMap<string, number>,
  stems: ReadonlyMap<string, number>,
) {
  // "whers" has the stem of "where", and is no word that tells anything.
  const meant =
    !isEnglish(word) && [...fillers].find((each) => each.length >= 4 && toStem(each) === toStem(word));
  if (meant && meant !== word) return meant;
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
export function joinParts(text: string, words: ReadonlyMap<string, number>): string {
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
