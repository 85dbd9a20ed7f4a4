/** Sends requests over Node's sockets, on connections that are kept for the next one. Node only. */
import { Connection, type Message, type Peer, toMessage } from './connection.ts';
import { dispatchFetch } from './dispatch-fetch.ts';
import type { Dispatch, Exchange } from './http.ts';

type NodeDispatch = { dispatch: Dispatch; close(): void };

class HelperClosed extends Error {
  readonly code = 'HELPER_CLOSED';
}

/** By fetch where Node is told to go through a proxy, which its sockets know nothing of. */
export function createNodeDispatch(env: NodeJS.ProcessEnv = process.env): NodeDispatch {
  return env.NODE_USE_ENV_PROXY === '1' ? { dispatch: dispatchFetch, close() {} } : createSocketDispatch();
}

/** Time limits of an answer are the turn's own: a silent stream is still wanted. */
export function createSocketDispatch(): NodeDispatch {
  const peers = new Map<string, Peer>();
  let isClosed = false;
  const send = (url: URL, message: Message, exchange: Exchange, isFresh: boolean): Connection => {
    const peer = peers.get(url.origin) ?? { resting: [], all: new Set(), session: undefined };
    peers.set(url.origin, peer);
    const connection = (isFresh ? undefined : peer.resting.pop()) ?? new Connection(url, peer);
    connection.send(message, exchange);
    return connection;
  };
  return {
    dispatch(request, exchange) {
      const { method, url } = request;
      const message = toMessage(request);
      const sent = new Sent(exchange);
      // A connection that rested may have been closed a moment ago: what only reads is asked once more.
      if (method === 'GET') sent.onStale = () => send(url, message, sent, true);
      if (isClosed) queueMicrotask(() => sent.onError(new HelperClosed('The helper is closed')));
      else sent.connection = send(url, message, sent, false);
      return sent;
    },
    close() {
      isClosed = true;
      for (const { all } of peers.values())
        for (const connection of all) connection.fail(new HelperClosed('The helper is closed'));
    },
  };
}

/** A request on its way; its exchange hears of it until it is over. */
class Sent implements Exchange {
  connection: Connection | undefined;
  onStale: (() => Connection) | undefined;
  #isOver = false;

  constructor(readonly exchange: Exchange) {}

  onStart(status: number, header: (name: string) => string | undefined): void {
    this.onStale = undefined;
    this.exchange.onStart(status, header);
  }
  onData(bytes: Uint8Array): void {
    this.exchange.onData(bytes);
  }
  onEnd(): void {
    this.#isOver = true;
    try {
      this.exchange.onEnd();
    } catch (error) {
      this.exchange.onError(error);
    }
  }
  onError(cause?: unknown): void {
    if (this.#isOver) return;
    const again = this.connection?.isStale ? this.onStale : undefined;
    this.onStale = undefined;
    if (again) {
      this.connection = again();
      return;
    }
    this.#isOver = true;
    this.exchange.onError(cause);
  }
  abort(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.connection?.fail(undefined);
    this.exchange.onError();
  }
}
