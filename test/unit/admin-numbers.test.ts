/** What the owner's page makes of the counts by the hour. */
import { expect, test } from 'vitest';
import { shownDays, toFirstHour, toNumbers } from '../../server-helper/admin/numbers.ts';
import { hourMs } from '../../server-helper/store/store.ts';

const now = new Date(2026, 10, 24, 15, 20).getTime();
const toHour = (daysAgo: number, hour: number) =>
  Math.floor(new Date(2026, 10, 24 - daysAgo, hour, 30).getTime() / hourMs);

test('each day has its own, today is last, and the hours are the day’s', () => {
  const { days, hours, total } = toNumbers(
    [
      { hour: toHour(0, 9), name: 'end:completed', count: 4 },
      { hour: toHour(0, 9), name: 'end:failed', count: 1 },
      { hour: toHour(1, 23), name: 'end:stopped', count: 2 },
      { hour: toHour(shownDays - 1, 0), name: 'end:completed', count: 7 },
    ],
    now,
  );
  expect(days).toHaveLength(shownDays);
  expect(days.at(-1)).toMatchObject({ completed: 4, failed: 1, stopped: 0 });
  expect(days.at(-2)).toMatchObject({ completed: 0, stopped: 2 });
  expect(days[0]).toMatchObject({ completed: 7 });
  expect([hours[0], hours[9], hours[23]]).toEqual([7, 5, 2]);
  expect(total).toEqual({ completed: 11, stopped: 2, failed: 1, all: 14 });
  expect(toFirstHour(now)).toBe(toHour(shownDays - 1, 0));
});

test('a vote that was taken back counts for nothing, and never for less', () => {
  const hour = toHour(0, 9);
  const votes = (up: number, down: number) =>
    toNumbers(
      [
        { hour, name: 'vote:up', count: up },
        { hour, name: 'vote:down', count: down },
      ],
      now,
    ).votes;
  expect(votes(3, 1)).toEqual({ up: 3, down: 1 });
  // It was given before the first day that is shown.
  expect(votes(-1, 0)).toEqual({ up: 0, down: 0 });
});

test('half of the answers and nine of ten have their first word within the bucket that reaches so far', () => {
  const hour = toHour(0, 9);
  const waits = (counts: Record<string, number>) =>
    toNumbers(
      Object.entries(counts).map(([name, count]) => ({ hour, name: `word:${name}`, count })),
      now,
    ).wait;
  expect(waits({})).toBeUndefined();
  expect(waits({ '0.5': 5, 2: 4, longer: 1 })).toEqual({ half: '0.5', most: '2' });
  expect(waits({ longer: 2 })).toEqual({ half: 'longer', most: 'longer' });
});

test('failures, lost calls and limits are told by how often', () => {
  const hour = toHour(3, 4);
  const { failures, calls, limits } = toNumbers(
    [
      { hour, name: 'failure:agent-timeout', count: 1 },
      { hour: hour + 1, name: 'failure:agent-timeout', count: 1 },
      { hour, name: 'failure:internal', count: 3 },
      { hour, name: 'call:429', count: 2 },
      { hour, name: 'limit:sitePerDay', count: 9 },
    ],
    now,
  );
  expect(failures).toEqual([
    { name: 'internal', count: 3 },
    { name: 'agent-timeout', count: 2 },
  ]);
  expect([calls, limits]).toEqual([[{ name: '429', count: 2 }], [{ name: 'sitePerDay', count: 9 }]]);
});
