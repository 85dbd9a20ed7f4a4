/** What the statistics count, against the same counted one by one from all messages and turns. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Db, openDatabase } from '../../../demo/agent/db.ts';
import { createChatStore } from '../../../demo/agent/store/chats.ts';
import { createMessageStore, type Message } from '../../../demo/agent/store/messages.ts';
import { allTime, createStatistics } from '../../../demo/agent/store/statistics.ts';
import { createTurnLog, type EndedPart } from '../../../demo/agent/store/turnlog.ts';
import { createVisits } from '../../../demo/agent/store/visits.ts';

const minute = 60_000;
const halfHour = 30 * minute;
const begin = Date.parse('2031-03-01T23:00:00Z');

/** One thing that happens, so long after the one before. */
interface Step {
  chat: number;
  what: 'ask' | 'fail' | 'pause' | 'truncate' | 'sign in' | 'delete';
  afterMinutes: number;
  tookMs: number;
}

function play(db: Db, steps: readonly Step[]) {
  let at = begin;
  const now = () => at;
  const [chats, messages, turns] = [
    createChatStore(db, now, () => {}),
    createMessageStore(db, now),
    createTurnLog(db, now),
  ];
  db.exec(`INSERT INTO projects (id) VALUES ('p');
    INSERT INTO bots (uuid, project_id, credits, created_at) VALUES ('b', 'p', 1, 1), ('other', 'p', 1, 1)`);
  const make = (bot_id: string, chat_id: string) =>
    chats.create({
      bot_id,
      chat_id,
      subject: '',
      member_id: null,
      persona: 'visitor',
      purpose: 'none',
      chat_mode: 'ask',
    });
  const say = (chat: number, role: Message['role']) =>
    messages.save({
      chat,
      role,
      content: '',
      model: null,
      reasoning_type: 'standard',
      credit_used: 0,
      tokens: 0,
      sources: [],
      finish_reason: role === 'user' ? null : 'stop',
    });
  say(make('other', 'c0').id, 'user');
  steps.forEach(({ chat: number, what, afterMinutes, tookMs }, index) => {
    at += afterMinutes * minute;
    const chat = chats.find('b', `c${number}`) ?? make('b', `c${number}`);
    if (what === 'delete') {
      chats.delete(chat);
      return;
    }
    if (what === 'sign in') {
      chats.set(chat.id, { member_id: 'ada' });
      return;
    }
    const { messages: all } = messages.page(chat.id, { page: 1, perPage: 100 });
    if (what === 'truncate') {
      const from = all[Math.floor(all.length / 2)];
      if (from) messages.delete(from, true);
      return;
    }
    say(chat.id, 'user');
    const begin = () =>
      turns.begin({ message_id: `t${index}`, bot_id: 'b', chat: chat.id, reasoning_type: 'standard' });
    const end = (ended: EndedPart['ended']) =>
      turns.end(`t${index}`, {
        ended,
        reasoning_type: index % 2 ? 'agent' : 'standard',
        duration_ms: tookMs,
        steps: 1 + (index % 3),
        reasoning_tokens: 0,
        ...(ended === 'error' ? { error: { code: 'internal_error', message: '' } } : {}),
      });
    begin();
    at += tookMs;
    if (what === 'pause') {
      end('paused');
      at += minute;
      begin();
    }
    if (what !== 'fail') say(chat.id, 'system');
    end(what === 'fail' ? 'error' : 'stop');
  });
  return at;
}

interface TurnRow {
  duration_ms: number;
  ended: string;
  steps: number;
  reasoning_type: string;
  at: number;
}

