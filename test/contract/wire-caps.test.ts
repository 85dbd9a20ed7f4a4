/** How much one visitor may have going on at a time; and a clock that is set, which is no time passed. */
import { randomUUID } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import { createSocketDispatch } from '../../server-helper/agent/dispatch-sockets.ts';
import { toAllowances } from '../../server-helper/auth/allowances.ts';
import { createHelper } from '../../server-helper/handler.ts';
import { createMemoryStore } from '../../server-helper/store/memory.ts';
import { startFakeAgent } from '../support/fake-agent.ts';
import { createGate } from '../support/gate.ts';
import { secrets, target, until } from '../support/helper-process.ts';
import { makePause, pauseWith } from '../support/pause.ts';
import { startRig } from '../support/rig.ts';
import { makeQuestion, makeSsoToken, toTurnPath, type Visitor } from '../support/visitor.ts';

const { runningTurns, openReaders } = toAllowances({}, true);

afterEach(() => {
  vi.useRealTimers();
});

test('a visitor has so many turns running and so many answers open; more is refused with a time, and others go on', async () => {
  const token = 'metrics-token-of-forty-characters-0123456';
  const rig = await startRig({ env: { PORCHLIGHT_LIMITS: 'on', PORCHLIGHT_METRICS_TOKEN: token } });
  const visitor = await rig.visit();
  const running: { conversationId: string; turnId: string }[] = [];
  const streams = [];
  for (let count = 0; count < runningTurns; count += 1) {
    rig.agent.nextChat(async (answer) => {
      answer.open();
      answer.event('delta', { text: 'One ' });
      await answer.closed;
    });
    const [conversationId, turnId] = [randomUUID(), randomUUID()];
    const stream = await visitor.ask(conversationId, turnId, makeQuestion());
    await stream.untilText('One ');
    running.push({ conversationId, turnId });
    streams.push(stream);
  }
  const more = await visitor.call('PUT', toTurnPath(randomUUID(), randomUUID()), { text: makeQuestion() });
  expect([more.status, more.json.code]).toEqual([429, 'rate-limited']);
  expect(more.json.retryAfterMs).toBeGreaterThan(0);
  (await (await rig.visit()).chat()).stream.ended('turn-completed');

  const { conversationId, turnId } = running[0] as (typeof running)[number];
  // A HEAD is answered with the head alone, and keeps nobody's place.
  for (let count = runningTurns; count < openReaders; count += 1)
    expect((await visitor.call('HEAD', toTurnPath(conversationId, turnId))).status).toBe(200);
  while (streams.length < openReaders) streams.push(await visitor.attach(conversationId, turnId));
  const one = await visitor.call('GET', toTurnPath(conversationId, turnId));
  expect([one.status, one.json.code]).toEqual([429, 'rate-limited']);
  streams.pop()?.leave();
  const stopped = await visitor.call('DELETE', toTurnPath(conversationId, turnId));
  expect(stopped.status).toBe(204);
  const again = await visitor.call('PUT', toTurnPath(randomUUID(), randomUUID()), { text: makeQuestion() });
  expect(again.status).toBe(200);
  const metrics = await rig.helper.fetch('/metrics', { headers: { authorization: `Bearer ${token}` } });
  expect((await metrics.text()).match(/^porchlight_limits_total.*$/gm)).toEqual([
    'porchlight_limits_total{limit="runningTurns"} 1',
    'porchlight_limits_total{limit="openReaders"} 1',
  ]);
  await until(
    () => /"limit":"openReaders","msg":"a limit is reached"/.test(rig.helper.output),
    'it is logged',
  );
  await rig.close();
});

