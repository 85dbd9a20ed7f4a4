/** Signed agent events reach the site owner's handler once each. */
import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { type AgentEvent, createHelper, createMemoryStore } from '../../server-helper/index.ts';

const secret = 'webhook-secret';
const body = JSON.stringify({ event: 'subscriber.joined', resource_id: 'r-1' });

function deliver(fetch: (request: Request) => Promise<Response>, delivery?: string, text = body) {
  const signature = createHmac('sha256', secret).update(text).digest('hex');
  const headers = {
    'x-service-signature': signature,
    ...(delivery ? { 'x-service-delivery': delivery } : {}),
  };
  return fetch(
    new Request('https://shop.test/porchlight/webhooks/agent', { method: 'POST', headers, body: text }),
  );
}

function start(onAgentEvent: (event: AgentEvent) => void | Promise<void>) {
  return createHelper({
    agentUrl: 'https://agent.test',
    apiKey: 'k',
    projectId: 'p',
    botId: 'b',
    store: createMemoryStore(),
    webhookSecret: secret,
    onAgentEvent,
  });
}

test('an event delivered again, even at the same moment, is handed over once', async () => {
  const events: AgentEvent[] = [];
  const helper = start((event) => void events.push(event));
  const replies = await Promise.all(Array.from({ length: 5 }, () => deliver(helper.fetch, 'd-1')));
  expect(replies.map(({ status }) => status)).toEqual([204, 204, 204, 204, 204]);
  expect(events).toEqual([{ event: 'subscriber.joined', resource_id: 'r-1' }]);
  await deliver(helper.fetch, 'd-2');
  expect(events).toHaveLength(2);
  await helper.close();
});

test('without a delivery id the body itself tells a repeat', async () => {
  const events: AgentEvent[] = [];
  const helper = start((event) => void events.push(event));
  await deliver(helper.fetch);
  await deliver(helper.fetch);
  await deliver(helper.fetch, undefined, '{"event":"memory.created"}');
  expect(events.map(({ event }) => event)).toEqual(['subscriber.joined', 'memory.created']);
  await helper.close();
});

test('an event whose handler failed is handed over again by the sender’s next try', async () => {
  let tries = 0;
  const helper = start(() => {
    tries += 1;
    if (tries === 1) throw new Error('not now');
  });
  expect((await deliver(helper.fetch, 'd-1')).status).toBe(500);
  expect((await deliver(helper.fetch, 'd-1')).status).toBe(204);
  expect((await deliver(helper.fetch, 'd-1')).status).toBe(204);
  expect(tries).toBe(2);
  await helper.close();
});
