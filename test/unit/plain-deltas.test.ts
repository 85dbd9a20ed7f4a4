/** Deltas in the agent's plain form take a short way, which must lead to the same events as the long one. */
import { expect, test } from 'vitest';
import type { Frame } from '../../server-helper/agent/frame.ts';
import type { AgentHttp, Exchange } from '../../server-helper/agent/http.ts';
import { readPlainDeltas } from '../../server-helper/agent/plain.ts';
import { openAnswer } from '../../server-helper/agent/stream.ts';
import { TurnLog } from '../../server-helper/turns/log.ts';

const delta = (json: string) => `event: delta\ndata: {"text":${json}}\n\n`;
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

const stream = [
  'event: start\ndata: {"chat_id":"c","message_id":"m"}\n\n',
  delta('"Hello "'),
  delta('"caf\u00e9 \u6f22\u5b57 \ud83d\ude42"'),
  delta('"\\ufeffa quote \\" and a \\\\ slash"'),
  delta('"\ufeffa mark"'),
  delta('""'),
  ': ping\n\n',
  delta('"  spaces kept  "'),
  'event: delta\r\ndata: {"text":"other breaks"}\r\n\r\n',
  'event: delta\ndata: {"text":"more", "index":3}\n\n',
  'data: {"text":"no name"}\n\n',
  `${delta('"two "')}${delta('"at once"')}`,
  'event: delta\ndata: {"text":"two\ndata: lines"}\n\n',
  'event: done\ndata: {"chat":{"agent":{"uuid":"u"}}}\n\n',
  delta('"after the end"'),
].join('');

/** What a reader of this answer is told when its bytes come in these pieces. */
function readPieces(pieces: readonly Uint8Array[]): string[] {
  const told: string[] = [];
  let exchange: Exchange | undefined;
  const http = {
    note() {},
    quota: { note() {} },
    open(_method: string, _path: string, _call: unknown, opened: Exchange) {
      exchange = opened;
      return { abort() {} };
    },
  } as unknown as AgentHttp;
  const onFrame = (frame: Frame) => {
    if (frame.kind !== 'text') return void told.push(JSON.stringify(frame));
    if (frame.json) expect(JSON.parse(decoder.decode(frame.json))).toEqual({ text: frame.text });
    told.push(frame.text);
  };
  openAnswer(
    http,
    'POST',
    '/',
    {},
    { onLife() {}, onFrame, onFlush() {}, onEnd: ({ kind }) => told.push(kind) },
  );
  exchange?.onStart(200, () => 'text/event-stream');
  for (const piece of pieces) exchange?.onData(piece);
  exchange?.onEnd();
  return told;
}

test('an answer reads the same however its bytes are cut', () => {
  const bytes = encoder.encode(stream);
  const whole = readPieces([bytes]);
  expect(whole.at(-1)).toBe('ended');
  expect(whole).toContain('caf\u00e9 \u6f22\u5b57 \ud83d\ude42');
  expect(whole).not.toContain('after the end');
  for (let cut = 0; cut <= bytes.length; cut += 1)
    expect(readPieces([bytes.slice(0, cut), bytes.slice(cut)])).toEqual(whole);
  expect(readPieces(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(whole);
  const events = stream.split(/(?<=\n\n)/).map((event) => encoder.encode(event));
  expect(readPieces(events)).toEqual(whole);
});

test('only whole deltas in exactly the plain form take the short way', () => {
  const read = (text: string) => {
    const texts: string[] = [];
    const onFrame = (frame: Frame) => texts.push((frame as { text: string }).text);
    const used = readPlainDeltas(encoder.encode(text), { onFrame });
    return [used, texts.join('|')];
  };
  const plain = delta('"a"');
  expect(read(plain + plain)).toEqual([plain.length * 2, 'a|a']);
  expect(read(`${plain}event: done\n`)).toEqual([plain.length, 'a']);
  expect(read(`: ping\n\n${plain}: ping\n\n: pong\n\n`)).toEqual([plain.length + 16, 'a']);
  expect(read(plain.slice(0, -1))).toEqual([0, '']);
  const escaped = delta('"a\\n\\"\\\\\\/\\t"');
  expect(read(escaped)).toEqual([escaped.length, 'a\n"\\/\t']);
  for (const other of ['"\\u0041"', '"\\x"', '"\\"', '"a\\']) expect(read(delta(other))).toEqual([0, '']);
  expect(read(delta('"a\tb"'))).toEqual([0, '']);
  expect(read(` ${plain}`)).toEqual([0, '']);
});

test('a delta that is copied into the log looks like one that was written there', () => {
  const read = (log: TurnLog) => {
    let text = '';
    log.follow(0, {
      write(bytes) {
        text += decoder.decode(bytes);
        return true;
      },
      end() {},
      cut() {},
    });
    return text;
  };
  const copied = new TurnLog(() => 0);
  const written = new TurnLog(() => 0);
  for (let index = 0; index < 1100; index += 1) {
    const text = 'w\u00f6rd '.repeat(index % 5);
    copied.appendText(encoder.encode(JSON.stringify({ text })));
    written.append('text-delta', { text });
  }
  expect(read(copied)).toBe(read(written));
  expect(copied.nextId).toBe(1100);
});
