/** Tools of the site's own backend: run here when a turn pauses for them, for its visitor, once. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { readEarlier } from '../../server-helper/conversation/earlier.ts';
import type { SiteTool, ToolVisitor } from '../../server-helper/index.ts';
import { createMemoryStore } from '../../server-helper/store/memory.ts';
import type { Store } from '../../server-helper/store/store.ts';
import { type Script, startFakeAgent } from '../support/fake-agent.ts';
import { createGate } from '../support/gate.ts';
import { startInside } from '../support/helper-inside.ts';
import { secrets } from '../support/helper-process.ts';
import { makePause, pauseWith, resumeWith } from '../support/pause.ts';
import { makeQuestion, makeSsoToken, toTurnPath } from '../support/visitor.ts';

const agent = await startFakeAgent();
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.unstubAllGlobals();
  for (const close of closers.splice(0)) await close();
});

const described = {
  description: 'Looks up the state of an order',
  parameters: {
    type: 'object',
    properties: { orderNumber: { type: 'string' } },
    required: ['orderNumber'],
  },
};
const pause = makePause({ name: 'order_status', parameters: { orderNumber: 'LF-1' } });

type Events = { kind: string; data: Record<string, unknown> }[];
function readEvents(text: string): Events {
  return [...text.matchAll(/^event: (.+)\ndata: (.+)$/gm)].map(([, kind = '', data = '']) => ({
    kind,
    data: JSON.parse(data),
  }));
}
const kindsOf = (events: Events) => events.map(({ kind }) => kind);

function start(tool: Partial<SiteTool> & Pick<SiteTool, 'run'>, store = createMemoryStore()) {
  const warnings: Record<string, unknown>[] = [];
  const log = {
    info() {},
    warn: (fields: Record<string, unknown>) => void warnings.push(fields),
    error: (fields: Record<string, unknown>) => void warnings.push(fields),
  };
  const tools = { order_status: { ...described, ...tool } };
  const helper = startInside(agent.url, { store, ssoSecret: secrets.ssoSecret, tools, log });
  closers.push(helper.stop);
  const begin = async (session: string) => {
    const path = toTurnPath(randomUUID(), randomUUID());
    const reply = await helper.send(session, 'PUT', path, { text: makeQuestion('my order') });
    return { path, reply };
  };
  return {
    ...helper,
    store,
    warnings,
    begin,
    async ask(session: string) {
      const { path, reply } = await begin(session);
      return { path, events: readEvents(await reply.text()) };
    },
    async decide(session: string, path: string, decision: string) {
      const reply = await helper.send(session, 'POST', `${path}/decision`, { decision });
      expect(reply.status).toBe(202);
      return readEvents(await (await helper.send(session, 'GET', path)).text());
    },
    async signIn(claims: object) {
      const ssoToken = makeSsoToken({ ...claims });
      const reply = await helper.send('', 'POST', '/session', { ssoToken });
      return ((await reply.json()) as { session: string }).session;
    },
  };
}

const resumed = () => agent.callsTo('POST /v1/bot/chat/execute-tool');
const submitted = () => resumed().at(-1)?.body.execution_data;

test('one that only reads is run at once, and its visitor sees that it ran, and no card', async () => {
  const seen: unknown[] = [];
  const { ask, openSession } = start({
    approval: 'never',
    run: (values, visitor, signal) => {
      seen.push(values, visitor, signal.aborted);
      return { status: 'shipped' };
    },
  });
  agent.nextChat(pauseWith(pause));
  agent.nextResume(resumeWith('It was shipped.'));
  const before = resumed().length;
  const { events } = await ask(await openSession());
  expect(kindsOf(events)).toEqual([
    'turn-started',
    'text-delta',
    'tool',
    'tool',
    'text-delta',
    'turn-completed',
  ]);
  expect(events[2]?.data).toMatchObject({ name: 'order_status', status: 'running', title: 'Order status' });
  expect(events[3]?.data).toMatchObject({ id: events[2]?.data.id, status: 'done' });
  expect(events.at(-1)?.data).toMatchObject({ message: { text: 'One moment. It was shipped.' } });
  expect(seen).toEqual([{ orderNumber: 'LF-1' }, { kind: 'anonymous', member: false }, false]);
  expect(resumed().length).toBe(before + 1);
  expect(submitted()).toMatchObject({ toolName: 'order_status', result: { status: 'shipped' } });
  expect(submitted()).not.toHaveProperty('denied');
});

test('one that asks runs once it is allowed, and never where it is refused', async () => {
  const run = vi.fn(() => 'done');
  const { ask, decide, openSession } = start({ run });
  const guest = await openSession();
  agent.nextChat(pauseWith(pause));
  const { path, events } = await ask(guest);
  expect(events.at(-1)).toMatchObject({ kind: 'turn-paused', data: { kind: 'approval' } });
  expect(run).not.toHaveBeenCalled();
  agent.nextResume(resumeWith('It was shipped.'));
  const whole = await decide(guest, path, 'approve');
  expect(whole.at(-1)).toMatchObject({
    kind: 'turn-completed',
    data: { message: { text: 'One moment. It was shipped.' } },
  });
  expect(kindsOf(whole).filter((kind) => kind === 'tool')).toHaveLength(2);
  expect(submitted()).toMatchObject({ result: 'done' });

  agent.nextChat(pauseWith(pause));
  const other = await ask(guest);
  agent.nextResume(resumeWith('All right.'));
  expect((await decide(guest, other.path, 'deny')).at(-1)?.kind).toBe('turn-completed');
  expect(submitted()).toMatchObject({ denied: true });
  expect(submitted()).not.toHaveProperty('result');
  expect(run).toHaveBeenCalledOnce();
});

test('it is told who asks as the token said, in the end of the one whose conversation it is by then', async () => {
  const visitors: ToolVisitor[] = [];
  const helper = start({ run: (_, visitor) => void visitors.push(visitor) });
  for (const claims of [{}, { external_id: 'customer:7' }, { email: 'Ada@Shop.test' }]) {
    const session = await helper.signIn(claims);
    agent.nextChat(pauseWith(pause));
    const { path } = await helper.ask(session);
    agent.nextResume(resumeWith('Fine.'));
    await helper.decide(session, path, 'approve');
  }
  const guest = await helper.openSession();
  agent.nextChat(pauseWith(pause));
  const { path } = await helper.ask(guest);
  const ssoToken = makeSsoToken({ external_id: 'customer-8' });
  const reply = await helper.send('', 'POST', '/session', { ssoToken, session: guest });
  agent.nextResume(resumeWith('Fine.'));
  await helper.decide(((await reply.json()) as { session: string }).session, path, 'approve');
  expect(visitors).toEqual([
    { kind: 'identified', email: 'ada@shop.test', member: false },
    { kind: 'identified', externalId: 'customer:7', member: false },
    { kind: 'identified', email: 'ada@shop.test', member: false },
    { kind: 'identified', externalId: 'customer-8', member: false },
  ]);
  expect(submitted()).toMatchObject({ result: null });
});

test('one for members is told to the agent as refused to everybody else, whom nobody asks', async () => {
  const run = vi.fn();
  const helper = start({ access: 'staff_only', run });
  const ask = async (session: string) => {
    agent.nextChat(pauseWith(pause));
    agent.nextResume(resumeWith('That is for members.'));
    return (await helper.ask(session)).events;
  };
  expect(kindsOf(await ask(await helper.openSession()))).not.toContain('turn-paused');
  expect(submitted()).toMatchObject({ result: { error: expect.stringContaining('members') } });
  expect((await ask(await helper.signIn({}))).at(-1)?.kind).toBe('turn-completed');
  expect(run).not.toHaveBeenCalled();

  agent.override('POST /v1/bot/widget/sso', (_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ member_id: 'm-1', project_member: true }));
  });
  const member = await helper.signIn({ email: 'staff@shop.test' });
  agent.nextChat(pauseWith(pause));
  const { path, events } = await helper.ask(member);
  expect(events.at(-1)?.kind).toBe('turn-paused');
  agent.nextResume(resumeWith('Fine.'));
  await helper.decide(member, path, 'approve');
  expect(run).toHaveBeenCalledWith(
    { orderNumber: 'LF-1' },
    { kind: 'identified', email: 'staff@shop.test', member: true },
    expect.any(AbortSignal),
  );
});

test('values that its parameters do not allow are refused before anybody is asked', async () => {
  const run = vi.fn();
  const { ask, openSession } = start({ run });
  agent.nextChat(pauseWith(makePause({ name: 'order_status', parameters: { orderNumber: 7 } })));
  agent.nextResume(resumeWith('Which number?'));
  const { events } = await ask(await openSession());
  expect(kindsOf(events)).toEqual(['turn-started', 'text-delta', 'text-delta', 'turn-completed']);
  expect(submitted()).toMatchObject({ result: { error: expect.stringMatching(/^orderNumber: /) } });
  expect(run).not.toHaveBeenCalled();
});

test('what goes wrong in it is told to the agent in words that give nothing away, and logged', async () => {
  const results: (() => unknown)[] = [
    () => ({ error: 'no order has this number' }),
    () => {
      throw new Error('password=hunter2');
    },
    () => Promise.reject('no error at all'),
    () => 10n,
    () => 'x'.repeat(65 * 1024),
  ];
  const helper = start({ approval: 'never', run: () => results.shift()?.() });
  const guest = await helper.openSession();
  const told: unknown[] = [];
  for (let n = 0; n < 5; n += 1) {
    agent.nextChat(pauseWith(pause));
    agent.nextResume(resumeWith('Sorry.'));
    const { events } = await helper.ask(guest);
    expect(events.filter(({ kind }) => kind === 'tool').map(({ data }) => data.status)).toEqual([
      'running',
      'failed',
    ]);
    told.push((submitted() as { result?: unknown } | undefined)?.result);
  }
  const failed = { error: 'The tool failed.' };
  expect(told).toEqual([{ error: 'no order has this number' }, failed, failed, failed, failed]);
  expect(helper.warnings).toHaveLength(4);
  expect(helper.warnings.every(({ tool }) => tool === 'order_status')).toBe(true);
  expect(JSON.stringify(helper.warnings)).not.toContain('hunter2');
});

test('Stop ends it with the turn: its signal aborts, and nothing is submitted', async () => {
  let signal: AbortSignal | undefined;
  const gate = createGate();
  const helper = start({
    approval: 'never',
    run: async (_values, _visitor, given) => {
      signal = given;
      await gate.opened;
    },
  });
  const guest = await helper.openSession();
  agent.nextChat(pauseWith(pause));
  const before = resumed().length;
  const { path, reply } = await helper.begin(guest);
  await vi.waitUntil(() => signal !== undefined, { timeout: 5_000 });
  expect((await helper.send(guest, 'DELETE', path)).status).toBe(204);
  expect(signal?.aborted).toBe(true);
  expect(readEvents(await reply.text()).at(-1)).toMatchObject({
    kind: 'turn-stopped',
    data: { message: { text: 'One moment. ' } },
  });
  gate.open();
  agent.nextChat(resumeWith('Hello.'));
  expect((await helper.ask(guest)).events.at(-1)?.kind).toBe('turn-completed');
  expect(resumed().length).toBe(before);
});

test('one that was allowed at another helper is stopped there like any', async () => {
  const store = createMemoryStore();
  const gate = createGate();
  const run = vi.fn(() => gate.opened);
  const [one, other] = [start({ run }, store), start({ run }, store)] as const;
  const guest = await one.openSession();
  agent.nextChat(pauseWith(pause));
  const { path } = await one.ask(guest);
  const told = () => agent.callsTo('POST /v1/bot/chat/cancel').length;
  const before = told();
  const decided = await other.send(guest, 'POST', `${path}/decision`, { decision: 'approve' });
  expect(decided.status).toBe(202);
  await vi.waitFor(() => expect(run).toHaveBeenCalledTimes(1));
  expect((await other.send(guest, 'DELETE', path)).status).toBe(204);
  await vi.waitFor(() => expect(told()).toBe(before + 1));
  gate.open();
});

test('what was said before it is kept while it runs, for whoever takes the turn over', async () => {
  const store = createMemoryStore();
  const gate = createGate();
  const { begin, openSession } = start({ approval: 'never', run: () => gate.opened }, store);
  agent.nextChat(pauseWith(pause));
  agent.nextResume(resumeWith('Shipped.'));
  const { path, reply } = await begin(await openSession());
  const [, , id = '', , turnId = ''] = path.split('/');
  await vi.waitFor(async () => {
    const { earlier = '{}' } = (await store.findTurn(id, turnId)) ?? {};
    expect(JSON.parse(earlier)).toMatchObject({ said: 'One moment. ' });
  });
  gate.open();
  expect(readEvents(await reply.text()).at(-1)?.kind).toBe('turn-completed');
});

test('it is run once, though the helper that began it is gone before it ends', async () => {
  const store = createMemoryStore();
  const run = vi.fn(() => new Promise(() => {}));
  const helper = start({ approval: 'never', run }, store);
  const guest = await helper.openSession();
  agent.nextChat(pauseWith(pause));
  const { path } = await helper.begin(guest);
  await vi.waitUntil(() => run.mock.calls.length > 0, { timeout: 5_000 });
  const before = resumed().length;
  const other = start({ approval: 'never', run }, store);
  const session = await other.openSession();
  await helper.stop(0);
  expect((await other.send(session, 'GET', path)).status).toBe(404);
  const reply = await other.send(guest, 'GET', path);
  expect(readEvents(await reply.text()).at(-1)).toMatchObject({ kind: 'turn-failed' });
  expect(run).toHaveBeenCalledOnce();
  expect(resumed().length).toBe(before);
});

test('a helper that is closed before its tool ends tells the agent nothing of it', async () => {
  const gate = createGate();
  const run = vi.fn(() => gate.opened);
  const helper = start({ run });
  const guest = await helper.openSession();
  agent.nextChat(pauseWith(pause));
  const { path } = await helper.ask(guest);
  const before = resumed().length;
  await helper.send(guest, 'POST', `${path}/decision`, { decision: 'approve' });
  await vi.waitFor(() => expect(run).toHaveBeenCalledOnce());
  await helper.close(100);
  gate.open();
  await sleep(300);
  expect(resumed().length).toBe(before);
});

test.each([
  ['tells whose the turn is', 'findTurn'],
  ['takes down that it begins', 'remember'],
] as const)('one that is stopped while the store %s does not begin', async (_, call) => {
  const inner = createMemoryStore();
  const [reached, gate] = [createGate(), createGate()];
  let isDecided = false;
  const store = {
    ...inner,
    async resumeTurn(...values: Parameters<Store['resumeTurn']>) {
      isDecided = true;
      return inner.resumeTurn(...values);
    },
    async [call](...values: never[]) {
      const given = await (inner[call] as (...values: never[]) => Promise<unknown>)(...values);
      if (isDecided) {
        reached.open();
        await gate.opened;
      }
      return given;
    },
  } as Store;
  const run = vi.fn();
  const helper = start({ run }, store);
  const guest = await helper.openSession();
  agent.nextChat(pauseWith(pause));
  const { path } = await helper.ask(guest);
  const before = resumed().length;
  await helper.send(guest, 'POST', `${path}/decision`, { decision: 'approve' });
  await reached.opened;
  isDecided = false;
  expect((await helper.send(guest, 'DELETE', path)).status).toBe(204);
  gate.open();
  await sleep(300);
  expect(run).not.toHaveBeenCalled();
  expect(resumed().length).toBe(before);
});

test('one that is stopped at another helper while the store takes down that it begins does not begin', async () => {
  const store = createMemoryStore();
  const [reached, gate] = [createGate(), createGate()];
  const slow = {
    ...store,
    async remember(...values: Parameters<Store['remember']>) {
      const given = await store.remember(...values);
      if (values[0].startsWith('tool:')) {
        reached.open();
        await gate.opened;
      }
      return given;
    },
  };
  const run = vi.fn();
  const [one, other] = [start({ run, approval: 'never' }, slow), start({ run }, store)] as const;
  const guest = await one.openSession();
  agent.nextChat(pauseWith(pause));
  const { path, reply } = await one.begin(guest);
  await reached.opened;
  expect((await other.send(guest, 'DELETE', path)).status).toBe(204);
  gate.open();
  expect(readEvents(await reply.text()).map(({ kind }) => kind)).not.toContain('tool');
  expect(run).not.toHaveBeenCalled();
});

test('a helper that is closed looks no more after what it showed of another’s turn', async () => {
  const store = createMemoryStore();
  const findTurn = vi.fn(store.findTurn);
  const gate = createGate();
  const run = () => gate.opened;
  const [one, other] = [
    start({ run, approval: 'never' }, store),
    start({ run }, { ...store, findTurn }),
  ] as const;
  const guest = await one.openSession();
  agent.nextChat(pauseWith(pause));
  const { path } = await one.begin(guest);
  const reader = await other.send(guest, 'GET', path);
  await vi.waitFor(() => expect(findTurn.mock.calls.length).toBeGreaterThan(3));
  await other.close(0);
  expect(await reader.text()).not.toContain('event: turn-completed');
  await sleep(400);
  findTurn.mockClear();
  await sleep(1_000);
  expect(findTurn).not.toHaveBeenCalled();
  gate.open();
});

test('a card has the site’s words where the agent gives none', async () => {
  const { ask, openSession } = start({ run: () => 1 });
  const { description: _, ...bare } = pause.tool as Record<string, unknown>;
  agent.nextChat(pauseWith({ ...pause, tool: bare }));
  const { events } = await ask(await openSession());
  expect(events.at(-1)?.data).toMatchObject({ tool: { description: described.description } });
});

test('an execution that was decided on is none to decide on again, in whatever goes on after it', async () => {
  const run = vi.fn(() => 'done');
  const { ask, openSession } = start({ approval: 'never', run });
  const second = { ...pause, executionId: 'exec_2_b' };
  const before = resumed().length;
  agent.nextChat(pauseWith(pause));
  // It tells what it waited for once more, and goes on.
  agent.nextResume(async (answer) => {
    answer.open();
    answer.event('approval', pause);
    answer.event('delta', { text: 'Then ' });
    answer.event('approval', second);
    answer.end();
  });
  agent.nextResume((answer) => {
    answer.open();
    for (const told of [pause, second]) answer.event('approval', told);
    answer.event('delta', { text: 'it left.' });
    const reply = answer.recordReply('One moment. Then it left.');
    answer.event('done', { chat: { reply: reply.content, agent: reply, sources: [] } });
    answer.end();
  });
  const { events } = await ask(await openSession());
  expect(events.at(-1)).toMatchObject({
    kind: 'turn-completed',
    data: { message: { text: 'One moment. Then it left.' } },
  });
  expect(events.filter(({ kind }) => kind === 'tool').map(({ data }) => data.status)).toEqual([
    'running',
    'done',
    'running',
    'done',
  ]);
  expect(run).toHaveBeenCalledTimes(2);
  expect(resumed().length).toBe(before + 2);
});

test('nor is one that was decided on at another helper', async () => {
  const store = createMemoryStore();
  const run = vi.fn(() => 'done');
  const [one, other] = [start({ run }, store), start({ run }, store)];
  const guest = await one.openSession();
  const pauses = ['exec_1_a', 'exec_2_b', 'exec_3_c'].map((executionId) => ({ ...pause, executionId }));
  const tellUpTo = (count: number) => async (answer: Parameters<Script>[0]) => {
    answer.open();
    for (const told of pauses.slice(0, count)) answer.event('approval', told);
    answer.end();
  };
  agent.nextChat(pauseWith(pauses[0]!));
  const { path } = await one.ask(guest);
  agent.nextResume(tellUpTo(2));
  expect((await other.decide(guest, path, 'approve')).at(-1)?.kind).toBe('turn-paused');
  agent.nextResume(tellUpTo(3));
  expect((await one.decide(guest, path, 'approve')).at(-1)?.kind).toBe('turn-paused');
  agent.nextResume(async (answer) => {
    answer.open();
    for (const told of pauses) answer.event('approval', told);
    answer.event('delta', { text: 'It left.' });
    const reply = answer.recordReply('One moment. It left.');
    answer.event('done', { chat: { reply: reply.content, agent: reply, sources: [] } });
    answer.end();
  });
  expect((await other.decide(guest, path, 'approve')).at(-1)).toMatchObject({
    kind: 'turn-completed',
    data: { message: { text: 'One moment. It left.' } },
  });
  expect(run).toHaveBeenCalledTimes(3);
});

test('twenty are the most of one answer, with leave too', async () => {
  const run = vi.fn(() => 1);
  const { ask, decide, openSession } = start({ run });
  const guest = await openSession();
  const toPause = (n: number) => ({ ...pause, executionId: `exec_${n}_abc` });
  agent.nextChat(pauseWith(toPause(0)));
  const { path } = await ask(guest);
  for (let n = 1; n <= 20; n += 1) {
    agent.nextResume(pauseWith(toPause(n)));
    expect((await decide(guest, path, 'approve')).at(-1)?.kind).toBe('turn-paused');
  }
  expect((await decide(guest, path, 'approve')).at(-1)?.kind).toBe('turn-failed');
  expect(run).toHaveBeenCalledTimes(20);
});

test('whichever helper it is that lets them run', async () => {
  const store = createMemoryStore();
  const run = vi.fn(() => 1);
  const helpers = [start({ run }, store), start({ run }, store)] as const;
  const guest = await helpers[0].openSession();
  const toPause = (n: number) => ({ ...pause, executionId: `exec_${n}_abc` });
  agent.nextChat(pauseWith(toPause(0)));
  const { path } = await helpers[0].ask(guest);
  for (let n = 1; n <= 20; n += 1) {
    agent.nextResume(pauseWith(toPause(n)));
    expect((await helpers[n % 2]!.decide(guest, path, 'approve')).at(-1)?.kind).toBe('turn-paused');
  }
  expect((await helpers[1].decide(guest, path, 'approve')).at(-1)?.kind).toBe('turn-failed');
  expect(run).toHaveBeenCalledTimes(20);
  // The agent has had the question: a later one that takes its place takes it back there.
  const [, , id = '', , turnId = ''] = path.split('/');
  expect(readEarlier((await store.findTurn(id, turnId))?.earlier).isUntaken).toBeUndefined();
});

test('an execution that was begun elsewhere is not shown as begun', async () => {
  const store = createMemoryStore();
  vi.spyOn(store, 'remember').mockImplementation(async (key, value) =>
    key.startsWith('tool:') ? 'of another' : value,
  );
  const run = vi.fn();
  const { ask, openSession } = start({ approval: 'never', run }, store);
  agent.nextChat(pauseWith(pause));
  agent.nextResume(resumeWith('Sorry.'));
  const { events } = await ask(await openSession());
  expect(kindsOf(events)).toEqual(['turn-started', 'text-delta', 'text-delta', 'turn-completed']);
  expect(submitted()).toMatchObject({ result: { error: expect.stringContaining('begun before') } });
  expect(run).not.toHaveBeenCalled();
});

test('one call that the store does not answer is no reason to fail the answer', async () => {
  const store = createMemoryStore();
  const find = store.findConversation;
  let isFailing = false;
  store.findConversation = async (id) => {
    if (!isFailing) return find(id);
    isFailing = false;
    throw new Error('locked');
  };
  const { ask, openSession } = start({ approval: 'never', run: () => 1 }, store);
  agent.nextChat(async (answer) => {
    isFailing = true;
    await pauseWith(pause)(answer);
  });
  agent.nextResume(resumeWith('Fine.'));
  expect((await ask(await openSession())).events.at(-1)?.kind).toBe('turn-completed');
  expect(isFailing).toBe(false);
});

test('nor to leave it undone', async () => {
  const store = createMemoryStore();
  const { remember } = store;
  let failures = 0;
  store.remember = async (key, ...values) => {
    const value = await remember(key, ...values);
    if (!key.startsWith('tool:') || failures > 0) return value;
    failures += 1;
    throw new Error('locked');
  };
  const run = vi.fn(() => 1);
  const { ask, openSession } = start({ approval: 'never', run }, store);
  agent.nextChat(pauseWith(pause));
  agent.nextResume(resumeWith('Fine.'));
  expect((await ask(await openSession())).events.at(-1)?.kind).toBe('turn-completed');
  expect([failures, run.mock.calls.length]).toEqual([1, 1]);
});

test('an agent that asks for one tool after another without end is let go', async () => {
  const run = vi.fn(() => 1);
  const { ask, openSession, warnings } = start({ approval: 'never', run });
  agent.nextChat(pauseWith(pause));
  for (let n = 1; n <= 20; n += 1) agent.nextResume(pauseWith({ ...pause, executionId: `exec_${n}_abc` }));
  const { events } = await ask(await openSession());
  expect(events.at(-1)).toMatchObject({ kind: 'turn-failed', data: { code: 'agent-unavailable' } });
  expect(run).toHaveBeenCalledTimes(20);
  // It is no fault of the helper's.
  await vi.waitFor(() => expect(warnings).toHaveLength(1));
});

test('the guide’s example shows a customer their own order, and sends a guest to sign in', async () => {
  const page = readFileSync('docs/operation.md', 'utf8');
  const [, snippet = ''] = /^## Tools of your own backend$[\s\S]*?^```js\n([\s\S]*?)^```$/m.exec(page) ?? [];
  const { tools } = (await import(`data:text/javascript,${encodeURIComponent(snippet)}`)) as {
    tools: { order_status: SiteTool };
  };
  vi.stubGlobal('db', {
    findOrder: async (number: string, { customer }: { customer: string }) =>
      number === 'LF-1' && customer === 'customer-7' ? { number, state: 'shipped' } : undefined,
  });
  const helper = start(tools.order_status);
  const ask = async (session: string) => {
    agent.nextChat(pauseWith(pause));
    agent.nextResume(resumeWith('Fine.'));
    expect((await helper.ask(session)).events.at(-1)?.kind).toBe('turn-completed');
    return (submitted() as { result?: unknown }).result;
  };
  expect(await ask(await helper.signIn({ external_id: 'customer-7' }))).toEqual({
    number: 'LF-1',
    state: 'shipped',
  });
  expect(await ask(await helper.signIn({ external_id: 'customer-8' }))).toHaveProperty('error');
  expect(await ask(await helper.openSession())).toEqual({ error: 'Sign in to see your orders.' });
});

test('a tool that the site does not have is its visitor’s to decide, as ever', async () => {
  const { ask, decide, openSession } = start({ run: () => 1 });
  const guest = await openSession();
  agent.nextChat(pauseWith(makePause({ name: 'refund', parameters: { amount: 1 } })));
  const { path, events } = await ask(guest);
  expect(events.at(-1)?.kind).toBe('turn-paused');
  agent.nextResume(resumeWith('Done.'));
  await decide(guest, path, 'approve');
  expect(submitted()).not.toHaveProperty('result');
});
