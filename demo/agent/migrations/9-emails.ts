/** E-mails of agents, both ways; what is still to be done about one that came in. */
export const emails = `
CREATE TABLE emails (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uuid TEXT NOT NULL UNIQUE,
  bot_id TEXT NOT NULL REFERENCES bots(uuid),
  direction TEXT NOT NULL CHECK (direction IN ('inbound', 'outbound')),
  from_address TEXT NOT NULL,
  to_address TEXT NOT NULL COLLATE NOCASE,
  subject TEXT NOT NULL,
  text_body TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('received', 'replied', 'sent', 'failed')),
  in_reply_to TEXT,
  message_id TEXT,
  thread TEXT NOT NULL DEFAULT '',
  to_answer INTEGER NOT NULL DEFAULT 0,
  to_announce INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE INDEX emails_of_bot ON emails (bot_id, id);
CREATE INDEX emails_by_time ON emails (bot_id, created_at, direction, status);
CREATE INDEX emails_by_message ON emails (bot_id, message_id) WHERE message_id IS NOT NULL;
CREATE INDEX emails_answered ON emails (bot_id, to_address, created_at) WHERE direction = 'outbound';
CREATE INDEX emails_to_do ON emails (id) WHERE to_answer > 0 OR to_announce > 0;
`;
