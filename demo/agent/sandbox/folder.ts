/** Files of a workspace as a folder, and what lies in a folder as files of a workspace. */

import { lstat, mkdir, opendir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AgentError } from '../errors.ts';
import { toPath } from '../workspace/path.ts';

/** By their paths in the workspace. */
export type FolderFiles = Map<string, Buffer>;

const mostLooked = 20_000;
/** A larger one is none of a workspace. */
export const maxFileBytes = 1024 * 1024;
const maxNameBytes = 255;

/** A file whose name the system cannot hold is not among them. */
export const isPlaceable = (path: string) =>
  path.split('/').every((name) => Buffer.byteLength(name) <= maxNameBytes);

export async function layOut(folder: string, files: FolderFiles) {
  const made = new Set<string>();
  for (const [path, content] of files) {
    if (!isPlaceable(path)) continue;
    const file = join(folder, path);
    const place = dirname(file);
    if (!made.has(place)) await mkdir(place, { recursive: true });
    made.add(place);
    await writeFile(file, content);
  }
}

export interface Left {
  files: FolderFiles;
  /** Too large to be kept, or called as nothing is in a workspace. */
  unkept: string[];
}

/** Regular files alone: no link leads anywhere, and nothing waits for anybody. */
export async function readBack(folder: string): Promise<Left> {
  const left: Left = { files: new Map(), unkept: [] };
  const folders = [''];
  let looked = 0;
  for (let at = 0; at < folders.length; at += 1) {
    const within = folders[at]!;
    for await (const entry of await opendir(join(folder, within))) {
      looked += 1;
      if (looked > mostLooked) throw new AgentError(400, 'too_large', 'The command left too many files.');
      const path = `${within}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      if (!entry.isFile()) continue;
      const file = join(folder, path);
      const isKept = toPath(path) === path && (await lstat(file)).size <= maxFileBytes;
      if (isKept) left.files.set(path, await readFile(file));
      else left.unkept.push(path);
    }
  }
  return left;
}
