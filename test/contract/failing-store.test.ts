/** A store that fails, at each place where it is called: nothing is lost by it, nothing doubled, nothing stays stuck. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { createMemoryStore } from '../../server-helper/store/memory.ts';
import { createRedisStore } from '../../server-helper/store/redis/redis.ts';
import { createSqliteStore } from '../../server-helper/store/sqlite.ts';
import type { Store } from '../../server-helper/store/store.ts';
import { createFailingStore, type Failure } from '../support/failing-store.ts';
import { startFakeAgent } from '../support/fake-agent.ts';
import { untilAsync } from '../support/helper-process.ts';
import { afterALookMs, startVisit } from '../support/visit.ts';

const folder = mkdtempSync(join(tmpdir(), 'porchlight-failing-'));
const unhandled: unknown[] = [];
const onUnhandled = (error: unknown) => void unhandled.push(error);
process.on('unhandledRejection', onUnhandled);
afterAll(() => {
  process.off('unhandledRejection', onUnhandled);
  rmSync(folder, { recursive: true, force: true });
});

/** One that runs, named where all of it is to be tried over Redis too. */
const { TEST_REDIS } = process.env;

type Maker = {
  make: () => Store;
  /** So long a visitor waits before trying again: at every other call, and of two stores at the other's ones. */
  retriesMs: [even: number, odd: number];
};

const makers: Record<string, Maker> = {
  'in memory': { make: () => createMemoryStore(), retriesMs: [afterALookMs, 0] },
  'in a SQLite file': {
    make: () => createSqliteStore(join(folder, `${randomUUID()}.db`)),
    retriesMs: [0, afterALookMs],
  },
  ...(TEST_REDIS && {
    'in Redis': {
      make: () => createRedisStore(`${TEST_REDIS}?prefix=${randomUUID()}`),
      retriesMs: [afterALookMs, 0],
    },
  }),
};
const atOnce = 24;

/** One visit with the n-th store call failing. @returns the call that failed, undefined when there were not so many */
async function visit({ make, retriesMs }: Maker, n: number, failure: Failure): Promise<string | undefined> {
  const agent = await startFakeAgent();
  const failing = createFailingStore(make(), n, failure);
  const visiting = await startVisit(agent, failing.store, retriesMs[n % 2]);
  const where = () => `call ${n} (${failing.failed}) ${failure}`;
  try {
    await visiting.run();
    failing.heal();
    if (failing.failed === undefined) expect(visiting.ran).toEqual(['order_status', 'stock']);
    expect(new Set(visiting.ran).size, `no tool twice, ${where()}`).toBe(visiting.ran.length);
    const open = [...new Set(visiting.turns.map(({ conversationId }) => conversationId))].filter(
      (id) => !visiting.deleted.has(id),
    );
    for (const id of visiting.deleted) expect(await visiting.history(id), where()).toBeUndefined();
    for (const id of open) {
      // A conversation whose first question the store refused twice never came to be.
      if ((await visiting.history(id)) === undefined) continue;
      await untilAsync(
        async () => (await visiting.history(id))?.liveTurn === undefined,
        `no turn stays live after ${where()}`,
        15_000,
      );
      const next = await visiting.ask(id);
      expect([where(), next.ends.map(({ kind }) => kind)]).toEqual([where(), ['turn-completed']]);
      const { messages } = (await visiting.history(id)) ?? { messages: [] };
      const ids = messages.map((message) => message.id);
      expect(new Set(ids).size, `no message twice after ${where()}`).toBe(ids.length);
      for (const turn of visiting.turns.filter(({ conversationId }) => conversationId === id)) {
        expect(agent.chatsAbout(turn.question).length, `asked once, ${where()}`).toBeLessThanOrEqual(1);
        const end = turn.ends.at(-1);
        const shown = messages.find((one) => one.turnId === turn.turnId && one.role === 'agent');
        if (end?.kind === 'turn-completed')
          expect([where(), shown?.status, shown?.text]).toEqual([
            where(),
            'completed',
            end.data.message?.text,
          ]);
        // The stopped one was taken back by the question after it, unless that failed.
        if (end?.kind === 'turn-stopped' && shown)
          expect([where(), shown.status]).toEqual([where(), 'stopped']);
        if (shown?.status === 'completed') expect([where(), shown.text]).not.toContain('Never');
      }
    }
    expect([204], where()).toContain((await visiting.erase()).status);
    for (const id of open) expect(await visiting.history(id), where()).toBeUndefined();
    return failing.failed;
  } finally {
    await visiting.close();
    await agent.close();
  }
}

test('while the store does not answer the helper says that it is not ready, and by which code; then that it is', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const agent = await startFakeAgent();
  const failing = createFailingStore(createMemoryStore(), 0, 'before');
  const visiting = await startVisit(agent, failing.store);
  const ready = async () => {
    // An answer is good for five seconds.
    vi.advanceTimersByTime(6_000);
    const response = await visiting.send('GET', '/readyz');
    return [response.status, ((await response.json()) as { checks: { store: string } }).checks.store];
  };
  expect(await ready()).toEqual([200, 'ok']);
  failing.failAll = 'before';
  const [status, code] = await ready();
  expect(status).toBe(503);
  expect(code).not.toBe('ok');
  expect(code).toMatch(/^[a-z-]+$/);
  failing.failAll = undefined;
  expect(await ready()).toEqual([200, 'ok']);
  vi.useRealTimers();
  await visiting.close();
  await agent.close();
});

describe.each(Object.entries(makers))('with a store %s', (_, maker) => {
  test.each<Failure>(['before', 'after', 'locked', 'slow'])(
    'whichever call fails (%s), every conversation takes its next question and no end is lost or doubled',
    async (failure) => {
      const failed: string[] = [];
      for (let from = 1; ; from += atOnce) {
        const numbers = Array.from({ length: atOnce }, (__, index) => from + index);
        const names = await Promise.all(numbers.map((n) => visit(maker, n, failure)));
        failed.push(...names.filter((name) => name !== undefined));
        if (names.includes(undefined)) break;
      }
      // Every method that a visit needs had its turn.
      expect(failed.length).toBeGreaterThan(60);
      expect(new Set(failed)).toContain('endTurn');
      expect(unhandled).toEqual([]);
    },
    240_000,
  );
});
