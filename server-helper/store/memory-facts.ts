/** The smaller half of the store in memory: facts, counts, and what the agent still has to delete. */
import type { Leftover, Store, Tally } from './store.ts';

type FactMethods = Pick<
  Store,
  | 'putLeftovers'
  | 'listLeftovers'
  | 'leftoverDone'
  | 'leftoverTried'
  | 'remember'
  | 'replace'
  | 'recall'
  | 'forget'
  | 'addTallies'
  | 'readTallies'
>;

export function createMemoryFacts(now: () => number) {
  const facts = new Map<string, { value: string; until: number }>();
  const leftovers = new Map<string, Leftover & { nextAt: number }>();
  const toKey = ({ kind, id }: Pick<Leftover, 'kind' | 'id'>) => `${kind} ${id}`;

  const tallies = new Map<string, Tally & { bot: string }>();

  const recall = (key: string) => {
    const found = facts.get(key);
    return found && found.until > now() ? found.value : undefined;
  };
  const put = (key: string, value: string, ttlMs: number | undefined) =>
    facts.set(key, { value, until: ttlMs === undefined ? Number.POSITIVE_INFINITY : now() + ttlMs });
  const putLeftover = (kind: Leftover['kind'], id: string, bot: string) => {
    const key = toKey({ kind, id });
    if (!leftovers.has(key)) leftovers.set(key, { kind, id, bot, tries: 0, nextAt: 0 });
  };

  /** @param only forgets no other value */
  const forget = (key: string, only?: string): void => {
    if (only === undefined || facts.get(key)?.value === only) facts.delete(key);
  };

  const ofStore: FactMethods = {
    async putLeftovers(all) {
      for (const { kind, id, bot } of all) putLeftover(kind, id, bot);
    },
    async listLeftovers(bot, limit) {
      return [...leftovers.values()]
        .filter((one) => one.nextAt <= now() && one.bot === bot)
        .sort((a, b) => a.nextAt - b.nextAt)
        .slice(0, limit)
        .map(({ nextAt: _, ...leftover }) => leftover);
    },
    async leftoverDone(leftover) {
      leftovers.delete(toKey(leftover));
    },
    async leftoverTried(leftover, nextAt) {
      const found = leftovers.get(toKey(leftover));
      if (found) Object.assign(found, { tries: found.tries + 1, nextAt });
    },
    async remember(key, value, ttlMs) {
      const stands = recall(key);
      if (stands === undefined) put(key, value, ttlMs);
      return stands ?? value;
    },
    async replace(key, value, ttlMs) {
      put(key, value, ttlMs);
    },
    async recall(key) {
      return recall(key);
    },
    async forget(key, only) {
      forget(key, only);
    },
    async addTallies(bot, more, keptFrom) {
      for (const [key, tally] of tallies) if (tally.bot === bot && tally.hour < keptFrom) tallies.delete(key);
      for (const { hour, name, count } of more) {
        const key = `${bot} ${hour} ${name}`;
        tallies.set(key, { bot, hour, name, count: count + (tallies.get(key)?.count ?? 0) });
      }
    },
    readTallies: async (bot, fromHour) =>
      [...tallies.values()]
        .filter((tally) => tally.bot === bot && tally.hour >= fromHour)
        .map(({ bot: _, ...tally }) => tally),
  };

  return {
    ofStore,
    putLeftover,
    recall,
    forget,
    /** @returns how many facts had outlived their time and are gone */
    purge(beforeMs: number, limit: number): number {
      let gone = 0;
      for (const [key, { until }] of facts) {
        if (gone === limit) break;
        if (until > beforeMs) continue;
        facts.delete(key);
        gone += 1;
      }
      return gone;
    },
  };
}
