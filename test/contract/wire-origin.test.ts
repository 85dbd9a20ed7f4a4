/** Clause 7: whose pages may call. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFence } from '../../server-helper/auth/origin.ts';
import type { Log } from '../../server-helper/log.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { callHelper, openSession } from '../support/visitor.ts';

const mine = 'https://shop.test';
let rig: Rig;
beforeAll(async () => {
  rig = await startRig({ env: { PORCHLIGHT_ORIGINS: `${mine}, https://www.shop.test:8443` } });
});
afterAll(() => rig.close());

const turn = `/conversations/${randomUUID()}/turns/${randomUUID()}`;
const routes: [method: string, path: string, body?: unknown][] = [
  ['POST', '/session', {}],
  ['GET', '/conversations'],
  ['PUT', turn, { text: 'Hi' }],
  ['GET', turn],
  ['DELETE', turn],
  ['PATCH', '/conversations/x', {}],
  ['DELETE', '/visitor'],
  ['OPTIONS', '/session'],
  ['OPTIONS', turn],
];
const foreign = [
  'null',
  'https://evil.test',
  'http://shop.test',
  'https://shop.test:444',
  'https://shop.test.evil.test',
  'https://evil-shop.test',
  'https://SHOP.test.',
  `${mine}/`,
  `${mine}, https://evil.test`,
];

test.each(foreign)(
  'clause 7: Origin %s is 403 without Access-Control-Allow-Origin on every route',
  async (origin) => {
    const visitor = await rig.visit();
    const before = rig.agent.calls.length;
    for (const [method, path, body] of routes) {
      const { status, headers, json } = await callHelper(rig.helper, method, path, body, {
        ...visitor.headers(),
        origin,
      });
      expect([method, path, status]).toEqual([method, path, 403]);
      expect(json.code).toBe('origin-refused');
      expect(headers.get('access-control-allow-origin')).toBeNull();
      expect(headers.get('access-control-allow-credentials')).toBeNull();
    }
    expect(rig.agent.calls.length).toBe(before);
  },
);

test.each([mine, 'https://www.shop.test:8443'])(
  'clause 7: a preflight from %s is answered, and cached',
  async (origin) => {
    const { status, headers } = await callHelper(rig.helper, 'OPTIONS', turn, undefined, {
      origin,
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'authorization,content-type,last-event-id',
    });
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe(origin);
    expect(headers.get('access-control-allow-credentials')).toBeNull();
    expect(headers.get('vary')?.toLowerCase()).toContain('origin');
    // A site's service worker may keep replies that say no-store.
    expect(headers.get('vary')?.toLowerCase()).toContain('authorization');
    expect(Number(headers.get('access-control-max-age'))).toBeGreaterThan(0);
    const listed = (name: string) =>
      headers
        .get(name)
        ?.toLowerCase()
        .split(/\s*,\s*/);
    expect(listed('access-control-allow-headers')).toEqual(
      expect.arrayContaining(['authorization', 'content-type', 'last-event-id']),
    );
    expect(listed('access-control-allow-methods')).toEqual(
      expect.arrayContaining(['put', 'patch', 'delete']),
    );
  },
);

test('clause 7: answers to a listed origin name it, refusals and streams too, and never allow credentials', async () => {
  const visitor = await rig.visit();
  const asked = await rig.helper.fetch(`/conversations/${randomUUID()}/turns/${randomUUID()}`, {
    method: 'PUT',
    headers: visitor.headers({ origin: mine, 'content-type': 'application/json' }),
    body: JSON.stringify({ text: 'Hi' }),
  });
  await asked.text();
  const replies = [
    await openSession(rig.helper, {}, { origin: mine }),
    await openSession(rig.helper, { unknown: 1 }, { origin: mine }),
    await visitor.call('GET', turn, undefined, { origin: mine }),
    await callHelper(rig.helper, 'GET', '/conversations', undefined, { origin: mine }),
    asked,
  ];
  expect(replies.map((reply) => reply.status)).toEqual([200, 400, 404, 401, 200]);
  for (const { headers } of replies) {
    expect(headers.get('access-control-allow-origin')).toBe(mine);
    expect(headers.get('access-control-allow-credentials')).toBeNull();
    expect(headers.get('vary')?.toLowerCase()).toContain('origin');
  }
});

test('clause 7: a missing Origin is allowed', async () => {
  const { status, headers } = await openSession(rig.helper);
  expect(status).toBe(200);
  expect(headers.get('access-control-allow-origin')).toBeNull();
});

test('clause 7: without a list only pages of the helper’s own origin may call', async () => {
  const own = await startRig();
  expect((await openSession(own.helper, {}, { origin: own.helper.origin })).status).toBe(200);
  for (const origin of [mine, 'null', 'http://127.0.0.1:1'])
    expect((await openSession(own.helper, {}, { origin })).json.code).toBe('origin-refused');
  await own.close();
});

test('clause 7: behind a proxy the own origin is known by what the browser says, or by a Host with its port', async () => {
  const own = await startRig();
  const open = (headers: Record<string, string>) => openSession(own.helper, {}, headers);
  // As a proxy leaves it that does not keep the Host.
  const shop = { origin: 'https://shop.example' };
  expect((await open(shop)).json.code).toBe('origin-refused');
  expect((await open({ ...shop, 'sec-fetch-site': 'same-site' })).json.code).toBe('origin-refused');
  expect((await open({ ...shop, 'sec-fetch-site': 'same-origin' })).status).toBe(200);
  await own.close();
});

test.each([
  ['shop.example', 'https://shop.example'],
  ['shop.example:443', 'https://shop.example'],
  ['shop.example:80', 'http://shop.example'],
  ['Shop.Example', 'https://shop.example'],
])('clause 7: Host %s is of the origin %s, and another origin is told in the log', (host, origin) => {
  const told: object[] = [];
  const log = { warn: (fields: object) => void told.push(fields) } as unknown as Log;
  const requireOrigin = createFence({ origins: undefined, log });
  const ask = (from: string) =>
    requireOrigin(new Request('http://127.0.0.1/', { headers: { host, origin: from } }));
  expect(ask(origin)).toBe(origin);
  for (const other of ['https://other.example', 'https://one.example'])
    expect(() => ask(other)).toThrow('Add the origin of this page');
  // Once: any page could fill the log.
  expect(told).toEqual([{ code: 'origin-refused' }]);
});

test('clause 7: a list of origins shuts out none of the helper’s own pages', async () => {
  expect((await openSession(rig.helper, {}, { origin: rig.helper.origin })).status).toBe(200);
  const behindProxy = { origin: 'https://shop.example', 'sec-fetch-site': 'same-origin' };
  expect((await openSession(rig.helper, {}, behindProxy)).status).toBe(200);
  expect((await openSession(rig.helper, {}, { origin: 'https://shop.example' })).status).toBe(403);
});
