/** One HTTP/1.1 response is read as it was meant, however its bytes are cut; one that may be read in two ways is refused. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ResponseMalformed, ResponseReader } from '../../server-helper/agent/response.ts';

const toBytes = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));
const toText = (bytes: Uint8Array) => String.fromCharCode(...bytes);
const inLines = (...lines: string[]) => lines.map((line) => `${line}\r\n`).join('');

function read(pieces: readonly Uint8Array[], names: readonly string[] = []) {
  const seen = { statuses: [] as number[], headers: [] as (string | undefined)[], body: '' };
  const reader = new ResponseReader({
    onStart(status, header) {
      seen.statuses.push(status);
      seen.headers.push(...names.map(header));
    },
    onData(bytes) {
      seen.body += toText(bytes);
    },
  });
  let taken = 0;
  for (const piece of pieces) taken += reader.push(piece);
  return { ...seen, taken, reader };
}

const cutAt = (bytes: Uint8Array, ...places: number[]) =>
  [0, ...places].map((place, index) => bytes.subarray(place, [...places, bytes.length][index]));

type Case = { told: string; body?: string; status?: number; keepMs?: number; rest?: string };
const chunked = ['HTTP/1.1 200 OK', 'Transfer-Encoding: chunked'];
const good: Record<string, Case> = {
  'a length': { told: `${inLines('HTTP/1.1 200 OK', 'Content-Length: 5', '')}hello`, body: 'hello' },
  'no reason': { told: `${inLines('HTTP/1.1 200', 'Content-Length: 2', '')}ok`, body: 'ok' },
  'a length of none': { told: inLines('HTTP/1.1 200 OK', 'content-length: 0', '') },
  'blanks around a value': {
    told: `${inLines('HTTP/1.1 200 OK', 'CONTENT-LENGTH: \t 5 \t', '')}hello`,
    body: 'hello',
  },
  chunks: {
    told: inLines(...chunked, '', '5', 'hello', 'a;name="x"', ', visitors', '0', ''),
    body: 'hello, visitors',
  },
  'chunks with a trailer': {
    told: inLines(...chunked, '', '00005 ', 'hello', '000', 'X-Sum: 1', ''),
    body: 'hello',
  },
  'a chunk of line breaks': { told: inLines(...chunked, '', '4', '\r\n\r\n', '0', ''), body: '\r\n\r\n' },
  'what follows': {
    told: `${inLines('HTTP/1.1 200 OK', 'Content-Length: 5', '')}helloHTTP/1.1`,
    body: 'hello',
    rest: 'HTTP/1.1',
  },
  'early hints': {
    told: `${inLines('HTTP/1.1 103 Early', 'Link: </a>', '', 'HTTP/1.1 100 Go on', '', 'HTTP/1.1 201 OK', 'Content-Length: 1', '')}x`,
    status: 201,
    body: 'x',
  },
  'no content': { told: inLines('HTTP/1.1 204 No Content', ''), status: 204 },
  'nothing new, of a length that it would have': {
    told: inLines('HTTP/1.1 304 Not Modified', 'Content-Length: 5', ''),
    status: 304,
  },
  'one that closes': {
    told: inLines('HTTP/1.1 200 OK', 'Connection: x, Close', 'Content-Length: 0', ''),
    keepMs: 0,
  },
  'one that stays': {
    told: inLines('HTTP/1.1 200 OK', 'Keep-Alive: timeout=7, max=3', 'Content-Length: 0', ''),
    keepMs: 7000,
  },
  'one that stays, told otherwise': {
    told: inLines('HTTP/1.1 200 OK', 'Keep-Alive: max=3, Timeout = "7"', 'Content-Length: 0', ''),
    keepMs: 7000,
  },
  'HTTP/1.0': { told: inLines('HTTP/1.0 200 OK', 'Content-Length: 0', ''), keepMs: 0 },
};

describe.each(Object.entries(good))('%s', (_, { told, body = '', status = 200, keepMs, rest = '' }) => {
  const bytes = toBytes(told);
  const expectRead = (pieces: readonly Uint8Array[]) => {
    const { statuses, taken, reader, ...seen } = read(pieces);
    expect([statuses, seen.body, taken, reader.isOver]).toEqual([
      [status],
      body,
      bytes.length - rest.length,
      true,
    ]);
    expect(reader.keepMs).toBe(keepMs ?? Number.POSITIVE_INFINITY);
  };
  test('whole, and byte by byte', () => {
    expectRead([bytes]);
    expectRead(cutAt(bytes, ...Array.from(bytes, (__, index) => index).slice(1)));
  });
  test('cut anywhere', () => {
    for (let place = 1; place < bytes.length; place += 1) expectRead(cutAt(bytes, place));
  });
  test('before its end it is not over', () => {
    for (let length = 0; length < bytes.length - rest.length; length += 1) {
      const { reader } = read([bytes.subarray(0, length)]);
      expect([length, reader.isOver, reader.end()]).toEqual([length, false, false]);
    }
  });
});

test('a head of 31,000 bytes is taken, however it is cut', () => {
  const told = toBytes(
    inLines('HTTP/1.1 204 None', ...Array.from({ length: 31 }, () => `X-A: ${'x'.repeat(990)}`), ''),
  );
  for (const step of [1, 2, 7, told.length]) {
    const pieces = Array.from({ length: Math.ceil(told.length / step) }, (_, index) =>
      told.subarray(index * step, index * step + step),
    );
    expect([step, read(pieces).reader.isOver]).toEqual([step, true]);
  }
});

test('without a length its body ends with the connection', () => {
  const { body, reader } = read([toBytes(`${inLines('HTTP/1.1 200 OK', '')}hel`), toBytes('lo')]);
  expect([body, reader.isOver, reader.keepMs]).toEqual(['hello', false, 0]);
  expect(reader.end()).toBe(true);
});

test('a header is found by its name in small letters, the first of several, whatever bytes it has', () => {
  const told = inLines('HTTP/1.1 200 OK', 'X-A: é', 'x-a: 2', 'Content-Length: 0', '');
  expect(read([toBytes(told)], ['x-a', 'X-A', 'constructor']).headers).toEqual(['é', undefined, undefined]);
});

const length = 'Content-Length: 5';
const coding = 'Transfer-Encoding: chunked';
const bad: Record<string, string> = {
  'no HTTP': 'SSH-2.0-OpenSSH_9\r\n',
  HTTP2: inLines('HTTP/2 200 OK', ''),
  'no status': inLines('HTTP/1.1 OK', ''),
  'a status of four digits': inLines('HTTP/1.1 2000 OK', ''),
  'both lengths': inLines('HTTP/1.1 200 OK', length, coding, ''),
  'both, the other way round': inLines('HTTP/1.1 200 OK', coding, length, ''),
  'two lengths': inLines('HTTP/1.1 200 OK', length, 'Content-Length: 6', ''),
  'one length twice': inLines('HTTP/1.1 200 OK', length, length, ''),
  'lengths in a list': inLines('HTTP/1.1 200 OK', 'Content-Length: 5, 5', ''),
  'a length with a sign': inLines('HTTP/1.1 200 OK', 'Content-Length: +5', ''),
  'a length below nothing': inLines('HTTP/1.1 200 OK', 'Content-Length: -5', ''),
  'a length with a blank that is none': inLines('HTTP/1.1 200 OK', 'Content-Length: 5\xa0', ''),
  'a coding with a blank that is none': inLines('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked\xa0', ''),
  'an empty length': inLines('HTTP/1.1 200 OK', 'Content-Length:', ''),
  'a length in hex': inLines('HTTP/1.1 200 OK', 'Content-Length: 0x5', ''),
  'a length past all numbers': inLines('HTTP/1.1 200 OK', 'Content-Length: 9999999999999999', ''),
  'another coding': inLines('HTTP/1.1 200 OK', 'Transfer-Encoding: gzip, chunked', ''),
  'no coding': inLines('HTTP/1.1 200 OK', 'Transfer-Encoding: identity', ''),
  'a coding twice': inLines('HTTP/1.1 200 OK', coding, coding, ''),
  'a coding in HTTP/1.0': inLines('HTTP/1.0 200 OK', coding, ''),
  'a blank before the colon': inLines('HTTP/1.1 200 OK', 'Content-Length : 5', ''),
  'a folded header': inLines('HTTP/1.1 200 OK', 'X-A: 1', ' 2', ''),
  'a header without a name': inLines('HTTP/1.1 200 OK', ': 1', ''),
  'a header without a colon': inLines('HTTP/1.1 200 OK', 'Content-Length 5', ''),
  'a line that ends in LF': 'HTTP/1.1 200 OK\r\nContent-Length: 5\n\r\nhello',
  'a head that ends in LF': 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\nhello',
  'a CR within': 'HTTP/1.1 200 OK\r\nX-A: 1\rContent-Length: 5\r\n\r\nhello',
  'a CR too many': 'HTTP/1.1 200 OK\r\r\n\r\n',
  'a NUL': 'HTTP/1.1 200 OK\r\nX-A: \0\r\n\r\n',
  'another protocol': inLines('HTTP/1.1 101 Switching', 'Upgrade: x', ''),
  'a chunk without a size': inLines(...chunked, '', '', 'hello'),
  'a chunk of a size that is none': inLines(...chunked, '', '5g', 'hello'),
  'a size with a sign': inLines(...chunked, '', '+5', 'hello'),
  'a size after a blank': inLines(...chunked, '', ' 5', 'hello'),
  'a size past all bounds': inLines(...chunked, '', '100000005', 'hello'),
  'a chunk longer than its size': inLines(...chunked, '', '4', 'hello', '0', ''),
  'a chunk shorter than its size': inLines(...chunked, '', '6', 'hello', '0', ''),
  'a trailer that is none': inLines(...chunked, '', '0', 'hello', ''),
};

test.each(Object.entries(bad))('%s is refused, and nothing behind it is read', (_, told) => {
  const bytes = toBytes(told);
  expect(() => read([bytes])).toThrow(ResponseMalformed);
  expect(() => read(cutAt(bytes, ...Array.from(bytes, (__, index) => index).slice(1)))).toThrow(
    ResponseMalformed,
  );
});

test.each([
  ['a status line', 'HTTP/1.1 200 ', 'x'],
  ['headers', 'HTTP/1.1 200 OK\r\n', 'X-A: 1\r\n'],
  ['hints', '', inLines('HTTP/1.1 103 Early', '')],
  ['the size of a chunk', `${inLines(...chunked, '')}1;`, 'x'],
  ['trailers', inLines(...chunked, '', '0'), 'X-A: 1\r\n'],
])('%s without an end are given up', (_, head, part) => {
  const bytes = toBytes(head + part.repeat(40_000 / part.length));
  expect(() => read([bytes])).toThrow(ResponseMalformed);
  const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (__, index) =>
    bytes.subarray(index * 7, index * 7 + 7),
  );
  expect(() => read(pieces)).toThrow(ResponseMalformed);
});

test('a hundred thousand chunks are read: only what comes between them is bounded', () => {
  const part = toBytes(inLines('1', 'x'));
  const { body, reader } = read([
    toBytes(inLines(...chunked, '')),
    ...Array.from({ length: 100_000 }, () => part),
    toBytes(inLines('0', '')),
  ]);
  expect([body.length, reader.isOver]).toEqual([100_000, true]);
});

test('one who has had enough gets nothing more', () => {
  for (const where of ['onStart', 'onData'] as const) {
    const heard: string[] = [];
    const reader: ResponseReader = new ResponseReader({
      onStart() {
        heard.push('onStart');
        if (where === 'onStart') reader.stop();
      },
      onData() {
        heard.push('onData');
        reader.stop();
      },
    });
    reader.push(toBytes(inLines(...chunked, '', '1', 'x', '1', 'y', '0', '')));
    expect(heard).toEqual(where === 'onStart' ? ['onStart'] : ['onStart', 'onData']);
  }
});

test('any body in any chunks, cut in any way, is that body', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ minLength: 1, maxLength: 300 }), { maxLength: 12 }),
      fc.boolean(),
      fc.array(fc.nat({ max: 4000 }), { maxLength: 12 }),
      fc.uint8Array({ maxLength: 20 }),
      (parts, isChunked, cuts, rest) => {
        const wanted = parts.map(toText).join('');
        const head = isChunked
          ? inLines(...chunked, '')
          : inLines('HTTP/1.1 200 OK', `Content-Length: ${wanted.length}`, '');
        const told = isChunked
          ? `${parts.map((part) => `${part.length.toString(16)}\r\n${toText(part)}\r\n`).join('')}0\r\n\r\n`
          : wanted;
        const bytes = toBytes(head + told + toText(rest));
        const places = [...new Set(cuts.map((cut) => cut % bytes.length))].sort((a, b) => a - b);
        let taken = 0;
        let body = '';
        const reader = new ResponseReader({
          onStart() {},
          onData: (piece) => {
            body += toText(piece);
          },
        });
        for (const piece of cutAt(bytes, ...places)) if (!reader.isOver) taken += reader.push(piece);
        expect([body, taken, reader.isOver]).toEqual([wanted, bytes.length - rest.length, true]);
      },
    ),
    { numRuns: 500 },
  );
});
