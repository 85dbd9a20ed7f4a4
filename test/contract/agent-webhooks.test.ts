/** What the local agent service tells a receiver, row by row of the API document. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startAgent } from '../../demo/agent/start.ts';
import { type AgentProcess, runAgent } from '../support/agentprocess.ts';
import { type ShopAgent, startShopAgent } from '../support/agentservice.ts';
import { type Receiver, signatureOf, startReceiver } from '../support/receiver.ts';
import { signJwt } from '../support/visitor.ts';

const secret = 'webhook-secret';
const ssoSecret = 'sso-secret-8c1f04b7d2e95a6390fb17c4';
let receiver: Receiver;
let agent: ShopAgent | undefined;

beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  await agent?.close();
  agent = undefined;
  await receiver.close();
});

const start = async (webhook: object = {}, options: object = {}) => {
  agent = await startShopAgent({
    webhook: { url: receiver.url, secret, ...webhook },
    ssoSecret,
    extraKeys: [
      { key: 'moderator-key', role: 'moderator' },
      { key: 'other-key', role: 'owner', projectId: 'other' },
    ],
    ...options,
  });
  return agent;
};
const told = () => receiver.received.map(({ body }) => body);
const deliveriesOf = async (input: object = {}) =>
  (await agent!.client.call('GET', '/v1/webhooks/deliveries', input)).body.data;
/** The service's own clock goes on, and a call has it look what is due. */
const pass = async (ms: number) => {
  agent!.clock.now += ms;
  await agent!.client.call('GET', '/v1/bot/read');
};

describe('what is told', () => {
  test('a source that is made, changed and deleted (S188)', async () => {
    const { client, sourceId } = await start();
    const { body } = await client.call('POST', '/v1/bot/source/create', {
      type: 'text',
      title: 'Herons',
      source: 'A heron nests in April.',
    });
    const { uuid } = body.source;
    await client.call('PUT', '/v1/bot/source/update', { source_id: uuid, title: 'All herons' });
    await client.call('DELETE', '/v1/bot/source/delete', { source_id: uuid });
    await receiver.count(4);
    const bot = { id: 'juniper', name: (await client.call('GET', '/v1/bot/read')).body.bot.name };
    const about = (event: string, resource_id: string, name: string) => ({
      event,
      resource_id,
      name,
      email: null,
      bot,
    });
    expect(told()).toHaveLength(4);
    expect(told()).toEqual(
      expect.arrayContaining([
        about('memory.created', sourceId, `${agent!.shop.url}/`),
        about('memory.created', uuid, 'Herons'),
        about('memory.updated', uuid, 'All herons'),
        about('memory.deleted', uuid, 'All herons'),
      ]),
    );
  });

  test('a source whose time is over, those of a reset, and one that another takes the place of', async () => {
    const { client, shop, sourceId } = await start();
    const forgotten = await client.call('POST', '/v1/bot/source/create', {
      type: 'text',
      source: 'Gone soon.',
      forget_after: '1 day',
    });
    const again = await client.call('POST', '/v1/bot/source/create', { type: 'website', source: shop.url });
    await agent!.service.idle();
    await pass(24 * 3_600_000);
    await client.call('POST', '/v1/bot/reset');
    await receiver.count(6);
    const deleted = told().filter(({ event }) => event === 'memory.deleted');
    expect(deleted.map(({ resource_id }) => resource_id).sort()).toEqual(
      [sourceId, forgotten.body.source.uuid, again.body.source.uuid].sort(),
    );
  });

  test('a site that is read again is told of once', async () => {
    const { client, sourceId } = await start();
    await client.call('PUT', '/v1/bot/source/update', { source_id: sourceId, sync_frequency: 'weekly' });
    await receiver.count(2);
    const before = (await client.call('GET', '/v1/bot/source/read', { source_id: sourceId })).body.source;
    await pass(8 * 24 * 3_600_000);
    await agent!.service.idle();
    const after = (await client.call('GET', '/v1/bot/source/read', { source_id: sourceId })).body.source;
    expect(after.synced_at).not.toBe(before.synced_at);
    expect(told().map(({ event }) => event)).toEqual(['memory.created', 'memory.updated']);
    expect((await deliveriesOf()).pagination.total).toBe(2);
  });

  test('who signs in for the first time (S187)', async () => {
    const { client, clock } = await start();
    const iat = Math.floor(clock.now / 1000);
    const token = signJwt({ email: 'ada@site.example', name: 'Ada', iat, exp: iat + 600 }, ssoSecret);
    const { body } = await client.call('POST', '/v1/bot/widget/sso', { token });
    await client.call('POST', '/v1/bot/widget/sso', { token });
    await receiver.count(2);
    expect(told()[1]).toMatchObject({
      event: 'subscriber.joined',
      resource_id: String(body.subscriber.id),
      name: 'Ada',
      email: 'ada@site.example',
    });
    expect((await deliveriesOf()).pagination.total).toBe(2);
  });

  test('only what is asked for, and nothing without a receiver (S192)', async () => {
    await start({ events: ['memory.deleted'] });
    await agent!.client.call('POST', '/v1/bot/reset');
    await receiver.count(1);
    expect(told().map(({ event }) => event)).toEqual(['memory.deleted']);
    await agent!.close();
    agent = await startShopAgent();
    expect((await deliveriesOf()).deliveries).toEqual([]);
  });
});

