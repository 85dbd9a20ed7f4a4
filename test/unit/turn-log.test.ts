/** The turn's log: encoded once, followed by many, bounded. */
import { describe, expect, test } from 'vitest';
import { type LogSink, TurnLog } from '../../server-helper/turns/log.ts';

function createSink(takes = Number.POSITIVE_INFINITY) {
  const decoder = new TextDecoder();
  const seen = { text: '', writes: 0, ended: false, cut: false, room: takes };
  const sink: LogSink = {
    write(bytes) {
      seen.text += decoder.decode(bytes, { stream: true });
      seen.writes += 1;
      seen.room -= 1;
      return seen.room > 0;
    },
    end: () => {
      seen.ended = true;
    },
    cut: () => {
      seen.cut = true;
    },
  };
  return { seen, sink };
}

const started = { turnId: 't', conversationId: 'c', at: '2026-01-01T00:00:00.000Z' };
const failed = { code: 'internal', retryable: true } as const;

describe('a turn log', () => {
  test('numbers events from 0 and gives every reader the same bytes', () => {
    const log = new TurnLog(() => 0);
    const early = createSink();
    log.follow(0, early.sink);
    log.append('turn-started', started);
    log.append('text-delta', { text: 'Grüße 🙂' });
    log.flush();
    log.append('turn-failed', failed);
    log.flush();
    const late = createSink();
    log.follow(0, late.sink);
    expect(late.seen.text).toBe(early.seen.text);
    expect(late.seen.text).toContain('id: 1\nevent: text-delta\ndata: {"text":"Grüße 🙂"}\n\n');
    expect([early.seen.ended, late.seen.ended]).toEqual([true, true]);
  });

  test('goes on from the event a reader asks for', () => {
    const log = new TurnLog(() => 0);
    for (let index = 0; index < 2000; index += 1) log.append('text-delta', { text: `word ${index} ` });
    const { seen, sink } = createSink();
    log.follow(1990, sink);
    expect(seen.text.startsWith('id: 1990\n')).toBe(true);
    expect(seen.text.match(/^id: /gm)).toHaveLength(10);
  });

  test('writes once a flush, however many events it holds', () => {
    const log = new TurnLog(() => 0);
    const { seen, sink } = createSink();
    log.follow(0, sink);
    for (let index = 0; index < 50; index += 1) log.append('text-delta', { text: 'x' });
    log.flush();
    expect(seen.writes).toBe(1);
  });

  test('a reader that takes no more costs nobody anything and gets the rest in one piece', () => {
    const log = new TurnLog(() => 0);
    const slow = createSink(1);
    const quick = createSink();
    const following = log.follow(0, slow.sink);
    log.follow(0, quick.sink);
    for (let index = 0; index < 20; index += 1) {
      log.append('text-delta', { text: String(index) });
      log.flush();
    }
    expect(slow.seen.writes).toBe(1);
    slow.seen.room = 10;
    following.resume();
    expect(slow.seen.writes).toBe(2);
    expect(slow.seen.text).toBe(quick.seen.text);
  });

  test('cuts a reader that has taken nothing for the time allowed', () => {
    let now = 0;
    const log = new TurnLog(() => now);
    const { seen, sink } = createSink(1);
    log.follow(0, sink);
    log.append('text-delta', { text: 'a' });
    log.flush();
    now = 29_999;
    log.cutStuck(30_000);
    expect(seen.cut).toBe(false);
    now = 30_000;
    log.cutStuck(30_000);
    expect(seen.cut).toBe(true);
  });

  test('refuses more than its bound, and can still say how the turn ended', () => {
    const log = new TurnLog(() => 0);
    const text = 'x'.repeat(500_000);
    expect(() => {
      for (let index = 0; index < 100; index += 1) log.append('text-delta', { text });
    }).toThrowError(expect.objectContaining({ code: 'too-large' }));
    log.append('turn-failed', { code: 'too-large', retryable: false });
    expect(log.atRest).toBe(true);
    expect(log.heldBytes).toBeLessThan(40 * 1024 * 1024);
  });
});
