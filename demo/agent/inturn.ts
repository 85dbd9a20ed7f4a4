/** Of what is asked at once some is begun, and the rest waits for its turn. */

/** @param whose of one there is one at a time, and none waits for all of another's */
export type InTurn = <T>(whose: string, work: () => Promise<T>) => Promise<T>;

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

  return async (whose, work) => {
    await new Promise<void>((resolve) => {
      waiting.set(whose, [...(waiting.get(whose) ?? []), resolve]);
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
