/** Keys, roles and plans of the local agent service, row by row of the API document. */

import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type StartedAgent, startAgent } from '../../demo/agent/start.ts';
import { createAgentClient } from '../support/agentclient.ts';
import { type ShopAgent, startShopAgent } from '../support/agentservice.ts';

const quiet = { log: () => {}, print: () => {} };
let agent: ShopAgent;

describe('keys', () => {
  beforeEach(async () => {
    agent = await startShopAgent({
      extraKeys: [
        { key: 'admin-key', role: 'admin' },
        { key: 'moderator-key', role: 'moderator' },
        { key: 'member-key', role: 'member' },
        { key: 'other-key', role: 'owner', projectId: 'other' },
      ],
    });
  });
  afterEach(() => agent.close());
  const make = async (input: object = {}) => (await agent.client.call('POST', '/v1/keys', input)).body.data;
  const readAs = async (key: string) => (await agent.clientOf(key).call('GET', '/v1/bot/read')).status;

  test('a key is made, works at once, and is never shown again (S158, S159, S203)', async () => {
    const { status, body } = await agent.client.call('POST', '/v1/keys', { name: 'Till', role: 'moderator' });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      success: true,
      data: { name: 'Till', role: 'moderator', configured: false },
    });
    expect(body.data.key.startsWith(body.data.prefix)).toBe(true);
    expect(await readAs(body.data.key)).toBe(200);
    const listed = await agent.client.call('GET', '/v1/keys');
    expect(listed.body.data.pagination).toEqual({ page: 1, per_page: 10, total: 5, total_pages: 1 });
    expect(listed.body.data.keys[0]).toMatchObject({ id: body.data.id, last_used_at: expect.any(String) });
    expect(JSON.stringify(listed.body)).not.toContain(body.data.key);
    expect((await make()).role).toBe('member');
  });

  test('rotated, the old one works for the overlap alone (S161)', async () => {
    const { key, id } = await make({ role: 'admin' });
    const rotate = (overlap_seconds?: number) =>
      agent.client.call('POST', `/v1/keys/${id}/rotate`, { overlap_seconds });
    const { body } = await rotate(60);
    expect(body.data).toMatchObject({ id, role: 'admin' });
    expect([await readAs(key), await readAs(body.data.key)]).toEqual([200, 200]);
    agent.clock.now += 60_000;
    expect([await readAs(key), await readAs(body.data.key)]).toEqual([401, 200]);
    const again = await rotate();
    expect([await readAs(body.data.key), await readAs(again.body.data.key)]).toEqual([401, 200]);
    expect((await rotate(86_401)).status).toBe(400);
  });

  test('deleted, it is 401 from then on (S162)', async () => {
    const { key, id } = await make();
    expect((await agent.client.call('DELETE', `/v1/keys/${id}`)).body).toEqual({
      success: true,
      data: { id },
    });
    expect(await readAs(key)).toBe(401);
    const gone = await agent.client.call('DELETE', `/v1/keys/${id}`);
    expect([gone.status, gone.body.error.code]).toEqual([404, 'key_not_found']);
  });

  test('an admin makes no owner’s key and touches none; a configured key stays (S165)', async () => {
    const admin = agent.clientOf('admin-key');
    expect((await admin.call('POST', '/v1/keys', { role: 'owner' })).status).toBe(403);
    const { id } = await make({ role: 'owner' });
    expect((await admin.call('DELETE', `/v1/keys/${id}`)).status).toBe(403);
    const { keys } = (await agent.client.call('GET', '/v1/keys')).body.data;
    const configured = keys.find((one: { role: string }) => one.role === 'member').id;
    for (const [method, path] of [
      ['DELETE', `/v1/keys/${configured}`],
      ['POST', `/v1/keys/${configured}/rotate`],
    ] as const) {
      const { status, body } = await agent.client.call(method, path);
      expect([status, body.error.code]).toEqual([400, 'configured_key']);
    }
  });

  test('who may do what: owners and admins manage, moderators see people, members chat (S118, S166, S183)', async () => {
    const calls = [
      ['GET', '/v1/keys', [200, 200, 403, 403]],
      ['GET', '/v1/plan', [200, 200, 403, 403]],
      ['POST', '/v1/bot/create', [201, 201, 403, 403]],
      ['POST', '/v1/bot/source/create', [201, 201, 403, 403]],
      ['GET', '/v1/bot/subscriber/readall', [200, 200, 200, 403]],
      ['GET', '/v1/bot/memory/readall', [200, 200, 200, 403]],
      ['GET', '/v1/bot/read', [200, 200, 200, 200]],
      ['POST', '/v1/bot/search', [200, 200, 200, 200]],
    ] as const;
    for (const [method, path, expected] of calls) {
      const statuses = [];
      for (const key of ['owner-key', 'admin-key', 'moderator-key', 'member-key'])
        statuses.push(
          (
            await agent
              .clientOf(key)
              .call(
                method,
                path,
                method === 'GET' ? {} : { name: 'New', type: 'text', source: 'Text.', keywords: 'tent' },
              )
          ).status,
        );
      expect([path, statuses]).toEqual([path, expected]);
    }
    const purposes = [];
    for (const key of ['admin-key', 'moderator-key', 'member-key'])
      purposes.push((await agent.clientOf(key).chat('Hello', { purpose: 'service' })).status);
    expect(purposes).toEqual([200, 200, 200]);
    const started = agent.service.events.filter(({ event }) => event === 'chat.started');
    expect(started.slice(-3).map(({ purpose }) => purpose)).toEqual(['granted', 'granted', 'ignored']);
  });

  test('another project’s key is 403 everywhere (S4, S165)', async () => {
    const other = agent.clientOf('other-key');
    for (const path of ['/v1/keys', '/v1/plan', '/v1/bots', '/v1/bot/read'])
      expect((await other.call('GET', path)).status).toBe(403);
  });
});

