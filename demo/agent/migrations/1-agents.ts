/** The first schema: projects, agents, people, conversations, sources. */
export const agents = `
CREATE TABLE projects (id TEXT PRIMARY KEY);
CREATE TABLE api_keys (
  hash TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects(id),
  owner_role TEXT NOT NULL CHECK (owner_role IN ('owner', 'admin', 'member'))
);
CREATE TABLE bots (
  uuid TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects(id),
  name TEXT NOT NULL,
  instruction TEXT NOT NULL,
  branding TEXT NOT NULL,
  credits INTEGER NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE TABLE workspaces (
  uuid TEXT PRIMARY KEY,
  bot_id TEXT NOT NULL REFERENCES bots(uuid),
  name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('dashboard', 'service')),
  is_default INTEGER NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE TABLE accounts (
  uuid TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects(id),
  subject TEXT NOT NULL,
  email TEXT NOT NULL,
  name TEXT,
  created_at INTEGER NOT NULL,
  UNIQUE (project_id, subject)
);
CREATE TABLE subscribers (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  bot_id TEXT NOT NULL REFERENCES bots(uuid),
  account TEXT NOT NULL REFERENCES accounts(uuid),
  subscribed_at INTEGER NOT NULL,
  UNIQUE (bot_id, account)
);
CREATE TABLE chats (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  bot_id TEXT NOT NULL REFERENCES bots(uuid),
  chat_id TEXT NOT NULL,
  subject TEXT NOT NULL,
  channel TEXT NOT NULL,
  member_id TEXT,
  persona TEXT NOT NULL CHECK (persona IN ('service', 'visitor', 'builder')),
  purpose TEXT NOT NULL CHECK (purpose IN ('none', 'granted', 'ignored')),
  workspace_uuid TEXT,
  chat_mode TEXT NOT NULL,
  summary TEXT NOT NULL DEFAULT '',
  summary_until INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (bot_id, chat_id)
);
CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uuid TEXT NOT NULL UNIQUE,
  chat INTEGER NOT NULL REFERENCES chats(id) ON DELETE CASCADE,
  role TEXT NOT NULL CHECK (role IN ('user', 'system')),
  content TEXT NOT NULL,
  model TEXT,
  reasoning_type TEXT NOT NULL,
  credit_used INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  sources TEXT NOT NULL,
  finish_reason TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE INDEX messages_of_chat ON messages (chat, id);
CREATE TABLE votes (
  message_id TEXT NOT NULL REFERENCES messages(uuid) ON DELETE CASCADE,
  voter_type TEXT NOT NULL,
  voter_id TEXT NOT NULL,
  vote_type TEXT NOT NULL CHECK (vote_type IN ('upvote', 'downvote')),
  PRIMARY KEY (message_id, voter_type, voter_id)
);
CREATE TABLE pauses (
  execution_id TEXT PRIMARY KEY,
  chat INTEGER NOT NULL REFERENCES chats(id) ON DELETE CASCADE,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'used', 'superseded')),
  expires_at INTEGER NOT NULL,
  record TEXT NOT NULL
);
CREATE TABLE sources (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uuid TEXT NOT NULL UNIQUE,
  bot_id TEXT NOT NULL REFERENCES bots(uuid),
  title TEXT NOT NULL,
  type TEXT NOT NULL,
  source TEXT NOT NULL,
  tags TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('processing', 'success', 'failed')),
  error TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE TABLE passages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  source INTEGER NOT NULL REFERENCES sources(id) ON DELETE CASCADE,
  url TEXT,
  title TEXT NOT NULL,
  favicon TEXT,
  section TEXT NOT NULL,
  content TEXT NOT NULL
);
CREATE INDEX passages_of_source ON passages (source);
CREATE VIRTUAL TABLE passages_fts USING fts5(
  title, section, content, content='passages', content_rowid='id', tokenize='porter unicode61'
);
CREATE TRIGGER passages_in AFTER INSERT ON passages BEGIN
  INSERT INTO passages_fts (rowid, title, section, content) VALUES (new.id, new.title, new.section, new.content);
END;
CREATE TRIGGER passages_out AFTER DELETE ON passages BEGIN
  INSERT INTO passages_fts (passages_fts, rowid, title, section, content)
  VALUES ('delete', old.id, old.title, old.section, old.content);
END;
`;
