/** What the agent remembers of a person, in the database; never of a guest. */

import { randomUUID } from 'node:crypto';
import type { Db } from '../db.ts';
import { type Page, toOffset } from '../paging.ts';

export const memoryTypes = ['semantic', 'episodic', 'procedural'] as const;
export type MemoryType = (typeof memoryTypes)[number];

export interface UserMemory {
  uuid: string;
  type: MemoryType;
  content: string;
  is_active: 0 | 1;
  created_at: number;
  updated_at: number;
  account: string;
  email: string;
  name: string | null;
}

/** Of one person, the latest are enough for a prompt. */
const mostInPrompt = 50;
/** Of one person, at one agent: the oldest go. */
const mostKept = 500;

export function createMemoryStore(db: Db, now: () => number) {
  const from = `FROM memories JOIN accounts ON accounts.uuid = memories.account
    WHERE bot_id = ? AND (? IS NULL OR account = ?) AND (? IS NULL OR type = ?)`;
  const count = (botId: string, account?: string, type?: MemoryType): number => {
    const filters = [account ?? null, account ?? null, type ?? null, type ?? null];
    return (db.prepare(`SELECT count(*) AS total ${from}`).get(botId, ...filters) as { total: number }).total;
  };
  const list = (botId: string, page: Page, account?: string, type?: MemoryType): UserMemory[] =>
    db
      .prepare(
        `SELECT memories.*, accounts.email, accounts.name ${from} ORDER BY memories.id DESC LIMIT ? OFFSET ?`,
      )
      .all(
        botId,
        account ?? null,
        account ?? null,
        type ?? null,
        type ?? null,
        page.perPage,
        toOffset(page),
      ) as UserMemory[];

  return {
    count,
    list,

    /** Oldest first. */
    of: (botId: string, account: string): string[] =>
      list(botId, { page: 1, perPage: mostInPrompt }, account)
        .map(({ content }) => content)
        .reverse(),

    add(botId: string, account: string, content: string, type: MemoryType): string {
      const uuid = randomUUID();
      db.transaction(() => {
        db.prepare(
          'INSERT INTO memories (uuid, bot_id, account, type, content, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
        ).run(uuid, botId, account, type, content, now(), now());
        db.prepare(
          `DELETE FROM memories WHERE bot_id = ? AND account = ? AND id <= (SELECT id FROM memories
           WHERE bot_id = ? AND account = ? ORDER BY id DESC LIMIT 1 OFFSET ?)`,
        ).run(botId, account, botId, account, mostKept);
      })();
      return uuid;
    },

    delete(botId: string, uuid: string): boolean {
      return db.prepare('DELETE FROM memories WHERE bot_id = ? AND uuid = ?').run(botId, uuid).changes > 0;
    },
  };
}

export type MemoryStore = ReturnType<typeof createMemoryStore>;
