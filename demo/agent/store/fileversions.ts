/** What the files of workspaces hold, and held: each of their versions in the database. */

import { type Db, insertRow } from '../db.ts';
import type { Editor, File } from './files.ts';

export interface FileVersion {
  version: number;
  size_bytes: number;
  last_edited_by: Editor;
  created_at: number;
}

/** Of a file; the oldest are forgotten. */
const versionsKept = 100;

export function createFileVersions(db: Db, now: () => number) {
  return {
    /** Its latest. */
    add(file: File, content: Buffer) {
      insertRow(db, 'file_versions', {
        file: file.id,
        version: file.version,
        content,
        last_edited_by: file.last_edited_by,
        created_at: now(),
      });
      db.prepare('DELETE FROM file_versions WHERE file = ? AND version <= ?').run(
        file.id,
        file.version - versionsKept,
      );
    },

    /** @returns undefined where there was none, or it is forgotten */
    content({ id }: Pick<File, 'id'>, version: number): Buffer | undefined {
      const row = db
        .prepare('SELECT content FROM file_versions WHERE file = ? AND version = ?')
        .get(id, version) as { content: Buffer } | undefined;
      return row && Buffer.from(row.content);
    },

    /** Of each of these its latest. */
    contents(files: readonly Pick<File, 'id'>[]): { path: string; content: Buffer }[] {
      const rows = db
        .prepare(
          `SELECT path, content FROM files JOIN file_versions ON file = id AND file_versions.version = files.version
           WHERE id IN (SELECT value FROM json_each(?)) ORDER BY path`,
        )
        .all(JSON.stringify(files.map(({ id }) => id))) as { path: string; content: ArrayBuffer }[];
      return rows.map(({ path, content }) => ({ path, content: Buffer.from(content) }));
    },

    /** Newest first. */
    list: ({ id }: Pick<File, 'id'>): FileVersion[] =>
      db
        .prepare(
          `SELECT version, length(content) AS size_bytes, last_edited_by, created_at
           FROM file_versions WHERE file = ? ORDER BY version DESC`,
        )
        .all(id) as FileVersion[],
  };
}
