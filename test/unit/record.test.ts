/** Finding a turn's answer in the agent's record, and telling the record apart into turns. */
import { describe, expect, test, vi } from 'vitest';
import type { RecordedMessage } from '../../server-helper/agent/conversation.ts';
import { alignRecord } from '../../server-helper/conversation/alignment.ts';
import { toStanding } from '../../server-helper/conversation/earlier.ts';
import { toEntries } from '../../server-helper/conversation/history.ts';
import type { TurnRecord } from '../../server-helper/store/store.ts';
import { findAnswer, findCut, isAsked } from '../../server-helper/turns/record.ts';
import { toTurn } from '../support/records.ts';

const minute = 60_000;
function said(id: string, role: 'visitor' | 'agent', text: string, at: number): RecordedMessage {
  return { id, role, text, at, sources: [], unfinished: false, finished: false };
}
function turn(id: string, at: number, change: Partial<TurnRecord> = {}): TurnRecord {
  return toTurn('c', { id, at, status: 'completed', question: '', ...change });
}
const toMessages = (...values: Parameters<typeof toEntries>) =>
  toEntries(...values).flatMap(({ messages }) => messages);
const everything = () => ({ from: 0, until: Number.POSITIVE_INFINITY });

describe('two turns that the record tells under their own questions are told once', () => {
  const record = [
    said('q1', 'visitor', 'Why?', minute),
    said('kept-1', 'agent', 'So.', minute),
    said('q2', 'visitor', 'Where?', 3 * minute),
    said('kept-2', 'agent', 'Here.', 3 * minute),
  ];
  const ahead = 10 * minute;
  test.each([
    [
      'though it names the answers by other ids than their replies',
      turn('t1', minute, { question: 'Why?', agentMessageId: 'told-1' }),
      turn('t2', 3 * minute, { question: 'Where?', agentMessageId: 'told-2' }),
    ],
    [
      'by their answers’ words where our clock was ahead',
      turn('t1', minute + ahead, { question: 'Why?', answer: 'So.' }),
      turn('t2', 3 * minute + ahead, { question: 'Where?', answer: 'Here.' }),
    ],
  ])('%s', (_, ...turns) => {
    const messages = toMessages(record, turns, everything);
    expect(messages.map(({ text, turnId, status }) => [text, turnId, status])).toEqual([
      ['Why?', 't1', 'completed'],
      ['So.', 't1', 'completed'],
      ['Where?', 't2', 'completed'],
      ['Here.', 't2', 'completed'],
    ]);
  });
});

