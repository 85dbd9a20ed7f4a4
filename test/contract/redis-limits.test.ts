/** Limits that all helpers on a Redis count together, by its clock. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test, vi } from 'vitest';
import { toAllowances } from '../../server-helper/auth/allowances.ts';
import { createLimiter } from '../../server-helper/auth/limit.ts';
import { createSharedLimiter } from '../../server-helper/auth/shared-limit.ts';
import { LimitReached } from '../../server-helper/errors.ts';
import { createRedisStore } from '../../server-helper/store/redis/redis.ts';
import type { Store } from '../../server-helper/store/store.ts';
import { startFakeAgent } from '../support/fake-agent.ts';
import { startHelper } from '../support/helper-process.ts';
import { startRedis } from '../support/redis.ts';
import { at } from '../support/two-helpers.ts';
import { callHelper, createVisitor, makeQuestion, toTurnPath } from '../support/visitor.ts';

const redis = await startRedis();
const stores: Store[] = [];
afterAll(async () => {
  for (const store of stores) await store.close();
  await redis.stop();
});

/** As many helpers as are asked for, on a prefix of their own. */
function makeLimiters(count: number, given: Parameters<typeof toAllowances>[0]) {
  const allowances = toAllowances(given, true);
  const onNear = vi.fn();
  const prefix = randomUUID();
  const limiters = Array.from({ length: count }, () => {
    const store = createRedisStore(redis.url, { prefix });
    stores.push(store);
    return createSharedLimiter(createLimiter(undefined, allowances), store.limits!, 'b', allowances, onNear);
  });
  return { limiters, onNear };
}

/** @returns what was given back by each that was let through, and the limits that the others reached */
async function askAll(asks: Promise<() => void>[]) {
  const all = await Promise.allSettled(asks);
  return {
    taken: all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
    refused: all.flatMap((one) => (one.status === 'rejected' ? [one.reason as LimitReached] : [])),
  };
}
const customer = (owner: string, address = `192.0.2.${owner.length}`) => ({ owner, isGuest: false, address });

test('of one visitor as much is let through as by one helper, at whichever it asks', async () => {
  const { limiters } = makeLimiters(4, { visitorPerMinute: 20 });
  const asks = Array.from({ length: 40 }, (_, n) => limiters[n % 4]!.takeTurn(customer('ada')));
  const { taken, refused } = await askAll(asks as Promise<() => void>[]);
  expect(taken).toHaveLength(10);
  expect(refused.every((error) => error instanceof LimitReached)).toBe(true);
  expect(new Set(refused.map(({ limit }) => limit))).toEqual(new Set(['visitorPerMinute']));
  const wait = Math.max(...refused.map(({ retryAfterMs }) => retryAfterMs ?? 0));
  expect(wait).toBeGreaterThan(2_000);
  expect(wait).toBeLessThanOrEqual(3_000);
  await limiters[1]!.takeTurn(customer('wren', '192.0.2.99'));
  await expect(limiters[2]!.takeDecision(customer('ada'))).rejects.toThrow(LimitReached);
});

test('no time lets more through than its start and its share, over all helpers', async () => {
  const perMinute = 1_200;
  const { limiters } = makeLimiters(4, {
    visitorPerMinute: perMinute,
    addressPerMinute: 60_000,
    sitePerMinute: 60_000,
  });
  const began = Date.now();
  let letThrough = 0;
  while (Date.now() - began < 1_500) {
    const asks = Array.from({ length: 60 }, (_, n) => limiters[n % 4]!.takeTurn(customer('ada')));
    letThrough += (await askAll(asks as Promise<() => void>[])).taken.length;
    await sleep(20);
  }
  const passed = Date.now() - began;
  expect(letThrough).toBeLessThanOrEqual(perMinute / 2 + (passed * perMinute) / 60_000 + 1);
  expect(letThrough).toBeGreaterThan(perMinute / 2);
});

test('a day’s questions are counted together, and what was not asked is given back at any helper', async () => {
  const { limiters, onNear } = makeLimiters(3, { sitePerDay: 10, guestsPerDay: 4 });
  const guest = (n: number) => ({ owner: `anonymous:${n}`, isGuest: true, address: `198.51.100.${n}` });
  const asks = Array.from({ length: 9 }, (_, n) => limiters[n % 3]!.takeTurn(guest(n)));
  const { taken, refused } = await askAll(asks as Promise<() => void>[]);
  expect(taken).toHaveLength(4);
  expect(new Set(refused.map(({ limit }) => limit))).toEqual(new Set(['guestsPerDay']));
  expect(onNear).toHaveBeenCalledWith('guestsPerDay');
  for (const giveBack of [taken[0]!, taken[0]!]) giveBack();
  await expect
    .poll(async () => (await askAll([limiters[2]!.takeTurn(guest(20)) as Promise<() => void>])).taken.length)
    .toBe(1);
  const more = Array.from({ length: 8 }, (_, n) =>
    limiters[n % 3]!.takeTurn(customer(`c${n}`, `203.0.113.${n}`)),
  );
  const { taken: customers, refused: late } = await askAll(more as Promise<() => void>[]);
  expect([customers.length, new Set(late.map(({ limit }) => limit))]).toEqual([6, new Set(['sitePerDay'])]);
});

test('helpers on one Redis refuse a visitor together, and a Redis that does not answer lets nobody ask', async () => {
  const agent = await startFakeAgent();
  const env = { PORCHLIGHT_STORE: `${redis.url}?prefix=${randomUUID()}`, PORCHLIGHT_LIMITS: 'on' };
  const helpers = await Promise.all([
    startHelper({ agentUrl: agent.url, env }),
    startHelper({ agentUrl: agent.url, env }),
  ]);
  const visitor = await createVisitor(helpers[0]!);
  const statuses: number[] = [];
  for (let n = 0; n < 14; n += 1) {
    const asking = at(helpers[n % 2]!, visitor);
    const { status } = await asking.call('PUT', toTurnPath(randomUUID(), randomUUID()), {
      text: makeQuestion(),
    });
    statuses.push(status);
  }
  expect(statuses.filter((status) => status === 200)).toHaveLength(10);
  expect(statuses.filter((status) => status === 429)).toHaveLength(4);
  redis.child.kill('SIGSTOP');
  const other = callHelper(
    helpers[1]!,
    'PUT',
    toTurnPath(randomUUID(), randomUUID()),
    { text: makeQuestion() },
    {
      authorization: `Bearer ${visitor.session}`,
    },
  );
  expect((await other).status).toBeGreaterThanOrEqual(429);
  redis.child.kill('SIGCONT');
  for (const helper of helpers) await helper.close();
  await agent.close();
}, 30_000);
