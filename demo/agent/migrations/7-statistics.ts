/** What the statistics are made of: turns with how long they took, the calls of tools, sessions, times of votes, sums by the hour. */

const messageSums = (message: 'old' | 'new', sign: 1 | -1) => `
  INSERT INTO hours (bot_id, hour, messages, user_messages)
    VALUES (${message}.bot_id, ${message}.created_at / 3600000, ${sign}, ${sign} * (${message}.role = 'user'))
    ON CONFLICT (bot_id, hour) DO UPDATE SET messages = messages + excluded.messages,
      user_messages = user_messages + excluded.user_messages;`;
const turnSums = (turn: 'old' | 'new', sign: string) => `
  INSERT INTO hours (bot_id, hour, turns, failed, duration_ms, agent_turns, agent_steps, agent_ms, reasoning_tokens)
    SELECT bot_id, started_at / 3600000, sign, sign * failed, sign * duration_ms, sign * agent, sign * agent * steps,
      sign * agent * duration_ms, sign * reasoning_tokens
    FROM (SELECT ${turn}.bot_id AS bot_id, ${turn}.started_at AS started_at, ${sign} AS sign,
      ${turn}.ended IS 'error' AS failed, ${turn}.duration_ms AS duration_ms, ${turn}.steps AS steps,
      ${turn}.reasoning_type = 'agent' AS agent, ${turn}.reasoning_tokens AS reasoning_tokens) WHERE true
    ON CONFLICT (bot_id, hour) DO UPDATE SET turns = turns + excluded.turns, failed = failed + excluded.failed,
      duration_ms = duration_ms + excluded.duration_ms, agent_turns = agent_turns + excluded.agent_turns,
      agent_steps = agent_steps + excluded.agent_steps, agent_ms = agent_ms + excluded.agent_ms,
      reasoning_tokens = reasoning_tokens + excluded.reasoning_tokens;`;

