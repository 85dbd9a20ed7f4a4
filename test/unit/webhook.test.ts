/** Signed agent events reach the site owner's handler once each. */
import { createHmac } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { type AgentEvent, createMemoryStore } from '../../server-helper/index.ts';
import { createGate } from '../support/gate.ts';
import { startLocal } from '../support/local-agent.ts';

const secret = 'webhook-secret';
const body = JSON.stringify({ event: 'subscriber.joined', resource_id: 'r-1' });
const minuteMs = 60_000;

type Fetch = (request: Request) => Promise<Response>;

function deliver(fetch: Fetch, delivery?: string, text = body, headers: Record<string, string> = {}) {
  const signature = createHmac('sha256', secret).update(text).digest('hex');
  return fetch(
    new Request('https://shop.test/porchlight/webhooks/agent', {
      method: 'POST',
      headers: {
        'x-service-signature': signature,
        ...(delivery ? { 'x-service-delivery': delivery } : {}),
        ...headers,
      },
      body: text,
    }),
  );
}

function start(onAgentEvent: (event: AgentEvent) => void | Promise<void>, limits: 'on' | 'off' = 'off') {
  let now = Date.now();
  const store = createMemoryStore(() => now);
  const { helper } = startLocal({ store, webhookSecret: secret, onAgentEvent, limits });
  return {
    helper,
    store,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

function collect(limits?: 'on' | 'off') {
  const events: AgentEvent[] = [];
  return { events, ...start((event) => void events.push(event), limits) };
}

test('an event delivered again, even at the same moment, is handed over once', async () => {
  const { helper, events } = collect();
  const replies = await Promise.all(Array.from({ length: 5 }, () => deliver(helper.fetch, 'd-1')));
  expect(replies.filter(({ status }) => status === 204).length).toBeGreaterThan(0);
  for (const { status } of replies) expect([204, 503]).toContain(status);
  expect((await deliver(helper.fetch, 'd-1')).status).toBe(204);
  expect(events).toEqual([{ event: 'subscriber.joined', resource_id: 'r-1' }]);
  await helper.close();
});

test('a repeat is put off while the handler runs, and handed over if the handler then fails', async () => {
  const gate = createGate();
  let runs = 0;
  const { helper } = start(async () => {
    runs += 1;
    if (runs > 1) return;
    await gate.opened;
    throw new Error('not now');
  });
  const first = deliver(helper.fetch, 'd-1');
  await vi.waitFor(() => expect(runs).toBe(1));
  const repeat = await deliver(helper.fetch, 'd-1');
  expect([repeat.status, repeat.headers.get('retry-after')]).toEqual([503, '1']);
  expect((await deliver(helper.fetch)).status).toBe(503);
  gate.open();
  expect((await first).status).toBe(500);
  expect((await deliver(helper.fetch, 'd-1')).status).toBe(204);
  expect((await deliver(helper.fetch, 'd-1')).status).toBe(204);
  expect(runs).toBe(2);
  await helper.close();
});

test('a helper that closes waits for a handler that runs', async () => {
  const gate = createGate();
  let isDone = false;
  let runs = 0;
  const { helper } = start(async () => {
    runs += 1;
    await gate.opened;
    isDone = true;
  });
  const reply = deliver(helper.fetch, 'd-1');
  await vi.waitFor(() => expect(runs).toBe(1));
  let isClosed = false;
  // Asked twice, as by two signals, it is still one end.
  const closed = Promise.any([helper.close(), helper.close()]).then(() => {
    isClosed = true;
  });
  expect((await deliver(helper.fetch, 'd-2', '{"event":"memory.created"}')).status).toBe(503);
  await new Promise(setImmediate);
  expect([isDone, isClosed]).toEqual([false, false]);
  gate.open();
  await closed;
  expect(isDone).toBe(true);
  expect((await reply).status).toBe(204);
  expect(runs).toBe(1);
});

test('captured bytes sent again under fresh delivery ids are not handed over again', async () => {
  const { helper, events, pass } = collect();
  for (const id of ['d-1', 'd-2', 'd-3', undefined])
    expect((await deliver(helper.fetch, id)).status).toBe(204);
  expect(events).toHaveLength(1);
  pass(11 * minuteMs);
  for (const id of ['d-1', 'd-2', 'd-3']) expect((await deliver(helper.fetch, id)).status).toBe(204);
  expect(events).toHaveLength(1);
  await helper.close();
});

test('a delivery id tells a repeat for two days', async () => {
  const { helper, events, pass } = collect();
  await deliver(helper.fetch, 'd-1');
  for (let hours = 1; hours < 48; hours += 1) {
    pass(60 * minuteMs);
    expect((await deliver(helper.fetch, 'd-1')).status).toBe(204);
  }
  expect(events).toHaveLength(1);
  await helper.close();
});

test('two events of the same bytes are two when ten minutes lie between them', async () => {
  const { helper, events, pass } = collect();
  await deliver(helper.fetch);
  pass(9 * minuteMs);
  await deliver(helper.fetch);
  expect(events).toHaveLength(1);
  pass(2 * minuteMs);
  await deliver(helper.fetch);
  await deliver(helper.fetch, undefined, '{"event":"memory.created"}');
  expect(events.map(({ event }) => event)).toEqual([
    'subscriber.joined',
    'subscriber.joined',
    'memory.created',
  ]);
  await helper.close();
});

test('an event whose helper was lost in the middle of its handler is handed over by a later try', async () => {
  const begun = createGate();
  const lost = start(() => {
    begun.open();
    return new Promise(() => {});
  });
  void deliver(lost.helper.fetch, 'd-1');
  await begun.opened;
  const events: AgentEvent[] = [];
  const { helper } = startLocal({
    store: lost.store,
    webhookSecret: secret,
    onAgentEvent: (event) => void events.push(event),
  });
  expect((await deliver(helper.fetch, 'd-1')).status).toBe(503);
  lost.pass(3 * minuteMs);
  expect((await deliver(helper.fetch, 'd-1')).status).toBe(204);
  expect(events).toHaveLength(1);
  await helper.close();
});

test('a handler that takes long keeps its event for itself', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const gate = createGate();
  let runs = 0;
  const { helper, pass } = start(async () => {
    runs += 1;
    await gate.opened;
  });
  const first = deliver(helper.fetch, 'd-1');
  await vi.waitFor(() => expect(runs).toBe(1));
  for (let minutes = 0; minutes < 10; minutes += 0.5) {
    pass(minuteMs / 2);
    await vi.advanceTimersByTimeAsync(minuteMs / 2);
  }
  expect((await deliver(helper.fetch, 'd-1')).status).toBe(503);
  gate.open();
  expect((await first).status).toBe(204);
  expect(runs).toBe(1);
  vi.useRealTimers();
  await helper.close();
});

test('a body in another encoding is refused before it is read', async () => {
  const { helper, events } = collect();
  expect((await deliver(helper.fetch, 'd-1', body, { 'content-encoding': 'gzip' })).status).toBe(415);
  expect((await deliver(helper.fetch, 'd-1', body, { 'content-encoding': 'identity' })).status).toBe(204);
  expect(events).toHaveLength(1);
  await helper.close();
});

test('an address that sends bad signatures is told to wait, and what is well signed still comes through', async () => {
  const { helper, events } = collect('on');
  const fetchFrom = (address: string) => (request: Request) => helper.fetch(request, { address });
  const forge = (address: string) =>
    deliver(fetchFrom(address), undefined, body, { 'x-service-signature': 'a'.repeat(64) });
  const statuses: number[] = [];
  for (let tries = 0; tries < 100; tries += 1) statuses.push((await forge('192.0.2.1')).status);
  expect(statuses.filter((status) => status === 401).length).toBeLessThan(40);
  expect(statuses.at(-1)).toBe(429);
  expect((await forge('192.0.2.2')).status).toBe(401);
  expect((await deliver(fetchFrom('192.0.2.1'), 'd-1')).status).toBe(204);
  expect(events).toHaveLength(1);
  await helper.close();
});
