/** The event stream readers: the same events however the bytes are cut. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Frame } from '../../server-helper/agent/frame.ts';
import type { AgentHttp, Exchange } from '../../server-helper/agent/http.ts';
import { type AnswerEnd, openAnswer } from '../../server-helper/agent/stream.ts';
import {
  createSseReader,
  type SseEvent,
  SseTooLong,
  writeSseEvent,
} from '../../server-helper/protocol/sse.ts';
import { readTurnEvent } from '../../widget/transport/turn-stream.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
function readVectors<T>(name: string): T[] {
  const file = join(import.meta.dirname, '../vectors', name);
  return (JSON.parse(readFileSync(file, 'utf8')) as { vectors: T[] }).vectors;
}

/** The bytes cut at these offsets. */
function cut(bytes: Uint8Array, ...offsets: number[]): Uint8Array[] {
  const ends = [...offsets, bytes.length];
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}
function* twoCuts(length: number): Generator<[number, number]> {
  for (let first = 0; first <= length; first += 1)
    for (let second = first; second <= length; second += 1) yield [first, second];
}

function readEvents(pieces: Uint8Array[]): { events: SseEvent[]; comments: number } {
  const events: SseEvent[] = [];
  let comments = 0;
  const reader = createSseReader(
    (event) => events.push(event),
    () => {
      comments += 1;
    },
  );
  for (const piece of pieces) reader.push(piece);
  reader.end();
  return { events, comments };
}

/** As the widget reads: through `readTurnEvent`, with the id that it would come back with. */
function readTurn(pieces: Uint8Array[]) {
  return readEvents(pieces).events.map((event) => [event.id, readTurnEvent(event)]);
}

/** Bytes that come along with a text must say the same; whether they do depends on the cuts. */
function toMeaning(frame: Frame): Frame {
  if (frame.kind !== 'text') return frame;
  const { json, text } = frame;
  if (json) expect(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json))).toEqual({ text });
  return { kind: 'text', text };
}

/** As the helper reads the agent's answer. */
function readAnswer(pieces: Uint8Array[]) {
  const frames: Frame[] = [];
  let end: AnswerEnd | undefined;
  let exchange: Exchange | undefined;
  const http = {
    note() {},
    quota: { note() {} },
    open: (_method: string, _path: string, _options: object, opened: Exchange) => {
      exchange = opened;
      return { abort() {} };
    },
  } as unknown as AgentHttp;
  const sink = {
    onLife() {},
    onFrame: (frame: Frame) => void frames.push(toMeaning(frame)),
    onFlush() {},
    onEnd: (ended: AnswerEnd) => {
      end = ended;
    },
  };
  openAnswer(http, 'POST', '/v1/bot/chat', {}, sink);
  exchange?.onStart(200, (name) => (name === 'content-type' ? 'text/event-stream' : undefined));
  for (const piece of pieces) exchange?.onData(piece);
  exchange?.onEnd();
  return { frames, end };
}

const breaks = { LF: '\n', CRLF: '\r\n', CR: '\r' };
const recordedTurn = [
  'id: 0\nevent: turn-started\ndata: {"turnId":"t","conversationId":"c","at":"2031"}\n\n: ping\n\n',
  'id: 1\nevent: text-delta\ndata: {"text":"é 日🙂"}\n\nid: 2\nevent: future\ndata: {}\n\n',
  'id: 3\nevent: turn-failed\ndata: {"code":"internal"}\n\n',
].join('');
const recordedAnswer = [
  ': ping\n\nevent: start\ndata: {"chat_id":"c"}\n\nevent: delta\ndata: {"text":"é 日🙂"}\n\n',
  'data: {"choices":[{"delta":{"content":"x"}}]}\n\ndata: plain\ndata: two\n\n',
  'event: done\ndata: {"chat":{"reply":"all"}}\n\n',
].join('');

