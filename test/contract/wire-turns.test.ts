/** Clauses 11 to 14: a turn's stream, its ids, and what may share them. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { answerInTwoParts } from '../support/fake-agent.ts';
import { createGate } from '../support/gate.ts';
import { useRig } from '../support/rig.ts';
import { makeQuestion, type TurnStream, toTurnPath } from '../support/visitor.ts';

const { rig, visitor } = await useRig();

const ids = (stream: TurnStream) => stream.events.map((event) => event.id);

test('clause 11: PUT is 200 with the stream; ids count from 0, the end event is the last one, then the stream closes', async () => {
  const { stream, conversationId, turnId } = await visitor.chat();
  expect(stream.response.status).toBe(200);
  expect(stream.response.headers.get('cache-control')).toBe('no-store, no-transform');
  expect(stream.response.headers.get('x-accel-buffering')).toBe('no');
  expect(stream.events[0]).toMatchObject({ kind: 'turn-started', data: { turnId, conversationId } });
  expect(Date.parse(stream.all('turn-started')[0]?.at ?? '')).not.toBeNaN();
  expect(ids(stream)).toEqual(stream.events.map((_, index) => index));
  const { message } = stream.ended('turn-completed');
  expect(message).toMatchObject({ turnId, role: 'agent', status: 'completed', text: 'Hello there.' });
  expect(stream.closed).toBe(true);
});

test('clause 11: the stream is open as soon as the turn is accepted, before the agent has said a word', async () => {
  const gate = createGate();
  rig.agent.nextChat(async (answer) => {
    await gate.opened;
    answer.open();
    answer.done('Late.');
  });
  const stream = await visitor.ask(randomUUID(), randomUUID(), makeQuestion());
  await stream.until(({ events }) => events.length === 1, 'turn-started');
  expect(stream.last.kind).toBe('turn-started');
  gate.open();
  expect((await stream.whole()).ended('turn-completed').message.text).toBe('Late.');
});

test('clause 12: GET without Last-Event-ID replays the whole log, byte for byte', async () => {
  const { stream, conversationId, turnId } = await visitor.chat();
  const replay = await (await visitor.attach(conversationId, turnId)).whole();
  expect(replay.raw).toBe(stream.raw);
});

test('clause 12: GET goes on after the Last-Event-ID, while the turn runs and after', async () => {
  const gate = answerInTwoParts(rig.agent);
  const [conversationId, turnId] = [randomUUID(), randomUUID()];
  const stream = await visitor.ask(conversationId, turnId, makeQuestion());
  await stream.untilText('One ');
  const follower = await visitor.attach(conversationId, turnId, 0);
  await follower.untilText('One ');
  expect(ids(follower)).toEqual([1]);
  gate.open();
  await Promise.all([stream.whole(), follower.whole()]);
  expect(follower.events).toEqual(stream.events.slice(1));
  for (const { id } of stream.events.slice(0, -1)) {
    const rest = await (await visitor.attach(conversationId, turnId, id)).whole();
    expect(rest.events).toEqual(stream.events.slice(id + 1));
  }
});

test('clause 12: GET with the last id of an ended turn is 204', async () => {
  const { stream, conversationId, turnId } = await visitor.chat();
  const reply = await visitor.call('GET', toTurnPath(conversationId, turnId), undefined, {
    'last-event-id': String(stream.last.id),
  });
  expect([reply.status, reply.text]).toEqual([204, '']);
});

test('clause 12: a later PUT replays identical ids and data and asks nothing', async () => {
  const { stream, conversationId, turnId, question } = await visitor.chat();
  const replay = await (await visitor.ask(conversationId, turnId, question)).whole();
  expect(replay.raw).toBe(stream.raw);
  expect(rig.agent.chatsAbout(question)).toHaveLength(1);
});

test('clause 12: a PUT sent five times in parallel with one id is one question and five identical streams', async () => {
  const gate = answerInTwoParts(rig.agent);
  const [conversationId, turnId, question] = [randomUUID(), randomUUID(), makeQuestion()];
  const streams = await Promise.all(
    Array.from({ length: 5 }, () => visitor.ask(conversationId, turnId, question)),
  );
  await Promise.all(streams.map((stream) => stream.untilText('One ')));
  gate.open();
  for (const stream of streams) await stream.whole();
  expect(new Set(streams.map((stream) => stream.raw)).size).toBe(1);
  expect(streams[0]?.ended('turn-completed').message.text).toBe('One two.');
  expect(rig.agent.chatsAbout(question)).toHaveLength(1);
});

test('a visitor who goes away does not stop the turn: the answer is whole on return', async () => {
  const gate = answerInTwoParts(rig.agent);
  const [conversationId, turnId, question] = [randomUUID(), randomUUID(), makeQuestion()];
  const stream = await visitor.ask(conversationId, turnId, question);
  await stream.untilText('One ');
  stream.leave();
  gate.open();
  const back = await (await visitor.attach(conversationId, turnId)).whole();
  expect(back.ended('turn-completed').message.text).toBe('One two.');
  expect(rig.agent.callsTo('POST /v1/bot/chat/cancel')).toEqual([]);
});

test('clause 13: the joined text-deltas equal message.text, multi-byte characters and all', async () => {
  const parts = ['Zoë ', '👩🏽‍', '🚀 ', '日本', '語\n\n', '  - `a`\r\n', '\u2028\u0000"\\', '…'];
  rig.agent.nextChat((answer) => {
    answer.open();
    for (const text of parts) answer.event('delta', { text });
    answer.done(parts.join(''));
  });
  const { stream } = await visitor.chat();
  expect(stream.text).toBe(parts.join(''));
  expect(stream.ended('turn-completed').message.text).toBe(parts.join(''));
});

test('clause 13: what only the final object says is streamed too, so that the deltas still equal the text', async () => {
  rig.agent.nextChat((answer) => {
    answer.open();
    answer.event('delta', { text: 'One ' });
    answer.done('One two three.');
  });
  const { stream } = await visitor.chat();
  expect(stream.ended('turn-completed').message.text).toBe('One two three.');
  expect(stream.text).toBe('One two three.');
});

test('clause 13: after a recovery message.text stands, as the agent’s record has it', async () => {
  rig.agent.nextChat((answer) => {
    answer.open();
    answer.event('delta', { text: 'Half an ans' });
    answer.recordQuestion();
    answer.recordReply('The whole answer, put differently.');
    answer.reset();
  });
  const { stream, conversationId } = await visitor.chat();
  const { message } = stream.ended('turn-completed');
  expect(message.text).toBe('The whole answer, put differently.');
  expect((await visitor.history(conversationId)).messages.at(-1)?.text).toBe(message.text);
});

test('clause 14: the same turn id with another question is 409 turn-conflict, while it runs and after', async () => {
  const gate = answerInTwoParts(rig.agent);
  const [conversationId, turnId] = [randomUUID(), randomUUID()];
  const stream = await visitor.ask(conversationId, turnId, makeQuestion());
  await stream.untilText('One ');
  const other = makeQuestion();
  const conflict = async () => {
    const { status, json } = await visitor.call('PUT', toTurnPath(conversationId, turnId), { text: other });
    expect([status, json.code]).toEqual([409, 'turn-conflict']);
  };
  await conflict();
  gate.open();
  await stream.whole();
  await conflict();
  expect(rig.agent.chatsAbout(other)).toEqual([]);
});

test('another turn while one runs is 409 turn-running, and is asked once that one has ended', async () => {
  const gate = answerInTwoParts(rig.agent);
  const [conversationId, second, question] = [randomUUID(), randomUUID(), makeQuestion()];
  const stream = await visitor.ask(conversationId, randomUUID(), makeQuestion());
  await stream.untilText('One ');
  const { status, json } = await visitor.call('PUT', toTurnPath(conversationId, second), { text: question });
  expect([status, json.code]).toEqual([409, 'turn-running']);
  expect(rig.agent.chatsAbout(question)).toEqual([]);
  gate.open();
  await stream.whole();
  await (await visitor.ask(conversationId, second, question)).whole();
  const chats = rig.agent.callsTo('POST /v1/bot/chat').slice(-2);
  expect(chats[1]?.body.message).toBe(question);
  expect(chats[1]?.body.chat_id).toBe(chats[0]?.body.chat_id);
  expect(chats[1]?.body.workspace_uuid).toBe(chats[0]?.body.workspace_uuid);
});

test.each(['1', 'not-a-uuid', '3f2b8c1e-0000-4000-8000-0123456789abc', '%00', '..%2f..', '{id}'])(
  'clause 14: the id %s, of a turn or a conversation, is 400',
  async (id) => {
    for (const path of [toTurnPath(randomUUID(), id), toTurnPath(id, randomUUID())])
      for (const [method, body] of [['PUT', { text: 'Hi' }], ['GET'], ['DELETE']] as const) {
        const { status, json } = await visitor.call(method, path, body);
        expect([method, path, status, json.code]).toEqual([method, path, 400, 'bad-request']);
      }
  },
);
