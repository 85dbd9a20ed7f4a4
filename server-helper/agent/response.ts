/**
 * Reads one HTTP/1.1 response (RFC 9112) out of bytes, however they are cut. Pure. It refuses what may be read in two
 * ways, so that nothing of one answer is ever taken for another's.
 */

export type ResponseSink = {
  onStart(status: number, header: (name: string) => string | undefined): void;
  /** Bytes of the body, good until it returns. */
  onData(bytes: Uint8Array): void;
};

/** What came is no response, or one that may be read in two ways. */
export class ResponseMalformed extends Error {
  override name = 'ResponseMalformed';
  readonly code = 'BAD_RESPONSE';
}

/** All lines before the body; all after it. Node allows 16 KiB. */
const maxLinesBytes = 32 * 1024;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const tab = 0x09;
const space = 0x20;
const deleteChar = 0x7f;

const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: .*)?$/;
const headerLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)$/;
const maxSizeDigits = 8;
const sizeLine = /^([0-9A-Fa-f]{1,8})[ \t]*(?:;.*)?$/;
const lengthValue = /^\d{1,15}$/;

type Part = 'status' | 'header' | 'size' | 'chunk' | 'chunkEnd' | 'trailer' | 'body' | 'rest' | 'over';

export class ResponseReader {
  #part: Part = 'status';
  /** The line that has not ended. */
  #open = '';
  /** Bytes of lines that may still come. */
  #room = maxLinesBytes;
  #status = 0;
  #isOld = false;
  #headers: Map<string, string[]> | undefined;
  /** Bytes of the body, or of this chunk, that are still to come. */
  #left = 0;
  #canKeep = false;
  #keepMs = Number.POSITIVE_INFINITY;

  constructor(readonly sink: ResponseSink) {}

  /** All of it has been read. */
  get isOver(): boolean {
    return this.#part === 'over';
  }
  /** So long the connection may rest for another exchange, as the other side says; 0: not at all. */
  get keepMs(): number {
    return this.#canKeep ? this.#keepMs : 0;
  }

