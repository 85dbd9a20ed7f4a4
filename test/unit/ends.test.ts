/** How a turn ended is written as often as it takes, and loses no word where another end stands by then. */
import { expect, test } from 'vitest';
import { silentLog } from '../../server-helper/log.ts';
import { createMemoryStore } from '../../server-helper/store/memory.ts';
import { createEnds } from '../../server-helper/turns/ends.ts';
import { LiveTurn } from '../../server-helper/turns/turn.ts';

test('what was said is added to a Stop of another helper’s that stood before this one could write', async () => {
  const found = { status: 'stopped', answer: undefined, endedAt: 7 };
  const written: unknown[] = [];
  let isDown = true;
  const store = {
    ...createMemoryStore(),
    async endTurn(...[, , change, from]: [string, string, object, { status: string }]) {
      if (isDown) throw new Error('locked');
      if (from.status !== found.status) return false;
      written.push(change);
      return true;
    },
    findTurn: async () => found,
  };
  const ends = createEnds(store as never, silentLog);
  const turn = new LiveTurn('c', 't', 1, { now: () => 9, monotonicNow: () => 9 });
  turn.say('It is ');
  const from = { status: 'running', runner: 'one' } as const;
  expect(await ends.write(turn, turn.toStopped(), [from])).toEqual({ outcome: 'kept' });
  isDown = false;
  await ends.flush();
  expect(written).toEqual([{ status: 'stopped', endedAt: 7, answer: 'It is ' }]);
  expect(ends.isKept(turn)).toBe(false);
});
