/** A running reply: its frames, encoded once, which any number of readers follow from the beginning. */

export type FrameName = 'start' | 'delta' | 'reasoning' | 'tool' | 'sources' | 'approval' | 'done' | 'error';

export interface Reply {
  readonly chatId: string;
  readonly messageId: string;
  push(name: FrameName, data: unknown): void;
  end(): void;
  /** All frames so far, then the live ones; ends with the reply. Leaving does not stop it. */
  follow(): ReadableStream<Uint8Array>;
}

export const pingAfterMs = 15_000;
const encoder = new TextEncoder();
const ping = encoder.encode(': ping\n\n');

export function createReply(chatId: string, messageId: string): Reply {
  const frames: Uint8Array[] = [];
  const waiting = new Set<() => void>();
  let ended = false;

  const wake = () => {
    for (const go of waiting) go();
    waiting.clear();
  };

  /** Resolves at the next frame, at the end, when the reader leaves, or with "silent". */
  function waitForMore(left: AbortSignal): Promise<'more' | 'silent'> {
    return new Promise((resolve) => {
      const settle = (what: 'more' | 'silent') => {
        clearTimeout(timer);
        left.removeEventListener('abort', more);
        waiting.delete(more);
        resolve(what);
      };
      const more = () => settle('more');
      const timer = setTimeout(() => settle('silent'), pingAfterMs);
      timer.unref();
      left.addEventListener('abort', more);
      waiting.add(more);
    });
  }

  return {
    chatId,
    messageId,
    push(name, data) {
      if (ended) return;
      frames.push(encoder.encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`));
      wake();
    },
    end() {
      ended = true;
      wake();
    },
    follow() {
      let next = 0;
      const left = new AbortController();
      return new ReadableStream(
        {
          async pull(controller) {
            while (next >= frames.length && !ended && !left.signal.aborted) {
              if ((await waitForMore(left.signal)) === 'silent') return controller.enqueue(ping);
            }
            if (left.signal.aborted) return;
            const frame = frames[next];
            if (frame === undefined) return controller.close();
            next += 1;
            controller.enqueue(frame);
          },
          cancel() {
            left.abort();
          },
        },
        { highWaterMark: 0 },
      );
    },
  };
}
