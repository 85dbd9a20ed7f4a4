/** The published attacks on renderers of markdown, each as an answer in pieces, as a stream would bring it. */
import { readFileSync } from 'node:fs';

export type HostileAnswer = { name: string; pieces: string[]; mustShow?: string };

type XssVector = {
  id: string;
  note: string;
  markdown?: string;
  chunks?: string[];
  gen?: { prefix: string; unit: string; repeat: number; suffix: string };
  expect?: { mustShow?: string };
};

type SanitizerVector = { file: string; markdown: string };
type DomPurifyVector = { i: number; title?: string; payload: string };

/** Read here, since bundlers refuse the half surrogate pairs that some of them hold. */
function readVectors<T>(file: string): T[] {
  const text = readFileSync(new URL(`../vectors/${file}`, import.meta.url), 'utf8');
  return (JSON.parse(text) as { vectors: T[] }).vectors;
}

/** Into pieces of one size, cut wherever it falls: within a tag, an address, a surrogate pair. */
function cut(markdown: string, pieces: number): string[] {
  const size = Math.ceil(markdown.length / pieces);
  return Array.from({ length: pieces }, (_, at) => markdown.slice(at * size, (at + 1) * size));
}

function toXssAnswer({ id, note, markdown, chunks, gen, expect }: XssVector): HostileAnswer {
  const text = markdown ?? (gen ? gen.prefix + gen.unit.repeat(gen.repeat) + gen.suffix : '');
  const answer: HostileAnswer = { name: `${id} (${note})`, pieces: chunks ?? cut(text, 3) };
  if (expect?.mustShow !== undefined) answer.mustShow = expect.mustShow;
  return answer;
}

export const hostileAnswers: Record<string, HostileAnswer[]> = {
  'xss-markdown.json': readVectors<XssVector>('xss-markdown.json').map(toXssAnswer),
  'markdown-sanitizers-bypass.json': readVectors<SanitizerVector>('markdown-sanitizers-bypass.json').map(
    ({ file, markdown }) => ({ name: file, pieces: cut(markdown, 2) }),
  ),
  'dompurify-expect.json': readVectors<DomPurifyVector>('dompurify-expect.json').map(
    ({ i, title, payload }) => ({ name: `${i} (${title ?? 'untitled'})`, pieces: cut(payload, 2) }),
  ),
  // Each would hold the page for seconds to hours, and the next page that shows it again, if it were read to its end.
  costly: Object.entries({
    'marks of emphasis': '*_a'.repeat(20_000),
    'a link with one long word': `[${'a'.repeat(60_000)}](https://shop.example)`,
    'a link with a word of many points': `[${'a.'.repeat(30_000)}](https://shop.example)`,
    'a long word before an @': `${'a'.repeat(60_000)}@`,
    'many points before an @': `${'a.'.repeat(30_000)}@b`,
    'a table of empty cells': `${'|a'.repeat(300)}|\n${'|-'.repeat(300)}|\n${'|\n'.repeat(1_500)}`,
    'brackets behind an address': `http://a.example/${')'.repeat(60_000)}`,
    'references behind an address': `http://a.example/${'&a;'.repeat(20_000)}`,
    'many paragraphs of marks': `${'*_a'.repeat(119)}\n\n`.repeat(600),
    'many empty lines': `a${'\n'.repeat(60_000)}b`,
  }).map(([name, markdown]) => ({ name, pieces: cut(markdown, 3) })),
};
