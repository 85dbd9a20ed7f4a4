/** Looks how much memory a process and all below it have, and says when that is too much. */

import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';

const everyMs = 100;
const mostLooked = 500;

export function createMemoryWatch(pid: number | undefined, mostMb: number, tell: () => void) {
  const most = mostMb * 1024 * 1024;
  const timer = setInterval(() => {
    if (pid !== undefined && sizeOf(pid) > most) tell();
  }, everyMs);
  return { stop: () => clearInterval(timer) };
}

/** In bytes. What several share counts once; what lies in memory without standing in any is found by its open files. */
function sizeOf(first: number): number {
  const pids = [String(first)];
  const files = new Map<string, number>();
  let bytes = 0;
  for (let at = 0; at < pids.length && at < mostLooked; at += 1) {
    const folder = `/proc/${pids[at]}`;
    // Of a process whose first thread has ended the others tell.
    const tasks = list(`${folder}/task`);
    bytes += Math.max(0, ...tasks.map((task) => shareOf(`${folder}/task/${task}`)));
    for (const task of tasks)
      pids.push(...read(`${folder}/task/${task}/children`).split(' ').filter(Boolean));
    const seen = new Set<string>();
    for (const task of tasks)
      for (const fd of list(`${folder}/task/${task}/fd`))
        addFile(`${folder}/task/${task}/fd/${fd}`, files, seen);
  }
  return bytes + [...files.values()].reduce((sum, size) => sum + size, 0);
}

const shareOf = (task: string) =>
  Number(/^Pss:\s+(\d+)/m.exec(read(`${task}/smaps_rollup`))?.[1] ?? 0) * 1024;

/** Of memory alone: what is on a disk, or in the workspace, has its bounds there. */
function addFile(fd: string, files: Map<string, number>, seen: Set<string>) {
  try {
    const name = readlinkSync(fd);
    if (!name.startsWith('/memfd:') || seen.has(fd)) return;
    seen.add(fd);
    const { ino, blocks } = statSync(fd);
    files.set(String(ino), blocks * 512);
  } catch {
    // It has ended meanwhile.
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // It has ended meanwhile.
    return '';
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
