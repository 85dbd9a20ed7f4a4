/** Clauses 11 and 12 when time has passed: the log of a turn is gone, or nobody decided. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePause, pauseWith } from '../support/pause.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { makeQuestion, toTurnPath } from '../support/visitor.ts';

const minuteMs = 60_000;
let rig: Rig;
beforeAll(async () => {
  rig = await startRig({
    movableClock: true,
    env: { PORCHLIGHT_WORKSPACE: '7c1f0a52-3b6e-4d18-9a40-5e2d8f6b1c07' },
  });
});
afterAll(() => rig.close());

test('clause 12: a PUT after the log is gone asks nothing and gives the answer as the agent’s record has it', async () => {
  const visitor = await rig.visit();
  const { conversationId, turnId, question, stream } = await visitor.chat();
  await rig.helper.advance(40 * minuteMs);
  const replay = await (await visitor.ask(conversationId, turnId, question)).whole();
  const { message } = replay.ended('turn-completed');
  expect(message).toEqual(stream.ended('turn-completed').message);
  expect(replay.text).toBe('Hello there.');
  expect(replay.events[0]).toEqual(stream.events[0]);
  expect(rig.agent.chatsAbout(question)).toHaveLength(1);
  const again = await (await visitor.attach(conversationId, turnId)).whole();
  expect(again.events).toEqual(replay.events);
});

test('clause 12: so it is with an answer that the agent never recorded', async () => {
  const visitor = await rig.visit();
  rig.agent.nextChat((answer) => {
    answer.open();
    answer.event(undefined, { text: 'All of it.' });
    answer.event(undefined, '[DONE]');
    answer.end();
  });
  const { conversationId, turnId, question } = await visitor.chat();
  await rig.helper.advance(40 * minuteMs);
  const replay = await (await visitor.ask(conversationId, turnId, question)).whole();
  expect(replay.ended('turn-completed').message.text).toBe('All of it.');
  expect(rig.agent.chatsAbout(question)).toHaveLength(1);
});

test('clause 12: so it is with a turn that failed or was stopped: what was said is kept', async () => {
  const visitor = await rig.visit();
  rig.agent.nextChat((answer) => {
    answer.open();
    answer.event('delta', { text: 'Half ' });
    answer.event('error', { error: { message: 'no' } });
    answer.end();
  });
  const failed = await visitor.chat();
  rig.agent.nextChat(async (answer) => {
    answer.open();
    answer.event('delta', { text: 'Half ' });
    await answer.cancelled;
    answer.end();
  });
  const [conversationId, turnId] = [randomUUID(), randomUUID()];
  const stopped = await visitor.ask(conversationId, turnId, makeQuestion());
  await stopped.untilText('Half ');
  await visitor.call('DELETE', toTurnPath(conversationId, turnId));
  await stopped.whole();
  await rig.helper.advance(40 * minuteMs);
  const first = await (await visitor.attach(failed.conversationId, failed.turnId)).whole();
  expect([first.text, first.ended('turn-failed')]).toEqual(['Half ', failed.stream.last.data]);
  const second = await (await visitor.attach(conversationId, turnId)).whole();
  expect(second.ended('turn-stopped').message.text).toBe('Half ');
});

test('clause 11: a pause that nobody decides is over after 15 minutes: a decision is 409, and the conversation is free', async () => {
  const visitor = await rig.visit();
  rig.agent.nextChat(pauseWith(makePause({ name: 'order_status', parameters: {} })));
  const { conversationId, turnId, stream } = await visitor.chat();
  const path = `${toTurnPath(conversationId, turnId)}/decision`;
  await rig.helper.advance(14 * minuteMs);
  expect((await visitor.history(conversationId)).liveTurn).toEqual({ turnId });
  await rig.helper.advance(2 * minuteMs);
  const { status, json } = await visitor.call('POST', path, { decision: 'approve' });
  expect([status, json.code]).toEqual([409, 'turn-conflict']);
  const rest = await (await visitor.attach(conversationId, turnId, stream.last.id)).whole();
  expect(rest.ended('turn-stopped').message.text).toBe('One moment. ');
  const next = await visitor.chat(makeQuestion(), conversationId);
  expect(next.stream.last.kind).toBe('turn-completed');
  expect(rig.agent.callsTo('POST /v1/bot/chat/execute-tool')).toEqual([]);
});
