/** The agent's record where it writes words down with other white space, or its letters put together otherwise. */
import { describe, expect, test } from 'vitest';
import type { RecordedMessage } from '../../server-helper/agent/conversation.ts';
import { toEntries } from '../../server-helper/conversation/history.ts';
import type { TurnRecord } from '../../server-helper/store/store.ts';
import { findAnswer } from '../../server-helper/turns/record.ts';
import { toTurn } from '../support/records.ts';

const now = 600_000;
const heard = 'Our café boots:\n- red\n- green ';

function said(id: string, role: 'visitor' | 'agent', text: string): RecordedMessage {
  return { id, role, text, at: now, sources: [], unfinished: false, finished: false };
}
function turn(id: string, change: Partial<TurnRecord>): TurnRecord {
  return toTurn('c', { id, at: now, question: 'Why?', status: 'completed', ...change });
}
const show = (record: RecordedMessage[], turns: TurnRecord[]) =>
  toEntries(record, turns, () => ({ from: 0, until: Number.POSITIVE_INFINITY })).flatMap(({ messages }) =>
    messages.map(({ turnId, text, status }) => [turnId, text, status]),
  );

describe.each([
  ['as they were', (text: string) => text],
  ['with other white space', (text: string) => text.replace(/\s+/g, ' ')],
  ['with other letters', (text: string) => text.normalize('NFD')],
])('words written down %s', (_, write) => {
  const question = said('q', 'visitor', 'Why?');
  const piece = said('f', 'agent', write(heard));
  const stopped = turn('t1', { at: now - 2000, question: 'How?', status: 'stopped', answer: heard });
  const takenBack = { ...stopped, earlier: undefined, wasFound: false };
  const find = (answers: RecordedMessage[], others: TurnRecord[], mine: Partial<TurnRecord> = {}) =>
    findAnswer([question, ...answers], [...others, turn('t2', { status: 'running', ...mine })], 't2', true)
      ?.id;

  test('are not the next question’s answer, where they were stopped or taken back', () => {
    const earlier = JSON.stringify({ takenBack: [takenBack] });
    expect(find([piece], [stopped])).toBeUndefined();
    expect(find([piece], [], { earlier })).toBeUndefined();
    expect(find([said('a', 'agent', 'Yes.')], [stopped])).toBe('a');
  });

  test('leave the answer to the next question alone, of which a word begins as their last one', () => {
    const other = { ...stopped, answer: write('Yes,\nthe ') };
    expect(find([said('a', 'agent', 'Yes, there are.')], [other])).toBe('a');
    expect(find([said('a', 'agent', 'Yes, the')], [other])).toBeUndefined();
  });

  test('are the answer still where another’s stand behind them', () => {
    const own = said('a', 'agent', write('The café\nis open. It closes at six.'));
    expect(find([own, piece], [stopped], { answer: 'The café\nis open.' })).toBe('a');
  });

  test('are no answer where they were said before a decision', () => {
    const mine = { earlier: JSON.stringify({ said: heard, cuts: [heard.length] }), answer: heard };
    expect(find([piece], [], mine)).toBeUndefined();
    expect(find([said('a', 'agent', write(`${heard}It is cancelled.`))], [], mine)).toBe('a');
  });

  test('are not shown under a question of which nothing was heard, where they were taken back', () => {
    const earlier = JSON.stringify({ takenBack: [takenBack] });
    expect(show([question, piece], [turn('t2', { status: 'stopped', earlier })])).toEqual([
      ['t2', 'Why?', 'completed'],
      ['t2', '', 'stopped'],
    ]);
  });

  test('are shown by nobody, where they were a question that was taken back', () => {
    const asked = 'Is the café\nopen?';
    const earlier = JSON.stringify({ takenBack: [{ ...takenBack, question: asked }] });
    const record = [question, said('a', 'agent', 'Yes.'), said('q1', 'visitor', write(asked)), piece];
    expect(show(record, [turn('t2', { agentMessageId: 'a', answer: 'Yes.', earlier })])).toEqual([
      ['t2', 'Why?', 'completed'],
      ['t2', 'Yes.', 'completed'],
    ]);
  });
});
