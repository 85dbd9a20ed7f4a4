/** Tells the operator why the agent cannot be reached: a wrong name, a closed port, a certificate. Once a minute for each reason. */
import { toCauseCode } from '../errors.ts';
import type { Log } from '../log.ts';

const againMs = 60_000;

/** @param nowMs monotonic */
export function createUnreachable(log: Log, nowMs: () => number) {
  const toldAt = new Map<string, number>();
  /** For a call that never began: what breaks off later is the turn's to mend. @param cause absent where we aborted */
  return (path: string, cause: unknown): void => {
    if (cause === undefined) return;
    // `fetch` wraps what went wrong.
    const code = toCauseCode((cause as { cause?: unknown })?.cause ?? cause);
    if (nowMs() - (toldAt.get(code) ?? Number.NEGATIVE_INFINITY) < againMs) return;
    toldAt.set(code, nowMs());
    log.warn({ code: 'agent-unavailable', cause: code, path }, 'the agent cannot be reached');
  };
}
