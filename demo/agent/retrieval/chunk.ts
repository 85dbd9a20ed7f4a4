/** Blocks to passages: one section each, cut at about 120 to 200 words. */

import type { Block } from './html.ts';

export interface Passage {
  /** The headings above it, outermost first, without the page's own. */
  section: string;
  /** One line a block: plain for a paragraph, "- " for a list item, "| a | b |" for a table row. */
  content: string;
}

const aimWords = 120;
const maxWords = 200;

export function toPassages(blocks: readonly Block[]): Passage[] {
  const passages: Passage[] = [];
  const headings: { level: number; text: string }[] = [];
  let lines: string[] = [];
  let words = 0;
  let headerRow: string | undefined;

  const close = () => {
    if (lines.length > 0 && !(lines.length === 1 && lines[0] === headerRow))
      passages.push({
        section: headings
          .filter(({ level }) => level > 1)
          .map(({ text }) => text)
          .join(' › '),
        content: lines.join('\n'),
      });
    lines = [];
    words = 0;
  };

  for (const block of blocks) {
    if (block.kind === 'heading') {
      close();
      headerRow = undefined;
      while ((headings.at(-1)?.level ?? 0) >= block.level) headings.pop();
      headings.push(block);
      continue;
    }
    if (block.kind !== 'row') headerRow = undefined;
    for (const line of toLines(block)) {
      const lineWords = countWords(line);
      if (words > 0 && (words + lineWords > maxWords || (words >= aimWords && block.kind !== 'row'))) {
        close();
        // A row says little without the names of its columns.
        if (block.kind === 'row' && headerRow !== undefined) lines.push(headerRow);
      }
      if (block.kind === 'row') headerRow ??= line;
      lines.push(line);
      words += lineWords;
    }
  }
  close();
  return passages;
}

/** Plain text to blocks: an empty line parts paragraphs, "# " begins a heading, "- " an item, "|" a row. */
export function toBlocks(text: string): Block[] {
  const blocks: Block[] = [];
  for (const part of text.split(/\n\s*\n/)) {
    let paragraph = '';
    const flush = () => {
      if (paragraph !== '') blocks.push({ kind: 'paragraph', level: 0, text: paragraph });
      paragraph = '';
    };
    for (const line of part.split('\n').map((each) => each.replace(/\s+/g, ' ').trim())) {
      const heading = /^(#{1,6}) (.+)$/.exec(line);
      const item = /^[-*•] (.+)$/.exec(line);
      if (heading) {
        flush();
        blocks.push({ kind: 'heading', level: heading[1]!.length, text: heading[2]! });
      } else if (item) {
        flush();
        blocks.push({ kind: 'item', level: 0, text: item[1]! });
      } else if (/^\|.*\|$/.test(line)) {
        flush();
        if (!/^[|\s:-]+$/.test(line)) blocks.push({ kind: 'row', level: 0, text: line });
      } else if (line !== '') paragraph = paragraph === '' ? line : `${paragraph} ${line}`;
    }
    flush();
  }
  return blocks;
}

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });

export function toSentences(text: string): string[] {
  return [...sentences.segment(text)]
    .map(({ segment }) => segment.trim())
    .filter((segment) => segment !== '');
}

function toLines(block: Block): string[] {
  if (block.kind === 'item') return [`- ${block.text}`];
  if (block.kind === 'row' || countWords(block.text) <= maxWords) return [block.text];
  const lines: string[] = [];
  let line = '';
  for (const sentence of toSentences(block.text)) {
    if (line !== '' && countWords(line) + countWords(sentence) > aimWords) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? sentence : `${line} ${sentence}`;
  }
  return line === '' ? lines : [...lines, line];
}

function countWords(text: string): number {
  return text.split(/\s+/).length;
}
