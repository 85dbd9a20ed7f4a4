/** Rate limits: token buckets by visitor and by address. */
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { toAllowances } from '../../server-helper/auth/allowances.ts';
import {
  createLimiter,
  type MemoryLimiter,
  rates,
  toLimitAddress,
  toTurnRate,
} from '../../server-helper/auth/limit.ts';
import type { HelperError, LimitReached } from '../../server-helper/errors.ts';

const ofVisitor = toTurnRate(toAllowances({}, true).visitorPerMinute);
const asker = (owner: string, address?: string, isGuest = false) => ({ owner, address, isGuest });

function countAllowed(take: () => void, tries: number): number {
  let allowed = 0;
  for (let index = 0; index < tries; index += 1) {
    try {
      take();
      allowed += 1;
    } catch {}
  }
  return allowed;
}

describe('a limiter', () => {
  test('allows the burst at once, then so many a minute', () => {
    let now = 0;
    const limiter = createLimiter(() => now);
    const take = () => limiter.takeTurn(asker('v', undefined));
    const { burst, perMinute } = ofVisitor;
    expect(countAllowed(take, 100)).toBe(burst);
    now = 60_000;
    expect(countAllowed(take, 100)).toBe(Math.min(burst, perMinute));
  });

  test('keeps its time when the clock of the day is set', () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const limiter = createLimiter();
    expect(countAllowed(() => limiter.takeTurn(asker('v', undefined)), 100)).toBe(ofVisitor.burst);
    vi.setSystemTime(Date.now() + 3600_000);
    expect(countAllowed(() => limiter.takeTurn(asker('v', undefined)), 1)).toBe(0);
    vi.useRealTimers();
  });

  test('says how long to wait, and then allows one', () => {
    let now = 0;
    const limiter = createLimiter(() => now);
    const take = () => limiter.takeTurn(asker('v', undefined));
    countAllowed(take, 100);
    let waitMs = 0;
    try {
      take();
    } catch (error) {
      waitMs = (error as { retryAfterMs: number }).retryAfterMs;
    }
    expect(waitMs).toBeGreaterThan(0);
    now = waitMs;
    expect(countAllowed(take, 5)).toBe(1);
  });

  test('in no span of time allows more than the burst and what the rate adds', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 4000 }), { maxLength: 300 }), (gaps) => {
        let now = 0;
        const limiter = createLimiter(() => now);
        const allowedAt: number[] = [];
        for (const gap of gaps) {
          now += gap;
          if (countAllowed(() => limiter.takeTurn(asker('v', undefined)), 1)) allowedAt.push(now);
        }
        const { burst, perMinute } = ofVisitor;
        for (const [from, start] of allowedAt.entries())
          for (const [to, end] of allowedAt.entries())
            if (to >= from)
              expect(to - from + 1).toBeLessThanOrEqual(burst + ((end - start) * perMinute) / 60_000 + 1e-6);
      }),
      { numRuns: 30, seed: 7 },
    );
  });

  test('keeps visitors apart, and counts all of one address together', () => {
    const limiter = createLimiter(() => 0);
    const all = countAllowed(() => limiter.take('session', undefined, '192.0.2.1'), 1000);
    expect(all).toBe(rates.session.address.burst);
    expect(countAllowed(() => limiter.take('session', undefined, '192.0.2.2'), 1)).toBe(1);
  });

  test('a refusal by one bucket takes nothing from the other', () => {
    const limiter = createLimiter(() => 0);
    countAllowed(() => limiter.takeTurn(asker('greedy', '192.0.2.1')), 1000);
    expect(countAllowed(() => limiter.takeTurn(asker('other', '192.0.2.1')), ofVisitor.burst)).toBe(
      ofVisitor.burst,
    );
  });
});

test.each([
  ['session', 60, 600],
  ['history', 100, 1_000],
  ['webhook', 30, 30],
  ['admin', 20, 20],
] as const)(
  'many visitors of one address: %s, %i at once, or %i where it may ask ten times as much',
  (what, usual, grown) => {
    const countAt = (addressPerMinute: number) => {
      const limiter = createLimiter(() => 0, toAllowances({ addressPerMinute }, true));
      return countAllowed(() => limiter.take(what, undefined, '192.0.2.1'), 2_000);
    };
    expect([countAt(12), countAt(120), countAt(1_200)]).toEqual([usual, usual, grown]);
  },
);

