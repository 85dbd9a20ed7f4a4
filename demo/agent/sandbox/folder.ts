/** Files of a workspace as a folder, and what lies in a folder as files of a workspace. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { toPath } from '../workspace/path.ts';
import { createBreath } from './breath.ts';

/** By their paths in the workspace. */
export type FolderFiles = Map<string, Buffer>;

/** No file of a workspace lies deeper. */
const mostPathChars = 500;
const maxNameBytes = 255;

/** A file whose name the system cannot hold is not among them. */
export const isPlaceable = (path: string) =>
  path.split('/').every((name) => Buffer.byteLength(name) <= maxNameBytes);

/** File by file the threads of asynchronous calls take ten times as long. Throws why `signal` aborts. */
export async function layOut(folder: string, files: FolderFiles, signal: AbortSignal) {
  const breath = createBreath(signal);
  const made = new Set<string>();
  for (const [path, content] of files) {
    if (!isPlaceable(path)) continue;
    const file = join(folder, path);
    const place = dirname(file);
    if (!made.has(place)) mkdirSync(place, { recursive: true });
    made.add(place);
    writeFileSync(file, content);
    await breath(content.length);
  }
}

export interface Left {
  files: FolderFiles;
  /** What is no plain file, or called as nothing is in a workspace. */
  unkept: string[];
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Names are bytes: one that is no text is none of a workspace. */
function toText(name: Uint8Array): string | undefined {
  try {
    return decoder.decode(name);
  } catch {
    return undefined;
  }
}

/** Plain files alone: no link leads anywhere, and nothing waits for anybody. Its size was bounded where it was copied from. */
export async function readBack(folder: string): Promise<Left> {
  const left: Left = { files: new Map(), unkept: [] };
  const breath = createBreath();
  const folders = [''];
  for (let at = 0; at < folders.length; at += 1) {
    const within = folders[at]!;
    for (const entry of await readdir(join(folder, within), { withFileTypes: true, encoding: 'buffer' })) {
      const name = toText(entry.name);
      const path = `${within}/${name ?? Buffer.from(entry.name).toString()}`;
      if (name !== undefined && entry.isDirectory() && path.length < mostPathChars) {
        folders.push(path);
        continue;
      }
      const file = join(folder, path);
      const isKept = name !== undefined && entry.isFile() && toPath(path) === path;
      const content = isKept && readFileSync(file);
      if (content) left.files.set(path, content);
      else left.unkept.push(path);
      await breath(content ? content.length : 0);
    }
  }
  return left;
}
