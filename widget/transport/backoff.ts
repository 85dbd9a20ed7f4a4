/** How long to wait before trying again: longer each time, never all at once, at once when the network is back. */

const firstMs = 500;
const mostMs = 20_000;

/** @param attempt from 0 @returns milliseconds, at random between half and the whole of the step */
export function toBackoffMs(attempt: number, random: () => number = Math.random): number {
  const step = Math.min(mostMs, firstMs * 2 ** Math.min(attempt, 10));
  return step / 2 + (step / 2) * random();
}

/** Resolves after `ms`, or as soon as the browser says it is online again; rejects when aborted. */
export function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const ending = new AbortController();
    const finish = (settle: () => void) => () => {
      ending.abort();
      settle();
    };
    const onTime = finish(resolve);
    const onAbort = finish(() => reject(signal?.reason));
    setTimeout(onTime, ms);
    addEventListener('online', onTime, ending);
    signal?.addEventListener('abort', onAbort, ending);
    if (signal?.aborted) onAbort();
  });
}
