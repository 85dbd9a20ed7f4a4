/** A turn that goes on as another helper has told it: each event once, under the id that it had there. */
import { expect, test } from 'vitest';
import type { SharedLogs } from '../../server-helper/store/shared-logs.ts';
import type { TurnRecord } from '../../server-helper/store/store.ts';
import { findStart } from '../../server-helper/turns/attaching.ts';
import { tellEnded } from '../../server-helper/turns/following.ts';
import { createTold } from '../../server-helper/turns/told.ts';
import { LiveTurn } from '../../server-helper/turns/turn.ts';
import { toConversation, toTurn } from '../support/records.ts';

const clock = { now: () => Date.now(), monotonicNow: () => performance.now() };
const conversation = toConversation();

/** A turn at its runner: said, paused and, where there is a rest, decided and completed. */
function tell(rest?: string) {
  const turn = new LiveTurn(conversation.id, 'turn', 0, clock, { tellerId: 't', isTold: false });
  turn.say('One moment. ');
  const pause = {
    executionId: 'e',
    context: {},
    originalQuery: 'q',
    tool: { name: 'order_status', title: '', description: '', parameters: {} },
  };
  turn.end(turn.toPaused({ pause: pause as never, expiresAtMs: Date.now() + 60_000 }));
  const paused = turn.log.toText(0, turn.log.nextId);
  if (rest !== undefined) {
    turn.goOn();
    turn.say(rest);
    turn.end(turn.toCompleted(turn.text, undefined));
  }
  return { paused, whole: turn.log.toText(0, turn.log.nextId) };
}

function follow(events: string, later = '') {
  const turn = new LiveTurn(conversation.id, 'turn', 0, clock, { tellerId: 't', isTold: true });
  const logs = { read: async () => later } as Partial<SharedLogs> as SharedLogs;
  const told = createTold(turn, logs);
  told.take(events);
  return { turn, told };
}

const end = (turn: LiveTurn, told: ReturnType<typeof createTold>, record: Partial<TurnRecord>) =>
  tellEnded(
    { now: Date.now, conversations: { read: async () => ({ messages: [] }) } } as never,
    turn,
    told,
    conversation,
    { ...toTurn(conversation.id), ...record },
  );

test('what is told in pieces, twice or all at once is the same log and the same text', () => {
  const { whole } = tell('It left.');
  const events = whole.split(/(?<=\n\n)/);
  for (const pieces of [[whole], events, [whole, whole], [...events.slice(0, 3), whole]]) {
    const { turn, told } = follow('');
    for (const piece of pieces) told.take(piece);
    expect(turn.log.toText(0, turn.log.nextId)).toBe(whole);
    expect([turn.text, turn.status]).toEqual(['One moment. It left.', 'completed']);
  }
});

test('a pause that was decided before the records were read keeps its place', async () => {
  const { paused, whole } = tell('It left.');
  const stands = {
    status: 'completed',
    answer: 'One moment. It left.',
    endedAt: Date.now() - 60_000,
  } as const;
  const alone = follow(paused);
  await end(alone.turn, alone.told, stands);
  const ids = [...alone.turn.log.toText(0, alone.turn.log.nextId).matchAll(/^id: (\d+)\nevent: (\S+)/gm)];
  expect(ids.map(([, id, kind]) => `${id} ${kind}`)).toEqual([
    '0 turn-started',
    '1 text-delta',
    '2 turn-paused',
    '3 text-delta',
    '4 turn-completed',
  ]);
  // The end is on its way: it is taken as it was told.
  const late = follow(paused, whole);
  await end(late.turn, late.told, { ...stands, endedAt: Date.now() });
  expect(late.turn.log.toText(0, late.turn.log.nextId)).toBe(whole);
});

test('a reader that has seen more than was told here so far goes on after it', async () => {
  const events = tell('It left.').whole.split(/(?<=\n\n)/);
  const { turn, told } = follow(events.slice(0, 2).join(''));
  const store = { findTurn: async () => undefined };
  turn.catchUp = async () => told.take(events.join(''));
  expect(await findStart(store, turn, 't', 3)).toBe(4);
  turn.catchUp = async () => {
    throw new Error('gone');
  };
  expect(await findStart(store, turn, 't', 90)).toBe(0);
});

test('an event that is missing in between is no part of the log, nor is what follows it', () => {
  const events = tell('It left.').whole.split(/(?<=\n\n)/);
  const { turn, told } = follow(events[0]!);
  expect(() => told.take(events[3]!)).toThrow('missing');
  expect(turn.log.nextId).toBe(1);
});
