/** The request rate of a key: fixed windows of a minute and a day. The day's count is kept, so that a restart forgives nothing. */

import type { Limits } from './plans.ts';
import { dayMs, minuteMs } from './time.ts';

interface Window {
  number: number;
  count: number;
}

/** Where the day's count of a key is kept; `day` counts days since 1970. */
export interface DayCounts {
  readDay(keyId: string): { day: number; count: number };
  countRequest(keyId: string, day: number, count: number): void;
}

export interface RateAnswer {
  allowed: boolean;
  /** X-RateLimit-Limit, -Remaining, -Reset, and Retry-After on a refusal. */
  headers: Record<string, string>;
}

/** Keys come from the database, so the map is as small as that table. */
export function createRateLimit(limits: Limits, days: DayCounts, now: () => number) {
  const perMinute = limits.requests_per_minute;
  const perDay = limits.requests_per_day ?? Number.POSITIVE_INFINITY;
  const keys = new Map<string, { minute: Window; day: Window }>();
  const read = (key: string) => {
    const { day, count } = days.readDay(key);
    return { minute: { number: -1, count: 0 }, day: { number: day, count } };
  };

  return (key: string): RateAnswer => {
    const at = now();
    const windows = keys.get(key) ?? read(key);
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
      days.countRequest(key, windows.day.number, windows.day.count);
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
