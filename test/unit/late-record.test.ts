/** A record that an agent goes on writing while it is read: what is forgotten here because the record has it must be found again. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RecordedMessage } from '../../server-helper/agent/conversation.ts';
import { toEntries } from '../../server-helper/conversation/history.ts';
import type { TurnRecord } from '../../server-helper/store/store.ts';
import { toTurn } from '../support/records.ts';

type Plan = { question: string; status: 'completed' | 'stopped' };

const everything = () => ({ from: 0, until: Number.POSITIVE_INFINITY });
const tell = (record: readonly RecordedMessage[], turns: readonly TurnRecord[]) =>
  toEntries(record, turns, everything);

/** What the store keeps once this much of the record was read. */
function forget(record: readonly RecordedMessage[], turns: readonly TurnRecord[]): TurnRecord[] {
  const held = new Set(
    tell(record, turns).flatMap(({ turn, isHeld }) =>
      turn?.status === 'completed' && turn.answer !== undefined && isHeld ? [turn.id] : [],
    ),
  );
  return turns.map((turn) => {
    return held.has(turn.id) ? { ...turn, answer: undefined, question: '' } : turn;
  });
}

function toPlanned({ question, status }: Plan, index: number): TurnRecord {
  const turn = toTurn('c', {
    id: `t${index}`,
    at: (index + 1) * 10_000,
    endedAt: (index + 1) * 10_000 + 5000,
    question,
    status,
    answer: `Reply ${index} is this`,
  });
  return status === 'completed' ? { ...turn, agentMessageId: `a${index}` } : turn;
}

function write(turn: TurnRecord, index: number, role: 'visitor' | 'agent', at: number): RecordedMessage {
  const id = `${role === 'agent' ? 'a' : 'q'}${index}`;
  const text = role === 'agent' ? `Reply ${index} is this, whole.` : turn.question;
  const said = { id, role, text, at, sources: [] };
  const answer = turn.status === 'completed' ? (turn.answer ?? '') : text;
  return { ...said, text: role === 'agent' ? answer : text, unfinished: false, finished: false };
}

/** @param order indices of turns: at a turn's first its question is written, at its second the answer. */
function toRecord(turns: readonly TurnRecord[], order: readonly number[]): RecordedMessage[] {
  const asked = new Set<number>();
  return order.map((index, place) => {
    const turn = turns[index] as TurnRecord;
    const role = asked.has(index) ? 'agent' : 'visitor';
    asked.add(index);
    return write(turn, index, role, turn.at + place);
  });
}

function expectAll(turns: readonly TurnRecord[], record: readonly RecordedMessage[], seen: TurnRecord[]) {
  const told = tell(record, seen).flatMap(({ messages }) => messages);
  expect(told.map(({ turnId, role, status }) => [turnId, role, status])).toEqual(
    turns.flatMap(({ id, status }) => [
      [id, 'visitor', 'completed'],
      [id, 'agent', status],
    ]),
  );
  const answers = told.filter(({ role }) => role === 'agent').map(({ text }) => text);
  for (const [index, { answer = '' }] of turns.entries()) expect(answers[index]).toMatch(answer);
  expect(told.filter(({ role }) => role === 'visitor').map(({ text }) => text)).toEqual(
    turns.map(({ question }) => question),
  );
}

const done = (question: string): Plan => ({ question, status: 'completed' });
const stopped = (question: string): Plan => ({ question, status: 'stopped' });

test.each([
  ['two answers to one question, both late', [done('A'), done('A')], [0, 1, 0, 1]],
  ['two questions, both answered late', [done('A'), done('B')], [0, 1, 0, 1]],
  ['a stopped one in between', [stopped('A'), done('B')], [1, 0, 0, 1]],
  ['a stopped one of the same words in between', [stopped('A'), done('A')], [1, 0, 0, 1]],
  ['three of one question', [done('A'), done('A'), done('A')], [0, 1, 0, 2, 1, 2]],
])('what was read of a record that is written late stays with its question: %s', (_, plans, order) => {
  const turns = plans.map(toPlanned);
  const record = toRecord(turns, order);
  let seen: TurnRecord[] = turns;
  for (let length = 1; length <= record.length; length += 1) {
    seen = forget(record.slice(0, length), seen);
  }
  expectAll(turns, record, seen);
});

