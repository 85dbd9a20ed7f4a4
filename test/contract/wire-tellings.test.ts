/** A store without logs: each helper follows a turn of the other at the agent, and tells it under ids of its own (clause 41). */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createGate } from '../support/gate.ts';
import { until } from '../support/helper-process.ts';
import { makePause, pauseWith, resumeWith } from '../support/pause.ts';
import { askSlowly, at, setUpTwoHelpers } from '../support/two-helpers.ts';
import {
  createVisitor,
  makeQuestion,
  type TurnStream,
  toTurnPath,
  type Visitor,
} from '../support/visitor.ts';

const here = setUpTwoHelpers();
const kinds = (stream: TurnStream) => stream.events.map(({ kind }) => kind);

function toAttach(visitor: Visitor, lastId: number): RequestInit {
  return { headers: visitor.headers({ 'last-event-id': String(lastId) }) };
}

test('clause 41: an id of another telling gets the whole turn anew, and never a mixture', async () => {
  const visitor = await createVisitor(here.one);
  const { conversationId, turnId, stream, gate } = await askSlowly(here, visitor);
  gate.open();
  await stream.whole();
  const { id: lastId } = stream.last;
  // The one that told it knows its ids.
  expect((await here.one.fetch(toTurnPath(conversationId, turnId), toAttach(visitor, lastId))).status).toBe(
    204,
  );
  const other = at(here.two, visitor);
  for (const id of [0, 1, lastId, lastId + 7]) {
    const there = await (await other.attach(conversationId, turnId, id)).whole();
    expect(kinds(there)[0]).toBe('turn-started');
    expect(there.text).toBe('One two.');
    there.ended('turn-completed');
    const back = await (await visitor.attach(conversationId, turnId, id)).whole();
    expect(kinds(back)[0]).toBe('turn-started');
    expect(back.text).toBe('One two.');
  }
});

test('clause 41: a log that is not the turn’s first is given from its start each time: a session has many tabs', async () => {
  const visitor = await createVisitor(here.one);
  const { conversationId, turnId, stream, gate } = await askSlowly(here, visitor, 'A b c d e f ', 'g h.');
  const asleep = await visitor.attach(conversationId, turnId);
  await asleep.untilText('A b');
  asleep.leave();
  // The first tab moves to the other helper, and follows its log; the second one brings an id of the old one.
  const other = at(here.two, visitor);
  const moved = await other.attach(conversationId, turnId, stream.last.id);
  await moved.untilText('A b');
  const awake = await other.attach(conversationId, turnId, asleep.last.id);
  await awake.until(({ events }) => events.length > 0, 'a first event');
  expect(awake.events[0]).toMatchObject({ id: 0, kind: 'turn-started' });
  gate.open();
  for (const each of [moved, awake]) {
    await each.whole();
    expect(each.text).toBe('A b c d e f g h.');
    each.ended('turn-completed');
  }
});

test('clause 41: what was decided at another helper is told there from its start', async () => {
  const visitor = await createVisitor(here.one);
  here.agent.nextChat(pauseWith(makePause({ name: 'order_status', parameters: {} })));
  const { conversationId, turnId } = await visitor.chat();
  const other = at(here.two, visitor);
  const there = await (await other.attach(conversationId, turnId, 2)).whole();
  expect(kinds(there)[0]).toBe('turn-started');
  here.agent.nextResume(resumeWith('It left.'));
  await other.call('POST', `${toTurnPath(conversationId, turnId)}/decision`, { decision: 'approve' });
  const rest = await (await other.attach(conversationId, turnId, there.last.id)).whole();
  expect(rest.events[0]?.kind).toBe('turn-started');
  expect(rest.text).toBe('One moment. It left.');
});

test('a reader who comes to another helper before the agent has begun is told the words as they come', async () => {
  const visitor = await createVisitor(here.one);
  const [begins, gate] = [createGate(), createGate()];
  const seen = here.agent.calls.length;
  here.agent.nextChat(async (answer) => {
    await begins.opened;
    answer.recordQuestion();
    answer.open();
    answer.event('delta', { text: 'One ' });
    here.agent.streaming.set(answer.chatId, async (again) => {
      again.open();
      again.event('delta', { text: 'One ' });
      await gate.opened;
      again.end();
    });
    await gate.opened;
    here.agent.streaming.delete(answer.chatId);
    const message = answer.recordReply('One two.');
    answer.event('done', { chat: { reply: 'One two.', agent: message, sources: [] } });
    answer.end();
  });
  const [conversationId, turnId] = [randomUUID(), randomUUID()];
  const stream = await visitor.ask(conversationId, turnId, makeQuestion());
  const there = await at(here.two, visitor).attach(conversationId, turnId);
  await until(
    () => here.agent.calls.slice(seen).some(({ path }) => path.endsWith('/chat/subscribe')),
    'the other helper has asked for a reply that does not run yet',
  );
  begins.open();
  await there.untilText('One ');
  gate.open();
  for (const each of [stream, there]) expect((await each.whole()).text).toBe('One two.');
});