describe('the answer of a turn in the record', () => {
  const now = 10 * minute;
  const asked = turn('t2', now, { question: 'Why?', status: 'running' });
  const question = said('q', 'visitor', 'Why?', now);
  const find = (record: RecordedMessage[], others: TurnRecord[] = [], arrived = true, mine = asked) =>
    findAnswer(record, [...others, mine], 't2', arrived)?.id;

  test('is the reply to its question', () => {
    const record = [question, said('a', 'agent', 'So.', now)];
    expect(find(record, [], false)).toBe('a');
  });

  test('is not an older answer to an equal question that the agent never got', () => {
    const record = [said('q', 'visitor', 'Why?', minute), said('a', 'agent', 'So.', minute)];
    expect(find(record, [], false)).toBeUndefined();
    expect(find(record, [], true)).toBeUndefined();
  });

  test('is not one that belongs to another turn', () => {
    const record = [question, said('a', 'agent', 'So.', now)];
    expect(find(record, [turn('t1', now, { agentMessageId: 'a' })])).toBeUndefined();
  });

  test('is not there while a tool still runs, or when nothing was said', () => {
    const unfinished = { ...said('a', 'agent', 'So', now), unfinished: true };
    expect(find([question, unfinished])).toBeUndefined();
    expect(find([question, said('b', 'agent', 'Let me look.', now), unfinished])).toBeUndefined();
    expect(find([question, said('a', 'agent', ' ', now)])).toBeUndefined();
  });

  test('is not what was said before the turn paused, whenever it is written down', () => {
    const paused = { ...asked, earlier: JSON.stringify({ said: 'One moment. ' }) };
    expect(find([question, said('a', 'agent', 'One moment.', now)], [], true, paused)).toBeUndefined();
    const whole = said('a', 'agent', 'One moment. It left.', now);
    expect(find([question, whole], [], true, paused)).toBe('a');
  });

  test('is not the fragment of an equal question that was stopped just before', () => {
    const stopped = turn('t1', now - 2000, { question: 'Why?', status: 'stopped', answer: 'Bec' });
    const fragment = said('f', 'agent', 'Becau', now);
    expect(find([question, fragment], [stopped])).toBeUndefined();
    expect(find([said('q1', 'visitor', 'Why?', now - 2000), question, fragment], [stopped])).toBeUndefined();
    const both = [
      said('q1', 'visitor', 'Why?', now - 2000),
      fragment,
      question,
      said('a', 'agent', 'So.', now),
    ];
    expect(find(both, [stopped])).toBe('a');
  });

  test('is not another’s where the agent wrote a question down twice', () => {
    const answered = turn('t0', now - 3000, { question: 'Why?', answer: 'Since.' });
    const failed = turn('t1', now - 2000, { question: 'Why?', status: 'failed' });
    const record = [
      said('d', 'visitor', 'Why?', now - 3000),
      said('q0', 'visitor', 'Why?', now - 3000),
      said('a0', 'agent', 'Since.', now - 3000),
      said('q1', 'visitor', 'Why?', now - 2000),
      said('a1', 'agent', 'Bec', now - 2000),
    ];
    expect(find(record, [answered, failed], false)).toBeUndefined();
  });

  test('is not what a question that was taken back may have left behind', () => {
    const takenBack = { id: 't1', at: now - 2000, question: 'Why?', status: 'failed', answer: '' };
    const mine = { ...asked, earlier: JSON.stringify({ takenBack: [{ ...takenBack, wasFound: false }] }) };
    expect(find([question, said('a', 'agent', 'So.', now)], [], true, mine)).toBeUndefined();
    // Taken back by the question before this one, which asks the first again.
    const between = turn('t1', now - 1000, {
      question: 'How?',
      answer: 'Thus.',
      agentMessageId: 'b',
      earlier: JSON.stringify({ takenBack: [{ ...takenBack, id: 't0', answer: 'So', wasFound: false }] }),
    });
    expect(find([question, said('a', 'agent', 'So it', now)], [between])).toBeUndefined();
    const known = { ...asked, earlier: JSON.stringify({ ids: ['a'] }) };
    expect(find([question, said('a', 'agent', 'So.', now)], [], true, known)).toBeUndefined();
  });

  test('is not what stood there when the visitor decided, until it has grown', () => {
    const shown = said('a', 'agent', 'Shall I cancel order 7?\n', now);
    const decided = (standing: unknown) => ({ ...asked, earlier: JSON.stringify({ standing }) });
    const known = decided([toStanding({ ...shown, text: 'Shall I  cancel order 7?' })]);
    expect(find([question, shown], [], true, known)).toBeUndefined();
    expect(find([question, { ...shown, text: `${shown.text} It is cancelled.` }], [], true, known)).toBe('a');
    expect(find([question, said('b', 'agent', 'Cancelled.', now)], [], true, known)).toBe('b');
    expect(find([question, shown], [], true, decided('unread'))).toBeUndefined();
  });

  test('is not what goes on otherwise than it was heard, while another’s may be written down late', () => {
    const stopped = turn('t1', now - 2000, { question: 'How?', status: 'stopped', answer: 'Well, ' });
    const foreign = said('a', 'agent', 'BOOTS: yes, within 30 days.', now);
    const heard = { ...asked, answer: 'FOOD: no, ' };
    expect(find([question, foreign], [stopped], true, heard)).toBeUndefined();
    expect(find([question, { ...foreign, text: 'FOOD: no, never.' }], [stopped], true, heard)).toBe('a');
    expect(find([question, { ...foreign, text: 'FOOD:' }], [stopped], true, heard)).toBeUndefined();
  });

  test('is not the end of the answer before it, which was written down after its pause and late', () => {
    const said = 'Let me look that up. ';
    const paused = turn('t1', now - 2000, {
      question: 'How?',
      answer: `${said}It left on Monday.`,
      earlier: JSON.stringify({ said, cuts: [said.length] }),
    });
    const end = { ...question, id: 'a', role: 'agent' as const, text: 'It left on Monday.' };
    expect(find([question, end], [paused])).toBeUndefined();
    expect(find([question, { ...end, text: 'Yes, within 30 days.' }], [paused])).toBe('a');
  });

  test('may be a failed question’s of which nothing was heard, unless the agent had refused that', () => {
    const failed = turn('t1', now - 2000, { question: 'How?', status: 'failed', code: 'agent-unavailable' });
    const record = [question, said('a', 'agent', 'So it is, and always was.', now)];
    expect(find(record, [failed])).toBeUndefined();
    expect(find(record, [{ ...failed, code: 'agent-refused' }])).toBe('a');
    // It was never there: neither its words nor an answer to them.
    const untaken = { ...failed, earlier: '{"isUntaken":true}' };
    expect(find(record, [untaken])).toBe('a');
    expect(find(record, [{ ...untaken, question: 'Why?' }])).toBe('a');
    // Two answers to one question begin alike: what was heard is no proof.
    const heard = { ...asked, answer: 'So it is, and' };
    expect(find(record, [{ ...failed, question: 'Why?' }], true, heard)).toBeUndefined();
  });
});

