/** The tables of a SQLite store, as a list of migrations: each is applied once, and none is ever changed. */
import type Database from 'libsql';

const migrations: readonly string[] = [
  `
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
  `,
  `
  CREATE TABLE leftovers (
    kind TEXT NOT NULL, id TEXT NOT NULL, bot TEXT NOT NULL DEFAULT '', tries INTEGER NOT NULL DEFAULT 0, nextAt INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (kind, id)
  ) STRICT;
  CREATE INDEX leftovers_due ON leftovers (bot, nextAt);
  INSERT INTO leftovers (kind, id) SELECT 'chat', chatId FROM conversations WHERE deleted = 1 AND chatDeleted = 0;
  DROP INDEX chats_to_delete;
  ALTER TABLE conversations ADD COLUMN bot TEXT NOT NULL DEFAULT '';
  ALTER TABLE conversations ADD COLUMN workspaceOf TEXT;
  ALTER TABLE conversations ADD COLUMN deletedAt INTEGER;
  UPDATE conversations SET deletedAt = updatedAt, chatId = '' WHERE deleted = 1;
  ALTER TABLE conversations DROP COLUMN chatDeleted;
  CREATE INDEX tombstones ON conversations (deletedAt) WHERE deleted = 1;
  CREATE INDEX guests ON conversations (bot, updatedAt) WHERE deleted = 0 AND substr(owner, 1, 10) = 'anonymous:';
  CREATE INDEX pinned ON conversations (workspace) WHERE workspaceOf IS NOT NULL;
  ALTER TABLE turns ADD COLUMN earlier TEXT;
  ALTER TABLE turns ADD COLUMN runner TEXT;
  ALTER TABLE turns ADD COLUMN leaseUntil INTEGER;
  ALTER TABLE turns ADD COLUMN teller TEXT;
  CREATE INDEX held_turns ON turns (runner) WHERE status = 'running';
  ALTER TABLE merged ADD COLUMN at INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX merged_at ON merged (at);
  CREATE INDEX facts_until ON facts (until) WHERE until IS NOT NULL;
  `,
  `
  CREATE INDEX turns_by_time ON turns (conversationId, at);
  `,
  `
  CREATE TABLE tallies (
    bot TEXT NOT NULL, hour INTEGER NOT NULL, name TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (bot, hour, name)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  ALTER TABLE turns ADD COLUMN attached TEXT;
  `,
];

/** @throws the database's own error when another process holds the file */
export function migrate(db: Database.Database): void {
  const readVersion = () =>
    (db.pragma('user_version') as { user_version: number }[])[0]?.user_version ?? migrations.length;
  if (readVersion() >= migrations.length) return;
  db.exec('BEGIN IMMEDIATE');
  // Read again: another process may have been quicker.
  for (const migration of migrations.slice(readVersion())) db.exec(migration);
  db.exec(`UPDATE merged SET at = unixepoch() * 1000 WHERE at = 0`);
  db.pragma(`user_version = ${migrations.length}`);
  db.exec('COMMIT');
}
