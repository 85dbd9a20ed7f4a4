/** A site's challenge of guests: asked once, before the first question, and whoever fails it costs nothing. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Challenge } from '../../server-helper/auth/challenge.ts';
import { createMemoryStore } from '../../server-helper/store/memory.ts';
import { startFakeAgent } from '../support/fake-agent.ts';
import { createGate } from '../support/gate.ts';
import { startInside } from '../support/helper-inside.ts';
import { secrets } from '../support/helper-process.ts';
import { makeQuestion, makeSsoToken, toTurnPath } from '../support/visitor.ts';

const agent = await startFakeAgent();
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
  for (const close of closers.splice(0)) await close();
});

function start(challenge: Challenge, more: Partial<Parameters<typeof startInside>[1]> = {}) {
  const helper = startInside(agent.url, {
    store: createMemoryStore(),
    ssoSecret: secrets.ssoSecret,
    ...more,
    challenge,
  });
  closers.push(helper.stop);
  async function ask(session: string, context?: object, question = makeQuestion()) {
    const reply = await helper.send(session, 'PUT', toTurnPath(randomUUID(), randomUUID()), {
      text: question,
      ...(context && { page: { url: 'https://shop.test/', context } }),
    });
    const text = await reply.text();
    return { status: reply.status, text, calls: agent.chatsAbout(question) };
  }
  return { ...helper, ask };
}

const refused = { status: 403, text: expect.stringContaining('"challenge-failed"'), calls: [] };
const answered = { status: 200, text: expect.stringContaining('turn-completed') };

test('a guest is asked until one response is right, and then no more, by whatever process', async () => {
  const seen: (string | undefined)[] = [];
  const store = createMemoryStore();
  const challenge: Challenge = ({ response }) => seen.push(response) > 0 && response === 'right';
  const helper = start(challenge, { store });
  const guest = await helper.openSession();
  expect(await helper.ask(guest)).toEqual(refused);
  expect(await helper.ask(guest, { challenge: 7 })).toEqual(refused);
  expect(await helper.ask(guest, { challenge: 'wrong' })).toEqual(refused);
  expect(await helper.ask(guest, { challenge: 'right' })).toMatchObject(answered);
  expect(await helper.ask(guest)).toMatchObject(answered);
  expect(await start(challenge, { store }).ask(guest)).toMatchObject(answered);
  expect(seen).toEqual([undefined, undefined, 'wrong', 'right']);
  expect(await helper.ask(await helper.openSession())).toEqual(refused);
});

test('a guest who has passed asks, though the store could not note it', async () => {
  const store = createMemoryStore();
  const replace = vi.spyOn(store, 'replace').mockRejectedValue(new Error('locked'));
  const helper = start(({ response }) => response === 'right', { store });
  const guest = await helper.openSession();
  expect(await helper.ask(guest, { challenge: 'right' })).toMatchObject(answered);
  expect(replace).toHaveBeenCalledOnce();
  replace.mockRestore();
  expect(await helper.ask(guest, { challenge: 'right' })).toMatchObject(answered);
  expect(await helper.ask(guest)).toMatchObject(answered);
});

test('the agent is told what else the page says, and not the response', async () => {
  const helper = start(() => true);
  const { calls } = await helper.ask(await helper.openSession(), {
    challenge: 'secret-response',
    plan: 'pro',
  });
  const sent = JSON.stringify(calls);
  expect(sent).toContain('pro');
  expect(sent).not.toContain('secret-response');
  expect(sent).not.toContain('challenge');
});

test('who is signed in is not asked', async () => {
  const helper = start(() => false);
  const reply = await helper.send('', 'POST', '/session', { ssoToken: makeSsoToken() });
  const { session } = (await reply.json()) as { session: string };
  expect(await helper.ask(session)).toMatchObject(answered);
});

test('who has had everything erased is asked again', async () => {
  let count = 0;
  const helper = start(() => {
    count += 1;
    return true;
  });
  const guest = await helper.openSession();
  await helper.ask(guest);
  expect((await helper.send(guest, 'DELETE', '/visitor')).status).toBe(204);
  await helper.ask(guest);
  expect(count).toBe(2);
});

test('two questions at once are one challenge, whose response is good once', async () => {
  let count = 0;
  const gate = createGate();
  const helper = start(async () => {
    count += 1;
    await gate.opened;
    return count === 1;
  });
  const guest = await helper.openSession();
  const both = [helper.ask(guest, { challenge: 'one' }), helper.ask(guest, { challenge: 'one' })];
  await vi.waitFor(() => expect(count).toBe(1));
  gate.open();
  for (const one of await Promise.all(both)) expect(one).toMatchObject(answered);
  expect(count).toBe(1);
});

test('a question without the response does not refuse the one that brings it at the same moment', async () => {
  const gate = createGate();
  const seen: unknown[] = [];
  const helper = start(async ({ response }) => {
    seen.push(response);
    await gate.opened;
    return response === 'right';
  });
  const guest = await helper.openSession();
  const both = [helper.ask(guest), helper.ask(guest, { challenge: 'right' })];
  await vi.waitFor(() => expect(new Set(seen)).toEqual(new Set([undefined, 'right']))); // in either order
  gate.open();
  const [without, with_] = await Promise.all(both);
  expect(without!.status).toBe(403);
  expect(with_).toMatchObject({ status: 200, text: expect.stringContaining('turn-completed') });
});

describe('what gives no answer refuses, and is told', () => {
  const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  test('one that throws', async () => {
    const helper = start(() => Promise.reject(Object.assign(new Error('no'), { code: 'ECONNREFUSED' })), {
      log,
    });
    expect(await helper.ask(await helper.openSession(), { challenge: 'one' })).toEqual(refused);
    expect(log.error).toHaveBeenCalledWith({ cause: 'econnrefused' }, 'the challenge gave no answer');
  });

  test('one that says something else than true', async () => {
    const helper = start(() => 'yes' as never);
    expect(await helper.ask(await helper.openSession())).toEqual(refused);
  });

  test('one that hangs, after 10 seconds, and it hears of that', async () => {
    let signal: AbortSignal | undefined;
    const helper = start(
      (about) => {
        signal = about.signal;
        return new Promise(() => {});
      },
      { log },
    );
    const guest = await helper.openSession();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const asking = helper.ask(guest);
    await vi.waitFor(() => expect(signal?.aborted).toBe(false));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await asking).toEqual(refused);
    expect(signal?.aborted).toBe(true);
  });
});

test('who fails it uses up nothing that other guests have, and is held by the visitor’s own limit', async () => {
  const limits = { guestsPerMinute: 2, visitorPerMinute: 6 };
  const helper = start(({ response }) => response === 'right', { limits });
  const robot = await helper.openSession();
  for (let count = 0; count < 3; count += 1) expect(await helper.ask(robot)).toEqual(refused);
  expect(await helper.ask(robot)).toMatchObject({ status: 429 });
  const guest = await helper.openSession();
  expect(await helper.ask(guest, { challenge: 'right' })).toMatchObject(answered);
});

test('the guide’s example asks Turnstile, and takes what it says', async () => {
  const page = readFileSync('docs/operation.md', 'utf8');
  const [, snippet = ''] = /^## A challenge for guests$[\s\S]*?^```js\n([\s\S]*?)^```$/m.exec(page) ?? [];
  const { challenge } = (await import(`data:text/javascript,${encodeURIComponent(snippet)}`)) as {
    challenge: Challenge;
  };
  vi.stubEnv('TURNSTILE_SECRET', 'secret-of-the-site');
  const asked: string[] = [];
  vi.stubGlobal('fetch', async (url: string, { method, body }: { method: string; body: URLSearchParams }) => {
    asked.push(`${method} ${url} ${body}`);
    return Response.json({ success: body.get('response') === 'of-a-person' });
  });
  const helper = start(challenge);
  const guest = await helper.openSession();
  expect(await helper.ask(guest)).toEqual(refused);
  expect(await helper.ask(guest, { challenge: 'of-a-robot' })).toEqual(refused);
  expect(await helper.ask(guest, { challenge: 'of-a-person' })).toMatchObject(answered);
  expect(asked.at(-1)).toBe(
    'POST https://challenges.cloudflare.com/turnstile/v0/siteverify secret=secret-of-the-site&response=of-a-person',
  );
});
