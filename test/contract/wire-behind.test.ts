/** Clause 19: a record that is written later than the answer is streamed, or in many parts, never makes a fragment the answer. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Message } from '../../server-helper/protocol/wire.ts';
import { type Script, sendJson } from '../support/fake-agent.ts';
import { makePause, pauseWith } from '../support/pause.ts';
import { useRig } from '../support/rig.ts';
import { makeQuestion, toTurnPath } from '../support/visitor.ts';

const { rig, visitor } = await useRig();

const status = 'GET /v1/bot/chat/stream-status';
const part = 'Returns are free ';
const rest = 'within 30 days, except for sale items.';
const whole = part + rest;
const say = (...texts: string[]): Script => {
  return (answer) => {
    answer.recordQuestion();
    answer.open();
    for (const text of texts) answer.event('delta', { text });
  };
};
const readAll = async (conversationId: string) => {
  const all: Message[] = [];
  for (let cursor: string | undefined, more = true; more; ) {
    const { messages, next } = await visitor.history(conversationId, cursor);
    all.unshift(...messages);
    cursor = next ?? undefined;
    more = cursor !== undefined;
  }
  return all;
};

test.each([
  ['[DONE]', undefined, '[DONE]'],
  ['an event without a chat', 'done', {}],
])(
  'ended by %s, an answer is what was streamed, though its record holds a part of it yet',
  async (_, name, data) => {
    rig.agent.nextChat(async (answer) => {
      await say(part, rest)(answer);
      answer.recordReply(part);
      answer.event(name, data);
      answer.end();
    });
    const { conversationId, stream } = await visitor.chat();
    expect(stream.ended('turn-completed').message.text).toBe(whole);
    expect((await visitor.history(conversationId)).messages.at(-1)?.text).toBe(whole);
  },
);

test('ended by [DONE], the first of two recorded messages is not the answer', async () => {
  rig.agent.nextChat(async (answer) => {
    await say('Let me look. ', whole)(answer);
    answer.recordReply('Let me look. ');
    answer.event(undefined, '[DONE]');
    answer.end();
  });
  const { stream } = await visitor.chat();
  expect(stream.ended('turn-completed').message.text).toBe(`Let me look. ${whole}`);
});

test('a record behind what was heard of a cut answer is no answer', async () => {
  rig.agent.nextChat(async (answer) => {
    await say(part, rest.slice(0, 10))(answer);
    answer.recordReply(part);
    setTimeout(() => answer.reset(), 50);
  });
  const { stream } = await visitor.chat();
  expect(stream.ended('turn-failed').retryable).toBe(true);
  expect(stream.text).toBe(part + rest.slice(0, 10));
});

test('a running reply that tells only what is new does not end what was shown by its [DONE]', async () => {
  rig.agent.nextChat(async (answer) => {
    await say(part)(answer);
    rig.agent.streaming.set(answer.chatId, async (again) => {
      again.open();
      again.event('delta', { text: rest });
      answer.recordReply(whole);
      rig.agent.streaming.delete(answer.chatId);
      again.event(undefined, '[DONE]');
      again.end();
    });
    setTimeout(() => answer.reset(), 50);
  });
  const { stream } = await visitor.chat();
  expect(stream.ended('turn-completed').message.text).toBe(whole);
  expect(stream.text).toBe(whole);
});

test('after a decision a running reply may be told from the decision on, its decided pause with it', async () => {
  const pause = makePause({ name: 'order_status', parameters: { order: '1' } });
  rig.agent.nextChat(pauseWith(pause));
  rig.agent.nextResume((answer) => {
    answer.open();
    answer.event('delta', { text: 'Order 1 can ' });
    rig.agent.streaming.set(answer.chatId, (again) => {
      again.open();
      again.event('approval', pause);
      for (const text of ['Order 1 ', 'can ', 'not be ', 'returned.']) again.event('delta', { text });
      rig.agent.streaming.delete(answer.chatId);
      again.event(undefined, '[DONE]');
      again.end();
    });
    setTimeout(() => answer.reset(), 50);
  });
  const { conversationId, turnId } = await visitor.chat();
  await visitor.call('POST', `${toTurnPath(conversationId, turnId)}/decision`, { decision: 'approve' });
  const stream = await (await visitor.attach(conversationId, turnId)).whole();
  expect(stream.last.kind).toBe('turn-completed');
  expect(stream.text).toBe('One moment. Order 1 can not be returned.');
});

test.each([
  ['that it does not know the endpoint', {}, 404],
  ['something else', { streaming: 'yes' }, 200],
])('an agent that says %s, asked whether it speaks, is not taken to be silent', async (_, json, code) => {
  rig.agent.override(status, (__, response) =>
    sendJson(
      response,
      code === 404 ? { success: false, error: { message: 'no', code: 'not_found' } } : json,
      code,
    ),
  );
  rig.agent.nextChat(async (answer) => {
    await say(part)(answer);
    const recorded = answer.recordReply(part);
    setTimeout(() => answer.reset(), 50);
    await sleep(1_000);
    recorded.content = whole;
  });
  const { stream } = await visitor.chat();
  rig.agent.restore(status);
  expect(stream.ended('turn-completed').message.text).toBe(whole);
});

test('an agent that says it still speaks is waited for while a tool of its runs', async () => {
  rig.agent.nextChat(async (answer) => {
    await say(part)(answer);
    const recorded = answer.recordReply(part);
    rig.agent.streaming.set(answer.chatId, (again) => again.refuse(500));
    setTimeout(() => answer.reset(), 50);
    await sleep(8_000);
    recorded.content = whole;
    rig.agent.streaming.delete(answer.chatId);
  });
  const { stream } = await visitor.chat();
  expect(stream.ended('turn-completed').message.text).toBe(whole);
});

test('an answer after twenty recorded steps is found', async () => {
  rig.agent.nextChat(async (answer) => {
    await say(part)(answer);
    for (let step = 1; step <= 24; step += 1) answer.recordReply(`Step ${step}`);
    answer.recordReply(whole);
    setTimeout(() => answer.reset(), 50);
  });
  const { conversationId, question, stream } = await visitor.chat();
  expect(stream.ended('turn-completed').message.text).toBe(whole);
  const { messages } = await visitor.history(conversationId);
  expect(messages.map(({ text }) => text)).toEqual([question, whole]);
});

test('a question without an answer in the record parts no other question from its answer', async () => {
  const conversationId = randomUUID();
  const [turns, failing] = [24, 20];
  const ids: string[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    if (turn === failing)
      rig.agent.nextChat((answer) => {
        answer.recordQuestion();
        answer.open();
        answer.event('error', { error: { message: 'no', status: 500 } });
        answer.end();
      });
    const turnId = randomUUID();
    ids.push(turnId);
    await (await visitor.ask(conversationId, turnId, `${turn} ${makeQuestion()}`)).whole();
  }
  for (let read = 0; read < 2; read += 1) {
    const all = await readAll(conversationId);
    expect(all.filter(({ role }) => role === 'visitor').map(({ turnId }) => turnId)).toEqual(ids);
    expect(all.filter(({ role }) => role === 'agent').map(({ turnId }) => turnId)).toEqual(ids);
  }
});

test('an answer that stands away from its question stays with it, however often it is read', async () => {
  const [conversationId, first, second] = [randomUUID(), randomUUID(), randomUUID()];
  const [q1, q2] = [makeQuestion(), makeQuestion()];
  rig.agent.nextChat(async (answer) => {
    answer.open();
    answer.event('delta', { text: 'Some ' });
    await answer.cancelled;
    answer.end();
  });
  const stopped = await visitor.ask(conversationId, first, q1);
  await stopped.untilText('Some ');
  await visitor.call('DELETE', toTurnPath(conversationId, first));
  await stopped.whole();
  rig.agent.nextChat((answer) => {
    answer.recordQuestion();
    answer.recordQuestion(q1);
    answer.open();
    const agent = answer.recordReply('Answer two.');
    answer.event('done', { chat: { reply: agent.content, agent, sources: [] } });
    answer.end();
  });
  await (await visitor.ask(conversationId, second, q2)).whole();
  for (let read = 0; read < 3; read += 1) {
    const { messages } = await visitor.history(conversationId);
    expect(messages.map(({ turnId, text }) => [turnId, text])).toEqual([
      [first, q1],
      [first, 'Some '],
      [second, q2],
      [second, 'Answer two.'],
    ]);
  }
  await (await visitor.ask(conversationId, randomUUID(), { text: makeQuestion(), replaces: second })).whole();
  const chatId = String(rig.agent.chatsAbout(q2)[0]?.body.chat_id);
  expect(rig.agent.records.get(chatId)?.map(({ content }) => content)).not.toContain(q2);
});

test.each([
  [{ choices: [{ delta: {}, finish_reason: 'error' }] }],
  [{ choices: [{ delta: {}, error: { message: 'overloaded' } }] }],
  [{ message: { content: '', finish_reason: 'cancelled' } }],
])('%j says that the answer is cut', async (told) => {
  rig.agent.nextChat(async (answer) => {
    await say(part)(answer);
    answer.event(undefined, told);
    answer.event(undefined, '[DONE]');
    answer.end();
  });
  const { stream } = await visitor.chat();
  expect([stream.last.kind, stream.text]).toEqual(['turn-failed', part]);
});

test.each([300, 1_000])(
  'a record whose last write comes %i ms after the agent says it is silent is waited for',
  async (ms) => {
    rig.agent.nextChat(async (answer) => {
      await say(part)(answer);
      const recorded = answer.recordReply(part);
      setTimeout(() => answer.reset(), 50);
      await sleep(ms);
      recorded.content = whole;
    });
    const { stream } = await visitor.chat();
    expect(stream.ended('turn-completed').message.text).toBe(whole);
  },
);

test('a record that gives the reason for its end is believed at once', async () => {
  rig.agent.nextChat(async (answer) => {
    await say(part)(answer);
    Object.assign(answer.recordReply(whole), { finish_reason: 'stop' });
    setTimeout(() => answer.reset(), 50);
  });
  const reads = rig.agent.callsTo('GET /v1/bot/chat/read').length;
  const { stream } = await visitor.chat();
  expect(stream.ended('turn-completed').message.text).toBe(whole);
  expect(rig.agent.callsTo('GET /v1/bot/chat/read')).toHaveLength(reads + 1);
});

/** Asks, and stops after `words`; gives what writes those down late. */
async function stopAfter(conversationId: string, words: string) {
  const turnId = randomUUID();
  let record = () => {};
  rig.agent.nextChat(async (answer) => {
    record = () => void answer.recordReply(words);
    answer.recordQuestion();
    answer.open();
    answer.event('delta', { text: words });
    await answer.cancelled;
    answer.end();
  });
  const stream = await visitor.ask(conversationId, turnId, makeQuestion());
  await stream.untilText(words);
  await visitor.call('DELETE', toTurnPath(conversationId, turnId));
  await stream.whole();
  return { turnId, record: () => record() };
}
const answersOf = async (conversationId: string) =>
  (await visitor.history(conversationId)).messages
    .filter(({ role }) => role === 'agent')
    .map(({ turnId, status: how, text }) => [turnId, how, text]);

