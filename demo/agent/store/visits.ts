/** Who came to an agent, by the sessions of conversations: messages with less than half an hour between them. */

import type { Db } from '../db.ts';
import { allTime, type Range } from './statistics.ts';

export interface Sessions {
  sessions: number;
  messages: number;
  /** Of all sessions together. */
  lengthMs: number;
}

export function createVisits(db: Db) {
  const one = <T>(sql: string, ...values: unknown[]): T => db.prepare(sql).all(...values)[0] as T;

  /** Of each person in the range. A session may have no message in it. */
  const sessionsIn = (columns: string) =>
    `SELECT ${columns} FROM sessions INDEXED BY sessions_of_person
     WHERE bot_id = ?1 AND (?4 OR (first_at <= ?3 AND last_at >= ?2
       AND (first_at >= ?2 OR last_at <= ?3
         OR EXISTS (SELECT 1 FROM messages WHERE chat = sessions.chat AND created_at BETWEEN ?2 AND ?3))))`;
  const isAllTime = ({ from, to }: Range) => Number(from <= allTime.from && to >= allTime.to);

  return {
    /** Sessions of which a part lies outside of the range count with what lies in it. */
    sessions(botId: string, { from, to }: Range): Sessions {
      const whole = one<Sessions>(
        `SELECT count(*) AS sessions, coalesce(sum(messages), 0) AS messages, coalesce(sum(last_at - first_at), 0) AS lengthMs
         FROM sessions INDEXED BY sessions_by_time WHERE bot_id = ? AND first_at BETWEEN ? AND ? AND last_at <= ?`,
        botId,
        from,
        to,
        to,
      );
      const cut = one<Sessions>(
        `SELECT count(*) AS sessions, coalesce(sum(messages), 0) AS messages, coalesce(sum(length), 0) AS lengthMs FROM (
           SELECT count(*) AS messages, max(created_at) - min(created_at) AS length FROM (
             SELECT id, chat, first_at, last_at FROM sessions INDEXED BY sessions_by_time
               WHERE bot_id = ?1 AND first_at < ?2 AND last_at >= ?2
             UNION SELECT id, chat, first_at, last_at FROM sessions INDEXED BY sessions_by_time
               WHERE ?4 AND bot_id = ?1 AND first_at <= ?3 AND last_at > ?3) AS cut
           JOIN messages ON messages.chat = cut.chat
           WHERE created_at BETWEEN max(first_at, ?2) AND min(last_at, ?3) GROUP BY cut.id)`,
        botId,
        from,
        to,
        // How long a session takes is not bounded: each that began before would be looked at.
        Number(to < allTime.to),
      );
      return {
        sessions: whole.sessions + cut.sessions,
        messages: whole.messages + cut.messages,
        lengthMs: whole.lengthMs + cut.lengthMs,
      };
    },

    /** With a message in the range. People are members, or conversations of nobody. */
    people(botId: string, range: Range): { people: number; chats: number } {
      return one(
        `SELECT count(*) AS people, coalesce(sum(chats), 0) AS chats FROM (
           ${sessionsIn('count(DISTINCT chat) AS chats')} GROUP BY person)`,
        botId,
        range.from,
        range.to,
        isAllTime(range),
      );
    },

    /** Of people, those with more than one session. */
    returns(botId: string, range: Range): { people: number; cameBack: number } {
      return one(
        `SELECT count(*) AS people, coalesce(sum(sessions > 1), 0) AS cameBack FROM (
           ${sessionsIn('count(*) AS sessions')} GROUP BY person)`,
        botId,
        range.from,
        range.to,
        isAllTime(range),
      );
    },
  };
}

export type Visits = ReturnType<typeof createVisits>;
