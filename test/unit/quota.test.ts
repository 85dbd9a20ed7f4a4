/** What nobody waits for leaves the agent's rate limit to visitors, and is done when there is room. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createQuota } from '../../server-helper/agent/quota.ts';
import { createMemoryStore } from '../../server-helper/index.ts';
import { createLocalAgent, startLocal } from '../support/local-agent.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const toHeader = (limit: number, remaining: number, resetMs: number) => (name: string) =>
  ({
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(Math.ceil(resetMs / 1000)),
  })[name];

async function waitsFor(quota: ReturnType<typeof createQuota>, ms: number): Promise<void> {
  let isRoom = false;
  void quota.room().then(() => {
    isRoom = true;
  });
  await vi.advanceTimersByTimeAsync(Math.max(0, ms - 1));
  expect(isRoom).toBe(ms === 0);
  await vi.advanceTimersByTimeAsync(1_002);
  expect(isRoom).toBe(true);
}

test('there is room while more than half is left, and else from the reset on', async () => {
  const quota = createQuota();
  await waitsFor(quota, 0);
  quota.note(toHeader(60, 31, Date.now() + 40_000));
  await waitsFor(quota, 0);
  quota.note(toHeader(60, 30, Date.now() + 40_000));
  await waitsFor(quota, 40_000);
});

test('a refusal closes the door for as long as it says, and a clock that is far ahead for a minute', async () => {
  const quota = createQuota();
  quota.note(() => undefined, 5_000);
  await waitsFor(quota, 5_000);
  quota.note(toHeader(60, 0, Date.now() + 3_600_000));
  await waitsFor(quota, 60_000);
  quota.note(() => undefined, 40_000_000);
  await waitsFor(quota, 60_000);
});

test('a reset that cannot be read is a minute away', async () => {
  const quota = createQuota();
  for (const reset of [undefined, '2031-11-22T10:00:00Z', '0']) {
    const headers: Record<string, string | undefined> = {
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': '20',
      'x-ratelimit-reset': reset,
    };
    quota.note((name) => headers[name]);
    await waitsFor(quota, 60_000);
  }
});

test('a later reply opens the door again, one without the headers says nothing, and a shutdown waits for nobody', async () => {
  const quota = createQuota();
  quota.note(() => undefined, 30_000);
  quota.note(() => undefined);
  const waiting = waitsFor(quota, 10_000);
  setTimeout(() => quota.note(toHeader(60, 50, Date.now() + 30_000)), 9_500);
  await waiting;
  quota.note(() => undefined, 30_000);
  const closing = new AbortController();
  const room = quota.room(closing.signal);
  closing.abort();
  await room;
});

test('where nothing is left, visitors are told for how long, a minute at most', () => {
  vi.setSystemTime(new Date('2026-01-02T03:04:05Z'));
  const quota = createQuota();
  const spent = (limit: number, remaining: number, resetMs: number) => {
    quota.note(toHeader(limit, remaining, Date.now() + resetMs));
    return quota.spentMs();
  };
  expect(spent(60, 1, 40_000)).toBe(0);
  expect(spent(60, 0, 40_000)).toBe(40_000);
  expect(spent(60, 0, 3_600_000)).toBe(60_000);
  quota.note(() => undefined);
  expect(quota.spentMs()).toBe(60_000);
  expect(spent(60, 59, 40_000)).toBe(0);
  expect(spent(60, 0, -5_000)).toBe(0);
  // No limit at all, as some say it.
  expect(spent(0, 0, 40_000)).toBe(0);
  expect(spent(-1, -1, 40_000)).toBe(0);
});

test('the operator hears of little that is left', () => {
  const tellLow = vi.fn();
  const quota = createQuota(tellLow);
  for (const remaining of [60, 13, 12]) quota.note(toHeader(60, remaining, Date.now() + 40_000));
  expect(tellLow.mock.calls).toEqual([[60, 12]]);
});

test('a question to an agent that has said it takes no more is refused with a time, and kept from it', async () => {
  const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const agent = createLocalAgent();
  const { call, signIn, ask, helper } = startLocal({ store: createMemoryStore(), log }, agent);
  const session = await signIn();
  Object.assign(agent.headers, {
    'x-ratelimit-limit': '60',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000) + 30),
  });
  await ask(session);
  const before = agent.calls.length;
  const path = `/conversations/${randomUUID()}/turns/${randomUUID()}`;
  const put = () => call('PUT', path, { text: 'Hi' }, session);
  const refused = await put();
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(28);
  expect(Number(refused.headers.get('retry-after'))).toBeLessThan(32);
  expect(agent.calls.length).toBe(before);
  expect(log.warn.mock.calls.filter(([, msg]) => msg === 'the agent’s rate limit is nearly used up')).toEqual(
    [[{ limit: 60, remaining: 0 }, expect.anything()]],
  );
  for (const name of Object.keys(agent.headers)) delete agent.headers[name];
  await vi.advanceTimersByTimeAsync(31_000);
  const taken = await put();
  expect([taken.status, await taken.text()]).toEqual([200, expect.stringContaining('turn-completed')]);
  await helper.close();
});

test.each([
  ['its answer says so', 200],
  ['it was refused', 429],
])('the chat itself is heard: no more is asked when %s', async (_, status) => {
  const agent = createLocalAgent();
  const { call, signIn, ask, helper } = startLocal({ store: createMemoryStore() }, agent);
  const session = await signIn();
  const { 'POST /v1/bot/chat': chat } = agent.routes;
  agent.routes['POST /v1/bot/chat'] = (call) => {
    Object.assign(agent.headers, {
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000) + 30),
    });
    return status === 200 ? chat?.(call) : status;
  };
  await ask(session);
  const before = agent.calls.length;
  const path = `/conversations/${randomUUID()}/turns/${randomUUID()}`;
  expect((await call('PUT', path, { text: 'Hi' }, session)).status).toBe(429);
  expect(agent.calls.length).toBe(before);
  await helper.close();
});

test('an agent that says that it has no limit holds nothing back', async () => {
  const quota = createQuota();
  quota.note(toHeader(0, 0, Date.now() + 40_000));
  await waitsFor(quota, 0);
});

test('an export waits where the agent limits the rate, and arrives whole', async () => {
  const agent = createLocalAgent();
  const { call, signIn, ask, helper } = startLocal({ store: createMemoryStore() }, agent);
  const session = await signIn();
  for (let n = 0; n < 4; n += 1) await ask(session);
  let reads = 0;
  agent.routes['GET /v1/bot/chat/read'] = () => {
    reads += 1;
    return reads === 2 || reads === 4 ? 429 : { total: 0, conversation: [] };
  };
  const response = await call('GET', '/visitor', undefined, session);
  const text = response.text();
  await vi.advanceTimersByTimeAsync(130_000);
  expect((JSON.parse(await text) as { conversations: unknown[] }).conversations).toHaveLength(4);
  expect(reads).toBe(6);
  await helper.close();
});

test('an export that would have to wait for hours is refused at once', async () => {
  const agent = createLocalAgent();
  const { call, signIn, ask, helper } = startLocal({ store: createMemoryStore() }, agent);
  const session = await signIn();
  await ask(session);
  agent.routes['GET /v1/bot/chat/read'] = () => 429;
  agent.headers['x-ratelimit-reset'] = String(Math.ceil(Date.now() / 1000) + 40_000);
  const response = await call('GET', '/visitor', undefined, session);
  expect(response.status).toBe(429);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(39_000);
  await helper.close();
});

test('what is deleted while it is exported is not in the export', async () => {
  const agent = createLocalAgent();
  const { call, signIn, ask, helper } = startLocal({ store: createMemoryStore() }, agent);
  const session = await signIn();
  const [gone] = [await ask(session), await ask(session)];
  agent.routes['GET /v1/bot/chat/read'] = async () => {
    await call('DELETE', `/conversations/${gone}`, undefined, session);
    return { total: 0, conversation: [] };
  };
  const response = await call('GET', '/visitor', undefined, session);
  const { conversations } = (await response.json()) as { conversations: { id: string }[] };
  expect(conversations.map(({ id }) => id)).not.toContain(gone);
  expect(conversations).toHaveLength(1);
  await helper.close();
});

test('what is deleted at the agent waits for room too, and asks no more in vain', async () => {
  const agent = createLocalAgent();
  const { call, signIn, ask, helper } = startLocal({ store: createMemoryStore() }, agent);
  const session = await signIn();
  for (let n = 0; n < 20; n += 1) await ask(session);
  let tries = 0;
  let isLimited = true;
  agent.routes['DELETE /v1/bot/chat/delete'] = () => {
    tries += 1;
    return isLimited ? 429 : {};
  };
  expect((await call('DELETE', '/visitor', undefined, session)).status).toBe(204);
  await vi.advanceTimersByTimeAsync(50_000);
  expect(tries).toBeLessThanOrEqual(4);
  isLimited = false;
  await vi.advanceTimersByTimeAsync(300_000);
  expect(tries).toBeLessThanOrEqual(24);
  expect(tries).toBeGreaterThanOrEqual(20);
  await helper.close();
});

test('two helpers on one store: the first that closes leaves it to the other', async () => {
  const store = createMemoryStore();
  const close = vi.spyOn(store, 'close');
  const [one, two] = [startLocal({ store }), startLocal({ store })];
  await one.helper.close();
  expect(close).not.toHaveBeenCalled();
  expect((await two.call('POST', '/session', {})).status).toBe(200);
  await two.helper.close();
  expect(close).toHaveBeenCalledOnce();
});
