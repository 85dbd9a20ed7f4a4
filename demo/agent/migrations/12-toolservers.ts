/** Tool servers of an agent, each with the tools that it said it has. */
export const toolServers = `
CREATE TABLE tool_servers (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uuid TEXT NOT NULL UNIQUE,
  bot_id TEXT NOT NULL REFERENCES bots(uuid),
  server_label TEXT NOT NULL,
  server_url TEXT NOT NULL,
  transport TEXT NOT NULL CHECK (transport IN ('http', 'sse')),
  require_approval TEXT NOT NULL CHECK (require_approval IN ('never', 'always', 'tool-specific')),
  headers TEXT NOT NULL,
  is_enabled INTEGER NOT NULL,
  access TEXT NOT NULL CHECK (access IN ('public_safe', 'staff_only')),
  -- As it said last, and what its owner decided about them, by name: kept while one is not offered.
  tools TEXT NOT NULL,
  decisions TEXT NOT NULL,
  last_error TEXT,
  refreshed_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE INDEX tool_servers_of_bot ON tool_servers (bot_id, id);
`;