/** Who takes a question back takes with it what the agent has written down behind it: what was asked before is told still. */
function expectAllBeforeEach(
  turns: readonly TurnRecord[],
  record: readonly RecordedMessage[],
  seen: TurnRecord[],
) {
  for (const index of turns.keys()) {
    const from = record.findIndex(({ id }) => Number(id.slice(1)) >= index);
    // What stands before it of later ones is taken back by its words.
    if (record[from]?.id === `q${index}`)
      expectAll(turns.slice(0, index), record.slice(0, from), seen.slice(0, index));
  }
}

test('what is written down behind a later question is told still, once that is taken back', () => {
  const turns = [done('A'), done('B')].map(toPlanned);
  const record = toRecord(turns, [1, 1, 0, 0]);
  const seen = forget(record, turns);
  expectAll(turns, record, seen);
  expectAllBeforeEach(turns, record, seen);
  expect(seen.map(({ answer }) => answer)).toEqual(['Reply 0 is this', undefined]);
});

test('what is written down amid the pieces of a later answer is told by its id, whatever comes behind it', () => {
  const [one, two] = [done('A'), done('B')].map(toPlanned) as [TurnRecord, TurnRecord];
  const three = {
    ...toPlanned(stopped('C'), 2),
    status: 'failed' as const,
    answer: 'It begins ',
    earlier: JSON.stringify({ ids: [], takenBack: [], standing: [], said: 'It begins ', cuts: [10] }),
  };
  const turns = [one, two, three];
  const say = (id: string, text: string, more: object = {}) => ({
    ...write(three, 2, 'agent', three.at + 1),
    id,
    text,
    ...more,
  });
  const begun = [
    write(two, 1, 'visitor', two.at),
    write(two, 1, 'agent', two.at),
    write(three, 2, 'visitor', three.at),
    say('p', 'It begins ', { unfinished: true }),
    write(one, 0, 'visitor', one.at),
    write(one, 0, 'agent', one.at),
  ];
  const seen = forget(begun, turns);
  for (const record of [begun, [...begun, say('e', 'and ends.')]])
    for (const known of [turns, seen]) {
      const told = tell(record, known).flatMap(({ messages }) => messages);
      const ofOne = told.filter(({ turnId }) => turnId === one.id).map(({ status, text }) => [status, text]);
      expect(ofOne).toEqual([
        ['completed', 'A'],
        ['completed', 'Reply 0 is this'],
      ]);
      expect(told.filter(({ text }) => text === 'A')).toHaveLength(1);
    }
});

/** Each turn with how many messages of others the agent writes down before its answer, or before all of it where it was stopped. */
const plans = fc.array(
  fc.record({
    question: fc.constantFrom('A', 'B'),
    status: fc.constantFrom<Plan['status']>('completed', 'completed', 'stopped'),
    late: fc.nat(3),
  }),
  { minLength: 1, maxLength: 5 },
);

/** `writesWhole`: no question before its answer is there. Of equal questions nobody can tell then which was written down. */
test('however late an agent writes, what was forgotten at any moment is found again', () => {
  fc.assert(
    fc.property(plans, fc.boolean(), (planned, writesWhole) => {
      const toAsked = (plan: Plan, index: number) =>
        toPlanned(writesWhole ? { ...plan, question: `${plan.question} ${index}` } : plan, index);
      const turns = planned.map(toAsked);
      const order: number[] = [];
      const waiting: { index: number; count: number; left: number }[] = [];
      const wait = (messages: number) => {
        for (const one of waiting) one.left -= messages;
        while (true) {
          const ready = waiting.findIndex(({ left }) => left <= 0);
          if (ready < 0) return;
          const [{ index: late, count } = { index: 0, count: 0 }] = waiting.splice(ready, 1);
          for (let time = 0; time < count; time += 1) order.push(late);
        }
      };
      for (const [index, { status, late }] of planned.entries()) {
        if (writesWhole) wait(1);
        if (status === 'stopped' || writesWhole) waiting.push({ index, count: 2, left: late });
        else {
          order.push(index);
          wait(1);
          waiting.push({ index, count: 1, left: late });
        }
        if (writesWhole) wait(0);
      }
      for (const { index, count } of waiting) for (let time = 0; time < count; time += 1) order.push(index);
      const record = toRecord(turns, order);
      let seen = turns;
      for (let length = 1; length <= record.length; length += 1) {
        if (writesWhole && record[length - 1]?.role === 'visitor') continue;
        seen = forget(record.slice(0, length), seen);
      }
      expectAll(turns, record, seen);
      if (writesWhole) expectAllBeforeEach(turns, record, seen);
    }),
    { numRuns: 1000 },
  );
});
