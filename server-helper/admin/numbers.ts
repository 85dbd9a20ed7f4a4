/** What the owner's page shows, of the counts by the hour. */
import { firstWordBuckets } from '../metrics.ts';
import { hourMs, type Tally } from '../store/store.ts';

export type Ends = { completed: number; stopped: number; failed: number };
export type Named = { name: string; count: number };

export type Numbers = {
  /** Oldest first, today last. */
  days: (Ends & { date: Date })[];
  /** Questions in each hour of the day, of the machine's time zone. */
  hours: number[];
  total: Ends & { all: number };
  votes: { up: number; down: number };
  failures: Named[];
  /** Answers by how long their first word took: within so many seconds. */
  firstWord: Named[];
  /** Seconds within which half of the answers had their first word, and nine of ten; undefined without any. */
  wait: { half: string; most: string } | undefined;
  calls: Named[];
  limits: Named[];
};

export const shownDays = 28;
const noEnds: Ends = { completed: 0, stopped: 0, failed: 0 };

/** Of the first hour that is shown. */
export function toFirstHour(nowMs: number): number {
  return Math.floor(toDay(nowMs, shownDays - 1).getTime() / hourMs);
}

export function toNumbers(tallies: readonly Tally[], nowMs: number): Numbers {
  const days = Array.from({ length: shownDays }, (_, ago) => ({
    ...noEnds,
    date: toDay(nowMs, shownDays - 1 - ago),
  }));
  const hours = Array<number>(24).fill(0);
  const sums = new Map<string, number>();
  for (const { hour, name, count } of tallies) {
    sums.set(name, (sums.get(name) ?? 0) + count);
    const [, end] = /^end:(completed|stopped|failed)$/.exec(name) ?? [];
    if (end === undefined) continue;
    const at = new Date(hour * hourMs);
    const day = days.findLast(({ date }) => date <= at);
    if (day) day[end as keyof Ends] += count;
    hours[at.getHours()]! += count;
  }
  const of = (kind: string): Named[] =>
    [...sums]
      .filter(([name, count]) => name.startsWith(`${kind}:`) && count > 0)
      .map(([name, count]) => ({ name: name.slice(kind.length + 1), count }))
      .sort((one, other) => other.count - one.count);
  const sum = (name: string) => Math.max(0, sums.get(name) ?? 0);
  const total = { completed: sum('end:completed'), stopped: sum('end:stopped'), failed: sum('end:failed') };
  const bounds = [...firstWordBuckets.map(String), 'longer'];
  const firstWord = bounds.map((name) => ({ name, count: sum(`word:${name}`) }));
  return {
    days,
    hours,
    total: { ...total, all: total.completed + total.stopped + total.failed },
    votes: { up: sum('vote:up'), down: sum('vote:down') },
    failures: of('failure'),
    firstWord,
    wait: toWait(firstWord),
    calls: of('call'),
    limits: of('limit'),
  };
}

function toDay(nowMs: number, daysAgo: number): Date {
  const day = new Date(nowMs);
  day.setHours(0, 0, 0, 0);
  day.setDate(day.getDate() - daysAgo);
  return day;
}

function toWait(firstWord: readonly Named[]): Numbers['wait'] {
  const all = firstWord.reduce((sum, { count }) => sum + count, 0);
  if (all === 0) return undefined;
  const within = (share: number) => {
    let below = 0;
    for (const { name, count } of firstWord) {
      below += count;
      if (below >= all * share) return name;
    }
    return 'longer';
  };
  return { half: within(0.5), most: within(0.9) };
}
