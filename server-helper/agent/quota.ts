/** What the agent says of its rate limit: work that nobody waits for leaves half of a minute's calls to visitors. */
export type Quota = {
  /** From a reply's headers; a 429 closes the door for as long as it says. */
  note(header: (name: string) => string | undefined, retryAfterMs?: number): void;
  /** Resolves when a call that can wait may be made. */
  room(): Promise<void>;
};

/** The agent's clock may be another: no wait is longer than its window. */
const mostWaitMs = 60_000;

/** @param now ms since 1970 */
export function createQuota(now: () => number = Date.now): Quota {
  let fullAt = 0;
  let closedUntil = 0;
  return {
    note(header, retryAfterMs) {
      if (retryAfterMs !== undefined) closedUntil = now() + retryAfterMs;
      const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
        Number(header(`x-ratelimit-${name}`) ?? Number.NaN),
      ) as [number, number, number];
      const isScarce = remaining <= limit / 2;
      fullAt = isScarce && reset > 0 ? Math.min(reset * 1000, now() + mostWaitMs) : 0;
    },
    async room() {
      for (;;) {
        const waitMs = Math.max(fullAt, closedUntil) - now();
        if (waitMs <= 0) return;
        await new Promise((resolve) => setTimeout(resolve, Math.min(waitMs, mostWaitMs)));
      }
    },
  };
}
