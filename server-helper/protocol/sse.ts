/** Server-sent events: a writer of bytes and a bounded reader that gives the same events however the bytes are cut. */
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
  /** The line that has not ended. */
  let open = '';
  let endedInCr = false;
  let id: string | undefined;
  let event: string | undefined;
  let data: string | undefined;

  const close = () => {
    if (data !== undefined) onEvent({ id, event, data });
    id = undefined;
    event = undefined;
    data = undefined;
  };
  const read = (line: string) => {
    if (line === '') return close();
    const colon = line.indexOf(':');
    if (colon === 0) return onComment?.();
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') data = data === undefined ? value : `${data}\n${value}`;
    else if (field === 'event') event = value || undefined;
    else if (field === 'id' && !value.includes('\0')) id = value;
  };
  const feed = (text: string) => {
    if (text === '') return;
    // The CR before it has ended the line already.
    const from = endedInCr && text.startsWith('\n') ? text.slice(1) : text;
    endedInCr = text.endsWith('\r');
    const [first, ...others] = from.split(from.includes('\r') ? /\r\n?|\n/ : '\n');
    open += first;
    for (const next of others) {
      read(open);
      open = next;
    }
    if (open.length + (data?.length ?? 0) > maxChars)
      throw new SseTooLong('A line of the event stream is too long');
  };
  return {
    push: (bytes) => feed(decoder.decode(bytes, { stream: true })),
    end: () => feed(decoder.decode()),
  };
}

const encoder = /* @__PURE__ */ new TextEncoder();

/** One event as bytes. `data` is JSON, so it holds no raw line break and needs one `data:` line. */
export function writeSseEvent(id: number, kind: string, data: unknown): Uint8Array {
  return encoder.encode(toSseText(id, kind, data));
}

/** One event as text. */
export function toSseText(id: number, kind: string, data: unknown): string {
  return `id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** A comment that keeps the connection alive. */
export const heartbeat: Uint8Array = /* @__PURE__ */ encoder.encode(': ping\n\n');
