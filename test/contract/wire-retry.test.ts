/** A question asked again in place of one that failed. */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendJson } from '../support/fake-agent.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { makeQuestion } from '../support/visitor.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await startRig();
});
afterAll(() => rig.close());

const deletions = () => rig.agent.callsTo('DELETE /v1/bot/chat/message/delete');

test('a retry of a question that never arrived deletes nothing, though an older one reads the same', async () => {
  const visitor = await rig.visit();
  const { conversationId } = await visitor.chat('yes');
  await visitor.chat('tell me more', conversationId);
  rig.agent.nextChat((answer) => answer.refuse(503));
  const failed = await visitor.chat('yes', conversationId);
  failed.stream.ended('turn-failed');
  const before = deletions().length;
  const again = await visitor.ask(conversationId, randomUUID(), { text: 'yes', replaces: failed.turnId });
  (await again.whole()).ended('turn-completed');
  expect(deletions()).toHaveLength(before);
  const { messages } = await visitor.history(conversationId);
  expect(messages.filter(({ role }) => role === 'visitor').map(({ text }) => text)).toEqual([
    'yes',
    'tell me more',
    'yes',
  ]);
});

test('a retry of a question that arrived takes its place at the agent', async () => {
  const visitor = await rig.visit();
  let questionId = '';
  rig.agent.nextChat((answer) => {
    questionId = answer.recordQuestion().uuid;
    answer.open();
    answer.event('delta', { text: 'Half' });
    answer.event('error', { error: { message: 'no' } });
    answer.end();
  });
  const failed = await visitor.chat('and this?');
  failed.stream.ended('turn-failed');
  const again = { text: 'and this?', replaces: failed.turnId };
  (await (await visitor.ask(failed.conversationId, randomUUID(), again)).whole()).ended('turn-completed');
  expect(deletions().at(-1)?.body).toMatchObject({ message_id: questionId });
});

test('a cancel that comes late cannot stop the answer to the next question', async () => {
  const visitor = await rig.visit();
  let cancels = 0;
  rig.agent.override('POST /v1/bot/chat/cancel', (_, response) => {
    cancels += 1;
    response.writeHead(cancels === 1 ? 503 : 200, { 'content-type': 'application/json' }).end('{}');
  });
  rig.agent.nextChat((answer) => {
    answer.open();
    answer.event('error', { error: { message: 'no' } });
  });
  const failed = await visitor.chat('first');
  failed.stream.ended('turn-failed');
  let cancelsAtNext = 0;
  rig.agent.nextChat((answer) => {
    cancelsAtNext = cancels;
    answer.open();
    answer.done('All of it.');
  });
  const next = await visitor.chat('second', failed.conversationId);
  expect(next.stream.ended('turn-completed').message.text).toBe('All of it.');
  expect(cancels).toBe(cancelsAtNext);
  rig.agent.restore('POST /v1/bot/chat/cancel');
});

test('a question that is tried again and again while the agent is away stands once when it has come back', async () => {
  const visitor = await rig.visit();
  const first = await visitor.chat('First');
  const { conversationId } = first;
  const down = (_: unknown, response: ServerResponse) => sendJson(response, { error: 'away' }, 503);
  const paths = ['POST /v1/bot/chat', 'GET /v1/bot/chat/read', 'GET /v1/bot/chat/stream-status'];
  for (const path of paths) rig.agent.override(path, down);
  const question = makeQuestion();
  let replaces: string | undefined;
  for (let tries = 0; tries < 3; tries += 1) {
    const turnId = randomUUID();
    const stream = await visitor.ask(conversationId, turnId, {
      text: question,
      ...(replaces !== undefined && { replaces }),
    });
    await stream.whole();
    stream.ended('turn-failed');
    replaces = turnId;
  }
  for (const path of paths) rig.agent.restore(path);
  const last = await visitor.ask(conversationId, randomUUID(), { text: question, replaces });
  await last.whole();
  last.ended('turn-completed');
  const { messages } = await visitor.history(conversationId);
  expect(messages.filter(({ role }) => role === 'visitor').map(({ text }) => text)).toEqual([
    first.question,
    question,
  ]);
});

