/** Whether the helper lives and whether it can serve, and that a fault of the store is not for ever. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createMemoryStore, type Store } from '../../server-helper/index.ts';
import { silentLog } from '../../server-helper/log.ts';
import { createLocalAgent, ssoSecret, startLocal } from '../support/local-agent.ts';
import { signJwt } from '../support/visitor.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A store whose faults the test makes. */
function createFaultyStore() {
  const faults = new Map<keyof Store, () => Promise<never>>();
  const asked: string[] = [];
  const store = new Proxy(createMemoryStore(), {
    get:
      (target, name: keyof Store) =>
      (...args: never[]) => {
        asked.push(name);
        return faults.get(name)?.() ?? (target[name] as (...args: never[]) => unknown)(...args);
      },
  });
  return { store, faults, asked };
}
const fail = (code: string) => async () => {
  throw Object.assign(new Error('the store failed'), { code });
};

test('a store that fails at the first request costs that request, and no later one', async () => {
  const { store, faults } = createFaultyStore();
  const { call, helper } = startLocal({ store });
  faults.set('remember', fail('SQLITE_BUSY'));
  expect((await call('POST', '/session', {})).status).toBe(500);
  faults.clear();
  expect((await call('POST', '/session', {})).status).toBe(200);
  await helper.close();
});

test('the helper is ready when the store can be written and the agent answers', async () => {
  const { call, helper } = startLocal({ store: createMemoryStore() });
  const response = await call('GET', '/readyz');
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ status: 'ok', checks: { store: 'ok', agent: 'ok' } });
  await helper.close();
});

test.each([
  ['SQLITE_FULL', 'sqlite-full'],
  ['ECONNREFUSED', 'econnrefused'],
  ['a word of the visitor', 'internal'],
])('a store that fails with %s makes it not ready, with the code %s', async (fault, code) => {
  const { store, faults } = createFaultyStore();
  const { call, helper } = startLocal({ store });
  faults.set('check', fail(fault));
  const response = await call('GET', '/readyz');
  expect(response.status).toBe(503);
  expect(await response.json()).toEqual({ status: code, checks: { store: code, agent: 'ok' } });
  expect((await call('GET', '/healthz')).status).toBe(200);
  await helper.close();
});

test('a store that does not answer makes it not ready after three seconds', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  const { store, faults } = createFaultyStore();
  const { call, helper } = startLocal({ store });
  faults.set('check', () => new Promise(() => {}));
  const asked = call('GET', '/readyz');
  await vi.advanceTimersByTimeAsync(3000);
  expect(await (await asked).json()).toMatchObject({ checks: { store: 'timeout', agent: 'ok' } });
  await helper.close(0);
});

test.each([
  ['refuses the key', 401, 'agent-refused'],
  ['fails', 500, 'agent-unavailable'],
  ['cannot be reached', undefined, 'agent-unavailable'],
])('an agent that %s makes it not ready', async (_, answer, code) => {
  const agent = createLocalAgent();
  agent.routes['GET /v1/bot/read'] = () => answer;
  const { call, helper } = startLocal({ store: createMemoryStore() }, agent);
  const response = await call('GET', '/readyz');
  expect([response.status, await response.json()]).toEqual([
    503,
    { status: code, checks: { store: 'ok', agent: code } },
  ]);
  await helper.close();
});

test('an agent that limits the rate is there, and is not asked again before it said', async () => {
  const agent = createLocalAgent();
  agent.routes['GET /v1/bot/read'] = () => 429;
  const { call, helper } = startLocal({ store: createMemoryStore() }, agent);
  for (let n = 0; n < 10; n += 1) {
    expect((await call('GET', '/readyz')).status).toBe(200);
    vi.advanceTimersByTime(5_000);
  }
  expect(agent.callsTo('GET /v1/bot/read')).toHaveLength(1);
  await helper.close();
});

