/** A turn's log on its way to where all helpers read it: gathered, never ahead of it for long, told again where it was lost. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { SharedLogs, Telling } from '../../server-helper/store/shared-logs.ts';
import { createPublishing } from '../../server-helper/turns/publishing.ts';
import { LiveTurn } from '../../server-helper/turns/turn.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** What is told is taken after `takesMs`, unless it `fails`; `stands` is what each log has. */
function setUp(takesMs = 1) {
  const stands = new Map<string, { next: number; events: string }>();
  const calls: Telling[][] = [];
  const store = { takesMs, fails: false, refuses: false };
  const logs = {
    async tell(_runner, tellings) {
      calls.push([...tellings]);
      await new Promise((resolve) => setTimeout(resolve, store.takesMs));
      if (store.fails) throw new Error('gone');
      return tellings.map(({ id, from, next, events }) => {
        if (store.refuses) return undefined;
        const log = stands.get(id) ?? { next: 0, events: '' };
        if (log.next !== from) return log.next;
        stands.set(id, { next, events: log.events + events });
        return next;
      });
    },
  } as Partial<SharedLogs> as SharedLogs;
  const refused: string[] = [];
  const warn = vi.fn();
  const clock = { now: () => Date.now(), monotonicNow: () => Date.now() };
  const publishing = createPublishing(
    logs,
    'here',
    { ...clock, log: { warn } as never },
    async ({ id }) => void refused.push(id),
  );
  const begin = (id: string) => {
    const turn = new LiveTurn('c', id, 0, clock, { tellerId: 't', isTold: false });
    publishing.join(turn, 0);
    const reader = { text: '', isOver: false };
    turn.log.follow(0, {
      write: (bytes) => {
        reader.text += new TextDecoder().decode(bytes);
        return true;
      },
      end: () => {
        reader.isOver = true;
      },
      cut: () => {},
    });
    const say = (text: string) => {
      turn.onFrame({ kind: 'text', text });
      turn.log.flush();
    };
    return { turn, reader, say };
  };
  return { begin, calls, store, stands, refused, warn, publishing };
}

const spoken = (text: string) => [...text.matchAll(/"text":"(\w+)"/g)].map(([, word]) => word);

test('the first word is told at once, and the next ones of all turns in one call', async () => {
  const { begin, calls } = setUp();
  const [one, two] = [begin('one'), begin('two')];
  one.say('a');
  await vi.advanceTimersByTimeAsync(5);
  expect(spoken(one.reader.text)).toEqual(['a']);
  await vi.advanceTimersByTimeAsync(50);
  two.say('b');
  await vi.advanceTimersByTimeAsync(50);
  const before = calls.length;
  for (const word of ['c', 'd', 'e']) for (const { say } of [one, two]) say(word);
  await vi.advanceTimersByTimeAsync(30);
  expect(spoken(one.reader.text)).toEqual(['a', 'c', 'd', 'e']);
  expect(spoken(two.reader.text)).toEqual(['b', 'c', 'd', 'e']);
  expect(calls.length - before).toBeLessThanOrEqual(2);
});

test('that a turn has begun is told before its first word', async () => {
  const { begin, stands } = setUp();
  const { turn } = begin('one');
  await vi.advanceTimersByTimeAsync(5);
  expect(stands.get('one')!.events).toBe(turn.log.toText(0, 1));
});

test('where nothing is new nothing is told', async () => {
  const { begin, calls } = setUp();
  const { turn, say } = begin('one');
  say('a');
  await vi.advanceTimersByTimeAsync(100);
  const told = calls.length;
  turn.log.flush();
  await vi.advanceTimersByTimeAsync(100);
  expect(calls.length).toBe(told);
});

test('no reader sees what is not told, for a quarter of a second', async () => {
  const { begin, store, stands } = setUp(200);
  const { say, reader } = begin('one');
  await vi.advanceTimersByTimeAsync(300);
  say('a');
  await vi.advanceTimersByTimeAsync(190);
  expect(spoken(reader.text)).toEqual([]);
  await vi.advanceTimersByTimeAsync(20);
  expect(spoken(reader.text)).toEqual(['a']);
  store.takesMs = 60_000;
  say('b');
  await vi.advanceTimersByTimeAsync(240);
  expect(spoken(reader.text)).toEqual(['a']);
  await vi.advanceTimersByTimeAsync(80);
  expect(spoken(reader.text)).toEqual(['a', 'b']);
  expect(stands.get('one')!.events).not.toContain('"b"');
});

test('while the store fails readers wait for nothing, and it is told all of it afterwards', async () => {
  const { begin, store, stands, warn } = setUp();
  const { say, reader, turn } = begin('one');
  store.fails = true;
  say('a');
  await vi.advanceTimersByTimeAsync(400);
  for (const word of ['b', 'c']) say(word);
  expect(spoken(reader.text)).toEqual(['a', 'b', 'c']);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(warn).toHaveBeenCalledTimes(1);
  store.fails = false;
  turn.end(turn.toCompleted('abc', undefined));
  await vi.advanceTimersByTimeAsync(3_000);
  expect(reader.isOver).toBe(true);
  expect(stands.get('one')!.events).toBe(reader.text);
});

test('what gathered while the store failed is told in calls that are not too large', async () => {
  const { begin, store, stands, calls } = setUp();
  store.fails = true;
  const turns = Array.from({ length: 8 }, (_, n) => begin(`${n}`));
  for (const { say } of turns) for (let word = 0; word < 300; word += 1) say('x'.repeat(1_000));
  await vi.advanceTimersByTimeAsync(5_000);
  const failed = calls.length;
  store.fails = false;
  await vi.advanceTimersByTimeAsync(10_000);
  for (const { turn } of turns)
    expect(stands.get(turn.id)!.events.length).toBe(turn.log.toText(0, turn.log.nextId).length);
  for (const call of calls.slice(failed))
    expect(call.reduce((sum, { events }) => sum + events.length, 0)).toBeLessThan(1.5e6);
});

test('a log that was lost is told from its start, and one that another helper tells is left', async () => {
  const { begin, store, stands, refused, calls } = setUp();
  const { say, reader } = begin('one');
  for (const word of ['a', 'b']) {
    say(word);
    await vi.advanceTimersByTimeAsync(50);
  }
  stands.delete('one');
  say('c');
  await vi.advanceTimersByTimeAsync(100);
  expect(stands.get('one')!.events).toBe(reader.text);
  store.refuses = true;
  say('d');
  await vi.advanceTimersByTimeAsync(100);
  expect(refused).toEqual(['one']);
  const told = calls.length;
  say('e');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(calls.length).toBe(told);
});

test('a helper that goes away waits for what it has not told yet', async () => {
  const { begin, publishing, stands } = setUp(100);
  const { say, reader } = begin('one');
  say('a');
  let isSettled = false;
  void publishing.settle(1_000).then(() => {
    isSettled = true;
  });
  await vi.advanceTimersByTimeAsync(50);
  expect(isSettled).toBe(false);
  await vi.advanceTimersByTimeAsync(200);
  expect(isSettled).toBe(true);
  expect(stands.get('one')!.events).toBe(reader.text);
});
