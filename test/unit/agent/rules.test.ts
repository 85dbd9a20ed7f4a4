/** Rates, credits, purposes, modes and keys. */

import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { createAgentService } from '../../../demo/agent/service.ts';
import { type ShopAgent, startShopAgent, target } from '../../support/agentservice.ts';

const question = 'How long does shipping to Canada take?';
let agent: ShopAgent;
afterEach(() => agent.close());

describe('the request rate', () => {
  test('over the plan’s minute is 429 with Retry-After, and begins anew with the next minute (S205)', async () => {
    agent = await startShopAgent({ plan: 'free' });
    let last = await agent.client.call('GET', '/v1/bot/read');
    while (last.status === 200) last = await agent.client.call('GET', '/v1/bot/read');
    expect(last.status).toBe(429);
    expect(last.body).toMatchObject({ success: false, error: { code: 'rate_limited' } });
    expect(last.headers.get('retry-after')).toBe('60');
    expect(last.headers.get('x-ratelimit-limit')).toBe('20');
    expect(last.headers.get('x-ratelimit-remaining')).toBe('0');
    expect(Number(last.headers.get('x-ratelimit-reset'))).toBe(agent.clock.now / 1000 + 60);
    agent.clock.now += 60_000;
    expect((await agent.client.call('GET', '/v1/bot/read')).status).toBe(200);
  });

  test('of the free plan is 1,000 a day (S204)', async () => {
    agent = await startShopAgent({ plan: 'free' });
    let answered = 1;
    let last = await agent.client.call('GET', '/v1/bot/read');
    while (last.headers.get('x-ratelimit-limit') === '20') {
      if (last.status === 429) agent.clock.now += 60_000;
      else answered += 1;
      last = await agent.client.call('GET', '/v1/bot/read');
    }
    while (last.status === 200) {
      answered += 1;
      last = await agent.client.call('GET', '/v1/bot/read');
    }
    expect(answered).toBe(1000);
    expect(last.headers.get('x-ratelimit-limit')).toBe('1000');
  });
});

test('streams and errors carry the rate headers too', async () => {
  agent = await startShopAgent();
  const ask = (body: object) =>
    agent.service.fetch(
      new Request('http://agent.test/v1/bot/chat', {
        method: 'POST',
        headers: { authorization: `Bearer ${target.apiKey}` },
        body: JSON.stringify({ project_id: target.projectId, bot_id: target.botId, ...body }),
      }),
    );
  for (const [status, body] of [
    [200, { message: question, stream: true }],
    [400, {}],
  ] as const) {
    const response = await ask(body);
    expect(response.status).toBe(status);
    expect(response.headers.get('x-ratelimit-limit')).toBe('6000');
    await response.body?.cancel();
  }
});

test('a body over 1 MB is refused without a declared length too', async () => {
  agent = await startShopAgent();
  const chunk = new Uint8Array(64 * 1024).fill(32);
  let sent = 0;
  const body = new ReadableStream({
    pull(controller) {
      sent += 1;
      controller.enqueue(chunk);
      if (sent > 40) controller.close();
    },
  });
  const request = new Request('http://agent.test/v1/bot/search', {
    method: 'POST',
    headers: { authorization: `Bearer ${target.apiKey}` },
    body,
    duplex: 'half',
  } as RequestInit);
  expect((await agent.service.fetch(request)).status).toBe(413);
});

describe('credits', () => {
  test('a turn costs one; an agent turn one more for each tool call (S63, S65, S216)', async () => {
    agent = await startShopAgent({ credits: 100 });
    const standard = await agent.client.chat(question, { reasoning_mode: 'standard' });
    expect(standard.body.chat.agent).toMatchObject({ credit_used: 1, reasoning_type: 'standard' });
    const withTool = await agent.client.chat('Is the Fell 2 in stock?', { reasoning_mode: 'agent' });
    expect(withTool.body.chat.agent.credit_used).toBe(2);
    expect((await agent.client.call('GET', '/v1/bot/read')).body.bot.credits).toBe(97);
  });

  test('at zero a chat call is 403 credits_exhausted', async () => {
    agent = await startShopAgent({ credits: 1 });
    await agent.client.chat(question);
    const { status, body } = await agent.client.chat(question);
    expect([status, body.error.code]).toEqual([403, 'credits_exhausted']);
  });
});

