/** Times that pages noted, once the wall clock was set back. */
import { expect, test } from 'vitest';
import { beforeAll, toComparable, toSaid } from '../../widget/state/clock.ts';
import { createIdentity } from '../../widget/state/happening.ts';

const now = 1_000_000;

test('what has not come yet is older than all that has, and stays in order', () => {
  const said = [beforeAll, now + 60_000, now + 61_000, 1, now - 1, now];
  const times = said.map((at) => toSaid(at, now));
  expect(times).toEqual([...times].sort((a, b) => a - b));
  expect(new Set(times).size).toBe(said.length);
});

test('a page that has seen the clock being set back knows how long ago it was', () => {
  const said = createIdentity({ kind: 'callback' }, now, 500);
  const kept = { subject: 'a', who: 'a', saidAt: now + 10 };
  // A minute back, ten seconds ago.
  const around = { isOpen: true, isShown: true, kept, now: now - 50_000, clock: 500 - 60_000 };
  expect(toComparable(said, { what: 'seen' }, around)).toMatchObject({
    state: { saidAt: now - 60_000 },
    kept: { saidAt: now - 59_990 },
  });
});
