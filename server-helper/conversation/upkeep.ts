/** What a helper does by itself from time to time: deletes what is left at the agent, and purges what has outlived its time. */
import type { Log } from '../log.ts';
import type { Store } from '../store/store.ts';
import type { Leftovers } from './leftovers.ts';
import { purge, toPurgeBefore } from './retention.ts';

const leftoversEveryMs = 15_000;
const purgeEveryMs = 3600_000;

/** @returns ends it */
export function startUpkeep(parts: {
  store: Store;
  leftovers: Leftovers;
  log: Log;
  now: () => number;
  bot: string;
  guestDays: number;
}): () => void {
  const { store, leftovers, log, now, bot, guestDays } = parts;
  const purgeAll = async () => {
    if ((await purge(store, bot, toPurgeBefore(now(), guestDays), log)) > 0) leftovers.soon();
  };
  const timers = [
    setInterval(() => leftovers.soon(), leftoversEveryMs),
    setInterval(() => void purgeAll(), purgeEveryMs),
    setTimeout(() => void purgeAll(), leftoversEveryMs),
  ];
  for (const timer of timers) (timer as { unref?: () => void }).unref?.();
  return () => {
    for (const timer of timers) clearInterval(timer);
  };
}