test.each([
  ['Boots can be ', 'Yes, we ship to Canada in five days.'],
  ['Boots can be returned within 30 days when not worn, and ', 'Yes.'],
])('a stopped fragment written down behind the next answer is not that answer: %s', async (words, text) => {
  const conversationId = randomUUID();
  const stopped = await stopAfter(conversationId, words);
  rig.agent.nextChat((answer) => {
    answer.open();
    answer.done(text);
  });
  const { turnId } = await visitor.chat(makeQuestion(), conversationId);
  stopped.record();
  for (let read = 0; read < 3; read += 1)
    expect(await answersOf(conversationId)).toEqual([
      [stopped.turnId, 'stopped', words],
      [turnId, 'completed', text],
    ]);
});

test('a stopped fragment written down behind a cut answer does not hide it', async () => {
  const conversationId = randomUUID();
  const stopped = await stopAfter(conversationId, 'Boots can be ');
  rig.agent.nextChat(async (answer) => {
    await say(part)(answer);
    answer.recordReply(whole);
    stopped.record();
    setTimeout(() => answer.reset(), 50);
  });
  const { turnId, stream } = await visitor.chat(makeQuestion(), conversationId);
  expect(stream.ended('turn-completed').message.text).toBe(whole);
  expect(await answersOf(conversationId)).toEqual([
    [stopped.turnId, 'stopped', 'Boots can be '],
    [turnId, 'completed', whole],
  ]);
});

