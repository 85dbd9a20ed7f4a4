/** HTML to text, and text to passages. */

import { describe, expect, test } from 'vitest';
import { toBlocks, toPassages } from '../../../demo/agent/retrieval/chunk.ts';
import { readHtml } from '../../../demo/agent/retrieval/html.ts';

const words = (count: number, word = 'word') => Array.from({ length: count }, () => word).join(' ');

describe('a page becomes text', () => {
  test('navigation, header, footer, scripts and hidden elements are left out', () => {
    const { title, blocks, links } =
      readHtml(`<title>A &amp; B</title><header>Top <a href="/x">X</a></header><nav>Menu</nav>
      <p>Kept &eacute; text</p><script>no()</script><style>p{}</style><div hidden>Secret</div><footer>Bottom</footer>`);
    expect(title).toBe('A & B');
    expect(blocks).toEqual([{ kind: 'paragraph', level: 0, text: 'Kept é text' }]);
    expect(links).toEqual(['/x']);
  });

  test('what its own header and footer say is kept apart from its text', () => {
    const { blocks, frame } =
      readHtml(`<header><p>Open today</p><nav>Menu</nav></header><main><p>Text</p></main><footer><address>1 Mill Lane.
      <a href="tel:1">555 0100 200</a></address><form>Search</form><p>Since 1987</p></footer>`);
    expect(blocks.map(({ text }) => text)).toEqual(['Text']);
    expect(frame).toEqual(['Open today', '1 Mill Lane. 555 0100 200', 'Since 1987']);
  });

  test('where a page has a main element, only that is read, its own header too', () => {
    const { blocks } = readHtml(
      '<p>Before</p><main><header><h1>Title</h1></header><p>Inside</p></main><p>After</p>',
    );
    expect(blocks.map(({ text }) => text)).toEqual(['Title', 'Inside']);
  });

  test('list items, definitions and table rows stay one line each', () => {
    const { blocks } =
      readHtml(`<ul><li>One <b>bold</b></li><li>Two</li></ul><dl><dt>Phone</dt><dd>555</dd></dl>
      <table><tr><th>Country</th><th>Days</th></tr><tr><td>Canada</td><td><p>5</p></td></tr></table>`);
    expect(blocks.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
      'item: One bold',
      'item: Two',
      'item: Phone: 555',
      'header: | Country | Days |',
      'row: | Canada | 5 |',
    ]);
  });

  test('broken HTML is read as far as it goes', () => {
    expect(readHtml('<p>Open <b>never closed').blocks).toEqual([
      { kind: 'paragraph', level: 0, text: 'Open never closed' },
    ]);
  });
});

describe('text is cut into passages', () => {
  test('each section is its own passage, named by its headings', () => {
    expect(
      toPassages(
        toBlocks('# Page\nIntro.\n\n## Shipping\n### Canada\nFive days.\n\n## Returns\nSixty days.'),
      ),
    ).toEqual([
      { section: '', content: 'Intro.' },
      { section: 'Shipping › Canada', content: 'Five days.' },
      { section: 'Returns', content: 'Sixty days.' },
    ]);
  });

  test('a long section is cut at 120 to 200 words', () => {
    const passages = toPassages(toBlocks(Array.from({ length: 12 }, () => `${words(50)}.`).join('\n\n')));
    expect(passages.length).toBe(4);
    for (const { content } of passages) expect(content.split(/\s+/).length).toBe(150);
  });

  test('a paragraph longer than a passage is cut between sentences', () => {
    const passages = toPassages(
      toBlocks(Array.from({ length: 30 }, () => `${words(19, 'Stove')} burns.`).join(' ')),
    );
    for (const { content } of passages) {
      expect(content.split(/\s+/).length).toBeLessThanOrEqual(200);
      expect(content.endsWith('burns.')).toBe(true);
    }
  });

  test('a table that spans passages repeats its header row', () => {
    const rows = Array.from({ length: 60 }, (_, index) => `| Land ${index} | five to nine business days |`);
    const passages = toPassages(toBlocks(['| Country | Time |', ...rows].join('\n')));
    expect(passages.length).toBeGreaterThan(1);
    for (const { content } of passages) expect(content.startsWith('| Country | Time |')).toBe(true);
  });
});
