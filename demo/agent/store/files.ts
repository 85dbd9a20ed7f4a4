/** Files of workspaces in the database: where they lie, and what may be done to them. */

import { randomUUID } from 'node:crypto';
import { type Db, insertRow, updateRow } from '../db.ts';
import { AgentError } from '../errors.ts';
import { type Page, toOffset } from '../paging.ts';
import { foldersOf } from '../workspace/path.ts';
import { createFileVersions } from './fileversions.ts';

export type Editor = 'agent' | 'user';

export interface File {
  id: number;
  uuid: string;
  /** The uuid of its workspace. */
  workspace: string;
  path: string;
  language: string | null;
  version: number;
  size_bytes: number;
  last_edited_by: Editor;
  created_at: number;
  updated_at: number;
}

/** @param maxFiles in one workspace */
export function createFileStore(db: Db, now: () => number, maxFiles: number) {
  const findBy = (column: 'uuid' | 'path', workspace: string, value: string): File | undefined =>
    db.prepare(`SELECT * FROM files WHERE workspace = ? AND ${column} = ?`).get(workspace, value) as
      | File
      | undefined;
  const find = (workspace: string, path: string) => findBy('path', workspace, path);

  const within = (workspace: string, folder: string): File[] =>
    // "0" comes right after "/".
    db
      .prepare('SELECT * FROM files WHERE workspace = ? AND path > ? AND path < ? ORDER BY path')
      .all(workspace, `${folder}/`, `${folder}0`) as File[];
  const isFolder = (workspace: string, path: string) =>
    db
      .prepare('SELECT 1 FROM files WHERE workspace = ? AND path > ? AND path < ? LIMIT 1')
      .get(workspace, `${path}/`, `${path}0`) !== undefined;

  const count = (workspace: string) =>
    (
      db.prepare('SELECT count(*) AS count FROM files WHERE workspace = ?').get(workspace) as {
        count: number;
      }
    ).count;

  /** 409 `file_exists`: nothing is a file and a folder at once. */
  function requireFree(workspace: string, path: string) {
    const taken = [path, ...foldersOf(path)].find((one) => find(workspace, one));
    if (taken === undefined && !isFolder(workspace, path)) return;
    throw new AgentError(409, 'file_exists', 'There is a file or folder of this name.');
  }

  /** It may have been deleted while somebody works in it. */
  function requireWorkspace(workspace: string) {
    if (db.prepare('SELECT 1 FROM workspaces WHERE uuid = ?').get(workspace) === undefined)
      throw new AgentError(404, 'workspace_not_found', 'The workspace is gone.');
  }

  /** @param workspace absent: one that is empty */
  const hasRoom = (workspace: string | null | undefined, wanted: number): boolean =>
    wanted <= 0 || (workspace ? count(workspace) : 0) + wanted <= maxFiles;

  /** 403 `plan_limit_reached`. */
  function requireRoom(workspace: string | null | undefined, wanted: number) {
    if (!hasRoom(workspace, wanted))
      throw new AgentError(403, 'plan_limit_reached', `The plan has ${maxFiles} files a workspace.`);
  }

  const versions = createFileVersions(db, now);

  const touch = (workspace: string) =>
    db.prepare('UPDATE workspaces SET updated_at = ? WHERE uuid = ?').run(now(), workspace);

  /** Where it is still what was read. */
  function deleteUnwritten({ id, version, path, workspace }: File): boolean {
    const { changes } = db
      .prepare('DELETE FROM files WHERE id = ? AND version = ? AND path = ?')
      .run(id, version, path);
    touch(workspace);
    return changes > 0;
  }

  return {
    find,
    requireFree,
    hasRoom,
    requireRoom,
    within,
    isFolder,
    content: versions.content,
    contents: versions.contents,
    versions: versions.list,
    findByUuid: (workspace: string, uuid: string) => findBy('uuid', workspace, uuid),

    list(workspace: string, page: Page): { files: File[]; total: number } {
      const files = db
        .prepare('SELECT * FROM files WHERE workspace = ? ORDER BY path LIMIT ? OFFSET ?')
        .all(workspace, page.perPage, toOffset(page)) as File[];
      return { files, total: count(workspace) };
    },

    /** The next ones after a path, in the order of their paths. */
    after: (workspace: string, path: string, most: number): File[] =>
      db
        .prepare('SELECT * FROM files WHERE workspace = ? AND path > ? ORDER BY path LIMIT ?')
        .all(workspace, path, most) as File[],

    /** The next ones after all that lies in a folder: "0" comes right after "/", and may be the name of one. */
    afterFolder: (workspace: string, folder: string, most: number): File[] =>
      db
        .prepare('SELECT * FROM files WHERE workspace = ? AND path >= ? ORDER BY path LIMIT ?')
        .all(workspace, `${folder}0`, most) as File[],

    /**
     * 409 `file_exists`, 403 `plan_limit_reached`, 404 `workspace_not_found`.
     *
     * @param inPlaceOf these go with it, where nobody has written them meanwhile
     */
    create(
      workspace: string,
      { path, content, language, by }: { path: string; content: Buffer; language: string | null; by: Editor },
      inPlaceOf: readonly File[] = [],
    ): File {
      return db.transaction(() => {
        requireWorkspace(workspace);
        for (const one of inPlaceOf) deleteUnwritten(one);
        requireFree(workspace, path);
        requireRoom(workspace, 1);
        insertRow(db, 'files', {
          uuid: randomUUID(),
          workspace,
          path,
          language,
          version: 1,
          size_bytes: content.length,
          last_edited_by: by,
          created_at: now(),
          updated_at: now(),
        });
        const file = find(workspace, path)!;
        versions.add(file, content);
        touch(workspace);
        return file;
      })();
    },

    /** Another version. 409 `version_conflict`, 404 `file_not_found`. @param base the version it is made from; absent: the latest, whichever that is */
    write(file: File, content: Buffer, by: Editor, base?: number): File {
      return db.transaction(() => {
        const latest = find(file.workspace, file.path);
        // Another may be called so by now.
        if (latest?.id !== file.id) throw new AgentError(404, 'file_not_found', 'The file is gone.');
        if (base !== undefined && base !== latest.version)
          throw new AgentError(409, 'version_conflict', `Version ${latest.version} is the latest.`);
        updateRow(db, 'files', file.id, {
          version: latest.version + 1,
          size_bytes: content.length,
          last_edited_by: by,
          updated_at: now(),
        });
        const written = find(file.workspace, file.path)!;
        versions.add(written, content);
        touch(file.workspace);
        return written;
      })();
    },

    /** 409 `file_exists`. */
    rename(file: File, path: string): File {
      return db.transaction(() => {
        if (path !== file.path) requireFree(file.workspace, path);
        updateRow(db, 'files', file.id, { path, updated_at: now() });
        touch(file.workspace);
        return find(file.workspace, path)!;
      })();
    },

    /** With all that lies in it. 409 `file_exists`. */
    renameFolder(workspace: string, from: string, to: string): File[] {
      return db.transaction(() => {
        if (to !== from) requireFree(workspace, to);
        db.prepare(
          `UPDATE files SET path = ? || substr(path, ?), updated_at = ?
           WHERE workspace = ? AND path > ? AND path < ?`,
        ).run(to, [...from].length + 1, now(), workspace, `${from}/`, `${from}0`);
        touch(workspace);
        return within(workspace, to);
      })();
    },

    delete({ id, workspace }: File) {
      db.transaction(() => {
        db.prepare('DELETE FROM files WHERE id = ?').run(id);
        touch(workspace);
      })();
    },

    deleteUnwritten: (file: File): boolean => db.transaction(() => deleteUnwritten(file))(),
  };
}

export type FileStore = ReturnType<typeof createFileStore>;
