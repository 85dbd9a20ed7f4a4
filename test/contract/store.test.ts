/** The store contract over every store that is built in; what SQLite keeps, a second opening finds. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createMemoryStore } from '../../server-helper/store/memory.ts';
import { createRedisStore } from '../../server-helper/store/redis/redis.ts';
import { createSqliteStore } from '../../server-helper/store/sqlite.ts';
import { toConversation, toTurn } from '../support/records.ts';
import { startRedis } from '../support/redis.ts';
import { storeContract } from './store.ts';

const folder = mkdtempSync(join(tmpdir(), 'porchlight-store-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

storeContract('a store in memory', (now) => createMemoryStore(now));
storeContract('a store in a SQLite file', (now) => createSqliteStore(join(folder, 'contract.db'), now));
const redis = await startRedis();
afterAll(() => redis.stop());
storeContract('a store in Redis', (now) => createRedisStore(redis.url, { now }));

test('a SQLite file opened twice is one store: a claim of one is a claim of both', async () => {
  const file = join(folder, 'shared.db');
  const [first, second] = [createSqliteStore(file), createSqliteStore(file)];
  const record = toConversation({ id: 'c-1', owner: 'email:ada' });
  expect(await first.beginTurn(record, toTurn('c-1'))).toMatchObject({ kind: 'began' });
  const theirs = { ...record, owner: 'email:eve' };
  expect(await second.beginTurn(theirs, toTurn('c-1'))).toEqual({ kind: 'gone' });
  expect(await second.remember('session-secret', 'a')).toBe('a');
  expect(await first.remember('session-secret', 'b')).toBe('a');
  await first.close();
  await second.close();
  const third = createSqliteStore(file);
  expect(await third.findConversation('c-1')).toEqual(record);
  expect(await third.recall('session-secret')).toBe('a');
  await third.close();
});
