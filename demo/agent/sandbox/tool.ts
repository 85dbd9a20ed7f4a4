/** bash: a command of the site builder's agent, in its workspace. */

import { setImmediate as breathe } from 'node:timers/promises';
import * as v from 'valibot';
import { AgentError } from '../errors.ts';
import { toOwnTool } from '../owntool.ts';
import type { File, FileStore } from '../store/files.ts';
import type { Tool } from '../tools.ts';
import { isPlaceable, type Left } from './folder.ts';
import { maxWorkspaceBytes, type Sandbox } from './sandbox.ts';

const filesAtOnce = 100;
const mostFiles = 10_000;
/** It has to grow there, too. */
const mostBytes = maxWorkspaceBytes / 2;
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
    async ({ command }, signal) => {
      const before = await take(files, workspace);
      const contents = new Map([...before].map(([path, { content }]) => [path, content]));
      const { left, ...result } = await sandbox.run(workspace, command, contents, signal);
      const unkept = left ? await keep(files, workspace, before, left) : [];
      return { ...result, ...(unkept.length > 0 ? { not_kept: unkept.slice(0, mostNamed) } : {}) };
    },
  );

type Before = Map<string, { file: File; content: Buffer }>;

async function take(files: FileStore, workspace: string): Promise<Before> {
  const before: Before = new Map();
  let bytes = 0;
  let last = '';
  for (;;) {
    const next = files.after(workspace, last, filesAtOnce);
    for (const file of next) {
      bytes += file.size_bytes;
      if (before.size >= mostFiles || bytes > mostBytes)
        throw new AgentError(400, 'too_large', 'The workspace is too large for a command.');
      const content = files.content(file, file.version);
      if (content) before.set(file.path, { file, content });
      last = file.path;
    }
    if (next.length < filesAtOnce) return before;
    await breathe();
  }
}

/** What is gone first: a file may have become a folder. @returns what could not be kept */
async function keep(files: FileStore, workspace: string, before: Before, { files: now, unkept }: Left) {
  const refused = new Set(unkept);
  const attempt = (path: string, work: () => void) => {
    try {
      work();
    } catch (thrown) {
      if (!(thrown instanceof AgentError)) throw thrown;
      refused.add(path);
    }
  };
  let done = 0;
  const rest = async () => {
    done += 1;
    if (done % filesAtOnce === 0) await breathe();
  };
  for (const [path, { file }] of before) {
    if (now.has(path) || refused.has(path) || !isPlaceable(path)) continue;
    const latest = files.find(workspace, path);
    // Somebody may have written it meanwhile.
    if (latest?.id === file.id && latest.version === file.version) files.delete(latest);
    await rest();
  }
  for (const [path, content] of now) {
    if (before.get(path)?.content.equals(content)) continue;
    attempt(path, () => {
      const latest = files.find(workspace, path);
      if (latest) files.write(latest, content, 'agent');
      else files.create(workspace, { path, content, language: null, by: 'agent' });
    });
    await rest();
  }
  return [...refused];
}
