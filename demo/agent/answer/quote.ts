/** The choice of what to quote: sentences, list items and table rows scored by the terms that they share. */

import { toSentences } from '../retrieval/chunk.ts';
import type { FoundPassage } from '../retrieval/search.ts';
import { toStem, toStems, toWords } from '../retrieval/terms.ts';
import type { Question, WeightedTerm } from './question.ts';

export interface Quote {
  passage: FoundPassage;
  kind: 'sentence' | 'item' | 'row';
  /** As on the page, without "- ". */
  text: string;
  /** The first row of a quoted row's table. */
  header?: string;
  /** Position in its passage. */
  at: number;
  score: number;
  /** 0 to 1: how much of what was asked this quote and its headings name. */
  coverage: number;
}

/** Below it, a page names too little of what was asked to be an answer. */
export const leastCoverage = 0.6;
const maxQuotes = 4;
const maxQuotedWords = 140;
/** A further quote must be nearly as good as the best one. */
const nearBest = 0.75;
const nearBestCoverage = 0.9;
const weakShare = 0.3;
const headingShare = 0.6;
/** A quote whose headings name the matter too is more likely about it. */
const alsoInHeading = 0.25;
const synonymShare = 0.7;
const kindBonus = 0.35;

/** All quotes of these passages, best first. */
export function scoreQuotes(
  passages: readonly FoundPassage[],
  question: Question,
  rarity: ReadonlyMap<string, number>,
): Quote[] {
  const weightOf = (term: WeightedTerm) =>
    (rarity.get(term.stem) ?? 1) * term.share * (term.weak ? weakShare : 1);
  const total = question.terms.reduce((sum, term) => sum + weightOf(term), 0);
  const own = question.terms.filter(({ share }) => share === 1);
  const ownTotal = own.reduce((sum, term) => sum + weightOf(term), 0);

  return passages
    .flatMap((passage) => {
      const headings = toStems(`${passage.section} ${passage.title}`);
      return toUnits(passage).map((unit): Quote => {
        const stems = toStems(unit.text);
        const shareOf = (term: WeightedTerm) => {
          const inText = matchShare(term, stems);
          const inHeading = matchShare(term, headings);
          return inText > 0 ? inText + alsoInHeading * inHeading : headingShare * inHeading;
        };
        let score = question.terms.reduce((sum, term) => sum + weightOf(term) * shareOf(term), 0);
        if (question.kind?.found.test(unit.text)) score += kindBonus * Math.max(total, 1);
        if (isFragment(unit.text)) score *= 0.5;
        const covered = own.reduce((sum, term) => sum + (shareOf(term) > 0 ? weightOf(term) : 0), 0);
        return { ...unit, passage, score, coverage: ownTotal === 0 ? 1 : covered / ownTotal };
      });
    })
    .sort((a, b) => b.score - a.score || a.passage.id - b.passage.id || a.at - b.at);
}

/** The best quote and those near it, without repeats, best first. */
export function pickQuotes(scored: readonly Quote[]): Quote[] {
  const usable = scored.filter(({ coverage }) => coverage >= leastCoverage);
  const best = usable[0];
  if (!best) return [];
  const picked: Quote[] = [];
  const seen = new Set<string>();
  let words = 0;
  for (const quote of usable) {
    if (picked.length >= maxQuotes || quote.score < best.score * nearBest) break;
    if (quote.coverage < best.coverage * nearBestCoverage) continue;
    const same = toWords(quote.text).join(' ');
    const count = toWords(quote.text).length;
    if (seen.has(same) || (picked.length > 0 && words + count > maxQuotedWords)) continue;
    seen.add(same);
    words += count;
    picked.push(quote);
  }
  return picked;
}

/** The best score of each page, best first. */
export function scorePages(scored: readonly Quote[]): { key: string; title: string; score: number }[] {
  const pages = new Map<string, { key: string; title: string; score: number }>();
  for (const { passage, score } of scored) {
    const key = toPageKey(passage);
    if (!pages.has(key)) pages.set(key, { key, title: passage.title, score });
  }
  return [...pages.values()];
}

export function toPageKey(passage: FoundPassage): string {
  return passage.url ?? passage.source_id;
}

/** The words of a link or a question of the page's own answer nothing. */
function isFragment(text: string): boolean {
  return text.endsWith('?') || (toWords(text).length < 6 && !/[\d.!]/.test(text));
}

function matchShare(term: WeightedTerm, stems: ReadonlySet<string>): number {
  if (stems.has(term.stem)) return 1;
  return term.synonyms.some((synonym) => stems.has(toStem(synonym))) ? synonymShare : 0;
}

function toUnits(passage: FoundPassage): Pick<Quote, 'kind' | 'text' | 'header' | 'at'>[] {
  const units: Pick<Quote, 'kind' | 'text' | 'header' | 'at'>[] = [];
  let header: string | undefined;
  for (const line of passage.content.split('\n')) {
    const at = units.length;
    if (line.startsWith('| ')) {
      if (header === undefined) header = line;
      else units.push({ kind: 'row', text: line, header, at });
      continue;
    }
    header = undefined;
    if (line.startsWith('- ') && toSentences(line.slice(2)).length < 3)
      units.push({ kind: 'item', text: line.slice(2), at });
    else
      toSentences(line.replace(/^- /, '')).forEach(
        (text, index) => void units.push({ kind: 'sentence', text, at: at + index }),
      );
  }
  return units;
}
