/** The database of an agent service of each earlier version opens, with what it holds. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrations, openDatabase } from '../../../demo/agent/db.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agent-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** As the first version would have written it. */
const first = `
  INSERT INTO projects VALUES ('p');
  INSERT INTO bots VALUES ('b', 'p', 'Wren', 'Be kind.', '{}', 7, 1000);
  INSERT INTO workspaces VALUES ('w', 'b', 'Desk', 'service', 0, 1000);
  INSERT INTO accounts VALUES ('ada', 'p', 'email:ada@site.example', 'ada@site.example', 'Ada', 1000);
  INSERT INTO subscribers (bot_id, account, subscribed_at) VALUES ('b', 'ada', 1000);
  INSERT INTO chats (bot_id, chat_id, subject, channel, member_id, persona, purpose, chat_mode, created_at, updated_at)
    VALUES ('b', 'c', 'Herons', 'api', 'ada', 'visitor', 'none', 'ask', 1000, 2000);
  INSERT INTO messages (uuid, chat, role, content, reasoning_type, credit_used, tokens, sources, created_at, updated_at)
    VALUES ('m', 1, 'user', 'When do they nest?', 'auto', 0, 5, '[]', 1000, 2000);
  INSERT INTO votes VALUES ('m', 'member', 'v', 'upvote');
  INSERT INTO pauses VALUES ('e', 1, 'waiting', 3000, '{}');
  INSERT INTO sources (uuid, bot_id, title, type, source, tags, status, created_at, updated_at)
    VALUES ('s', 'b', 'Herons', 'text', 'A heron nests in April.', '[]', 'success', 1000, 2000);
  INSERT INTO passages (source, title, section, content) VALUES (1, 'Herons', '', 'A heron nests in April.');
`;

test.each(migrations.map((_, index) => index + 1))('from version %i', (version) => {
  const file = join(folder, 'agent.db');
  const old = new Database(file);
  migrations.slice(0, version).forEach((sql, index) => {
    old.exec(sql);
    if (index === 0) old.exec(first);
  });
  old.exec(`PRAGMA user_version = ${version}`);
  old.close();
  const db = openDatabase(file);
  const all = (sql: string) => db.prepare(sql).all();
  expect(all('PRAGMA user_version')).toEqual([{ user_version: migrations.length }]);
  expect(all('PRAGMA foreign_key_check')).toEqual([]);
  expect(all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  expect(all('SELECT uuid, credits FROM bots')).toEqual([{ uuid: 'b', credits: 7 }]);
  expect(all('SELECT uuid, kind FROM workspaces')).toEqual([{ uuid: 'w', kind: 'service' }]);
  expect(all('SELECT email, type FROM subscribers')).toEqual([
    { email: 'ada@site.example', type: 'subscriber' },
  ]);
  expect(all('SELECT chat_id, content FROM messages JOIN chats ON chats.id = chat')).toEqual([
    { chat_id: 'c', content: 'When do they nest?' },
  ]);
  expect(all('SELECT vote_type, bot_id, created_at FROM votes')).toEqual([
    { vote_type: 'upvote', bot_id: 'b', created_at: 2000 },
  ]);
  expect(all('SELECT person, first_at, last_at, messages FROM sessions')).toEqual([
    { person: 'ada', first_at: 1000, last_at: 1000, messages: 1 },
  ]);
  expect(all('SELECT state FROM pauses')).toEqual([{ state: 'waiting' }]);
  expect(
    all(`SELECT sources.uuid FROM passages_fts JOIN passages ON passages.id = passages_fts.rowid
    JOIN sources ON sources.id = passages.source WHERE passages_fts MATCH 'heron'`),
  ).toEqual([{ uuid: 's' }]);
  db.close();
});

test('from a later version than this one knows it does not open', () => {
  const file = join(folder, 'agent.db');
  const later = new Database(file);
  later.exec(`PRAGMA user_version = ${migrations.length + 1}`);
  later.close();
  expect(() => openDatabase(file)).toThrow(/^db: .*this service knows/);
});

test('sessions of messages from before they were kept are those that are kept from now on', () => {
  const file = join(folder, 'agent.db');
  const old = new Database(file);
  old.exec(migrations.slice(0, 6).join(';'));
  old.exec('PRAGMA user_version = 6');
  old.exec(`INSERT INTO projects VALUES ('p');
    INSERT INTO bots (uuid, project_id, credits, created_at) VALUES ('b', 'p', 1, 1)`);
  const fill = (db: Database.Database, name: string, columns: string, values: string) => {
    db.exec(`INSERT INTO chats (bot_id, chat_id, subject, channel, persona, purpose, chat_mode, created_at, updated_at)
      VALUES ('b', '${name}', '', 'api', 'visitor', 'none', 'ask', 0, 0)`);
    for (const minutes of [0, 1, 30.9, 61, 61, 90.9, 200])
      db.exec(`INSERT INTO messages (uuid, chat, role, content, reasoning_type, credit_used, tokens, sources,
        created_at, updated_at${columns}) VALUES ('${name}${Math.random()}', (SELECT max(id) FROM chats), 'user', '', 'auto',
        0, 0, '[]', ${minutes * 60_000}, 0${values})`);
  };
  fill(old, 'before', '', '');
  old.close();
  const db = openDatabase(file);
  fill(db, 'since', ', bot_id', ", 'b'");
  const sessions = (name: string) =>
    db.prepare('SELECT first_at, last_at, messages FROM sessions WHERE person = ? ORDER BY id').all(name);
  expect(sessions('before')).toEqual([
    { first_at: 0, last_at: 1_854_000, messages: 3 },
    { first_at: 3_660_000, last_at: 5_454_000, messages: 3 },
    { first_at: 12_000_000, last_at: 12_000_000, messages: 1 },
  ]);
  expect(sessions('since')).toEqual(sessions('before'));
  db.close();
});