export const statistics = `
CREATE TABLE turns (
  bot_id TEXT NOT NULL REFERENCES bots(uuid),
  started_at INTEGER NOT NULL,
  message_id TEXT NOT NULL UNIQUE,
  chat INTEGER NOT NULL REFERENCES chats(id) ON DELETE CASCADE,
  ended TEXT CHECK (ended IN ('stop', 'cancelled', 'error', 'paused')),
  duration_ms INTEGER NOT NULL DEFAULT 0,
  reasoning_type TEXT NOT NULL,
  steps INTEGER NOT NULL DEFAULT 0,
  reasoning_tokens INTEGER NOT NULL DEFAULT 0,
  error_code TEXT,
  error_message TEXT,
  PRIMARY KEY (bot_id, started_at, message_id)
) WITHOUT ROWID;
CREATE INDEX turns_of_chat ON turns (chat);
CREATE INDEX turns_open ON turns (message_id) WHERE ended IS NULL;
CREATE INDEX turns_by_duration ON turns (bot_id, duration_ms) WHERE ended IS NOT NULL;
CREATE INDEX turns_failed ON turns (bot_id, started_at) WHERE ended = 'error';
CREATE TABLE tool_calls (
  bot_id TEXT NOT NULL REFERENCES bots(uuid),
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  execution_id TEXT NOT NULL,
  chat INTEGER NOT NULL REFERENCES chats(id) ON DELETE CASCADE,
  ok INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  PRIMARY KEY (bot_id, name, created_at, execution_id)
) WITHOUT ROWID;
CREATE INDEX tool_calls_of_chat ON tool_calls (chat);

ALTER TABLE messages ADD COLUMN bot_id TEXT NOT NULL DEFAULT '';
UPDATE messages SET bot_id = (SELECT bot_id FROM chats WHERE id = messages.chat);
CREATE INDEX messages_by_time ON messages (bot_id, created_at, role);
CREATE INDEX messages_of_chat_by_time ON messages (chat, created_at);
CREATE INDEX chats_by_time ON chats (bot_id, created_at);

ALTER TABLE votes ADD COLUMN bot_id TEXT NOT NULL DEFAULT '';
ALTER TABLE votes ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0;
UPDATE votes SET (bot_id, created_at) =
  (SELECT bot_id, updated_at FROM messages WHERE uuid = votes.message_id);
CREATE INDEX votes_by_time ON votes (bot_id, created_at, vote_type);

CREATE TABLE sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  bot_id TEXT NOT NULL REFERENCES bots(uuid),
  chat INTEGER NOT NULL REFERENCES chats(id) ON DELETE CASCADE,
  person TEXT NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  messages INTEGER NOT NULL
);
CREATE INDEX sessions_of_chat ON sessions (chat, id);
CREATE INDEX sessions_of_person ON sessions (bot_id, person, first_at, last_at, chat);
CREATE INDEX sessions_by_time ON sessions (bot_id, first_at, last_at, messages, chat);
INSERT INTO sessions (bot_id, chat, person, first_at, last_at, messages)
  SELECT bot_id, chat, person, min(created_at), max(created_at), count(*) FROM (
    SELECT *, sum(begins) OVER (PARTITION BY chat ORDER BY id) AS session FROM (
      SELECT messages.id, messages.bot_id, chat, messages.created_at, coalesce(member_id, chat_id) AS person,
        coalesce(messages.created_at - lag(messages.created_at) OVER (PARTITION BY chat ORDER BY messages.id) >= 1800000, 1) AS begins
      FROM messages JOIN chats ON chats.id = chat))
  GROUP BY chat, session ORDER BY chat, session;
CREATE TRIGGER sessions_in AFTER INSERT ON messages BEGIN
  INSERT INTO sessions (bot_id, chat, person, first_at, last_at, messages)
    SELECT bot_id, id, coalesce(member_id, chat_id), new.created_at, new.created_at, 0 FROM chats
    WHERE id = new.chat
      AND NOT EXISTS (SELECT 1 FROM sessions WHERE chat = new.chat AND last_at > new.created_at - 1800000);
  UPDATE sessions SET messages = messages + 1, last_at = max(last_at, new.created_at)
    WHERE id = (SELECT max(id) FROM sessions WHERE chat = new.chat);
END;
CREATE TRIGGER sessions_shrink AFTER DELETE ON messages BEGIN
  UPDATE sessions SET messages = messages - 1,
      first_at = coalesce((SELECT min(created_at) FROM messages WHERE chat = old.chat AND created_at BETWEEN first_at AND last_at), first_at),
      last_at = coalesce((SELECT max(created_at) FROM messages WHERE chat = old.chat AND created_at BETWEEN first_at AND last_at), last_at)
    WHERE chat = old.chat AND old.created_at BETWEEN first_at AND last_at;
  DELETE FROM sessions WHERE chat = old.chat AND messages = 0;
END;
CREATE TRIGGER sessions_of_member AFTER UPDATE OF member_id ON chats WHEN new.member_id IS NOT old.member_id BEGIN
  UPDATE sessions SET person = coalesce(new.member_id, new.chat_id) WHERE chat = new.id;
END;

CREATE TABLE hours (
  bot_id TEXT NOT NULL REFERENCES bots(uuid) ON DELETE CASCADE,
  hour INTEGER NOT NULL,
  messages INTEGER NOT NULL DEFAULT 0,
  user_messages INTEGER NOT NULL DEFAULT 0,
  turns INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  duration_ms INTEGER NOT NULL DEFAULT 0,
  agent_turns INTEGER NOT NULL DEFAULT 0,
  agent_steps INTEGER NOT NULL DEFAULT 0,
  agent_ms INTEGER NOT NULL DEFAULT 0,
  reasoning_tokens INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (bot_id, hour)
) WITHOUT ROWID;
INSERT INTO hours (bot_id, hour, messages, user_messages)
  SELECT bot_id, created_at / 3600000, count(*), sum(role = 'user') FROM messages GROUP BY 1, 2;
CREATE TRIGGER hours_message_in AFTER INSERT ON messages BEGIN ${messageSums('new', 1)}
END;
CREATE TRIGGER hours_message_out AFTER DELETE ON messages BEGIN ${messageSums('old', -1)}
END;
CREATE TRIGGER hours_turn_in AFTER INSERT ON turns WHEN new.ended IS NOT NULL BEGIN ${turnSums('new', '1')}
END;
CREATE TRIGGER hours_turn_changed AFTER UPDATE OF ended ON turns WHEN (old.ended IS NULL) <> (new.ended IS NULL) BEGIN
  ${turnSums('new', 'iif(new.ended IS NULL, -1, 1)')}
END;
CREATE TRIGGER hours_turn_out AFTER DELETE ON turns WHEN old.ended IS NOT NULL BEGIN ${turnSums('old', '-1')}
END;
`;
