/** Clause 39: SQLite leaves copies of rows that it moves between its pages; those of deleted words go too. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { createSqliteStore } from '../../server-helper/store/sqlite.ts';
import { toConversation, toTurn } from '../support/records.ts';

const folder = mkdtempSync(join(tmpdir(), 'porchlight-remnants-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => vi.useRealTimers());

/** Of what is done by these numbers one deleted row is known to leave a copy. */
function createNumbers(seed: number) {
  let last = seed;
  return () => {
    last = (Math.imul(last, 1_664_525) + 1_013_904_223) >>> 0;
    return last / 2 ** 32;
  };
}

async function fillAndDelete(file: string) {
  const store = createSqliteStore(file);
  const next = createNumbers(28);
  const there: [word: string, id: string][] = [];
  const deleted: string[] = [];
  for (let count = 0; count < 80; count += 1) {
    const [id, word] = [`c${Math.floor(next() * 1e9)}`, `zq${count}q`];
    const about = { id, owner: `o${count}`, bot: 'b', chatId: `x${id}`, title: `${word} title` };
    const conversation = toConversation({ ...about, createdAt: 1, updatedAt: 1 });
    for (let turns = 0; turns < 3; turns += 1) {
      const turnId = `t${Math.floor(next() * 1e9)}`;
      const question = `${word} ${'w'.repeat(Math.floor(next() * 600))}`;
      const held = { status: 'running', runner: 'r', leaseUntil: 1, teller: 't' } as const;
      const at = 1000 + count * 10 + turns;
      await store.beginTurn(
        conversation,
        toTurn(id, { id: turnId, fingerprint: 'f', at, question, ...held }),
      );
      const end = {
        status: 'completed',
        endedAt: 1,
        answer: question + question,
        agentMessageId: 'm',
      } as const;
      await store.endTurn(id, turnId, end, { status: 'running' });
    }
    there.push([word, id]);
    if (there.length <= 10 || next() >= 0.6) continue;
    const [[gone, goneId] = ['', '']] = there.splice(Math.floor(next() * there.length), 1);
    await store.deleteConversation(goneId);
    deleted.push(gone);
  }
  const readLeft = () => {
    const bytes = ['', '-wal'].map((end) => {
      try {
        return readFileSync(file + end, 'latin1');
      } catch {
        return '';
      }
    });
    return deleted.filter((word) => bytes.some((text) => text.includes(word)));
  };
  return { store, readLeft, kept: there };
}

test('in a small file once nothing more is deleted for a while', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { store, readLeft, kept } = await fillAndDelete(join(folder, 'running.db'));
  expect(readLeft()).not.toEqual([]);
  await vi.advanceTimersByTimeAsync(31_000);
  expect(readLeft()).toEqual([]);
  for (const [word, id] of kept) expect((await store.listTurns(id)).at(-1)?.question).toContain(word);
  await store.close();
});

test('when the helper stops', async () => {
  const { store, readLeft } = await fillAndDelete(join(folder, 'stopped.db'));
  expect(readLeft()).not.toEqual([]);
  await store.close();
  expect(readLeft()).toEqual([]);
});
