/** A file at an address, as the text that stands in it: txt, md, html, csv, pdf, docx. */

import mammoth from 'mammoth';
import { extractText } from 'unpdf';
import { AgentError } from '../errors.ts';
import { toBlocks } from './chunk.ts';
import { type Fetched, type FetchedPage, fetchAddress, toPage, toText } from './fetchpage.ts';

const maxFileBytes = 10 * 1024 * 1024;
const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const kinds: readonly [kind: string, type: string][] = [
  ['pdf', 'application/pdf'],
  ['docx', docx],
  ['html', 'text/html'],
  ['html', 'application/xhtml+xml'],
  ['csv', 'text/csv'],
  ['md', 'text/markdown'],
  ['txt', 'text/plain'],
];
const endings = ['txt', 'md', 'html', 'htm', 'csv', 'pdf', 'docx'];

export async function fetchFile(url: string, signal: AbortSignal): Promise<FetchedPage> {
  const fetched = await fetchAddress(url, '*/*', maxFileBytes, signal);
  const kind = toKind(fetched);
  if (kind === 'html') return toPage(fetched);
  const name = decodeURIComponent(fetched.url.pathname.split('/').at(-1) ?? '');
  return {
    url: fetched.url.href,
    title: name || fetched.url.href,
    favicon: null,
    links: [],
    frame: [],
    blocks: toBlocks(await readText(kind, fetched)),
  };
}

/** By the content type; where that says nothing, by the name's ending. */
function toKind({ type, url }: Fetched): string {
  const ending = /\.(\w+)$/.exec(url.pathname)?.[1]?.toLowerCase() ?? '';
  const found = kinds.find(([, each]) => type.toLowerCase().startsWith(each))?.[0];
  // Many servers send a markdown file or a table as plain text.
  if (found !== undefined && !(found === 'txt' && endings.includes(ending))) return found;
  if (!endings.includes(ending))
    throw new AgentError(400, 'page_unreadable', `The file is ${type || 'of unknown type'}: not readable.`);
  return ending === 'htm' ? 'html' : ending;
}

async function readText(kind: string, fetched: Fetched): Promise<string> {
  try {
    if (kind === 'pdf')
      return (await extractText(new Uint8Array(fetched.bytes), { mergePages: false })).text.join('\n\n');
    if (kind === 'docx') return (await mammoth.extractRawText({ buffer: Buffer.from(fetched.bytes) })).value;
  } catch {
    throw new AgentError(400, 'page_unreadable', `The file is no ${kind} that can be read.`);
  }
  const text = toText(fetched);
  return kind === 'csv' ? toTable(text) : text;
}

/** Comma-separated values as a table, quotes and line ends in them too (RFC 4180). */
function toTable(text: string): string {
  const rows: string[][] = [[]];
  for (const [, quoted, bare, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    const cell = (quoted === undefined ? (bare ?? '') : quoted.replaceAll('""', '"'))
      .replace(/[|\s]+/g, ' ')
      .trim();
    rows.at(-1)!.push(cell);
    if (end !== ',') rows.push([]);
  }
  return rows
    .filter((row) => row.some((cell) => cell !== ''))
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
}
