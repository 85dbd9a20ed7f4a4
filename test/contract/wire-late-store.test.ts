/** What the store takes late, or not for a while: a stop stays a stop, and a decision is carried out once. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createMemoryStore } from '../../server-helper/store/memory.ts';
import type { Store } from '../../server-helper/store/store.ts';
import { createLeases } from '../../server-helper/turns/leases.ts';
import { type FakeAgent, startFakeAgent } from '../support/fake-agent.ts';
import { createGate } from '../support/gate.ts';
import { startInside } from '../support/helper-inside.ts';
import { secrets, untilAsync } from '../support/helper-process.ts';
import { makePause, pauseWith, resumeWith } from '../support/pause.ts';
import { toConversation, toTurn } from '../support/records.ts';
import { makeSsoToken } from '../support/visitor.ts';

let agent: FakeAgent;
beforeAll(async () => {
  agent = await startFakeAgent();
});
afterAll(() => agent.close());

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A visitor with a turn to put, at a helper over a store of which the test has changed what it says. */
async function start(change: (inner: Store) => Partial<Store>) {
  const inner = createMemoryStore();
  const { send, openSession, stop } = startInside(agent.url, { store: { ...inner, ...change(inner) } });
  stops.push(stop);
  const session = await openSession();
  const history = `/conversations/${randomUUID()}`;
  const path = `${history}/turns/${randomUUID()}`;
  const call = (method: string, to: string, body?: object) => send(session, method, to, body);
  return {
    call,
    path,
    ask: async (text: string, to = path) => (await call('PUT', to, { text })).text(),
    next: (text: string) =>
      call('PUT', `${history}/turns/${randomUUID()}`, { text }).then(
        async (one) => `${one.status} ${await one.text()}`,
      ),
    read: async () =>
      (await call('GET', history)).json() as Promise<{
        messages: { text: string; status: string }[];
        liveTurn?: object;
      }>,
  };
}

test('a stop whose note for other helpers is late is a stop, though the agent ends the answer regularly by then', async () => {
  const { call, path, ask, read } = await start((inner) => ({
    async remember(...values) {
      await sleep(400);
      return inner.remember(...values);
    },
  }));
  agent.nextChat(async (answer) => {
    answer.open();
    answer.event('delta', { text: 'Half of ' });
    await answer.cancelled;
    answer.done('Half of ');
  });
  const asked = ask('A question that is stopped');
  await untilAsync(
    async () =>
      (await read()).liveTurn !== undefined && agent.chatsAbout('A question that is stopped').length > 0,
    'it is asked',
  );
  await sleep(100);
  expect((await call('DELETE', path)).status).toBe(204);
  const told = await asked;
  expect(told).toContain('event: turn-stopped');
  expect(told).not.toContain('turn-completed');
  expect((await read()).messages.at(-1)).toMatchObject({ text: 'Half of ', status: 'stopped' });
});

const pause = makePause({ name: 'refund', parameters: { amount: 90 } });

/** A store that does not take ends for a while. */
function closable() {
  const state = { isShut: false };
  const change = (inner: Store): Partial<Store> => ({
    async endTurn(...values) {
      if (state.isShut) throw new Error('the disk is full');
      return inner.endTurn(...values);
    },
  });
  return { state, change };
}

test('a pause that the store did not take yet cannot be decided, and is decided once when it has', async () => {
  const { state, change } = closable();
  const { call, path, ask } = await start(change);
  state.isShut = true;
  agent.nextChat(pauseWith(pause));
  expect(await ask('Refund it')).toContain('turn-paused');
  const before = agent.callsTo('POST /v1/bot/chat/execute-tool').length;
  const early = await call('POST', `${path}/decision`, { decision: 'approve' });
  expect(early.status).toBe(500);
  state.isShut = false;
  agent.nextResume(resumeWith('Refunded.'));
  expect((await call('POST', `${path}/decision`, { decision: 'approve' })).status).toBe(202);
  expect(await (await call('GET', path)).text()).toContain('turn-completed');
  expect((await call('POST', `${path}/decision`, { decision: 'approve' })).status).toBe(409);
  expect(agent.callsTo('POST /v1/bot/chat/execute-tool')).toHaveLength(before + 1);
});

test('a stop of a pause that the store did not take yet stands once it has, and the next question is answered', async () => {
  const { state, change } = closable();
  const { call, path, ask, next, read } = await start(change);
  state.isShut = true;
  agent.nextChat(pauseWith(pause));
  expect(await ask('Refund that')).toContain('turn-paused');
  expect((await call('DELETE', path)).status).toBe(204);
  expect(await (await call('GET', path)).text()).toContain('turn-stopped');
  state.isShut = false;
  expect(await next('And then?')).toMatch(/^200 [\s\S]*turn-completed/);
  const { messages, liveTurn } = await read();
  expect(liveTurn).toBeUndefined();
  expect(messages[1]).toMatchObject({ text: 'One moment. ', status: 'stopped' });
});

