/** Rate limits: token buckets by visitor and by address. */
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { createLimiter, rates, toLimitAddress } from '../../server-helper/auth/limit.ts';

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
    const take = () => limiter.take('turn', 'v', undefined);
    const { burst, perMinute } = rates.turn.visitor;
    expect(countAllowed(take, 100)).toBe(burst);
    now = 60_000;
    expect(countAllowed(take, 100)).toBe(Math.min(burst, perMinute));
  });

  test('keeps its time when the clock of the day is set', () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const limiter = createLimiter();
    expect(countAllowed(() => limiter.take('turn', 'v', undefined), 100)).toBe(rates.turn.visitor.burst);
    vi.setSystemTime(Date.now() + 3600_000);
    expect(countAllowed(() => limiter.take('turn', 'v', undefined), 1)).toBe(0);
    vi.useRealTimers();
  });

  test('says how long to wait, and then allows one', () => {
    let now = 0;
    const limiter = createLimiter(() => now);
    const take = () => limiter.take('turn', 'v', undefined);
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
          if (countAllowed(() => limiter.take('turn', 'v', undefined), 1)) allowedAt.push(now);
        }
        const { burst, perMinute } = rates.turn.visitor;
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
    countAllowed(() => limiter.take('turn', 'greedy', '192.0.2.1'), 1000);
    expect(countAllowed(() => limiter.take('turn', 'other', '192.0.2.1'), rates.turn.visitor.burst)).toBe(
      rates.turn.visitor.burst,
    );
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
