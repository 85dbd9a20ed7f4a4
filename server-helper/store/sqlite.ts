/** A store in one SQLite file: survives a restart and a kill. Node only. */
import Database from 'libsql';
import type { BeginTurn, ConversationRecord, Store, TurnRecord } from './store.ts';

const schema = `
  CREATE TABLE IF NOT EXISTS conversations (
    id TEXT PRIMARY KEY, owner TEXT NOT NULL, chatId TEXT NOT NULL, title TEXT NOT NULL, mode TEXT NOT NULL,
    workspace TEXT, createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL,
    deleted INTEGER NOT NULL DEFAULT 0, chatDeleted INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX IF NOT EXISTS conversations_of_owner ON conversations (owner, deleted, updatedAt DESC, id DESC);
  CREATE INDEX IF NOT EXISTS chats_to_delete ON conversations (id) WHERE deleted = 1 AND chatDeleted = 0;
  CREATE TABLE IF NOT EXISTS turns (
    conversationId TEXT NOT NULL, id TEXT NOT NULL, fingerprint TEXT NOT NULL, status TEXT NOT NULL,
    at INTEGER NOT NULL, endedAt INTEGER, question TEXT NOT NULL, answer TEXT, code TEXT, agentMessageId TEXT, vote TEXT, pause TEXT,
    PRIMARY KEY (conversationId, id)
  ) STRICT;
  CREATE UNIQUE INDEX IF NOT EXISTS one_live_turn ON turns (conversationId) WHERE status IN ('running', 'paused');
  CREATE TABLE IF NOT EXISTS merged (owner TEXT PRIMARY KEY) STRICT;
  CREATE TABLE IF NOT EXISTS facts (key TEXT PRIMARY KEY, value TEXT NOT NULL, until INTEGER) STRICT;
  PRAGMA user_version = 1;
`;
const conversationColumns = 'id, owner, chatId, title, mode, workspace, createdAt, updatedAt';
const updatable = new Set(['title', 'mode', 'workspace', 'updatedAt']);
const ofTurn = 'conversationId = ? AND id = ?';
const isLive = `status IN ('running', 'paused')`;
const turnUpdatable = new Set([
  'status',
  'endedAt',
  'question',
  'answer',
  'code',
  'agentMessageId',
  'vote',
  'pause',
]);

