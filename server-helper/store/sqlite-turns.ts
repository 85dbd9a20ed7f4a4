/** Turns in a SQLite store: which were begun, who runs them, and how they ended. Node only. */
import { conversationColumns, type createSqliteConversations } from './sqlite-conversations.ts';
import type { SqliteFile } from './sqlite-file.ts';
import { longestLeaseMs, type Store, type TurnRecord, toTurnTime } from './store.ts';

type TurnMethods = Pick<
  Store,
  | 'beginTurn'
  | 'findTurn'
  | 'listTurns'
  | 'forgetTexts'
  | 'findLiveTurn'
  | 'voteTurn'
  | 'setTeller'
  | 'setEarlier'
  | 'endTurn'
  | 'resumeTurn'
  | 'takeTurn'
  | 'renewTurns'
  | 'releaseTurns'
  | 'dropTurnsFrom'
>;

const ofTurn = 'conversationId = ? AND id = ?';
const endColumns = [
  'status',
  'endedAt',
  'question',
  'answer',
  'earlier',
  'code',
  'agentMessageId',
  'pause',
] as const;

export function createSqliteTurns(
  file: SqliteFile,
  now: () => number,
  { find: findConversation }: Pick<ReturnType<typeof createSqliteConversations>, 'find'>,
): TurnMethods {
  const { all, one, run } = file;
  const find = (conversationId: string, id: string) =>
    one<TurnRecord>(`SELECT * FROM turns WHERE ${ofTurn}`, conversationId, id);
  const findLive = (conversationId: string) =>
    one<TurnRecord>(
      `SELECT * FROM turns WHERE conversationId = ? AND status IN ('running', 'paused')`,
      conversationId,
    );

  return {
    beginTurn: (conversation, turn) =>
      file.write(() => {
        const { id, owner, bot } = conversation;
        if (one('SELECT 1 FROM merged WHERE owner = ?', owner)) return { kind: 'gone' };
        run(
          `INSERT INTO conversations (${conversationColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
          id,
          owner,
          bot,
          conversation.chatId,
          conversation.title,
          conversation.mode,
          conversation.workspace ?? null,
          conversation.workspaceOf ?? null,
          conversation.createdAt,
          conversation.updatedAt,
        );
        const claimed = findConversation(id);
        if (claimed?.owner !== owner || (claimed.bot !== bot && claimed.bot !== '')) return { kind: 'gone' };
        const known = find(id, turn.id);
        if (known) return { kind: 'known', conversation: claimed, turn: known };
        const live = findLive(id);
        if (live) return { kind: 'running', conversation: claimed, turn: live };
        run('UPDATE conversations SET updatedAt = ? WHERE id = ?', conversation.updatedAt, id);
        const last = one<{ at: number }>(
          'SELECT at FROM turns WHERE conversationId = ? ORDER BY at DESC LIMIT 1',
          id,
        );
        const begun = { ...turn, at: toTurnTime(turn.at, last?.at) };
        run(
          `INSERT INTO turns (conversationId, id, fingerprint, status, at, question, earlier, runner, leaseUntil, teller, attached)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          id,
          turn.id,
          turn.fingerprint,
          turn.status,
          begun.at,
          turn.question,
          turn.earlier ?? null,
          turn.runner ?? null,
          turn.leaseUntil ?? null,
          turn.teller ?? null,
          turn.attached ?? null,
        );
        return {
          kind: 'began',
          conversation: { ...claimed, updatedAt: conversation.updatedAt },
          turn: begun,
        };
      }),
    findTurn: (conversationId, id) => file.read(() => find(conversationId, id)),
    listTurns: (conversationId, { before = Number.MAX_SAFE_INTEGER, limit } = { limit: -1 }) =>
      file.read(() =>
        all<TurnRecord>(
          'SELECT * FROM turns WHERE conversationId = ? AND at < ? ORDER BY at DESC, rowid DESC LIMIT ?',
          conversationId,
          before,
          limit,
        ).reverse(),
      ),
    forgetTexts: (conversationId, ids) =>
      file.write(() => {
        for (const id of ids)
          run(`UPDATE turns SET question = '', answer = NULL WHERE ${ofTurn}`, conversationId, id);
      }),
    findLiveTurn: (conversationId) => file.read(() => findLive(conversationId)),
    voteTurn: (conversationId, id, vote) =>
      file.write(() => {
        const before = find(conversationId, id)?.vote ?? undefined;
        run(`UPDATE turns SET vote = ? WHERE ${ofTurn}`, vote ?? null, conversationId, id);
        return before;
      }),
    setTeller: (conversationId, id, teller) =>
      file.write(() => void run(`UPDATE turns SET teller = ? WHERE ${ofTurn}`, teller, conversationId, id)),
    setEarlier: (conversationId, id, earlier) =>
      file.write(() => void run(`UPDATE turns SET earlier = ? WHERE ${ofTurn}`, earlier, conversationId, id)),
    endTurn: (conversationId, id, change, from) =>
      file.write(() => {
        const columns = endColumns.filter((column) => column in change);
        const set = columns.map((column) => `${column} = ?`).join(', ');
        const runner = from.status === 'running' ? from.runner : undefined;
        const changes = run(
          `UPDATE turns SET ${set}, runner = NULL, leaseUntil = NULL
           WHERE ${ofTurn} AND status = ?${runner === undefined ? '' : ' AND runner = ?'}`,
          ...columns.map((column) => change[column] ?? null),
          conversationId,
          id,
          from.status,
          ...(runner === undefined ? [] : [runner]),
        );
        return changes > 0;
      }),
    resumeTurn: (conversationId, id, { runner, until }, by = {}) =>
      file.write(() => {
        const found = find(conversationId, id);
        if (found?.status !== 'paused' || found.pause === undefined) return undefined;
        if (by.pause !== undefined && found.pause !== by.pause) return undefined;
        run(
          `UPDATE turns SET status = 'running', pause = NULL, runner = ?, leaseUntil = ?, earlier = ?
           WHERE ${ofTurn}`,
          runner,
          until,
          by.earlier ?? found.earlier ?? null,
          conversationId,
          id,
        );
        return found.pause;
      }),
    takeTurn: (conversationId, id, { runner, until }) =>
      file.write(() => {
        const changes = run(
          `UPDATE turns SET runner = ?, leaseUntil = ? WHERE ${ofTurn} AND status = 'running'
           AND (leaseUntil IS NULL OR leaseUntil <= ? OR leaseUntil > ?)`,
          runner,
          until,
          conversationId,
          id,
          now(),
          now() + longestLeaseMs,
        );
        return changes > 0 ? find(conversationId, id) : undefined;
      }),
    renewTurns: ({ runner, until }) =>
      file.write(() => {
        run(`UPDATE turns SET leaseUntil = ? WHERE status = 'running' AND runner = ?`, until, runner);
        return all<{ conversationId: string; id: string }>(
          `SELECT conversationId, id FROM turns WHERE status = 'running' AND runner = ?`,
          runner,
        );
      }),
    releaseTurns: (runner) =>
      file.write(
        () => void run(`UPDATE turns SET leaseUntil = 0 WHERE status = 'running' AND runner = ?`, runner),
      ),
    dropTurnsFrom: (conversationId, id, keepId) =>
      file.write(
        () =>
          void run(
            `DELETE FROM turns WHERE conversationId = ?
             AND (at, rowid) >= (SELECT at, rowid FROM turns WHERE ${ofTurn})
             AND COALESCE((at, rowid) < (SELECT at, rowid FROM turns WHERE ${ofTurn}), TRUE)`,
            conversationId,
            conversationId,
            id,
            conversationId,
            keepId,
          ),
      ),
  };
}
