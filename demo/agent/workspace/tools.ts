/** What an agent can do with the files of a workspace: ls, glob, grep, read_file, write_file. */

import * as v from 'valibot';
import { AgentError } from '../errors.ts';
import { toOwnTool } from '../owntool.ts';
import type { FileStore } from '../store/files.ts';
import { wellFormed, withoutZero } from '../text.ts';
import type { Tool } from '../tools.ts';
import { maxFileBytes, toPath } from './path.ts';
import { searchFiles, toBoundedList } from './search.ts';

const maxReadChars = 30_000;

interface WorkspaceDeps {
  files: FileStore;
  /** The uuid of the workspace. */
  workspace: string;
  mayWrite: boolean;
}

const text = v.pipe(v.string(), v.maxLength(1_000));
const path = v.pipe(v.string(), v.maxLength(500));
/** An empty one is none. */
const globs = v.optional(v.union([text, v.pipe(v.array(text), v.maxLength(20))]), []);
const toGlobs = (given: string | string[]) => [given].flat().filter((glob) => glob !== '');
const flag = v.optional(v.boolean(), false);

export function createWorkspaceTools({ files, workspace, mayWrite }: WorkspaceDeps): Tool[] {
  const tools = [
    toOwnTool(
      'ls',
      'List files',
      'Lists what lies in a folder of the workspace.',
      { path: v.optional(path, '/'), recursive: flag },
      async ({ path, recursive }) => list(files, workspace, requireFolder(path), recursive),
    ),
    toOwnTool(
      'glob',
      'Find files',
      'Finds files of the workspace by a pattern of their paths: ** crosses folders, * does not.',
      { pattern: v.pipe(text, v.minLength(1)), path: v.optional(path, '/') },
      async ({ pattern, path }, signal) => {
        const job = { include: [pattern], exclude: [] };
        const { files: found, truncated } = await searchFiles(
          files,
          workspace,
          requireFolder(path),
          job,
          signal,
        );
        return { files: found, truncated };
      },
    ),
    toOwnTool(
      'grep',
      'Search in files',
      'Finds lines of files of the workspace by a regular expression.',
      {
        pattern: text,
        path: v.optional(path, '/'),
        include: globs,
        exclude: globs,
        files_without_match: flag,
        invert_match: flag,
        multiline: flag,
        case_sensitive: v.optional(v.boolean(), true),
        context: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(20)), 0),
      },
      ({ path, include, exclude, ...grep }, signal) =>
        searchFiles(
          files,
          workspace,
          requireFolder(path),
          { include: toGlobs(include), exclude: toGlobs(exclude), grep },
          signal,
        ),
    ),
    toOwnTool('read_file', 'Read a file', 'Reads a file of the workspace.', { path }, async ({ path }) => {
      const file = files.find(workspace, requireFile(path));
      if (!file) throw notFound();
      const content = files.content(file, file.version)!.toString();
      return {
        path: file.path,
        content: wellFormed(content.slice(0, maxReadChars)),
        version: file.version,
        truncated: content.length > maxReadChars,
      };
    }),
    toOwnTool(
      'write_file',
      'Write a file',
      'Writes a file of the workspace: a new one, or another version of one that is there.',
      { path, content: v.string() },
      async ({ path, content }) => {
        const bytes = Buffer.from(withoutZero(content));
        if (bytes.length > maxFileBytes)
          throw new AgentError(400, 'too_large', `content: at most ${maxFileBytes} bytes.`);
        const before = files.find(workspace, requireFile(path));
        const file = before
          ? files.write(before, bytes, 'agent')
          : files.create(workspace, { path: requireFile(path), content: bytes, language: null, by: 'agent' });
        return { path: file.path, version: file.version, size_bytes: file.size_bytes };
      },
    ),
  ];
  return tools.filter(({ name }) => mayWrite || name !== 'write_file');
}

/** In the order of their paths, folders among them. */
function list(files: FileStore, workspace: string, folder: string, isRecursive: boolean) {
  if (folder !== '' && !files.isFolder(workspace, folder)) throw notFound();
  const entries = toBoundedList<{ path: string; type: 'file' | 'folder'; size_bytes: number }>(
    ({ path }) => path.length,
  );
  const seen = new Set<string>();
  let file = files.after(workspace, `${folder}/`, 1)[0];
  let isComplete = true;
  while (isComplete && file?.path.startsWith(`${folder}/`)) {
    const names = file.path.slice(folder.length + 1).split('/');
    const folders = isRecursive ? names.slice(0, -1) : names.slice(0, Math.min(1, names.length - 1));
    let at = folder;
    for (const name of folders) {
      at = `${at}/${name}`;
      if (!seen.has(at)) isComplete &&= entries.add({ path: at, type: 'folder', size_bytes: 0 });
      seen.add(at);
    }
    const isListed = isRecursive || names.length === 1;
    if (isListed) isComplete &&= entries.add({ path: file.path, type: 'file', size_bytes: file.size_bytes });
    [file] = isListed ? files.after(workspace, file.path, 1) : files.afterFolder(workspace, at, 1);
  }
  return { entries: entries.list, truncated: !isComplete };
}

const requireFile = (text: string) => {
  const path = toPath(text);
  if (path === undefined) throw new AgentError(400, 'invalid_path', 'path: it is none of a workspace.');
  return path;
};
/** The root is the empty one. */
const requireFolder = (text: string) => (/^\/?$/.test(text) ? '' : requireFile(text.replace(/\/$/, '')));
const notFound = () => new AgentError(404, 'file_not_found', 'The workspace has no such file or folder.');
