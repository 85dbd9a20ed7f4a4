/** One connection to the agent: one exchange at a time, its bytes read where those of all connections are read. */
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { Exchange, Outgoing } from './http.ts';
import { ResponseMalformed, ResponseReader } from './response.ts';

const connectTimeoutMs = 10_000;
/** An agent closes a connection that rests, and may do so just when it is to be used: sooner than others allow. */
const restMs = 10_000;
/** Nearer than this to the end of what the agent allows, it is not used. */
const restMarginMs = 1_000;
const mostResting = 256;
const probeAfterMs = 60_000;

/** Each read is handed on before the next one, on whichever socket. */
const readBuffer = new Uint8Array(64 * 1024);

/** Nobody answered there in time: the request was never sent. */
class ConnectTimeout extends Error {
  readonly code = 'CONNECT_TIMEOUT';
}

/** The other side closed the connection before its answer was whole. */
class ConnectionClosed extends Error {
  readonly code = 'CONNECTION_CLOSED';
}

export type Message = { head: string; body: string | undefined };
/** One agent's connections: those that rest, and all. */
export type Peer = { resting: Connection[]; all: Set<Connection>; session: Buffer | undefined };

export class Connection {
  /** Closed by the other side before it said a word of this answer, having rested before. */
  isStale = false;
  #socket: Socket;
  #exchange: Exchange | undefined;
  #reader: ResponseReader | undefined;
  #isOpen = false;
  /** Sent once the connection stands: whoever cannot be reached has not been asked. */
  #waiting: Message | undefined;
  #isReused = false;
  #hasRead = false;
  #isGone = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    url: URL,
    readonly peer: Peer,
  ) {
    peer.all.add(this);
    const isTls = url.protocol === 'https:';
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const options = {
      host,
      port: Number(url.port) || (isTls ? 443 : 80),
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: probeAfterMs,
      onread: {
        buffer: readBuffer,
        callback: (length: number) => {
          this.#onRead(readBuffer.subarray(0, length));
          return true;
        },
      },
    };
    this.#socket = isTls ? this.#connectTls(options, host) : connectPlain(options);
    this.#timer = setTimeout(
      () => this.fail(new ConnectTimeout('No connection within 10 s')),
      connectTimeoutMs,
    );
    this.#socket
      .once(isTls ? 'secureConnect' : 'connect', () => this.#onOpen())
      .on('error', (error) => this.fail(error))
      .on('timeout', () => this.fail(undefined))
      .on('end', () => this.#onEnd())
      .on('close', () => this.fail(new ConnectionClosed('The connection was closed')));
  }

  #connectTls(options: object, host: string): TLSSocket {
    const { peer } = this;
    const servername = isIP(host) ? '' : host;
    const tls = { ...options, servername, ALPNProtocols: ['http/1.1'] };
    return connectTls(peer.session ? { ...tls, session: peer.session } : tls).on('session', (session) => {
      peer.session = session;
    });
  }

  send(message: Message, exchange: Exchange): void {
    this.#exchange = exchange;
    this.#reader = new ResponseReader(exchange);
    this.#hasRead = false;
    this.#socket.setTimeout(0).ref();
    if (this.#isOpen) this.#write(message);
    else this.#waiting = message;
  }

  #onOpen(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isOpen = true;
    if (this.#waiting) this.#write(this.#waiting);
    this.#waiting = undefined;
  }

  #write({ head, body }: Message): void {
    this.#socket.cork();
    this.#socket.write(head, 'latin1');
    if (body) this.#socket.write(body);
    this.#socket.uncork();
  }

  /** @param cause undefined: the answer is no longer wanted, which its exchange knows */
  fail(cause: unknown): void {
    if (this.#isGone) return;
    this.#isGone = true;
    const exchange = this.#exchange;
    this.isStale = this.#isReused && !this.#hasRead && cause !== undefined;
    this.#leave();
    this.#socket.destroy();
    if (cause !== undefined) exchange?.onError(cause);
  }

  #leave(): void {
    clearTimeout(this.#timer);
    this.#reader?.stop();
    this.#reader = this.#exchange = undefined;
    this.peer.all.delete(this);
    const at = this.peer.resting.indexOf(this);
    if (at >= 0) this.peer.resting.splice(at, 1);
  }

  #onRead(bytes: Uint8Array): void {
    const reader = this.#reader;
    // Nobody has asked.
    if (!reader) return this.fail(new ResponseMalformed('An answer came unasked'));
    this.#hasRead = true;
    try {
      const read = reader.push(bytes);
      if (reader === this.#reader && reader.isOver) this.#finish(read < bytes.length ? 0 : reader.keepMs);
    } catch (error) {
      this.fail(error);
    }
  }

  #onEnd(): void {
    if (this.#reader?.end()) this.#finish(0);
    else this.fail(new ConnectionClosed('The connection was closed'));
  }

  /** @param keepMs so long it may rest */
  #finish(keepMs: number): void {
    const exchange = this.#exchange;
    const { resting } = this.peer;
    const ms = Math.min(restMs, keepMs - restMarginMs);
    // What is answered before it was sent whole leaves a rest in between.
    if (ms > 0 && resting.length < mostResting && this.#socket.writableLength === 0) {
      this.#reader = this.#exchange = undefined;
      this.#isReused = true;
      this.#socket.setTimeout(ms).unref();
      resting.push(this);
    } else this.fail(undefined);
    exchange?.onEnd();
  }
}

/** @throws TypeError for what cannot travel in a header */
export function toMessage({ method, url, headers, body }: Outgoing): Message {
  let head = `${method} ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\n`;
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) throw new TypeError(`${name} cannot travel in a header`);
    head += `${name}: ${value}\r\n`;
  }
  if (body !== undefined || method !== 'GET') head += `content-length: ${Buffer.byteLength(body ?? '')}\r\n`;
  return { head: `${head}\r\n`, body };
}
