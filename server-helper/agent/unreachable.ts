/** Tells the operator why the agent cannot be reached: a wrong name, a closed port, a certificate. Once a minute for each reason. */
import { toCauseCode } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Exchange } from './http.ts';

const againMs = 60_000;

/** @param nowMs monotonic */
export function createUnreachable(log: Log, nowMs: () => number) {
  const toldAt = new Map<string, number>();
  const tell = (cause: unknown, path: string) => {
    // `fetch` wraps what went wrong.
    const code = toCauseCode((cause as { cause?: unknown })?.cause ?? cause);
    if (nowMs() - (toldAt.get(code) ?? Number.NEGATIVE_INFINITY) < againMs) return;
    toldAt.set(code, nowMs());
    log.warn({ code: 'agent-unavailable', cause: code, path }, 'the agent cannot be reached');
  };
  /** What breaks off later is the turn's to mend; what never began is the operator's to know. */
  return (path: string, exchange: Exchange): Exchange => {
    let isStarted = false;
    return {
      onStart(status, header) {
        isStarted = true;
        exchange.onStart(status, header);
      },
      onData: (bytes) => exchange.onData(bytes),
      onEnd: () => exchange.onEnd(),
      onError(cause) {
        if (!isStarted && cause !== undefined) tell(cause, path);
        exchange.onError(cause);
      },
    };
  };
}