describe.each(Object.entries(breaks))('a recorded stream with %s line ends', (_, lineEnd) => {
  const toBytes = (text: string) => bytesOf(text.replaceAll('\n', lineEnd));

  test('gives the widget the same events at every two cuts', () => {
    const bytes = toBytes(recordedTurn);
    const whole = readTurn([bytes]);
    expect(whole.map(([id]) => id)).toEqual(['0', '1', '2', '3']);
    expect(whole[1]).toEqual(['1', { kind: 'text-delta', data: { text: 'é 日🙂' } }]);
    expect(whole[2]).toEqual(['2', undefined]);
    const expected = JSON.stringify(whole);
    for (const [first, second] of twoCuts(bytes.length))
      if (JSON.stringify(readTurn(cut(bytes, first, second))) !== expected)
        expect.fail(`cut at ${first} and ${second}`);
  });

  test('gives the helper the same frames at every two cuts', () => {
    const bytes = toBytes(recordedAnswer);
    const whole = readAnswer([bytes]);
    expect(whole.end).toEqual({ kind: 'ended' });
    expect(whole.frames).toMatchObject([
      { kind: 'text', text: 'é 日🙂' },
      { kind: 'text', text: 'x' },
      { kind: 'text', text: 'plain\ntwo' },
      { kind: 'final', reply: { text: 'all' } },
    ]);
    const expected = JSON.stringify(whole);
    for (const [first, second] of twoCuts(bytes.length))
      if (JSON.stringify(readAnswer(cut(bytes, first, second))) !== expected)
        expect.fail(`cut at ${first} and ${second}`);
  });
});

type Expected = { type?: string; data: string; lastEventId?: string };

/** What an EventSource would show: the default kind has a name, and the last id lasts. */
function toEventSource(events: SseEvent[]) {
  let lastEventId = '';
  return events.map(({ id, event, data }) => {
    lastEventId = id ?? lastEventId;
    return { type: event || 'message', data, lastEventId };
  });
}

type SseVector = { id: string; note: string; text: string; splits: number[]; expect: { events: Expected[] } };
test.each(readVectors<SseVector>('sse-vectors.json'))(
  'vector $id, $note',
  ({ text, splits, expect: expected }) => {
    const bytes = bytesOf(text);
    expect(toEventSource(readEvents(cut(bytes, ...splits)).events)).toEqual(expected.events);
    expect(toEventSource(readEvents([bytes]).events)).toEqual(expected.events);
    const each = bytes.length < 20_000 ? cut(bytes, ...Array.from(bytes.keys())) : [bytes];
    expect(toEventSource(readEvents(each).events)).toEqual(expected.events);
  },
);

type WptVector = { file: string; stream: string; expect: Expected[] };
test.each(readVectors<WptVector>('wpt-eventsource-format.json'))(
  'web platform test $file',
  ({ stream, expect: expected }) => {
    const bytes = bytesOf(stream);
    for (const pieces of [[bytes], cut(bytes, ...Array.from(bytes.keys()))]) {
      const { events } = readEvents(pieces);
      expect(toEventSource(events)).toMatchObject(expected);
      expect(events).toHaveLength(expected.length);
    }
  },
);

test('any stream, however it is cut, gives the events that another reader finds in the whole', () => {
  const parts = [
    'data',
    'event',
    'id',
    'x',
    ':',
    ': ',
    ' ',
    '\n',
    '\r',
    '\r\n',
    '\n\n',
    'é🙂',
    '\u0000',
    '\ufeff',
    '1',
  ];
  const stream = fc.array(fc.constantFrom(...parts), { maxLength: 40 }).map((all) => all.join(''));
  fc.assert(
    fc.property(stream, fc.array(fc.nat(150), { maxLength: 6 }), (text, cuts) => {
      const bytes = bytesOf(text);
      const offsets = cuts.map((at) => Math.min(at, bytes.length)).sort((one, other) => one - other);
      const others: EventSourceMessage[] = [];
      const other = createParser({ onEvent: (event) => others.push(event) });
      other.feed(new TextDecoder().decode(bytes));
      // It holds a last CR back.
      other.feed(text.endsWith('\r') ? '\n' : '');
      expect(readEvents(cut(bytes, ...offsets)).events).toEqual(
        others.map(({ id, event, data }) => ({ id, event, data })),
      );
    }),
    { numRuns: 5_000 },
  );
});

test('what the writer writes the reader reads, line breaks and separators in the data included', () => {
  const data = { text: 'a\nb\r\nc\u2028d\u0000 🙂 "\\' };
  const [event] = readEvents([writeSseEvent(7, 'text-delta', data)]).events;
  expect(event).toMatchObject({ id: '7', event: 'text-delta' });
  expect(JSON.parse(event?.data ?? '')).toEqual(data);
});

test('a line past the bound is a named failure, however it arrives', () => {
  for (const size of [1, 7, 64, 4096]) {
    const reader = createSseReader(() => {}, undefined, 1000);
    const piece = bytesOf('z'.repeat(size));
    const feed = () => {
      reader.push(bytesOf('data: '));
      for (let sent = 0; sent < 8192; sent += size) reader.push(piece);
    };
    expect(feed).toThrow(SseTooLong);
  }
});
