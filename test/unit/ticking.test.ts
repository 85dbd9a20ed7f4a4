/** The second's tick of a process that stood still: what came meanwhile is read before anybody is called silent. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { silentLog } from '../../server-helper/log.ts';
import { startTicking } from '../../server-helper/turns/ticking.ts';

type Parts = Parameters<typeof startTicking>[0];

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a turn whose agent spoke while the process stood still is not failed, a silent one is a second later', () => {
  let nowMs = 0;
  const toTurn = () => ({ lastLifeAt: 0, startedAt: 0, isOver: false, log: { cutStuck() {}, beat() {} } });
  const [speaking, silent] = [toTurn(), toTurn()];
  const [failSpeaking, failSilent] = [vi.fn(), vi.fn()];
  const runs = new WeakMap<object, object>([
    [speaking, { isElsewhere: false, fail: failSpeaking }],
    [silent, { isElsewhere: false, fail: failSilent }],
  ]);
  const stop = startTicking({
    logs: { running: () => [speaking, silent], settled: () => [], sweep() {} },
    runs,
    ends: { flush: async () => {} },
    leases: { renew: async () => {} },
    monotonicNow: () => nowMs,
    endExpired: async () => {},
    log: silentLog,
  } as unknown as Parts);
  const pass = (ms: number) => {
    nowMs += ms;
    vi.advanceTimersByTime(1_000);
  };
  pass(1_000);
  pass(63_000);
  speaking.lastLifeAt = nowMs;
  expect([failSpeaking, failSilent].map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
  pass(1_000);
  expect([failSpeaking, failSilent].map(({ mock }) => mock.calls.length)).toEqual([0, 1]);
  stop();
});
