/** How many calls of the agent one visitor can cause in a minute, by each route: its key has one rate for all of them. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createMemoryStore } from '../../server-helper/index.ts';
import { makeToken, startLocal } from '../support/local-agent.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

type Local = ReturnType<typeof startLocal>;
type Visit = { local: Local; session: string; ids: string[]; turnId: string };
type Ask = (visit: Visit) => Promise<Response>;
const conversations = 10;

const turn = (id: string) => `/conversations/${id}/turns/${randomUUID()}`;
const ask =
  (method: string, toPath: (visit: Visit) => string, body?: object): Ask =>
  (visit) =>
    visit.local.call(method, toPath(visit), body, visit.session);

/** The most that a visitor with ten conversations of a hundred messages can cause. */
const routes: [name: string, most: number, ask: Ask][] = [
  [
    'POST /session with a token',
    50,
    ({ local }) => local.call('POST', '/session', { ssoToken: makeToken() }),
  ],
  ['PUT a question', 60, ask('PUT', () => turn(randomUUID()), { text: 'Hi' })],
  ['GET a conversation', 100, ask('GET', ({ ids }) => `/conversations/${ids[0]}`)],
  ['GET the list', 0, ask('GET', () => '/conversations')],
  ['PATCH a title', 50, ask('PATCH', ({ ids }) => `/conversations/${ids[0]}`, { title: 'New' })],
  [
    'PUT a vote',
    50,
    ask('PUT', ({ ids, turnId }) => `/conversations/${ids[0]}/messages/${turnId}.agent/vote`, { vote: 'up' }),
  ],
  ['GET the export', 20, ask('GET', () => '/visitor')],
  ['DELETE everything', 20, ask('DELETE', () => '/visitor')],
  ['GET /readyz', 12, ({ local }) => local.call('GET', '/readyz')],
];

async function visit(): Promise<Visit> {
  const local = startLocal({ store: createMemoryStore(), limits: 'on' });
  const session = await local.signIn({ ssoToken: makeToken() });
  const ids: string[] = [];
  const turnId = randomUUID();
  for (let index = 0; index < conversations; index += 1) {
    const id = randomUUID();
    ids.push(id);
    const path = index === 0 ? `/conversations/${id}/turns/${turnId}` : turn(id);
    const response = await local.call('PUT', path, { text: 'Hi' }, session);
    await response.text();
    pass(6000);
  }
  pass(20 * 60_000);
  // The hour of the session is not what is measured here.
  return { local, session: await local.signIn({ ssoToken: makeToken() }), ids, turnId };
}

function pass(ms: number): void {
  vi.advanceTimersByTime(ms);
}

test.each(routes)('%s causes at most %i calls', async (name, most, asks) => {
  const visited = await visit();
  const { agent, helper } = visited.local;
  const before = agent.calls.length;
  let allowed = 0;
  for (let ms = 0; ms < 60_000; ms += 500) {
    for (let tries = 0; tries < 1000; tries += 1) {
      const response = await asks(visited);
      await response.text();
      if (response.status === 429 || (name.startsWith('GET /readyz') && tries > 3)) break;
      allowed += 1;
    }
    pass(500);
  }
  const calls = agent.calls.length - before;
  expect(allowed).toBeGreaterThan(0);
  expect(calls).toBeLessThanOrEqual(most);
  await helper.close(0);
});
