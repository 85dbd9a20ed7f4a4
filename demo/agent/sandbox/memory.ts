/**
 * Looks how much memory a process and all below it have, and says when that is too much. Nobody waits for it. Files that
 * lie in memory have their bounds where they lie, and none lies nowhere.
 */

import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as rest } from 'node:timers/promises';

const everyMs = 100;
const mostLooked = 200;
/** A process that is just being begun counts twice, as it and as who begins it: what is too much is so at each look. */
const [mostLooks, betweenMs] = [8, 10];
/** Whose memory cannot be told apart so soon has too much of it. */
const tellingMs = 1_000;

export function createMemoryWatch(pid: number | undefined, mostMb: number, tell: () => void) {
  const most = mostMb * 1024 * 1024;
  let isOver = pid === undefined;
  const look = async (): Promise<number> => {
    const pids = await findAll(String(pid));
    // What several share is told apart only where it matters: that takes long.
    const all = await sum(pids, sizeOf);
    if (all <= most) return all;
    const apart = Promise.all([sum(pids, shareOf), sum(pids, tablesOf)]).then(([one, other]) => one + other);
    return Promise.race([apart, rest(tellingMs, Number.POSITIVE_INFINITY, { ref: false })]);
  };
  const isTooMuch = async (): Promise<boolean> => {
    for (let looks = 0; looks < mostLooks; looks += 1) {
      const told = await look();
      if (isOver || told <= most) return false;
      if (told === Number.POSITIVE_INFINITY) return true;
      await rest(betweenMs, undefined, { ref: false });
    }
    return true;
  };
  const watch = async () => {
    while (!isOver) {
      if (await isTooMuch()) tell();
      await rest(everyMs, undefined, { ref: false });
    }
  };
  void watch();
  return {
    stop() {
      isOver = true;
    },
  };
}

async function findAll(first: string): Promise<string[]> {
  const pids = [first];
  for (let at = 0; at < pids.length && at < mostLooked; at += 1)
    for (const task of await list(`/proc/${pids[at]}/task`))
      pids.push(...(await read(`/proc/${pids[at]}/task/${task}/children`)).split(' ').filter(Boolean));
  return pids;
}

const sum = async (pids: readonly string[], measure: (pid: string) => Promise<number>) =>
  (await Promise.all(pids.map(measure))).reduce((total, one) => total + one, 0);

const kilobytes = (text: string, name: string) =>
  Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0) * 1024;

/** Of a process whose first thread has ended another tells. */
async function statusOf(pid: string): Promise<string> {
  const own = await read(`/proc/${pid}/status`);
  if (/^VmRSS:/m.test(own)) return own;
  for (const task of await list(`/proc/${pid}/task`)) {
    const status = await read(`/proc/${pid}/task/${task}/status`);
    if (/^VmRSS:/m.test(status)) return status;
  }
  return '';
}

async function sizeOf(pid: string): Promise<number> {
  const status = await statusOf(pid);
  return ['RssAnon', 'RssShmem', 'VmSwap', 'VmPTE'].reduce(
    (total, name) => total + kilobytes(status, name),
    0,
  );
}

const tablesOf = async (pid: string) => kilobytes(await statusOf(pid), 'VmPTE');

async function shareOf(pid: string): Promise<number> {
  for (const task of await list(`/proc/${pid}/task`)) {
    const shares = await read(`/proc/${pid}/task/${task}/smaps_rollup`);
    const share = kilobytes(shares, 'Pss') + kilobytes(shares, 'SwapPss');
    if (share > 0) return share;
  }
  return 0;
}

const read = (file: string) => readFile(file, 'utf8').catch(() => '');
const list = (folder: string) => readdir(folder).catch(() => []);