test('a stop that the store takes late, when a decision has let the turn run, is a stop, and the next question is answered', async () => {
  const [isDeciding, isStopping, isResumed] = [createGate(), createGate(), createGate()];
  const { call, path, ask, next, read } = await start((inner) => ({
    async resumeTurn(...values) {
      isDeciding.open();
      await isStopping.opened;
      const resumed = await inner.resumeTurn(...values);
      isResumed.open();
      return resumed;
    },
    async endTurn(...values) {
      if (values[2].status === 'stopped') {
        isStopping.open();
        await isResumed.opened;
        // More than a visitor waits.
        await sleep(1_300);
      }
      return inner.endTurn(...values);
    },
  }));
  agent.nextChat(pauseWith(pause));
  expect(await ask('Refund this')).toContain('turn-paused');
  const decided = call('POST', `${path}/decision`, { decision: 'approve' });
  await isDeciding.opened;
  expect((await call('DELETE', path)).status).toBe(204);
  await decided;
  await untilAsync(async () => (await read()).liveTurn === undefined, 'the turn is over');
  expect(await (await call('GET', path)).text()).toContain('turn-stopped');
  expect(await next('And then?')).toMatch(/^200 [\s\S]*turn-completed/);
});

/** A turn that helper `one` runs, and how `two` looks at it. The clock stands still until the test moves it. */
async function startLeased(startMs: number) {
  const clock = { now: startMs, monotonic: 0 };
  const store = createMemoryStore(() => clock.now);
  const log = { info() {}, warn() {}, error() {} };
  const watch = { isHere: () => true, onLost: async () => {}, onHeld: async () => {} };
  const parts = { store, log, now: () => clock.now, monotonicNow: () => clock.monotonic };
  const [one, two] = [createLeases(parts, 'one', watch), createLeases(parts, 'two', watch)];
  const conversation = toConversation();
  const { runner, until: leaseUntil } = one.make();
  const turn = toTurn(conversation.id, { runner, leaseUntil });
  await store.beginTurn(conversation, turn);
  return {
    clock,
    store,
    turn,
    release: one.release,
    pass(ms: number) {
      clock.now += ms;
      clock.monotonic += ms;
    },
    renew: () => one.renew([{ conversationId: conversation.id, id: turn.id } as never]),
    look: async () => two.take((await store.findTurn(conversation.id, turn.id))!),
  };
}

test('a turn that its helper has let go can be taken at once, though it was being renewed', async () => {
  const { store, turn, release, renew, look } = await startLeased(1_000_000);
  const { renewTurns } = store;
  const gate = createGate();
  store.renewTurns = async (lease) => {
    await gate.opened;
    return renewTurns(lease);
  };
  const renewing = renew();
  const releasing = release();
  gate.open();
  await Promise.all([renewing, releasing]);
  // The next second's.
  await renew();
  expect(await look()).toMatchObject({ id: turn.id, runner: 'two' });
});

test('a turn whose lease ran out while nothing could be written is left to its helper, which renews it; else it is taken', async () => {
  const { turn, pass, renew, look } = await startLeased(1_000_000);
  pass(6_000);
  expect(await look()).toBeUndefined();
  await renew();
  pass(3_000);
  expect(await look()).toBeUndefined();
  // From here on its helper is gone.
  pass(2_000);
  expect(await look()).toBeUndefined();
  pass(1_000);
  expect(await look()).toBeUndefined();
  pass(1_000);
  expect(await look()).toMatchObject({ id: turn.id });
});

test('a turn whose helper is gone is taken though the clock has been set back an hour since', async () => {
  const { clock, turn, pass, renew, look } = await startLeased(1e12);
  clock.now -= 3600_000;
  expect(await look()).toBeUndefined();
  // It lives, and says so by the same clock.
  await renew();
  pass(2_000);
  expect(await look()).toBeUndefined();
  clock.now -= 600_000;
  expect(await look()).toBeUndefined();
  pass(1_000);
  expect(await look()).toBeUndefined();
  pass(1_000);
  expect(await look()).toMatchObject({ id: turn.id });
});

test('an answer without a word fails, unless the record has one', async () => {
  const { ask, next } = await start(() => ({}));
  agent.nextChat((answer) => {
    answer.recordQuestion();
    answer.open();
    answer.event('done', { chat: { reply: '', agent: { uuid: randomUUID(), content: '' } } });
    answer.end();
  });
  const told = await ask('Anything?');
  expect(told).toContain('event: turn-failed');
  expect(told).toContain('"retryable":true');
  agent.nextChat((answer) => {
    answer.open();
    answer.event(undefined, { chat: { id: answer.chatId } });
    answer.event('delta', { text: 'The words.' });
    answer.done('The words.');
  });
  expect(await next('And now?')).toContain('"text":"The words."');
}, 30_000);

test('a customer signs in while nothing can be written, and a member’s address is not kept in the clear', async () => {
  const store = createMemoryStore();
  const notes: string[] = [];
  let isShut = true;
  const { send, stop } = startInside(agent.url, {
    ssoSecret: secrets.ssoSecret,
    store: {
      ...store,
      async replace(key, ...rest) {
        notes.push(key);
        if (isShut && key.startsWith('member:')) throw new Error('the disk is full');
        return store.replace(key, ...rest);
      },
    },
  });
  stops.push(stop);
  const body = () => ({ ssoToken: makeSsoToken() });
  agent.override('POST /v1/bot/widget/sso', (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"member_id":"m-1","project_member":true}');
  });
  expect((await send('', 'POST', '/session', body())).status).toBe(200);
  isShut = false;
  expect((await send('', 'POST', '/session', body())).status).toBe(200);
  agent.restore('POST /v1/bot/widget/sso');
  const memberships = notes.filter((key) => key.startsWith('membership:'));
  expect(memberships.length).toBeGreaterThan(0);
  expect(memberships.join()).not.toContain('ada@shop.test');
});
