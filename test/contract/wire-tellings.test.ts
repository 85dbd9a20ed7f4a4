/** Clause 41 on a store without logs: each helper tells a turn under ids of its own, and none of the other's is taken for one. */
import { expect, test } from 'vitest';
import { makePause, pauseWith, resumeWith } from '../support/pause.ts';
import { askSlowly, at, setUpTwoHelpers } from '../support/two-helpers.ts';
import { createVisitor, type TurnStream, toTurnPath, type Visitor } from '../support/visitor.ts';

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
