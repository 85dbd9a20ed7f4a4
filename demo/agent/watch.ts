/** Looks whether something is due: when it is woken, at the instant that the last look named, and now and then. */

import { asItself } from './workflows/origin.ts';

export interface Watch {
  wake(): void;
  stop(): void;
}

interface WatchOptions {
  /** Does what is due. @returns when the next is, in ms since 1970; undefined: not before it is woken */
  look(): number | undefined;
  report(thrown: unknown): void;
  now(): number;
  /** It looks at the latest after so long: the clock may have been set, and the database not have answered. */
  maxIdleMs: number;
}

export function createWatch({ look, report, now, maxIdleMs }: WatchOptions): Watch {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  function wake() {
    clearTimeout(timer);
    if (isStopped) return;
    let next: number | undefined = Number.POSITIVE_INFINITY;
    try {
      // What it does is nobody's who happened to wake it.
      next = asItself(look);
    } catch (thrown) {
      // The database is locked or full: that stops nobody, and is tried again.
      report(thrown);
    }
    if (next === undefined) return;
    timer = setTimeout(wake, Math.min(Math.max(next - now(), 0), maxIdleMs));
    timer.unref();
  }

  return {
    wake,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