describe('where to cut the record to take a question back', () => {
  const record = [
    said('q1', 'visitor', 'Why?', 1),
    said('a1', 'agent', 'So.', 1),
    said('b1', 'agent', 'And so.', 1),
    said('q2', 'visitor', 'Why?', 2),
    said('a2', 'agent', 'Beca', 2),
    said('q3', 'visitor', 'How?', 3),
    said('a3', 'agent', 'Thus.', 3),
  ];
  const first = turn('t1', 1, { agentMessageId: 'b1' });
  const stopped = turn('t2', 2, { question: 'Why?', status: 'stopped', answer: 'Beca' });
  const last = turn('t3', 3, { agentMessageId: 'a3' });
  const turns = [first, stopped, last];

  test('is before its question, be its answer several messages, or stopped and not the last', () => {
    expect(findCut(record, true, turns, 't1')).toEqual({ messageId: 'q1' });
    expect(findCut(record, true, turns, 't2')).toEqual({ messageId: 'q2' });
    expect(findCut(record, true, turns, 't3')).toEqual({ messageId: 'q3' });
  });

  test('is nowhere yet while only the end of the record has been read', () => {
    expect(findCut(record.slice(2), false, turns, 't1')).toBeUndefined();
    expect(findCut(record.slice(2), false, turns, 't2')).toEqual({ messageId: 'q2' });
  });

  test('is before the next question when its own never reached the agent, or nowhere at all', () => {
    const failed = turn('t0', 2, { question: 'When?', status: 'failed' });
    expect(findCut(record, true, [first, failed, stopped, last], 't0')).toEqual({ messageId: 'q2' });
    expect(findCut(record, true, [...turns, { ...failed, at: 4 }], 't0')).toBe('nothing');
    expect(findCut([], true, [failed], 't0')).toBe('nothing');
  });

  test('is nowhere, or before the next question, where the agent spoke first or wrote an answer down that was taken back', () => {
    const unasked = said('hello', 'agent', 'Hello! How can I help?', 1);
    const failed = turn('t', 2, { question: 'When?', status: 'failed' });
    expect(findCut([unasked], true, [failed], 't')).toBe('nothing');
    const later = turn('t2', 3, { question: 'How?', agentMessageId: 'a3' });
    expect(findCut([unasked, ...record.slice(-2)], true, [failed, later], 't')).toEqual({ messageId: 'q3' });
    expect(findCut([unasked], false, [failed], 't')).toBeUndefined();
  });

  test('is before its question, where its answer is not written down, and nowhere, where it is by another id', () => {
    const question = said('q', 'visitor', 'When?', 1);
    const known = turn('t', 1, { question: 'When?', answer: 'At noon.', agentMessageId: 'told' });
    expect(findCut([question], true, [known], 't')).toEqual({ messageId: 'q' });
    const other = said('other', 'agent', 'At noon.', 1);
    expect(findCut([question, other], true, [known], 't')).toBeUndefined();
  });

  test('is not guessed: an equal question that may be another’s is left alone', () => {
    const failed = turn('t0', 2, { question: 'Why?', status: 'failed' });
    const ambiguous = [first, failed, { ...stopped, answer: '' }, last];
    expect(findCut(record, true, ambiguous, 't0')).toBeUndefined();
  });
});

