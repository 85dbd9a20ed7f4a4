/** Clocks on the walls of the world. A wall time is kept as the instant at which a clock in UTC shows it. */

import { dayMs } from '../time.ts';

/** Any spelling of a name is one of its own. */
const maxClocks = 1_000;
const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(zone: string): Intl.DateTimeFormat {
  const known = clocks.get(zone);
  if (known) return known;
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  if (clocks.size >= maxClocks) clocks.clear();
  clocks.set(zone, clock);
  return clock;
}

/** Names of the IANA database alone: an offset is no zone. */
export function isZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    clockOf(name);
    return true;
  } catch {
    return false;
  }
}

/** What the wall shows at an instant, to the second. */
export function toWall(at: number, zone: string): number {
  const part = Object.fromEntries(
    clockOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  ) as Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', number>;
  return Date.UTC(part.year, part.month - 1, part.day, part.hour, part.minute, part.second);
}

const offsetAt = (at: number, zone: string) => toWall(at, zone) - Math.floor(at / 1000) * 1000;

/** When the wall shows it: of two such instants the first; where clocks jump over it, later by the jump. */
export function toInstant(wall: number, zone: string): { at: number; isJumped: boolean } {
  const before = wall - offsetAt(wall - dayMs, zone);
  const after = wall - offsetAt(wall + dayMs, zone);
  const shown = [before, after].filter((at) => toWall(at, zone) === wall);
  return shown.length > 0 ? { at: Math.min(...shown), isJumped: false } : { at: before, isJumped: true };
}

/** The wall time from which on a later instant may be shown: before a jump of the last day, if there was one. */
export function toEarliestWall(at: number, zone: string): number {
  return at + Math.min(offsetAt(at, zone), offsetAt(at - dayMs, zone));
}

/** YYYY-MM-DD of the calendar: 30 February is none, though `Date.parse` takes it for another. */
export function isRealDay(text: string): boolean {
  const at = Date.parse(text);
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}
