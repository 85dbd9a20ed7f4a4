/** Clauses 1, 2, 4 and 33: the helper as its operator meets it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSqliteStore } from '../../server-helper/store/sqlite.ts';
import { type Environment, secrets, spawnHelper } from '../support/helper-process.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { callHelper, makeSsoToken, openSession, signJwt } from '../support/visitor.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await startRig();
});
afterAll(() => rig.close());

const now = () => Math.floor(Date.now() / 1000);

/** Runs `serve` that must refuse to start; gives what it said. */
async function refuse(env: Environment): Promise<string> {
  const helper = spawnHelper({ agentUrl: rig.agent.url, env });
  const { code } = await helper.exited;
  expect(code).not.toBe(0);
  expect(code).not.toBeNull();
  await helper.close();
  return helper.output;
}

test('clause 1: the bin of package.json serves, and health is 200 without a session, with and without the base path', async () => {
  expect((await rig.helper.fetch('/healthz')).status).toBe(200);
  expect((await fetch(`${rig.helper.base}/healthz`)).status).toBe(200);
});

test('clause 1: health is found under the base path that the operator chose', async () => {
  const other = await startRig({ env: { PORCHLIGHT_BASE_PATH: '/help/chat' } });
  expect((await fetch(`${other.helper.origin}/help/chat/healthz`)).status).toBe(200);
  expect((await fetch(`${other.helper.origin}/healthz`)).status).toBe(200);
  expect((await fetch(`${other.helper.origin}/porchlight/healthz`)).status).toBe(404);
  await other.close();
});

test('clause 33: readiness names what does not answer, with and without the base path', async () => {
  const away = await startRig({ env: { PORCHLIGHT_AGENT_URL: 'http://127.0.0.1:9' } });
  for (const base of [rig.helper.base, rig.helper.origin]) {
    const response = await fetch(`${base}/readyz`);
    expect([response.status, await response.json()]).toEqual([
      200,
      { status: 'ok', checks: { store: 'ok', agent: 'ok' } },
    ]);
  }
  for (const base of [away.helper.base, away.helper.origin]) {
    const response = await fetch(`${base}/readyz`);
    expect([response.status, await response.json()]).toEqual([
      503,
      { status: 'agent-unavailable', checks: { store: 'ok', agent: 'agent-unavailable' } },
    ]);
    expect((await fetch(`${base}/healthz`)).status).toBe(200);
  }
  await away.close();
});

test('clause 2: PORCHLIGHT_LIMITS=off lifts the rate limits, never the size limits', async () => {
  const statuses = await Promise.all(
    Array.from({ length: 100 }, async () => (await openSession(rig.helper)).status),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
  const large = await openSession(rig.helper, { session: 'x'.repeat(256 * 1024) });
  expect(large.status).toBe(413);
  expect(large.json.code).toBe('too-large');
});

test('clause 2: without it an address that asks too often is told to wait, in milliseconds and in seconds', async () => {
  const limited = await startRig({ env: { PORCHLIGHT_LIMITS: '' } });
  const replies = await Promise.all(Array.from({ length: 100 }, () => openSession(limited.helper)));
  const refused = replies.filter((reply) => reply.status !== 200);
  expect(refused.length).toBeGreaterThan(0);
  for (const { status, json, headers } of refused) {
    expect(status).toBe(429);
    expect(json.code).toBe('rate-limited');
    expect(json.retryAfterMs).toBeGreaterThan(0);
    expect(Number(headers.get('retry-after'))).toBe(Math.max(1, Math.ceil((json.retryAfterMs ?? 0) / 1000)));
  }
  await limited.close();
});

test('clause 4: an SSO secret under 32 bytes, alone or among others, refuses the start by name and never by value', async () => {
  const short = 'short-secret-of-31-bytes-012345';
  expect(Buffer.from(short)).toHaveLength(31);
  const values = [short, `${secrets.ssoSecret},${short}`, `${short},${secrets.ssoSecret}`];
  const outputs = await Promise.all(values.map((value) => refuse({ PORCHLIGHT_SSO_SECRET: value })));
  for (const output of outputs) {
    expect(output).toContain('PORCHLIGHT_SSO_SECRET');
    expect(output).not.toContain(short);
  }
});

test('clause 4: of several SSO secrets each one signs, and their bytes count, not their characters', async () => {
  const short = 'äöüßàéîõñçøåæœÿŷ';
  expect([short.length, Buffer.from(short).length]).toEqual([16, 32]);
  const other = await startRig({ env: { PORCHLIGHT_SSO_SECRET: `${secrets.ssoSecret}, ${short}` } });
  const claims = { email: 'ada@shop.test', iat: now(), exp: now() + 60 };
  for (const ssoToken of [makeSsoToken(), signJwt(claims, short)])
    expect((await openSession(other.helper, { ssoToken })).status).toBe(200);
  const strange = signJwt(claims, 'a-third-secret-that-nobody-configured-42');
  expect((await openSession(other.helper, { ssoToken: strange })).json.code).toBe('sso-token-invalid');
  await other.close();
});

test('a start without the agent’s address, key, project or bot is refused by the name of the variable', async () => {
  const names = ['AGENT_URL', 'API_KEY', 'PROJECT_ID', 'BOT_ID'].map((name) => `PORCHLIGHT_${name}`);
  const outputs = await Promise.all(names.map((name) => refuse({ [name]: '' })));
  for (const [index, name] of names.entries()) expect(outputs[index]).toContain(name);
});

test('a start whose variables, port, host or store could serve nobody is refused by the name of the variable', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'porchlight-'));
  const file = join(folder, 'locked.db');
  await createSqliteStore(file).close();
  const lock = new Database(file);
  lock.exec('BEGIN IMMEDIATE');
  const used = new URL(rig.agent.url).port;
  const wrong: [name: string, env: Environment][] = [
    ['PORCHLIGHT_API_KEY', { PORCHLIGHT_API_KEY: 'key\n' }],
    ['PORCHLIGHT_AGENT_URL', { PORCHLIGHT_AGENT_URL: 'http://agent.test' }],
    ['PORCHLIGHT_SSO_SECRET', { PORCHLIGHT_SSO_SECRET: ',' }],
    ['PORCHLIGHT_WORKSPACE', { PORCHLIGHT_WORKSPACE: 'Visitor' }],
    ['PORCHLIGHT_STORE', { PORCHLIGHT_STORE: 'sqlite:' }],
    ['PORCHLIGHT_STORE', { PORCHLIGHT_STORE: `sqlite:${file}` }],
    ['PORT', { PORT: used }],
    ['HOST', { HOST: '203.0.113.1' }],
    ['HOST', { HOST: 'no-such-host.invalid' }],
  ];
  const outputs = await Promise.all(wrong.map(([, env]) => refuse(env)));
  for (const [index, [name]] of wrong.entries())
    expect(outputs[index]).toMatch(new RegExp(`^porchlight: ${name} `));
  lock.close();
  await rm(folder, { recursive: true, force: true });
});

test('clause 4: without a webhook secret the route is 404', async () => {
  const { status, json } = await callHelper(rig.helper, 'POST', '/webhooks/agent', { event: 'x' });
  expect(status).toBe(404);
  expect(json.code).toBe('not-found');
});
