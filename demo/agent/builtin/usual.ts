/** What every site is asked, in few words: hours, place, ways to reach and to pay, delivery, data. Each has its own place. */

import { isPlaceName } from '../retrieval/places.ts';
import type { FoundPassage } from '../retrieval/search.ts';
import { toTerms } from '../retrieval/terms.ts';
import { toShortTitle } from '../retrieval/title.ts';
import { findRelated } from '../retrieval/wordnet.ts';
import { toStem, toWords } from '../retrieval/words.ts';
import { isHomePath, toUnits, type Unit } from './units.ts';
import { type Usual, usuals } from './usuals.ts';
import { usualsOfBuying } from './usuals-buying.ts';

const polite =
  /^(?:(?:hi|hello|hey|and|so|please|ok|okay|can you tell me|could you tell me|do you know|i want to know|id like to know|tell me) )+|(?: (?:please|pls|thanks|thank you))+$/g;
const patterns = [...usuals, ...usualsOfBuying].map(({ asked, ...one }) => ({
  one,
  asked: new RegExp(`^(?:${asked.join('|')})$`),
}));

/** @returns undefined for anything more special */
export function readUsual(text: string): Usual | undefined {
  const plain = text
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .replace(/\bur\b/g, 'your')
    .replace(/\bu\b/g, 'you')
    .replace(polite, '');
  return patterns.find(({ asked }) => asked.test(plain))?.one;
}

/** What is said of all that a table does not list: "We do not ship to other countries." */
const ofOthers = /\b(not|no|only|nowhere)\b.*\b(other|others|else|elsewhere|outside)\b/i;
const mostRows = 12;
const mostSentences = 3;

/** What the site's own place for it says; nothing when it has none. */
export function findUsual(usual: Usual, passages: readonly FoundPassage[], asked: string): Unit[] {
  const { headed, tells } = usual;
  let best: { units: Unit[]; score: number } | undefined;
  for (const passage of passages) {
    const units = toUnits(passage).filter(({ kind }) => kind !== 'steps');
    const caption = units.find(({ cells }) => cells)?.cells?.table.caption ?? '';
    const headings = passage.section.split(' › ');
    const score =
      (headed.test(headings.at(-1) ?? '') ? 3 : 0) +
      (headed.test(caption) ? 2 : 0) +
      (headed.test(toShortTitle(passage.title)) ? 1 : 0) -
      (passage.url !== null && isHomePath(new URL(passage.url).pathname) ? 0.5 : 0) +
      (/\bcontact\b/i.test(passage.title) ? 0.5 : 0);
    const first = units.findIndex(({ text, attribute = '' }) => tells(`${attribute} ${text}`));
    if (score <= 0.5 || first < 0 || score <= (best?.score ?? 0)) continue;
    const others = passages
      .filter(({ url, section }) => url === passage.url && section === passage.section)
      .flatMap(toUnits)
      .filter(({ kind, text }) => kind === 'sentence' && ofOthers.test(text));
    best = { units: pickUnits(units, first, usual, asked, others), score };
  }
  return best?.units ?? [];
}

function pickUnits(
  units: readonly Unit[],
  first: number,
  { isShort, isInSomeRows, tells, words }: Usual,
  asked: string,
  others: readonly Unit[],
): Unit[] {
  const one = units[first]!;
  if (isShort) return [one];
  const rows = units.filter(({ kind, line }) => kind === 'row' && line === one.line);
  if (rows.length > 0) {
    const picked = pickRows(isInSomeRows ? rows.filter(({ text }) => tells(text)) : rows, words, asked);
    const isPlaceAsked = /\bto [a-z]/i.test(asked) && toWords(asked).some(isPlaceName);
    const isInNoRow = rows.length > 1 && picked.length === Math.min(rows.length, mostRows);
    return isPlaceAsked && isInNoRow ? [...others.slice(0, 1), ...picked] : picked;
  }
  if (one.kind === 'attribute')
    return units
      .filter(({ kind, text, line }) => kind === 'attribute' && line === one.line && tells(text))
      .slice(0, 4);
  const items = units.filter(({ kind, line }) => kind === 'item' && line === one.line);
  if (one.kind === 'item') return items.slice(0, mostRows);
  return units
    .slice(first)
    .filter(({ kind, text }) => kind === 'sentence' && /[.!?]$/.test(text))
    .slice(0, mostSentences);
}

/** "Do you ship to Canada?": its rows alone, where it has any. */
function pickRows(rows: Unit[], words: Usual['words'], asked: string): Unit[] {
  const usualStems = new Set(words.map(toStem));
  const said = toTerms(asked).filter(({ weak, stem }) => !weak && !usualStems.has(stem));
  const named = rows.filter(({ own }) => said.some(({ stem }) => own.has(stem)));
  // "Do you ship to London?": London lies in what a row names.
  const wider = new Set(
    said
      .filter(({ word }) => isPlaceName(word))
      .flatMap(({ word }) => findRelated(word).filter(isPlaceName).map(toStem)),
  );
  const meant = named.length > 0 ? named : rows.filter(({ own }) => [...wider].some((stem) => own.has(stem)));
  // "Do you post to Belfast?": ways and weights do not tell whether a place is one of those.
  const isByPlace = () => rows.some(({ text }) => toWords(text).some(isPlaceName));
  if (meant.length === 0 && /\bto [a-z]/i.test(asked) && said.length > 0 && !isByPlace()) return [];
  return (meant.length > 0 ? meant : rows).slice(0, mostRows);
}
