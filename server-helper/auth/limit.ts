/** Token buckets: so many at once, so many a minute, by visitor and by address; of questions, by all together too. */
import { LimitReached } from '../errors.ts';
import { type Allowances, toAllowances, usualAddressPerMinute } from './allowances.ts';

export type Rate = { burst: number; perMinute: number };

/** What is counted, and how much of it one visitor and one address may have. */
export const rates = {
  session: { visitor: undefined, address: { burst: 60, perMinute: 60 } },
  request: { visitor: { burst: 120, perMinute: 240 }, address: { burst: 600, perMinute: 1200 } },
  // What follows makes the agent work, whose own limit is one for all visitors.
  signIn: { visitor: { burst: 20, perMinute: 30 }, address: undefined },
  history: { visitor: { burst: 20, perMinute: 30 }, address: { burst: 100, perMinute: 200 } },
  change: { visitor: { burst: 20, perMinute: 30 }, address: { burst: 100, perMinute: 200 } },
  upload: { visitor: { burst: 10, perMinute: 10 }, address: { burst: 40, perMinute: 40 } },
  export: { visitor: { burst: 2, perMinute: 0.2 }, address: { burst: 20, perMinute: 2 } },
  // Deliveries whose signature has to be looked for a second time: that costs some 60 ms.
  webhook: { visitor: undefined, address: { burst: 30, perMinute: 60 } },
  // Tries of the owner's password.
  admin: { visitor: undefined, address: { burst: 20, perMinute: 10 } },
} as const satisfies Record<string, { visitor: Rate | undefined; address: Rate | undefined }>;

export type Limited = keyof typeof rates;
export type Asker = { owner: string; isGuest: boolean; address: string | undefined };

type MaybeLater<T> = T | Promise<T>;

/** Here each process counts for itself; what counts for several has to be waited for. */
export type Limiter = {
  /** @throws LimitReached with the wait until one more is allowed */
  take(what: Limited, owner: string | undefined, address: string | undefined): MaybeLater<void>;
  /** For a question, which the agent is paid for. @returns gives back what all share, where it was not asked @throws LimitReached */
  takeTurn(asker: Asker): MaybeLater<() => void>;
  /** For a decision: the question that it belongs to was counted. @throws LimitReached */
  takeDecision(asker: Pick<Asker, 'owner' | 'address'>): MaybeLater<void>;
};

/** In memory, at once. */
export type MemoryLimiter = {
  [Method in keyof Limiter]: (...asked: Parameters<Limiter[Method]>) => Awaited<ReturnType<Limiter[Method]>>;
};

/** Of all visitors whose address the runtime does not tell: one bucket, ten times as large. */
export const sharedAddress = 'shared';
const sharedTimes = 10;

const maxBuckets = 50_000;
const dayMs = 24 * 3600_000;
/** The operator hears of it before visitors do. */
export const warnShare = 0.8;
type Bucket = { tokens: number; at: number };
type Wait = { limit: string; bucket: Bucket; waitMs: number };

