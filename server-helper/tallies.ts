/** Counts by the hour, for the owner's page: put into the store once a minute, so that they outlive the process and add up over several. */
import { type Log, toLogFields } from './log.ts';
import { firstWordBuckets, type Metrics } from './metrics.ts';
import type { Vote } from './protocol/wire.ts';
import { hourMs, type Store, type Tally } from './store/store.ts';

export type Tallies = {
  /** The same, and counted here too. */
  count(metrics: Metrics): Metrics;
  /** @param before of the same visitor on the same answer */
  voted(vote: Vote, before: Vote): void;
  flush(): Promise<void>;
  /** Ends the minutes' writing. */
  stop(): void;
};

export const keptDays = 35;
const everyMs = 60_000;

export function createTallies({
  store,
  bot,
  log,
  now,
}: {
  store: Pick<Store, 'addTallies'>;
  bot: string;
  log: Log;
  now: () => number;
}): Tallies {
  let unsaved = new Map<string, Tally>();
  const add = (name: string, count = 1) => {
    const hour = Math.floor(now() / hourMs);
    const key = `${hour} ${name}`;
    unsaved.set(key, { hour, name, count: (unsaved.get(key)?.count ?? 0) + count });
  };
  const flush = async () => {
    if (unsaved.size === 0) return;
    const taken = unsaved;
    unsaved = new Map();
    try {
      const keptFrom = Math.floor(now() / hourMs) - keptDays * 24;
      await store.addTallies(bot, [...taken.values()], keptFrom);
    } catch (error) {
      log.warn(toLogFields(error), 'what was counted could not be stored yet');
      for (const [key, { hour, name, count }] of taken)
        unsaved.set(key, { hour, name, count: count + (unsaved.get(key)?.count ?? 0) });
    }
  };
  const timer = setInterval(() => void flush(), everyMs);
  (timer as { unref?: () => void }).unref?.();

  return {
    count: (metrics) => ({
      ...metrics,
      turnEnded(turn) {
        metrics.turnEnded(turn);
        const { status, code, firstWordMs } = turn;
        // It goes on once its visitor has decided.
        if (status !== 'paused') add(`end:${status}`);
        if (code !== undefined) add(`failure:${code}`);
        if (firstWordMs !== undefined) add(`word:${toBucket(firstWordMs / 1000)}`);
      },
      agentAnswered(outcome) {
        metrics.agentAnswered(outcome);
        if (outcome !== 'ok') add(`call:${outcome}`);
      },
      limited(limit) {
        metrics.limited(limit);
        add(`limit:${limit}`);
      },
    }),
    voted(vote, before) {
      if (vote === before) return;
      if (before !== 'none') add(`vote:${before}`, -1);
      if (vote !== 'none') add(`vote:${vote}`);
    },
    flush,
    stop: () => clearInterval(timer),
  };
}

/** The shortest time of the buckets that it is within, in seconds. */
function toBucket(seconds: number): string {
  return String(firstWordBuckets.find((bound) => seconds <= bound) ?? 'longer');
}