test('what the agent never hears of uses up nothing that all share', async () => {
  const rig = await startRig({ env: { PORCHLIGHT_LIMITS: 'sitePerDay=4,guestsPerDay=2,runningTurns=1' } });
  const guest = await rig.visit();
  const gate = createGate();
  rig.agent.nextChat(async (answer) => {
    answer.open();
    answer.event('delta', { text: 'One ' });
    await gate.opened;
    answer.done('One two.');
  });
  const [conversationId, turnId] = [randomUUID(), randomUUID()];
  const stream = await guest.ask(conversationId, turnId, makeQuestion());
  await stream.untilText('One ');
  const put = async (visitor: Visitor, conversation = randomUUID(), id = randomUUID()) =>
    (await visitor.call('PUT', toTurnPath(conversation, id), { text: makeQuestion() })).status;
  for (let count = 0; count < 4; count += 1) expect(await put(guest)).toBe(429);
  const decide = async (visitor: Visitor, path: string, body: object) =>
    (await visitor.call('POST', `${path}/decision`, body)).status;
  for (let count = 0; count < 4; count += 1)
    expect(await decide(guest, toTurnPath(randomUUID(), randomUUID()), { decision: 'approve' })).toBe(404);
  expect(await decide(guest, toTurnPath(conversationId, turnId), { decision: 'maybe' })).toBe(400);
  gate.open();
  (await stream.whole()).ended('turn-completed');
  // The same question sent again is no other one.
  expect(await put(guest, conversationId, turnId)).toBe(409);
  const other = await rig.visit();
  expect([await put(other), await put(await rig.visit())]).toEqual([200, 429]);
  // Guests have had their part, and customers are answered.
  const ada = await rig.visit({ ssoToken: makeSsoToken() });
  for (const status of [200, 200, 429]) {
    const conversation = randomUUID();
    expect(await put(ada, conversation)).toBe(status);
    await expect
      .poll(async () => (await ada.list()).conversations.find(({ id }) => id === conversation)?.liveTurn)
      .toBeUndefined();
  }
  await rig.close();
});

test('a question that ends before the agent is asked, or that it never took, is given back to all', async () => {
  const rig = await startRig({ env: { PORCHLIGHT_LIMITS: 'sitePerDay=1,guestsPerDay=1' } });
  let isMade = false;
  rig.agent.override('POST /v1/bot/workspace/create', (call, response, usual) => {
    if (isMade) return usual(call, response);
    isMade = true;
    response.writeHead(503).end();
  });
  (await (await rig.visit()).chat()).stream.ended('turn-failed');
  const untaken = await rig.visit();
  rig.agent.nextChat((answer) => answer.refuse(503));
  const ask = async (visitor: Visitor) => {
    const response = await visitor.call('PUT', toTurnPath(randomUUID(), randomUUID()), { text: 'Hi' });
    return [response.status, /turn-\w+\n/.exec(response.text.split('event: ').at(-1) ?? '')?.[0].trim()];
  };
  await expect.poll(() => ask(untaken)).toEqual([200, 'turn-failed']);
  await expect.poll(() => ask(untaken)).toEqual([200, 'turn-completed']);
  expect((await ask(untaken))[0]).toBe(429);
  await rig.close();
});

test('a question that is stopped while its workspace is made counts for all: the agent has a number of those', async () => {
  const rig = await startRig({ env: { PORCHLIGHT_LIMITS: 'sitePerDay=1,guestsPerDay=1' } });
  const gate = createGate();
  rig.agent.override('POST /v1/bot/workspace/create', async (call, response, usual) => {
    await gate.opened;
    return usual(call, response);
  });
  const visitor = await rig.visit();
  const [conversationId, turnId] = [randomUUID(), randomUUID()];
  const stream = await visitor.ask(conversationId, turnId, makeQuestion());
  expect((await visitor.call('DELETE', toTurnPath(conversationId, turnId))).status).toBe(204);
  await stream.whole();
  gate.open();
  // Once it is made and pinned, a question that finds it there has been refused.
  const next = () => visitor.call('PUT', toTurnPath(conversationId, randomUUID()), { text: 'Hi' });
  await until(() => rig.agent.callsTo('POST /v1/bot/workspace/create').length === 1, 'it is made');
  expect((await next()).status).toBe(429);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect((await next()).status).toBe(429);
  await rig.close();
});

