/** `npm run size`: bytes on the wire (Brotli 11) before and after a chat is opened, held to budgets; `--why` tells what they are made of. */
import { readdirSync, readFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';
import { printReasons } from './why.mjs';

const folder = new URL('../../dist/widget/', import.meta.url);
/** What the design promises; the budgets beside this file are at today’s number or so, and go up for a fault mended alone. */
const caps = { loader: 2000, all: 40_000 };

export function pack(bytes) {
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;
}

/** The files that this one imports: at once, and those that are loaded when they are first needed. */
function readImports(name) {
  const code = readFileSync(new URL(name, folder), 'utf8');
  const find = (pattern) => [...code.matchAll(pattern)].map(([, imported]) => imported);
  return {
    atOnce: find(/\b(?:from|import)\s*["'`]\.\/([\w.-]+\.js)["'`]/g),
    later: find(/\bimport\(["'`]\.\/([\w.-]+\.js)["'`]\)/g),
  };
}

/** A file and all that it imports at once, directly or not. */
function follow(name, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  for (const imported of readImports(name).atOnce) follow(imported, found);
  return found;
}

const sum = (files) => files.reduce((total, { bytes }) => total + bytes, 0);
/** As the helper serves it. */
const toFile = (name) => ({ name, bytes: readFileSync(new URL(`${name}.br`, folder)).length });

/** `opened`: a chat before its first answer. `all`: with a markdown reply. `later`: what neither loads. */
export function measureSize() {
  const manifest = JSON.parse(readFileSync(new URL('manifest.json', folder), 'utf8'));
  const app = follow(manifest.app);
  const opened = [manifest.loader, ...app].map(toFile);
  const later = new Set([...app].flatMap((name) => readImports(name).later));
  const answer = [...later].find((name) => name.startsWith('answer-'));
  const files = [...opened, toFile(answer)];
  later.delete(answer);
  for (const name of readImports(answer).later) later.add(name);
  // By the loader, where the chat was used and is closed.
  for (const name of readdirSync(folder)) if (/^seldom-.*\.js$/.test(name)) later.add(name);
  return {
    files,
    later: [...later].map(toFile),
    loader: files[0].bytes,
    opened: sum(opened),
    all: sum(files),
  };
}

if (import.meta.url === `file://${process.argv[1]}`) {
  const budgets = JSON.parse(readFileSync(new URL('./budgets.json', import.meta.url), 'utf8'));
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const size = measureSize();
  for (const { name, bytes } of size.files) console.log(`${String(bytes).padStart(8)} B  ${name}`);
  for (const { name, bytes } of size.later)
    console.log(`${String(bytes).padStart(8)} B  ${name}, when it is first needed`);
  for (const [what, words, told] of [
    ['loader', 'before the chat is opened', 'loader, Brotli'],
    [
      'opened',
      'for an opened chat before its first answer',
      'everything for an opened chat before its first answer, Brotli',
    ],
    ['all', 'in all, for an opened chat with a markdown reply', 'the same with a markdown reply'],
  ]) {
    const bytes = size[what];
    const budget = Math.min(budgets[what], caps[what] ?? budgets[what]);
    const verdict = bytes > budget ? 'OVER the budget of' : 'within';
    console.log(`${words}: ${bytes} B = ${(bytes / 1000).toFixed(2)} kB, ${verdict} ${budget} B`);
    const row = `| ${told} | ${(bytes / 1000).toFixed(1)} kB |`;
    const isTold = readme.includes(row);
    if (!isTold) console.log(`README.md must say: ${row}`);
    if (bytes > budget || !isTold) process.exitCode = 1;
  }
  if (process.argv.includes('--why')) await printReasons(pack);
}
