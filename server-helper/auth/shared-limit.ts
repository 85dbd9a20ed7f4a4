/** Counts questions and decisions with the other helpers on a store, so that a limit is the same however many there are. */
import { LimitReached } from '../errors.ts';
import type { SharedBucket, SharedCount, SharedLimits } from '../store/shared-limits.ts';
import type { Allowances } from './allowances.ts';
import {
  type Asker,
  type Limiter,
  type MemoryLimiter,
  toAddressRate,
  toTurnRate,
  warnShare,
} from './limit.ts';

type Bucket = SharedBucket & { limit: string };
type Count = SharedCount & { limit: 'sitePerDay' | 'guestsPerDay' };

/**
 * What does not make the agent work is counted by each helper for itself.
 *
 * @param own counts first: who asks far too much is refused without the store
 * @param bot whose limits they are
 * @param onNear told of an allowance that is nearly used up
 */
export function createSharedLimiter(
  own: MemoryLimiter,
  shared: SharedLimits,
  bot: string,
  allowances: Allowances,
  onNear: (limit: string) => void,
): Limiter {
  const toBucket = (
    limit: string,
    whose: string,
    { burst, perMinute }: ReturnType<typeof toTurnRate>,
  ): Bucket => ({
    ...{ limit, key: `${bot} ${limit} ${whose}`, burst, perMinute },
  });
  const toOwn = ({ owner, address }: Pick<Asker, 'owner' | 'address'>): Bucket[] => [
    toBucket('visitorPerMinute', owner, toTurnRate(allowances.visitorPerMinute)),
    ...(address === undefined
      ? []
      : [toBucket('addressPerMinute', address, toAddressRate(allowances.addressPerMinute, address))]),
  ];
  /** @throws LimitReached */
  const take = async (buckets: readonly Bucket[], counts: readonly Count[]): Promise<void> => {
    const { waits, counts: come } = await shared.take(buckets, counts);
    const limits = [...buckets, ...counts].map(({ limit }, index) => ({ limit, waitMs: waits[index] ?? 0 }));
    const longest = limits.reduce((one, other) => (other.waitMs > one.waitMs ? other : one));
    if (longest.waitMs > 0) throw new LimitReached(longest.limit, longest.waitMs);
    for (const [index, { limit, most }] of counts.entries())
      if (come[index] === Math.ceil(most * warnShare)) onNear(limit);
  };

  return {
    take: own.take,
    async takeTurn(asker) {
      const giveBackOwn = own.takeTurn(asker);
      const { guestsPerMinute, sitePerMinute, guestsPerDay, sitePerDay } = allowances;
      const toCount = (limit: Count['limit'], most: number): Count => ({
        limit,
        key: `${bot} ${limit}`,
        most,
      });
      const ofAll = [toBucket('sitePerMinute', '', toTurnRate(sitePerMinute))];
      const counts = [toCount('sitePerDay', sitePerDay)];
      if (asker.isGuest) {
        ofAll.push(toBucket('guestsPerMinute', '', toTurnRate(guestsPerMinute)));
        counts.push(toCount('guestsPerDay', guestsPerDay));
      }
      await take([...toOwn(asker), ...ofAll], counts).catch((error: unknown) => {
        giveBackOwn();
        throw error;
      });
      let isGivenBack = false;
      return () => {
        if (isGivenBack) return;
        isGivenBack = true;
        giveBackOwn();
        // Counted still, it is one less for all until the bucket is full again.
        shared.giveBack(ofAll, counts).catch(() => {});
      };
    },
    async takeDecision(asker) {
      own.takeDecision(asker);
      await take(toOwn(asker), []);
    },
  };
}
