/** Runs a command of a model's where it can do no harm: in Linux namespaces, within bounds of memory, processes and time. */

import { execFile } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { AgentError } from '../errors.ts';
import { createInTurn, type InTurn } from '../inturn.ts';
import { isFilterable, toFilter } from './filter.ts';
import { type FolderFiles, type Left, layOut, readBack } from './folder.ts';
import { type CommandResult, execute, mostKept, type SandboxLimits } from './process.ts';
import { script } from './script.ts';

export interface Ran extends CommandResult {
  /** What lies in the folder afterwards; absent where the command was ended, or not all could be kept. */
  left?: Left;
}

/** More than is kept: small files take a page each. */
const maxWorkspaceBytes = 80 * 1024 * 1024;
/** Of a command the processes, of each the open files, of each file the bytes. */
const [mostProcesses, mostOpenFiles, maxOpenFileBytes] = [64, 128, 32 * 1024 * 1024];
const maxAtOnce = 2;
/** Whom a service that runs as root runs it as: nobody else, where there are so many users, and another each time. */
const [nobody, firstOwn, mostOwn] = [65_534, 1_900_000_000, 1_000];
let commands = 0;
const inTurn = createInTurn(maxAtOnce);
const closingMs = 2_000;
const running = new Set<Promise<unknown>>();
const runTool = promisify(execFile);
const prefix = 'porchlight-sandbox-';

/** Of the service: the nearest that is a package. */
const packageFolder = (() => {
  const here = dirname(fileURLToPath(import.meta.url));
  for (let folder = here; folder !== dirname(folder); folder = dirname(folder))
    if (existsSync(join(folder, 'package.json'))) return folder;
  return here;
})();

/** The namespaces in which the script builds. */
const outer =
  'unshare --user --map-root-user --mount --net --pid --ipc --uts --cgroup --fork --kill-child --mount-proc --propagation private'.split(
    ' ',
  );

/** Of this machine; it is found out once. */
let reason: Promise<string | undefined> | undefined;

export interface Sandbox {
  /** Of one workspace there is one command at a time, with all that belongs to it. */
  inTurn: InTurn;
  /** @returns undefined where there is one */
  whyNot(): Promise<string | undefined>;
  /** Throws 500 `sandbox_failed`, and why `signal` aborts. */
  run(command: string, files: FolderFiles, signal: AbortSignal): Promise<Ran>;
  /** Resolves when nothing is left of those that were ended, and soon at any rate. */
  close(): Promise<void>;
}

/**
 * @param limits of the plan; null: it has none
 * @param hidden no command sees these folders and those that these files lie in, beside that of the service itself
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
      if (toFolders([tmpdir(), ...hidden]).some((one) => /^\/usr\/[^/]+$/.test(one)))
        return 'The database, or TMPDIR, lies among the programs of the system.';
      reason ??= forgetOld()
        .catch(() => {})
        .then(probe);
      return reason;
    },
    run(command, files, signal) {
      const ran = runIn(limits!, command, files, hidden, signal);
      running.add(ran);
      const forget = () => void running.delete(ran);
      ran.then(forget, forget);
      return ran;
    },
    async close() {
      await Promise.race([Promise.allSettled(running), rest(closingMs, undefined, { ref: false })]);
    },
  };
}

/** What a kill left behind. */
async function forgetOld() {
  const old = Date.now() - 3_600_000;
  for (const name of await readdir(tmpdir())) {
    const folder = join(tmpdir(), name);
    if (!name.startsWith(prefix)) continue;
    // Another process may have removed its own by now.
    const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (mtimeMs < old) await discard(folder);
  }
}

/** However deep it is. What cannot be removed costs no result. */
async function discard(folder: string) {
  await runTool('rm', ['-rf', '--', folder]).catch(() => {});
}

async function probe(): Promise<string | undefined> {
  if (process.platform !== 'linux' || !isFilterable()) return 'A sandbox needs Linux on x64 or arm64.';
  const little = { ram_mb: 256, cpus: 1, timeout_seconds: 10 };
  try {
    const { stdout } = await runIn(little, 'echo works', new Map(), [], new AbortController().signal);
    return stdout === 'works\n' ? undefined : 'The sandbox does not run commands here.';
  } catch {
    return 'A sandbox needs unprivileged user namespaces, util-linux, coreutils, findutils and perl.';
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
  let folder = '';
  try {
    folder = await mkdtemp(join(tmpdir(), prefix));
    const [root, begin, left] = ['root', 'in', 'out'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    for (const one of [root, begin, left]) await mkdir(one);
    await layOut(begin, files, signal);
    const user = toUser();
    if (user !== undefined) await runTool('chown', ['-R', `${user}:${user}`, folder]);
    signal.throwIfAborted();
    const args = toArguments(limits, user, [root, begin, left], hidden, command);
    const ran = await execute(args, limits, signal);
    return ran.isKept ? { ...ran.result, left: await readBack(left) } : ran.result;
  } catch (thrown) {
    const { code } = thrown as { code?: unknown };
    if (signal.aborted || thrown instanceof AgentError || typeof code !== 'string') throw thrown;
    throw new AgentError(500, 'sandbox_failed', `The files could not be laid out (${code}).`);
  } finally {
    if (folder !== '') await discard(folder);
  }
}

/** undefined: who the service runs as, which may be nobody else. */
function toUser(): number | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const [, , count = 0] = readFileSync('/proc/self/uid_map', 'utf8').trim().split(/\s+/).map(Number);
  if (count < firstOwn + mostOwn) return nobody;
  commands = (commands + 1) % mostOwn;
  return firstOwn + commands;
}

function toArguments(
  { ram_mb, cpus, timeout_seconds }: SandboxLimits,
  user: number | undefined,
  folders: string[],
  hidden: readonly string[],
  command: string,
) {
  const as = user === undefined ? [] : [`--reuid=${user}`, `--regid=${user}`, '--clear-groups'];
  const bytes = ram_mb * 1024 * 1024;
  const processors = toProcessors().slice(0, cpus);
  const bounds = [
    `--data=${bytes}`,
    `--nproc=${mostProcesses}`,
    `--nofile=${mostOpenFiles}`,
    `--fsize=${maxOpenFileBytes}`,
    // Of all threads of a process together.
    `--cpu=${timeout_seconds * processors.length + 1}`,
    '--core=0',
    // Of these a user has so many for all that runs as it.
    '--sigpending=1000',
    '--msgqueue=0',
  ];
  // Of what is shown only what lies in a folder of the system is somebody's own.
  const unshown = toFolders([process.cwd(), packageFolder, tmpdir(), ...hidden]).filter((one) =>
    /^\/usr\/[^/]+\/./.test(one),
  );
  const sizes = [maxWorkspaceBytes, mostKept.bytes, mostKept.files].map(String);
  return [
    ...['--pdeathsig', 'KILL', ...as, '--', ...outer],
    ...['bash', '-c', script, 'sandbox', ...folders, ...sizes, unshown.join('\n'), command],
    ...['taskset', '-c', processors.join(), 'prlimit', ...bounds],
    ...toFilter(user !== undefined && user !== nobody),
  ];
}

/** Those that the service may use, by their numbers. */
function toProcessors(): number[] {
  const [, list = '0'] = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return list.split(',').flatMap((range) => {
    const [first, last = first] = range.split('-').map(Number) as [number, number?];
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

/** Where they really are. */
const toFolders = (paths: readonly string[]) =>
  paths
    .filter(existsSync)
    .map((one) => realpathSync(one))
    .map((one) => (statSync(one).isFile() ? dirname(one) : one));
