/** Deletes at the agent what was deleted here: soon, one run at a time, and again with longer waits until it is done. */
import { toHelperError } from '../errors.ts';
import { type Log, toLogFields } from '../log.ts';
import type { Leftover, Store } from '../store/store.ts';

export type Leftovers = {
  /** Begins a run, or one more after the one that is under way. */
  soon(): void;
  /** Resolves when no run is under way. */
  settled(): Promise<void>;
};

const atOnce = 4;
const firstWaitMs = 30_000;
const mostWaitMs = 6 * 3600_000;

export function createLeftovers(parts: {
  store: Pick<Store, 'listLeftovers' | 'leftoverDone' | 'leftoverTried'>;
  bot: string;
  log: Log;
  now: () => number;
  /** At the agent. @throws HelperError */
  delete: Record<Leftover['kind'], (id: string) => Promise<void>>;
  /** Resolves when the agent has room for what nobody waits for. */
  room: () => Promise<void>;
}): Leftovers {
  const { store, bot, log, now } = parts;
  let running: Promise<void> | undefined;
  let again = false;

  const tryOne = async (leftover: Leftover) => {
    try {
      await parts.room();
      await parts.delete[leftover.kind](leftover.id);
      await store.leftoverDone(leftover);
    } catch (error) {
      const { code, retryAfterMs = 0 } = toHelperError(error);
      log.warn(
        { ...toLogFields(error), code, kind: leftover.kind },
        'the agent has not deleted it; trying later',
      );
      const waitMs = Math.min(mostWaitMs, firstWaitMs * 2 ** Math.min(20, leftover.tries));
      await store.leftoverTried(leftover, now() + Math.max(waitMs, retryAfterMs));
    }
  };
  const run = async () => {
    do {
      again = false;
      // What fails is due later, so this comes to an end.
      for (;;) {
        const due = await store.listLeftovers(bot, atOnce);
        if (due.length === 0) break;
        await Promise.all(due.map(tryOne));
      }
    } while (again);
  };

  return {
    soon() {
      again = true;
      running ??= run()
        .catch((error: unknown) => log.error(toLogFields(error), 'what was deleted could not be looked up'))
        .finally(() => {
          running = undefined;
        });
    },
    settled: () => running ?? Promise.resolve(),
  };
}
