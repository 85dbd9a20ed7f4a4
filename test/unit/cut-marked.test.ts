/** The part of marked that the build keeps reads as the whole does. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as whole from 'marked';
import { expect, test } from 'vitest';
import { cutMarked } from '../../widget/markdown/cut-marked.ts';
import { commonMark, gfmExamples } from '../support/markdown.ts';

const source = readFileSync(createRequire(import.meta.url).resolve('marked'), 'utf8');
const kept = cutMarked(source);
const part = (await import(
  /* @vite-ignore */ `data:text/javascript,${encodeURIComponent(kept)}`
)) as typeof whole;

const read = ({ Lexer, Tokenizer }: typeof whole, markdown: string) =>
  new Lexer({ gfm: true, tokenizer: new Tokenizer() }).lex(markdown);

test('every example of CommonMark and GFM gives the same tokens', () => {
  const examples = [...commonMark, ...gfmExamples];
  expect(examples.length).toBeGreaterThan(1_200);
  for (const { markdown } of examples) expect(read(part, markdown)).toEqual(read(whole, markdown));
});

test('all of them in one text give the same tokens', () => {
  const markdown = [...commonMark, ...gfmExamples].map((example) => example.markdown).join('\n\n');
  expect(read(part, markdown)).toEqual(read(whole, markdown));
});

test('another shape of marked is refused', () => {
  expect(() => cutMarked(source.replace(' as Tokenizer', ' as Reader'))).toThrow('another shape');
  expect(() => cutMarked('export {}')).toThrow('another shape');
});
