/** Sends a request with fetch: for runtimes without Node's sockets. */
import type { Dispatch } from './http.ts';

export const dispatchFetch: Dispatch = (request, exchange) => {
  const aborter = new AbortController();
  const run = async () => {
    const response = await fetch(request.url, {
      method: request.method,
      headers: request.headers,
      body: request.body ?? null,
      redirect: 'manual',
      signal: aborter.signal,
    });
    exchange.onStart(response.status, (name) => response.headers.get(name) ?? undefined);
    if (response.body) {
      const reader = response.body.getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        exchange.onData(value);
      }
    }
  };
  run().then(
    () => exchange.onEnd(),
    (error: unknown) => exchange.onError(aborter.signal.aborted ? undefined : error),
  );
  return { abort: () => aborter.abort() };
};