describe('plans', () => {
  afterEach(() => agent.close());

  test('the plan says what it allows and what is used (S204, S206, S212, S213)', async () => {
    agent = await startShopAgent({ plan: 'starter' });
    const { body } = await agent.client.call('GET', '/v1/plan');
    expect(body.data).toMatchObject({
      plan: 'starter',
      limits: {
        requests_per_minute: 60,
        requests_per_day: 10_000,
        agents: 5,
        sandbox: { ram_mb: 512, cpus: 1, timeout_seconds: 30 },
      },
      usage: {
        requests_today: 2,
        agents: 1,
        dashboard_workspaces: 1,
        service_workspaces: 0,
        credits: 100_000,
      },
    });
  });

  test('more agents than the plan has are refused, asked at once too (S5)', async () => {
    agent = await startShopAgent({ plan: 'starter' });
    const made = await Promise.all(
      Array.from({ length: 8 }, () => agent.client.call('POST', '/v1/bot/create', { name: 'New' })),
    );
    expect(made.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 403, 403, 403, 403]);
    expect(made.find(({ status }) => status === 403)!.body.error.code).toBe('plan_limit_reached');
  });

  test('more workspaces than the plan has are refused, each kind by its own number (S124, S125)', async () => {
    agent = await startShopAgent({ plan: 'free' });
    const make = async (input: object) =>
      (await agent.client.call('POST', '/v1/bot/workspace/create', input)).status;
    expect(await make({})).toBe(403);
    const service = { purpose: 'service' };
    expect([await make(service), await make(service), await make(service), await make(service)]).toEqual([
      201, 201, 201, 403,
    ]);
  });
});

describe('a service on a file', () => {
  let folder: string;
  let started: StartedAgent;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'agent-keys-'));
  });
  afterEach(async () => {
    await started?.close();
    rmSync(folder, { recursive: true });
  });
  const start = async (env: Record<string, string> = {}) => {
    const target = { AGENT_API_KEY: 'owner-key-0123456789', AGENT_PROJECT_ID: 'p', AGENT_BOT_ID: 'b' };
    started = await startAgent({ AGENT_DB: join(folder, 'agent.db'), PORT: '0', ...target, ...env }, quiet);
    return createAgentClient(started.url, started);
  };

  test('keys, what an agent was set to and the day’s count survive a restart (S83, S157, S204)', async () => {
    let client = await start({ AGENT_PLAN: 'free' });
    const { key } = (await client.call('POST', '/v1/keys', { role: 'admin' })).body.data;
    await client.call('PUT', '/v1/bot/update', { name: 'Otter', branding: { tagline: 'Ask the otter' } });
    const before = (await client.call('GET', '/v1/plan')).body.data.usage.requests_today;
    await started.close();
    client = await start({ AGENT_PLAN: 'free' });
    const { bot } = (await client.call('GET', '/v1/bot/read', {}, key)).body;
    expect(bot).toMatchObject({ name: 'Otter', branding: { tagline: 'Ask the otter', theme: 'light' } });
    expect((await client.call('GET', '/v1/plan')).body.data.usage.requests_today).toBe(before + 2);
    const bytes = ['agent.db', 'agent.db-wal']
      .map((name) => readFileSync(join(folder, name), 'latin1'))
      .join();
    expect(bytes).not.toContain(key);
    expect(bytes).not.toContain('owner-key-0123456789');
  });

  test('keys and limits come from the environment, a body on GET counts (S22, S141)', async () => {
    const client = await start({
      AGENT_KEYS: 'member:member-key-1, owner:other-key-1:other',
      AGENT_REQUESTS_PER_MINUTE: '7',
      AGENT_CREDITS: '12',
      AGENT_CLOCK_OFFSET_SECONDS: '86400',
    });
    const { body, headers } = await client.call('GET', '/v1/bot/read', {}, 'member-key-1');
    expect(body.bot.credits).toBe(12);
    expect(headers.get('x-ratelimit-limit')).toBe('7');
    expect(Date.parse(body.bot.created_at)).toBeGreaterThan(Date.now() + 80_000_000);
    expect((await client.call('GET', '/v1/bot/read', {}, 'other-key-1')).status).toBe(403);
    const json = JSON.stringify({ project_id: 'p', bot_id: 'b' });
    const status = await new Promise((resolve, reject) => {
      const sent = request(`${started.url}/v1/bot/read`, {
        method: 'GET',
        headers: { authorization: 'Bearer member-key-1', 'content-length': String(json.length) },
      });
      sent.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject);
      sent.end(json);
    });
    expect(status).toBe(200);
  });

  test.each([
    ['AGENT_PLAN', 'gold'],
    ['AGENT_KEYS', 'boss:secret-value'],
    ['AGENT_KEYS', 'owner'],
    ['AGENT_CREDITS', 'secret-value'],
    ['AGENT_REQUESTS_PER_MINUTE', '0'],
    ['AGENT_CONTEXT_TOKENS', '10'],
    ['AGENT_CLOCK_OFFSET_SECONDS', 'secret-value'],
    ['AGENT_WORDS_PER_SECOND', '-1'],
    ['PORT', 'secret-value'],
    ['PORT', '70000'],
    ['AGENT_DB', '.'],
    // Nobody can make anything there.
    ['AGENT_DB', '/proc/nope/x.db'],
    ['AGENT_CREDITS', '0.5'],
    ['AGENT_CREDITS', ' '],
    ['AGENT_MIN_TASK_INTERVAL_SECONDS', '1e300'],
    ['AGENT_MEMBER_EMAILS', 'secret-value'],
    ['AGENT_MEMBER_EMAILS', ','],
    ['AGENT_KEYS', ','],
    ['AGENT_PRIVATE_HOSTS', 'secret-value:99999'],
    ['AGENT_PRIVATE_HOSTS', 'secret-value:0'],
    ['AGENT_TLS_CERT', '/secret-value'],
    ['AGENT_TLS_CERT', 'package.json'],
  ])('a wrong %s ends the start, naming it and not its value', async (name, value) => {
    const both = name === 'AGENT_TLS_CERT' ? { AGENT_TLS_KEY: tls('key') } : {};
    const failed = await start({ [name]: value, ...both }).catch((error: Error) => error.message);
    expect(failed).toMatch(new RegExp(`^${name}: `));
    expect(failed).not.toContain('secret-value');
  });
});

