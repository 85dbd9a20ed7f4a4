/** The people of an agent in the database, one record an e-mail address: who signed in, and who left a contact. */

import type { Db } from '../db.ts';
import { type Page, toOffset } from '../paging.ts';
import type { Tell } from '../tell.ts';

export interface Subscriber {
  id: number;
  email: string;
  name: string | null;
  subscribed_at: number;
  /** `lead`: left a contact in a chat, and has not signed in. */
  type: 'subscriber' | 'lead';
  /** The account of one who signed in. */
  member_id: string | null;
}

/** @param tell of who joins */
export function createSubscriberStore(db: Db, now: () => number, tell: Tell) {
  const columns = 'subscribers.id, email, name, subscribed_at, type, account AS member_id';
  const find = (botId: string, email: string) =>
    db.prepare(`SELECT ${columns} FROM subscribers WHERE bot_id = ? AND email = ?`).get(botId, email) as
      | Subscriber
      | undefined;

  return {
    /** Newest first. @param botId absent: of all agents of the project */
    list(
      projectId: string,
      botId: string | undefined,
      page: Page,
    ): { subscribers: Subscriber[]; total: number } {
      const from = `FROM subscribers JOIN bots ON bots.uuid = bot_id
        WHERE project_id = ? AND (? IS NULL OR bot_id = ?)`;
      const filter = [projectId, botId ?? null, botId ?? null];
      const { total } = db.prepare(`SELECT count(*) AS total ${from}`).get(...filter) as { total: number };
      const subscribers = db
        .prepare(`SELECT ${columns} ${from} ORDER BY subscribers.id DESC LIMIT ? OFFSET ?`)
        .all(...filter, page.perPage, toOffset(page)) as Subscriber[];
      return { subscribers, total };
    },

    /** Who has signed in; a lead of that address is one no longer. `isNew`: was no subscriber before. */
    join(
      botId: string,
      { uuid, email, name }: { uuid: string; email: string; name: string | null },
    ): { subscriber: Subscriber; isNew: boolean } {
      return db.transaction(() => {
        // Somebody whose address has changed keeps the record, where the new address has none.
        db.prepare('UPDATE OR IGNORE subscribers SET email = ? WHERE bot_id = ? AND account = ?').run(
          email,
          botId,
          uuid,
        );
        const before = find(botId, email);
        db.prepare(
          `INSERT INTO subscribers (bot_id, account, email, name, type, subscribed_at)
           VALUES (?, ?, ?, ?, 'subscriber', ?)
           ON CONFLICT (bot_id, email) DO UPDATE SET account = excluded.account, email = excluded.email,
             name = coalesce(excluded.name, name), type = 'subscriber'`,
        ).run(botId, uuid, email, name, now());
        const subscriber = find(botId, email)!;
        const isNew = before?.type !== 'subscriber';
        if (isNew)
          tell('subscriber.joined', botId, {
            id: String(subscriber.id),
            name: subscriber.name,
            email: subscriber.email,
          });
        return { subscriber, isNew };
      })() as { subscriber: Subscriber; isNew: boolean };
    },

    /** Who has written; a lead of that address is one no longer. Inside the transaction of what was written. */
    joinByEmail(botId: string, { email, name }: { email: string; name: string | null }) {
      if (find(botId, email)?.type === 'subscriber') return;
      db.prepare(
        `INSERT INTO subscribers (bot_id, email, name, type, subscribed_at) VALUES (?, ?, ?, 'subscriber', ?)
         ON CONFLICT (bot_id, email) DO UPDATE SET name = coalesce(name, excluded.name), type = 'subscriber'`,
      ).run(botId, email, name, now());
      const { id, name: known } = find(botId, email)!;
      tell('subscriber.joined', botId, { id: String(id), name: known, email });
    },

    /** Who is known already stays what they are. @returns the record's id */
    saveLead(botId: string, contact: { email: string; name: string | null }, chatId: string): number {
      db.prepare(
        `INSERT INTO subscribers (bot_id, email, name, type, chat_id, subscribed_at)
         VALUES (?, ?, ?, 'lead', ?, ?)
         ON CONFLICT (bot_id, email) DO UPDATE SET name = coalesce(name, excluded.name) WHERE type = 'lead'`,
      ).run(botId, contact.email, contact.name, chatId, now());
      return find(botId, contact.email)!.id;
    },
  };
}

export type SubscriberStore = ReturnType<typeof createSubscriberStore>;