describe('what all together may ask', () => {
  const dayMs = 24 * 3600_000;
  /** Each visitor asks once from an address of their own. */
  const crowd = (limiter: MemoryLimiter, isGuest: boolean) => {
    let count = 0;
    return () => limiter.takeTurn(asker(`v${count++}`, `192.0.2.${count}`, isGuest));
  };
  const waitOf = (take: () => void) => {
    try {
      take();
    } catch (error) {
      return (error as HelperError).retryAfterMs;
    }
    return 0;
  };

  test('guests have a limit of their own, which leaves the rest to customers', () => {
    let now = 0;
    const limiter = createLimiter(() => now, toAllowances({ guestsPerMinute: 10, sitePerMinute: 30 }, true));
    expect(countAllowed(crowd(limiter, true), 100)).toBe(5);
    expect(countAllowed(crowd(limiter, false), 100)).toBe(10);
    now = 60_000;
    expect(countAllowed(crowd(limiter, true), 100)).toBe(5);
  });

  test('the limits of all are not forgotten for any number of visitors', () => {
    const limiter = createLimiter(() => 0, toAllowances({ guestsPerMinute: 2 }, true));
    limiter.takeTurn(asker('first', undefined, true));
    for (let count = 0; count < 60_000; count += 1) limiter.take('request', `v${count}`, undefined);
    expect(countAllowed(crowd(limiter, true), 10)).toBe(0);
  });

  test('in 24 hours from the first question never more than those of a day, and then anew', () => {
    let now = 5;
    const limiter = createLimiter(() => now, toAllowances({ sitePerDay: 100 }, true));
    const take = crowd(limiter, false);
    take();
    let allowed = 1;
    for (; now < dayMs - 600_000; now += 600_000) allowed += countAllowed(take, 10);
    expect(allowed).toBe(100);
    expect(waitOf(take)).toBe(dayMs + 5 - now);
    now = dayMs + 5;
    expect(waitOf(take)).toBe(0);
  });

  test('what is refused by one visitor’s limit is not counted in the day', () => {
    const limiter = createLimiter(() => 0, toAllowances({ visitorPerMinute: 2, sitePerDay: 3 }, true));
    countAllowed(() => limiter.takeTurn(asker('greedy')), 50);
    expect(countAllowed(crowd(limiter, false), 50)).toBe(2);
  });

  test('names the limit that refuses, and tells of the day’s before it is reached', () => {
    const told: string[] = [];
    const allowances = toAllowances({ visitorPerMinute: 8, sitePerDay: 5 }, true);
    const limiter = createLimiter(
      () => 0,
      allowances,
      (limit) => told.push(limit),
    );
    const nameOf = (take: () => void) => {
      try {
        take();
      } catch (error) {
        return (error as LimitReached).limit;
      }
      return undefined;
    };
    const greedy = () => limiter.takeTurn(asker('greedy'));
    expect(Array.from({ length: 5 }, () => nameOf(greedy))).toEqual([
      ...Array(4).fill(undefined),
      'visitorPerMinute',
    ]);
    expect(told).toEqual(['sitePerDay']);
    const take = crowd(limiter, false);
    expect([nameOf(take), nameOf(take)]).toEqual([undefined, 'sitePerDay']);
    countAllowed(() => limiter.take('export', 'greedy', undefined), 2);
    expect(nameOf(() => limiter.take('export', 'greedy', undefined))).toBe('exportPerVisitor');
  });

  test('guests leave half of a day to customers, all of it where nobody can sign in, or as many as is said', () => {
    const limiter = createLimiter(() => 0, toAllowances({ sitePerDay: 9 }, true));
    expect(countAllowed(crowd(limiter, true), 100)).toBe(5);
    expect(countAllowed(crowd(limiter, false), 100)).toBe(4);
    expect(toAllowances({ sitePerMinute: 7, sitePerDay: 9 }, false)).toMatchObject({
      guestsPerMinute: 7,
      guestsPerDay: 9,
    });
    expect(toAllowances({ sitePerMinute: 7, guestsPerDay: 2 }, true)).toMatchObject({
      guestsPerMinute: 4,
      guestsPerDay: 2,
    });
  });

  test('what was not asked is given back to all, not to who tried', () => {
    let now = 0;
    const allowances = toAllowances({ visitorPerMinute: 6, guestsPerMinute: 8, sitePerDay: 8 }, true);
    const limiter = createLimiter(() => now, allowances);
    for (let count = 0; count < 40; count += 1) {
      limiter.takeTurn(asker(`v${count}`, undefined, true))();
      now += 1;
    }
    expect(countAllowed(() => limiter.takeTurn(asker('greedy', undefined, true))(), 10)).toBe(3);
    expect(countAllowed(crowd(limiter, true), 10)).toBe(4);
    now += 60_000;
    expect(countAllowed(crowd(limiter, false), 10)).toBe(4);
  });

  test('a decision is held to the visitor’s limit and the address’s alone', () => {
    const limiter = createLimiter(() => 0, toAllowances({ visitorPerMinute: 6, sitePerDay: 1 }, true));
    limiter.takeTurn(asker('v'));
    expect(countAllowed(() => limiter.takeDecision(asker('v')), 10)).toBe(2);
  });
});

