/** Files of a workspace: files, file, file/rename, file/versions, download. */

import { Readable } from 'node:stream';
import type { Hono } from 'hono';
import * as v from 'valibot';
import { type AccessEnv, requireBot, requireManager } from '../access.ts';
import { AgentError } from '../errors.ts';
import { flag, paging, takes, target } from '../input.ts';
import { readPage, toPagination } from '../paging.ts';
import type { Parts } from '../parts.ts';
import type { File } from '../store/files.ts';
import type { Caller } from '../store/keys.ts';
import type { Workspace } from '../store/workspaces.ts';
import { wellFormed } from '../text.ts';
import { toIso } from '../time.ts';
import { requirePath } from '../workspace/path.ts';
import { toZip } from '../workspace/zip.ts';

const perPage = 100;
const mostPerPage = 1_000;

const ofWorkspace = { ...target, workspace_uuid: v.string() };
const ofFile = { ...ofWorkspace, file_uuid: v.string() };
const version = v.pipe(
  v.union([v.number(), v.pipe(v.string(), v.regex(/^\d+$/), v.transform(Number))]),
  v.integer(),
  v.minValue(1),
);
const content = v.pipe(
  v.string(),
  v.check((text) => text === wellFormed(text), 'whole characters are needed'),
);

export function routeFiles(app: Hono<AccessEnv>, parts: Parts) {
  const { files } = parts;

  /** 404 for one that the agent does not have. */
  function requireWorkspace(
    caller: Caller,
    input: { project_id: string; bot_id: string; workspace_uuid: string },
  ) {
    const bot = requireBot(parts, caller, input);
    return (): Workspace => {
      const workspace = parts.workspaces.find(caller.projectId, input.workspace_uuid);
      if (workspace?.bot_id === bot.uuid) return workspace;
      throw new AgentError(404, 'workspace_not_found', 'This agent has no such workspace.');
    };
  }
  function requireFile({ uuid }: Workspace, file_uuid: string): File {
    const file = files.findByUuid(uuid, file_uuid);
    if (!file) throw notFound();
    return file;
  }

  /** With its content at a version. 404 `version_not_found`. */
  function toWireContent(file: File, version = file.version) {
    const bytes = files.content(file, version);
    if (!bytes) throw new AgentError(404, 'version_not_found', 'The file has no such version.');
    const { size_bytes: _, ...wire } = toWireFile(file);
    return { ...wire, version, size_bytes: bytes.length, content: bytes.toString() };
  }

  app.get('/v1/bot/workspace/files', takes({ ...ofWorkspace, ...paging }), async (c) => {
    const input = c.get('input');
    const workspace = requireWorkspace(c.get('caller'), input)();
    const page = readPage(input, perPage, mostPerPage);
    const { files: found, total } = files.list(workspace.uuid, page);
    return c.json({ files: found.map(toWireFile), pagination: toPagination(page, total) });
  });

  app.get(
    '/v1/bot/workspace/file',
    takes({
      ...ofWorkspace,
      file_uuid: v.optional(v.string()),
      file_path: v.optional(v.string()),
      version: v.optional(version),
    }),
    async (c) => {
      const { file_uuid, file_path, version: wanted, ...input } = c.get('input');
      if (file_uuid === undefined && file_path === undefined)
        throw new AgentError(400, 'invalid_parameters', 'file_uuid: it or file_path is needed.');
      const path = file_uuid === undefined ? requirePath('file_path', file_path!) : undefined;
      const { uuid } = requireWorkspace(c.get('caller'), input)();
      const file = path === undefined ? files.findByUuid(uuid, file_uuid!) : files.find(uuid, path);
      if (!file) throw notFound();
      return c.json({ file: toWireContent(file, wanted) });
    },
  );

  app.post(
    '/v1/bot/workspace/file',
    takes({
      ...ofWorkspace,
      file_path: v.string(),
      content: v.optional(content, ''),
      language: v.nullish(v.pipe(v.string(), v.maxLength(50)), null),
    }),
    async (c) => {
      const caller = c.get('caller');
      const { file_path, content, language, ...input } = c.get('input');
      const path = requirePath('file_path', file_path);
      const find = requireWorkspace(caller, input);
      requireManager(caller);
      const { uuid } = find();
      const file = files.create(uuid, { path, content: Buffer.from(content), language, by: 'user' });
      return c.json({ file: toWireContent(file) }, 201);
    },
  );

  app.put('/v1/bot/workspace/file', takes({ ...ofFile, content, version: v.nullish(version) }), async (c) => {
    const caller = c.get('caller');
    const { file_uuid, content, version: base, ...input } = c.get('input');
    const find = requireWorkspace(caller, input);
    requireManager(caller);
    const file = requireFile(find(), file_uuid);
    const written = files.write(file, Buffer.from(content), 'user', base ?? undefined);
    return c.json({ file: toWireContent(written) });
  });

  app.put(
    '/v1/bot/workspace/file/rename',
    takes({ ...ofWorkspace, old_path: v.string(), new_path: v.string(), is_folder: v.optional(flag, false) }),
    async (c) => {
      const caller = c.get('caller');
      const { old_path, new_path, is_folder, ...input } = c.get('input');
      const [from, to] = [requirePath('old_path', old_path), requirePath('new_path', new_path)];
      const find = requireWorkspace(caller, input);
      requireManager(caller);
      const { uuid } = find();
      if (!is_folder) {
        const file = files.find(uuid, from);
        if (!file) throw notFound();
        return c.json({ file: toWireFile(files.rename(file, to)) });
      }
      const within = files.within(uuid, from);
      if (within.length === 0) throw notFound();
      if (to.startsWith(`${from}/`))
        throw new AgentError(400, 'invalid_parameters', 'new_path: it lies in the folder itself.');
      for (const { path } of within) requirePath('new_path', to + path.slice(from.length));
      return c.json({ files: files.renameFolder(uuid, from, to).map(toWireFile) });
    },
  );

  app.delete('/v1/bot/workspace/file', takes(ofFile), async (c) => {
    const caller = c.get('caller');
    const { file_uuid, ...input } = c.get('input');
    const find = requireWorkspace(caller, input);
    requireManager(caller);
    files.delete(requireFile(find(), file_uuid));
    return c.json({ success: true, message: 'The file was deleted.' });
  });

  app.get('/v1/bot/workspace/file/versions', takes(ofFile), async (c) => {
    const { file_uuid, ...input } = c.get('input');
    const file = requireFile(requireWorkspace(c.get('caller'), input)(), file_uuid);
    const versions = files.versions(file).map(({ created_at, ...one }) => ({
      ...one,
      created_at: toIso(created_at),
    }));
    return c.json({ versions });
  });

  app.get('/v1/bot/workspace/download', takes(ofWorkspace), async (c) => {
    const require = requireWorkspace(c.get('caller'), c.get('input'));
    const stream = Readable.toWeb(Readable.from(toZip(files, require().uuid, require))) as ReadableStream;
    return c.body(stream, 200, {
      'content-type': 'application/zip',
      'content-disposition': 'attachment; filename="workspace.zip"',
    });
  });
}

const notFound = () => new AgentError(404, 'file_not_found', 'The workspace has no such file.');

function toWireFile({ uuid, path, language, version, size_bytes, last_edited_by, ...times }: File) {
  return {
    uuid,
    file_path: path,
    language,
    version,
    size_bytes,
    last_edited_by,
    created_at: toIso(times.created_at),
    updated_at: toIso(times.updated_at),
  };
}
