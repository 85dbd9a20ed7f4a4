/**
 * What an agent's statistics count, each bounded to one pass over an index.
 * What a deleted conversation held is counted no more.
 */

import type { Db } from '../db.ts';
import { dayMs, hourMs } from '../time.ts';

/** In ms since 1970, both inclusive. */
export interface Range {
  from: number;
  to: number;
}

export const allTime: Range = { from: 0, to: Number.MAX_SAFE_INTEGER };

/** Of the slowest turns so many times those that are needed are looked through for those of a range. */
const slowestLooked = 4;

/** How many entries "recent" lists have. */
const recent = 20;

/** Turns that have ended. Times are sums, in ms. */
export interface HourTotals {
  messages: number;
  turns: number;
  failed: number;
  durationMs: number;
  agentTurns: number;
  agentSteps: number;
  agentMs: number;
  reasoningTokens: number;
}

/** The hours that lie whole in a range: their rows count, and beside them what lies at its ends. */
const wholeHours = ({ from, to }: Range) => [Math.ceil(from / hourMs), Math.floor((to + 1) / hourMs) - 1];

export function createStatistics(db: Db) {
  const all = <T>(sql: string, ...values: unknown[]): T[] => db.prepare(sql).all(...values) as T[];
  const one = <T>(sql: string, ...values: unknown[]): T => all<T>(sql, ...values)[0]!;

  /** Each hour with messages, in order; of the first and the last what lies in the range. */
  function hours(botId: string, { from, to }: Range): { hour: number; messages: number; asked: number }[] {
    const [first, last] = wholeHours({ from, to });
    return all(
      `SELECT hour, sum(messages) AS messages, sum(asked) AS asked FROM (
         SELECT hour, messages, user_messages AS asked FROM hours WHERE bot_id = ?1 AND hour BETWEEN ?4 AND ?5 AND messages > 0
         UNION ALL SELECT created_at / ${hourMs}, 1, role = 'user' FROM messages
           WHERE bot_id = ?1 AND created_at BETWEEN ?2 AND min(?3, ?4 * ${hourMs} - 1)
         UNION ALL SELECT created_at / ${hourMs}, 1, role = 'user' FROM messages
           WHERE bot_id = ?1 AND created_at BETWEEN max(?2, ?4 * ${hourMs}, (?5 + 1) * ${hourMs}) AND ?3)
       GROUP BY hour ORDER BY hour`,
      botId,
      from,
      to,
      first,
      last,
    );
  }

  /** How many rows each day has, but days without any. In order. */
  function countByDay(
    from: 'chats' | 'votes',
    botId: string,
    range: Range,
    where = '1',
  ): { day: number; count: number }[] {
    const next = (after: string) =>
      `(SELECT min(created_at) / ${dayMs} FROM ${from} WHERE bot_id = $bot AND created_at BETWEEN max($from, ${after}) AND $to)`;
    return db
      .prepare(
        `WITH RECURSIVE days (day) AS (
           SELECT ${next('$from')}
           UNION ALL SELECT ${next(`(day + 1) * ${dayMs}`)} FROM days WHERE day IS NOT NULL)
         SELECT day, (SELECT count(*) FROM ${from} WHERE bot_id = $bot AND ${where}
           AND created_at BETWEEN max($from, day * ${dayMs}) AND min($to, (day + 1) * ${dayMs} - 1)) AS count
         FROM days WHERE day IS NOT NULL`,
      )
      .all({ bot: botId, ...range }) as { day: number; count: number }[];
  }

  return {
    hours,
    countByDay,

    totals(botId: string, range: Range): HourTotals {
      const [first, last] = wholeHours(range);
      const edge = (from: string, to: string) =>
        `UNION ALL SELECT 1, ended = 'error', duration_ms, reasoning_type = 'agent', steps * (reasoning_type = 'agent'),
           duration_ms * (reasoning_type = 'agent'), reasoning_tokens
         FROM turns WHERE bot_id = ?1 AND started_at BETWEEN ${from} AND ${to} AND ended IS NOT NULL`;
      const turns = one<Omit<HourTotals, 'messages'>>(
        `SELECT coalesce(sum(turns), 0) AS turns, coalesce(sum(failed), 0) AS failed, coalesce(sum(duration_ms), 0) AS durationMs,
           coalesce(sum(agent_turns), 0) AS agentTurns, coalesce(sum(agent_steps), 0) AS agentSteps,
           coalesce(sum(agent_ms), 0) AS agentMs, coalesce(sum(reasoning_tokens), 0) AS reasoningTokens FROM (
           SELECT turns, failed, duration_ms, agent_turns, agent_steps, agent_ms, reasoning_tokens FROM hours
             WHERE bot_id = ?1 AND hour BETWEEN ?4 AND ?5
           ${edge('?2', `min(?3, ?4 * ${hourMs} - 1)`)}
           ${edge(`max(?2, ?4 * ${hourMs}, (?5 + 1) * ${hourMs})`, '?3')})`,
        botId,
        range.from,
        range.to,
        first,
        last,
      );
      const messages = hours(botId, range).reduce((sum, hour) => sum + hour.messages, 0);
      return { messages, ...turns };
    },

    /** undefined where there is none. */
    firstTurnAt(botId: string, { from, to }: Range): number | undefined {
      const row = one<{ at: number | null }>(
        'SELECT min(started_at) AS at FROM turns WHERE bot_id = ? AND started_at BETWEEN ? AND ?',
        botId,
        from,
        to,
      );
      return row.at ?? undefined;
    },

    /**
     * The n-th slowest turn's time in ms, from 0, of each n.
     * Mostly they are among the slowest of all time, which the index gives; where the range holds too few of these, its
     * turns are read and sorted.
     */
    slowest(botId: string, range: Range, ns: readonly number[]): number[] {
      const found = ns.map((n) =>
        all<{ duration_ms: number }>(
          `SELECT duration_ms FROM (SELECT duration_ms, started_at FROM turns INDEXED BY turns_by_duration
             WHERE bot_id = ?1 AND ended IS NOT NULL ORDER BY duration_ms DESC LIMIT ?5)
           WHERE started_at BETWEEN ?2 AND ?3 LIMIT 1 OFFSET ?4`,
          botId,
          range.from,
          range.to,
          n,
          slowestLooked * (n + 1),
        ).map(({ duration_ms }) => duration_ms),
      );
      if (found.every((one) => one.length > 0)) return found.flat();
      const { list } = one<{ list: string | null }>(
        `SELECT group_concat(duration_ms) AS list FROM turns
         WHERE bot_id = ? AND started_at BETWEEN ? AND ? AND ended IS NOT NULL`,
        botId,
        range.from,
        range.to,
      );
      const times = Float64Array.from((list ?? '').split(','), Number).sort();
      return ns.map((n) => times[times.length - 1 - n]!);
    },

    tools(
      botId: string,
      { from, to }: Range,
    ): { name: string; calls: number; succeeded: number; totalMs: number }[] {
      return all(
        `SELECT name, count(*) AS calls, sum(ok) AS succeeded, sum(duration_ms) AS totalMs FROM tool_calls
         WHERE bot_id = ? AND created_at BETWEEN ? AND ? GROUP BY name ORDER BY calls DESC, name`,
        botId,
        from,
        to,
      );
    },

    errors(botId: string, { from, to }: Range): { code: string; count: number }[] {
      return all(
        `SELECT error_code AS code, count(*) AS count FROM turns INDEXED BY turns_failed
         WHERE bot_id = ? AND started_at BETWEEN ? AND ? AND ended = 'error' GROUP BY error_code ORDER BY count DESC, code`,
        botId,
        from,
        to,
      );
    },

    recentErrors(
      botId: string,
      { from, to }: Range,
    ): { code: string; message: string; chat_id: string; at: number }[] {
      return all(
        `SELECT error_code AS code, error_message AS message, chat_id, started_at + duration_ms AS at
         FROM turns INDEXED BY turns_failed JOIN chats ON chats.id = chat
         WHERE turns.bot_id = ? AND started_at BETWEEN ? AND ? AND ended = 'error'
         ORDER BY started_at DESC LIMIT ${recent}`,
        botId,
        from,
        to,
      );
    },

    /** Runs that are over, by how they began. */
    workflows(
      botId: string,
      { from, to }: Range,
    ): {
      trigger_type: string;
      trigger_event: string | null;
      count: number;
      /** Without those whose condition did not hold. */
      performed: number;
      succeeded: number;
    }[] {
      return all(
        `SELECT trigger_type, trigger_event, count(*) AS count, sum(status <> 'skipped') AS performed,
           sum(status = 'success') AS succeeded FROM workflow_runs
         WHERE bot_id = ? AND created_at BETWEEN ? AND ? AND status NOT IN ('pending', 'running')
         GROUP BY trigger_type, trigger_event ORDER BY count DESC, trigger_type, trigger_event`,
        botId,
        from,
        to,
      );
    },

    /** What an agent has, whenever. */
    owned(botId: string): { sources: number; subscribers: number } {
      return one(
        `SELECT (SELECT count(*) FROM sources WHERE bot_id = ?1) AS sources,
           (SELECT count(*) FROM subscribers WHERE bot_id = ?1) AS subscribers`,
        botId,
      );
    },

    /** Newest first. */
    activity(botId: string, { from, to }: Range): { type: string; title: string; at: number }[] {
      const newest = (type: string, title: string, at: string, tables: string) =>
        `SELECT * FROM (SELECT '${type}' AS type, ${title} AS title, ${at} AS at FROM ${tables}
           AND ${at} BETWEEN ?2 AND ?3 ORDER BY ${at} DESC LIMIT ${recent})`;
      return all(
        `${[
          newest('chat', 'subject', 'created_at', 'chats WHERE bot_id = ?1'),
          newest('source', 'title', 'created_at', 'sources WHERE bot_id = ?1'),
          newest('subscriber', 'coalesce(name, email)', 'subscribed_at', 'subscribers WHERE bot_id = ?1'),
          newest(
            'task',
            'name',
            'task_logs.created_at',
            'task_logs JOIN tasks ON tasks.id = task WHERE task_logs.bot_id = ?1',
          ),
        ].join(' UNION ALL ')} ORDER BY at DESC LIMIT ${recent}`,
        botId,
        from,
        to,
      );
    },
  };
}

export type Statistics = ReturnType<typeof createStatistics>;
