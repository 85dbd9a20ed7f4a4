/** bash: a command of the site builder's agent, in its workspace. */

import * as v from 'valibot';
import { AgentError } from '../errors.ts';
import { toOwnTool } from '../owntool.ts';
import type { FileStore } from '../store/files.ts';
import type { Tool } from '../tools.ts';
import { foldersOf } from '../workspace/path.ts';
import { createBreath } from './breath.ts';
import { mostKept } from './process.ts';
import type { Sandbox } from './sandbox.ts';
import { type Before, writeBack } from './writeback.ts';

const filesAtOnce = 100;

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
    ({ command }, signal) => {
      const work = async () => {
        const before = await take(files, workspace, signal);
        const contents = new Map([...before].map(([path, { content }]) => [path, content]));
        const { left, ...result } = await sandbox.run(command, contents, signal);
        return left ? { ...result, ...(await writeBack(files, workspace, before, left, signal)) } : result;
      };
      return sandbox.inTurn(workspace, work, signal);
    },
  );

async function take(files: FileStore, workspace: string, signal: AbortSignal): Promise<Before> {
  const breath = createBreath(signal);
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
      await breath(file.size_bytes);
    }
    if (next.length < filesAtOnce) return before;
  }
}