/** @param nowMs monotonic @param onNear told once a day of an allowance that is nearly used up */
export function createLimiter(
  nowMs = () => performance.now(),
  allowances: Allowances = toAllowances({}, true),
  onNear: (limit: string) => void = () => {},
): MemoryLimiter {
  const buckets = new Map<string, Bucket>();
  /** Apart: who makes 50,000 others must not have these forgotten. */
  const ofAll = new Map<string, Bucket>();
  /** Never counted by a bucket, which would let twice as much through in its first day. */
  let day = { endsAt: Number.NEGATIVE_INFINITY, sitePerDay: 0, guestsPerDay: 0 };

  const look = (limit: string, whose: string | undefined, { burst, perMinute }: Rate): Wait => {
    const kept = whose === undefined ? ofAll : buckets;
    const key = `${limit} ${whose}`;
    const at = nowMs();
    const perMs = perMinute / 60_000;
    const known = kept.get(key);
    const tokens = known ? Math.min(burst, known.tokens + (at - known.at) * perMs) : burst;
    // The same one, so that what is given back later arrives.
    const bucket = Object.assign(known ?? {}, { tokens, at });
    // Re-inserted, so that the map's order is by last use and the oldest can go.
    kept.delete(key);
    kept.set(key, bucket);
    if (buckets.size > maxBuckets) {
      const oldest = buckets.keys().next().value;
      if (oldest !== undefined) buckets.delete(oldest);
    }
    return { limit, bucket, waitMs: tokens >= 1 ? 0 : Math.ceil((1 - tokens) / perMs) };
  };

  /** Where many visitors share an address, they do all else from it, too. */
  const grown = (what: Limited) =>
    what === 'webhook' || what === 'admin'
      ? 1
      : Math.max(1, allowances.addressPerMinute / usualAddressPerMinute);

  const takeAll = (asked: readonly Wait[]) => {
    const longest = asked.reduce((one, other) => (other.waitMs > one.waitMs ? other : one));
    if (longest.waitMs > 0) throw new LimitReached(longest.limit, longest.waitMs);
    for (const { bucket } of asked) bucket.tokens -= 1;
  };

  const toOwn = ({ owner, address }: Pick<Asker, 'owner' | 'address'>): Wait[] => {
    const { visitorPerMinute, addressPerMinute } = allowances;
    const own = [look('visitorPerMinute', owner, toTurnRate(visitorPerMinute))];
    if (address !== undefined)
      own.push(look('addressPerMinute', address, toAddressRate(addressPerMinute, address)));
    return own;
  };

  return {
    take(what, owner, address) {
      const { visitor, address: ofAddress } = rates[what];
      const asked: Wait[] = [];
      if (visitor && owner !== undefined) asked.push(look(`${what}PerVisitor`, owner, visitor));
      if (ofAddress && address !== undefined)
        asked.push(look(`${what}PerAddress`, address, toRate(ofAddress, address, grown(what))));
      if (asked.length > 0) takeAll(asked);
    },
    takeTurn(asker) {
      const { guestsPerMinute, sitePerMinute } = allowances;
      const at = nowMs();
      if (at >= day.endsAt) day = { endsAt: at + dayMs, sitePerDay: 0, guestsPerDay: 0 };
      const today = day;
      const counted: ('sitePerDay' | 'guestsPerDay')[] = ['sitePerDay'];
      if (asker.isGuest) counted.push('guestsPerDay');
      for (const limit of counted)
        if (today[limit] >= allowances[limit]) throw new LimitReached(limit, Math.ceil(today.endsAt - at));
      const ofAll = [look('sitePerMinute', undefined, toTurnRate(sitePerMinute))];
      if (asker.isGuest) ofAll.push(look('guestsPerMinute', undefined, toTurnRate(guestsPerMinute)));
      takeAll([...toOwn(asker), ...ofAll]);
      for (const limit of counted) {
        today[limit] += 1;
        if (today[limit] === Math.ceil(allowances[limit] * warnShare)) onNear(limit);
      }
      let isGivenBack = false;
      return () => {
        if (isGivenBack) return;
        isGivenBack = true;
        for (const { bucket } of ofAll) bucket.tokens += 1;
        for (const limit of counted) today[limit] -= 1;
      };
    },
    takeDecision: (asker) => takeAll(toOwn(asker)),
  };
}

/** Half of a minute's at once. */
export const toTurnRate = (perMinute: number): Rate => ({ burst: Math.ceil(perMinute / 2), perMinute });

export const toAddressRate = (perMinute: number, address: string): Rate =>
  toRate(toTurnRate(perMinute), address);

function toRate({ burst, perMinute }: Rate, address: string, grown = 1): Rate {
  const times = grown * (address === sharedAddress ? sharedTimes : 1);
  return { burst: burst * times, perMinute: perMinute * times };
}

/**
 * The address that limits are kept by: the socket's, or the one that the last trusted proxy saw.
 * IPv6 counts by /64, since one customer usually has a whole one.
 */
export function toLimitAddress(
  socketAddress: string | undefined,
  forwardedFor: string | null,
  trustedProxies: number,
): string | undefined {
  const hops = trustedProxies > 0 && forwardedFor ? forwardedFor.split(',') : [];
  const address = readAddress(hops[hops.length - trustedProxies]) ?? socketAddress;
  if (address === undefined) return undefined;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return mapped;
  return address.includes(':') ? toPrefix64(address) : address;
}

const v4 = String.raw`\d{1,3}(?:\.\d{1,3}){3}`;
const v6 = String.raw`(?:[\da-f]{0,4}:){2,7}(?:[\da-f]{0,4}|${v4})`;
const hopShape = new RegExp(String.raw`^(?:(${v4})(?::\d+)?|(${v6})|\[(${v6})\](?::\d+)?)$`, 'i');

/** Some proxies add the port, which is another one with each connection: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function readAddress(hop = ''): string | undefined {
  return hopShape
    .exec(hop.trim())
    ?.slice(1)
    .find((address) => address !== undefined);
}

function toPrefix64(address: string): string {
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros =
    tail === undefined ? [] : Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0');
  const groups = [...left, ...zeros, ...right].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
