/** How the built-in answerer fares over two sites: right, honestly declined, or wrong. No set may fare worse than it did. */
import { expect, test } from 'vitest';
import { askAll, readQuestions, toShares, toTable } from '../support/questions.ts';

/** `tuning`, `tuning2` and `safety-tuning` were looked at while the answerer was written, `unseen` and `safety` were not. */
test.each([
  ['tuning', '', 0.88, 0.1],
  ['tuning', '/', 0.88, 0.1],
  ['tuning2', '', 0.52, 0.2],
  ['unseen', '', 0.5, 0.18],
  ['unseen', '/', 0.5, 0.18],
  ['safety-tuning', '', 0.8, 0.17],
  ['safety', '/', 0.5, 0.09],
] as const)(
  '%s from "%s": right or rightly declined at least %d, wrong at most %d',
  async (name, page, good, wrong) => {
    const results = await askAll(readQuestions(name), page || undefined);
    console.log(`${name}\n${toTable(results)}`);
    const shares = toShares(results);
    expect(shares.good).toBeGreaterThanOrEqual(good);
    expect(shares.wrong).toBeLessThanOrEqual(wrong);
  },
);