/** @param file path of the database, made when absent; its folder must exist */
export function createSqliteStore(file: string, now: () => number = Date.now): Store {
  const db = new Database(file);
  // First, since another helper may hold the file while this one starts.
  db.pragma('busy_timeout = 5000');
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = NORMAL');
  db.exec(schema);

  const statements = new Map<string, ReturnType<typeof db.prepare<unknown[]>>>();
  const prepared = (sql: string) => {
    let statement = statements.get(sql);
    if (!statement) {
      statement = db.prepare<unknown[]>(sql);
      statements.set(sql, statement);
    }
    return statement;
  };
  const all = <T>(sql: string, ...values: unknown[]) =>
    prepared(sql)
      .all(...values)
      .map(toPlain) as T[];
  const one = <T>(sql: string, ...values: unknown[]) => all<T>(sql, ...values)[0];
  const run = (sql: string, ...values: unknown[]) => prepared(sql).run(...values);
  const update = (table: string, allowed: Set<string>, change: object, where: string, ...keys: string[]) => {
    const entries = Object.entries(change).filter(([column]) => allowed.has(column));
    if (entries.length === 0) return false;
    const set = entries.map(([column]) => `${column} = ?`).join(', ');
    const { changes } = run(
      `UPDATE ${table} SET ${set} WHERE ${where}`,
      ...entries.map(([, value]) => value ?? null),
      ...keys,
    );
    return changes > 0;
  };
  const conversation = (id: string) =>
    one<ConversationRecord>(
      `SELECT ${conversationColumns} FROM conversations WHERE id = ? AND deleted = 0`,
      id,
    );
  const turn = (conversationId: string, id: string) =>
    one<TurnRecord>('SELECT * FROM turns WHERE conversationId = ? AND id = ?', conversationId, id);
  const liveTurn = (conversationId: string) =>
    one<TurnRecord>(
      `SELECT * FROM turns WHERE conversationId = ? AND status IN ('running', 'paused')`,
      conversationId,
    );

  const claim = db.transaction((record: ConversationRecord) => {
    run(
      `INSERT INTO conversations (${conversationColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      record.id,
      record.owner,
      record.chatId,
      record.title,
      record.mode,
      record.workspace ?? null,
      record.createdAt,
      record.updatedAt,
    );
    const found = conversation(record.id);
    return found?.owner === record.owner ? found : undefined;
  });
  const begin = db.transaction((next: TurnRecord): BeginTurn => {
    if (!conversation(next.conversationId)) return { kind: 'gone' };
    const known = turn(next.conversationId, next.id);
    if (known) return { kind: 'known', turn: known };
    const live = liveTurn(next.conversationId);
    if (live) return { kind: 'running', turn: live };
    run(
      'INSERT INTO turns (conversationId, id, fingerprint, status, at, question) VALUES (?, ?, ?, ?, ?, ?)',
      next.conversationId,
      next.id,
      next.fingerprint,
      next.status,
      next.at,
      next.question,
    );
    return { kind: 'began', turn: next };
  });
  const drop = db.transaction((id: string) => {
    run(`UPDATE conversations SET deleted = 1, title = '', owner = '', workspace = NULL WHERE id = ?`, id);
    run('DELETE FROM turns WHERE conversationId = ?', id);
  });
  const take = db.transaction((conversationId: string, id: string) => {
    const pause = turn(conversationId, id)?.pause;
    run('UPDATE turns SET pause = NULL WHERE conversationId = ? AND id = ?', conversationId, id);
    return pause;
  });
  const merge = db.transaction((from: string, to: string) => {
    if (run('INSERT INTO merged (owner) VALUES (?) ON CONFLICT DO NOTHING', from).changes === 0) return false;
    run('UPDATE conversations SET owner = ? WHERE owner = ?', to, from);
    return true;
  });
  const fact = (key: string) =>
    one<{ value: string }>(
      'SELECT value FROM facts WHERE key = ? AND (until IS NULL OR until > ?)',
      key,
      now(),
    )?.value;
  const keep = db.transaction((key: string, value: string, ttlMs: number | undefined) => {
    run('DELETE FROM facts WHERE until <= ?', now());
    run(
      'INSERT INTO facts (key, value, until) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
      key,
      value,
      ttlMs === undefined ? null : now() + ttlMs,
    );
    return fact(key) ?? value;
  });

  const put = db.transaction((key: string, value: string, ttlMs: number) => {
    run('INSERT OR REPLACE INTO facts (key, value, until) VALUES (?, ?, ?)', key, value, now() + ttlMs);
  });

  return {
    claimConversation: async (record) => claim.immediate(record),
    findConversation: async (id) => conversation(id),
    async listConversations(owner, { limit, before }) {
      const from = before ?? { updatedAt: Number.MAX_SAFE_INTEGER, id: '' };
      return all<ConversationRecord>(
        `SELECT ${conversationColumns} FROM conversations
         WHERE owner = ? AND deleted = 0 AND (updatedAt < ? OR (updatedAt = ? AND id < ?))
         ORDER BY updatedAt DESC, id DESC LIMIT ?`,
        owner,
        from.updatedAt,
        from.updatedAt,
        from.id,
        limit,
      );
    },
    updateConversation: async (id, change) => {
      update('conversations', updatable, change, 'id = ?', id);
    },
    deleteConversation: async (id) => drop.immediate(id),
    listUndeletedChats: async (limit) =>
      all('SELECT id, chatId FROM conversations WHERE deleted = 1 AND chatDeleted = 0 LIMIT ?', limit),
    chatDeleted: async (id) => {
      run('UPDATE conversations SET chatDeleted = 1 WHERE id = ? AND deleted = 1', id);
    },
    beginTurn: async (next) => begin.immediate(next),
    findTurn: async (conversationId, id) => turn(conversationId, id),
    listTurns: async (conversationId) =>
      all('SELECT * FROM turns WHERE conversationId = ? ORDER BY at, rowid', conversationId),
    findLiveTurn: async (conversationId) => liveTurn(conversationId),
    updateTurn: async (conversationId, id, change) => {
      update('turns', turnUpdatable, change, ofTurn, conversationId, id);
    },
    settleTurn: async (conversationId, id, change) =>
      update('turns', turnUpdatable, change, `${ofTurn} AND ${isLive}`, conversationId, id),
    takePause: async (conversationId, id) => take.immediate(conversationId, id),
    dropTurnsFrom: async (conversationId, id, keepId) => {
      run(
        `DELETE FROM turns WHERE conversationId = ? AND (at, rowid) >=
         (SELECT at, rowid FROM turns WHERE conversationId = ? AND id = ?) AND id <> ?`,
        conversationId,
        conversationId,
        id,
        keepId,
      );
    },
    mergeOwner: async (from, to) => merge.immediate(from, to),
    remember: async (key, value, ttlMs) => keep.immediate(key, value, ttlMs),
    isMerged: async (owner) => one('SELECT 1 FROM merged WHERE owner = ?', owner) !== undefined,
    replace: async (key, value, ttlMs) => put.immediate(key, value, ttlMs),
    check: async () => put.immediate('check', '', 0),
    recall: async (key) => fact(key),
    forget: async (key) => {
      run('DELETE FROM facts WHERE key = ?', key);
    },
    close: async () => {
      db.close();
    },
  };
}

/** SQLite's null is the port's undefined. */
function toPlain(row: unknown): unknown {
  return Object.fromEntries(
    Object.entries(row as object).map(([column, value]) => [column, value ?? undefined]),
  );
}
