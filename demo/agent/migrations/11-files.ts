/** Files of workspaces with their versions, and a workspace of its own for each conversation. */
export const files = `
CREATE TABLE new_workspaces (
  uuid TEXT PRIMARY KEY,
  bot_id TEXT NOT NULL REFERENCES bots(uuid),
  -- Of a conversation's own: it goes with it.
  chat INTEGER UNIQUE REFERENCES chats(id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  description TEXT,
  kind TEXT NOT NULL CHECK (kind IN ('dashboard', 'service', 'conversation')),
  is_default INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
INSERT INTO new_workspaces (uuid, bot_id, name, kind, is_default, created_at, updated_at)
  SELECT uuid, bot_id, name, kind, is_default, created_at, created_at FROM workspaces ORDER BY rowid;
DROP TABLE workspaces;
ALTER TABLE new_workspaces RENAME TO workspaces;
CREATE INDEX workspaces_of_bot ON workspaces (bot_id, kind);
CREATE TABLE files (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uuid TEXT NOT NULL UNIQUE,
  workspace TEXT NOT NULL REFERENCES workspaces(uuid) ON DELETE CASCADE,
  path TEXT NOT NULL,
  language TEXT,
  -- The latest.
  version INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL,
  last_edited_by TEXT NOT NULL CHECK (last_edited_by IN ('agent', 'user')),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (workspace, path)
);
CREATE TABLE file_versions (
  file INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  content BLOB NOT NULL,
  last_edited_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (file, version)
);
`;
