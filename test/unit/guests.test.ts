/** Which guests may still ask, and what the helper keeps of those who signed in. */

import { randomUUID } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import { createMemoryStore } from '../../server-helper/index.ts';
import type { Problem } from '../../server-helper/protocol/wire.ts';
import { toOwnerKeys } from '../../server-helper/store/store.ts';
import { createLocalAgent, makeToken, startLocal } from '../support/local-agent.ts';

afterEach(() => {
  vi.useRealTimers();
});

const sessionSecret = 'session-secret-3ad90e5c71b2f8460dc5e7';
const toTurn = () => `/conversations/${randomUUID()}/turns/${randomUUID()}`;
async function toRefusal(response: Response): Promise<unknown[]> {
  return [response.status, ((await response.json()) as Problem).code];
}

test('a guest who has signed in since asks nothing more under the old session, which is not renewed', async () => {
  const { call, signIn, ask, helper, agent } = startLocal({ store: createMemoryStore() });
  const guest = await signIn();
  const id = await ask(guest);
  const ada = await signIn({ ssoToken: makeToken(), session: guest });
  const before = agent.calls.length;
  const requests: [string, string, object][] = [
    ['PUT', toTurn(), { text: 'Hi' }],
    ['PUT', `/conversations/${id}/turns/${randomUUID()}`, { text: 'Hi' }],
    ['POST', `/conversations/${id}/turns/${randomUUID()}/decision`, { decision: 'approve' }],
    ['POST', '/session', { session: guest }],
  ];
  for (const [method, path, body] of requests)
    expect(await toRefusal(await call(method, path, body, guest))).toEqual([401, 'unauthenticated']);
  expect(agent.calls.length).toBe(before);
  expect(await (await call('GET', '/conversations', undefined, ada)).json()).toMatchObject({
    conversations: [{ id }],
  });
  await ask(ada);
  await helper.close();
});

test('a new session secret takes nothing from guests while the old one is listed', async () => {
  const store = createMemoryStore();
  const [old, next] = [sessionSecret, `${sessionSecret}-next`];
  const start = (secret: string | string[]) => startLocal({ store, sessionSecret: secret });
  const before = start(old);
  const guest = await before.signIn();
  const id = await before.ask(guest);
  const read = async (local: ReturnType<typeof start>, session: string) =>
    (await local.call('GET', `/conversations/${id}`, undefined, session)).status;
  const during = start([next, old]);
  expect(await read(during, guest)).toBe(200);
  const renewed = await during.signIn({ session: guest });
  expect(await read(during, renewed)).toBe(200);
  const after = start(next);
  expect([await read(after, renewed), await read(after, guest)]).toEqual([200, 401]);
  expect(await read(before, renewed)).toBe(401);
  for (const { helper } of [before, during, after]) await helper.close();
});

test('once identity is required, a guest’s session from before is good for nothing', async () => {
  const store = createMemoryStore();
  const before = startLocal({ store, sessionSecret });
  const guest = await before.signIn();
  const id = await before.ask(guest);
  const { call, signIn, ask, helper } = startLocal({ store, sessionSecret, identity: 'required' });
  const requests: [string, string, object?][] = [
    ['PUT', toTurn(), { text: 'Hi' }],
    ['GET', '/conversations'],
    ['GET', `/conversations/${id}`],
    ['GET', '/visitor'],
    ['POST', '/session', { session: guest }],
  ];
  for (const [method, path, body] of requests)
    expect(await toRefusal(await call(method, path, body, guest))).toEqual([401, 'sign-in-required']);
  // Signing in takes along what was said.
  const ada = await signIn({ ssoToken: makeToken(), session: guest });
  expect((await call('GET', `/conversations/${id}`, undefined, ada)).status).toBe(200);
  await ask(ada);
  await before.helper.close();
  await helper.close();
});

/** Asks as `session` and gives the `member_id` that the agent was told. */
async function findMember({ agent, ask }: ReturnType<typeof startLocal>, session: string): Promise<unknown> {
  let memberId: unknown;
  const { 'POST /v1/bot/chat': answer } = agent.routes;
  agent.routes['POST /v1/bot/chat'] = (outgoing) => {
    memberId = JSON.parse(outgoing.body ?? '{}').member_id;
    return answer?.(outgoing);
  };
  await ask(session);
  return memberId;
}

test('a member id that the agent changed is learnt at the next sign-in, and one that it dropped is dropped', async () => {
  const local = startLocal({ store: createMemoryStore() });
  const { agent, signIn, helper } = local;
  for (const memberId of ['member-1', 'member-2', undefined, 'member-3']) {
    agent.routes['POST /v1/bot/widget/sso'] = () => ({ member_id: memberId });
    expect(await findMember(local, await signIn({ ssoToken: makeToken() }))).toBe(memberId);
  }
  // An agent that cannot be told now changes nothing.
  agent.routes['POST /v1/bot/widget/sso'] = () => 500;
  expect(await findMember(local, await signIn({ ssoToken: makeToken() }))).toBe('member-3');
  await helper.close();
});

test('a member id is kept for thirty days, and each sign-in begins them anew', async () => {
  let now = Date.now();
  const days = (count: number) => {
    now += count * 24 * 3600_000;
  };
  const store = createMemoryStore(() => now);
  const { signIn, helper } = startLocal({ store });
  const key = toOwnerKeys('email:ada@shop.test', 'b').member;
  await signIn({ ssoToken: makeToken() });
  days(29);
  await signIn({ ssoToken: makeToken() });
  days(29);
  expect(await store.recall(key)).toBe('member-1');
  days(2);
  expect(await store.recall(key)).toBeUndefined();
  await helper.close();
});

test('an agent that does not know introductions is asked again after five minutes', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const agent = createLocalAgent();
  const { signIn, helper } = startLocal({ store: createMemoryStore() }, agent);
  const { 'POST /v1/bot/widget/sso': introduce } = agent.routes;
  agent.routes['POST /v1/bot/widget/sso'] = () => 404;
  const count = async () => {
    await signIn({ ssoToken: makeToken() });
    return agent.callsTo('POST /v1/bot/widget/sso').length;
  };
  expect([await count(), await count()]).toEqual([1, 1]);
  agent.routes['POST /v1/bot/widget/sso'] = introduce ?? (() => 404);
  vi.advanceTimersByTime(5 * 60_000);
  expect([await count(), await count()]).toEqual([2, 3]);
  await helper.close();
});
