/** Sends a request with undici's dispatcher: callbacks from the socket, a quarter of the memory of fetch. Node only. */
import { Agent, type Dispatcher } from 'undici';
import type { Dispatch, Exchange } from './http.ts';

const connectTimeoutMs = 10_000;

/** Time limits are the turn's own; undici's would end a silent stream that is still wanted. */
export function createUndiciDispatch(): { dispatch: Dispatch; close(): Promise<void> } {
  const agent = new Agent({
    connections: null,
    pipelining: 1,
    bodyTimeout: 0,
    headersTimeout: 0,
    keepAliveTimeout: 10_000,
    connect: { timeout: connectTimeoutMs },
  });
  return {
    close: () => agent.destroy(),
    dispatch(request, exchange) {
      const handler = new Handler(exchange);
      agent.dispatch(
        {
          origin: request.url.origin,
          path: request.url.pathname + request.url.search,
          method: request.method as Dispatcher.HttpMethod,
          headers: request.headers,
          body: request.body ?? null,
        },
        handler,
      );
      return handler;
    },
  };
}

class Handler implements Dispatcher.DispatchHandler {
  #controller: Dispatcher.DispatchController | undefined;
  #aborted = false;
  constructor(readonly exchange: Exchange) {}

  abort(): void {
    this.#aborted = true;
    this.#controller?.abort(new Error('no longer wanted'));
  }
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#aborted) controller.abort(new Error('no longer wanted'));
  }
  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    this.exchange.onStart(status, (name) => {
      const value = headers[name];
      return Array.isArray(value) ? value[0] : value;
    });
  }
  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.exchange.onData(chunk);
  }
  onResponseEnd(): void {
    this.exchange.onEnd();
  }
  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.exchange.onError(this.#aborted ? undefined : error);
  }
}
