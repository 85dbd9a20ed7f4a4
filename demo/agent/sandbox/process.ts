/** The process in which a command of the sandbox runs: its time, its memory, what it says, how it ended. */

import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { AgentError } from '../errors.ts';
import type { Limits } from '../plans.ts';
import { wellFormed } from '../text.ts';
import { createMemoryWatch } from './memory.ts';

export type SandboxLimits = NonNullable<Limits['sandbox']>;

export interface CommandResult {
  stdout: string;
  stderr: string;
  /** null: it was ended, for its time or with its turn. */
  exit_code: number | null;
  timed_out: boolean;
  /** More was said than is told. */
  truncated: boolean;
  /** Why nothing was kept of what it left. */
  kept?: string;
}

/** Of each stream, in characters. */
const mostSaid = 30_000;
/** To build it, and again to copy what is left, beside the time of the command. */
const buildMs = 60_000;
const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** Of what a command leaves so much is kept, as much as it may begin with. */
export const mostKept = { bytes: 32 * 1024 * 1024, files: 10_000 };
const tooMuch = `Nothing: it is more than ${mostKept.bytes / 1024 / 1024} MB or ${mostKept.files} files.`;

export async function execute(
  args: string[],
  limits: SandboxLimits,
  signal: AbortSignal,
): Promise<{ result: CommandResult; isKept: boolean }> {
  const child = spawn('setpriv', args, {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    env: { PATH: path, HOME: '/workspace', LANG: 'C.UTF-8', TERM: 'dumb' },
    detached: true,
    // The service's own may be gone.
    cwd: '/',
  });
  const [stdout, stderr, told] = [child.stdout!, child.stderr!, child.stdio[3] as Readable].map(listen) as [
    Heard,
    Heard,
    Heard,
  ];
  let ended: 'time' | 'memory' | 'stopped' | undefined;
  const end = (why: NonNullable<typeof ended>) => {
    ended ??= why;
    killGroup(child);
  };
  const stop = () => end('stopped');
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  let code: number | undefined;
  let isBegun = false;
  let timer = setTimeout(() => end('time'), buildMs);
  const watch = createMemoryWatch(child.pid, limits.ram_mb, () => end('memory'));
  told.onText = () => {
    // Ended in its last moment it is ended all the same.
    if (ended || code !== undefined) return;
    const exit = /^exit (\d+)$/m.exec(told.text)?.[1];
    if (exit === undefined && isBegun) return;
    isBegun = true;
    clearTimeout(timer);
    if (exit !== undefined) code = Number(exit);
    // The command's time begins when it does, and what is copied afterwards has its own.
    timer = setTimeout(() => end('time'), exit === undefined ? limits.timeout_seconds * 1000 : buildMs);
  };
  try {
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', () => resolve());
    });
  } finally {
    signal.removeEventListener('abort', stop);
    clearTimeout(timer);
    watch.stop();
  }
  signal.throwIfAborted();
  if (code === undefined && (ended === undefined || !isBegun))
    throw new AgentError(500, 'sandbox_failed', 'The sandbox could not be built.');
  const isCut = code === undefined;
  const isOverMemory = isCut && ended === 'memory';
  const result: CommandResult = {
    stdout: stdout.text,
    stderr: isOverMemory ? `${stderr.text}Killed: more memory than ${limits.ram_mb} MB.\n` : stderr.text,
    exit_code: isOverMemory ? 137 : (code ?? null),
    timed_out: isCut && ended === 'time',
    truncated: stdout.isCut || stderr.isCut,
  };
  const isKept = ended === undefined && /^kept$/m.test(told.text);
  const isLarge = ended === undefined && /^large$/m.test(told.text);
  if (!isKept)
    result.kept = isCut ? 'Nothing: it was ended.' : isLarge ? tooMuch : 'Nothing: it could not be copied.';
  return { result, isKept };
}

interface Heard {
  text: string;
  isCut: boolean;
  onText?: () => void;
}

/** To the end, whatever is kept of it: who is not heard would wait. */
function listen(stream: Readable): Heard {
  const heard: Heard = { text: '', isCut: false };
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const left = mostSaid - heard.text.length;
    heard.text += wellFormed(chunk.slice(0, left));
    heard.isCut ||= chunk.length > left;
    heard.onText?.();
  });
  stream.on('error', () => {});
  return heard;
}

/** With all that it began: their namespace ends with its first process. */
function killGroup({ pid }: ChildProcess) {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
