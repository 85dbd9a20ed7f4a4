/** Stop while a question is being taken back for another one: what is asked next waits for that, and stays. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../server-helper/store/memory.ts';
import { startFakeAgent } from '../support/fake-agent.ts';
import { createGate } from '../support/gate.ts';
import { startInside } from '../support/helper-inside.ts';
import { untilAsync } from '../support/helper-process.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { makeQuestion, toTurnPath, type Visitor } from '../support/visitor.ts';

const path = 'DELETE /v1/bot/chat/message/delete';
const folder = mkdtempSync(join(tmpdir(), 'porchlight-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each([
  ['memory', 'memory'],
  ['sqlite', `sqlite:${join(folder, 'store.db')}`],
])('a store in %s', (_, store) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig({ env: { PORCHLIGHT_STORE: store } });
  });
  afterAll(() => rig.close());
  afterEach(() => rig.agent.restore(path));

  /** Two answered questions, of which the second is asked anew and stopped while the agent deletes it. */
  async function stopWhileTakenBack(visitor: Visitor) {
    const [first, second] = [makeQuestion(), makeQuestion()];
    const { conversationId } = await visitor.chat(first);
    const { turnId } = await visitor.chat(second, conversationId);
    const [deleting, deleted] = [createGate(), createGate()];
    rig.agent.override(path, async (call, response, usual) => {
      deleting.open();
      await deleted.opened;
      return usual(call, response);
    });
    const stopped = randomUUID();
    const stream = await visitor.ask(conversationId, stopped, { text: makeQuestion(), replaces: turnId });
    await deleting.opened;
    await visitor.call('DELETE', `/conversations/${conversationId}/turns/${stopped}`);
    (await stream.whole()).ended('turn-stopped');
    return { first, second, conversationId, stopped, deleted };
  }
  const readQuestions = async (visitor: Visitor, conversationId: string) =>
    (await visitor.history(conversationId)).messages
      .filter(({ role }) => role === 'visitor')
      .map(({ text }) => text);

  test('the next question is asked once that is done, is answered, and stays', async () => {
    const visitor = await rig.visit();
    const { first, second, conversationId, deleted } = await stopWhileTakenBack(visitor);
    const next = makeQuestion();
    const asked = await visitor.ask(conversationId, randomUUID(), next);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(rig.agent.chatsAbout(next)).toHaveLength(0);
    deleted.open();
    (await asked.whole()).ended('turn-completed');
    const told = await readQuestions(visitor, conversationId);
    expect([told[0], told.at(-1)]).toEqual([first, next]);
    expect(told).not.toContain(second);
    expect(rig.agent.callsTo('DELETE /v1/bot/chat/delete')).toEqual([]);
  });

  test('the next question may take the place of the stopped one', async () => {
    const visitor = await rig.visit();
    const { first, conversationId, stopped, deleted } = await stopWhileTakenBack(visitor);
    const next = makeQuestion();
    const body = { text: next, replaces: stopped };
    const asked = await visitor.ask(conversationId, randomUUID(), body);
    deleted.open();
    (await asked.whole()).ended('turn-completed');
    expect(await readQuestions(visitor, conversationId)).toEqual([first, next]);
  });

  test('a question that was stopped while the record was read takes nothing back', async () => {
    const visitor = await rig.visit();
    const [first, second] = [makeQuestion(), makeQuestion()];
    const { conversationId } = await visitor.chat(first);
    const { turnId } = await visitor.chat(second, conversationId);
    const [reading, stopped] = [createGate(), createGate()];
    rig.agent.override('GET /v1/bot/chat/read', async (call, response, usual) => {
      reading.open();
      await stopped.opened;
      return usual(call, response);
    });
    const before = rig.agent.callsTo(path).length;
    const id = randomUUID();
    const stream = await visitor.ask(conversationId, id, { text: makeQuestion(), replaces: turnId });
    await reading.opened;
    await visitor.call('DELETE', `/conversations/${conversationId}/turns/${id}`);
    stopped.open();
    (await stream.whole()).ended('turn-stopped');
    rig.agent.restore('GET /v1/bot/chat/read');
    const next = makeQuestion();
    (await (await visitor.ask(conversationId, randomUUID(), next)).whole()).ended('turn-completed');
    expect(rig.agent.callsTo(path)).toHaveLength(before);
    await untilAsync(async () => (await readQuestions(visitor, conversationId)).at(-1) === next, 'it stays');
  });
});

test('asked at another helper, the next question waits for what the first one takes back', async () => {
  const agent = await startFakeAgent();
  const store = createMemoryStore();
  const [one, two] = [startInside(agent.url, { store }), startInside(agent.url, { store })];
  const session = await one.openSession();
  const conversationId = randomUUID();
  const ask = (helper: typeof one, body: object) => {
    const turnId = randomUUID();
    const path = toTurnPath(conversationId, turnId);
    return { turnId, path, reply: helper.send(session, 'PUT', path, body) };
  };
  const [first, second, next] = [makeQuestion(), makeQuestion(), makeQuestion()];
  await (await ask(one, { text: first }).reply).text();
  const replaced = ask(one, { text: second });
  await (await replaced.reply).text();
  const [deleting, deleted] = [createGate(), createGate()];
  agent.override(path, async (call, response, usual) => {
    deleting.open();
    await deleted.opened;
    return usual(call, response);
  });
  const stopped = ask(one, { text: makeQuestion(), replaces: replaced.turnId });
  await deleting.opened;
  expect((await two.send(session, 'DELETE', stopped.path)).status).toBe(204);
  const asked = ask(two, { text: next });
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(agent.chatsAbout(next)).toHaveLength(0);
  deleted.open();
  expect(await (await asked.reply).text()).toContain('event: turn-completed');
  await (await stopped.reply).text();
  const read = await one.send(session, 'GET', `/conversations/${conversationId}`);
  const { messages } = (await read.json()) as { messages: { role: string; text: string }[] };
  const texts = messages.filter(({ role }) => role === 'visitor').map(({ text }) => text);
  expect([texts[0], texts.at(-1)]).toEqual([first, next]);
  expect(texts).not.toContain(second);
  await Promise.all([one.stop(), two.stop()]);
  await agent.close();
});
