/** A limiter that counts for several processes answers later: what it refuses is refused all the same, and nothing before. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { toAllowances } from '../../server-helper/auth/allowances.ts';
import { rates, toTurnRate } from '../../server-helper/auth/limit.ts';
import { createMemoryStore } from '../../server-helper/index.ts';
import { makeToken, startLocal } from '../support/local-agent.ts';

vi.mock('../../server-helper/auth/limit.ts', async (load) => {
  const real = await load<typeof import('../../server-helper/auth/limit.ts')>();
  type Methods = Record<string, (...asked: unknown[]) => unknown>;
  const later = (limiter: object) =>
    Object.fromEntries(
      Object.entries(limiter as Methods).map(([name, count]) => [
        name,
        async (...asked: unknown[]) => {
          await new Promise((resolve) => setTimeout(resolve, 1));
          return count(...asked);
        },
      ]),
    );
  return {
    ...real,
    createLimiter: (...given: Parameters<typeof real.createLimiter>) => later(real.createLimiter(...given)),
  };
});

// No time passes in which a bucket would fill again.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const adminPassword = 'a-password-of-the-owner-0123456789';
type Client = ReturnType<typeof startLocal>;
type Try = (client: Client, session: string, conversationId: string) => Promise<Response>;
const ofVisitor = toTurnRate(toAllowances({}, true).visitorPerMinute).burst;
const toTurn = (id: string) => `/conversations/${id}/turns/${randomUUID()}`;

test.each<[string, number, Try]>([
  // One was the question that began the conversation.
  [
    'a list',
    rates.request.visitor.burst - 1,
    ({ call }, session) => call('GET', '/conversations', undefined, session),
  ],
  [
    'a history',
    rates.history.visitor.burst,
    ({ call }, session, id) => call('GET', `/conversations/${id}`, undefined, session),
  ],
  [
    'a question',
    ofVisitor - 1,
    ({ call }, session) => call('PUT', toTurn(randomUUID()), { text: 'Hello?' }, session),
  ],
  [
    'a sign-in',
    rates.signIn.visitor.burst,
    ({ call }) => call('POST', '/session', { ssoToken: makeToken() }),
  ],
  [
    'a password',
    rates.admin.address.burst * 10,
    ({ helper }) =>
      helper.fetch(
        new Request('https://shop.test/porchlight/admin', {
          headers: { authorization: `Basic ${btoa('owner:wrong')}` },
        }),
      ),
  ],
])('%s is taken %i times and then refused', async (_, most, attempt) => {
  const client = startLocal({ store: createMemoryStore(), limits: 'on', adminPassword });
  const session = await client.signIn();
  const id = await client.ask(session);
  const next = async () => {
    const response = await attempt(client, session, id);
    await response.text();
    return response.status;
  };
  for (let count = 0; count < most; count += 1) expect(await next(), String(count)).not.toBe(429);
  expect(await next()).toBe(429);
  await client.helper.close();
});
