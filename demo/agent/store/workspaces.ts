/** Workspaces in the database: where an agent keeps files, of the dashboard's kind or of a service's. */

import { randomUUID } from 'node:crypto';
import type { Db } from '../db.ts';
import { type Page, toOffset } from '../paging.ts';

export interface Workspace {
  uuid: string;
  bot_id: string;
  name: string;
  /** Service workspaces have an allowance of their own. */
  kind: 'dashboard' | 'service';
  is_default: 0 | 1;
  created_at: number;
}

export function createWorkspaceStore(db: Db, now: () => number) {
  const find = (projectId: string, uuid: string): Workspace | undefined =>
    db
      .prepare(
        `SELECT workspaces.* FROM workspaces JOIN bots ON bots.uuid = workspaces.bot_id
         WHERE bots.project_id = ? AND workspaces.uuid = ?`,
      )
      .get(projectId, uuid) as Workspace | undefined;

  const insert = (botId: string, name: string, kind: Workspace['kind'], isDefault: 0 | 1): string => {
    const uuid = randomUUID();
    db.prepare(
      'INSERT INTO workspaces (uuid, bot_id, name, kind, is_default, created_at) VALUES (?, ?, ?, ?, ?, ?)',
    ).run(uuid, botId, name, kind, isDefault, now());
    return uuid;
  };

  return {
    find,

    create(projectId: string, botId: string, name: string, kind: Workspace['kind']): Workspace {
      return find(projectId, insert(botId, name, kind, 0))!;
    },

    /** A conversation that was pinned to it is pinned to none. */
    delete(uuid: string): void {
      db.transaction(() => {
        db.prepare('UPDATE chats SET workspace_uuid = NULL WHERE workspace_uuid = ?').run(uuid);
        db.prepare('DELETE FROM workspaces WHERE uuid = ?').run(uuid);
      })();
    },

    requireDefault(botId: string) {
      const row = db
        .prepare('SELECT 1 AS one FROM workspaces WHERE bot_id = ? AND is_default = 1')
        .get(botId);
      if (row === undefined) insert(botId, 'Default', 'dashboard', 1);
    },

    count(projectId: string, kind: Workspace['kind']): number {
      const row = db
        .prepare(
          `SELECT count(*) AS count FROM workspaces JOIN bots ON bots.uuid = workspaces.bot_id
           WHERE bots.project_id = ? AND kind = ?`,
        )
        .get(projectId, kind);
      return (row as { count: number }).count;
    },

    countOf(botId: string, kind: Workspace['kind']): number {
      const row = db
        .prepare('SELECT count(*) AS count FROM workspaces WHERE bot_id = ? AND kind = ?')
        .get(botId, kind);
      return (row as { count: number }).count;
    },

    list(botId: string, page: Page): { workspaces: Workspace[]; total: number } {
      const { total } = db
        .prepare('SELECT count(*) AS total FROM workspaces WHERE bot_id = ?')
        .get(botId) as {
        total: number;
      };
      const workspaces = db
        .prepare(
          'SELECT * FROM workspaces WHERE bot_id = ? ORDER BY created_at DESC, rowid DESC LIMIT ? OFFSET ?',
        )
        .all(botId, page.perPage, toOffset(page)) as Workspace[];
      return { workspaces, total };
    },
  };
}

export type WorkspaceStore = ReturnType<typeof createWorkspaceStore>;
