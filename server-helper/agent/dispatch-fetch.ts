/** Sends a request with fetch: for runtimes without Node's sockets. */
import type { Dispatch } from './http.ts';

export const dispatchFetch: Dispatch = (request, exchange) => {
  const aborter = new AbortController();
  const run = async () => {
    const response = await fetch(request.url, {
      method: request.method,
      headers: request.headers,
      body: request.body === undefined ? null : toBody(request.body),
      // Of a stream.
      ...({ duplex: 'half' } as object),
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
  run()
    .then(() => exchange.onEnd())
    .catch((error: unknown) => {
      exchange.onError(aborter.signal.aborted ? undefined : error);
      aborter.abort();
    });
  return { abort: () => aborter.abort() };
};

/** When a kept connection breaks Deno sends again what it can read again, a question too: a stream it cannot. */
function toBody(body: string): string | ReadableStream {
  return 'Deno' in globalThis ? new Blob([body]).stream() : body;
}