/** Straight from the definitions of the API's shapes. */
function countOneByOne(db: Db, from: number, to: number) {
  const rows = db
    .prepare(
      `SELECT chat, coalesce(member_id, chat_id) AS person, role, messages.created_at AS at FROM messages
       JOIN chats ON chats.id = chat WHERE chats.bot_id = 'b' ORDER BY messages.id`,
    )
    .all() as { chat: number; person: string; role: string; at: number }[];
  const inRange = rows.filter(({ at }) => at >= from && at <= to);
  const sessions: { chat: number; person: string; first: number; last: number; count: number }[] = [];
  for (const { chat, person, at } of inRange) {
    const last = sessions.findLast((session) => session.chat === chat);
    if (last && at - last.last < halfHour) Object.assign(last, { last: at, count: last.count + 1 });
    else sessions.push({ chat, person, first: at, last: at, count: 1 });
  }
  const people = [...new Set(inRange.map(({ person }) => person))];
  const turns = (
    db
      .prepare('SELECT duration_ms, ended, steps, reasoning_type, started_at AS at FROM turns')
      .all() as TurnRow[]
  ).filter(({ at }) => at >= from && at <= to);
  const times = turns.map(({ duration_ms }) => duration_ms).sort((one, other) => other - one);
  const agentTurns = turns.filter(({ reasoning_type }) => reasoning_type === 'agent');
  const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0);
  const hours = new Map<number, { messages: number; asked: number }>();
  for (const { at, role } of inRange) {
    const hour = Math.floor(at / (60 * minute));
    const { messages, asked } = hours.get(hour) ?? { messages: 0, asked: 0 };
    hours.set(hour, { messages: messages + 1, asked: asked + (role === 'user' ? 1 : 0) });
  }
  return {
    sessions: {
      sessions: sessions.length,
      messages: inRange.length,
      lengthMs: sessions.reduce((sum, { first, last }) => sum + last - first, 0),
    },
    people: { people: people.length, chats: new Set(inRange.map(({ chat }) => chat)).size },
    returns: {
      people: people.length,
      cameBack: people.filter((one) => sessions.filter(({ person }) => person === one).length > 1).length,
    },
    hours: [...hours].sort(([one], [other]) => one - other).map(([hour, counts]) => ({ hour, ...counts })),
    totals: {
      messages: inRange.length,
      turns: turns.length,
      failed: turns.filter(({ ended }) => ended === 'error').length,
      durationMs: sum(times),
      agentTurns: agentTurns.length,
      agentSteps: sum(agentTurns.map(({ steps }) => steps)),
      agentMs: sum(agentTurns.map(({ duration_ms }) => duration_ms)),
    },
    times,
  };
}

const step = fc.record<Step>({
  chat: fc.integer({ min: 0, max: 3 }),
  what: fc.constantFrom('ask', 'ask', 'pause', 'fail', 'truncate', 'sign in', 'delete'),
  afterMinutes: fc.constantFrom(0, 1, 20, 29, 31, 60, 1000),
  tookMs: fc.constantFrom(0, 5, 700, 90_000),
});

test('whatever happens, and from whenever to whenever', () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 30 }),
      fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })),
      (steps, [one, other]) => {
        const db = openDatabase(':memory:');
        const end = play(db, steps);
        const toTime = (share: number) => Math.floor(begin + share * (end - begin));
        const some = { from: toTime(Math.min(one, other)), to: toTime(Math.max(one, other)) };
        const [statistics, visits] = [createStatistics(db), createVisits(db)];
        const short = { from: some.from, to: some.from + 5 * minute };
        for (const range of [some, short, allTime]) {
          const expected = countOneByOne(db, range.from, range.to);
          expect(visits.sessions('b', range)).toEqual(expected.sessions);
          expect(visits.people('b', range)).toEqual(expected.people);
          expect(visits.returns('b', range)).toEqual(expected.returns);
          expect(statistics.hours('b', range)).toEqual(expected.hours);
          expect(statistics.totals('b', range)).toMatchObject(expected.totals);
          expect(statistics.slowest('b', range, [...expected.times.keys()])).toEqual(expected.times);
        }
        db.close();
      },
    ),
    { numRuns: 150 },
  );
}, 120_000);