  /** @returns how many bytes belong to this response @throws ResponseMalformed */
  push(bytes: Uint8Array): number {
    let at = 0;
    while (at < bytes.length && this.#part !== 'over')
      at = this.#left > 0 ? this.#readBody(bytes, at) : this.#readBetween(bytes, at);
    return at;
  }

  /** Nothing more comes. @returns whether that ends the response, rather than cutting it off */
  end(): boolean {
    if (this.#part === 'rest') this.#part = 'over';
    return this.#part === 'over';
  }

  /** The rest is not wanted. */
  stop(): void {
    this.#part = 'over';
  }

  #readBody(bytes: Uint8Array, from: number): number {
    const to = Math.min(bytes.length, from + this.#left);
    this.#left -= to - from;
    if (this.#left === 0) this.#part = this.#part === 'chunk' ? 'chunkEnd' : 'over';
    this.sink.onData(from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to));
    return to;
  }

  /** What is no body; the two lines of each chunk at a fraction of what others cost, where they are whole and plain. */
  #readBetween(bytes: Uint8Array, from: number): number {
    const isPlain = this.#open === '' && (this.#part === 'size' || this.#part === 'chunkEnd');
    if (!isPlain) return this.#readLine(bytes, from);
    let [at, size] = [from, 0];
    if (this.#part === 'size')
      for (
        let digit = toDigit(bytes[at]);
        digit >= 0 && at - from < maxSizeDigits;
        digit = toDigit(bytes[at])
      ) {
        size = size * 16 + digit;
        at += 1;
      }
    const isWhole = bytes[at] === carriageReturn && bytes[at + 1] === lineFeed;
    if (!isWhole || (this.#part === 'size' && at === from)) return this.#readLine(bytes, from);
    if (this.#part === 'size') this.#beginChunk(size);
    else this.#endChunk();
    return at + 2;
  }

  #readLine(bytes: Uint8Array, from: number): number {
    const end = bytes.indexOf(lineFeed, from);
    const to = end < 0 ? bytes.length : end;
    this.#room -= to - from;
    if (this.#room < 0) throw new ResponseMalformed('Its lines are too long');
    for (let at = from; at < to; at += 1) {
      const byte = bytes[at] as number;
      // A CR ends the line or is none of it.
      const isOdd = (byte < space && byte !== tab && byte !== carriageReturn) || byte === deleteChar;
      if (isOdd) throw new ResponseMalformed('A line has a control character');
      this.#open += String.fromCharCode(byte);
    }
    if (end < 0) return to;
    const line = this.#open;
    this.#open = '';
    if (line.indexOf('\r') !== line.length - 1 || line === '')
      throw new ResponseMalformed('A line does not end in CR LF');
    this.#takeLine(line.slice(0, -1));
    return end + 1;
  }

  #takeLine(line: string): void {
    switch (this.#part) {
      case 'status':
        return this.#takeStatus(line);
      case 'header':
        return line === '' ? this.#takeHead() : this.#takeHeader(line);
      case 'size':
        return this.#takeSize(line);
      case 'chunkEnd':
        if (line !== '') throw new ResponseMalformed('A chunk is longer than it says');
        return this.#endChunk();
      default:
        if (line === '') this.#part = 'over';
        else if (!headerLine.test(line)) throw new ResponseMalformed('A trailer is none');
    }
  }

  #takeStatus(line: string): void {
    const [, minor, status] = statusLine.exec(line) ?? [];
    if (status === undefined) throw new ResponseMalformed('It does not begin as HTTP/1.1 does');
    this.#isOld = minor === '0';
    this.#status = Number(status);
    this.#part = 'header';
  }

  #takeHeader(line: string): void {
    const [, name = '', value = ''] = headerLine.exec(line) ?? [];
    if (name === '') throw new ResponseMalformed('A header is none');
    const key = name.toLowerCase();
    const trimmed = value.replace(/^[ \t]+|[ \t]+$/g, '');
    this.#headers ??= new Map();
    const values = this.#headers.get(key);
    if (values) values.push(trimmed);
    else this.#headers.set(key, [trimmed]);
  }

  #takeHead(): void {
    const headers = this.#headers ?? new Map<string, string[]>();
    const status = this.#status;
    this.#headers = undefined;
    if (status === 101) throw new ResponseMalformed('It changes to a protocol that nobody asked for');
    if (status < 200) {
      this.#part = 'status';
      return;
    }
    this.#frame(status, headers);
    this.sink.onStart(status, (name) => headers.get(name)?.[0]);
  }

  /** Where the body ends (RFC 9112, 6.3). */
  #frame(status: number, headers: ReadonlyMap<string, readonly string[]>): void {
    const coding = headers.get('transfer-encoding');
    const length = headers.get('content-length');
    const connection = headers.get('connection')?.join().toLowerCase() ?? '';
    const [, seconds] =
      /\btimeout[ \t]*=[ \t]*"?(\d{1,6})\b/i.exec(headers.get('keep-alive')?.join() ?? '') ?? [];
    if (seconds !== undefined) this.#keepMs = Number(seconds) * 1000;
    this.#canKeep = !this.#isOld && !/(^|,)[ \t]*close[ \t]*(,|$)/.test(connection);
    if (coding && (length || this.#isOld || coding.length > 1 || coding[0]?.toLowerCase() !== 'chunked'))
      throw new ResponseMalformed('Its length can be read in two ways');
    if (length && (length.length > 1 || !lengthValue.test(length[0] as string)))
      throw new ResponseMalformed('Its length is none');
    if (status === 204 || status === 304) this.#part = 'over';
    else if (coding) {
      this.#part = 'size';
      this.#room = maxLinesBytes;
    } else if (length) {
      this.#left = Number(length[0]);
      this.#part = this.#left > 0 ? 'body' : 'over';
    } else {
      this.#left = Number.POSITIVE_INFINITY;
      this.#part = 'rest';
      this.#canKeep = false;
    }
  }

  #takeSize(line: string): void {
    const [, digits] = sizeLine.exec(line) ?? [];
    if (digits === undefined) throw new ResponseMalformed('The size of a chunk is none');
    this.#beginChunk(Number.parseInt(digits, 16));
  }

  #beginChunk(size: number): void {
    this.#left = size;
    this.#part = size > 0 ? 'chunk' : 'trailer';
  }

  #endChunk(): void {
    this.#part = 'size';
    this.#room = maxLinesBytes;
  }
}

/** @returns -1 for what is no hexadecimal digit */
function toDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const small = byte | 0x20;
  return small >= 0x61 && small <= 0x66 ? small - 0x57 : -1;
}