test('what was asked since on another device is not taken back with an answer that is asked for again', async () => {
  const visitor = await rig.visit();
  const { conversationId, turnId } = await visitor.chat('One?');
  const later = await visitor.chat('Two?', conversationId);
  const before = deletions().length;
  const path = (id: string) => `/conversations/${conversationId}/turns/${id}`;
  const again = { text: 'One?', replaces: turnId, newest: turnId };
  const { status, json } = await visitor.call('PUT', path(randomUUID()), again);
  expect([status, json.code]).toEqual([409, 'turn-conflict']);
  expect(deletions()).toHaveLength(before);
  const questions = async () =>
    (await visitor.history(conversationId)).messages.filter(({ role }) => role === 'visitor');
  expect((await questions()).map(({ text }) => text)).toEqual(['One?', 'Two?']);
  // Who has seen all may take back what is wanted, and send that twice.
  const [id, seen] = [randomUUID(), { ...again, newest: later.turnId }];
  (await (await visitor.ask(conversationId, id, seen)).whole()).ended('turn-completed');
  (await (await visitor.ask(conversationId, id, seen)).whole()).ended('turn-completed');
  expect((await questions()).map(({ text }) => text)).toEqual(['One?']);
});

test('what took the place of the newest answer that was seen, on another device, is not taken back unseen', async () => {
  const visitor = await rig.visit();
  const first = await visitor.chat('One?');
  const seen = await visitor.chat('Two?', first.conversationId);
  const edit = (id: string, text: string, replaces: string) =>
    visitor.ask(first.conversationId, id, { text, replaces, newest: seen.turnId });
  const newer = randomUUID();
  (await (await edit(newer, 'Three?', seen.turnId)).whole()).ended('turn-completed');
  for (const replaces of [first.turnId, seen.turnId]) {
    const path = `/conversations/${first.conversationId}/turns/${randomUUID()}`;
    const body = { text: 'Four?', replaces, newest: seen.turnId };
    const { status, json } = await visitor.call('PUT', path, body);
    expect([status, json.code]).toEqual([409, 'turn-conflict']);
  }
  // The edit itself may be sent twice.
  (await (await edit(newer, 'Three?', seen.turnId)).whole()).ended('turn-completed');
  const { messages } = await visitor.history(first.conversationId);
  expect(messages.filter(({ role }) => role === 'visitor').map(({ text }) => text)).toEqual([
    'One?',
    'Three?',
  ]);
});

test.each([0, 50])(
  'an answer asked for again that says the same is found whole, though its reply broke off after %i characters',
  async (heard) => {
    const visitor = await rig.visit();
    const words = 'We are open from nine to five on every weekday, and on Saturdays until noon, all year.';
    rig.agent.nextChat((answer) => {
      answer.open();
      answer.event('delta', { text: words });
      answer.done(words);
    });
    const { conversationId, turnId } = await visitor.chat('When are you open?');
    rig.agent.nextChat((answer) => {
      answer.open();
      if (heard > 0) answer.event('delta', { text: words.slice(0, heard) });
      answer.toFinal(words);
      answer.reset();
    });
    const again = { text: 'When are you open?', replaces: turnId, newest: turnId };
    const stream = await visitor.ask(conversationId, randomUUID(), again);
    (await stream.whole()).ended('turn-completed');
    const { messages } = await visitor.history(conversationId);
    expect(messages.map(({ text, status }) => [text, status])).toEqual([
      ['When are you open?', 'completed'],
      [words, 'completed'],
    ]);
  },
);

