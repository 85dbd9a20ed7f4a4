/** The request rate of a key: fixed windows of a minute and a day, by plan. */

import type { PlanName } from './options.ts';

/** agent-api-decisions.md "Limits"; `local` is ours, for development and tests. */
const plans: Readonly<Record<PlanName, { perMinute: number; perDay: number }>> = {
  free: { perMinute: 20, perDay: 1_000 },
  starter: { perMinute: 60, perDay: 10_000 },
  pro: { perMinute: 200, perDay: 50_000 },
  local: { perMinute: 6_000, perDay: Number.POSITIVE_INFINITY },
};

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

interface Window {
  number: number;
  count: number;
}

export interface RateAnswer {
  allowed: boolean;
  /** X-RateLimit-Limit, -Remaining, -Reset, and Retry-After on a refusal. */
  headers: Record<string, string>;
}

/** Keys come from the database, so the map is as small as that table. */
export function createRateLimit(plan: PlanName, now: () => number) {
  const { perMinute, perDay } = plans[plan];
  const keys = new Map<string, { minute: Window; day: Window }>();

  return (key: string): RateAnswer => {
    const at = now();
    const windows = keys.get(key) ?? { minute: { number: -1, count: 0 }, day: { number: -1, count: 0 } };
    keys.set(key, windows);
    for (const [window, ms] of [
      [windows.minute, minuteMs],
      [windows.day, dayMs],
    ] as const) {
      const number = Math.floor(at / ms);
      if (window.number !== number) Object.assign(window, { number, count: 0 });
    }
    const allowed = windows.minute.count < perMinute && windows.day.count < perDay;
    if (allowed) {
      windows.minute.count += 1;
      windows.day.count += 1;
    }
    const minuteLeft = perMinute - windows.minute.count;
    const dayLeft = perDay - windows.day.count;
    // The window that runs out first is the one worth telling.
    const isDay = dayLeft < minuteLeft;
    const ms = isDay ? dayMs : minuteMs;
    const resetSeconds = ((Math.floor(at / ms) + 1) * ms) / 1000;
    return {
      allowed,
      headers: {
        'X-RateLimit-Limit': String(isDay ? perDay : perMinute),
        'X-RateLimit-Remaining': String(isDay ? dayLeft : minuteLeft),
        'X-RateLimit-Reset': String(resetSeconds),
        ...(allowed ? {} : { 'Retry-After': String(Math.max(1, Math.ceil(resetSeconds - at / 1000))) }),
      },
    };
  };
}
