/** Blocks to passages: one section each, cut at about 120 to 200 words. */

import type { Block } from './html.ts';

export interface Passage {
  /** The headings above it, outermost first, without the page's own. */
  section: string;
  /** Markdown, one line a block: plain for a paragraph, "- " an item, "1. " a step, "| a | b |" a table's row. */
  content: string;
}

const aimWords = 120;
const maxWords = 200;

export function toPassages(blocks: readonly Block[]): Passage[] {
  const passages: Passage[] = [];
  const headings: { level: number; text: string }[] = [];
  let lines: string[] = [];
  let words = 0;
  /** What a table's rows say little without: its caption, its header. */
  let top: string[] = [];
  let step = 0;

  const close = () => {
    if (lines.some((line) => !top.includes(line)))
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
  const isLong = (block: Block, more: number) =>
    words + more > maxWords || (words >= aimWords && !['row', 'step'].includes(block.kind));

  for (const block of blocks) {
    if (block.kind === 'heading') {
      close();
      while ((headings.at(-1)?.level ?? 0) >= block.level) headings.pop();
      headings.push(block);
    }
    if (block.kind !== 'row') top = block.kind === 'header' ? top : [];
    step = block.kind === 'step' ? step + 1 : 0;
    if (block.kind === 'heading') continue;
    for (const line of toLines(block, step)) {
      const lineWords = countWords(line);
      if (words > 0 && isLong(block, lineWords)) {
        close();
        if (block.kind === 'row') lines.push(...top);
      }
      if (block.kind === 'header' || block.kind === 'caption') top.push(line);
      lines.push(line);
      words += lineWords;
    }
  }
  close();
  return passages;
}

/** A table's second line in markdown. */
export const isRule = (line: string) => /^\|[|\s:-]+\|$/.test(line);

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
      const step = /^\d{1,2}[.)] (.+)$/.exec(line);
      if (heading) {
        flush();
        blocks.push({ kind: 'heading', level: heading[1]!.length, text: heading[2]! });
      } else if (item) {
        flush();
        blocks.push({ kind: 'item', level: 0, text: item[1]! });
      } else if (step) {
        flush();
        blocks.push({ kind: 'step', level: 0, text: step[1]! });
      } else if (/^\|.*\|$/.test(line)) {
        flush();
        const isFirst = !['header', 'row'].includes(blocks.at(-1)?.kind ?? '');
        if (!isRule(line)) blocks.push({ kind: isFirst ? 'header' : 'row', level: 0, text: line });
      } else if (line !== '') paragraph = paragraph === '' ? line : `${paragraph} ${line}`;
    }
    flush();
  }
  return blocks;
}

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });

/** So much is looked at a time: of a long text the time that it takes grows with the square. */
const pieceChars = 2_000;

export function toSentences(text: string): string[] {
  const found: string[] = [];
  let rest = '';
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + pieceChars, text.length);
    // Half of a character pair is none.
    if (end < text.length && /[\ud800-\udbff]/.test(text[end - 1]!)) end += 1;
    const segments = [...sentences.segment(rest + text.slice(at, end))].map(({ segment }) => segment);
    // The last one may go on.
    rest = end < text.length ? segments.pop()! : '';
    found.push(...segments);
    if (rest.length > pieceChars) {
      // Between words, where there are some.
      const blank = rest.lastIndexOf(' ');
      found.push(blank > 0 ? rest.slice(0, blank) : rest);
      rest = blank > 0 ? rest.slice(blank) : '';
    }
    at = end;
  }
  return found.map((segment) => segment.trim()).filter((segment) => segment !== '');
}

function toLines(block: Block, step: number): string[] {
  if (block.kind === 'item') return [`- ${block.text}`];
  if (block.kind === 'step') return [`${step}. ${block.text}`];
  if (block.kind === 'header') {
    const columns = block.text.split('|').length - 2;
    return [block.text, `|${' --- |'.repeat(columns)}`];
  }
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
