/** One record a person and agent, by e-mail address: subscribers and leads. */
export const people = `
CREATE TABLE people (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  bot_id TEXT NOT NULL REFERENCES bots(uuid),
  account TEXT REFERENCES accounts(uuid),
  email TEXT NOT NULL COLLATE NOCASE,
  name TEXT,
  type TEXT NOT NULL CHECK (type IN ('subscriber', 'lead')),
  chat_id TEXT,
  subscribed_at INTEGER NOT NULL,
  UNIQUE (bot_id, email)
);
INSERT OR IGNORE INTO people (id, bot_id, account, email, name, type, subscribed_at)
  SELECT subscribers.id, bot_id, account, email, name, 'subscriber', subscribed_at
  FROM subscribers JOIN accounts ON accounts.uuid = subscribers.account ORDER BY subscribers.id;
DROP TABLE subscribers;
ALTER TABLE people RENAME TO subscribers;
CREATE INDEX subscribers_by_account ON subscribers (bot_id, account);
`;
