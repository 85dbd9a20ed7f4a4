/** Accounts in the database: the people of a project who came by single sign-on. */

import { randomUUID } from 'node:crypto';
import type { Db } from '../db.ts';
import { toKey } from '../email/address.ts';

export interface Person {
  email: string;
  name: string | null;
  externalId: string | null;
}

export interface Account {
  /** The member id of chat calls. */
  uuid: string;
  email: string;
  name: string | null;
}

export function createAccountStore(db: Db, now: () => number) {
  return {
    find(projectId: string, uuid: string): Account | undefined {
      return db
        .prepare('SELECT uuid, email, name FROM accounts WHERE project_id = ? AND uuid = ?')
        .get(projectId, uuid) as Account | undefined;
    },

    /** Finds or makes the account. */
    join(projectId: string, person: Person): Account {
      const subject =
        person.externalId === null ? `email:${toKey(person.email)}` : `external:${person.externalId}`;
      return db
        .prepare(
          `INSERT INTO accounts (uuid, project_id, subject, email, name, created_at) VALUES (?, ?, ?, ?, ?, ?)
           ON CONFLICT (project_id, subject) DO UPDATE SET email = excluded.email, name = coalesce(excluded.name, name)
           RETURNING uuid, email, name`,
        )
        .get(randomUUID(), projectId, subject, person.email, person.name, now()) as Account;
    },
  };
}

export type AccountStore = ReturnType<typeof createAccountStore>;
