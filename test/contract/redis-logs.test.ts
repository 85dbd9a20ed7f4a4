/** A turn's log in Redis: every helper tells the same events under the same ids, and goes on with them after another's end. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRedisStore } from '../../server-helper/store/redis/redis.ts';
import { type FakeAgent, startFakeAgent } from '../support/fake-agent.ts';
import { type RunningHelper, startHelper } from '../support/helper-process.ts';
import { makePause, pauseWith, resumeWith } from '../support/pause.ts';
import { toConversation, toTurn } from '../support/records.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { tellWords } from '../support/slow-words.ts';
import { at } from '../support/two-helpers.ts';
import {
  createVisitor,
  makeQuestion,
  type TurnStream,
  toTurnPath,
  type Visitor,
} from '../support/visitor.ts';

let redis: TestRedis;
let agent: FakeAgent;
const helpers: RunningHelper[] = [];
beforeAll(async () => {
  [redis, agent] = await Promise.all([startRedis(), startFakeAgent()]);
});
afterAll(async () => {
  for (const helper of helpers) await helper.close();
  await agent.close();
  await redis.stop();
});

async function start(movableClock = false): Promise<RunningHelper> {
  const env = { PORCHLIGHT_STORE: redis.url };
  const helper = await startHelper({ agentUrl: agent.url, env, movableClock });
  helpers.push(helper);
  return helper;
}

/** All that a reader was sent, but for what keeps its connection alive. */
const told = ({ raw }: TurnStream) => raw.replaceAll(': ping\n\n', '');
const words = (count: number) => Array.from({ length: count }, (_, index) => `w${index} "ä\n🙂" `);
const ids = (...streams: TurnStream[]) => streams.flatMap(({ events }) => events.map(({ id }) => id));
const upTo = (count: number) => Array.from({ length: count }, (_, id) => id);
const ask = async (visitor: Visitor) => {
  const [conversationId, turnId] = [randomUUID(), randomUUID()];
  return {
    ...{ conversationId, turnId },
    stream: await visitor.ask(conversationId, turnId, makeQuestion()),
  };
};

test('a reader at any helper gets the same bytes while a turn runs and after its end', async () => {
  const [one, two, three] = await Promise.all([start(), start(), start()]);
  const visitor = await createVisitor(one);
  agent.nextChat(tellWords(agent, words(60), 10));
  const { conversationId, turnId, stream } = await ask(visitor);
  const during = await at(two, visitor).attach(conversationId, turnId);
  await Promise.all([stream.whole(), during.whole()]);
  expect(told(during)).toBe(told(stream));
  expect(ids(stream)).toEqual(upTo(stream.events.length));
  for (const helper of [one, two, three]) {
    const after = await (await at(helper, visitor).attach(conversationId, turnId)).whole();
    expect(told(after)).toBe(told(stream));
    const headers = visitor.headers({ 'last-event-id': `${stream.last.id}` });
    expect((await helper.fetch(toTurnPath(conversationId, turnId), { headers })).status).toBe(204);
  }
});

test('a reader that comes to another helper each time gets each event once', async () => {
  const [one, two, three] = helpers as [RunningHelper, RunningHelper, RunningHelper];
  const visitor = await createVisitor(one);
  const all = words(150);
  agent.nextChat(tellWords(agent, all, 8));
  const { conversationId, turnId, stream } = await ask(visitor);
  const seen: TurnStream[] = [];
  const isOver = () => seen.at(-1)?.events.some(({ kind }) => kind === 'turn-completed');
  for (let turn = 0; !isOver(); turn += 1) {
    const lastId = ids(...seen).at(-1);
    const next = await at([two, three, one][turn % 3]!, visitor).attach(conversationId, turnId, lastId);
    seen.push(next);
    await Promise.race([next.whole(), sleep(120)]);
    if (!isOver()) next.leave();
  }
  await stream.whole();
  expect(seen.length).toBeGreaterThan(3);
  expect(ids(...seen)).toEqual(upTo(stream.events.length));
  expect(seen.map(({ text }) => text).join('')).toBe(all.join(''));
});

test('a killed helper’s turn goes on at another under the same ids, and is asked once', async () => {
  const [other, killed] = [helpers[1]!, await start()];
  const visitor = await createVisitor(killed);
  const all = words(400);
  const asked = agent.callsTo('POST /v1/bot/chat').length;
  agent.nextChat(tellWords(agent, all, 15));
  const { conversationId, turnId, stream } = await ask(visitor);
  await stream.untilText('w40 ');
  await killed.kill('SIGKILL');
  await stream.until(({ cut, closed }) => cut || closed, 'the stream breaks').catch(() => {});
  const rest = await at(other, visitor).attach(conversationId, turnId, stream.last.id);
  await rest.whole(20_000);
  expect(rest.events[0]?.id).toBe(stream.last.id + 1);
  expect(stream.text + rest.text).toBe(all.join(''));
  rest.ended('turn-completed');
  expect(agent.callsTo('POST /v1/bot/chat').length).toBe(asked + 1);
  const late = await (await at(helpers[0]!, visitor).attach(conversationId, turnId)).whole();
  expect(ids(late)).toEqual(upTo(rest.last.id + 1));
  expect(late.text).toBe(all.join(''));
}, 40_000);