test.each(['completed', 'stopped', 'failed'])(
  'an answer without an id, written down behind the next question, is not that one’s, which %s',
  async (how) => {
    const conversationId = randomUUID();
    let record = () => {};
    rig.agent.nextChat(async (answer) => {
      record = () => void answer.recordReply(whole);
      await say(whole)(answer);
      answer.event(undefined, '[DONE]');
      answer.end();
    });
    const first = await visitor.chat(makeQuestion(), conversationId);
    rig.agent.nextChat(async (answer) => {
      await say('No, sorry.')(answer);
      if (how === 'stopped') await answer.cancelled;
      else if (how === 'failed') answer.event('error', { error: { message: 'no', status: 500 } });
      else answer.event(undefined, '[DONE]');
      answer.end();
    });
    const turnId = randomUUID();
    const stream = await visitor.ask(conversationId, turnId, makeQuestion());
    await stream.untilText('No');
    if (how === 'stopped') await visitor.call('DELETE', toTurnPath(conversationId, turnId));
    await stream.whole();
    record();
    for (let read = 0; read < 2; read += 1)
      expect(await answersOf(conversationId)).toEqual([
        [first.turnId, 'completed', whole],
        [turnId, how, 'No, sorry.'],
      ]);
  },
);

test('of unnamed events only those of text are shown, and one of the type `done` is the end', async () => {
  rig.agent.nextChat(async (answer) => {
    await say()(answer);
    answer.event(undefined, { type: 'tool_call', name: 'x', content: '{"card":"4111"}' });
    answer.event(undefined, { type: 'tool_result', content: 'the customers' });
    answer.event(undefined, { type: 'content_block_delta', delta: { type: 'text_delta', text: part } });
    answer.event(undefined, { type: 'response.output_text.delta', delta: rest });
    answer.event(undefined, { type: 'response.output_text.done', text: rest });
    answer.event(undefined, { type: 'done', text: whole });
    answer.end();
  });
  const { stream } = await visitor.chat();
  expect(stream.text).toBe(whole);
  expect(stream.ended('turn-completed').message.text).toBe(whole);
});

