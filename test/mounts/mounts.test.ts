/** The same wire, whatever it is mounted in: the cases of the wire that a framework or a runtime could spoil, over each. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChat, launchBrowser } from '../support/browser.ts';
import { type FakeAgent, startFakeAgent } from '../support/fake-agent.ts';
import { createGate } from '../support/gate.ts';
import type { RunningHelper } from '../support/helper-process.ts';
import {
  buildNext,
  bundleByWebpack,
  compileMount,
  compileReact,
  installMounts,
  mountNames,
  startMount,
  writeHosts,
} from '../support/mounts.ts';
import { createVisitor, makeSsoToken, openSession, toTurnPath, type Visitor } from '../support/visitor.ts';

const origin = 'https://shop.test';
const installWithinMs = 300_000;
const loader = readFileSync(new URL('../../dist/widget/loader.js', import.meta.url), 'utf8');

let agent: FakeAgent;
let browser: Browser;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'porchlight-'));
  installMounts();
  writeHosts();
  buildNext();
  agent = await startFakeAgent();
  browser = await launchBrowser();
}, installWithinMs);
afterAll(async () => {
  await browser?.close();
  await agent?.close();
  await rm(folder, { recursive: true, force: true });
});

describe.each(mountNames)('%s', (name) => {
  let helper: RunningHelper;
  let visitor: Visitor;
  beforeAll(async () => {
    const env = { PORCHLIGHT_ORIGINS: origin, PORCHLIGHT_STORE: `sqlite:${join(folder, name)}.db` };
    helper = await startMount(name, agent.url, env);
    visitor = await createVisitor(helper);
  }, 60_000);
  afterAll(() => helper?.close());

  test('the site keeps its own pages', async () => {
    expect(await (await fetch(helper.origin)).text()).toContain('the site');
    expect((await fetch(`${helper.origin}/nowhere`)).status).not.toBe(401);
  });

  test('it is alive and ready, and unknown paths are not found', async () => {
    expect((await fetch(`${helper.base}/healthz`)).status).toBe(200);
    expect(await (await fetch(`${helper.base}/readyz`)).json()).toMatchObject({ status: 'ok' });
    const { status, json } = await visitor.call('GET', '/nothing');
    expect([status, json.code]).toEqual([404, 'not-found']);
  });

  test.each(['identity', 'br'])('the widget’s loader arrives as it was built, as %s', async (encoding) => {
    const response = await fetchRaw(`${helper.base}/widget/loader.js`, encoding);
    expect(response.type).toMatch(/^text\/javascript/);
    const bytes = response.encoding === 'br' ? brotliDecompressSync(response.bytes) : response.bytes;
    expect(bytes.toString()).toBe(loader);
  });

  test('an answer streams word by word, is attached to again and stands in the history', async () => {
    const gate = createGate();
    agent.nextChat(async (answer) => {
      answer.open();
      answer.event('delta', { text: 'Hello ' });
      await gate.opened;
      answer.event('delta', { text: 'there.' });
      answer.done('Hello there.');
    });
    const [conversationId, turnId] = [randomUUID(), randomUUID()];
    const first = await visitor.ask(conversationId, turnId, 'Hello?');
    // It would not come before the end, were it held back.
    await first.untilText('Hello');
    first.leave();
    const second = await visitor.attach(conversationId, turnId);
    await second.untilText('Hello');
    gate.open();
    await second.whole();
    expect(second.ended('turn-completed').message.text).toBe('Hello there.');
    const { messages } = await visitor.history(conversationId);
    expect(messages.map(({ text }) => text)).toEqual(['Hello?', 'Hello there.']);
    expect(agent.chatsAbout('Hello?').length).toBeGreaterThan(0);
  });

  test('an agent that breaks off before its reply is asked once', async () => {
    // On a connection that was used before, which some runtimes' fetch takes for one that was merely kept too long.
    await visitor.chat();
    agent.nextChat((answer) => answer.reset());
    const { question, stream } = await visitor.chat();
    expect(stream.ended('turn-failed')).toMatchObject({ code: 'agent-unavailable', retryable: true });
    expect(agent.chatsAbout(question)).toHaveLength(1);
  });

  test('a turn goes on without a reader', async () => {
    const gate = createGate();
    agent.nextChat(async (answer) => {
      answer.open();
      answer.event('delta', { text: 'Nobody ' });
      await gate.opened;
      answer.done('Nobody listens.');
    });
    const [conversationId, turnId] = [randomUUID(), randomUUID()];
    const left = await visitor.ask(conversationId, turnId, 'Who listens?');
    await left.untilText('Nobody');
    left.leave();
    // Who has left keeps no place: there are 20 for a visitor.
    for (let times = 0; times < 25; times += 1) {
      const reader = await visitor.attach(conversationId, turnId);
      await reader.untilText('Nobody');
      reader.leave();
    }
    gate.open();
    await expect
      .poll(async () => (await visitor.history(conversationId)).messages.at(-1))
      .toMatchObject({ text: 'Nobody listens.', status: 'completed' });
  });

  test('Stop ends an answer', async () => {
    agent.nextChat(async (answer) => {
      answer.open();
      answer.event('delta', { text: 'On and on ' });
      await answer.cancelled;
      answer.end();
    });
    const [conversationId, turnId] = [randomUUID(), randomUUID()];
    const stream = await visitor.ask(conversationId, turnId, 'Talk.');
    await stream.untilText('On and on');
    expect((await visitor.call('DELETE', toTurnPath(conversationId, turnId))).status).toBeLessThan(300);
    await stream.whole();
    expect(stream.last.kind).toBe('turn-stopped');
  });

  test('conversations are listed, renamed and deleted', async () => {
    const { conversationId } = await visitor.chat();
    const path = `/conversations/${conversationId}`;
    expect((await visitor.call('PATCH', path, { title: 'Boots' })).status).toBeLessThan(300);
    const { conversations } = await visitor.list();
    expect(conversations.find(({ id }) => id === conversationId)?.title).toBe('Boots');
    expect((await visitor.call('DELETE', path)).status).toBeLessThan(300);
    expect((await visitor.call('GET', path)).status).toBe(404);
  });

  test('a visitor whom the site signs in is that one', async () => {
    const { json } = await openSession(helper, { ssoToken: makeSsoToken() });
    expect(json.visitor?.kind).toBe('identified');
  });

  test.each<[string, number, string, string, string | object, Record<string, string>]>([
    ['a body that is no JSON', 400, 'bad-request', 'POST', '{', {}],
    ['a field that is not known', 400, 'bad-request', 'POST', { purpose: 'admin' }, {}],
    ['a body of another type', 415, 'unsupported-media-type', 'POST', '{}', { 'content-type': 'text/plain' }],
    ['a body without end', 413, 'too-large', 'POST', { ssoToken: 'x'.repeat(300_000) }, {}],
    ['an origin that is not listed', 403, 'origin-refused', 'POST', {}, { origin: 'https://evil.test' }],
  ])('%s is refused with %i %s', async (_, status, code, method, body, headers) => {
    const reply = await visitor.call(method, '/session', body, headers);
    expect([reply.status, reply.json.code]).toEqual([status, code]);
    expect(reply.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  });

  test('without a session nothing is told', async () => {
    const reply = await visitor.call('GET', '/conversations', undefined, { authorization: 'Bearer nobody' });
    expect([reply.status, reply.json.code]).toEqual([401, 'unauthenticated']);
  });

  test('a page of a listed origin may call', async () => {
    const preflight = await fetch(`${helper.base}/session`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe(origin);
    const { headers, status } = await openSession(helper, {}, { origin });
    expect([status, headers.get('access-control-allow-origin')]).toEqual([200, origin]);
  });

  test('a visitor chats in a browser', async () => {
    const page = await browser.newPage();
    const chat = findChat(page);
    await page.goto(helper.origin);
    // Next’s own page has the tag.
    await page.evaluate((base) => {
      if (document.querySelector('script[data-bot-id]')) return;
      const tag = document.createElement('script');
      Object.assign(tag, { src: `${base}/widget/loader.js` });
      tag.dataset.botId = 'bot-1';
      document.body.append(tag);
    }, helper.base);
    await chat.open();
    await chat.ask('Do you ship?');
    await chat.waitForAnswer('completed');
    expect(await chat.answers.last().innerText()).toContain('Hello there.');
    await page.close();
  });
});

test('in a page that Next has bundled the chat loads its app from the helper', async () => {
  const helper = await startMount('next', agent.url);
  const page = await browser.newPage();
  const errors: string[] = [];
  page.on('console', (line) => line.type() === 'error' && errors.push(line.text()));
  await page.goto(`${helper.origin}/bundled`);
  const box = page.locator('main porchlight-chat');
  await box.locator('textarea').fill('Do you ship?');
  await box.locator('textarea').press('Enter');
  await box.locator('[data-role="agent"][data-status="completed"]').getByText('Hello there.').waitFor();
  expect(errors).toEqual([]);
  await page.close();
  await helper.close();
}, 60_000);

test('the guide’s component for React is taken by strict TypeScript, with the guide’s declaration', () => {
  const guide = readFileSync('docs/site-owners.md', 'utf8');
  const [, component = ''] = /```jsx\n([\s\S]*?)```/.exec(guide) ?? [];
  const [, declaration = ''] =
    /```ts\n(import type[\s\S]*?declare module 'react'[\s\S]*?)```/.exec(guide) ?? [];
  expect(compileReact(component, declaration)).toBe('');
  expect(compileReact(component, 'export {};')).toContain('TS2339');
}, 60_000);

test('webpack, too, leaves the app to the helper', async () => {
  expect(await bundleByWebpack()).toEqual([]);
}, 60_000);

test.each(mountNames)(
  'on %s an address has its limit, and is told how long to wait',
  async (name) => {
    const helper = await startMount(name, agent.url, { PORCHLIGHT_LIMITS: 'on' });
    let refused: Awaited<ReturnType<typeof openSession>> | undefined;
    for (let count = 0; count < 100 && !refused; count += 1) {
      const reply = await openSession(helper);
      if (reply.status !== 200) refused = reply;
    }
    expect([refused?.status, refused?.json.code]).toEqual([429, 'rate-limited']);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    await helper.close();
  },
  60_000,
);

test('Fastify takes the plugin in strict TypeScript', () => {
  expect(compileMount('fastify')).toBe('');
}, 60_000);

/** What a browser gets before it unpacks it. */
async function fetchRaw(url: string, encoding: string) {
  const { get } = await import('node:http');
  return new Promise<{ type: string; encoding: string | undefined; bytes: Buffer }>((resolve, reject) => {
    get(url, { headers: { 'accept-encoding': encoding } }, async (response) => {
      const parts: Buffer[] = [];
      for await (const part of response) parts.push(part as Buffer);
      const { 'content-type': type = '', 'content-encoding': packed } = response.headers;
      resolve({ type, encoding: packed, bytes: Buffer.concat(parts) });
    }).on('error', reject);
  });
}