test('a killed helper’s turn that is stopped before another takes it keeps the words that were seen', async () => {
  const [killed, other] = [await start(), helpers[1]!];
  const visitor = await createVisitor(killed);
  agent.nextChat(tellWords(agent, words(500), 15));
  const { conversationId, turnId, stream } = await ask(visitor);
  await stream.untilText('w20 ');
  await killed.kill('SIGKILL');
  const there = at(other, visitor);
  expect((await there.call('DELETE', toTurnPath(conversationId, turnId))).status).toBe(204);
  for (const from of [stream.last.id, undefined]) {
    const rest = await (await there.attach(conversationId, turnId, from)).whole();
    expect(rest.ended('turn-stopped').message.text).toContain(stream.text);
  }
  const { messages } = await there.history(conversationId);
  expect(messages.at(-1)).toMatchObject({ status: 'stopped', text: expect.stringContaining(stream.text) });
}, 30_000);

test('a helper that stood still tells no word of a turn that another tells by now', async () => {
  const [other, still] = [helpers[1]!, await start()];
  const visitor = await createVisitor(still);
  const all = words(600);
  agent.nextChat(tellWords(agent, all, 20));
  const { conversationId, turnId, stream } = await ask(visitor);
  await stream.untilText('w40 ');
  still.child.kill('SIGSTOP');
  const rest = await at(other, visitor).attach(conversationId, turnId, stream.last.id);
  await rest.untilText('w400 ');
  still.child.kill('SIGCONT');
  await Promise.all([rest.whole(20_000), stream.until(({ cut, closed }) => cut || closed, 'it is let go')]);
  // What the one that stood still had read of the agent is not what its readers see.
  const seen = [...stream.events, ...rest.events.filter(({ id }) => id > stream.last.id)];
  expect(seen.map(({ id }) => id)).toEqual(upTo(seen.length));
  const texts = seen.flatMap((event) => (event.kind === 'text-delta' ? [event.data.text] : []));
  expect(texts.join('')).toBe(all.join(''));
  rest.ended('turn-completed');
}, 40_000);

test('a pause that is decided at another helper goes on under the same ids at every one', async () => {
  const [one, two, three] = helpers as [RunningHelper, RunningHelper, RunningHelper];
  const visitor = await createVisitor(one);
  agent.nextChat(pauseWith(makePause({ name: 'order_status', parameters: {} })));
  const { conversationId, turnId, stream } = await visitor.chat();
  stream.ended('turn-paused');
  const there = await (await at(two, visitor).attach(conversationId, turnId)).whole();
  expect(told(there)).toBe(told(stream));
  agent.nextResume(resumeWith('It left.'));
  const path = `${toTurnPath(conversationId, turnId)}/decision`;
  expect((await at(two, visitor).call('POST', path, { decision: 'approve' })).status).toBe(202);
  const parts = await Promise.all(
    [one, two, three].map(async (helper) =>
      (await at(helper, visitor).attach(conversationId, turnId, stream.last.id)).whole(),
    ),
  );
  for (const rest of parts) {
    expect(rest.events[0]?.id).toBe(stream.last.id + 1);
    expect(rest.text).toBe('It left.');
    expect(rest.ended('turn-completed').message.text).toBe('One moment. It left.');
  }
  expect(new Set(parts.map(told)).size).toBe(1);
});

test('readers wait a quarter of a second for a Redis that stands still, and it has all of it afterwards', async () => {
  const [one, two] = helpers as [RunningHelper, RunningHelper];
  const visitor = await createVisitor(one);
  const all = words(200);
  agent.nextChat(tellWords(agent, all, 10));
  const { conversationId, turnId, stream } = await ask(visitor);
  await stream.untilText('w20 ');
  redis.child.kill('SIGSTOP');
  const before = stream.events.length;
  await stream.until(({ events }) => events.length > before + 50, 'words go on');
  redis.child.kill('SIGCONT');
  await stream.whole();
  expect(stream.text).toBe(all.join(''));
  const there = await (await at(two, visitor).attach(conversationId, turnId)).whole();
  expect(told(there)).toBe(told(stream));
}, 30_000);