// An agent whose record names answers by other ids than its replies do, and has them late.
test.each([
  ['the same', 'When?', true],
  ['something else', 'Where?', false],
])('the late answer to what was taken back is not that to %s in its place', async (_, text, isHeard) => {
  const visitor = await rig.visit();
  const former = 'We are open from nine to five on every weekday, and on Saturdays until noon, all year.';
  const own = 'You find us beside the old harbour, in the brick house with the green door, first floor.';
  rig.agent.nextChat((answer) => {
    answer.open();
    answer.event('delta', { text: former });
    answer.recordQuestion();
    answer.event('done', { chat: { reply: former, agent: { uuid: randomUUID() } } });
    answer.end();
    setTimeout(() => answer.recordReply(former), 1_500);
  });
  const { conversationId, turnId } = await visitor.chat('When?');
  rig.agent.nextChat((answer) => {
    answer.open();
    answer.recordQuestion();
    if (isHeard) answer.event('delta', { text: own });
    setTimeout(() => answer.reset(), 30);
    setTimeout(() => answer.recordReply(own), 700);
  });
  const again = { text, replaces: turnId, newest: turnId };
  const stream = await visitor.ask(conversationId, randomUUID(), again);
  await stream.whole();
  await new Promise((resolve) => setTimeout(resolve, 1_600));
  const { messages } = await visitor.history(conversationId);
  const told = JSON.stringify([stream.last, messages]);
  expect(told).not.toContain(former);
  // Where all of it was heard, it is found.
  expect(told.includes(own)).toBe(isHeard);
});

test('a question that was stopped before the agent had it can be asked again, though an equal one was stopped there', async () => {
  const visitor = await rig.visit();
  const { conversationId } = await visitor.chat('Before?');
  const text = makeQuestion();
  const path = (id: string) => `/conversations/${conversationId}/turns/${id}`;
  rig.agent.nextChat(async (answer) => {
    answer.open();
    answer.recordQuestion();
    await answer.cancelled;
    setTimeout(() => answer.end(), 400);
  });
  const stopSoon = async (replaces: string | undefined, afterMs: number) => {
    const id = randomUUID();
    const again = replaces === undefined ? {} : { replaces, newest: replaces };
    const stream = await visitor.ask(conversationId, id, { text, ...again });
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    await visitor.call('DELETE', path(id));
    (await stream.whole()).ended('turn-stopped');
    return id;
  };
  const first = await stopSoon(undefined, 150);
  const second = await stopSoon(first, 30);
  expect(rig.agent.chatsAbout(text)).toHaveLength(1);
  await new Promise((resolve) => setTimeout(resolve, 500));
  const again = { text, replaces: second, newest: second };
  (await (await visitor.ask(conversationId, randomUUID(), again)).whole()).ended('turn-completed');
  const { messages } = await visitor.history(conversationId);
  expect(messages.filter(({ role }) => role === 'visitor').map((one) => one.text)).toEqual(['Before?', text]);
});

test.each([1, 2])(
  'a reply that broke off is found whole after %i questions stopped while the workspace was made',
  async (stops) => {
    const visitor = await rig.visit();
    const conversationId = randomUUID();
    const create = 'POST /v1/bot/workspace/create';
    rig.agent.override(create, async (call, response, usual) => {
      await new Promise((resolve) => setTimeout(resolve, 400));
      return usual(call, response);
    });
    let again = {};
    for (let times = 0; times < stops; times += 1) {
      const id = randomUUID();
      const stream = await visitor.ask(conversationId, id, { text: `When ${times}?`, ...again });
      await new Promise((resolve) => setTimeout(resolve, 100));
      await visitor.call('DELETE', `/conversations/${conversationId}/turns/${id}`);
      (await stream.whole()).ended('turn-stopped');
      again = { replaces: id, newest: id };
    }
    await new Promise((resolve) => setTimeout(resolve, 700));
    rig.agent.restore(create);
    rig.agent.nextChat((answer) => {
      answer.open();
      answer.event('delta', { text: 'From' });
      answer.toFinal('From nine to five.');
      answer.reset();
    });
    const stream = await visitor.ask(conversationId, randomUUID(), { text: 'When then?', ...again });
    (await stream.whole()).ended('turn-completed');
    const { messages } = await visitor.history(conversationId);
    expect(messages.map(({ text, status }) => [text, status])).toEqual([
      ['When then?', 'completed'],
      ['From nine to five.', 'completed'],
    ]);
  },
);
