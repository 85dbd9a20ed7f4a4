/** Clauses 5 and 40: an operator's deploy. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakeAgent, sendJson, startFakeAgent } from '../support/fake-agent.ts';
import { createGate } from '../support/gate.ts';
import { startHelper, until, untilAsync } from '../support/helper-process.ts';
import { callHelper, createVisitor, makeQuestion, Visitor } from '../support/visitor.ts';

let agent: FakeAgent;
let folder: string;
beforeAll(async () => {
  agent = await startFakeAgent();
  folder = await mkdtemp(join(tmpdir(), 'porchlight-'));
});
afterAll(async () => {
  await agent.close();
  await rm(folder, { recursive: true, force: true });
});

test('clause 5: on SIGTERM a running turn drains, new requests get 503, and the exit code is 0', async () => {
  const helper = await startHelper({ agentUrl: agent.url });
  const visitor = await createVisitor(helper);
  let finish = () => {};
  agent.nextChat(async (answer) => {
    answer.open();
    answer.event('delta', { text: 'Still ' });
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    answer.event('delta', { text: 'here.' });
    answer.done('Still here.');
  });
  const stream = await visitor.ask(randomUUID(), randomUUID(), makeQuestion());
  await stream.untilText('Still ');

  helper.child.kill('SIGTERM');
  await untilAsync(async () => {
    const { status, json } = await callHelper(helper, 'POST', '/session', {});
    if (status === 503) expect(json.code).toBe('shutting-down');
    return status === 503;
  }, 'new requests are refused');
  expect(helper.child.exitCode).toBeNull();
  // Ctrl-C may reach it twice.
  helper.child.kill('SIGINT');
  helper.child.kill('SIGTERM');
  await new Promise((resolve) => setTimeout(resolve, 100));
  finish();
  await stream.whole();
  expect(stream.ended('turn-completed').message.text).toBe('Still here.');
  expect(await helper.exited).toEqual({ code: 0, signal: null });
  await helper.close();
});

test('clause 40: what is in flight at SIGTERM is answered, and what comes then is 503 that a listed page can read', async () => {
  const origin = 'https://shop.test';
  const env = { PORCHLIGHT_ORIGINS: origin };
  const helper = await startHelper({ agentUrl: agent.url, env });
  const visitor = await createVisitor(helper);
  const { conversationId } = await visitor.chat();
  const gate = createGate();
  let isAsked = false;
  agent.override('GET /v1/bot/chat/read', async (_, response) => {
    isAsked = true;
    await gate.opened;
    // Longer than a socket takes at once, so that the last bytes leave after the helper is done.
    sendJson(response, {
      total: 1,
      conversation: [{ uuid: randomUUID(), role: 'user', content: 'x'.repeat(2_000_000) }],
    });
  });
  const inFlight = visitor.history(conversationId);
  await until(() => isAsked, 'the agent is asked');
  helper.child.kill('SIGTERM');
  await until(() => /stopping/.test(helper.output), 'the helper stops');

  const late = await callHelper(helper, 'GET', '/conversations', undefined, { ...visitor.headers(), origin });
  expect([late.status, late.json.code]).toEqual([503, 'shutting-down']);
  expect(late.headers.get('access-control-allow-origin')).toBe(origin);
  expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0);
  const preflight = await callHelper(helper, 'OPTIONS', '/conversations', undefined, { origin });
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, origin]);
  const foreign = await callHelper(helper, 'GET', '/conversations', undefined, {
    origin: 'https://evil.test',
  });
  expect([foreign.status, foreign.headers.get('access-control-allow-origin')]).toEqual([403, null]);
  expect((await fetch(`${helper.origin}/healthz`)).status).toBe(200);
  expect((await fetch(`${helper.origin}/readyz`)).status).toBe(503);

  gate.open();
  expect((await inFlight).messages[0]?.text).toHaveLength(2_000_000);
  expect(await helper.exited).toEqual({ code: 0, signal: null });
  agent.restore('GET /v1/bot/chat/read');
  await helper.close();
});

test('clause 40: an export that is on its way at SIGTERM arrives whole', async () => {
  const helper = await startHelper({ agentUrl: agent.url });
  const visitor = await createVisitor(helper);
  for (let n = 0; n < 3; n += 1) await visitor.chat();
  const gate = createGate();
  let reads = 0;
  agent.override('GET /v1/bot/chat/read', async (_, response) => {
    reads += 1;
    if (reads > 1) await gate.opened;
    sendJson(response, { total: 0, conversation: [] });
  });
  const response = await fetch(`${helper.base}/visitor`, { headers: visitor.headers() });
  await until(() => reads > 1, 'the second conversation is read');
  helper.child.kill('SIGTERM');
  await until(() => /stopping/.test(helper.output), 'the helper stops');
  await new Promise((resolve) => setTimeout(resolve, 200));
  gate.open();
  expect(((await response.json()) as { conversations: unknown[] }).conversations).toHaveLength(3);
  expect(await helper.exited).toEqual({ code: 0, signal: null });
  agent.restore('GET /v1/bot/chat/read');
  await helper.close();
});

test('clause 5: a turn that does not end in time is handed over: its reader comes back to the next process', async () => {
  const env = { PORCHLIGHT_STORE: `sqlite:${join(folder, 'handover.db')}` };
  const first = await startHelper({ agentUrl: agent.url, env, movableClock: true });
  const visitor = await createVisitor(first);
  const [conversationId, turnId, question] = [randomUUID(), randomUUID(), makeQuestion()];
  let chatId = '';
  agent.nextChat(async (answer) => {
    chatId = answer.chatId;
    answer.recordQuestion();
    answer.open();
    answer.event('delta', { text: 'One ' });
    await answer.closed;
  });
  const stream = await visitor.ask(conversationId, turnId, question);
  await stream.untilText('One ');
  first.child.kill('SIGTERM');
  await until(() => /stopping/.test(first.output), 'the helper stops');
  // From here on its clock can no longer be asked whether it moved: it may be gone before it answers.
  while (first.child.exitCode === null && first.child.connected) {
    first.child.send({ advanceMs: 1000 }, () => {});
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  expect(await first.exited).toEqual({ code: 0, signal: null });
  await until(() => stream.cut || stream.closed, 'the reader is let go');
  expect(stream.events.map((event) => event.kind)).toEqual(['turn-started', 'text-delta']);
  await first.close();

  agent.streaming.set(chatId, (answer) => {
    answer.open();
    answer.event('delta', { text: 'One ' });
    answer.event('delta', { text: 'two.' });
    agent.streaming.delete(chatId);
    answer.event('done', { chat: { reply: 'One two.', agent: answer.recordReply('One two.'), sources: [] } });
    answer.end();
  });
  const second = await startHelper({ agentUrl: agent.url, env });
  const back = await new Visitor(second, visitor.session, visitor.reply).attach(conversationId, turnId);
  await back.whole();
  expect(back.ended('turn-completed').message.text).toBe('One two.');
  expect(back.text).toBe('One two.');
  expect(agent.chatsAbout(question)).toHaveLength(1);
  await second.close();
});
