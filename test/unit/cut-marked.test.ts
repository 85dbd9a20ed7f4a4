/** The part of marked that the build keeps reads as the whole does. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type * as Marked from 'marked';
import { expect, test } from 'vitest';
import { cutMarked } from '../../widget/build/cut-marked.ts';
import { commonMark, gfmExamples } from '../support/markdown.ts';

const path = createRequire(import.meta.url)
  .resolve('marked')
  .replace('marked.umd.js', 'marked.esm.js');
const source = readFileSync(path, 'utf8');
const load = async (code: string): Promise<typeof Marked> =>
  import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(code)}`);
const whole = await load(source);
const part = await load(cutMarked(source));

const read = ({ Lexer }: typeof Marked, markdown: string) => new Lexer({ gfm: true }).lex(markdown);
const examples = [...commonMark, ...gfmExamples].map(({ markdown }) => markdown);
/** A tag, a comment, or what else HTML begins with `<`. */
const withoutHtml = examples.filter(
  (markdown) =>
    !/<[a-z/!?]/i.test(markdown.replace(/<[a-z][a-z0-9+.-]+:[^\s<>]*>|<[^\s<>@]+@[^\s<>@]+>/gi, '')),
);

/** What marked says of a token for those who write HTML: the widget does not, and the part does not say it. */
const forHtml = ['escaped', 'codeBlockStyle', 'autolink'];
const readAlike = (module: typeof Marked, markdown: string): unknown => {
  const tokens = read(module, markdown);
  const text = JSON.stringify({ tokens, links: tokens.links }, (name, value: unknown) =>
    forHtml.includes(name) ? undefined : value,
  );
  return JSON.parse(text);
};

test('every example of CommonMark and GFM without raw HTML gives the same tokens', () => {
  expect(withoutHtml.length).toBeGreaterThan(1_000);
  for (const markdown of withoutHtml) expect(readAlike(part, markdown)).toEqual(readAlike(whole, markdown));
});

test('all of them in one text give the same tokens', () => {
  const markdown = withoutHtml.join('\n\n');
  expect(readAlike(part, markdown)).toEqual(readAlike(whole, markdown));
});

test('raw HTML begins no block, ends no paragraph, and keeps every character', () => {
  for (const markdown of examples) {
    const tokens = read(part, markdown);
    expect(tokens.map(({ type }) => type)).not.toContain('html');
    // The lexer itself leaves blank lines out at an end.
    expect(
      tokens
        .map(({ raw }) => raw)
        .join('')
        .trimEnd(),
    ).toBe(markdown.trimEnd());
  }
  expect([...read(part, 'one\n<div>\n*two*\n</div>')]).toMatchObject([
    {
      type: 'paragraph',
      tokens: [
        { type: 'text', raw: 'one\n' },
        { type: 'html', raw: '<div>' },
        { type: 'text', raw: '\n' },
        { type: 'em', raw: '*two*' },
        { type: 'text', raw: '\n' },
        { type: 'html', raw: '</div>' },
      ],
    },
  ]);
});

test('an opening tag changes nothing of what follows', () => {
  expect(read(part, '<a href="#">https://example.com').at(0)).toMatchObject({
    tokens: [{ type: 'html' }, { type: 'link', href: 'https://example.com' }],
  });
  expect(read(part, '<pre>*x*').at(0)).toMatchObject({ tokens: [{ type: 'html' }, { type: 'em' }] });
});

test('another shape of marked is refused', () => {
  expect(() => cutMarked(source.replace(' as Lexer', ' as Reader'))).toThrow('another shape');
  expect(() => cutMarked('export {}')).toThrow('another shape');
});
