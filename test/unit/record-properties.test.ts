/** Whose text is it, whatever a record looks like: late, double, foreign, stopped, edited and unfinished messages. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RecordedMessage } from '../../server-helper/agent/conversation.ts';
import { toStanding } from '../../server-helper/conversation/earlier.ts';
import type { TurnRecord } from '../../server-helper/store/store.ts';
import { findAnswer } from '../../server-helper/turns/record.ts';
import { toTurn } from '../support/records.ts';

const runs = 20_000;
/** On a busy machine. */
const patienceMs = 90_000;
const secondMs = 1_000;
/** Few words, so that questions and answers often begin alike. */
const words = ['Why?', 'How?', 'yes'] as const;
const beginnings = ['', 'The café ', 'The café opens '] as const;
/** However the agent writes it down. */
const writings = [
  (text: string) => text,
  (text: string) => text.replaceAll(' ', '\n'),
  (text: string) => text.normalize('NFD'),
] as const;

type Fate = 'answered' | 'answered without id' | 'stopped' | 'failed' | 'taken back';
type Past = {
  words: (typeof words)[number];
  beginning: (typeof beginnings)[number];
  fate: Fate;
  /** Of what the agent said: how much we saw, and how much it wrote down, in words. */
  seen: number;
  written: number;
  /** Nothing of it, only the question, or all is in the record. */
  recorded: 'nothing' | 'question' | 'all';
  /** Its answer is written down only after the last question. */
  isLate: boolean;
  /** With its question, which the agent then writes down only now too. */
  isWhollyLate: boolean;
  /** How it had ended when it was taken back. */
  before: 'stopped' | 'failed';
  isDouble: boolean;
  /** Its visitor decided once so much was said, in words, and the agent writes down what came since by itself. */
  cut: number;
  gapMs: number;
};
type Last = {
  words: (typeof words)[number];
  beginning: (typeof beginnings)[number];
  /** How far the agent came with the last question. */
  recorded: 'nothing' | 'question' | 'before the pause' | 'unfinished' | 'all';
  paused: boolean;
  /** A message that is there at the pause, and not what was streamed. */
  isPlaceholder: boolean;
  /** How much of the answer was streamed, in words. */
  heard: number;
  arrived: boolean;
};

const past: fc.Arbitrary<Past> = fc.record({
  words: fc.constantFrom(...words),
  beginning: fc.constantFrom(...beginnings),
  fate: fc.constantFrom<Fate>('answered', 'answered without id', 'stopped', 'failed', 'taken back'),
  seen: fc.nat(4),
  written: fc.nat(6),
  recorded: fc.constantFrom('nothing', 'question', 'all'),
  isLate: fc.boolean(),
  isWhollyLate: fc.boolean(),
  before: fc.constantFrom('stopped', 'failed'),
  isDouble: fc.boolean(),
  cut: fc.nat(3),
  gapMs: fc.constantFrom(secondMs, 30 * secondMs, 300 * secondMs),
});
const last: fc.Arbitrary<Last> = fc.record({
  words: fc.constantFrom(...words),
  beginning: fc.constantFrom(...beginnings),
  recorded: fc.constantFrom('nothing', 'question', 'before the pause', 'unfinished', 'all'),
  paused: fc.boolean(),
  isPlaceholder: fc.boolean(),
  heard: fc.nat(6),
  arrived: fc.boolean(),
});

const takeWords = (text: string, count: number) =>
  text
    .split(/(?<= )/)
    .slice(0, count)
    .join('');

