/** Keys with roles, settings of agents in one column, what is known of a source, memories of people. */
export const keys = `
CREATE TABLE keys (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects(id),
  name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'moderator', 'member')),
  prefix TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  old_hash TEXT UNIQUE,
  old_until INTEGER,
  configured INTEGER NOT NULL,
  day INTEGER NOT NULL DEFAULT 0,
  day_count INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER
);
DROP TABLE api_keys;
ALTER TABLE bots ADD COLUMN settings TEXT NOT NULL DEFAULT '{}';
ALTER TABLE bots ADD COLUMN updated_at INTEGER NOT NULL DEFAULT 0;
UPDATE bots SET updated_at = created_at;
ALTER TABLE bots DROP COLUMN name;
ALTER TABLE bots DROP COLUMN instruction;
ALTER TABLE bots DROP COLUMN branding;
ALTER TABLE sources ADD COLUMN description TEXT;
ALTER TABLE sources ADD COLUMN content TEXT NOT NULL DEFAULT '';
ALTER TABLE sources ADD COLUMN links TEXT NOT NULL DEFAULT '[]';
ALTER TABLE sources ADD COLUMN tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sources ADD COLUMN forget_after TEXT NOT NULL DEFAULT 'never';
ALTER TABLE sources ADD COLUMN forget_after_at INTEGER;
ALTER TABLE sources ADD COLUMN sync_frequency TEXT NOT NULL DEFAULT 'never';
ALTER TABLE sources ADD COLUMN synced_at INTEGER;
CREATE INDEX sources_to_forget ON sources (forget_after_at) WHERE forget_after_at IS NOT NULL;
CREATE INDEX sources_to_sync ON sources (sync_frequency, synced_at) WHERE sync_frequency <> 'never';
CREATE TABLE memories (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uuid TEXT NOT NULL UNIQUE,
  bot_id TEXT NOT NULL REFERENCES bots(uuid),
  account TEXT NOT NULL REFERENCES accounts(uuid),
  type TEXT NOT NULL CHECK (type IN ('semantic', 'episodic', 'procedural')),
  content TEXT NOT NULL,
  is_active INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE INDEX memories_of ON memories (bot_id, account);
`;
