/** Clauses 11 and 23: a turn that waits for what its visitor decides. */
import { expect, test } from 'vitest';
import { createGate } from '../support/gate.ts';
import { executionId, makePause, pauseWith, resumeWith } from '../support/pause.ts';
import { useRig } from '../support/rig.ts';
import { makeQuestion, toTurnPath } from '../support/visitor.ts';

const { rig, visitor } = await useRig();

const orderPause = makePause({ name: 'order_status', parameters: { orderNumber: 'LF-1' } });

/** A turn that waits for the visitor. */
async function ask(pause: Record<string, unknown>) {
  rig.agent.nextChat(pauseWith(pause));
  const turn = await visitor.chat();
  return { ...turn, path: `${toTurnPath(turn.conversationId, turn.turnId)}/decision` };
}

test('clause 11: after turn-paused the stream may close; after the decision ids go on from the next number', async () => {
  const { conversationId, turnId, stream, path } = await ask(orderPause);
  const paused = stream.ended('turn-paused');
  expect(paused).toMatchObject({
    kind: 'approval',
    tool: { name: 'order_status', parameters: { orderNumber: 'LF-1' } },
  });
  expect(Date.parse(paused.expiresAt)).toBeGreaterThan(Date.now());
  expect((await visitor.history(conversationId)).liveTurn).toEqual({ turnId });
  rig.agent.nextResume(resumeWith('It is on its way.'));
  expect((await visitor.call('POST', path, { decision: 'approve' })).status).toBe(202);
  const rest = await (await visitor.attach(conversationId, turnId, stream.last.id)).whole();
  expect(rest.events[0]?.id).toBe(stream.last.id + 1);
  expect(rest.ended('turn-completed').message.text).toBe('One moment. It is on its way.');

  const whole = await (await visitor.attach(conversationId, turnId)).whole();
  expect(whole.events).toEqual([...stream.events, ...rest.events]);
  expect(whole.text).toBe('One moment. It is on its way.');
  const { execution_data, chat_id } = rig.agent.callsTo('POST /v1/bot/chat/execute-tool').at(-1)?.body ?? {};
  expect(chat_id).toBe(rig.agent.callsTo('POST /v1/bot/chat').at(-1)?.body.chat_id);
  expect(execution_data).toMatchObject({
    executionId,
    originalQuery: 'the original query',
    executionType: 'SINGLE',
    toolName: 'order_status',
    parameters: { orderNumber: 'LF-1' },
    context: { thread: 'context-secret-1' },
    executedTools: [{ name: 'earlier_tool', result: 'executed-secret-1' }],
  });
  expect(execution_data).not.toHaveProperty('denied');
});

test('clause 11: a second decision is 409, be it at the same moment or after the end', async () => {
  const { conversationId, turnId, path } = await ask(orderPause);
  const resumed = rig.agent.callsTo('POST /v1/bot/chat/execute-tool').length;
  rig.agent.nextResume(resumeWith('Fine.'));
  const replies = await Promise.all(
    ['approve', 'deny', 'approve', 'deny'].map((decision) => visitor.call('POST', path, { decision })),
  );
  expect(replies.map((reply) => reply.status).sort()).toEqual([202, 409, 409, 409]);
  await (await visitor.attach(conversationId, turnId)).whole();
  const late = await visitor.call('POST', path, { decision: 'approve' });
  expect([late.status, late.json.code]).toEqual([409, 'turn-conflict']);
  expect(rig.agent.callsTo('POST /v1/bot/chat/execute-tool')).toHaveLength(resumed + 1);
});

test('clause 20: a decision that names what it was made on is taken for that alone, not for what the turn waits for next', async () => {
  const { conversationId, turnId, stream, path } = await ask(orderPause);
  const { expiresAt } = stream.ended('turn-paused');
  const refund = {
    ...makePause({ name: 'refund', parameters: { amount: 900 } }),
    executionId: 'exec_1763700009_5d6e7f-ab',
  };
  rig.agent.nextResume(pauseWith(refund));
  expect((await visitor.call('POST', path, { decision: 'approve', expiresAt })).status).toBe(202);
  const next = await (await visitor.attach(conversationId, turnId, stream.last.id)).whole();
  expect(next.ended('turn-paused').tool.name).toBe('refund');
  const resumed = rig.agent.callsTo('POST /v1/bot/chat/execute-tool').length;
  const again = await visitor.call('POST', path, { decision: 'approve', expiresAt });
  expect([again.status, again.json.code]).toEqual([409, 'turn-conflict']);
  expect(rig.agent.callsTo('POST /v1/bot/chat/execute-tool')).toHaveLength(resumed);
  const wrong = await visitor.call('POST', path, { decision: 'approve', expiresAt: 'soon' });
  expect(wrong.status).toBe(400);
  rig.agent.nextResume(resumeWith('Refunded.'));
  const now = { decision: 'approve', expiresAt: next.ended('turn-paused').expiresAt };
  expect((await visitor.call('POST', path, now)).status).toBe(202);
  await (await visitor.attach(conversationId, turnId)).whole();
  const { execution_data } = rig.agent.callsTo('POST /v1/bot/chat/execute-tool').at(-1)?.body ?? {};
  expect(execution_data).toMatchObject({ toolName: 'refund', parameters: { amount: 900 } });
});