describe('once the clock was set right, a conversation that was begun while it was ahead', () => {
  const now = Date.now();
  const ahead = 60 * minute;
  // Turns stand in the order in which they began: the second one's time is made of the first one's.
  const first = turn('t1', now + ahead - minute, { agentMessageId: 'a1', endedAt: now + ahead });
  const second = (change: Partial<TurnRecord>) =>
    turn('t2', now + ahead - minute + 1, { question: 'Why?', ...change });
  const record = [
    said('q1', 'visitor', 'When?', now - minute),
    said('a1', 'agent', 'At noon.', now - minute),
    said('q2', 'visitor', 'Why?', now),
    said('a2', 'agent', 'Because.', now),
  ];

  test('has the answer of a question whose stream broke off', () => {
    const running = second({ status: 'running', answer: 'Be' });
    expect(findAnswer(record, [first, running], 't2', true)?.id).toBe('a2');
    const unheard = { ...running, answer: undefined };
    expect(findAnswer(record, [first, unheard], 't2', false)?.id).toBe('a2');
    expect(isAsked(record, [first, unheard], 't2')).toBe(true);
  });

  test('has its questions taken back where they stand', () => {
    const stopped = second({ status: 'stopped', answer: 'Because.', endedAt: now + 1 });
    expect(findCut(record, true, [first, stopped], 't2')).toEqual({ messageId: 'q2' });
  });

  test.each([
    ['running', { status: 'running' }, ['t1', 't1', 't2']],
    ['stopped', { status: 'stopped', answer: 'Bec', endedAt: now + 1 }, ['t1', 't1', 't2', 't2']],
    [
      'failed unheard',
      { status: 'failed', code: 'agent-unavailable', endedAt: now + 1 },
      ['t1', 't1', 't2', 't2'],
    ],
  ] satisfies [string, Partial<TurnRecord>, string[]][])('tells one that is %s once', (_, change, ids) => {
    const told = toMessages(record, [first, second(change)], everything);
    expect(told.map(({ turnId }) => turnId)).toEqual(ids);
  });

  test('takes no end of the stopped one before for the answer', () => {
    const stopped = { ...first, status: 'stopped', agentMessageId: undefined, question: 'When?' } as const;
    const early = { ...stopped, answer: '', endedAt: now - 1_000 };
    const [question] = record.slice(2);
    const late = [question!, said('late', 'agent', 'At noon.', now)];
    expect(findAnswer(late, [early, second({ status: 'running' })], 't2', true)).toBeUndefined();
  });
});

