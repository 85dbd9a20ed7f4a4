/** When tasks run: over a year in three time zones, against each five minutes of that year looked at one by one. */
import { beforeAll, describe, expect, test } from 'vitest';
import { AgentError } from '../../../demo/agent/errors.ts';
import { isActive, nextSlot, readSchedule, type Schedule } from '../../../demo/agent/tasks/schedule.ts';

const minute = 60_000;
/** All schedules here are at such times. */
const step = 5 * minute;
const from = Date.parse('2031-01-01T00:00:00Z');
const to = Date.parse('2032-01-01T00:00:00Z');

interface Shown {
  /** The instant. */
  at: number;
  /** `2031-03-09 02:30`, and `jumped` where the clocks went over it. */
  wall: string;
}

/** Each time that a wall shows first, and each that its clock jumps over, at the instant that is as far into the new time. */
function watch(zone: string): Shown[] {
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
  const seen = new Set<string>();
  const shown: Shown[] = [];
  let last = '';
  for (let at = from - 2 * 24 * 60 * minute; at < to; at += step) {
    const wall = clock.format(at);
    if (last !== '') {
      const expected = Date.parse(`${last.replace(' ', 'T')}Z`) + step;
      const actual = Date.parse(`${wall.replace(' ', 'T')}Z`);
      for (let missing = expected; missing < actual; missing += step)
        shown.push({
          at: at + (missing - expected),
          wall: new Date(missing).toISOString().slice(0, 16).replace('T', ' '),
        });
    }
    if (!seen.has(wall)) shown.push({ at, wall });
    seen.add(wall);
    last = wall;
  }
  return shown;
}

const weekday = (wall: string) => new Date(`${wall.slice(0, 10)}T00:00Z`).getUTCDay();
const lastDay = (wall: string) =>
  new Date(Date.UTC(Number(wall.slice(0, 4)), Number(wall.slice(5, 7)), 0)).getUTCDate();
const day = (wall: string) => Number(wall.slice(8, 10));
const time = (wall: string) => wall.slice(11);

type Kind = [name: string, schedule: Omit<Schedule, 'timezone'>, matches: (wall: string) => boolean];
const daily = (at: string): Kind => [
  `daily at ${at}`,
  { schedule_type: 'daily', schedule_config: { time: at } },
  (wall) => time(wall) === at,
];
const cron = (pattern: string, matches: (wall: string) => boolean): Kind => [
  `cron ${pattern}`,
  { schedule_type: 'cron', schedule_config: { cron: pattern } },
  matches,
];
const kinds: Kind[] = [
  ...['00:00', '01:30', '02:00', '02:15', '02:30', '03:00', '23:55'].map(daily),
  ...[1, 7].map(
    (one): Kind => [
      `weekly on ${one}`,
      { schedule_type: 'weekly', schedule_config: { day: one, time: '02:10' } },
      (wall) => weekday(wall) === one % 7 && time(wall) === '02:10',
    ],
  ),
  ...[1, 28, 29, 31].map(
    (one): Kind => [
      `monthly on ${one}`,
      { schedule_type: 'monthly', schedule_config: { day_of_month: one, time: '02:20' } },
      (wall) => day(wall) === Math.min(one, lastDay(wall)) && time(wall) === '02:20',
    ],
  ),
  cron('0 * * * *', (wall) => time(wall).endsWith(':00')),
  cron('*/20 1-3 * * *', (wall) => /^0[123]:[024]0$/.test(time(wall))),
  cron(
    '30 2 * mar,oct sun',
    (wall) => /-(03|10)-/.test(wall) && weekday(wall) === 0 && time(wall) === '02:30',
  ),
  cron('5 4 13 * 5', (wall) => (day(wall) === 13 || weekday(wall) === 5) && time(wall) === '04:05'),
  cron('15 2 1-7 * *', (wall) => day(wall) <= 7 && time(wall) === '02:15'),
];

describe.each(['America/New_York', 'Europe/Berlin', 'Australia/Lord_Howe'])('a year in %s', (timezone) => {
  let shown: Shown[];
  beforeAll(() => {
    shown = watch(timezone);
  });

  test.each(kinds)('%s', (_, schedule, matches) => {
    const expected = [...new Set(shown.filter(({ wall }) => matches(wall)).map(({ at }) => at))]
      .filter((at) => at > from && at < to)
      .sort((one, other) => one - other);
    expect(expected.length).toBeGreaterThan(0);
    const found: number[] = [];
    for (
      let at = nextSlot({ ...schedule, timezone }, from, from);
      at !== undefined && at < to;
      at = nextSlot({ ...schedule, timezone }, at, from)
    )
      found.push(at);
    expect(found.map(toIso)).toEqual(expected.map(toIso));
  });

  test('once, by the wall and by an instant', () => {
    const next = (scheduled_at: string, after = from) =>
      nextSlot({ schedule_type: 'once', schedule_config: { scheduled_at }, timezone }, after, from);
    const instant = Date.parse('2031-07-01T12:00:00Z');
    expect(next('2031-07-01T12:00:00Z')).toBe(instant);
    for (const offset of ['+02:00', '+0200', '+02'])
      expect(next(`2031-07-01T14:00:00${offset}`, instant - 1)).toBe(instant);
    expect(next('2031-07-01T12:00:00Z', instant)).toBeUndefined();
    const wall = shown.find((one) => one.wall === '2031-07-01 09:00')!;
    expect(next('2031-07-01T09:00')).toBe(wall.at);
  });

  test('an interval counts from its beginning, whatever the clocks do', () => {
    const schedule: Schedule = {
      schedule_type: 'interval',
      schedule_config: { interval_minutes: 97.5 },
      timezone,
    };
    let at = from;
    for (let count = 1; count <= 5_000; count += 1) {
      at = nextSlot(schedule, at, from)!;
      expect(at).toBe(from + count * 97.5 * minute);
    }
    expect(nextSlot(schedule, at + minute, from)).toBe(at + 97.5 * minute);
  });
});

