/** Token buckets: so many at once, so many a minute, by visitor and by address. */
import { HelperError } from '../errors.ts';

export type Rate = { burst: number; perMinute: number };

/** What is counted, and how much of it one visitor and one address may have. */
export const rates = {
  turn: { visitor: { burst: 10, perMinute: 20 }, address: { burst: 60, perMinute: 120 } },
  session: { visitor: undefined, address: { burst: 60, perMinute: 60 } },
  request: { visitor: { burst: 120, perMinute: 240 }, address: { burst: 600, perMinute: 1200 } },
  // What follows makes the agent work, whose own limit is one for all visitors.
  signIn: { visitor: { burst: 20, perMinute: 30 }, address: undefined },
  history: { visitor: { burst: 20, perMinute: 30 }, address: { burst: 100, perMinute: 200 } },
  change: { visitor: { burst: 20, perMinute: 30 }, address: { burst: 100, perMinute: 200 } },
  export: { visitor: { burst: 2, perMinute: 0.2 }, address: { burst: 20, perMinute: 2 } },
  // Deliveries whose signature has to be looked for a second time: that costs some 60 ms.
  webhook: { visitor: undefined, address: { burst: 30, perMinute: 60 } },
} as const satisfies Record<string, { visitor: Rate | undefined; address: Rate | undefined }>;

export type Limited = keyof typeof rates;

export type Limiter = {
  /** @throws HelperError `rate-limited` with the wait until one more is allowed */
  take(what: Limited, owner: string | undefined, address: string | undefined): void;
};

/** Of all visitors whose address the runtime does not tell: one bucket, ten times as large. */
export const sharedAddress = 'shared';
const sharedTimes = 10;

const maxBuckets = 50_000;
type Bucket = { tokens: number; at: number };

/** @param nowMs monotonic */
export function createLimiter(nowMs = () => performance.now()): Limiter {
  const buckets = new Map<string, Bucket>();

  const waitFor = (key: string, { burst, perMinute }: Rate): { bucket: Bucket; waitMs: number } => {
    const at = nowMs();
    const perMs = perMinute / 60_000;
    const known = buckets.get(key);
    const tokens = known ? Math.min(burst, known.tokens + (at - known.at) * perMs) : burst;
    const bucket = { tokens, at };
    // Re-inserted, so that the map's order is by last use and the oldest can go.
    buckets.delete(key);
    buckets.set(key, bucket);
    if (buckets.size > maxBuckets) {
      const oldest = buckets.keys().next().value;
      if (oldest !== undefined) buckets.delete(oldest);
    }
    return { bucket, waitMs: tokens >= 1 ? 0 : Math.ceil((1 - tokens) / perMs) };
  };

  return {
    take(what, owner, address) {
      const { visitor, address: ofAddress } = rates[what];
      const asked = [
        visitor && owner !== undefined ? waitFor(`${what} v ${owner}`, visitor) : undefined,
        ofAddress && address !== undefined
          ? waitFor(`${what} a ${address}`, address === sharedAddress ? toShared(ofAddress) : ofAddress)
          : undefined,
      ].filter((one) => one !== undefined);
      const waitMs = Math.max(0, ...asked.map((one) => one.waitMs));
      if (waitMs > 0) throw new HelperError('rate-limited', undefined, waitMs);
      for (const { bucket } of asked) bucket.tokens -= 1;
    },
  };
}

function toShared({ burst, perMinute }: Rate): Rate {
  return { burst: burst * sharedTimes, perMinute: perMinute * sharedTimes };
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