describe('the address that limits are kept by', () => {
  test('is the socket, whatever the header says, unless proxies are trusted', () => {
    expect(toLimitAddress('192.0.2.9', '1.2.3.4', 0)).toBe('192.0.2.9');
  });
  test('is what the last trusted proxy saw, not what the caller wrote before it', () => {
    expect(toLimitAddress('10.0.0.1', '6.6.6.6, 192.0.2.7', 1)).toBe('192.0.2.7');
    expect(toLimitAddress('10.0.0.1', '6.6.6.6, 192.0.2.7, 10.0.0.2', 2)).toBe('192.0.2.7');
  });
  test('is the socket when the header is too short or no address', () => {
    expect(toLimitAddress('10.0.0.1', '192.0.2.7', 2)).toBe('10.0.0.1');
    expect(toLimitAddress('10.0.0.1', 'unknown', 1)).toBe('10.0.0.1');
  });
  test('is without the port that some proxies add, which is another one with each connection', () => {
    for (const port of ['', ':1', ':443', ':65535']) {
      expect(toLimitAddress('10.0.0.1', `192.0.2.7${port}`, 1)).toBe('192.0.2.7');
      expect(toLimitAddress('10.0.0.1', `6.6.6.6:5, 192.0.2.7${port}, 10.0.0.2:9`, 2)).toBe('192.0.2.7');
      expect(toLimitAddress('10.0.0.1', `[2001:db8::1]${port}`, 1)).toBe('2001:db8:0:0::/64');
      expect(toLimitAddress('10.0.0.1', `[::ffff:192.0.2.7]${port}`, 1)).toBe('192.0.2.7');
    }
    expect(toLimitAddress('10.0.0.1', '2001:db8::1', 1)).toBe('2001:db8:0:0::/64');
    expect(toLimitAddress('10.0.0.1', '::1', 1)).toBe('0:0:0:0::/64');
  });
  test('is the socket when the hop is a name, a word or half an address', () => {
    for (const hop of [
      '',
      'proxy.test',
      '192.0.2',
      '192.0.2.7:',
      '[2001:db8::1',
      'dead',
      '...',
      '192.0.2.7:80:80',
    ])
      expect(toLimitAddress('10.0.0.1', hop, 1)).toBe('10.0.0.1');
  });
  test('is the /64 of an IPv6 address, however it is written', () => {
    expect(toLimitAddress('2001:db8::1', null, 0)).toBe('2001:db8:0:0::/64');
    expect(toLimitAddress('2001:db8:0:0:ffff::2', null, 0)).toBe('2001:db8:0:0::/64');
    expect(toLimitAddress('::ffff:192.0.2.1', null, 0)).toBe('192.0.2.1');
  });
});
