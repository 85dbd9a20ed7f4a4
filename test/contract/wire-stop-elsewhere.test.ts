/** Clause 15: a Stop holds although another helper lets the turn run at that moment. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMemoryStore } from '../../server-helper/store/memory.ts';
import type { Store } from '../../server-helper/store/store.ts';
import { type FakeAgent, startFakeAgent } from '../support/fake-agent.ts';
import { createGate } from '../support/gate.ts';
import { startInside } from '../support/helper-inside.ts';
import { makePause, pauseWith } from '../support/pause.ts';
import { makeQuestion, toTurnPath } from '../support/visitor.ts';

let agent: FakeAgent;
beforeAll(async () => {
  agent = await startFakeAgent();
});
afterAll(() => agent.close());

test('a Stop whose turn another helper lets run before the stop is written stops it there', async () => {
  const shared = createMemoryStore();
  const approved = createGate();
  const stopping = createGate();
  // The first helper's own end of the pause comes to the store after the approval.
  const late: Store = {
    ...shared,
    async endTurn(conversationId, id, change, from) {
      if (change.status === 'stopped' && from.status === 'paused') {
        stopping.open();
        await approved.opened;
      }
      return shared.endTurn(conversationId, id, change, from);
    },
  };
  const one = startInside(agent.url, { store: late });
  const two = startInside(agent.url, { store: shared });
  const session = await one.openSession();
  const [conversationId, turnId] = [randomUUID(), randomUUID()];
  const path = toTurnPath(conversationId, turnId);
  agent.nextChat(pauseWith(makePause({ name: 'refund', parameters: {} })));
  await (await one.send(session, 'PUT', path, { text: makeQuestion() })).text();

  agent.nextResume(async (answer) => {
    answer.open();
    answer.event('delta', { text: 'It is ' });
    await answer.cancelled;
    answer.end();
  });
  const stop = one.send(session, 'DELETE', path);
  await stopping.opened;
  expect((await two.send(session, 'POST', `${path}/decision`, { decision: 'approve' })).status).toBe(202);
  approved.open();
  expect((await stop).status).toBe(204);
  for (const helper of [one, two])
    expect(await (await helper.send(session, 'GET', path)).text()).toContain('event: turn-stopped');
  expect((await shared.findTurn(conversationId, turnId))?.status).toBe('stopped');
  await one.stop();
  await two.stop();
});

test('what was said before a Stop at another helper is told there too, once its runner has added it', async () => {
  const shared = createMemoryStore();
  const mayAdd = createGate();
  const slow: Store = {
    ...shared,
    async endTurn(conversationId, id, change, from) {
      if (change.status === 'stopped' && from.status === 'stopped') await mayAdd.opened;
      return shared.endTurn(conversationId, id, change, from);
    },
  };
  const runner = startInside(agent.url, { store: slow });
  const other = startInside(agent.url, { store: shared });
  const session = await runner.openSession();
  const path = toTurnPath(randomUUID(), randomUUID());
  agent.nextChat(async (answer) => {
    answer.recordQuestion();
    answer.open();
    answer.event('delta', { text: 'It is ' });
    await answer.cancelled;
    answer.end();
  });
  const asked = await runner.send(session, 'PUT', path, { text: makeQuestion() });
  const reader = asked.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (let heard = ''; !heard.includes('It is '); ) heard += (await reader.read()).value;
  const read = async () => (await other.send(session, 'GET', path)).text();
  expect((await other.send(session, 'DELETE', path)).status).toBe(204);
  expect(await read()).toContain('event: turn-stopped');
  mayAdd.open();
  await expect.poll(read).toMatch(/turn-stopped[\s\S]*"text":"It is "/);
  await reader.cancel();
  await runner.stop();
  await other.stop();
});

test('of an approved answer that is stopped at another helper all that its runner has said stays', async () => {
  const store = createMemoryStore();
  const runner = startInside(agent.url, { store });
  const other = startInside(agent.url, { store });
  const session = await runner.openSession();
  const [conversationId, turnId] = [randomUUID(), randomUUID()];
  const path = toTurnPath(conversationId, turnId);
  agent.nextChat(pauseWith(makePause({ name: 'refund', parameters: {} })));
  await (await runner.send(session, 'PUT', path, { text: makeQuestion() })).text();
  const said = createGate();
  agent.nextResume(async (answer) => {
    answer.open();
    answer.event('delta', { text: 'It is ' });
    said.open();
    await answer.cancelled;
    answer.end();
  });
  expect((await runner.send(session, 'POST', `${path}/decision`, { decision: 'approve' })).status).toBe(202);
  await said.opened;
  const attached = await runner.send(session, 'GET', path);
  const reader = attached.body!.pipeThrough(new TextDecoderStream()).getReader();
  let heard = '';
  while (!heard.includes('It is ')) heard += (await reader.read()).value;
  expect((await other.send(session, 'DELETE', path)).status).toBe(204);
  for (let next = await reader.read(); !next.done; next = await reader.read()) heard += next.value;
  expect(heard).toMatch(/event: turn-stopped\n.*"text":"One moment. It is "/);
  await expect
    .poll(async () => (await store.findTurn(conversationId, turnId))?.answer)
    .toBe('One moment. It is ');
  await runner.stop();
  await other.stop();
});

test('a pause that was over while no helper ran keeps nobody from asking the next question', async () => {
  const store = createMemoryStore();
  const before = startInside(agent.url, { store });
  const session = await before.openSession();
  const [conversationId, turnId] = [randomUUID(), randomUUID()];
  agent.nextChat(pauseWith(makePause({ name: 'refund', parameters: {} })));
  const ask = (helper: typeof before, id: string) =>
    helper.send(session, 'PUT', toTurnPath(conversationId, id), { text: makeQuestion() });
  expect(await (await ask(before, turnId)).text()).toContain('event: turn-paused');
  await before.stop();
  const kept = JSON.parse((await store.findTurn(conversationId, turnId))?.pause ?? '');
  const pause = JSON.stringify({ ...kept, expiresAtMs: Date.now() - 1 });
  await store.endTurn(conversationId, turnId, { status: 'paused', pause }, { status: 'paused' });
  const after = startInside(agent.url, { store });
  expect(await (await ask(after, randomUUID())).text()).toContain('event: turn-completed');
  expect((await store.findTurn(conversationId, turnId))?.status).toBe('stopped');
  await after.stop();
});
