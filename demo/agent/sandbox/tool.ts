/** bash: a command of the site builder's agent, in its workspace. */

import { setImmediate as breathe } from 'node:timers/promises';
import * as v from 'valibot';
import { AgentError } from '../errors.ts';
import { toOwnTool } from '../owntool.ts';
import type { File, FileStore } from '../store/files.ts';
import type { Tool } from '../tools.ts';
import { foldersOf } from '../workspace/path.ts';
import { isPlaceable, type Left } from './folder.ts';
import { mostKept } from './process.ts';
import type { Sandbox } from './sandbox.ts';

const filesAtOnce = 100;
/** Between two looks at what else there is to do. */
const bytesAtOnce = 512 * 1024;
/** Of what could not be kept so many are named. */
const mostNamed = 20;

interface Deps {
  files: FileStore;
  /** The uuid of the workspace. */
  workspace: string;
  sandbox: Sandbox;
}

export const createBashTool = ({ files, workspace, sandbox }: Deps): Tool =>
  toOwnTool(
    'bash',
    'Run a command',
    'Runs a command of bash in the folder of the workspace: no network, and nothing else but a system to read.',
    { command: v.pipe(v.string(), v.minLength(1), v.maxLength(20_000)) },
    ({ command }, signal) =>
      sandbox.inTurn(workspace, async () => {
        signal.throwIfAborted();
        const before = await take(files, workspace);
        const contents = new Map([...before].map(([path, { content }]) => [path, content]));
        const { left, ...result } = await sandbox.run(command, contents, signal);
        const unkept = left ? await keep(files, workspace, before, left, signal) : [];
        return { ...result, ...(unkept.length > 0 ? { not_kept: unkept.slice(0, mostNamed) } : {}) };
      }),
  );

type Before = Map<string, { file: File; content: Buffer }>;

async function take(files: FileStore, workspace: string): Promise<Before> {
  const before: Before = new Map();
  const folders = new Set<string>();
  let bytes = 0;
  let last = '';
  for (;;) {
    const next = files.after(workspace, last, filesAtOnce);
    for (const file of next) {
      bytes += file.size_bytes;
      for (const folder of foldersOf(file.path)) folders.add(folder);
      if (before.size + folders.size >= mostKept.files || bytes > mostKept.bytes)
        throw new AgentError(400, 'too_large', 'The workspace is too large for a command.');
      const content = files.content(file, file.version);
      if (content) before.set(file.path, { file, content });
      last = file.path;
    }
    if (next.length < filesAtOnce) return before;
    await breathe();
  }
}

/** What is gone first: a file may have become a folder. @returns what could not be kept, also for somebody's change meanwhile */
async function keep(
  files: FileStore,
  workspace: string,
  before: Before,
  { files: now, unkept }: Left,
  signal: AbortSignal,
) {
  const refused = new Set(unkept);
  const attempt = (path: string, work: () => void) => {
    try {
      work();
    } catch (thrown) {
      if (!(thrown instanceof AgentError)) throw thrown;
      refused.add(path);
    }
  };
  let written = 0;
  const rest = async (bytes: number) => {
    written += bytes + bytesAtOnce / filesAtOnce;
    if (written < bytesAtOnce) return;
    written = 0;
    await breathe();
    signal.throwIfAborted();
  };
  for (const [path, { file }] of before) {
    if (now.has(path) || refused.has(path) || !isPlaceable(path)) continue;
    const latest = files.find(workspace, path);
    // Somebody may have written it meanwhile.
    if (latest?.id === file.id && latest.version === file.version) files.delete(latest);
    await rest(0);
  }
  for (const [path, content] of now) {
    const known = before.get(path);
    if (known?.content.equals(content)) continue;
    attempt(path, () => {
      if (known) files.write(known.file, content, 'agent', known.file.version);
      else files.create(workspace, { path, content, language: null, by: 'agent' });
    });
    await rest(content.length);
  }
  return [...refused];
}
