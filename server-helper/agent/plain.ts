/** Reads deltas in the agent's own plain form, which is nearly all that a stream is made of. Pure. */
import type { Frame } from './frame.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const jsonStart = '{"text":"';
const jsonEnd = '"}';
const start = encoder.encode(`event: delta\ndata: ${jsonStart}`);
const end = encoder.encode(`${jsonEnd}\n\n`);
/** The comment that keeps a silent stream open. */
const ping = encoder.encode(': ping\n\n');
const quote = 0x22;
const backslash = 0x5c;
const space = 0x20;

/** Those that one character follows. */
const escapes = new Set(encoder.encode('"\\/bfnrt'));

/** Its text is read when somebody asks for it: a relay copies its bytes. */
class PlainDelta {
  readonly kind = 'text';
  #json: Uint8Array | undefined;

  constructor(json: Uint8Array) {
    this.#json = json;
  }
  /** @throws Error once the one that it was handed to has returned: by then the bytes may be of another visitor's answer */
  get json(): Uint8Array {
    if (!this.#json) throw new Error('A delta was kept longer than its bytes');
    return this.#json;
  }
  get text(): string {
    return (JSON.parse(decoder.decode(this.json)) as { text: string }).text;
  }
  end(): void {
    this.#json = undefined;
  }
}

/**
 * Hands out each delta at the head of `bytes`, at a fraction of what the full reader costs, and passes over pings. It
 * stops at the first thing that is neither, be it only for a `\u` in the text: that is the full reader's.
 *
 * @param bytes what came, from the beginning of an event on
 * @returns how many bytes, all of whole events, have been read
 */
export function readPlainDeltas(bytes: Uint8Array, sink: { onFrame(frame: Frame): void }): number {
  let at = 0;
  for (;;) {
    if (hasAt(bytes, at, ping)) {
      at += ping.length;
      continue;
    }
    if (!hasAt(bytes, at, start)) return at;
    const from = at + start.length;
    let to = from;
    for (let byte = bytes[to]; byte !== quote; byte = bytes[to]) {
      if (byte === backslash) {
        to += 1;
        if (!escapes.has(bytes[to] ?? 0)) return at;
      } else if (byte === undefined || byte < space) return at;
      to += 1;
    }
    if (!hasAt(bytes, to, end)) return at;
    if (to > from) {
      const delta = new PlainDelta(bytes.subarray(from - jsonStart.length, to + jsonEnd.length));
      sink.onFrame(delta);
      delta.end();
    }
    at = to + end.length;
  }
}

function hasAt(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  if (at + wanted.length > bytes.length) return false;
  for (let index = 0; index < wanted.length; index += 1)
    if (bytes[at + index] !== wanted[index]) return false;
  return true;
}
