/** Runs a command of a model's where it can do no harm: in Linux namespaces, within bounds of memory, processes and time. */

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chown, mkdir, mkdtemp, readdir, stat } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { AgentError } from '../errors.ts';
import { createInTurn, type InTurn } from '../inturn.ts';
import { type FolderFiles, type Left, layOut, readBack } from './folder.ts';
import { createMemoryWatch } from './memory.ts';
import { script } from './script.ts';

export interface SandboxLimits {
  ram_mb: number;
  cpus: number;
  timeout_seconds: number;
}

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

export interface Ran extends CommandResult {
  /** What lies in the folder afterwards; absent where the command was ended, or not all could be kept. */
  left?: Left;
}

/** Of what a command leaves so much is kept, as much as it may begin with. */
export const mostKept = { bytes: 32 * 1024 * 1024, files: 10_000 };
/** Of each stream, in characters. */
const mostSaid = 30_000;
const maxWorkspaceBytes = 64 * 1024 * 1024;
const [mostProcesses, mostOpenFiles] = [64, 256];
const maxAtOnce = 2;
/** To build it and to copy what is in it, beside the time of the command. */
const buildMs = 20_000;
/** Whom a service that runs as root runs it as. */
const nobody = 65_534;
const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const inTurn = createInTurn(maxAtOnce);
const prefix = 'porchlight-sandbox-';
const tooMuch = `Nothing: it is more than ${mostKept.bytes / 1024 / 1024} MB or ${mostKept.files} files.`;

/** Of this machine; it is found out once. */
let reason: Promise<string | undefined> | undefined;

export interface Sandbox {
  /** Of one workspace there is one command at a time, with all that belongs to it. */
  inTurn: InTurn;
  /** @returns undefined where there is one */
  whyNot(): Promise<string | undefined>;
  /** Throws 500 `sandbox_failed`, and why `signal` aborts. */
  run(command: string, files: FolderFiles, signal: AbortSignal): Promise<Ran>;
}

/**
 * @param limits of the plan; null: it has none
 * @param hidden folders that no command sees, beside that of the service itself
 */
export function createSandbox(
  limits: SandboxLimits | null,
  mode: 'auto' | 'off',
  hidden: readonly string[] = [],
): Sandbox {
  return {
    inTurn,
    async whyNot() {
      if (mode === 'off') return 'AGENT_SANDBOX is off.';
      if (!limits) return 'The plan has no sandbox.';
      reason ??= forgetOld().then(probe);
      return reason;
    },
    run: (command, files, signal) => runIn(limits!, command, files, hidden, signal),
  };
}

/** What a kill left behind. */
async function forgetOld() {
  const old = Date.now() - 3_600_000;
  for (const name of await readdir(tmpdir())) {
    const folder = join(tmpdir(), name);
    if (name.startsWith(prefix) && (await stat(folder)).mtimeMs < old) await discard(folder);
  }
}

/** However deep it is. What cannot be removed costs no result. */
async function discard(folder: string) {
  await promisify(execFile)('rm', ['-rf', '--', folder]).catch(() => {});
}

async function probe(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'A sandbox needs Linux.';
  const little = { ram_mb: 256, cpus: 1, timeout_seconds: 10 };
  try {
    const { stdout } = await runIn(little, 'echo works', new Map(), [], new AbortController().signal);
    return stdout === 'works\n' ? undefined : 'The sandbox does not run commands here.';
  } catch {
    return 'A sandbox needs unprivileged user namespaces, util-linux and coreutils.';
  }
}

