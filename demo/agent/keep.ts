/** Writes what must not be forgotten where the database does not take it at once. */

import { setTimeout as rest } from 'node:timers/promises';

const [firstRestMs, longestRestMs] = [1_000, 10_000];

/** Again and again until it is taken. @returns what `write` does. Throws why `signal` aborts */
export async function keepTrying<T>(
  write: () => T,
  report: (thrown: unknown) => void,
  signal: AbortSignal,
): Promise<T> {
  for (let restMs = firstRestMs; ; restMs = Math.min(2 * restMs, longestRestMs)) {
    try {
      return write();
    } catch (thrown) {
      report(thrown);
      await rest(restMs, undefined, { ref: false, signal });
    }
  }
}
