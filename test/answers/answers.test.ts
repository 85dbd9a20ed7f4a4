/** How the built-in answerer fares over two sites: right, honestly declined, or wrong. No set may fare worse than it did. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { askAll, type Result, readQuestions, toShares, toTable, verdicts } from '../support/questions.ts';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const labels: Record<string, string> = {
  tuning: 'looked at while it was written',
  tuning2: 'looked at later',
  unseen: 'never looked at',
  safety: 'of dangers, never looked at',
  trades: 'hard ones, of four other trades',
  'unseen-trades': 'hard ones, of two more, never looked at',
};

function toReadmeRow(name: string, results: readonly Result[]): string {
  const counts = verdicts.map((verdict) => results.filter((one) => one.verdict === verdict).length);
  return `| ${labels[name]} | ${results.length} | ${counts.join(' | ')} |`;
}

/** `tuning`, `tuning2` and `safety-tuning` were looked at while the answerer was written, `unseen` and `safety` were not. */
test.each([
  ['tuning', '', 0.92, 0.06],
  ['tuning', '/', 0.92, 0.06],
  ['tuning2', '', 0.7, 0.09],
  ['unseen', '', 0.55, 0.14],
  ['unseen', '/', 0.55, 0.14],
  ['safety-tuning', '', 1, 0],
  ['safety', '/', 0.58, 0.09],
  ['trades', '/', 0.35, 0.155],
  ['unseen-trades', '/', 0.33, 0.125],
] as const)(
  '%s from "%s": right or rightly declined at least %d, wrong at most %d',
  async (name, page, good, wrong) => {
    const results = await askAll(readQuestions(name), page || undefined);
    console.log(`${name}\n${toTable(results)}`);
    const shares = toShares(results);
    expect(shares.good).toBeGreaterThanOrEqual(good);
    expect(shares.wrong).toBeLessThanOrEqual(wrong);
    // What a reader of the README is told is what was counted here.
    if (page === '/' || name === 'tuning2') expect(readme).toContain(toReadmeRow(name, results));
  },
  // A hundred questions each, on a busy machine.
  120_000,
);
