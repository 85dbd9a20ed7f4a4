/** What `glob` and `grep` find in a workspace. Patterns come from a model: they are matched in a process that can be killed. */

import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { setImmediate as breathe } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { withDeadline } from '../deadline.ts';
import { AgentError } from '../errors.ts';
import { createInTurn } from '../inturn.ts';
import type { File, FileStore } from '../store/files.ts';

const timeoutMs = 2_000;
/** Processes that a pattern may keep busy: the service has a processor of its own. */
const maxAtOnce = Math.max(2, availableParallelism() - 1);
const filesAtOnce = 200;
const bytesAtOnce = 1024 * 1024;
const maxHeapMb = 128;
/** Lists end there, */
const mostListed = 1_000;
/** and where so much is told of. */
const mostChars = 100_000;

/** What a model is told of in one answer. @param sizeOf in characters */
export function toBoundedList<T>(sizeOf: (one: T) => number) {
  const list: T[] = [];
  let chars = 0;
  return {
    list,
    /** @returns whether there was room */
    add(one: T): boolean {
      chars += sizeOf(one);
      if (list.length >= mostListed || chars > mostChars) return false;
      list.push(one);
      return true;
    },
  };
}

export interface Grep {
  pattern: string;
  files_without_match: boolean;
  invert_match: boolean;
  multiline: boolean;
  case_sensitive: boolean;
  /** Lines before and after. */
  context: number;
}

export interface Match {
  path: string;
  line: number;
  text: string;
  before: string[];
  after: string[];
}

/** Globs are of paths relative to where the search is. */
export interface SearchJob {
  include: readonly string[];
  exclude: readonly string[];
  grep?: Grep;
}

export type SearchMessage =
  | { type: 'job'; job: SearchJob }
  | { type: 'paths'; paths: string[] }
  | { type: 'files'; files: { path: string; content: Uint8Array }[] }
  | { type: 'end' };

export type SearchReply =
  | { type: 'ready' }
  | { type: 'meant'; paths: string[] }
  | { type: 'searched'; isFull: boolean }
  | ({ type: 'result' } & Searched);

export interface Searched {
  matches: Match[];
  files: string[];
  truncated: boolean;
}

const inTurn = createInTurn(maxAtOnce);

/**
 * @param workspace its uuid
 * @param path of a folder, or of one file; empty: the root. Throws 400 `invalid_pattern` or `search_failed`,
 * 404 `file_not_found`, 504 `timeout`.
 */
export function searchFiles(
  store: FileStore,
  workspace: string,
  path: string,
  job: SearchJob,
  signal: AbortSignal,
): Promise<Searched> {
  requirePattern(job.grep);
  const file = path === '' ? undefined : store.find(workspace, path);
  if (path !== '' && !file && !store.isFolder(workspace, path))
    throw new AgentError(404, 'file_not_found', 'The workspace has no such file or folder.');
  const files = file ? [[file]] : batchesOf(store, workspace, path);
  const root = file ? path.lastIndexOf('/') + 1 : path.length + 1;
  const work = async () => {
    const worker = startWorker();
    try {
      return await withDeadline(signal, timeoutMs, (limit) => search(worker, files, store, root, job, limit));
    } catch (thrown) {
      if (signal.aborted || thrown instanceof AgentError) throw thrown;
      if ((thrown as Error).name === 'TimeoutError')
        throw new AgentError(504, 'timeout', `The search took longer than ${timeoutMs / 1000} seconds.`);
      // Whatever the process makes of a pattern ends the search alone.
      throw new AgentError(400, 'search_failed', 'The search cannot be done: another pattern is needed.');
    } finally {
      worker.end();
    }
  };
  return inTurn(workspace, work, signal);
}

async function search(
  worker: ReturnType<typeof startWorker>,
  batches: Iterable<File[]>,
  store: FileStore,
  root: number,
  job: SearchJob,
  limit: AbortSignal,
): Promise<Searched> {
  worker.endOn(limit);
  await worker.ask({ type: 'job', job });
  const found = toBoundedList<string>(({ length }) => length);
  for (const batch of batches) {
    const meant = await worker.ask({ type: 'paths', paths: batch.map(({ path }) => path.slice(root)) });
    const paths = new Set(meant.type === 'meant' ? meant.paths : []);
    const wanted = batch.filter(({ path }) => paths.has(path.slice(root)));
    if (!job.grep) {
      if (!wanted.every(({ path }) => found.add(path)))
        return { matches: [], files: found.list, truncated: true };
    } else
      for (const part of bySize(wanted)) {
        const reply = await worker.ask({ type: 'files', files: store.contents(part) });
        if (reply.type === 'searched' && reply.isFull) return finish(worker);
      }
    await breathe();
  }
  return job.grep ? finish(worker) : { matches: [], files: found.list, truncated: false };
}

/** So much is read at a time, whatever the files weigh. */
function* bySize(files: readonly File[]): Generator<File[]> {
  let part: File[] = [];
  let bytes = 0;
  for (const file of files) {
    if (part.length > 0 && bytes + file.size_bytes > bytesAtOnce) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(file);
    bytes += file.size_bytes;
  }
  if (part.length > 0) yield part;
}

async function finish(worker: ReturnType<typeof startWorker>): Promise<Searched> {
  const reply = await worker.ask({ type: 'end' });
  if (reply.type !== 'result') throw new Error('The search gave no result.');
  const { type: _, ...result } = reply;
  return result;
}

function* batchesOf(store: FileStore, workspace: string, folder: string): Generator<File[]> {
  let last = `${folder}/`;
  for (;;) {
    const next = store.after(workspace, last, filesAtOnce);
    const within = next.filter(({ path }) => path.startsWith(`${folder}/`));
    if (within.length > 0) yield within;
    if (within.length < filesAtOnce) return;
    last = within.at(-1)!.path;
  }
}

function requirePattern(grep: Grep | undefined) {
  if (!grep) return;
  try {
    new RegExp(grep.pattern);
  } catch {
    throw new AgentError(
      400,
      'invalid_pattern',
      'pattern: a regular expression in the syntax of JavaScript is needed.',
    );
  }
}

/** A thread would not do: some patterns are compiled for hours, which no thread can be ended in. */
function startWorker() {
  const child = fork(fileURLToPath(new URL('./search-worker.js', import.meta.url)), {
    serialization: 'advanced',
    execArgv: [`--max-old-space-size=${maxHeapMb}`],
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  let fail = (_: unknown) => {};
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  failed.catch(() => {});
  child.on('error', fail);
  child.on('exit', () => fail(new Error('The process of the search ended.')));
  return {
    endOn(limit: AbortSignal) {
      limit.addEventListener('abort', () => fail(limit.reason), { once: true });
    },
    ask(message: SearchMessage): Promise<SearchReply> {
      const replied = new Promise<SearchReply>((resolve) =>
        child.once('message', (reply) => resolve(reply as SearchReply)),
      );
      // What could not be sent is told by its end.
      child.send(message, () => {});
      return Promise.race([replied, failed]);
    },
    end: () => child.kill('SIGKILL'),
  };
}