describe('purpose service', () => {
  test('is granted to a key of an owner or admin, ignored for a member, and the log says which (S117, S118, S122)', async () => {
    agent = await startShopAgent({
      extraKeys: [
        { key: 'admin-key', role: 'admin' },
        { key: 'member-key', role: 'member' },
      ],
    });
    const ask = (key: string, chat_id: string) =>
      agent.clientOf(key).chat(question, { chat_id, purpose: 'service', workspace_uuid: randomUUID() });
    // The workspace does not exist: that is found out only where the purpose is granted.
    expect((await ask('admin-key', 'admin')).status).toBe(404);
    expect((await ask('member-key', 'member')).status).toBe(200);
    await agent.client.chat(question, { chat_id: 'owner', purpose: 'service' });
    const started = agent.service.events.filter(({ event }) => event === 'chat.started');
    expect(started).toMatchObject([
      { chat_id: 'member', purpose: 'ignored', persona: 'visitor' },
      { chat_id: 'owner', purpose: 'granted', persona: 'service' },
    ]);
  });

  test('a builder’s conversation may plan; one that began as a visit never becomes the builder’s (S77)', async () => {
    agent = await startShopAgent();
    expect((await agent.client.chat(question, { chat_id: 'mine', chat_mode: 'plan' })).status).toBe(200);
    const mode = await agent.client.call('PUT', '/v1/bot/chat/mode', { chat_id: 'mine', chat_mode: 'edit' });
    expect(mode.status).toBe(200);
    await agent.client.chat(question, { chat_id: 'visit', member_id: 'somebody' });
    expect((await agent.client.chat(question, { chat_id: 'visit', chat_mode: 'edit' })).status).toBe(403);
  });
});

describe('keys', () => {
  test('a key of another project reaches nothing of this one', async () => {
    agent = await startShopAgent({ extraKeys: [{ key: 'other-key', projectId: 'other', role: 'owner' }] });
    expect((await agent.clientOf('other-key').call('GET', '/v1/bot/read')).status).toBe(403);
  });

  test('a member’s key makes no sources and no workspaces', async () => {
    agent = await startShopAgent({ extraKeys: [{ key: 'member-key', role: 'member' }] });
    const member = agent.clientOf('member-key');
    expect((await member.call('POST', '/v1/bot/workspace/create')).status).toBe(403);
    expect((await member.call('POST', '/v1/bot/source/create', { type: 'text', source: 'x' })).status).toBe(
      403,
    );
  });

  test('neither keys nor message text are in the log', async () => {
    const lines: string[] = [];
    agent = await startShopAgent({ log: (entry) => lines.push(JSON.stringify(entry)) });
    await agent.client.chat('A secret question about Canada');
    expect(lines.length).toBeGreaterThan(2);
    for (const line of lines) {
      expect(line).not.toContain(target.apiKey);
      expect(line).not.toContain('secret question');
    }
  });
});

test('options that are wrong are a TypeError that names the option', async () => {
  agent = await startShopAgent();
  const make = (options: object) => () => createAgentService({ ...target, db: ':memory:', ...options });
  expect(make({ apiKey: '' })).toThrow(new TypeError('apiKey: a non-empty string is needed'));
  expect(make({ ssoSecret: 'short' })).toThrow(/^ssoSecret/);
  expect(make({ wordsPerSecond: Number.NaN })).toThrow(/^wordsPerSecond/);
  expect(make({ tools: [{ name: 'Bad name' }] })).toThrow(/^tools\[0\]\.name/);
});
