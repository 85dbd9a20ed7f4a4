/** What a wrong or hanging agent, an erased or merged visitor and a second bot may not cost. */
import { createHmac, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendJson } from '../support/fake-agent.ts';
import { createGate } from '../support/gate.ts';
import { secrets, startHelper, until } from '../support/helper-process.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { makeQuestion, makeSsoToken, openSession, toTurnPath, type Visitor } from '../support/visitor.ts';

let rig: Rig;
let visitor: Visitor;
beforeAll(async () => {
  rig = await startRig({ env: { PORCHLIGHT_WORKSPACE: 'visitor' } });
  visitor = await rig.visit();
});
afterAll(() => rig.close());

const reads = () => rig.agent.callsTo('GET /v1/bot/chat/read').length;

test('an agent that counts wrongly is asked a few times, and an export ends', async () => {
  const { conversationId, turnId } = await visitor.chat();
  rig.agent.override('GET /v1/bot/chat/read', (_, response) =>
    sendJson(response, { total: 1e9, conversation: [], pagination: { total: 1e9 } }),
  );
  const before = reads();
  const body = { text: makeQuestion(), replaces: turnId };
  const stream = await (await visitor.ask(conversationId, randomUUID(), body)).whole();
  stream.ended('turn-failed');
  expect((await visitor.call('GET', '/visitor')).status).toBe(200);
  expect(reads() - before).toBeLessThan(20);
  rig.agent.restore('GET /v1/bot/chat/read');
});

test('reading back through a long record is one call a page, and ends', async () => {
  const { conversationId } = await visitor.chat();
  const message = (index: number) => ({
    uuid: `m-${index}`,
    role: index % 2 === 0 ? 'user' : 'system',
    content: `text ${index}`,
    created_at: new Date(index * 1000).toISOString(),
  });
  rig.agent.override('GET /v1/bot/chat/read', ({ query }, response) => {
    const [page, each] = [Number(query.page), Number(query.per_page)];
    const conversation = Array.from({ length: each }, (_, index) => message((page - 1) * each + index));
    sendJson(response, { total: 10_000, conversation });
  });
  const before = reads();
  const body = { text: makeQuestion(), replaces: randomUUID() };
  await (await visitor.ask(conversationId, randomUUID(), body)).whole();
  expect(reads() - before).toBeLessThanOrEqual(5);
  rig.agent.restore('GET /v1/bot/chat/read');
});

test('a visitor who is erased while the workspace is made leaves none behind', async () => {
  const other = await rig.visit();
  const gate = createGate();
  rig.agent.override('POST /v1/bot/workspace/create', async (_, response) => {
    await gate.opened;
    sendJson(response, { workspace: { uuid: 'w-late' } }, 201);
  });
  const asked = await other.ask(randomUUID(), randomUUID(), makeQuestion());
  await until(
    () => rig.agent.callsTo('POST /v1/bot/workspace/create').length > 0,
    'the workspace is asked for',
  );
  expect((await other.call('DELETE', '/visitor')).status).toBe(204);
  gate.open();
  await asked.whole();
  const isDeleted = () =>
    rig.agent
      .callsTo('DELETE /v1/bot/workspace/delete')
      .some(({ query }) => query.workspace_uuid === 'w-late');
  await until(isDeleted, 'the workspace is deleted', 18_000);
  rig.agent.restore('POST /v1/bot/workspace/create');
});

test('a guest conversation that is deleted after sign-in leaves the visitor’s own workspace alone', async () => {
  const guest = await rig.visit();
  const first = await guest.chat();
  const token = () => makeSsoToken({ email: 'mia@shop.test' });
  const mia = await rig.visit({ ssoToken: token() });
  const question = makeQuestion();
  await mia.chat(question);
  const own = rig.agent.chatsAbout(question)[0]?.body.workspace_uuid;
  await openSession(rig.helper, { ssoToken: token(), session: guest.session });
  expect((await mia.call('DELETE', `/conversations/${first.conversationId}`)).status).toBe(204);
  const next = makeQuestion();
  await mia.chat(next);
  expect(rig.agent.chatsAbout(next)[0]?.body.workspace_uuid).toBe(own);
});

test('a stop while the record is looked through takes nothing back', async () => {
  const { conversationId, turnId, question } = await visitor.chat();
  const gate = createGate();
  const chatId = String(rig.agent.chatsAbout(question)[0]?.body.chat_id);
  rig.agent.override('GET /v1/bot/chat/read', async (_, response) => {
    await gate.opened;
    const conversation = rig.agent.records.get(chatId) ?? [];
    sendJson(response, { total: conversation.length, conversation });
  });
  const next = randomUUID();
  const body = { text: makeQuestion(), replaces: turnId };
  const stream = await visitor.ask(conversationId, next, body);
  expect((await visitor.call('DELETE', toTurnPath(conversationId, next))).status).toBe(204);
  await stream.whole();
  gate.open();
  rig.agent.restore('GET /v1/bot/chat/read');
  const { messages } = await visitor.history(conversationId);
  expect(messages.map(({ text }) => text)).toEqual([question, 'Hello there.', body.text, '']);
});

test('an agent that hangs when it is told who is there keeps nobody waiting for long', async () => {
  rig.agent.override('POST /v1/bot/widget/sso', () => {});
  const begun = performance.now();
  expect((await openSession(rig.helper, { ssoToken: makeSsoToken() })).status).toBe(200);
  expect(performance.now() - begun).toBeLessThan(10_000);
  rig.agent.restore('POST /v1/bot/widget/sso');
});

test('an event counts as a repeat for its own bot alone', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'porchlight-'));
  const env = {
    PORCHLIGHT_WEBHOOK_SECRET: secrets.webhookSecret,
    PORCHLIGHT_STORE: `sqlite:${join(folder, 'store.db')}`,
  };
  const [one, two] = await Promise.all(
    ['bot-1', 'bot-2'].map((bot) =>
      startHelper({ agentUrl: rig.agent.url, env: { ...env, PORCHLIGHT_BOT_ID: bot } }),
    ),
  );
  const event = JSON.stringify({ event: 'subscriber.joined', resource_id: randomUUID() });
  const signature = createHmac('sha256', secrets.webhookSecret).update(event).digest('hex');
  for (const helper of [one, two]) {
    const headers = { 'content-type': 'application/json', 'x-service-signature': signature };
    const response = await helper?.fetch('/webhooks/agent', { method: 'POST', body: event, headers });
    expect(response?.status).toBe(204);
    await until(() => helper?.output.includes('agent event received') === true, 'the event is handed over');
    await helper?.close();
  }
  await rm(folder, { recursive: true, force: true });
});

test('clause 17: a reply that is told again in other words does not go on for ever', async () => {
  const conversationId = randomUUID();
  rig.agent.nextChat((answer) => {
    answer.open();
    answer.event('delta', { text: 'Boots can be returned within 30 days, and tents within 60, ' });
    const { chatId } = answer;
    rig.agent.streaming.set(chatId, async (again) => {
      again.open();
      const isOpen = () => !again.response.destroyed;
      for (let times = 0; isOpen() && times < 200; times += 1) {
        again.event('delta', { text: 'z'.repeat(60_000) });
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      await again.closed;
      rig.agent.streaming.delete(chatId);
    });
    setTimeout(() => answer.reset(), 50);
  });
  const { stream } = await visitor.chat(makeQuestion(), conversationId);
  expect(stream.ended('turn-failed').code).toBe('too-large');
});
