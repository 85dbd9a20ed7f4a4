/** Tells the operator why the agent cannot be reached: a wrong name, a closed port, a certificate. Once a minute for each reason. */
import { toCauseCode } from '../errors.ts';
import { createPace, type Log } from '../log.ts';

/** @param nowMs monotonic */
export function createUnreachable(log: Log, nowMs: () => number) {
  const isDue = createPace(nowMs);
  /** For a call that never began: what breaks off later is the turn's to mend. @param cause absent where we aborted */
  return (path: string, cause: unknown): void => {
    if (cause === undefined) return;
    const code = toReason(cause);
    if (isDue(code))
      log.warn({ code: 'agent-unavailable', cause: code, path }, 'the agent cannot be reached');
  };
}

/** In a word: `econnrefused`. */
export function toReason(cause: unknown): string {
  // `fetch` wraps what went wrong.
  return toCauseCode((cause as { cause?: unknown } | undefined)?.cause ?? cause);
}
