/** HTML to text: a page's title, links and blocks, without its navigation, header, footer and scripts. */

import { Parser } from 'htmlparser2';

/** `step`: an item of a numbered list. `header`: the row that names a table's columns. Rows read "| a | b |". */
export interface Block {
  kind: 'heading' | 'paragraph' | 'caption' | 'item' | 'step' | 'header' | 'row';
  /** 1 to 6 for a heading, else 0. */
  level: number;
  text: string;
}

export interface ReadPage {
  title: string;
  favicon: string | null;
  /** As written in the page: relative ones too. */
  links: string[];
  blocks: Block[];
  /** What its own header and footer say beside links and buttons: on most sites an address, a number to call, the hours. */
  frame: string[];
}

const skipped = new Set(
  'script style noscript template svg nav footer form button select iframe object dialog'.split(' '),
);
const breaks = new Set(
  'address article aside blockquote body caption dd details div dl dt fieldset figcaption figure h1 h2 h3 h4 h5 h6 header hr li main ol p pre section summary table tbody td tfoot th thead tr ul'.split(
    ' ',
  ),
);

export function readHtml(html: string): ReadPage {
  const blocks: Block[] = [];
  const links: string[] = [];
  const mainFrom: number[] = [];
  let title = '';
  let favicon: string | null = null;
  let inTitle = false;
  let text = '';
  let cells: string[] | undefined;
  let isHeader = false;
  let term = '';
  let mainEnd: number | undefined;
  const open: { name: string; skips: boolean }[] = [];
  let skipDepth = 0;
  /** What is read begins with a link. */
  let isLinked = false;
  const frame: string[] = [];
  let beside = '';
  /** In the page's own header or footer, and in nothing else that is left out. */
  const isInFrame = () =>
    open.filter(({ skips }) => skips).every(({ name }) => /^(header|footer)$/.test(name));
  const flushFrame = () => {
    const content = beside.replace(/\s+/g, ' ').trim();
    beside = '';
    if (content !== '') frame.push(content);
  };
  const isInside = (...names: string[]) => open.some(({ name }) => names.includes(name));

  const flush = () => {
    const content = text.replace(/\s+/g, ' ').trim();
    text = '';
    const pointsAway = isLinked && !/[.!?]$/.test(content);
    isLinked = false;
    if (content === '') return;
    if (cells) {
      cells[cells.length - 1] = `${cells[cells.length - 1] ?? ''} ${content}`.trim();
      return;
    }
    const heading = open.findLast(({ name }) => /^h[1-6]$|^summary$/.test(name));
    if (heading) {
      const level = heading.name === 'summary' ? 6 : Number(heading.name[1]);
      blocks.push({ kind: 'heading', level, text: content });
    } else if (isInside('dt')) term = content;
    else if (isInside('dd')) {
      blocks.push({ kind: 'item', level: 0, text: term === '' ? content : `${term}: ${content}` });
    } else if (isInside('caption', 'figcaption')) blocks.push({ kind: 'caption', level: 0, text: content });
    else if (isInside('li')) {
      // "Opening hours, address and parking" leads to what it names and does not say it.
      if (pointsAway) return;
      const list = open.findLast(({ name }) => name === 'ol' || name === 'ul')?.name;
      blocks.push({ kind: list === 'ol' ? 'step' : 'item', level: 0, text: content });
    } else blocks.push({ kind: 'paragraph', level: 0, text: content });
  };

  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const href = attributes.href;
        if (name === 'a' && href) links.push(href);
        if (name === 'link' && href && /\bicon\b/.test(attributes.rel ?? '')) favicon ??= href;
        if (name === 'title' && !isInside('svg')) inTitle = true;
        // A header inside the content usually holds the heading; the page's own holds the navigation.
        const skips =
          skipped.has(name) ||
          (name === 'header' && !isInside('main', 'article')) ||
          'hidden' in attributes ||
          attributes['aria-hidden'] === 'true';
        if (skipDepth === 0 && (breaks.has(name) || skips)) flush();
        if (skipDepth > 0 && (breaks.has(name) || skips)) flushFrame();
        if (name === 'main' && skipDepth === 0) mainFrom.push(blocks.length);
        open.push({ name, skips });
        if (skips) skipDepth += 1;
        if (skipDepth > 0) return;
        if (name === 'a' && href && text.trim() === '') isLinked = true;
        if (name === 'br') text += ' ';
        if (name === 'tr') {
          cells = [];
          isHeader = true;
        }
        if (name === 'td' || name === 'th') cells?.push('');
        if (name === 'td' || attributes.scope === 'row') isHeader = false;
      },
      ontext(chunk) {
        if (inTitle) title += chunk;
        else if (skipDepth === 0) text += chunk;
        else if (isInFrame()) beside += chunk;
      },
      onclosetag(name) {
        if (name === 'title') inTitle = false;
        if (skipDepth === 0 && breaks.has(name)) flush();
        if (skipDepth > 0 && breaks.has(name)) flushFrame();
        if (name === 'tr' && cells && skipDepth === 0) {
          if (cells.some((cell) => cell !== ''))
            blocks.push({
              kind: isHeader ? 'header' : 'row',
              level: 0,
              text: `| ${cells.map(toCell).join(' | ')} |`,
            });
          cells = undefined;
        }
        if (name === 'main' && skipDepth === 0) mainEnd = blocks.length;
        const at = open.findLastIndex((element) => element.name === name);
        if (at >= 0) for (const element of open.splice(at)) if (element.skips) skipDepth -= 1;
      },
    },
    { decodeEntities: true },
  );
  parser.end(html);
  flush();
  return {
    title: title.replace(/\s+/g, ' ').trim(),
    favicon,
    links,
    frame,
    blocks: mainFrom[0] === undefined ? blocks : blocks.slice(mainFrom[0], mainEnd),
  };
}

function toCell(text: string): string {
  return text.replaceAll('|', '/');
}