test('a decision that comes too late says nothing of what the agent’s record holds', async () => {
  const { conversationId, turnId, path } = await ask(orderPause);
  const whole = 'One moment. It left our store on Monday and will be with you on Thursday.';
  const record = 'GET /v1/bot/chat/read';
  const [recorded, refused] = [createGate(), createGate()];
  rig.agent.nextResume(async (answer) => {
    answer.open();
    answer.event('delta', { text: 'It left our store on Monday and will be ' });
    answer.recordReply(whole);
    recorded.open();
    await refused.opened;
    answer.reset();
  });
  const reads = rig.agent.callsTo(record).length;
  // The record that the late one reads has the answer in it.
  rig.agent.override(record, async (call, response, usual) => {
    if (rig.agent.callsTo(record).length === reads + 2) await recorded.opened;
    return usual(call, response);
  });
  const [first, late] = ['approve', 'approve'].map((decision) => visitor.call('POST', path, { decision }));
  expect((await first)?.status).toBe(202);
  expect((await late)?.status).toBe(409);
  rig.agent.restore(record);
  refused.open();
  const rest = await (await visitor.attach(conversationId, turnId)).whole();
  expect(rest.ended('turn-completed').message.text).toBe(whole);
});

test('a denial tells the agent so, with everything that it sent', async () => {
  const { conversationId, turnId, stream, path } = await ask(orderPause);
  rig.agent.nextResume(resumeWith('As you wish.'));
  await visitor.call('POST', path, { decision: 'deny' });
  await (await visitor.attach(conversationId, turnId, stream.last.id)).whole();
  const { execution_data } = rig.agent.callsTo('POST /v1/bot/chat/execute-tool').at(-1)?.body ?? {};
  expect(execution_data).toMatchObject({ executionId, denied: true });
});

test('a decision names nothing but the decision: a tool or parameters of the visitor’s are 400', async () => {
  const { path } = await ask(orderPause);
  const resumed = rig.agent.callsTo('POST /v1/bot/chat/execute-tool').length;
  for (const more of [{ toolName: 'refund' }, { parameters: {} }, { executionId }, { answers: ['x'] }])
    expect((await visitor.call('POST', path, { decision: 'approve', ...more })).status).toBe(400);
  expect((await visitor.call('POST', path, { decision: 'answer', answers: ['x'] })).status).toBe(400);
  expect(rig.agent.callsTo('POST /v1/bot/chat/execute-tool')).toHaveLength(resumed);
});

test('clause 23: answers is an array of strings, one a question', async () => {
  const questions = [
    { question: 'Which size?', options: ['S', 'M'] },
    { question: 'Which colour?', options: ['red', 'blue'] },
  ];
  const { conversationId, turnId, stream, path } = await ask(
    makePause({ name: 'ask_user', parameters: { questions } }),
  );
  expect(stream.ended('turn-paused')).toMatchObject({ kind: 'question', questions });
  for (const answers of ['M', ['M'], ['M', 'red', 'x'], ['M', 1], ['M', null], [], {}, undefined])
    expect((await visitor.call('POST', path, { decision: 'answer', answers })).status).toBe(400);
  rig.agent.nextResume(resumeWith('Noted.'));
  expect((await visitor.call('POST', path, { decision: 'answer', answers: ['M', 'teal'] })).status).toBe(202);
  await (await visitor.attach(conversationId, turnId, stream.last.id)).whole();
  expect(rig.agent.callsTo('POST /v1/bot/chat/execute-tool').at(-1)?.body.execution_data).toMatchObject({
    parameters: { questions, answers: ['M', 'teal'] },
  });
});

test('clause 13: a reply that holds only what came after the pause takes nothing back of what was said before', async () => {
  const { conversationId, turnId, path } = await ask(orderPause);
  rig.agent.nextResume((answer) => {
    answer.open();
    answer.event('delta', { text: 'It is on its way.' });
    answer.done('It is on its way.');
  });
  expect((await visitor.call('POST', path, { decision: 'approve' })).status).toBe(202);
  const whole = await (await visitor.attach(conversationId, turnId)).whole();
  expect(whole.ended('turn-completed').message.text).toBe('One moment. It is on its way.');
  expect(whole.text).toBe('One moment. It is on its way.');
});

test('clause 15: a paused turn can be stopped, and the conversation is free again', async () => {
  const { conversationId, turnId, stream, path } = await ask(orderPause);
  expect((await visitor.call('DELETE', toTurnPath(conversationId, turnId))).status).toBe(204);
  const rest = await (await visitor.attach(conversationId, turnId, stream.last.id)).whole();
  expect(rest.ended('turn-stopped').message).toMatchObject({ status: 'stopped', text: 'One moment. ' });
  expect((await visitor.call('POST', path, { decision: 'approve' })).status).toBe(409);
  const next = await visitor.chat(makeQuestion(), conversationId);
  expect(next.stream.last.kind).toBe('turn-completed');
});
