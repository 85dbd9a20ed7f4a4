/** All logs of a helper together: bounded in bytes and in minutes. */
import { expect, test } from 'vitest';
import { HelperError } from '../../server-helper/errors.ts';
import { createLogs } from '../../server-helper/turns/logs.ts';
import { LiveTurn } from '../../server-helper/turns/turn.ts';

function createTurn(id: string, now: () => number, chars: number) {
  const turn = new LiveTurn('conversation', id, 0, { now, monotonicNow: now });
  turn.say('x'.repeat(chars));
  return turn;
}

test('past the bound the oldest settled log goes first, and a running one never', () => {
  let now = 0;
  const logs = createLogs(() => now, 1_800_000);
  const turns = ['a', 'b', 'c', 'd'].map((id) => createTurn(id, () => now, 400_000));
  for (const turn of turns) logs.add(turn);
  for (const turn of turns.slice(1)) {
    turn.end(turn.toFailed(new HelperError('internal')));
    now += 1000;
    logs.sweep();
  }
  expect(logs.get('conversation', 'a')).toBeDefined();
  expect(logs.get('conversation', 'b')).toBeUndefined();
  expect(logs.get('conversation', 'd')).toBeDefined();
});

test('when running turns alone fill the room, a new one is refused for a while', () => {
  const logs = createLogs(() => 0, 1_000_000);
  logs.add(createTurn('a', () => 0, 900_000));
  logs.sweep();
  expect(() => logs.requireRoom()).toThrowError(expect.objectContaining({ code: 'rate-limited' }));
});

test('a settled log is let go of after half an hour', () => {
  let now = 0;
  const logs = createLogs(() => now);
  const turn = createTurn('a', () => now, 10);
  logs.add(turn);
  turn.end(turn.toFailed(new HelperError('internal')));
  logs.sweep();
  now = 29 * 60_000;
  logs.sweep();
  expect(logs.get('conversation', 'a')).toBe(turn);
  now = 31 * 60_000;
  logs.sweep();
  expect(logs.get('conversation', 'a')).toBeUndefined();
});
