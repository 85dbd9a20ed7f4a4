/** E-mails in the database. */

import { randomUUID } from 'node:crypto';
import { type Db, insertRow, updateRow } from '../db.ts';
import { type Page, toOffset } from '../paging.ts';
import type { Tell } from '../tell.ts';

export const directions = ['inbound', 'outbound'] as const;
export type Direction = (typeof directions)[number];
export const emailStates = ['received', 'replied', 'sent', 'failed'] as const;
export type EmailState = (typeof emailStates)[number];

/** Of what nobody wrote by hand: the agent's answer, a workflow's mail. */
export type AutoSubmitted = 'auto-replied' | 'auto-generated';

/** Times in ms since 1970. */
export interface Email {
  id: number;
  uuid: string;
  bot_id: string;
  direction: Direction;
  from_address: string;
  to_address: string;
  subject: string;
  text_body: string;
  status: EmailState;
  /** The uuid of the one that it answers. */
  in_reply_to: string | null;
  /** Of its header, with its brackets. */
  message_id: string | null;
  /** The message ids of those before it, the first first, with a space between. */
  thread: string;
  /** null: somebody's own words, or come in. */
  auto_submitted: AutoSubmitted | null;
  created_at: number;
  updated_at: number;
}

export type NewEmail = Omit<Email, 'id' | 'uuid' | 'created_at' | 'updated_at'>;

/** `to_answer`: how often that may still be tried. */
export type ToDo = Email & { to_answer: number; to_announce: 0 | 1 };

export interface EmailCounts {
  inbound: number;
  outbound: number;
  replied: number;
  failed: number;
}

/** A kill cuts one off. */
const answerAttempts = 3;

/** @param tell of those that come in */
export function createEmailStore(db: Db, now: () => number, tell: Tell) {
  const all = <T = Email>(sql: string, ...values: unknown[]): T[] => db.prepare(sql).all(...values) as T[];
  const set = (id: number, values: Partial<Email>) =>
    updateRow(db, 'emails', id, { ...values, updated_at: now() });
  const insert = (
    email: NewEmail,
    more: { to_answer?: number; to_announce?: number; uuid?: string } = {},
  ) => {
    const uuid = more.uuid ?? randomUUID();
    insertRow(db, 'emails', { ...email, ...more, uuid, created_at: now(), updated_at: now() });
    return all('SELECT * FROM emails WHERE uuid = ?', uuid)[0]!;
  };

  return {
    find: (botId: string, uuid: string): Email | undefined =>
      all('SELECT * FROM emails WHERE bot_id = ? AND uuid = ?', botId, uuid)[0],

    /** The last of these message ids that is known. */
    findByMessage(botId: string, messageIds: readonly string[]): Email | undefined {
      for (const one of [...messageIds].reverse()) {
        const [found] = all('SELECT * FROM emails WHERE bot_id = ? AND message_id = ?', botId, one);
        if (found) return found;
      }
      return undefined;
    },

    /** What one mail brings, or nothing of it. */
    together: (work: () => void) => db.transaction(work)(),

    /** Inside the transaction of what comes with it. */
    receive(
      email: NewEmail,
      {
        name,
        startsNothing,
        toAnswer,
        toAnnounce,
      }: Record<'startsNothing' | 'toAnswer' | 'toAnnounce', boolean> & { name: string | null },
    ): Email {
      const saved = insert(email, {
        to_answer: toAnswer ? answerAttempts : 0,
        to_announce: Number(toAnnounce),
      });
      tell('email.received', email.bot_id, {
        id: saved.uuid,
        name,
        email: email.from_address,
        startsNothing,
      });
      return saved;
    },

    /** Failed until it is accepted: after a kill nobody knows better. What it answers needs no other answer. */
    begin(email: Omit<NewEmail, 'direction' | 'status'>, uuid: string): Email {
      return db.transaction(() => {
        db.prepare('UPDATE emails SET to_answer = 0 WHERE bot_id = ? AND uuid = ?').run(
          email.bot_id,
          email.in_reply_to,
        );
        return insert({ ...email, direction: 'outbound', status: 'failed' }, { uuid });
      })() as Email;
    },

    accepted(email: Email): Email {
      db.transaction(() => {
        set(email.id, { status: 'sent' });
        if (email.in_reply_to !== null)
          db.prepare(
            "UPDATE emails SET status = 'replied', updated_at = ? WHERE bot_id = ? AND uuid = ? AND direction = 'inbound'",
          ).run(now(), email.bot_id, email.in_reply_to);
      })();
      return { ...email, status: 'sent' };
    },

    /** What is still to be done, the oldest first. @param but senders that are attended to */
    toDo: (limit: number, but: readonly string[]): ToDo[] =>
      all(
        `SELECT * FROM emails WHERE (to_answer > 0 OR to_announce > 0)
           AND from_address COLLATE NOCASE NOT IN (SELECT value FROM json_each(?)) ORDER BY id LIMIT ?`,
        JSON.stringify(but),
        limit,
      ),

    /** Before it is answered: a mail that is never done with is not tried for ever. */
    claim(email: Email) {
      db.prepare('UPDATE emails SET to_answer = max(to_answer - 1, 0) WHERE id = ?').run(email.id);
    },

    /** It could not be tried: that is no attempt. */
    unclaim(email: Email) {
      db.prepare("UPDATE emails SET to_answer = to_answer + 1 WHERE id = ? AND status = 'received'").run(
        email.id,
      );
    },

    announced(email: Email) {
      db.prepare('UPDATE emails SET to_announce = 0 WHERE id = ?').run(email.id);
    },

    /** Nothing is left to be done. */
    settle(email: Email) {
      db.prepare('UPDATE emails SET to_answer = 0 WHERE id = ?').run(email.id);
    },

    /** How many of a kind went to an address since, in whichever case it was written. */
    countTo(botId: string, address: string, by: AutoSubmitted, since: number): number {
      const [row] = all<{ count: number }>(
        `SELECT count(*) AS count FROM emails
         WHERE bot_id = ? AND to_address = ? AND created_at > ? AND direction = 'outbound'
           AND auto_submitted = ?`,
        botId,
        address,
        since,
        by,
      );
      return row!.count;
    },

    /** Newest first. */
    list(
      botId: string,
      { direction = null, status = null }: { direction?: Direction | null; status?: EmailState | null },
      page: Page,
    ): { emails: Email[]; total: number } {
      const from = `FROM emails WHERE bot_id = ?1 AND (?2 IS NULL OR direction = ?2) AND (?3 IS NULL OR status = ?3)`;
      const [row] = all<{ total: number }>(`SELECT count(*) AS total ${from}`, botId, direction, status);
      const emails = all(
        `SELECT * ${from} ORDER BY id DESC LIMIT ?4 OFFSET ?5`,
        ...[botId, direction, status, page.perPage, toOffset(page)],
      );
      return { emails, total: row!.total };
    },

    delete(id: number) {
      db.prepare('DELETE FROM emails WHERE id = ?').run(id);
    },

    /** By UTC day, oldest first; days without any are left out. */
    countByDay: (botId: string, since: number): (EmailCounts & { date: string })[] =>
      all(
        `SELECT date(created_at / 1000, 'unixepoch') AS date, sum(direction = 'inbound') AS inbound,
           sum(direction = 'outbound') AS outbound, sum(status = 'replied') AS replied, sum(status = 'failed') AS failed
         FROM emails WHERE bot_id = ? AND created_at >= ? GROUP BY 1 ORDER BY 1`,
        botId,
        since,
      ),
  };
}

export type EmailStore = ReturnType<typeof createEmailStore>;
