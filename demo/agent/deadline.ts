/** A limit of time on what is asked of others. */

import { setMaxListeners } from 'node:events';

/**
 * Without `AbortSignal.any`: on Node 20 it loses an `AbortSignal.timeout` once memory is cleared, and what waits then waits
 * for ever; and what lives long keeps something of each call.
 *
 * @param work is to be over, its answer read, when it resolves. Throws a DOMException `TimeoutError`, or why `signal` aborts.
 */
export async function withDeadline<T>(
  signal: AbortSignal,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const abort = () => limit.abort(signal.reason);
  const timer = setTimeout(() => limit.abort(new DOMException('It took too long.', 'TimeoutError')), ms);
  if (signal.aborted) abort();
  // As many may listen as call at once.
  setMaxListeners(0, signal);
  signal.addEventListener('abort', abort);
  try {
    return await work(limit.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}
