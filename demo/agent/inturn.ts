/** Of what is asked at once some is begun, and the rest waits for its turn. */

/**
 * Throws why `signal` aborts, where that is before its turn comes: then nothing is begun.
 *
 * @param whose of one there is one at a time, and none waits for all of another's
 */
export type InTurn = <T>(whose: string, work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

export function createInTurn(maxAtOnce: number): InTurn {
  const running = new Set<string>();
  /** The one that waits longest for its turn is first. */
  const waiting = new Map<string, (() => void)[]>();

  function begin() {
    for (const [whose, [next, ...others]] of waiting) {
      if (running.size >= maxAtOnce) return;
      if (running.has(whose)) continue;
      waiting.delete(whose);
      if (others.length > 0) waiting.set(whose, others);
      running.add(whose);
      next!();
    }
  }

  function forget(whose: string, turn: () => void) {
    const left = (waiting.get(whose) ?? []).filter((one) => one !== turn);
    if (left.length > 0) waiting.set(whose, left);
    else waiting.delete(whose);
  }

  return async (whose, work, signal) => {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const turn = () => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = () => {
        forget(whose, turn);
        reject(signal.reason);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      waiting.set(whose, [...(waiting.get(whose) ?? []), turn]);
      begin();
    });
    try {
      return await work();
    } finally {
      running.delete(whose);
      begin();
    }
  };
}
