/** `GET /admin`: the owner's page, for whoever knows its password, over what was asked before this process too. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startHelper, visitorMark } from '../support/helper-process.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { makeQuestion } from '../support/visitor.ts';

const password = 'owner-of-the-shop';
const env = { PORCHLIGHT_ADMIN_PASSWORD: password, PORCHLIGHT_LIMITS: 'off' };
let folder: string;
let rig: Rig;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'porchlight-'));
  rig = await startRig({ env: { ...env, PORCHLIGHT_STORE: `sqlite:${join(folder, 'one.db')}` } });
});
afterAll(async () => {
  await rig.close();
  await rm(folder, { recursive: true, force: true });
});

const toBasic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;
const open = (helper = rig.helper, authorization = toBasic(`owner:${password}`)) =>
  helper.fetch('/admin', { headers: { authorization } });
/** What is seen of it, without the tables' numbers. */
async function read(helper = rig.helper): Promise<string> {
  const page = await (await open(helper)).text();
  return page
    .replace(/<(style|svg|details)\b[\s\S]*?<\/\1>/g, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');
}

test('without a password there is no such page, and with one it takes that password alone', async () => {
  const closed = await startHelper({ agentUrl: rig.agent.url });
  expect((await open(closed)).status).toBe(404);
  await closed.close();
  for (const authorization of [
    '',
    'Basic',
    `Basic ${password}`,
    toBasic(password),
    toBasic(`owner:${password}x`),
    `Bearer ${password}`,
  ]) {
    const reply = await open(rig.helper, authorization);
    expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([
      401,
      'Basic realm="Porchlight", charset="UTF-8"',
    ]);
    expect(await reply.text()).not.toContain('Questions');
  }
  const reply = await open(rig.helper, toBasic(`:${password}`));
  expect(reply.status).toBe(200);
  expect(reply.headers.get('cache-control')).toBe('no-store');
  const nonce = /<style nonce="(\w+)">/.exec(await reply.text())?.[1];
  expect(reply.headers.get('content-security-policy')).toContain(
    `default-src 'none'; style-src 'nonce-${nonce}'; img-src data:; frame-ancestors 'none'`,
  );
});

test('it counts what was asked, how that ended, and what was thought of it', async () => {
  const visitor = await rig.visit();
  const { conversationId } = await visitor.chat();
  await visitor.chat(makeQuestion(), conversationId);
  const [answer] = (await visitor.history(conversationId)).messages.filter(({ role }) => role === 'agent');
  const vote = (value: string) =>
    visitor.call('PUT', `/conversations/${conversationId}/messages/${answer!.id}/vote`, { vote: value });
  for (const value of ['down', 'up', 'none']) await vote(value);
  // Each click counts once, at once too.
  const route = 'PUT /v1/bot/chat/message/vote';
  rig.agent.override(route, (_, response) => void setTimeout(() => response.end('{}'), 100));
  await Promise.all(Array.from({ length: 6 }, () => vote('up')));
  rig.agent.restore(route);
  rig.agent.nextChat((one) => one.refuse(402));
  await visitor.chat();
  await visitor.call('GET', `/conversations/${randomUUID()}`);
  const page = await read();
  expect(page).toContain('Questions 3 3 today');
  expect(page).toContain('Completed 67 % 0 stopped, 1 failed');
  expect(page).toContain('Liked 100 % 1 up, 0 down');
  expect(page).toMatch(/First word ≤ [\d.]+ s of half/);
  expect(page).toContain('Failures by code agent-refused 1');
  expect(page).toContain('got lost 402 1');
  expect(page).toContain('Limits that were reached None.');
  expect(await (await open()).text()).not.toContain(visitorMark);
});

test('a helper after this one shows it too', async () => {
  await rig.helper.close();
  const next = await startHelper({
    agentUrl: rig.agent.url,
    env: { ...env, PORCHLIGHT_STORE: `sqlite:${join(folder, 'one.db')}` },
  });
  expect(await read(next)).toContain('Questions 3 3 today');
  await next.close();
});

test('it cannot be guessed by trying, though limits are off', async () => {
  const helper = await startHelper({ agentUrl: rig.agent.url, env });
  const statuses = [];
  for (let count = 0; count < 25; count += 1)
    statuses.push((await open(helper, toBasic(`o:guess-${count}`))).status);
  expect(statuses.slice(0, 20)).toEqual(Array(20).fill(401));
  expect(statuses.slice(21)).toEqual(Array(4).fill(429));
  await helper.close();
});
