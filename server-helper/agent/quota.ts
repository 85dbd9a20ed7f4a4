/** What the agent says of its rate limit: work that nobody waits for leaves half of a minute's calls to visitors. */
export type Quota = {
  /** From a reply's headers; a 429 closes the door for as long as it says. */
  note(header: (name: string) => string | undefined, retryAfterMs?: number): void;
  /** Resolves when a call that can wait may be made: after a minute in any case, or once `signal` aborts. */
  room(signal?: AbortSignal): Promise<void>;
};

/** No wait is longer than the window: the agent's clock may be another, and what it says may be of a whole day. */
const mostWaitMs = 60_000;

/** @param now ms since 1970 */
export function createQuota(now: () => number = Date.now): Quota {
  let fullUntil = 0;
  return {
    note(header, retryAfterMs) {
      const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
        Number(header(`x-ratelimit-${name}`) ?? Number.NaN),
      ) as [number, number, number];
      if (retryAfterMs !== undefined) fullUntil = now() + Math.min(retryAfterMs, mostWaitMs);
      else if (remaining <= limit / 2)
        fullUntil = Math.min(toMs(reset) || Number.POSITIVE_INFINITY, now() + mostWaitMs);
      else if (remaining > limit / 2) fullUntil = 0;
    },
    async room(signal) {
      const until = now() + mostWaitMs;
      for (;;) {
        const waitMs = Math.min(fullUntil, until) - now();
        if (waitMs <= 0 || signal?.aborted) return;
        await pause(Math.min(waitMs, lookEveryMs), signal);
      }
    },
  };
}

/** Another call may have found the door open. */
const lookEveryMs = 1_000;

/** Keeps no process alive. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    (timer as { unref?: () => void }).unref?.();
    signal?.addEventListener('abort', end);
  });
}

/** In seconds since 1970, as documented, or in milliseconds. */
export function toMs(reset: number): number {
  return reset > 1e11 ? reset : reset * 1000;
}