test('an end that was told and could not be stored by a helper that is gone is stored by the next', async () => {
  const [one, two] = helpers as [RunningHelper, RunningHelper];
  const visitor = await createVisitor(one);
  agent.nextChat(tellWords(agent, words(10), 5));
  const { conversationId, turnId, stream } = await ask(visitor);
  await stream.whole();
  const turn = `{porchlight}:turn:${conversationId}:${turnId}`;
  await redis.say(`HSET ${turn} status running runner gone leaseUntil 0`);
  await redis.say(`HSET {porchlight}:conversation:${conversationId} live ${turnId}`);
  const other = at(two, visitor);
  expect((await other.history(conversationId)).liveTurn).toEqual({ turnId });
  const there = await (await other.attach(conversationId, turnId)).whole();
  expect(there.ended('turn-completed').message.text).toBe(words(10).join(''));
  expect((await other.history(conversationId)).liveTurn).toBeUndefined();
  agent.nextChat(tellWords(agent, words(3), 5));
  const next = await (await other.ask(conversationId, randomUUID(), makeQuestion())).whole();
  next.ended('turn-completed');
});

test('a log that Redis has lost in the middle of a turn is told to it anew', async () => {
  const [one, two] = helpers as [RunningHelper, RunningHelper];
  const visitor = await createVisitor(one);
  const all = words(100);
  agent.nextChat(tellWords(agent, all, 10));
  const { conversationId, turnId, stream } = await ask(visitor);
  await stream.untilText('w20 ');
  const keys = (await redis.say('KEYS *:log:*')).split('\r\n');
  await redis.say(`DEL ${keys.find((key) => key.includes(turnId))}`);
  await stream.whole();
  const there = await (await at(two, visitor).attach(conversationId, turnId)).whole();
  expect(told(there)).toBe(told(stream));
});

test('a helper that is told to close hands its turn on in the end, and the reader misses and repeats nothing', async () => {
  const [closing, other] = [await start(true), helpers[1]!];
  const visitor = await createVisitor(closing);
  const all = words(500);
  agent.nextChat(tellWords(agent, all, 15));
  const { conversationId, turnId, stream } = await ask(visitor);
  await stream.untilText('w10 ');
  closing.child.kill('SIGTERM');
  await stream.untilText('w40 ');
  await closing.advance(25_000);
  await stream.until(({ cut, closed }) => cut || closed, 'it is let go');
  const rest = await at(other, visitor).attach(conversationId, turnId, stream.last.id);
  await rest.whole(20_000);
  expect(rest.events[0]?.id).toBe(stream.last.id + 1);
  expect(stream.text + rest.text).toBe(all.join(''));
  rest.ended('turn-completed');
}, 40_000);

test('the port: what does not go on where a log ends, or is another’s, is not added', async () => {
  const [store, other] = [createRedisStore(redis.url), createRedisStore(redis.url)];
  const conversation = toConversation();
  const turn = toTurn(conversation.id, {
    status: 'running',
    runner: 'a',
    leaseUntil: Date.now() + 5_000,
    teller: randomUUID(),
  });
  await store.beginTurn(conversation, turn);
  const key = { conversationId: conversation.id, id: turn.id, teller: turn.teller! };
  const tell = (from: number, next: number, events: string, runner = 'a', log = key) =>
    store.logs!.tell(runner, [{ ...log, from, next, events }]);
  let heard = '';
  const unfollow = other.logs!.follow(key, 0, (events) => {
    heard += events;
  });
  expect(await tell(0, 2, '01')).toEqual([2]);
  expect(await tell(0, 2, '01')).toEqual([2]);
  expect(await tell(5, 6, '5')).toEqual([2]);
  expect(await tell(2, 2, '')).toEqual([2]);
  expect(await tell(2, 3, '2', 'b')).toEqual([undefined]);
  expect(await tell(2, 3, '2', 'a', { ...key, teller: randomUUID() })).toEqual([undefined]);
  expect(await tell(2, 3, '2', 'a', { ...key, id: randomUUID() })).toEqual([undefined]);
  expect(await tell(2, 12, '2-11')).toEqual([12]);
  expect(await tell(12, 13, 'ä')).toEqual([13]);
  expect([
    await other.logs!.read(key, 0),
    await other.logs!.read(key, 2),
    await other.logs!.read(key, 13),
  ]).toEqual(['012-11ä', '2-11ä', '']);
  await expect.poll(() => heard).toBe('012-11ä');
  unfollow();
  await tell(13, 14, '13');
  await store.deleteConversation(conversation.id);
  expect(await other.logs!.read(key, 0)).toBe('');
  expect(await tell(14, 15, '14')).toEqual([undefined]);
  await Promise.all([store.close(), other.close()]);
});