describe('how it is delivered', () => {
  test('four at once, and the next when one is over', async () => {
    const { client } = await start();
    await receiver.count(1);
    let release = () => {};
    receiver.held = new Promise((resolve) => {
      release = () => resolve();
    });
    const add = { type: 'text', source: 'A heron nests.' };
    for (let n = 0; n < 6; n += 1) await client.call('POST', '/v1/bot/source/create', add);
    await receiver.count(5);
    // It looks again at each call.
    await client.call('GET', '/v1/bot/read');
    expect(receiver.received).toHaveLength(5);
    release();
    await receiver.count(7);
  });

  test('signed over the bytes that are sent (S189, S190, S191)', async () => {
    const { client } = await start();
    await client.call('POST', '/v1/bot/source/create', { type: 'text', title: 'Grüße — "¡"', source: 'x' });
    const [, { method, headers, raw }] = (await receiver.count(2)) as [unknown, Receiver['received'][0]];
    expect(method).toBe('POST');
    expect(headers['content-type']).toBe('application/json');
    expect(headers['x-service-signature']).toBe(signatureOf(raw, secret));
    expect(raw).toContain('Grüße — \\"¡\\"');
    expect(headers['x-service-delivery']).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('anything but 2xx is tried again under the same id, later each time, eight times in all', async () => {
    receiver.statuses.push(500, 302, 404, 500, 500, 500, 500, 500, 500);
    await start({ retryMs: 1000 });
    const waits: number[] = [];
    for (let tried = 1; tried <= 8; tried += 1) {
      await receiver.count(tried);
      const [delivery] = await untilNoted(tried);
      expect(delivery).toMatchObject({ attempts: tried, event: 'memory.created', url: receiver.url });
      if (tried === 8) break;
      const wait = Date.parse(delivery.next_attempt_at) - agent!.clock.now;
      waits.push(wait / (1000 * 4 ** (tried - 1)));
      // A little before it is due, nothing is sent.
      await pass(wait - 1);
      expect(receiver.received).toHaveLength(tried);
      await pass(1);
    }
    for (const wait of waits) {
      expect(wait).toBeGreaterThanOrEqual(0.8);
      expect(wait).toBeLessThanOrEqual(1.2);
    }
    expect(new Set(receiver.received.map(({ headers }) => headers['x-service-delivery'])).size).toBe(1);
    expect((await deliveriesOf()).deliveries[0]).toMatchObject({
      status: 'failed',
      last_status: 500,
      last_error: 'The receiver answered 500.',
      next_attempt_at: null,
      delivered_at: null,
    });
    await pass(30 * 24 * 3_600_000 - 20 * 3_600_000);
    expect(receiver.received).toHaveLength(8);
  });

  test('one that is sent again while an attempt is under way is sent again', async () => {
    let answer = () => {};
    receiver.held = new Promise((resolve) => {
      answer = resolve;
    });
    const { client } = await start();
    await receiver.count(1);
    const [{ id }] = (await deliveriesOf()).deliveries;
    const { body } = await client.call('POST', `/v1/webhooks/deliveries/${id}/resend`);
    expect(body.data.delivery).toMatchObject({ status: 'pending', attempts: 0 });
    answer();
    await receiver.count(2);
    await expect
      .poll(async () => (await deliveriesOf()).deliveries)
      .toMatchObject([{ id, status: 'delivered', attempts: 1, next_attempt_at: null }]);
  });

  test('deliveries are listed by their state, and one is sent again with its id', async () => {
    receiver.statuses.push(503);
    const { client } = await start({ retryMs: 3_600_000 });
    await untilNoted(1);
    const [{ id }] = (await deliveriesOf({ status: 'pending' })).deliveries;
    expect((await deliveriesOf({ status: 'delivered' })).deliveries).toEqual([]);
    const { status, body } = await client.call('POST', `/v1/webhooks/deliveries/${id}/resend`);
    expect([status, body.success, body.data.delivery.id]).toEqual([200, true, id]);
    await receiver.count(2);
    await expect
      .poll(async () => (await deliveriesOf({ status: 'delivered' })).deliveries)
      .toMatchObject([{ id, last_status: 204, last_error: null, delivered_at: expect.any(String) }]);
    expect(receiver.received.map(({ headers }) => headers['x-service-delivery'])).toEqual([id, id]);
    expect((await deliveriesOf({ per_page: 1 })).pagination).toEqual({
      page: 1,
      per_page: 1,
      total: 1,
      total_pages: 1,
    });
  });

  test('for owners and admins of the project alone', async () => {
    const { client, clientOf } = await start();
    await receiver.count(1);
    const [{ id }] = (await deliveriesOf()).deliveries;
    const resend = `/v1/webhooks/deliveries/${id}/resend`;
    for (const [method, path] of [
      ['GET', '/v1/webhooks/deliveries'],
      ['POST', resend],
    ] as const) {
      expect((await clientOf('moderator-key').call(method, path)).status).toBe(403);
      expect((await clientOf('other-key').call(method, path)).status).toBe(403);
      const own = await clientOf('other-key').call(method, path, { project_id: 'other' });
      if (method === 'GET') expect(own.body.data.deliveries).toEqual([]);
      else expect([own.status, own.body.error.code]).toEqual([404, 'delivery_not_found']);
    }
    const unknown = await client.call('POST', '/v1/webhooks/deliveries/none/resend');
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'delivery_not_found']);
    const wrong = await client.call('GET', '/v1/webhooks/deliveries', { status: 'lost' });
    expect([wrong.status, wrong.body.error.message]).toEqual([400, expect.stringMatching(/^status: /)]);
  });

  test('those that are over are forgotten after 30 days', async () => {
    await start();
    await receiver.count(1);
    await untilNoted(1);
    await pass(29 * 24 * 3_600_000);
    expect((await deliveriesOf()).pagination.total).toBe(1);
    await pass(2 * 24 * 3_600_000);
    expect((await deliveriesOf()).pagination.total).toBe(0);
  });
});

