/** A SQLite file that another process holds: nobody waits inside the event loop, and nothing is spoiled by it. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { checkSettings } from '../../server-helper/commands/check-settings.ts';
import type { Config } from '../../server-helper/config.ts';
import { createSqliteStore } from '../../server-helper/store/sqlite.ts';
import { type Store, StoreBusy } from '../../server-helper/store/store.ts';
import { bot, toConversation, toTurn } from '../support/records.ts';

const folder = mkdtempSync(join(tmpdir(), 'porchlight-lock-'));
let file = '';
let store: Store;
let other: Database.Database;
let count = 0;
beforeEach(() => {
  count += 1;
  file = join(folder, `${count}.db`);
  store = createSqliteStore(file);
  other = new Database(file);
  return async () => {
    other.close();
    await store.close();
  };
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Every method that writes, each of which once left the file spoiled for everybody. */
async function writeAll(conversation = toConversation(), turn = toTurn(conversation.id)) {
  const { id } = conversation;
  const lease = { runner: 'helper-1', until: 1 };
  return Promise.allSettled([
    store.beginTurn(conversation, turn),
    store.updateConversation(id, { title: 'Other' }),
    store.pinWorkspace(id, 'w-1', 'conversation'),
    store.voteTurn(id, turn.id, 'up'),
    store.setTeller(id, turn.id, 'log-2'),
    store.setEarlier(id, turn.id, '{}'),
    store.endTurn(id, turn.id, { status: 'paused', pause: '{}' }, { status: 'running' }),
    store.resumeTurn(id, turn.id, lease),
    store.takeTurn(id, turn.id, lease),
    store.renewTurns(lease),
    store.releaseTurns('helper-1'),
    store.dropTurnsFrom(id, turn.id, ''),
    store.putLeftovers([{ kind: 'chat', id: 'c', bot }]),
    store.leftoverTried({ kind: 'chat', id: 'c' }, 1),
    store.leftoverDone({ kind: 'chat', id: 'c' }),
    store.mergeOwner(`anonymous:${id}`, 'email:ada'),
    store.remember(id, 'value'),
    store.replace(id, 'value'),
    store.forget(id),
    store.purge(bot, { guests: 1, tombstones: 1, merged: 1, facts: 1 }, 10),
    store.check(),
    store.eraseOwner('email:nobody', bot),
    store.deleteConversation(id),
  ]);
}

test('what is written under a short lock waits, while the event loop turns', async () => {
  other.exec('BEGIN IMMEDIATE');
  let turns = 0;
  const turning = setInterval(() => {
    turns += 1;
  }, 1);
  setTimeout(() => other.exec('COMMIT'), 300);
  const outcomes = await writeAll();
  clearInterval(turning);
  expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
  // Blocked, it would not have turned at all.
  expect(turns).toBeGreaterThan(3);
});

test('a lock that lasts is a clear failure of each call, and of none after it', async () => {
  other.exec('BEGIN IMMEDIATE');
  const outcomes = await writeAll();
  for (const outcome of outcomes)
    expect(outcome.status === 'rejected' ? outcome.reason : outcome.value).toBeInstanceOf(StoreBusy);
  // Reading goes on all the while.
  expect(await store.recall('nothing')).toBeUndefined();
  other.exec('COMMIT');
  const conversation = toConversation();
  const turn = toTurn(conversation.id);
  expect((await store.beginTurn(conversation, turn)).kind).toBe('began');
  expect(await store.endTurn(conversation.id, turn.id, { status: 'failed' }, { status: 'running' })).toBe(
    true,
  );
  for (const outcome of await writeAll()) expect(outcome.status).toBe('fulfilled');
});

test('a new file and its journals are its owner’s alone to read', async () => {
  await store.remember('key', 'value');
  const modes = ['', '-wal', '-shm'].map((end) => statSync(file + end).mode & 0o777);
  expect(modes).toEqual([0o600, 0o600, 0o600]);
});

test('check tells a lock that lasts as one, and no full disk', async () => {
  other.exec('BEGIN IMMEDIATE');
  const config = { store, ssoSecrets: [] } as unknown as Config;
  const [finding] = await checkSettings(config);
  other.exec('COMMIT');
  expect(finding).toMatchObject({ about: 'store', state: 'wrong' });
  expect(finding!.text).toMatch(/^cannot be written \([\w-]+\): does another process hold its lock, /);
});

/** Another process opens the file, reads it and closes it, as `porchlight check` does: the last one to do so removes the journals. */
const passBy = () => {
  const read = `const Database = require('libsql'); const db = new Database(process.argv[1]); db.prepare('SELECT count(*) FROM facts').all(); db.close();`;
  execFileSync(process.execPath, ['-e', read, file]);
};

