/** Acceptance 10: what a visitor downloads holds nothing of the server's. */
import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { requireBuild } from '../support/browser.ts';

const folder = new URL('../../dist/widget/', import.meta.url);
const secretWords = ['jose', 'HS256', 'apiKey', 'api_key'];

beforeAll(requireBuild);

test.each(secretWords)('no file of the built widget holds the word %s', (word) => {
  const scripts = readdirSync(folder).filter((name) => name.endsWith('.js'));
  expect(scripts.some((name) => name.startsWith('app-'))).toBe(true);
  expect(scripts.filter((name) => readFileSync(new URL(name, folder), 'utf8').includes(word))).toEqual([]);
});
