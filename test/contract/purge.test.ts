/** A purge among a million rows: a little at a time, by an index, with room for others in between. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, expect, test } from 'vitest';
import { purge, toPurgeBefore } from '../../server-helper/conversation/retention.ts';
import { silentLog } from '../../server-helper/log.ts';
import { createSqliteStore } from '../../server-helper/store/sqlite.ts';

const folder = mkdtempSync(join(tmpdir(), 'porchlight-purge-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const now = Date.parse('2031-03-01T12:00:00Z');
const dayMs = 24 * 3600_000;
const rows = 1_000_000;
const outlived = 2_000;

test('what has outlived its time goes from a million rows without a scan, and others have their turn', async () => {
  const file = join(folder, 'store.db');
  await createSqliteStore(file).close();
  const db = new Database(file);
  const count = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows}) `;
  const age = (days: number) => `CASE WHEN i <= ${outlived} THEN ${now - days * dayMs} ELSE ${now} END`;
  db.exec('BEGIN');
  db.exec(`${count} INSERT INTO facts SELECT 'fact' || i, 'v', ${age(1)} + 1000 FROM n`);
  db.exec(
    `${count} INSERT INTO merged (owner, at) SELECT 'anonymous:m' || i, ${age(40)} FROM n WHERE i <= 10000`,
  );
  db.exec(
    `${count} INSERT INTO conversations (id, owner, bot, chatId, title, mode, createdAt, updatedAt, deleted)
     SELECT 'c' || i, 'anonymous:' || i, 'b', 'chat' || i, 'T', 'ask', 1, ${age(100)}, 0 FROM n WHERE i <= 10000`,
  );
  db.exec('COMMIT');
  const plans = [
    `SELECT rowid FROM facts WHERE until IS NOT NULL AND until <= 1`,
    `SELECT rowid FROM merged WHERE at < 1`,
    `SELECT rowid FROM conversations WHERE deleted = 1 AND deletedAt < 1`,
    `SELECT id FROM conversations WHERE deleted = 0 AND substr(owner, 1, 10) = 'anonymous:' AND bot IN ('b', '') AND updatedAt < 1`,
  ].map((sql) => JSON.stringify(db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all()));
  for (const plan of plans) expect(plan).toMatch(/SEARCH .* USING (COVERING )?INDEX/);
  db.close();

  const store = createSqliteStore(file, () => now);
  let batches = 0;
  let turnsOfOthers = 0;
  const counted: Pick<typeof store, 'purge'> = {
    purge(bot, before, limit) {
      batches += 1;
      setImmediate(() => {
        turnsOfOthers += 1;
      });
      expect(limit).toBeLessThanOrEqual(100);
      return store.purge(bot, before, limit);
    },
  };
  const gone = await purge(counted, 'b', toPurgeBefore(now, 90), silentLog);
  expect(gone).toBe(3 * outlived);
  expect(batches).toBe((3 * outlived) / 100 + 1);
  expect(turnsOfOthers).toBeGreaterThanOrEqual(batches - 1);
  expect(await store.recall('fact1')).toBeUndefined();
  expect(await store.recall(`fact${rows}`)).toBe('v');
  expect(await store.listLeftovers('b', 10_000)).toHaveLength(outlived);
  await store.close();
}, 120_000);
