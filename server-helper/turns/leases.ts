/** Says again and again that this helper runs its turns, so that no other one takes them; learns which it has lost. */
import { toLogFields } from '../log.ts';
import { type Lease, longestLeaseMs, type TurnRecord } from '../store/store.ts';
import type { RunContext } from './context.ts';
import type { LiveTurn } from './turn.ts';

export type TurnKey = Pick<TurnRecord, 'conversationId' | 'id'>;

export type Leases = {
  make(): Lease;
  /** A turn is about to be begun, until what it gives is called: it is no orphan. */
  expect(turn: TurnKey): () => void;
  /** Ours by the store, and yet nothing here runs it. */
  isOrphan(record: TurnRecord): boolean;
  /** Takes a running turn that nobody runs any more; undefined when somebody does. */
  take(record: TurnRecord): Promise<TurnRecord | undefined>;
  /** @param running the turns that this helper runs */
  renew(running: readonly LiveTurn[]): Promise<void>;
  /** Lets others take over at once, for good. */
  release(): Promise<void>;
};

/** So long nobody takes over the turns of a helper that was killed; renewed four times in it. */
export const leaseMs = 4_000;

/** Where the store could not be written for longer than a lease, a runner that lives has renewed it by then. */
const graceMs = 1_500;
const mostLapsed = 1_000;

/** @param runner names this helper, as long as it lives */
export function createLeases(
  { store, log, now, monotonicNow }: Pick<RunContext, 'store' | 'log' | 'now' | 'monotonicNow'>,
  runner: string,
  watch: {
    isHere(turn: TurnKey): boolean;
    /** The store no longer has it as ours. */
    onLost(turn: LiveTurn): Promise<void>;
    /** The store has it as ours. */
    onHeld(turn: TurnKey): Promise<void>;
  },
): Leases {
  const expected = new Set<string>();
  const toKey = ({ conversationId, id }: TurnKey) => `${conversationId} ${id}`;
  /** Leases that were over, and when the store was seen to take something since. */
  const lapsed = new Map<string, { until: number; since: number }>();
  let renewing: Promise<void> | undefined;
  let hasOrphans = false;
  let isReleased = false;

  const isOrphan = (record: TurnRecord) =>
    record.status === 'running' &&
    record.runner === runner &&
    !expected.has(toKey(record)) &&
    !watch.isHere(record);
  const make = (): Lease => ({ runner, until: now() + leaseMs });
  const isGivenUp = async (record: TurnRecord): Promise<boolean> => {
    const { leaseUntil: until = 0 } = record;
    // Its helper has let it go.
    if (until === 0) return true;
    const key = toKey(record);
    const seen = lapsed.get(key);
    // One that is longer than any was given by a clock that has been set back since.
    if (until > now() && until <= now() + longestLeaseMs) lapsed.delete(key);
    else if (seen?.until !== until) {
      await store.renewTurns(make());
      if (lapsed.size >= mostLapsed) lapsed.clear();
      lapsed.set(key, { until, since: monotonicNow() });
    } else return monotonicNow() - seen.since >= graceMs && lapsed.delete(key);
    return false;
  };
  const renewAll = async (running: readonly LiveTurn[]) => {
    // What is begun while the store is asked is not in its answer.
    const before = running.filter((turn) => !turn.isOver && !turn.isClosing);
    const held = await store.renewTurns(make());
    const keys = new Set(held.map(toKey));
    for (const turn of before) if (!keys.has(toKey(turn))) await watch.onLost(turn);
    for (const turn of held) if (!expected.has(toKey(turn))) await watch.onHeld(turn);
  };

  return {
    make,
    isOrphan,
    expect(turn) {
      const key = toKey(turn);
      expected.add(key);
      hasOrphans = true;
      return () => void expected.delete(key);
    },
    async take(record) {
      if (record.runner === runner) return isOrphan(record) ? record : undefined;
      if (!(await isGivenUp(record))) return undefined;
      return store.takeTurn(record.conversationId, record.id, make());
    },
    renew(running) {
      if (isReleased || (running.length === 0 && !hasOrphans)) return Promise.resolve();
      // One more look after the last turn has ended: a begin that failed on its way back leaves one behind.
      hasOrphans = running.length > 0 || expected.size > 0;
      renewing ??= renewAll(running)
        .catch((error: unknown) => {
          hasOrphans = true;
          log.warn(toLogFields(error), 'the leases of running turns could not be renewed');
        })
        .finally(() => {
          renewing = undefined;
        });
      return renewing;
    },
    async release() {
      // What is renewed from now on, or at this moment, would be held for as long as a lease.
      isReleased = true;
      await renewing;
      await store.releaseTurns(runner).catch((error: unknown) => {
        log.warn(toLogFields(error), 'running turns could not be let go');
      });
    },
  };
}
