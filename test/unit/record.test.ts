/** Finding a turn's answer in the agent's record, and telling the record apart into turns. */
import { describe, expect, test } from 'vitest';
import type { RecordedMessage } from '../../server-helper/agent/conversation.ts';
import { toMessages } from '../../server-helper/conversation/history.ts';
import type { TurnRecord } from '../../server-helper/store/store.ts';
import { findQuestionId, findReply } from '../../server-helper/turns/record.ts';

const minute = 60_000;
function said(id: string, role: 'visitor' | 'agent', text: string, at: number): RecordedMessage {
  return { id, role, text, at, sources: [], unfinished: false };
}
function turn(id: string, at: number, change: Partial<TurnRecord> = {}): TurnRecord {
  return {
    conversationId: 'c',
    id,
    at,
    fingerprint: '',
    status: 'completed',
    question: '',
    answer: undefined,
    code: undefined,
    agentMessageId: undefined,
    vote: undefined,
    endedAt: undefined,
    pause: undefined,
    ...change,
  };
}
const everything = { from: 0, until: Number.POSITIVE_INFINITY };

describe('the answer of a turn in the record', () => {
  const asked = { id: 't2', question: 'Why?', at: 10 * minute };

  test('is the reply to the last question when that is the same', () => {
    const record = [said('q', 'visitor', 'Why?', 10 * minute), said('a', 'agent', 'So.', 10 * minute)];
    expect(findReply(record, asked, false, [])?.id).toBe('a');
  });

  test('is not an older answer to an equal question that the agent never got', () => {
    const record = [said('q', 'visitor', 'Why?', 1 * minute), said('a', 'agent', 'So.', 1 * minute)];
    expect(findReply(record, asked, false, [])).toBeUndefined();
  });

  test('is not one that belongs to another turn', () => {
    const record = [said('q', 'visitor', 'Why?', 10 * minute), said('a', 'agent', 'So.', 10 * minute)];
    expect(findReply(record, asked, true, [{ id: 't1', agentMessageId: 'a' }])).toBeUndefined();
  });

  test('is not there while a tool still runs, or when nothing was said', () => {
    const question = said('q', 'visitor', 'Why?', 10 * minute);
    const unfinished = { ...said('a', 'agent', 'So', 10 * minute), unfinished: true };
    expect(findReply([question, unfinished], asked, true, [])).toBeUndefined();
    expect(findReply([question, said('a', 'agent', '', 10 * minute)], asked, true, [])).toBeUndefined();
  });

  test('its question is found by the answer, or, being the last, by its words', () => {
    const record = [
      said('q1', 'visitor', 'Why?', 1),
      said('a1', 'agent', 'So.', 1),
      said('q2', 'visitor', 'Why?', 2),
    ];
    const others = [{ id: 't1', agentMessageId: 'a1' }];
    const byAnswer = { id: 't1', question: '', at: 1, agentMessageId: 'a1' };
    expect(findQuestionId(record, byAnswer, others)).toBe('q1');
    const byWords = { id: 't2', question: 'Why?', at: 2, agentMessageId: undefined };
    expect(findQuestionId(record, byWords, others)).toBe('q2');
  });

  test('an older equal question is never taken for one that did not arrive', () => {
    const failed = { id: 't3', question: 'yes', at: 3, agentMessageId: undefined };
    const others = [
      { id: 't1', agentMessageId: 'a1' },
      { id: 't2', agentMessageId: 'a2' },
    ];
    const record = [said('q1', 'visitor', 'yes', 1), said('a1', 'agent', 'First', 1)];
    expect(findQuestionId(record, failed, others)).toBeUndefined();
    const longer = [...record, said('q2', 'visitor', 'more', 2), said('a2', 'agent', 'Second', 2)];
    expect(findQuestionId(longer, failed, others)).toBeUndefined();
  });
});

describe('history', () => {
  test('gives both sides of a turn the ids that the stream gave them', () => {
    const record = [said('u1', 'visitor', 'Hi', 1), said('a1', 'agent', 'Hello', 2)];
    const messages = toMessages(record, [turn('t1', 1, { agentMessageId: 'a1' })], everything);
    expect(messages.map(({ id, turnId, role, text }) => ({ id, turnId, role, text }))).toEqual([
      { id: 't1', turnId: 't1', role: 'visitor', text: 'Hi' },
      { id: 't1.agent', turnId: 't1', role: 'agent', text: 'Hello' },
    ]);
  });

  test('keeps a failed question that never reached the agent, in its place', () => {
    const record = [
      said('u1', 'visitor', 'One', 1),
      said('a1', 'agent', 'First', 1),
      said('u3', 'visitor', 'Three', 30),
      said('a3', 'agent', 'Third', 30),
    ];
    const turns = [
      turn('t1', 1, { agentMessageId: 'a1' }),
      turn('t2', 20, { status: 'failed', code: 'agent-unavailable', question: 'Two' }),
      turn('t3', 30, { agentMessageId: 'a3' }),
    ];
    const messages = toMessages(record, turns, everything);
    expect(messages.map(({ text }) => text)).toEqual(['One', 'First', 'Two', '', 'Three', 'Third']);
    expect(messages[3]).toMatchObject({ status: 'failed', code: 'agent-unavailable' });
  });

  test('leaves the answer of a running turn to its stream', () => {
    const record = [said('u1', 'visitor', 'Hi', 1), said('a1', 'agent', 'Hel', 2)];
    const messages = toMessages(record, [turn('t1', 1, { status: 'running', question: 'Hi' })], everything);
    expect(messages.map(({ role }) => role)).toEqual(['visitor']);
  });

  test('shows the longer of what was streamed and what was recorded of a stopped turn', () => {
    const record = [said('u1', 'visitor', 'Hi', 1), said('a1', 'agent', 'Hello', 2)];
    const stopped = { status: 'stopped', question: 'Hi', answer: 'Hello there' } as const;
    expect(toMessages(record, [turn('t1', 1, stopped)], everything)[1]).toMatchObject({
      text: 'Hello there',
      status: 'stopped',
    });
  });
});