test.each(['stopped', 'refused with a 503', 'reset'])(
  'a whole recorded answer, heard in part, is told though the turn before it was %s without a word',
  async (how) => {
    const conversationId = randomUUID();
    const asked = rig.agent.callsTo('POST /v1/bot/chat').length;
    rig.agent.nextChat(async (answer) => {
      if (how.startsWith('refused')) return answer.refuse(503);
      answer.recordQuestion();
      if (how === 'reset') return answer.reset();
      answer.open();
      await answer.cancelled;
      answer.end();
    });
    const turnId = randomUUID();
    const first = await visitor.ask(conversationId, turnId, makeQuestion());
    await expect.poll(() => rig.agent.callsTo('POST /v1/bot/chat').length).toBe(asked + 1);
    if (how === 'stopped') await visitor.call('DELETE', toTurnPath(conversationId, turnId));
    await first.whole();
    const heard = 'Returns are free within 30 days of the day on which they came to you, ';
    rig.agent.nextChat(async (answer) => {
      await say(heard)(answer);
      Object.assign(answer.recordReply(`${heard}except for sale items.`), { finish_reason: 'stop' });
      setTimeout(() => answer.reset(), 50);
    });
    const { stream } = await visitor.chat(makeQuestion(), conversationId);
    expect(stream.ended('turn-completed').message.text).toBe(`${heard}except for sale items.`);
  },
);
