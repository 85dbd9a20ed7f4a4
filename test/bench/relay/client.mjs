/** A visitor's end of one stream on a bare socket: counts deltas by their `~t~` marks and notes how late each is. */
import { connect } from 'node:net';
import { nowUs } from '../machine.mjs';

const tilde = 0x7e;
const lineFeed = 10;

export class StreamClient {
  firstAtUs = 0;
  deltas = 0;
  status = 0;
  isOver = false;
  isGood = false;
  #head = Buffer.alloc(0);
  #inBody = false;
  #chunked = false;
  #bodyLeft = Number.POSITIVE_INFINITY;
  /** Of the chunked coding: reading the size, the data, the break after it, or the trailer. */
  #state = 'size';
  #chunkLeft = 0;
  #inMark = false;
  #mark = 0;
  #kept;

  /** @param options port, method, path, headers, body; delaysUs: array to fill; onFirst, onOver; keeps: hold the body */
  constructor(options) {
    this.options = options;
    this.startedAtUs = nowUs();
    this.#kept = options.keeps ? [] : undefined;
    const body = Buffer.from(JSON.stringify(options.body));
    const headers = {
      host: `127.0.0.1:${options.port}`,
      'content-type': 'application/json',
      'content-length': body.length,
      ...options.headers,
    };
    let head = `${options.method} ${options.path} HTTP/1.1\r\n`;
    for (const [name, value] of Object.entries(headers)) head += `${name}: ${value}\r\n`;
    this.socket = connect({ port: options.port, host: '127.0.0.1', noDelay: true });
    this.socket.write(Buffer.concat([Buffer.from(`${head}\r\n`), body]));
    this.socket.on('data', (bytes) => this.#read(bytes));
    this.socket.on('error', () => {});
    this.socket.on('close', () => this.#finish(false));
  }

  kill() {
    this.isOver = true;
    this.socket.destroy();
  }

  get body() {
    return Buffer.concat(this.#kept ?? []).toString('utf8');
  }

  #finish(isWhole) {
    if (this.isOver) return;
    this.isOver = true;
    this.isGood = isWhole && this.status === 200;
    this.socket.destroy();
    this.options.onOver?.(this);
  }

  #read(bytes) {
    const atUs = nowUs();
    if (this.#inBody) return this.#readBody(bytes, 0, atUs);
    const all = this.#head.length ? Buffer.concat([this.#head, bytes]) : bytes;
    const end = all.indexOf('\r\n\r\n');
    if (end < 0) {
      this.#head = all;
      return;
    }
    const head = all.toString('latin1', 0, end);
    this.status = Number(head.slice(9, 12));
    this.#chunked = /^transfer-encoding:.*chunked/im.test(head);
    const length = /^content-length:\s*(\d+)/im.exec(head);
    if (length) this.#bodyLeft = Number(length[1]);
    this.#inBody = true;
    this.#readBody(all, end + 4, atUs);
  }

  #readBody(bytes, from, atUs) {
    if (!this.#chunked) {
      this.#take(bytes, from, bytes.length, atUs);
      this.#bodyLeft -= bytes.length - from;
      if (this.#bodyLeft <= 0) this.#finish(true);
      return;
    }
    let at = from;
    while (at < bytes.length) {
      if (this.#state === 'data') {
        const size = Math.min(this.#chunkLeft, bytes.length - at);
        this.#take(bytes, at, at + size, atUs);
        at += size;
        this.#chunkLeft -= size;
        if (this.#chunkLeft === 0) this.#state = 'break';
        continue;
      }
      const byte = bytes[at];
      at += 1;
      if (byte !== lineFeed) {
        if (this.#state === 'size' && byte !== 13)
          this.#chunkLeft = this.#chunkLeft * 16 + (byte <= 57 ? byte - 48 : (byte | 32) - 87);
      } else if (this.#state === 'break') this.#state = 'size';
      else if (this.#state === 'size') this.#state = this.#chunkLeft === 0 ? 'trailer' : 'data';
      else return this.#finish(true);
    }
  }

  #take(bytes, from, to, atUs) {
    if (this.firstAtUs === 0) {
      this.firstAtUs = atUs;
      this.options.onFirst?.(this);
    }
    this.#kept?.push(Buffer.from(bytes.subarray(from, to)));
    const { delaysUs } = this.options;
    let at = from;
    for (;;) {
      if (!this.#inMark) {
        at = bytes.indexOf(tilde, at);
        if (at < 0 || at >= to) return;
        this.#inMark = true;
        this.#mark = 0;
        at += 1;
      }
      while (at < to && bytes[at] !== tilde) {
        this.#mark = this.#mark * 10 + bytes[at] - 48;
        at += 1;
      }
      if (at >= to) return;
      at += 1;
      this.#inMark = false;
      this.deltas += 1;
      if (delaysUs && this.#mark > 0) delaysUs.push(atUs - this.#mark);
    }
  }
}