const tls = (name: string) => fileURLToPath(new URL(`../vectors/tls/${name}.pem`, import.meta.url));

test('with a certificate it answers HTTPS, and nothing else', async () => {
  const env = { AGENT_DB: ':memory:', AGENT_API_KEY: 'owner-key', PORT: '0' };
  const started = await startAgent({ ...env, AGENT_TLS_CERT: tls('cert'), AGENT_TLS_KEY: tls('key') }, quiet);
  expect(started.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  const status = await new Promise((resolve, reject) => {
    get(`${started.url}/healthz`, { ca: readFileSync(tls('cert')) }, (response) =>
      resolve(response.resume().statusCode),
    ).on('error', reject);
  });
  expect(status).toBe(200);
  await expect(fetch(`${started.url.replace('https', 'http')}/healthz`)).rejects.toThrow();
  await started.close();
  const folder = mkdtempSync(join(tmpdir(), 'agent-tls-'));
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeFileSync(join(folder, 'key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const others = { AGENT_TLS_CERT: tls('cert'), AGENT_TLS_KEY: join(folder, 'key.pem') };
  await expect(startAgent({ ...env, ...others }, quiet)).rejects.toThrow(/^AGENT_TLS_KEY: /);
  rmSync(folder, { recursive: true });
  for (const name of ['cert', 'key'])
    await expect(
      startAgent({ ...env, [`AGENT_TLS_${name.toUpperCase()}`]: tls(name) }, quiet),
    ).rejects.toThrow(/^AGENT_TLS_/);
});

test('where it cannot listen it says so by the name of the variable', async () => {
  const first = await startAgent({ AGENT_DB: ':memory:', PORT: '0' }, quiet);
  const again = startAgent({ AGENT_DB: ':memory:', PORT: new URL(first.url).port }, quiet);
  await expect(again).rejects.toThrow(/^PORT: .*EADDRINUSE/);
  await first.close();
});

test('what goes wrong inside is 500 in the shape of its path, and its cause stays inside (S199)', async () => {
  let isBroken = false;
  agent = await startShopAgent({
    now() {
      if (!isBroken) return 0;
      isBroken = false;
      throw new Error('the secret cause');
    },
  });
  isBroken = true;
  const error = { code: 'internal_error', message: 'Internal server error.' };
  const read = await agent.client.call('GET', '/v1/bot/read');
  expect([read.status, read.body]).toEqual([500, { success: false, error }]);
  isBroken = true;
  const stats = await agent.client.call('GET', '/v1/bot/stats/summary');
  expect([stats.status, stats.body]).toEqual([500, { error: error.message, code: error.code }]);
  expect(agent.service.events.find(({ event }) => event === 'request.failed')).toMatchObject({
    cause: expect.stringContaining('the secret cause'),
  });
  expect((await agent.client.call('GET', '/v1/bot/read')).status).toBe(200);
  await agent.close();
});
