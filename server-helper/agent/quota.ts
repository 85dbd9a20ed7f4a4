/** What the agent says of its rate limit: work that nobody waits for leaves half of a minute's calls to visitors, who are told when none is left. */
export type Quota = {
  /** From a reply's headers; a 429 closes the door for as long as it says. */
  note(header: (name: string) => string | undefined, retryAfterMs?: number): void;
  /** Resolves when a call that can wait may be made: after a minute in any case, or once `signal` aborts. */
  room(signal?: AbortSignal): Promise<void>;
  /** Until the agent takes calls again; 0 while it does, or nothing is known. */
  spentMs(): number;
};

/** The operator hears of it while visitors are still answered. */
const lowShare = 0.2;

/** No wait is longer than the window: the agent's clock may be another, and what it says may be of a whole day. */
const mostWaitMs = 60_000;

/** @param tellLow told of each reply that leaves little @param now ms since 1970 */
export function createQuota(
  tellLow: (limit: number, remaining: number) => void = () => {},
  now: () => number = Date.now,
): Quota {
  let fullUntil = 0;
  let spentUntil = 0;
  return {
    note(header, retryAfterMs) {
      const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
        Number(header(`x-ratelimit-${name}`) ?? Number.NaN),
      ) as [number, number, number];
      const resetsAt = Math.min(toMs(reset) || Number.POSITIVE_INFINITY, now() + mostWaitMs);
      // A limit of 0 is how some say that there is none.
      const isTold = limit >= 1 && remaining >= 0;
      if (isTold) spentUntil = remaining < 1 ? resetsAt : 0;
      if (isTold && remaining <= limit * lowShare) tellLow(limit, remaining);
      if (retryAfterMs !== undefined) fullUntil = now() + Math.min(retryAfterMs, mostWaitMs);
      else if (isTold) fullUntil = remaining <= limit / 2 ? resetsAt : 0;
    },
    spentMs: () => Math.max(0, spentUntil - now()),
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