const toIso = (at: number) => new Date(at).toISOString();

describe('what is no schedule', () => {
  const read = (schedule_type: string, schedule_config: object, timezone = 'UTC', seconds = 3600) => {
    try {
      return readSchedule({ schedule_type, schedule_config, timezone } as Schedule, from, seconds)
        .schedule_config;
    } catch (thrown) {
      return thrown instanceof AgentError ? thrown.code : thrown;
    }
  };

  test.each([
    ['once', {}],
    ['once', { scheduled_at: '2030-12-31T00:00:00Z' }],
    ['once', { scheduled_at: 'tomorrow' }],
    ['once', { scheduled_at: '2031-03-05 10:00 +2' }],
    ['once', { scheduled_at: '2031-03-05T10:00+02:00 (x)' }],
    ['once', { scheduled_at: '2031-02-31T99:00' }],
    ['once', { scheduled_at: '2031-02-29T10:00Z' }],
    ['once', { scheduled_at: '2031-04-31T10:00' }],
    ['interval', {}],
    ['interval', { interval_minutes: 0 }],
    ['interval', { interval_minutes: -60 }],
    ['interval', { interval_minutes: 1e-9 }],
    ['interval', { interval_minutes: '60' }],
    ['interval', { interval_minutes: Number.MAX_VALUE }],
    ['daily', {}],
    ['daily', { time: '24:00' }],
    ['daily', { time: '9:00' }],
    ['weekly', { time: '09:00' }],
    ['weekly', { day: 0, time: '09:00' }],
    ['weekly', { day: 8, time: '09:00' }],
    ['monthly', { day_of_month: 32, time: '09:00' }],
    ['monthly', { day_of_month: 1.5, time: '09:00' }],
    ['cron', {}],
    ['cron', { cron: '0 9 * *' }],
    ['cron', { cron: '0 0 9 * * *' }],
    ['cron', { cron: '@daily' }],
    ['cron', { cron: '0 0 L * *' }],
    ['cron', { cron: '0 0 ? * *' }],
    ['cron', { cron: '0 0 * * 5#2' }],
    ['cron', { cron: '61 * * * *' }],
    ['cron', { cron: '0 9 * * 8' }],
    ['cron', { cron: '0 0 30 2 *' }],
    ['cron', { cron: '0 9 * abc *' }],
    ['cron', { cron: `0 9 * * ${'1,'.repeat(100)}1` }],
  ])('%s %j', (type, config) => {
    expect(read(type, config)).toBe('invalid_schedule');
  });

  test('a time zone is a name', () => {
    for (const zone of ['Mars/Olympus', '+02:00', '', '../etc'])
      expect(read('daily', { time: '09:00' }, zone)).toBe('invalid_parameters');
  });

  test('keys of another kind are dropped, blanks of a cron are one', () => {
    expect(read('daily', { time: '09:00', day: 3, more: 1 })).toEqual({ time: '09:00' });
    expect(read('cron', { cron: ' 0  9 * * MON-FRI ' })).toEqual({ cron: '0 9 * * MON-FRI' });
  });

  test.each([
    ['interval', { interval_minutes: 59.9 }],
    ['cron', { cron: '* * * * *' }],
    ['cron', { cron: '0,30 9 * * *' }],
    ['cron', { cron: '30 0 * * *' }, 100_000],
    ['cron', { cron: '0 0,23 * * 6' }, 7200, 'fits'],
    ['cron', { cron: '0 0,23 * * *' }, 7200],
    ['cron', { cron: '0 0,23 * * 1-5' }, 7200],
    ['cron', { cron: '0 0,23 1,15 * *' }, 7200, 'fits'],
    ['cron', { cron: '0 0,23 1 * 0' }, 7200],
    ['cron', { cron: '0 9 * * 1,3,5' }, 2 * 86_400, 'fits'],
    ['cron', { cron: '0 9 * * 1,3,4' }, 2 * 86_400],
    ['cron', { cron: '0 0 31 1,3 *' }, 60 * 86_400],
    ['cron', { cron: '0 0 29 2 *' }, 365 * 86_400, 'fits'],
    ['cron', { cron: '* * * * *' }, 60, 'fits'],
    ['cron', { cron: '*/2 * * * *' }, 121],
    ['interval', { interval_minutes: 60 }, 3600, 'fits'],
    ['cron', { cron: '0 * * * *' }, 3600, 'fits'],
  ] as const)('%s %j too often', (type, config, seconds: number = 3600, fits: string = '') => {
    const found = read(type, config, 'UTC', seconds);
    if (fits) expect(found).toEqual(config);
    else expect(found).toBe('schedule_too_frequent');
  });
});

test('active hours hold their start and not their end, and may cross midnight', () => {
  const at = (wall: string) => Date.parse(`2031-07-01T${wall}:00Z`) - 2 * 3_600_000;
  const active = (wall: string, start: string | null, end: string | null) =>
    isActive(at(wall), start, end, 'Europe/Berlin');
  expect(['08:59', '09:00', '16:59', '17:00'].map((wall) => active(wall, '09:00', '17:00'))).toEqual([
    false,
    true,
    true,
    false,
  ]);
  expect(['21:59', '22:00', '05:59', '06:00'].map((wall) => active(wall, '22:00', '06:00'))).toEqual([
    false,
    true,
    true,
    false,
  ]);
  expect(active('12:00', null, null)).toBe(true);
});
