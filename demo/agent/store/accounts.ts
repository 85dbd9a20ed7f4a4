/** Accounts and subscribers in the database: the people who came by single sign-on. */

import { randomUUID } from 'node:crypto';
import type { Db } from '../db.ts';
import { type Page, toOffset } from '../paging.ts';

export interface Person {
  email: string;
  name: string | null;
  externalId: string | null;
}

export interface Subscriber {
  id: number;
  email: string;
  name: string | null;
  subscribed_at: number;
}

export function createAccountStore(db: Db, now: () => number) {
  return {
    /** Who came by single sign-on with this uuid, which is the member id of chat calls. */
    find(projectId: string, uuid: string): { uuid: string; email: string } | undefined {
      return db
        .prepare('SELECT uuid, email FROM accounts WHERE project_id = ? AND uuid = ?')
        .get(projectId, uuid) as { uuid: string; email: string } | undefined;
    },

    list(botId: string, page: Page): { subscribers: Subscriber[]; total: number } {
      const { total } = db
        .prepare('SELECT count(*) AS total FROM subscribers WHERE bot_id = ?')
        .get(botId) as { total: number };
      const subscribers = db
        .prepare(
          `SELECT subscribers.id, email, name, subscribed_at FROM subscribers
           JOIN accounts ON accounts.uuid = subscribers.account WHERE bot_id = ?
           ORDER BY subscribers.id DESC LIMIT ? OFFSET ?`,
        )
        .all(botId, page.perPage, toOffset(page)) as Subscriber[];
      return { subscribers, total };
    },

    /** Finds or makes the account and its subscriber; `isNew` says whether the subscriber was made. */
    join(
      projectId: string,
      botId: string,
      person: Person,
    ): { memberId: string; subscriber: Subscriber; isNew: boolean } {
      const subject =
        person.externalId === null ? `email:${person.email.toLowerCase()}` : `external:${person.externalId}`;
      return db.transaction(() => {
        db.prepare(
          `INSERT INTO accounts (uuid, project_id, subject, email, name, created_at) VALUES (?, ?, ?, ?, ?, ?)
           ON CONFLICT (project_id, subject) DO UPDATE SET email = excluded.email, name = coalesce(excluded.name, name)`,
        ).run(randomUUID(), projectId, subject, person.email, person.name, now());
        const account = db
          .prepare('SELECT uuid, email, name FROM accounts WHERE project_id = ? AND subject = ?')
          .get(projectId, subject) as { uuid: string; email: string; name: string | null };
        const { changes } = db
          .prepare(
            'INSERT INTO subscribers (bot_id, account, subscribed_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
          )
          .run(botId, account.uuid, now());
        const { id, subscribed_at } = db
          .prepare('SELECT id, subscribed_at FROM subscribers WHERE bot_id = ? AND account = ?')
          .get(botId, account.uuid) as { id: number; subscribed_at: number };
        return {
          memberId: account.uuid,
          subscriber: { id, email: account.email, name: account.name, subscribed_at },
          isNew: changes > 0,
        };
      })() as { memberId: string; subscriber: Subscriber; isNew: boolean };
    },
  };
}

export type AccountStore = ReturnType<typeof createAccountStore>;
