/** Clauses 14 and 15: a turn that is stopped, or whose conversation is deleted. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createGate } from '../support/gate.ts';
import { until } from '../support/helper-process.ts';
import { useRig } from '../support/rig.ts';
import { makeQuestion, toTurnPath } from '../support/visitor.ts';

const { rig, visitor } = await useRig();

const cancelsOf = (chatId: unknown) =>
  rig.agent.callsTo('POST /v1/bot/chat/cancel').filter((call) => call.body.chat_id === chatId);

test('clause 15: stop calls the agent’s cancel within a second, and the turn is turn-stopped with what was said', async () => {
  let chatId = '';
  rig.agent.nextChat(async (answer) => {
    chatId = answer.chatId;
    answer.open();
    answer.event('delta', { text: 'One ' });
    await answer.cancelled;
    answer.end();
  });
  const [conversationId, turnId, question] = [randomUUID(), randomUUID(), makeQuestion()];
  const stream = await visitor.ask(conversationId, turnId, question);
  await stream.untilText('One ');
  const { status } = await visitor.call('DELETE', toTurnPath(conversationId, turnId));
  expect(status).toBe(204);
  await until(() => cancelsOf(chatId).length > 0, 'the agent is told to stop', 1000);
  await stream.whole();
  expect(stream.ended('turn-stopped').message).toMatchObject({ status: 'stopped', text: 'One ' });
  const { messages, liveTurn } = await visitor.history(conversationId);
  expect(messages.map(({ text, status }) => [text, status])).toEqual([
    [question, 'completed'],
    ['One ', 'stopped'],
  ]);
  expect(liveTurn).toBeUndefined();
});

test('clause 15: stop reaches the agent before the first word too', async () => {
  let chatId = '';
  rig.agent.nextChat(async (answer) => {
    chatId = answer.chatId;
    await answer.cancelled;
    answer.open();
    answer.done('Too late.');
  });
  const [conversationId, turnId] = [randomUUID(), randomUUID()];
  const stream = await visitor.ask(conversationId, turnId, makeQuestion());
  await until(() => chatId !== '', 'the agent has the question');
  await visitor.call('DELETE', toTurnPath(conversationId, turnId));
  await until(() => cancelsOf(chatId).length > 0, 'the agent is told to stop', 1000);
  await stream.whole();
  expect(stream.ended('turn-stopped').message.text).toBe('');
});

test('clause 15: the turn is turn-stopped even when the agent then sends its end', async () => {
  rig.agent.nextChat(async (answer) => {
    answer.open();
    answer.event('delta', { text: 'One ' });
    await answer.cancelled;
    answer.event('delta', { text: 'two.' });
    answer.done('One two.');
  });
  const [conversationId, turnId, question] = [randomUUID(), randomUUID(), makeQuestion()];
  const stream = await visitor.ask(conversationId, turnId, question);
  await stream.untilText('One ');
  await visitor.call('DELETE', toTurnPath(conversationId, turnId));
  await stream.whole();
  expect(stream.ended('turn-stopped').message.text).toBe('One ');
  const replay = await (await visitor.ask(conversationId, turnId, question)).whole();
  expect(replay.raw).toBe(stream.raw);
});

test('clause 15: a question stopped before the agent had it is never asked', async () => {
  const gate = createGate();
  rig.agent.override('POST /v1/bot/workspace/create', async (_, response) => {
    await gate.opened;
    response.writeHead(201, { 'content-type': 'application/json' }).end('{"workspace":{"uuid":"w-1"}}');
  });
  const [conversationId, turnId, question] = [randomUUID(), randomUUID(), makeQuestion()];
  const made = rig.agent.callsTo('POST /v1/bot/workspace/create').length;
  const stream = await visitor.ask(conversationId, turnId, question);
  await until(
    () => rig.agent.callsTo('POST /v1/bot/workspace/create').length > made,
    'the workspace is wanted',
  );
  await visitor.call('DELETE', toTurnPath(conversationId, turnId));
  await stream.whole();
  expect(stream.ended('turn-stopped').message.text).toBe('');
  gate.open();
  rig.agent.restore('POST /v1/bot/workspace/create');
  const next = makeQuestion();
  await visitor.chat(next, conversationId);
  expect(rig.agent.chatsAbout(question)).toEqual([]);
  expect(rig.agent.chatsAbout(next)).toHaveLength(1);
});

test('clause 14: stop on an ended turn is 204 and changes nothing', async () => {
  const { conversationId, turnId, stream } = await visitor.chat();
  const before = await visitor.history(conversationId);
  const chatId = rig.agent.callsTo('POST /v1/bot/chat').at(-1)?.body.chat_id;
  for (let times = 0; times < 2; times += 1)
    expect((await visitor.call('DELETE', toTurnPath(conversationId, turnId))).status).toBe(204);
  expect((await (await visitor.attach(conversationId, turnId)).whole()).raw).toBe(stream.raw);
  expect(await visitor.history(conversationId)).toEqual(before);
  expect(cancelsOf(chatId)).toEqual([]);
});

test('clause 14: PUT into a deleted conversation is 404, and asks nothing', async () => {
  const { conversationId, turnId, question } = await visitor.chat();
  expect((await visitor.call('DELETE', `/conversations/${conversationId}`)).status).toBe(204);
  const late = makeQuestion();
  for (const [id, text] of [
    [turnId, question],
    [randomUUID(), late],
  ] as const) {
    const { status, json } = await visitor.call('PUT', toTurnPath(conversationId, id), { text });
    expect([status, json.code]).toEqual([404, 'not-found']);
  }
  expect(rig.agent.chatsAbout(late)).toEqual([]);
});

test('clause 14: a running turn of a deleted conversation ends and never brings it back', async () => {
  let chatId = '';
  rig.agent.nextChat(async (answer) => {
    chatId = answer.chatId;
    answer.open();
    answer.event('delta', { text: 'One ' });
    await answer.cancelled;
    answer.event('delta', { text: 'two.' });
    answer.done('One two.');
  });
  const [conversationId, turnId] = [randomUUID(), randomUUID()];
  const stream = await visitor.ask(conversationId, turnId, makeQuestion());
  await stream.untilText('One ');
  expect((await visitor.call('DELETE', `/conversations/${conversationId}`)).status).toBe(204);
  await stream.whole();
  expect(stream.last.kind).toBe('turn-stopped');
  await until(() => !rig.agent.records.has(chatId), 'the agent’s copy is deleted, after its last word');
  expect((await visitor.call('GET', `/conversations/${conversationId}`)).status).toBe(404);
  expect((await visitor.call('GET', toTurnPath(conversationId, turnId))).status).toBe(404);
  expect((await visitor.list()).conversations.map(({ id }) => id)).not.toContain(conversationId);
});
