/** Workspaces in the database: where an agent keeps files, of the dashboard's kind, of a service's, or a conversation's own. */

import { randomUUID } from 'node:crypto';
import { type Db, insertRow } from '../db.ts';
import { type Page, toOffset } from '../paging.ts';

export const workspaceKinds = ['dashboard', 'service', 'conversation'] as const;
export type WorkspaceKind = (typeof workspaceKinds)[number];

export interface Workspace {
  uuid: string;
  bot_id: string;
  name: string;
  description: string | null;
  /** Dashboard and service workspaces have an allowance each. */
  kind: WorkspaceKind;
  is_default: 0 | 1;
  created_at: number;
  updated_at: number;
}

interface NewWorkspace {
  name: string;
  description: string | null;
  kind: WorkspaceKind;
}

export function createWorkspaceStore(db: Db, now: () => number) {
  const find = (projectId: string, uuid: string): Workspace | undefined =>
    db
      .prepare(
        `SELECT workspaces.* FROM workspaces JOIN bots ON bots.uuid = workspaces.bot_id
         WHERE bots.project_id = ? AND workspaces.uuid = ?`,
      )
      .get(projectId, uuid) as Workspace | undefined;

  const insert = (
    botId: string,
    workspace: NewWorkspace,
    more: { chat?: number; is_default?: 0 | 1 } = {},
  ): string => {
    const uuid = randomUUID();
    const at = now();
    const row = { uuid, bot_id: botId, ...workspace, is_default: 0, created_at: at, updated_at: at, ...more };
    insertRow(db, 'workspaces', row);
    return uuid;
  };

  return {
    find,

    create(projectId: string, botId: string, workspace: NewWorkspace): Workspace {
      return find(projectId, insert(botId, workspace))!;
    },

    /** Of a conversation its own, which is made where it has none. */
    requireOwn({ id, bot_id }: { id: number; bot_id: string }): string {
      const own = db.prepare('SELECT uuid FROM workspaces WHERE chat = ?').get(id) as
        | { uuid: string }
        | undefined;
      const made = { name: 'Conversation', description: null, kind: 'conversation' } as const;
      return own?.uuid ?? insert(bot_id, made, { chat: id });
    },

    kindOf(uuid: string): WorkspaceKind | undefined {
      const row = db.prepare('SELECT kind FROM workspaces WHERE uuid = ?').get(uuid);
      return (row as { kind: WorkspaceKind } | undefined)?.kind;
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
      const made = { name: 'Default', description: null, kind: 'dashboard' } as const;
      if (row === undefined) insert(botId, made, { is_default: 1 });
    },

    count(projectId: string, kind: WorkspaceKind): number {
      const row = db
        .prepare(
          `SELECT count(*) AS count FROM workspaces JOIN bots ON bots.uuid = workspaces.bot_id
           WHERE bots.project_id = ? AND kind = ?`,
        )
        .get(projectId, kind);
      return (row as { count: number }).count;
    },

    countOf(botId: string, kind: WorkspaceKind): number {
      const row = db
        .prepare('SELECT count(*) AS count FROM workspaces WHERE bot_id = ? AND kind = ?')
        .get(botId, kind);
      return (row as { count: number }).count;
    },

    list(botId: string, kinds: readonly WorkspaceKind[], page: Page) {
      const which = `bot_id = ? AND kind IN (${kinds.map(() => '?').join(', ')})`;
      const { total } = db
        .prepare(`SELECT count(*) AS total FROM workspaces WHERE ${which}`)
        .get(botId, ...kinds) as { total: number };
      const workspaces = db
        .prepare(
          `SELECT * FROM workspaces WHERE ${which} ORDER BY created_at DESC, rowid DESC LIMIT ? OFFSET ?`,
        )
        .all(botId, ...kinds, page.perPage, toOffset(page)) as Workspace[];
      return { workspaces, total };
    },
  };
}

export type WorkspaceStore = ReturnType<typeof createWorkspaceStore>;
