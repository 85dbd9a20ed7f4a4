/** The bytes of an answer are good until they are handed on: whoever looks at them later shows another visitor's. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createMemoryStore } from '../../server-helper/store/memory.ts';
import { startFakeAgent } from '../support/fake-agent.ts';
import { createGate } from '../support/gate.ts';
import { startInside } from '../support/helper-inside.ts';
import { until } from '../support/helper-process.ts';
import { makeQuestion } from '../support/visitor.ts';

test('what another helper hears of a turn while the store is slow is that turn’s', async () => {
  const agent = await startFakeAgent();
  const inner = createMemoryStore();
  const listTurns: typeof inner.listTurns = async (...of) => {
    await sleep(20);
    return inner.listTurns(...of);
  };
  const store = { ...inner, listTurns };
  const [one, two] = [startInside(agent.url, { store }), startInside(agent.url, { store })];
  const gate = createGate();
  onTestFinished(async () => {
    gate.open();
    await Promise.all([one.stop(0), two.stop(0), agent.close()]);
  });
  const mine = 'mine, and mine alone ';
  agent.nextChat(async (answer) => {
    answer.open();
    agent.streaming.set(answer.chatId, async (told) => {
      told.open();
      told.event('delta', { text: mine });
      await gate.opened;
      told.end();
    });
    await gate.opened;
    answer.done(mine);
  });
  const session = await one.openSession();
  const path = `/conversations/${randomUUID()}/turns/${randomUUID()}`;
  const asked = one.send(session, 'PUT', path, { text: makeQuestion() }).then((reply) => reply.text());
  await until(() => agent.streaming.size > 0, 'it runs');
  const there = await two.send(session, 'GET', path);
  let heard = '';
  const decoder = new TextDecoder();
  for await (const bytes of there.body ?? []) {
    heard += decoder.decode(bytes, { stream: true });
    if (heard.includes('text-delta')) gate.open();
  }
  expect(heard).toContain(`event: text-delta\ndata: {"text":"${mine}"}\n`);
  expect(heard).toContain('event: turn-completed');
  await asked;
});
