/** Server-sent events: a writer of bytes and a bounded reader that gives the same events however the bytes are cut. */
import { createParser } from 'eventsource-parser';
import { limits } from './wire.ts';

/** One event as read: `event` is undefined for the default kind, `id` for none. */
export type SseEvent = { id: string | undefined; event: string | undefined; data: string };

export type SseReader = {
  /** Feeds bytes; events are handed out before it returns. Throws `SseTooLong` once a line passes the bound. */
  push(bytes: Uint8Array): void;
  /** The stream ended: an event that its blank line had not closed is dropped, as the standard says. */
  end(): void;
};

/** An event or a line was longer than the reader may hold. */
export class SseTooLong extends Error {
  override name = 'SseTooLong';
}

/**
 * Reads an event stream (WHATWG HTML, "Server-sent events").
 *
 * @param onEvent called once an event
 * @param onComment called for each comment, without its text
 * @param maxChars characters that one unfinished event may hold
 */
export function createSseReader(
  onEvent: (event: SseEvent) => void,
  onComment?: () => void,
  maxChars: number = limits.maxLineBytes + 1024,
): SseReader {
  const decoder = new TextDecoder();
  let tooLong = false;
  let endsInCr = false;
  const parser = createParser({
    onEvent: ({ id, event, data }) => onEvent({ id, event, data }),
    onComment: () => onComment?.(),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') tooLong = true;
    },
    maxBufferSize: maxChars,
  });
  const feed = (text: string) => {
    if (text === '' || tooLong) return;
    endsInCr = text.endsWith('\r');
    parser.feed(text);
    if (tooLong) throw new SseTooLong('A line of the event stream is too long');
  };
  return {
    push: (bytes) => feed(decoder.decode(bytes, { stream: true })),
    end() {
      feed(decoder.decode());
      // The parser holds a last CR back, since an LF might follow; at the end none can.
      if (endsInCr) feed('\n');
    },
  };
}

const encoder = new TextEncoder();

/** One event as bytes. `data` is JSON, so it holds no raw line break and needs one `data:` line. */
export function writeSseEvent(id: number, kind: string, data: unknown): Uint8Array {
  return encoder.encode(toSseText(id, kind, data));
}

/** One event as text. */
export function toSseText(id: number, kind: string, data: unknown): string {
  return `id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** A comment that keeps the connection alive. */
export const heartbeat: Uint8Array = encoder.encode(': ping\n\n');
