/** Programs that tests need and a bare machine lacks: found on its path, or unpacked once beside the packages of npm, by one process alone. */
import { accessSync, constants, existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, rmdir, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A lock older than this belongs to a process that died. */
const staleMs = 120_000;

export function findOnPath(names: readonly string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * @param fill puts into `staging` what is to be in the folder
 * @returns the folder, which is there from then on
 */
export async function unpackOnce(
  cache: string,
  name: string,
  fill: (staging: string, folder: string) => Promise<void>,
): Promise<string> {
  const folder = join(cache, name);
  await mkdir(cache, { recursive: true });
  while (!existsSync(folder)) {
    if (!(await takeLock(`${folder}.lock`))) {
      await sleep(100);
      continue;
    }
    const staging = await mkdtemp(join(cache, `${name}-`));
    try {
      if (existsSync(folder)) break;
      await fill(staging, folder);
      await rename(staging, folder);
    } finally {
      await rm(staging, { recursive: true, force: true });
      await rmdir(`${folder}.lock`);
    }
  }
  return folder;
}

async function takeLock(lock: string): Promise<boolean> {
  try {
    await mkdir(lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const age = await stat(lock).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  );
  if (age > staleMs) await rmdir(lock).catch(() => {});
  return false;
}
