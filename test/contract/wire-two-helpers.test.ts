/** Two helpers on one store: nothing is asked twice, nothing is failed for the other, and every reader gets one telling. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { loseWorkspace } from '../support/fake-agent.ts';
import { createGate } from '../support/gate.ts';
import { until, untilAsync } from '../support/helper-process.ts';
import { makePause, pauseWith, resumeWith } from '../support/pause.ts';
import { askSlowly, at, setUpTwoHelpers } from '../support/two-helpers.ts';
import { createVisitor, makeQuestion, type TurnStream, toTurnPath } from '../support/visitor.ts';

const here = setUpTwoHelpers();

const kinds = (stream: TurnStream) => stream.events.map(({ kind }) => kind);

test('a reader at another helper follows the running turn, which nobody fails and nobody asks again', async () => {
  const visitor = await createVisitor(here.one);
  const { conversationId, turnId, question, stream, gate } = await askSlowly(here, visitor);
  const other = at(here.two, visitor);
  const there = await other.attach(conversationId, turnId);
  await there.untilText('One ');
  const again = await other.ask(conversationId, turnId, question);
  const next = await other.call('PUT', toTurnPath(conversationId, randomUUID()), { text: makeQuestion() });
  expect([next.status, next.json.code]).toEqual([409, 'turn-running']);
  gate.open();
  for (const each of [stream, there, again]) {
    await each.whole();
    expect(each.ended('turn-completed').message.text).toBe('One two.');
    expect(each.text).toBe('One two.');
  }
  expect(there.ended('turn-completed')).toEqual(stream.ended('turn-completed'));
  expect(here.agent.chatsAbout(question)).toHaveLength(1);
  (await other.chat(makeQuestion(), conversationId)).stream.ended('turn-completed');
});

test('clause 35: what an agent still tells of the answer before is not shown as the next one’s at another helper', async () => {
  const visitor = await createVisitor(here.one);
  const first = 'The code of the first is 4711 and nothing else.';
  here.agent.nextChat((answer) => {
    answer.recordQuestion();
    answer.open();
    answer.event('delta', { text: first });
    const agent = answer.recordReply(first);
    const end = (one: typeof answer) => {
      one.event('done', { chat: { reply: first, agent, sources: [] } });
      one.end();
    };
    here.agent.streaming.set(answer.chatId, (again) => {
      again.open();
      again.event('delta', { text: first });
      end(again);
    });
    end(answer);
  });
  const { conversationId } = await visitor.chat();
  const turnId = randomUUID();
  const gate = createGate();
  here.agent.nextChat(async (answer) => {
    answer.recordQuestion();
    answer.open();
    await gate.opened;
    here.agent.streaming.delete(answer.chatId);
    answer.event('delta', { text: 'Second.' });
    const agent = answer.recordReply('Second.');
    answer.event('done', { chat: { reply: 'Second.', agent, sources: [] } });
    answer.end();
  });
  const stream = await visitor.ask(conversationId, turnId, makeQuestion());
  const there = await at(here.two, visitor).attach(conversationId, turnId);
  await sleep(1_500);
  expect(there.text).toBe('');
  gate.open();
  for (const each of [stream, there]) expect((await each.whole()).text).toBe('Second.');
});

test('a stop at another helper reaches the agent, and both tell the turn as stopped', async () => {
  const visitor = await createVisitor(here.one);
  const { conversationId, turnId, stream, chatId } = await askSlowly(here, visitor);
  const other = at(here.two, visitor);
  expect((await other.call('DELETE', toTurnPath(conversationId, turnId))).status).toBe(204);
  await until(
    () => here.agent.callsTo('POST /v1/bot/chat/cancel').some(({ body }) => body.chat_id === chatId()),
    'the agent is told',
    1_000,
  );
  await stream.whole();
  expect(stream.last.kind).toBe('turn-stopped');
  const there = await (await other.attach(conversationId, turnId)).whole();
  expect(there.last.kind).toBe('turn-stopped');
  const { messages } = await other.history(conversationId);
  expect(messages.map(({ status }) => status)).toEqual(['completed', 'stopped']);
});

test('a pause is decided at another helper, once, and a reader of either gets the rest', async () => {
  const visitor = await createVisitor(here.one);
  here.agent.nextChat(pauseWith(makePause({ name: 'order_status', parameters: {} })));
  const { conversationId, turnId, stream } = await visitor.chat();
  stream.ended('turn-paused');
  const other = at(here.two, visitor);
  here.agent.nextResume(resumeWith('It left.'));
  const path = `${toTurnPath(conversationId, turnId)}/decision`;
  const decided = await Promise.all(
    [visitor, other, visitor, other].map((who) => who.call('POST', path, { decision: 'approve' })),
  );
  expect(decided.map(({ status }) => status).sort()).toEqual([202, 409, 409, 409]);
  for (const who of [visitor, other]) {
    const rest = await (await who.attach(conversationId, turnId)).whole();
    expect(rest.last.kind).toBe('turn-completed');
    expect(rest.text).toBe('One moment. It left.');
  }
});

test('a turn stopped at the other helper keeps what the visitor has read of it', async () => {
  const visitor = await createVisitor(here.one);
  // An agent that writes nothing of it down.
  here.agent.nextChat(async (answer) => {
    answer.open();
    answer.event('delta', { text: 'A long and useful beginning ' });
    await answer.cancelled;
    answer.end();
  });
  const [conversationId, turnId] = [randomUUID(), randomUUID()];
  const stream = await visitor.ask(conversationId, turnId, makeQuestion());
  await stream.untilText('A long and useful');
  const other = at(here.two, visitor);
  expect((await other.call('DELETE', toTurnPath(conversationId, turnId))).status).toBe(204);
  await stream.whole();
  expect(stream.ended('turn-stopped').message.text).toBe('A long and useful beginning ');
  for (const each of [visitor, other])
    await untilAsync(async () => {
      const { messages } = await each.history(conversationId);
      return messages.at(-1)?.text.trim() === 'A long and useful beginning';
    }, 'history has what was said');
  for (const each of [visitor, other]) {
    const told = await (await each.attach(conversationId, turnId)).whole();
    expect(told.ended('turn-stopped').message.text).toBe('A long and useful beginning ');
    expect(told.text).toBe('A long and useful beginning ');
  }
});

test('what was said before a stop at another helper is kept, though the answer ends before that is heard of', async () => {
  const visitor = await createVisitor(here.one);
  here.agent.nextChat(async (answer) => {
    answer.open();
    answer.event('delta', { text: 'A long and useful beginning ' });
    await answer.cancelled;
    answer.event('done', { chat: { reply: 'A long and useful beginning ', agent: {}, sources: [] } });
    answer.end();
  });
  const [conversationId, turnId] = [randomUUID(), randomUUID()];
  const stream = await visitor.ask(conversationId, turnId, makeQuestion());
  await stream.untilText('A long and useful');
  const other = at(here.two, visitor);
  expect((await other.call('DELETE', toTurnPath(conversationId, turnId))).status).toBe(204);
  expect((await stream.whole()).ended('turn-stopped').message.text).toBe('A long and useful beginning ');
  const { messages } = await other.history(conversationId);
  expect(messages.at(-1)?.text).toBe('A long and useful beginning ');
});

test('a question stopped at the other helper while its workspace is made anew is never asked', async () => {
  const visitor = await createVisitor(here.one);
  const { conversationId } = await visitor.chat();
  const gone = here.agent.callsTo('POST /v1/bot/chat').at(-1)?.body.workspace_uuid;
  loseWorkspace(here.agent, gone);
  const making = createGate();
  here.agent.override('POST /v1/bot/workspace/create', async (call, response, usual) => {
    await making.opened;
    return usual(call, response);
  });
  const made = here.agent.callsTo('POST /v1/bot/workspace/create').length;
  const question = makeQuestion();
  const turnId = randomUUID();
  const stream = await visitor.ask(conversationId, turnId, question);
  await until(
    () => here.agent.callsTo('POST /v1/bot/workspace/create').length > made,
    'another workspace is made',
  );
  const elsewhere = at(here.two, visitor);
  expect((await elsewhere.call('DELETE', toTurnPath(conversationId, turnId))).status).toBe(204);
  making.open();
  const next = await elsewhere.chat(makeQuestion(), conversationId);
  here.agent.restore('POST /v1/bot/chat');
  here.agent.restore('POST /v1/bot/workspace/create');
  expect(next.stream.last.kind).toBe('turn-completed');
  await stream.whole();
  expect(stream.last.kind).toBe('turn-stopped');
  // The one that the agent refused.
  expect(here.agent.chatsAbout(question)).toHaveLength(1);
});

test('a conversation deleted at one helper ends at the other', async () => {
  const visitor = await createVisitor(here.one);
  const { conversationId, turnId, stream, chatId } = await askSlowly(here, visitor);
  const other = at(here.two, visitor);
  expect((await other.call('DELETE', `/conversations/${conversationId}`)).status).toBe(204);
  await stream.whole();
  expect(stream.last.kind).toBe('turn-stopped');
  expect((await visitor.call('GET', toTurnPath(conversationId, turnId))).status).toBe(404);
  expect(here.agent.callsTo('POST /v1/bot/chat/cancel').some(({ body }) => body.chat_id === chatId())).toBe(
    true,
  );
});

test('the turn of a killed helper is taken over by the other, without asking again', async () => {
  const third = await here.startThird();
  const visitor = await createVisitor(third);
  const { conversationId, turnId, question, gate, chatId } = await askSlowly(here, visitor);
  const stream = await at(here.two, visitor).attach(conversationId, turnId);
  await third.kill('SIGKILL');
  here.agent.streaming.set(chatId(), async (answer) => {
    answer.open();
    answer.event('delta', { text: 'One ' });
    await gate.opened;
    answer.event('delta', { text: 'two.' });
    here.agent.streaming.delete(chatId());
    const message = answer.recordReply('One two.');
    answer.event('done', { chat: { reply: 'One two.', agent: message, sources: [] } });
    answer.end();
  });
  const late = at(here.one, visitor);
  const taken = await late.attach(conversationId, turnId);
  gate.open();
  for (const each of [stream, taken]) {
    await each.whole();
    expect(each.ended('turn-completed').message.text).toBe('One two.');
  }
  expect(here.agent.chatsAbout(question)).toHaveLength(1);
  await third.close();
});

test('a helper that told the first pause tells the second, which another helper has told since, and decides that', async () => {
  const visitor = await createVisitor(here.one);
  const other = at(here.two, visitor);
  const lookUp = makePause({ name: 'look_up', parameters: { step: 1 } });
  const refund = makePause({ name: 'refund', parameters: { amount: 900 } });
  here.agent.nextChat(pauseWith({ ...lookUp, executionId: 'exec_1_aa' }));
  const { conversationId, turnId, stream } = await visitor.chat();
  const path = `${toTurnPath(conversationId, turnId)}/decision`;
  here.agent.nextResume(pauseWith({ ...refund, executionId: 'exec_2_bb' }));
  expect((await other.call('POST', path, { decision: 'approve' })).status).toBe(202);
  const there = await (await other.attach(conversationId, turnId)).whole();
  expect(there.last.data).toMatchObject({ tool: { name: 'refund' } });
  const back = await (await visitor.attach(conversationId, turnId, stream.last.id)).whole();
  expect(back.last.data).toMatchObject({ tool: { name: 'refund' } });
  here.agent.nextResume(resumeWith('Refunded.'));
  expect((await visitor.call('POST', path, { decision: 'approve' })).status).toBe(202);
  await (await visitor.attach(conversationId, turnId)).whole();
  const { execution_data } = here.agent.callsTo('POST /v1/bot/chat/execute-tool').at(-1)?.body ?? {};
  expect(execution_data).toMatchObject({ executionId: 'exec_2_bb', toolName: 'refund' });
});

test('a pause followed at another helper has the words that the store has, whatever was streamed there', async () => {
  const visitor = await createVisitor(here.one);
  const other = at(here.two, visitor);
  const [conversationId, turnId] = [randomUUID(), randomUUID()];
  const gate = createGate();
  const pause = makePause({ name: 'order_status', parameters: { order: '1' } });
  here.agent.nextChat(async (answer) => {
    answer.recordQuestion();
    answer.open();
    answer.event('delta', { text: 'Your order is here. ' });
    // It tells only what is new to those who subscribe.
    here.agent.streaming.set(answer.chatId, async (again) => {
      again.open();
      await gate.opened;
      again.event('delta', { text: 'Let me look. ' });
      again.event('approval', pause);
      again.end();
    });
    await gate.opened;
    answer.event('delta', { text: 'Let me look. ' });
    here.agent.streaming.delete(answer.chatId);
    await sleep(100);
    answer.event('approval', pause);
    answer.end();
  });
  const stream = await visitor.ask(conversationId, turnId, makeQuestion());
  await stream.untilText('here. ');
  const there = await other.attach(conversationId, turnId);
  await expect.poll(() => here.agent.callsTo('GET /v1/bot/chat/subscribe').length).toBeGreaterThan(0);
  gate.open();
  await Promise.all([stream.whole(), there.whole()]);
  here.agent.nextResume((answer) => {
    answer.open();
    answer.event('delta', { text: 'It left.' });
    const agent = answer.recordReply('Your order is here. Let me look. It left.');
    answer.event('done', { chat: { reply: 'It left.', agent, sources: [] } });
    answer.end();
  });
  await other.call('POST', `${toTurnPath(conversationId, turnId)}/decision`, { decision: 'approve' });
  const end = await (await other.attach(conversationId, turnId)).whole();
  expect(end.ended('turn-completed').message.text).toBe('Your order is here. Let me look. It left.');
});

test('a decision made at another helper as soon as the pause is told is taken', async () => {
  const visitor = await createVisitor(here.one);
  const other = at(here.two, visitor);
  const [conversationId, turnId] = [randomUUID(), randomUUID()];
  const gate = createGate();
  here.agent.nextChat(pauseWith(makePause({ name: 'order_status', parameters: {} }), gate.opened));
  here.agent.nextResume(resumeWith('It left.'));
  const stream = await visitor.ask(conversationId, turnId, makeQuestion());
  await stream.untilText('One moment.');
  const there = await other.attach(conversationId, turnId);
  await sleep(400);
  gate.open();
  await stream.whole();
  const path = `${toTurnPath(conversationId, turnId)}/decision`;
  expect((await other.call('POST', path, { decision: 'approve' })).status).toBe(202);
  const end = await (await other.attach(conversationId, turnId)).whole();
  expect(end.ended('turn-completed').message.text).toBe('One moment. It left.');
  there.leave();
});

test.each([
  ['nothing', ''],
  ['the first words', 'One '],
])(
  'what the record holds of the answer at first, %s, is not told elsewhere as the answer',
  async (_, held) => {
    const visitor = await createVisitor(here.one);
    const [conversationId, turnId] = [randomUUID(), randomUUID()];
    here.agent.nextChat(async (answer) => {
      answer.recordQuestion();
      answer.open();
      answer.event('delta', { text: 'One two.' });
      const message = answer.recordReply(held);
      answer.event('done', {
        chat: { reply: 'One two.', agent: { ...message, content: 'One two.' }, sources: [] },
      });
      answer.end();
    });
    const stream = await visitor.ask(conversationId, turnId, makeQuestion());
    await stream.whole();
    expect(stream.ended('turn-completed').message.text).toBe('One two.');
    const there = await at(here.two, visitor).attach(conversationId, turnId);
    await there.whole();
    expect([there.text, there.ended('turn-completed').message.text]).toEqual(['One two.', 'One two.']);
  },
);

test('an end that is stored is told elsewhere although the agent does not give its record', async () => {
  const visitor = await createVisitor(here.one);
  const { conversationId, turnId, stream, gate } = await askSlowly(here, visitor);
  const there = await at(here.two, visitor).attach(conversationId, turnId);
  const read = createGate();
  here.agent.override('GET /v1/bot/chat/read', async () => read.opened);
  gate.open();
  await until(() => kinds(there).includes('turn-completed'), 'the end is told', 5_000);
  expect(there.ended('turn-completed').message.text).toBe('One two.');
  here.agent.restore('GET /v1/bot/chat/read');
  read.open();
  await stream.whole();
});
