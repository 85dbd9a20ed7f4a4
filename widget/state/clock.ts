/** Times at which pages said who is there, by a wall clock that may be set back in between. Pure. */
import type { Around, Happening, Identity } from './happening.ts';

/** Less than this is no setting of the clock. */
const stepMs = 1_000;

/** Of a word that has no date: any other is later. */
export const beforeAll = Number.MIN_SAFE_INTEGER;

/**
 * A time to be compared with others: one that has not come yet was noted before the clock was set back. Any that has come
 * is later, unless it is known by how much; among themselves they stay in order.
 *
 * @param at ms since 1970
 * @param setBackMs by how much this page has seen the clock being set back
 */
export function toSaid(at: number, now: number, setBackMs = 0): number {
  if (at <= now) return at;
  return at - setBackMs <= now ? at - setBackMs : at - 1e15;
}

/**
 * All times that a step compares, by the clock of now. What was said here before it was set back is as long ago as it was.
 * Other pages' words are put right where they have not come yet; of older ones nobody knows by which clock they were noted.
 */
export function toComparable(before: Identity, happening: Happening, { now, clock, kept }: Around) {
  const byMs = before.clock - clock > stepMs ? before.clock - clock : 0;
  const setBackMs = before.setBackMs + byMs;
  const toTime = (at: number) => toSaid(at, now, setBackMs);
  const saidAt = toTime(before.saidAt - byMs);
  return {
    state: { ...before, setBackMs, saidAt, clock: byMs ? clock : Math.max(before.clock, clock) },
    kept: kept && { ...kept, saidAt: toTime(kept.saidAt) },
    at: 'at' in happening ? toTime(happening.at) : now,
  };
}
