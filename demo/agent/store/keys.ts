/** API keys in the database: only their hashes, with what their owner may do. */

import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Db } from '../db.ts';
import { type Page, toOffset } from '../paging.ts';
import type { DayCounts } from '../ratelimit.ts';

export const roles = ['owner', 'admin', 'moderator', 'member'] as const;
export type Role = (typeof roles)[number];

export interface Caller {
  keyId: string;
  projectId: string;
  role: Role;
  /** Owners, admins and moderators: the people who run the project. */
  isStaff: boolean;
  /** Owners and admins: who makes, changes and deletes what the project has. */
  manages: boolean;
}

export interface Key {
  id: string;
  project_id: string;
  name: string;
  role: Role;
  /** Its first characters, to tell it from others. */
  prefix: string;
  /** 1: it comes from the environment. */
  configured: 0 | 1;
  created_at: number;
  last_used_at: number | null;
}

/** A key that the service's configuration names. */
export interface ConfiguredKey {
  key: string;
  role: Role;
  projectId: string;
}

const prefixLength = 8;

export function createKeyStore(db: Db, now: () => number) {
  const find = (projectId: string, id: string) =>
    db.prepare('SELECT * FROM keys WHERE project_id = ? AND id = ?').get(projectId, id) as Key | undefined;
  const insert = (projectId: string, name: string, role: Role, key: string, configured: 0 | 1) => {
    const id = randomUUID();
    db.prepare(
      `INSERT INTO keys (id, project_id, name, role, prefix, hash, configured, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(id, projectId, name, role, key.slice(0, prefixLength), toHash(key), configured, now());
    return find(projectId, id)!;
  };
  const addProject = (id: string) =>
    db.prepare('INSERT INTO projects (id) VALUES (?) ON CONFLICT DO NOTHING').run(id);

  const days: DayCounts = {
    readDay(id) {
      const row = db.prepare('SELECT day, day_count AS count FROM keys WHERE id = ?').get(id);
      return row as { day: number; count: number };
    },
    countRequest(id, day, count) {
      db.prepare('UPDATE keys SET day = ?, day_count = ?, last_used_at = ? WHERE id = ?').run(
        day,
        count,
        now(),
        id,
      );
    },
  };

  return {
    days,
    find,

    /** Makes the database have these configured keys and no others; those made by calls stay. */
    install(configured: readonly ConfiguredKey[]) {
      db.transaction(() => {
        const hashes = configured.map(({ key }) => toHash(key));
        db.prepare(
          'DELETE FROM keys WHERE configured = 1 AND hash NOT IN (SELECT value FROM json_each(?))',
        ).run(JSON.stringify(hashes));
        for (const { key, role, projectId } of configured) {
          addProject(projectId);
          const { changes } = db
            .prepare('UPDATE keys SET role = ?, project_id = ?, configured = 1 WHERE hash = ?')
            .run(role, projectId, toHash(key));
          if (changes === 0) insert(projectId, role, role, key, 1);
        }
      })();
    },

    readCaller(key: string): Caller | undefined {
      const hash = toHash(key);
      const row = db
        .prepare('SELECT * FROM keys WHERE hash = ? OR (old_hash = ? AND old_until > ?)')
        .get(hash, hash, now()) as Key | undefined;
      return (
        row && {
          keyId: row.id,
          projectId: row.project_id,
          role: row.role,
          isStaff: row.role !== 'member',
          manages: row.role === 'owner' || row.role === 'admin',
        }
      );
    },

    list(projectId: string, page: Page): { keys: Key[]; total: number } {
      const { total } = db
        .prepare('SELECT count(*) AS total FROM keys WHERE project_id = ?')
        .get(projectId) as { total: number };
      const keys = db
        .prepare(
          'SELECT * FROM keys WHERE project_id = ? ORDER BY created_at DESC, rowid DESC LIMIT ? OFFSET ?',
        )
        .all(projectId, page.perPage, toOffset(page)) as Key[];
      return { keys, total };
    },

    /** The key itself is given this once. */
    create(projectId: string, name: string, role: Role): { key: string; record: Key } {
      const key = makeKey();
      return { key, record: insert(projectId, name, role, key, 0) };
    },

    /** The one before works for the overlap; an older one no more. */
    rotate(projectId: string, id: string, overlapMs: number): { key: string; record: Key } {
      const key = makeKey();
      db.prepare(
        `UPDATE keys SET old_hash = CASE WHEN ? > 0 THEN hash END, old_until = ?, hash = ?, prefix = ? WHERE id = ?`,
      ).run(overlapMs, now() + overlapMs, toHash(key), key.slice(0, prefixLength), id);
      return { key, record: find(projectId, id)! };
    },

    delete(id: string) {
      db.prepare('DELETE FROM keys WHERE id = ?').run(id);
    },

    requestsToday(projectId: string, day: number): number {
      const row = db
        .prepare('SELECT coalesce(sum(day_count), 0) AS sum FROM keys WHERE project_id = ? AND day = ?')
        .get(projectId, day);
      return (row as { sum: number }).sum;
    },
  };
}

export type KeyStore = ReturnType<typeof createKeyStore>;

function makeKey(): string {
  return `key_${randomBytes(24).toString('hex')}`;
}

function toHash(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
