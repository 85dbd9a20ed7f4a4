/** A growing answer shows, at every length, what reading that length at once would show. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createGrowing } from '../../widget/markdown/grow.ts';
import { commonMark, createRenderer, gfmExamples, renderOnce } from '../support/markdown.ts';
import pathological from '../vectors/pathological-markdown.json' with { type: 'json' };

function expectSamePrefixes(markdown: string, step = 1): void {
  const render = createRenderer();
  for (let length = 1; length <= markdown.length; length += step) {
    const prefix = markdown.slice(0, length);
    const grown = render(prefix);
    if (grown !== renderOnce(prefix))
      expect({ prefix, html: grown }).toEqual({ prefix, html: renderOnce(prefix) });
  }
}

test('every prefix of every CommonMark example renders what a fresh render of that prefix gives', () => {
  expect(commonMark.length).toBeGreaterThan(600);
  for (const { markdown } of commonMark) expectSamePrefixes(markdown);
});

test('every prefix of every GFM example renders what a fresh render of that prefix gives', () => {
  expect(gfmExamples.length).toBeGreaterThan(600);
  for (const { markdown } of gfmExamples) expectSamePrefixes(markdown);
});

test('documents glued from the examples grow as they read', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...commonMark.map(({ markdown }) => markdown)), {
        minLength: 3,
        maxLength: 8,
      }),
      fc.constantFrom('\n', '\n\n', ''),
      (parts, glue) => expectSamePrefixes(parts.join(glue), 7),
    ),
    { numRuns: 150, seed: 20 },
  );
});

test('a link definition that comes late reaches the text before it', () => {
  const text = 'See [the page].\n\nMore.\n\nAnd more.\n\n# Then\n\n[the page]: https://shop.example/page\n';
  expectSamePrefixes(text);
  expect(renderOnce(text)).toContain('href="https://shop.example/page"');
});

test('carriage returns are line ends, also when cut in two', () => {
  expectSamePrefixes('# One\r\n\r\nTwo\rthree\r\n\r\n- four\r\n- five\r\n\r\nsix');
});

test('finished blocks keep their tokens', () => {
  const growing = createGrowing();
  const text = 'One.\n\nTwo.\n\nThree.\n\nFour.\n\n';
  const before = growing.update(text);
  const after = growing.update(`${text}Five.\n\nSix.`);
  expect(after[0]).toBe(before[0]);
  expect(after[2]).toBe(before[2]);
});

test('past the limit of an answer the rest is shown as text', () => {
  const growing = createGrowing();
  const long = 'A paragraph of some words.\n\n'.repeat(12_000);
  const tokens = growing.update(long);
  expect(tokens.at(-1)?.type).toBe('plain');
  expect(tokens.map(({ raw }) => raw).join('').length).toBe(long.length);
  expect(growing.update(`${long}more`).at(-1)?.raw.endsWith('more')).toBe(true);
});

describe('pathological input', () => {
  test.each(pathological.vectors)('$name renders without throwing', ({ unit, repeat, suffix }) => {
    const text = unit.repeat(repeat) + suffix;
    expect(renderOnce(text)).toBeTypeOf('string');
  });
});

test('what would take the cube or the square of its length to read is shown as it was written', () => {
  for (const costly of ['*_a'.repeat(20_000), `${'a.'.repeat(30_000)}@b`, `${'a'.repeat(60_000)}@`]) {
    expect(renderOnce(costly)).toBe(`<p>${costly}</p>`);
    expect(renderOnce(`- *One*\n- ${costly}`)).toBe(
      `<ul>\n<li><em>One</em></li>\n<li>${costly}</li>\n</ul>`.replaceAll('\n', ''),
    );
  }
  const table = `${'|a'.repeat(300)}|\n${'|-'.repeat(300)}|\n${'|\n'.repeat(1_500)}`;
  expect(renderOnce(table)).not.toContain('<td>');
  const punctuated = `http://a.example/${')'.repeat(3_000)}`;
  expect(renderOnce(punctuated)).toBe(`<p>${punctuated}</p>`);
  const signed = `https://shop.example/file?signature=${'a1'.repeat(700)}`;
  expect(renderOnce(`[Your file](${signed})`)).toContain(`href="${signed}"`);
  // Of languages without spaces a paragraph is one word.
  const unspaced = '\u5e97\u3001'.repeat(800);
  expect(renderOnce(`**${unspaced}** a@b.example`)).toContain(`<strong>${unspaced}</strong>`);
  const usual = '**a** '.repeat(100).trim();
  expect(renderOnce(usual)).toBe(`<p>${'<strong>a</strong> '.repeat(100).trim()}</p>`);
});
