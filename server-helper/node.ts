/** The helper on Node: bytes go straight from a turn's log to the socket, and the agent is called over its sockets. */
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { createNodeDispatch } from './agent/dispatch-sockets.ts';
import type { HelperOptions } from './config.ts';
import type { OpenStream } from './edge.ts';
import { createHelper, type Helper } from './handler.ts';
import { consoleLog } from './log.ts';
import { measureNode } from './measure.ts';
import { createMountNotes, findTarget } from './mount/connect.ts';
import { type GetUser, type TokenRouteOptions, tokenRoute } from './token-route.ts';
import type { LogSink } from './turns/log.ts';

export type NodeHelper = Helper & {
  /**
   * For `http.createServer`, Express, Connect and the like, before what reads bodies. What is not the helper's goes to
   * `next` as it came, or is answered with 404 where there is none.
   */
  listener(request: IncomingMessage, response: ServerResponse, next?: () => void): void;
};

/** @throws TypeError naming the option that is wrong */
export function createNodeHelper(options: HelperOptions): NodeHelper {
  const { dispatch, close: closeDispatch } = createNodeDispatch();
  const helper = createHelper(options, {
    dispatch,
    ...((options.metricsToken ?? options.adminPassword) !== undefined && { measureProcess: measureNode() }),
  });
  const serve = getRequestListener(
    (request, { incoming, outgoing }) =>
      helper.fetch(request, {
        address: incoming.socket.remoteAddress,
        openStream: createOpenStream(outgoing as ServerResponse),
      }),
    { overrideGlobalObjects: false },
  );
  const { basePath } = helper;
  const { log = consoleLog } = options;
  const mount = createMountNotes(basePath, (message) => log.warn({}, message));
  let closed: Promise<void> | undefined;
  return {
    basePath,
    fetch: helper.fetch,
    listener(request, response, next) {
      const target = findTarget(request, basePath);
      if (target === undefined && next) {
        mount.passed(request);
        return next();
      }
      if (target !== undefined) request.url = target;
      mount.restoreBody(request);
      // HTTP/1.0 has none, and a probe that speaks it asks all the same.
      request.headers.host ??= 'localhost';
      void serve(request, response);
    },
    close(withinMs) {
      closed ??= helper.close(withinMs).then(closeDispatch);
      return closed;
    },
  };
}

/** `tokenRoute` for `http.createServer`, Express and the like. */
export function tokenListener<From extends IncomingMessage>(
  getUser: GetUser<From>,
  options?: TokenRouteOptions,
): (request: From, response: ServerResponse) => Promise<void> {
  const answer = tokenRoute(getUser, options);
  return async (request, response) => {
    const reply = await answer(request);
    const text = await reply.text();
    // A time limit of the site's own may have answered meanwhile.
    if (!response.headersSent) response.writeHead(reply.status, Object.fromEntries(reply.headers)).end(text);
  };
}

/** Writes slices of the log to the response as they are; Node tells when it can take more. */
function createOpenStream(response: ServerResponse): OpenStream {
  return (headers, follow) => {
    response.writeHead(200, headers);
    const socket = findOwnSocket(response);
    // The headers and what the log holds already leave together.
    socket?.cork();
    response.flushHeaders();
    const following = follow(new ResponseSink(response, socket));
    socket?.uncork();
    const taker = socket ?? response;
    const resume = () => following.resume();
    taker.on('drain', resume);
    const leave = () => {
      following.stop();
      // A socket outlives its response.
      taker.off('drain', resume);
    };
    // Who left while the store was slow is not told of any more.
    if (response.destroyed) leave();
    else response.on('close', leave);
    return RESPONSE_ALREADY_SENT;
  };
}

class ResponseSink implements LogSink {
  constructor(
    readonly response: ServerResponse,
    readonly socket: Socket | undefined,
  ) {}

  write(bytes: Uint8Array): boolean {
    const { socket } = this;
    if (!socket || bytes.length > maxCopiedBytes) return this.response.write(bytes);
    // Its reader has left, and the response hears of that a moment later.
    return socket.writable && socket.write(toChunk(bytes));
  }
  end(): void {
    this.response.end();
  }
  cut(): void {
    this.response.destroy();
  }
}

/** Past this, a copy costs more than it saves, and a reader that is stuck would hold one of its own. */
const maxCopiedBytes = 16 * 1024;

/** The socket of a response in chunks whose writing nobody else has a hand in, as a middleware or HTTP/2 would. */
function findOwnSocket(response: ServerResponse): Socket | undefined {
  const isOwn = response.chunkedEncoding && response.write === ServerResponse.prototype.write;
  return isOwn ? (response.socket ?? undefined) : undefined;
}

/**
 * A chunk (RFC 9112, 7.1) in one piece. Node's own are four pieces that are gathered a tick later, which for a delta
 * costs more than all that the helper does with it.
 */
function toChunk(bytes: Uint8Array): Buffer {
  const size = bytes.length.toString(16);
  const chunk = Buffer.allocUnsafe(size.length + bytes.length + 4);
  let at = 0;
  for (; at < size.length; at += 1) chunk[at] = size.charCodeAt(at);
  at = putLineBreak(chunk, at);
  chunk.set(bytes, at);
  putLineBreak(chunk, at + bytes.length);
  return chunk;
}

function putLineBreak(chunk: Buffer, at: number): number {
  chunk[at] = 0x0d;
  chunk[at + 1] = 0x0a;
  return at + 2;
}