/** Waits until the newest delivery has been tried so often. */
async function untilNoted(attempts: number) {
  await expect.poll(async () => (await deliveriesOf()).deliveries[0].attempts).toBe(attempts);
  return (await deliveriesOf()).deliveries;
}

describe('over a kill', () => {
  let folder: string;
  let running: AgentProcess | undefined;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'agent-'));
  });
  afterEach(async () => {
    await running?.kill();
    rmSync(folder, { recursive: true });
  });
  const run = async (webhookUrl: string) => {
    running = await runAgent({
      AGENT_DB: join(folder, 'agent.db'),
      AGENT_WEBHOOK_URL: webhookUrl,
      AGENT_WEBHOOK_SECRET: webhookUrl && secret,
      AGENT_WEBHOOK_RETRY_MS: webhookUrl && '100',
    });
    return running;
  };

  test('what was not delivered is sent after the start, with the same id and to the same address', async () => {
    const { port, url } = receiver;
    await receiver.close();
    const client = await run(url);
    await client.call('POST', '/v1/bot/source/create', { type: 'text', title: 'Kept', source: 'x' });
    const before = (await client.call('GET', '/v1/webhooks/deliveries')).body.data.deliveries;
    await client.kill();
    receiver = await startReceiver(port);
    const again = await run('http://127.0.0.1:9/elsewhere');
    const [{ headers, body }] = (await receiver.count(1)) as [Receiver['received'][0]];
    expect(headers['x-service-delivery']).toBe(before[0].id);
    expect(body).toMatchObject({ event: 'memory.created', name: 'Kept' });
    await expect
      .poll(async () => (await again.call('GET', '/v1/webhooks/deliveries')).body.data.deliveries)
      .toMatchObject([{ id: before[0].id, status: 'delivered', url }]);
  });

  test('with nobody to send it to, sending again is refused and changes nothing', async () => {
    const client = await run(receiver.url);
    await client.call('POST', '/v1/bot/source/create', { type: 'text', title: 'Kept', source: 'x' });
    const list = async (from: AgentProcess) =>
      (await from.call('GET', '/v1/webhooks/deliveries')).body.data.deliveries;
    await expect.poll(async () => (await list(client))[0]?.status).toBe('delivered');
    await client.kill();
    const again = await run('');
    const before = await list(again);
    const { status, body } = await again.call('POST', `/v1/webhooks/deliveries/${before[0].id}/resend`);
    expect([status, body.error.code]).toEqual([409, 'webhook_not_configured']);
    expect(await list(again)).toEqual(before);
  });
});

