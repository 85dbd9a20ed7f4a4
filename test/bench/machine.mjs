/** What the benchmarks ask of the machine: processes pinned to a core, their CPU time and memory, and whose load it was. Linux. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { cpus, release } from 'node:os';

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export function median(values) {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return Number.NaN;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export function percentile(values, share) {
  const sorted = Float64Array.from(values).sort();
  return sorted.length ? sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] : Number.NaN;
}

/** Medians of the numbers in equal objects, one object a run. */
export function toMedians(runs) {
  const keys = new Set(runs.flatMap((run) => Object.keys(run)));
  return Object.fromEntries([...keys].map((key) => [key, median(runs.map((run) => run[key]))]));
}

/** Microseconds of the clock that all processes of this machine share. */
export function nowUs() {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e6 + Math.floor(nanoseconds / 1e3);
}

const read = (file) => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

const canPin = existsSync('/usr/bin/taskset') && cpus().length > 1;

/** Moves this process, and all that it starts from now on, to one core. */
export function pinSelf(core) {
  if (canPin) execFileSync('taskset', ['-a', '-cp', String(core), String(process.pid)], { stdio: 'ignore' });
}

const children = new Set();
process.on('exit', () => {
  for (const child of children) killTree(child);
});
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
])
  process.once(signal, () => process.exit(code));

/** Starts a process on one core; it ends with this one. */
export function launch(command, args, env, core) {
  const [file, all] = canPin ? ['taskset', ['-c', String(core), command, ...args]] : [command, args];
  const child = spawn(file, all, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
  child.complaint = '';
  child.stderr.on('data', (text) => {
    if (child.complaint.length < 2000) child.complaint += text;
  });
  children.add(child);
  child.on('exit', () => children.delete(child));
  return child;
}

/** The helper lets running turns end before it goes, which nobody here waits for. */
export async function kill(child) {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  killTree(child);
  await gone;
}

function killTree(child) {
  for (const pid of toTree(child.pid)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It was quicker.
    }
  }
}

export async function waitForPort(port, child) {
  for (let tries = 0; tries < 400; tries += 1) {
    if (child.exitCode !== null) throw new Error(`a server ended before it listened: ${child.complaint}`);
    const isOpen = await new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true));
      socket.on('error', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });
    if (isOpen) return;
    await sleep(25);
  }
  throw new Error('a server never listened');
}

/** A process and all below it. */
export function toTree(pid) {
  const all = [pid];
  for (let index = 0; index < all.length; index += 1) {
    for (const task of tasksOf(all[index]))
      for (const child of read(`/proc/${all[index]}/task/${task}/children`).split(' '))
        if (child.trim()) all.push(Number(child));
  }
  return all;
}

function tasksOf(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** CPU time of all threads, kernel time included. */
export function readCpuUs(pids) {
  let nanoseconds = 0;
  for (const pid of pids)
    for (const task of tasksOf(pid))
      nanoseconds += Number(read(`/proc/${pid}/task/${task}/schedstat`).split(' ')[0]) || 0;
  return nanoseconds / 1e3;
}

export function readRssBytes(pids) {
  let kilobytes = 0;
  for (const pid of pids) kilobytes += Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0);
  return kilobytes * 1024;
}

/** Busy and all ticks of one core since the machine started. */
export function readCore(core) {
  const line = new RegExp(`^cpu${core} (.*)$`, 'm').exec(read('/proc/stat'))?.[1] ?? '';
  const ticks = line.split(/\s+/).map(Number).slice(0, 8);
  const all = ticks.reduce((sum, value) => sum + value, 0);
  return { busy: all - (ticks[3] ?? 0) - (ticks[4] ?? 0), all };
}

/** Waits, but not for ever, until others have left a core. */
export async function waitForQuiet(core, mostMs) {
  const began = Date.now();
  while (Date.now() - began < mostMs) {
    const before = readCore(core);
    await sleep(500);
    const after = readCore(core);
    if ((after.busy - before.busy) / Math.max(1, after.all - before.all) < 0.25) return;
  }
}

const versionOf = (command, args, pattern) => {
  try {
    return pattern.exec(execFileSync('sh', ['-c', `${command} ${args} 2>&1`]).toString())?.[1];
  } catch {
    return undefined;
  }
};

export const nginxFile = ['/usr/sbin/nginx', '/usr/local/sbin/nginx'].find((file) => existsSync(file));
export const chromiumFile = [process.env.CHROMIUM, '/usr/bin/chromium'].find(
  (file) => file && existsSync(file),
);

export function describeMachine() {
  return {
    cpu: cpus()[0]?.model.trim(),
    cores: cpus().length,
    linux: release().split('-')[0],
    node: process.version.slice(1),
    nginx: nginxFile && versionOf(nginxFile, '-v', /nginx\/([\d.]+)/),
    chromium: chromiumFile && versionOf(chromiumFile, '--version', /Chromium ([\d.]+)/),
  };
}