/** A record as such a past leaves it, with the one message that is the last turn's whole answer, if it is there. */
function build(pasts: readonly Past[], ending: Last, skewMs: number, hasTimes: boolean) {
  const record: RecordedMessage[] = [];
  const late: RecordedMessage[] = [];
  const turns: TurnRecord[] = [];
  const takenBack: object[] = [];
  const ids: string[] = [];
  let now = 1_000_000_000;
  const say = (id: string, role: RecordedMessage['role'], text: string, unfinished = false) => ({
    id,
    role,
    text,
    sources: [],
    at: hasTimes ? now + skewMs : undefined,
    unfinished,
    finished: false,
  });
  for (const [index, one] of pasts.entries()) {
    now += one.gapMs;
    const whole = `${one.beginning}answer number ${index} in full.`;
    const isWhole = one.fate.startsWith('answered');
    const text = isWhole ? whole : takeWords(whole, Math.max(one.seen, one.written));
    const inRecord = isWhole ? 'all' : one.recorded;
    const before = takeWords(whole, one.cut);
    const isCut = one.cut > 0 && one.seen >= one.cut && !isWhole;
    const writtenText = isCut ? text.slice(before.length).trimStart() : text;
    const mine: RecordedMessage[] = [];
    // An agent writes late only what it was told to stop, or what broke off.
    const isLate = one.isLate && !isWhole;
    const isWhollyLate = isLate && one.isWhollyLate && inRecord === 'all' && writtenText !== '';
    if (isWhollyLate) late.push(say(`q${index}`, 'visitor', one.words));
    else if (inRecord !== 'nothing') {
      if (one.isDouble) mine.push(say(`d${index}`, 'visitor', one.words));
      mine.push(say(`q${index}`, 'visitor', one.words));
    }
    if (isCut && inRecord !== 'nothing' && !isWhollyLate) mine.push(say(`b${index}`, 'agent', before));
    const answer = inRecord === 'all' && writtenText !== '' ? [say(`a${index}`, 'agent', writtenText)] : [];
    if (!isLate) mine.push(...answer);
    else if (now > 1_000_000_000 + pasts.slice(0, index).reduce((sum, { gapMs }) => sum + gapMs, 0))
      late.push(...answer);
    const row = toTurn('c', {
      id: `t${index}`,
      at: now,
      endedAt: now + 500,
      question: one.fate === 'answered' ? '' : one.words,
      status: isWhole
        ? 'completed'
        : one.fate === 'taken back'
          ? one.before
          : (one.fate as 'stopped' | 'failed'),
      answer: one.fate === 'answered' ? undefined : isWhole ? whole : takeWords(whole, one.seen),
      agentMessageId: one.fate === 'answered' ? `a${index}` : undefined,
      ...(isCut && { earlier: JSON.stringify({ said: before, cuts: [before.length] }) }),
    });
    if (one.fate === 'taken back' && index === pasts.length - 1) {
      // The last question is in its place: what stood there of it is deleted, what comes late is not.
      const { id, at, question, status, endedAt } = row;
      const wasFound = mine.length > 0;
      takenBack.push({
        id,
        at,
        question,
        status,
        endedAt,
        answer: row.answer ?? '',
        wasFound,
        ...(isCut && { since: [(row.answer ?? '').slice(before.length).trimStart()] }),
      });
      ids.push(...mine.map((message) => message.id));
      continue;
    }
    record.push(...mine);
    turns.push(row);
  }
  now += secondMs;
  const whole = `${ending.beginning}the last answer in full.`;
  const said = ending.paused ? takeWords(whole, 2) : '';
  const turn = toTurn('c', {
    id: 'last',
    at: now,
    question: ending.words,
    answer:
      ending.recorded === 'nothing' ? '' : takeWords(whole, Math.max(ending.heard, ending.paused ? 2 : 0)),
  });
  const placeholder = say('last-ask', 'agent', 'Shall I look it up?');
  const isPlaceholder = ending.paused && ending.isPlaceholder && ending.recorded !== 'nothing';
  const standing = isPlaceholder ? [toStanding(placeholder)] : [];
  turn.earlier = JSON.stringify({
    ids,
    takenBack,
    said,
    standing,
    ...(ending.paused && { cuts: [said.length] }),
  });
  if (ending.recorded !== 'nothing') record.push(say('last-q', 'visitor', ending.words));
  if (isPlaceholder) record.push(placeholder);
  const isOld = (id: string) =>
    now - (turns.find((one) => id.slice(1) === one.id.slice(1))?.at ?? now) > 100_000;
  record.push(...late.filter(({ id }) => !isOld(id)));
  let own: string | undefined;
  if (ending.recorded === 'before the pause' && said !== '') record.push(say('last-said', 'agent', said));
  if (ending.recorded === 'unfinished') record.push(say('last-part', 'agent', takeWords(whole, 3), true));
  if (ending.recorded === 'all') {
    own = 'last-a';
    record.push(say(own, 'agent', whole));
  }
  return { record, turns: [...turns, turn], own };
}

test(
  'an answer is the turn’s own and whole, or there is none',
  () => {
    let found = 0;
    fc.assert(
      fc.property(
        fc.array(past, { maxLength: 5 }),
        last,
        fc.constantFrom(-30, 0, 30),
        fc.boolean(),
        fc.constantFrom(...writings),
        (pasts, ending, skewSeconds, hasTimes, write) => {
          const { record, turns, own } = build(pasts, ending, skewSeconds * secondMs, hasTimes);
          const written = record.map((message) => ({ ...message, text: write(message.text) }));
          const arrived = ending.arrived && ending.recorded !== 'nothing';
          const answer = findAnswer(written, turns, 'last', arrived);
          if (answer) found += 1;
          if (answer) expect(answer.id).toBe(own);
        },
      ),
      { numRuns: runs },
    );
    // The rule is not kept by never finding anything.
    expect(found).toBeGreaterThan(runs / 20);
  },
  patienceMs,
);

test(
  'a turn whose neighbours ended well is always found once its answer is written down',
  () => {
    const well = past.map((one) => ({ ...one, fate: 'answered' as const, isDouble: false }));
    fc.assert(
      fc.property(
        fc.array(well, { maxLength: 5 }),
        last,
        fc.constantFrom(-30, 0, 30),
        (pasts, ending, skew) => {
          const whole = { ...ending, recorded: 'all' as const };
          const { record, turns, own } = build(pasts, whole, skew * secondMs, true);
          expect(findAnswer(record, turns, 'last', true)?.id).toBe(own);
        },
      ),
      { numRuns: runs / 4 },
    );
  },
  patienceMs,
);
