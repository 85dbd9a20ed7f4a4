/** Looks how much memory a process and all below it have, and says when that is too much. */

import { readdirSync, readFileSync } from 'node:fs';

const everyMs = 100;
const pageBytes = 4096;
const mostLooked = 500;

export function createMemoryWatch(pid: number | undefined, mostMb: number, tell: () => void) {
  const most = mostMb * 1024 * 1024;
  const before = readShared();
  const look = () => {
    // What lies in memory without a process that shows it is shared.
    if (pid !== undefined && (sizeOf(pid) > most || readShared() - before > 2 * most)) tell();
  };
  const timer = setInterval(look, everyMs);
  return { stop: () => clearInterval(timer) };
}

function sizeOf(first: number): number {
  const pids = [first];
  let bytes = 0;
  for (let at = 0; at < pids.length && at < mostLooked; at += 1) {
    const pid = pids[at]!;
    bytes += Number(read(`/proc/${pid}/statm`).split(' ')[1] ?? 0) * pageBytes;
    for (const task of list(`/proc/${pid}/task`))
      pids.push(...read(`/proc/${pid}/task/${task}/children`).split(' ').filter(Boolean).map(Number));
  }
  return bytes;
}

const readShared = () => Number(/^Shmem:\s+(\d+)/m.exec(read('/proc/meminfo'))?.[1] ?? 0) * 1024;

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
