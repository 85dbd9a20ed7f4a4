/** Moments that no process can be held at: a helper within the test, over a store whose answers come late. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { HelperOptions } from '../../server-helper/index.ts';
import { createMemoryStore } from '../../server-helper/store/memory.ts';
import { type FakeAgent, startFakeAgent } from '../support/fake-agent.ts';
import { createGate } from '../support/gate.ts';
import { startInside } from '../support/helper-inside.ts';
import { untilAsync } from '../support/helper-process.ts';

let agent: FakeAgent;
beforeAll(async () => {
  agent = await startFakeAgent();
});
afterAll(() => agent.close());

async function start(options: Pick<HelperOptions, 'store' | 'workspace'>) {
  const { send, openSession, stop } = startInside(agent.url, options);
  const session = await openSession();
  const conversationId = randomUUID();
  return {
    send: (method: string, path: string, body?: object) => send(session, method, path, body),
    path: `/conversations/${conversationId}/turns/${randomUUID()}`,
    history: `/conversations/${conversationId}`,
    stop,
  };
}

test('a reader who comes while the store is slow to begin a turn does not keep it from being asked', async () => {
  const inner = createMemoryStore();
  const gate = createGate();
  let isBegun = false;
  const beginTurn: typeof inner.beginTurn = async (...values) => {
    const begun = await inner.beginTurn(...values);
    isBegun = true;
    await gate.opened;
    return begun;
  };
  const { send, path, stop } = await start({ store: { ...inner, beginTurn } });
  const question = `A question ${randomUUID()}`;
  const asking = send('PUT', path, { text: question });
  await untilAsync(async () => isBegun, 'the turn is in the store');
  const reader = await send('GET', path);
  gate.open();
  expect(await (await asking).text()).toContain('turn-completed');
  expect(agent.chatsAbout(question)).toHaveLength(1);
  // It was cut off, and would come again.
  await reader.body?.cancel().catch(() => {});
  await stop();
});

test('a function may name the workspace later', async () => {
  const uuid = randomUUID();
  const { send, path, stop } = await start({
    store: createMemoryStore(),
    workspace: async () => uuid,
  });
  expect(await (await send('PUT', path, { text: 'Where?' })).text()).toContain('turn-completed');
  expect(agent.callsTo('POST /v1/bot/chat').at(-1)?.body.workspace_uuid).toBe(uuid);
  await stop();
});