test('a question that waits for a decision goes on though the day’s questions are used up', async () => {
  const rig = await startRig({ env: { PORCHLIGHT_LIMITS: 'sitePerDay=2,guestsPerDay=2' } });
  const visitor = await rig.visit();
  rig.agent.nextChat(pauseWith(makePause({ name: 'order_status', parameters: {} })));
  const { conversationId, turnId } = await visitor.chat();
  (await (await rig.visit()).chat()).stream.ended('turn-completed');
  const path = toTurnPath(conversationId, turnId);
  expect((await visitor.call('PUT', toTurnPath(conversationId, randomUUID()), { text: 'More' })).status).toBe(
    429,
  );
  expect((await visitor.call('POST', `${path}/decision`, { decision: 'approve' })).status).toBe(202);
  (await (await visitor.attach(conversationId, turnId)).whole()).ended('turn-completed');
  await rig.close();
});

test('a day’s questions of the whole site have an end, which the operator sees coming', async () => {
  const token = 'metrics-token-of-forty-characters-0123456';
  const rig = await startRig({
    env: {
      PORCHLIGHT_LIMITS: 'sitePerDay=5,guestsPerDay=50,guestsPerMinute=40',
      PORCHLIGHT_METRICS_TOKEN: token,
    },
  });
  const said = (msg: string) =>
    rig.helper.output
      .split('\n')
      .filter((line) => line.includes(`"${msg}"`))
      .map((line) => JSON.parse(line) as object);
  for (let count = 0; count < 5; count += 1) {
    (await (await rig.visit()).chat()).stream.ended('turn-completed');
    if (count < 3) expect(said('a limit is nearly reached')).toEqual([]);
  }
  const late = await rig.visit();
  const refused = await late.call('PUT', toTurnPath(randomUUID(), randomUUID()), { text: makeQuestion() });
  expect([refused.status, refused.json.code]).toEqual([429, 'rate-limited']);
  expect(refused.json.retryAfterMs).toBeGreaterThan(23 * 3600_000);
  await until(() => said('a limit is reached').length > 0, 'the log tells it');
  expect(said('a limit is reached')).toMatchObject([{ limit: 'sitePerDay' }]);
  expect(said('a limit is nearly reached')).toMatchObject([{ limit: 'sitePerDay' }]);
  const metrics = await rig.helper.fetch('/metrics', { headers: { authorization: `Bearer ${token}` } });
  expect(await metrics.text()).toContain('porchlight_limits_total{limit="sitePerDay"} 1\n');
  await rig.close();
});

test('a wall clock that jumps by ten minutes ends no silent turn', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const agent = await startFakeAgent();
  const { dispatch, close } = createSocketDispatch();
  let aheadMs = 0;
  const helper = createHelper(
    { agentUrl: agent.url, apiKey: secrets.apiKey, ...target, limits: 'off', store: createMemoryStore() },
    { dispatch, now: () => Date.now() + aheadMs },
  );
  const send = (method: string, path: string, body: object, session = '') =>
    helper.fetch(
      new Request(`http://helper.test/porchlight${path}`, {
        method,
        headers: { 'content-type': 'application/json', authorization: `Bearer ${session}` },
        body: JSON.stringify(body),
      }),
    );
  const { session } = (await (await send('POST', '/session', {})).json()) as { session: string };
  let finish = () => {};
  agent.nextChat(async (answer) => {
    answer.open();
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    answer.event('delta', { text: 'After all.' });
    answer.done('After all.');
  });
  const response = await send('PUT', toTurnPath(randomUUID(), randomUUID()), { text: 'Why?' }, session);
  await until(() => agent.callsTo('POST /v1/bot/chat').length === 1, 'the agent is asked');
  for (const stepMs of [10 * 60_000, -20 * 60_000]) {
    aheadMs += stepMs;
    // Two looks at the time limits.
    await vi.advanceTimersByTimeAsync(2_000);
  }
  finish();
  expect(await response.text()).toContain('"status":"completed"');
  await helper.close(0);
  await close();
  await agent.close();
});