async function runIn(
  limits: SandboxLimits,
  command: string,
  files: FolderFiles,
  hidden: readonly string[],
  signal: AbortSignal,
): Promise<Ran> {
  signal.throwIfAborted();
  const folder = await mkdtemp(join(tmpdir(), prefix));
  try {
    const [root, begin, left] = ['root', 'in', 'out'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    for (const one of [root, begin, left]) await mkdir(one);
    await layOut(begin, files);
    if (process.getuid?.() === 0) for (const one of [folder, root, left]) await chown(one, nobody, nobody);
    const ran = await execute(toArguments(limits, [root, begin, left], hidden, command), limits, signal);
    return ran.isKept ? { ...ran.result, left: await readBack(left) } : ran.result;
  } finally {
    await discard(folder);
  }
}

function toArguments(
  { ram_mb, cpus, timeout_seconds }: SandboxLimits,
  folders: string[],
  hidden: readonly string[],
  command: string,
) {
  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'] : [];
  const bytes = ram_mb * 1024 * 1024;
  const bounds = [
    `--data=${bytes}`,
    `--nproc=${mostProcesses}`,
    `--nofile=${mostOpenFiles}`,
    `--fsize=${maxWorkspaceBytes}`,
    `--cpu=${timeout_seconds}`,
    '--core=0',
  ];
  // Of what is shown, that is /usr, only what lies deeper is somebody's own.
  const own = [process.cwd(), dirname(fileURLToPath(import.meta.url)), ...hidden];
  const unshown = ['/usr/src', ...own.filter((one) => /^\/usr\/[^/]+\/./.test(one))];
  const processors = `0-${Math.max(1, Math.min(cpus, availableParallelism())) - 1}`;
  return [
    ...[
      '--pdeathsig',
      'KILL',
      ...user,
      '--',
      'unshare',
      '--user',
      '--map-root-user',
      '--mount',
      '--net',
      '--pid',
    ],
    ...['--ipc', '--uts', '--cgroup', '--fork', '--kill-child', '--mount-proc', '--propagation', 'private'],
    ...[
      'bash',
      '-c',
      script,
      'sandbox',
      ...folders,
      String(maxWorkspaceBytes),
      String(mostKept.bytes),
      String(mostKept.files),
      unshown.join('\n'),
      command,
    ],
    ...['taskset', '-c', processors, 'prlimit', ...bounds],
  ];
}

async function execute(
  args: string[],
  limits: SandboxLimits,
  signal: AbortSignal,
): Promise<{ result: CommandResult; isKept: boolean }> {
  const child = spawn('setpriv', args, {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    env: { PATH: path, HOME: '/workspace', LANG: 'C.UTF-8', TERM: 'dumb' },
    detached: true,
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
  const building = setTimeout(() => end('time'), buildMs);
  let running: NodeJS.Timeout | undefined;
  told.onText = () => {
    // The command's time begins when it does.
    clearTimeout(building);
    running ??= setTimeout(() => end('time'), limits.timeout_seconds * 1000);
  };
  const watch = createMemoryWatch(child.pid, limits.ram_mb, () => end('memory'));
  try {
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', () => resolve());
    });
  } finally {
    signal.removeEventListener('abort', stop);
    clearTimeout(building);
    clearTimeout(running);
    watch.stop();
  }
  signal.throwIfAborted();
  const code = /^exit (\d+)$/m.exec(told.text)?.[1];
  if (code === undefined && (ended === undefined || running === undefined))
    throw new AgentError(500, 'sandbox_failed', 'The sandbox could not be built.');
  const isOverMemory = ended === 'memory';
  const result: CommandResult = {
    stdout: stdout.text,
    stderr: isOverMemory ? `${stderr.text}Killed: more memory than ${limits.ram_mb} MB.\n` : stderr.text,
    exit_code: isOverMemory ? 137 : code === undefined ? null : Number(code),
    timed_out: ended === 'time',
    truncated: stdout.isCut || stderr.isCut,
  };
  const isKept = /^kept$/m.test(told.text);
  if (!isKept && result.exit_code !== null)
    result.kept = /^large$/m.test(told.text) ? tooMuch : 'Nothing: it could not be copied.';
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
    heard.text += chunk.slice(0, left);
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