test.each([
  ['AGENT_WEBHOOK_URL', { AGENT_WEBHOOK_SECRET: 'secret-value' }],
  ['AGENT_WEBHOOK_SECRET', { AGENT_WEBHOOK_URL: 'http://secret-value.test' }],
  ['AGENT_WEBHOOK_URL', { AGENT_WEBHOOK_URL: 'secret-value', AGENT_WEBHOOK_SECRET: 's' }],
  ['AGENT_WEBHOOK_URL', { AGENT_WEBHOOK_URL: 'ftp://secret-value.test', AGENT_WEBHOOK_SECRET: 's' }],
  ['AGENT_WEBHOOK_URL', { AGENT_WEBHOOK_URL: 'http://u:secret-value@a.test', AGENT_WEBHOOK_SECRET: 's' }],
  [
    'AGENT_WEBHOOK_EVENTS',
    { AGENT_WEBHOOK_URL: 'http://x.test', AGENT_WEBHOOK_SECRET: 's', AGENT_WEBHOOK_EVENTS: 'secret-value' },
  ],
  [
    'AGENT_WEBHOOK_RETRY_MS',
    { AGENT_WEBHOOK_URL: 'http://x.test', AGENT_WEBHOOK_SECRET: 's', AGENT_WEBHOOK_RETRY_MS: 'secret-value' },
  ],
])('a wrong %s ends the start, naming it and not its value', async (name, env) => {
  const failed = await startAgent({ AGENT_DB: ':memory:', PORT: '0', ...env }, { log() {}, print() {} }).then(
    () => 'started',
    (error: Error) => error.message,
  );
  expect(failed).toMatch(new RegExp(`^${name}: `));
  expect(failed).not.toContain('secret-value');
});