test('a file that is opened anew after a failure is held against other processes as before', async () => {
  other.close();
  await store.remember('one', 'value');
  await expect(store.remember('two', {} as string)).rejects.toThrow();
  await store.remember('three', 'value');
  passBy();
  expect(existsSync(`${file}-wal`)).toBe(true);
});

test('a second store of the same process leaves the first its file', async () => {
  other.close();
  await store.remember('one', 'value');
  const second = createSqliteStore(file);
  await second.remember('two', 'value');
  passBy();
  expect(existsSync(`${file}-wal`)).toBe(true);
  await second.close();
});

test('a statement that fails inside a write changes nothing, and spoils no later one', async () => {
  const conversation = toConversation();
  const wrong = { ...toTurn(conversation.id), question: null as unknown as string };
  await expect(store.beginTurn(conversation, wrong)).rejects.toThrow();
  expect(await store.findConversation(conversation.id)).toBeUndefined();
  for (const outcome of await writeAll()) expect(outcome.status).toBe('fulfilled');
});

test('a file of the first version is brought up to date, with what it holds', async () => {
  const old = join(folder, 'old.db');
  const db = new Database(old);
  db.exec(`
    CREATE TABLE conversations (
      id TEXT PRIMARY KEY, owner TEXT NOT NULL, chatId TEXT NOT NULL, title TEXT NOT NULL, mode TEXT NOT NULL,
      workspace TEXT, createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL,
      deleted INTEGER NOT NULL DEFAULT 0, chatDeleted INTEGER NOT NULL DEFAULT 0) STRICT;
    CREATE INDEX conversations_of_owner ON conversations (owner, deleted, updatedAt DESC, id DESC);
    CREATE INDEX chats_to_delete ON conversations (id) WHERE deleted = 1 AND chatDeleted = 0;
    CREATE TABLE turns (
      conversationId TEXT NOT NULL, id TEXT NOT NULL, fingerprint TEXT NOT NULL, status TEXT NOT NULL,
      at INTEGER NOT NULL, endedAt INTEGER, question TEXT NOT NULL, answer TEXT, code TEXT, agentMessageId TEXT,
      vote TEXT, pause TEXT, PRIMARY KEY (conversationId, id)) STRICT;
    CREATE UNIQUE INDEX one_live_turn ON turns (conversationId) WHERE status IN ('running', 'paused');
    CREATE TABLE merged (owner TEXT PRIMARY KEY) STRICT;
    CREATE TABLE facts (key TEXT PRIMARY KEY, value TEXT NOT NULL, until INTEGER) STRICT;
    INSERT INTO conversations VALUES ('c-1', 'email:ada', 'chat-1', 'Tea', 'ask', 'w-1', 1, 2, 0, 0);
    INSERT INTO conversations VALUES ('c-2', '', 'chat-2', '', 'ask', NULL, 1, 2, 1, 0);
    INSERT INTO turns VALUES ('c-1', 't-1', 'f', 'running', 1, NULL, 'Why?', NULL, NULL, NULL, NULL, NULL);
    INSERT INTO merged VALUES ('anonymous:a');
    PRAGMA user_version = 1;`);
  db.close();
  const migrated = createSqliteStore(old);
  expect(await migrated.listConversations('email:ada', bot, { limit: 5 })).toMatchObject([
    { id: 'c-1', title: 'Tea' },
  ]);
  expect(await migrated.takeTurn('c-1', 't-1', { runner: 'helper-1', until: 1 })).toMatchObject({
    question: 'Why?',
  });
  expect(await migrated.listLeftovers(bot, 5)).toEqual([{ kind: 'chat', id: 'chat-2', bot: '', tries: 0 }]);
  expect(await migrated.isMerged('anonymous:a')).toBe(true);
  await migrated.close();
});

test('a purge that ends with a full batch wipes the words of it too', async () => {
  const word = `w${Date.now()}canary`;
  for (let made = 0; made < 10; made += 1) {
    const conversation = toConversation({ title: word, updatedAt: 1 });
    await store.beginTurn(conversation, toTurn(conversation.id, { question: word }));
  }
  const before = { guests: 2, tombstones: 0, merged: 0, facts: 0 };
  expect(await store.purge(bot, before, 10)).toBe(10);
  expect(await store.purge(bot, before, 10)).toBe(0);
  for (const end of ['', '-wal'])
    expect(
      readFileSync(file + end)
        .toString('latin1')
        .includes(word),
    ).toBe(false);
});
