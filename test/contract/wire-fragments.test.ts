/** A fragment never poses as an answer, and a whole one is never lost: what the agent says of its own texts counts. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { sendJson } from '../support/fake-agent.ts';
import { makePause, pauseWith } from '../support/pause.ts';
import { useRig } from '../support/rig.ts';
import { makeQuestion, toTurnPath } from '../support/visitor.ts';

const { rig, visitor } = await useRig();

const half = 'Do not take these two together unless your ';
const historyOf = async (conversationId: string) =>
  (await visitor.history(conversationId)).messages.map(({ role, text, status }) => [role, text, status]);

test('an answer that the agent calls cancelled is no whole one', async () => {
  rig.agent.nextChat((answer) => {
    const user = answer.recordQuestion();
    answer.open();
    answer.event('delta', { text: half });
    const agent = answer.recordReply(half);
    answer.event('done', { chat: { reply: half, user, agent, sources: [], cancelled: true } });
    answer.end();
  });
  const { conversationId, question, stream } = await visitor.chat();
  expect(stream.ended('turn-failed')).toMatchObject({ retryable: true });
  expect(stream.text).toBe(half);
  expect(await historyOf(conversationId)).toEqual([
    ['visitor', question, 'completed'],
    ['agent', half, 'failed'],
  ]);
});

test.each([
  [
    'of the message',
    (agent: object) => ({ chat: { reply: half, agent: { ...agent, finish_reason: 'cancelled' } } }),
  ],
  ['beside it', () => ({ reply: half, finish_reason: 'error' })],
  ['of the event', () => ({ cancelled: true, text: half })],
])('an answer whose final event says so %s is no whole one', async (_, toFinal) => {
  rig.agent.nextChat((answer) => {
    answer.recordQuestion();
    answer.open();
    answer.event('delta', { text: half });
    answer.event('done', toFinal(Object.assign(answer.recordReply(half), { finish_reason: 'cancelled' })));
    answer.end();
  });
  const { stream } = await visitor.chat();
  expect([stream.last.kind, stream.text]).toEqual(['turn-failed', half]);
});

test('an answer that is not streamed and cancelled is no whole one', async () => {
  rig.agent.nextChat((answer) => {
    answer.recordQuestion();
    answer.recordReply(half);
    sendJson(answer.response, { chat: { reply: half, cancelled: true } });
  });
  const { stream } = await visitor.chat();
  expect(stream.last.kind).toBe('turn-failed');
});

test.each(['cancelled', 'error'])('a message that the record calls %s is no whole answer', async (reason) => {
  rig.agent.nextChat((answer) => {
    answer.recordQuestion();
    answer.open();
    answer.event('delta', { text: 'Do not ' });
    Object.assign(answer.recordReply(half), { finish_reason: reason });
    setTimeout(() => answer.reset(), 50);
  });
  const { stream } = await visitor.chat();
  expect(stream.last.kind).toBe('turn-failed');
});

test('an answer that the record does not hold yet stays, however often the history is read', async () => {
  rig.agent.nextChat((answer) => {
    answer.recordQuestion();
    answer.open();
    const agent = { uuid: randomUUID(), content: 'Written down late.' };
    answer.event('done', { chat: { reply: agent.content, agent, sources: [] } });
    answer.end();
  });
  const { conversationId, question } = await visitor.chat();
  for (let read = 0; read < 3; read += 1)
    expect(await historyOf(conversationId)).toEqual([
      ['visitor', question, 'completed'],
      ['agent', 'Written down late.', 'completed'],
    ]);
});

test('what the record holds of before a pause takes nothing of the whole answer away', async () => {
  const pause = makePause({ name: 'refund', parameters: {} });
  rig.agent.nextChat((answer) => {
    answer.recordQuestion();
    answer.recordReply('One moment. ');
    return pauseWith(pause)(Object.assign(Object.create(answer), { recordQuestion: () => {} }));
  });
  const { conversationId, turnId } = await visitor.chat();
  rig.agent.nextResume((answer) => {
    answer.open();
    const agent = { uuid: randomUUID(), content: 'One moment. Refused by the bank.' };
    answer.event('delta', { text: 'Refused by the bank.' });
    answer.event('done', { chat: { reply: agent.content, agent, sources: [] } });
    answer.end();
  });
  await visitor.call('POST', `${toTurnPath(conversationId, turnId)}/decision`, { decision: 'approve' });
  await (await visitor.attach(conversationId, turnId)).whole();
  for (let read = 0; read < 3; read += 1)
    expect((await historyOf(conversationId)).at(-1)).toEqual([
      'agent',
      'One moment. Refused by the bank.',
      'completed',
    ]);
});

test('of an answer that is still being written the record has a part', async () => {
  rig.agent.nextChat((answer) => {
    const { chatId } = answer;
    answer.recordQuestion();
    answer.open();
    answer.event('delta', { text: 'One. ' });
    const growing = answer.recordReply('One. Two. ');
    rig.agent.streaming.set(chatId, (again) => {
      again.open();
      setTimeout(() => again.reset(), 20);
    });
    setTimeout(() => {
      growing.content = 'One. Two. Three.';
      rig.agent.streaming.delete(chatId);
    }, 400);
    setTimeout(() => answer.reset(), 50);
  });
  const { stream } = await visitor.chat();
  expect(stream.ended('turn-completed').message.text).toBe('One. Two. Three.');
});

test('of an answer that grows slowly while the agent says that it is written, no part is told as whole', async () => {
  const growing: { content: string }[] = [];
  rig.agent.nextChat((answer) => {
    answer.recordQuestion();
    answer.open();
    answer.event('delta', { text: 'Do ' });
    growing.push(answer.recordReply('Do '));
    rig.agent.streaming.set(answer.chatId, (again) => again.refuse(500));
    const timer = setInterval(() => {
      growing[0]!.content += 'not ';
    }, 900);
    setTimeout(() => clearInterval(timer), 9_000);
    setTimeout(() => answer.reset(), 50);
  });
  const stream = await visitor.ask(randomUUID(), randomUUID(), makeQuestion());
  await stream.whole(45_000);
  expect(stream.last.kind).toBe('turn-failed');
  rig.agent.streaming.clear();
}, 60_000);

test.each([
  [undefined, { type: 'tool_result', name: 'x', error: 'nothing found' }],
  [undefined, { type: 'sources', sources: [], error: 'offline' }],
  ['message', { type: 'tool', name: 'x', status: 'failed', error: 'no' }],
  ['tool', { type: 'error', name: 'x', status: 'failed' }],
  ['tool', { name: 'lookup', status: 'failed', error: 'no such order' }],
  ['tool_result', { name: 'lookup', error: { message: 'nothing found' } }],
  ['warning', { error: 'slow source' }],
  ['sources', { sources: [], error: 'index offline' }],
  ['reasoning', { text: 'hm', error: 'x' }],
])('an error inside an event called %s ends no answer (%j)', async (event, data) => {
  rig.agent.nextChat((answer) => {
    answer.open();
    answer.event('delta', { text: 'All ' });
    answer.event(event, data);
    answer.event('delta', { text: 'is well.' });
    answer.done('All is well.');
  });
  const { stream } = await visitor.chat();
  expect(stream.ended('turn-completed').message.text).toBe('All is well.');
});

test.each(['One moment.\n\nDone.', 'One  moment. Done.'])(
  'a whole final text whose white space differs says nothing twice: %j',
  async (whole) => {
    rig.agent.nextChat(pauseWith(makePause({ name: 'refund', parameters: {} })));
    const { conversationId, turnId } = await visitor.chat();
    rig.agent.nextResume((answer) => {
      answer.open();
      answer.event('delta', { text: 'Done.' });
      answer.event('done', { chat: { reply: whole } });
      answer.end();
    });
    await visitor.call('POST', `${toTurnPath(conversationId, turnId)}/decision`, { decision: 'approve' });
    const stream = await (await visitor.attach(conversationId, turnId)).whole();
    expect(stream.ended('turn-completed').message.text).toBe(whole);
  },
);

test('a final text of white space takes no answer away', async () => {
  rig.agent.nextChat((answer) => {
    answer.open();
    answer.event('delta', { text: 'Hello there.' });
    answer.event('done', { chat: { reply: '\n' } });
    answer.end();
  });
  expect((await visitor.chat()).stream.ended('turn-completed').message.text).toBe('Hello there.');
});

test.each([
  ['nothing streamed', undefined],
  ['other outer spaces', ' Done, refunded.\n'],
])('a final object of the rest alone, with %s, keeps what was said before the pause', async (_, streamed) => {
  rig.agent.nextChat(pauseWith(makePause({ name: 'refund', parameters: {} })));
  const { conversationId, turnId } = await visitor.chat();
  rig.agent.nextResume((answer) => {
    answer.open();
    if (streamed) answer.event('delta', { text: streamed });
    answer.event('done', { chat: { reply: 'Done, refunded.' } });
    answer.end();
  });
  await visitor.call('POST', `${toTurnPath(conversationId, turnId)}/decision`, { decision: 'approve' });
  const stream = await (await visitor.attach(conversationId, turnId)).whole();
  const { message } = stream.ended('turn-completed');
  expect(message.text.trim().replace(/\s+/g, ' ')).toBe('One moment. Done, refunded.');
  expect(stream.text).toBe(message.text);
});
