/** A limit of time on what is asked of others. */

/**
 * Nothing but a timer holds the limit: Node 20 forgets `AbortSignal.timeout` inside of `AbortSignal.any` once memory is
 * cleared, and what waits then waits for ever.
 *
 * @param work is to be over, its answer read, when it resolves. Throws a DOMException `TimeoutError`, or why `signal` aborts.
 */
export async function withDeadline<T>(
  signal: AbortSignal,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new DOMException('It took too long.', 'TimeoutError')), ms);
  try {
    return await work(AbortSignal.any([signal, limit.signal]));
  } finally {
    clearTimeout(timer);
  }
}