test('readiness asked all day costs a small plan a call every five minutes, and the agent is still watched', async () => {
  const agent = createLocalAgent();
  let keyed = 0;
  let isUp = true;
  agent.routes['GET /v1/bot/read'] = ({ headers }) => {
    if (!isUp) return undefined;
    if (!headers.authorization) return 401;
    keyed += 1;
    return { bot: { name: 'Wren' } };
  };
  const { call, helper } = startLocal({ store: createMemoryStore() }, agent);
  for (let ms = 0; ms < 3600_000; ms += 10_000) {
    expect((await call('GET', '/readyz')).status).toBe(200);
    vi.advanceTimersByTime(10_000);
  }
  expect(keyed).toBeGreaterThan(0);
  expect(keyed).toBeLessThanOrEqual(12);
  isUp = false;
  expect((await call('GET', '/readyz')).status).toBe(503);
  isUp = true;
  vi.advanceTimersByTime(5_000);
  expect((await call('GET', '/readyz')).status).toBe(200);
  await helper.close();
});

test.each([
  ['an agent that is not there', 404],
  ['a request that it refuses', 400],
])('visitors whose calls fail by %s make it no readier', async (_, status) => {
  const agent = createLocalAgent();
  const { call, signIn, ask, helper } = startLocal({ store: createMemoryStore() }, agent);
  const session = await signIn();
  const id = await ask(session);
  agent.routes['GET /v1/bot/read'] = () => 500;
  agent.routes['GET /v1/bot/chat/read'] = () => status;
  await call('GET', `/conversations/${id}`, undefined, session);
  vi.advanceTimersByTime(5_000);
  await call('GET', `/conversations/${id}`, undefined, session);
  expect((await call('GET', '/readyz')).status).toBe(503);
  await helper.close();
});

test('store and agent are asked every five seconds at most, however often readiness is', async () => {
  const { store, asked } = createFaultyStore();
  const agent = createLocalAgent();
  let state = 200;
  agent.routes['GET /v1/bot/read'] = () => (state === 200 ? {} : state);
  const { call, helper } = startLocal({ store }, agent);
  const askMany = async () => {
    const replies = await Promise.all(Array.from({ length: 50 }, () => call('GET', '/readyz')));
    return new Set(replies.map(({ status }) => status));
  };
  expect(await askMany()).toEqual(new Set([200]));
  state = 500;
  vi.advanceTimersByTime(4999);
  expect(await askMany()).toEqual(new Set([200]));
  vi.advanceTimersByTime(1);
  expect(await askMany()).toEqual(new Set([503]));
  expect(agent.callsTo('GET /v1/bot/read')).toHaveLength(2);
  expect(asked.filter((name) => name === 'check')).toHaveLength(2);
  await helper.close();
});

test('mounted, health is found under the base path alone', async () => {
  const { helper } = startLocal({ store: createMemoryStore() });
  for (const name of ['healthz', 'readyz']) {
    expect((await helper.fetch(new Request(`https://shop.test/porchlight/${name}`))).status).toBe(200);
    expect((await helper.fetch(new Request(`https://shop.test/${name}`))).status).toBe(404);
  }
  await helper.close();
});

test('a helper that shuts down still lives and is not ready', async () => {
  const { call, helper } = startLocal({ store: createMemoryStore() });
  await helper.close();
  expect((await call('GET', '/healthz')).status).toBe(200);
  const response = await call('GET', '/readyz');
  expect([response.status, await response.json()]).toMatchObject([503, { status: 'shutting-down' }]);
});

test('a site that signs with another secret is told to the operator, once a minute for each reason', async () => {
  const told: object[] = [];
  const warn = (fields: object, message: string) => void told.push({ ...fields, message });
  const { call, helper } = startLocal({ store: createMemoryStore(), log: { ...silentLog, warn } });
  const seconds = Math.floor(Date.now() / 1000);
  const claims = { email: 'ada@shop.test', iat: seconds, exp: seconds + 600 };
  const sign = (secret: string) => call('POST', '/session', { ssoToken: signJwt(claims, secret) });
  for (let times = 0; times < 3; times += 1)
    expect((await sign('another-secret-8c1f04b7d2e95a6390fb')).status).toBe(401);
  expect((await sign(ssoSecret)).status).toBe(200);
  const line = {
    code: 'sso-token-invalid',
    reason: 'not a token signed with HS256 and the shared secret',
    message: 'an SSO token was refused: does the site sign with this secret?',
  };
  expect(told).toEqual([line]);
  vi.advanceTimersByTime(60_000);
  await sign('another-secret-8c1f04b7d2e95a6390fb');
  expect(told).toEqual([line, line]);
  await helper.close();
});
