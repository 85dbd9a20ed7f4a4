/** How long things live, and the purge that removes what has outlived it, a little at a time. */
import { type Log, toLogFields } from '../log.ts';
import { limits } from '../protocol/wire.ts';
import type { PurgeBefore, Store } from '../store/store.ts';

const dayMs = 24 * 3600_000;
/** A deleted conversation's id must not live again as long as a page may still hold it. */
const tombstoneDays = 90;
/** A guest's session cannot be renewed any more after that, so nobody can come with it. */
const mergedMs = limits.sessionRenewalSeconds * 1000 + dayMs;
/** So little at once that nobody waits for it. */
const atOnce = 100;

/** @param guestDays how long a guest's conversation lives after its last question; the agent's part goes with it */
export function toPurgeBefore(nowMs: number, guestDays: number): PurgeBefore {
  return {
    guests: nowMs - guestDays * dayMs,
    tombstones: nowMs - tombstoneDays * dayMs,
    merged: nowMs - mergedMs,
    facts: nowMs,
  };
}

/**
 * Removes all that has outlived its time, with room for everybody else in between.
 *
 * @returns how many things are gone
 */
export async function purge(
  store: Pick<Store, 'purge'>,
  bot: string,
  before: PurgeBefore,
  log: Log,
  pause: () => Promise<void> = () => new Promise((resolve) => setTimeout(resolve, 5)),
): Promise<number> {
  let gone = 0;
  try {
    for (;;) {
      const batch = await store.purge(bot, before, atOnce);
      gone += batch;
      if (batch < atOnce) return gone;
      await pause();
    }
  } catch (error) {
    log.warn(toLogFields(error), 'what has outlived its time could not all be removed');
    return gone;
  }
}