describe('history', () => {
  test('keeps each question with its answer where a stopped one is written down between the two', () => {
    const turns = [
      turn('t1', minute, { question: 'First?', status: 'stopped', answer: 'Fragm' }),
      turn('t2', 2 * minute, { question: 'Second?', answer: 'So.', agentMessageId: 'a2' }),
    ];
    const record = [
      said('q2', 'visitor', 'Second?', 2 * minute),
      said('q1', 'visitor', 'First?', 2 * minute + 1),
      said('a1', 'agent', 'Fragm', 2 * minute + 2),
      said('a2', 'agent', 'So.', 2 * minute + 3),
    ];
    expect(
      toMessages(record, turns, everything).map(({ turnId, role, text }) => [turnId, role, text]),
    ).toEqual([
      ['t1', 'visitor', 'First?'],
      ['t1', 'agent', 'Fragm'],
      ['t2', 'visitor', 'Second?'],
      ['t2', 'agent', 'So.'],
    ]);
    expect(findCut(record, true, turns, 't2')).toEqual({ messageId: 'q2' });
  });

  test.each([
    ['whole', 'Let me look that up. It left on Monday.', []],
    ['what came since alone', 'It left on Monday.', []],
    ['behind what the stopped one had said', 'Let me look that up. It left on Monday.', ['Yes, you']],
  ])(
    'shows under a stopped question no answer of a pause before it, written down late: %s',
    (_, late, own) => {
      const pieces = 'Let me look that up. ';
      const turns = [
        turn('t1', minute, {
          question: 'Where is it?',
          answer: `${pieces}It left on Monday.`,
          earlier: JSON.stringify({ said: pieces, cuts: [pieces.length] }),
        }),
        turn('t2', minute + 500, { question: 'Can I return it?', status: 'stopped', answer: '' }),
      ];
      const record = [
        said('q1', 'visitor', 'Where is it?', minute),
        said('a1', 'agent', pieces.trim(), minute),
        said('q2', 'visitor', 'Can I return it?', minute + 500),
        ...own.map((text) => said('a2', 'agent', text, minute + 600)),
        said('a3', 'agent', late, minute + 1500),
      ];
      const answers = toMessages(record, turns, everything).filter(({ role }) => role === 'agent');
      expect(answers.map(({ text, status }) => [text, status])).toEqual([
        [`${pieces}It left on Monday.`, 'completed'],
        [own[0] ?? '', 'stopped'],
      ]);
    },
  );

  test('leaves a stopped answer as it was heard where an earlier one begins alike and was written down late', () => {
    const turns = [
      turn('t1', minute, { question: 'Canada?', answer: 'Yes, it ships to Canada.' }),
      turn('t2', minute + 1000, { question: 'Canada?', status: 'stopped', answer: 'Yes, it ' }),
    ];
    const record = [
      said('q1', 'visitor', 'Canada?', minute + 1500),
      said('a1', 'agent', 'Yes, it ships to Canada.', minute + 1500),
    ];
    const answers = toMessages(record, turns, everything).filter(({ role }) => role === 'agent');
    expect(answers.map(({ turnId, text, status }) => [turnId, text, status])).toEqual([
      ['t1', 'Yes, it ships to Canada.', 'completed'],
      ['t2', 'Yes, it ', 'stopped'],
    ]);
  });

  test('gives a question that failed no answer to the same words of long before', () => {
    const hour = 60 * minute;
    const record = [said('q1', 'visitor', 'Open?', minute), said('a1', 'agent', 'Yes.', minute)];
    const failed = turn('t2', hour, { question: 'Open?', status: 'failed', code: 'agent-unavailable' });
    const answers = toMessages(record, [failed], everything).filter(({ turnId }) => turnId === 't2');
    expect(answers.map(({ text, status }) => [text, status])).toEqual([
      ['Open?', 'completed'],
      ['', 'failed'],
    ]);
  });

  test('gives both sides of a turn the ids that the stream gave them', () => {
    const record = [said('u1', 'visitor', 'Hi', 1), said('a1', 'agent', 'Hello', 2)];
    const messages = toMessages(record, [turn('t1', 1, { agentMessageId: 'a1' })], everything);
    expect(messages.map(({ id, turnId, role, text }) => ({ id, turnId, role, text }))).toEqual([
      { id: 't1', turnId: 't1', role: 'visitor', text: 'Hi' },
      { id: 't1.agent', turnId: 't1', role: 'agent', text: 'Hello' },
    ]);
  });

  test.each([
    ['completed', 'Five days.', 'Five days.'],
    ['stopped', 'Five ', 'Five '],
    ['failed', '', ''],
  ] as const)(
    'never shows what was stopped or taken back before as the answer of one that %s',
    (status, answer, shown) => {
      const earlier = JSON.stringify({
        takenBack: [
          {
            id: 't0',
            at: 1,
            question: 'How?',
            status: 'stopped',
            answer: 'First you',
            endedAt: 2,
            wasFound: true,
          },
        ],
      });
      const stopped = turn('t1', 3, { question: 'Who?', status: 'stopped', answer: '', endedAt: 4 });
      const mine = turn('t2', 5, { question: 'When?', status, answer, earlier });
      const record = [
        said('u1', 'visitor', 'Who?', 3),
        said('u2', 'visitor', 'When?', 5),
        ...(status === 'completed' ? [said('a2', 'agent', 'Five  days.', 6)] : []),
        said('a0', 'agent', 'First you open', 7),
      ];
      const told = toMessages(record, [stopped, mine], everything).findLast(({ turnId }) => turnId === 't2');
      expect(told?.text.replace(/ +/g, ' ')).toBe(shown);
    },
  );

  test('asks above an answer what its turn asked, whichever question the record has there', () => {
    const record = [said('u1', 'visitor', 'Yes', minute), said('a1', 'agent', 'Sure.', minute + 2)];
    const turns = [turn('t1', minute, { question: 'Tell me more', agentMessageId: 'a1' })];
    expect(toMessages(record, turns, everything).map(({ text }) => text)).toEqual(['Tell me more', 'Sure.']);
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

  test('shows a stopped answer once, though the same question failed before', () => {
    const record = [said('u1', 'visitor', 'Hi', 5), said('a1', 'agent', 'Hel', 5)];
    const turns = [
      turn('t1', 1, { status: 'failed', code: 'agent-unavailable', question: 'Hi' }),
      turn('t2', 5, { status: 'stopped', question: 'Hi', answer: 'Hel' }),
    ];
    expect(
      toMessages(record, turns, everything).map(({ turnId, text, status }) => [turnId, text, status]),
    ).toEqual([
      ['t1', 'Hi', 'completed'],
      ['t1', '', 'failed'],
      ['t2', 'Hi', 'completed'],
      ['t2', 'Hel', 'stopped'],
    ]);
  });

  test('shows what was stopped in its place, though the agent wrote it down after the next answer', () => {
    const record = [
      said('u2', 'visitor', 'Blue?', 20),
      said('a2', 'agent', 'Blue.', 20),
      said('u1', 'visitor', 'How much?', 21),
      said('a1', 'agent', 'The price is', 21),
    ];
    const turns = [
      turn('t1', 10, { status: 'stopped', question: 'How much?', answer: 'The price ' }),
      turn('t2', 20, { agentMessageId: 'a2' }),
    ];
    const tell = (all: TurnRecord[]) =>
      toMessages(record, all, everything).map(({ text, status }) => [text, status]);
    expect(tell(turns)).toEqual([
      ['How much?', 'completed'],
      ['The price is', 'stopped'],
      ['Blue?', 'completed'],
      ['Blue.', 'completed'],
    ]);
    // Taken back: nothing of it is shown.
    const taken = { id: 't1', at: 10, question: 'How much?', status: 'stopped', answer: '', wasFound: false };
    const earlier = JSON.stringify({ takenBack: [taken] });
    expect(tell([{ ...turns[1]!, earlier }])).toEqual([
      ['Blue?', 'completed'],
      ['Blue.', 'completed'],
    ]);
  });

  test('tells no answer that was written down alone, after its question was taken back', () => {
    const taken = { id: 't1', at: 10, question: 'How much?', status: 'completed', wasFound: false };
    const earlier = JSON.stringify({ takenBack: [{ ...taken, answer: 'The price is $9.' }] });
    const failed = turn('t2', 20, { question: 'How heavy?', status: 'failed', answer: '', earlier });
    const tell = (text: string) =>
      toMessages([said('a1', 'agent', text, 21)], [failed], everything).map(({ text }) => text);
    expect(tell('The price is $9.')).toEqual(['How heavy?', '']);
    expect(tell('Hello!')).toEqual(['How heavy?', '', 'Hello!']);
  });

  test('calls nothing whole that may be what was cut off', () => {
    const record = [said('u1', 'visitor', 'How  much?', 10), said('a1', 'agent', 'The pri', 10)];
    const stopped = turn('t1', 10, { status: 'stopped', question: 'How much?' });
    const told = toMessages(record, [stopped], everything).find(({ text }) => text === 'The pri');
    expect(told?.status).toBe('stopped');
    expect(toMessages(record, [], everything).map(({ status }) => status)).toEqual([
      'completed',
      'completed',
    ]);
  });

  test('shows under a question of which nothing was heard no answer that may be an earlier one’s', () => {
    const failed = { status: 'failed', code: 'agent-unavailable', answer: '' } as const;
    const first = turn('t1', minute, { question: 'Where?', endedAt: minute + 6000, ...failed });
    const second = turn('t2', minute + 9000, { question: 'How?', ...failed });
    const record = [
      said('q1', 'visitor', 'Where?', minute),
      said('q2', 'visitor', 'How?', minute + 9000),
      said('a1', 'agent', 'In Leeds.', minute + 10_000),
    ];
    const tell = (...turns: TurnRecord[]) =>
      toMessages(record, turns, everything).map(({ turnId, text }) => [turnId, text]);
    const nothing = [
      ['t1', 'Where?'],
      ['t1', ''],
      ['t2', 'How?'],
      ['t2', ''],
    ];
    expect(tell(first, second)).toEqual(nothing);
    expect(tell(first, { ...second, status: 'stopped', code: undefined })).toEqual(nothing);
    // The earlier one was never there, or its own answer is known.
    expect(tell({ ...first, earlier: '{"isUntaken":true}' }, second)).toContainEqual(['t2', 'In Leeds.']);
    expect(tell(first, { ...second, answer: 'In Le' })).toContainEqual(['t2', 'In Leeds.']);
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

test('a page of long questions is read in as much work as it has questions', () => {
  const long = (n: number) => `${n} ${'word '.repeat(200)}`;
  const ids = Array.from({ length: 60 }, (_, n) => n + 1);
  const record = ids.flatMap((n) => [
    said(`q${n}`, 'visitor', long(n), n * minute),
    said(`a${n}`, 'agent', `Answer ${n}`, n * minute + 1),
  ]);
  const count = (change: (n: number) => Partial<TurnRecord>) => {
    const turns = ids.map((n) => turn(`t${n}`, n * minute, { agentMessageId: `a${n}`, ...change(n) }));
    const normalize = vi.spyOn(String.prototype, 'normalize');
    const messages = toMessages(record, turns, everything);
    expect(messages).toHaveLength(120);
    const { length } = normalize.mock.calls;
    normalize.mockRestore();
    return length;
  };
  // What the record has been seen to hold, and what it has not.
  expect(count(() => ({}))).toBeLessThanOrEqual(4 * ids.length);
  expect(count((n) => ({ question: long(n), answer: `Answer ${n}` }))).toBeLessThanOrEqual(4 * ids.length);
});

test('a hundred long answers that begin alike are compared as a whole, and not letter by letter', () => {
  const alike = 'a'.repeat(5_000);
  const turns = Array.from({ length: 100 }, (_, index) =>
    turn(`t${index}`, index, { question: 'Why?', status: 'stopped', answer: `${alike}${index}` }),
  );
  const record = turns.flatMap(({ id, at, answer = '' }) => [
    said(`q-${id}`, 'visitor', 'Why?', at),
    said(`a-${id}`, 'agent', answer, at),
  ]);
  const walk = vi.spyOn(String.prototype, 'startsWith');
  // A page of it.
  const aligned = alignRecord(record.slice(-20), turns);
  const walked = walk.mock.contexts.filter((text) => String(text).length > 1_000).length;
  walk.mockRestore();
  expect(aligned.map((exchange) => exchange.turn?.id)).toEqual(turns.slice(-10).map(({ id }) => id));
  expect(walked).toBe(0);
});

test('an answer without a known id, written down behind the next question, is told once and as its own', () => {
  const turns = [
    turn('t1', minute, { question: 'First?', answer: 'The one.' }),
    turn('t2', 2 * minute, { question: 'Second?', answer: 'The other.', agentMessageId: 'a2' }),
  ];
  const record = [
    said('q2', 'visitor', 'Second?', 2 * minute),
    said('q1', 'visitor', 'First?', 2 * minute),
    said('a1', 'agent', 'The one.', 2 * minute),
    said('a2', 'agent', 'The other.', 2 * minute),
  ];
  expect(toMessages(record, turns, everything).map(({ turnId, text }) => [turnId, text])).toEqual([
    ['t1', 'First?'],
    ['t1', 'The one.'],
    ['t2', 'Second?'],
    ['t2', 'The other.'],
  ]);
});

test('behind the open question of a turn that was heard no better, an answer is nobody’s', () => {
  const turns = [
    turn('t1', minute, { question: 'First?', status: 'stopped', endedAt: minute }),
    turn('t2', minute + 1, {
      question: 'Second?',
      status: 'failed',
      code: 'agent-unavailable',
      endedAt: minute + 9,
    }),
  ];
  const record = [
    said('q2', 'visitor', 'Second?', minute + 2),
    said('q1', 'visitor', 'First?', minute + 3),
    said('a2', 'agent', 'The other.', minute + 4),
  ];
  expect(toMessages(record, turns, everything).map(({ turnId, text }) => [turnId, text])).toEqual([
    ['t1', 'First?'],
    ['t1', ''],
    ['t2', 'Second?'],
    ['t2', ''],
  ]);
});

test('a hundred long questions that begin alike, which the agent writes down with other white space, are read as words once', () => {
  const alike = 'a'.repeat(5_000);
  const turns = Array.from({ length: 100 }, (_, index) =>
    turn(`t${index}`, index, { question: `${alike} ${index}`, answer: `Answer ${index}` }),
  );
  const record = turns.flatMap(({ id, at, question, answer = '' }) => [
    said(`q-${id}`, 'visitor', question.replace(' ', '  '), at),
    said(`a-${id}`, 'agent', answer, at),
  ]);
  const walk = vi.spyOn(String.prototype, 'startsWith');
  const normalize = vi.spyOn(String.prototype, 'normalize');
  // Page after page, as it is read back.
  for (const length of [60, 120, 180, 200])
    expect(alignRecord(record.slice(-length), turns).map((exchange) => exchange.turn?.id)).toEqual(
      turns.slice(-length / 2).map(({ id }) => id),
    );
  const walked = walk.mock.contexts.filter((text) => String(text).length > 1_000).length;
  const read = normalize.mock.contexts.filter((text) => String(text).length > 1_000).length;
  walk.mockRestore();
  normalize.mockRestore();
  expect(walked).toBe(0);
  expect(read).toBeLessThanOrEqual(200);
});
