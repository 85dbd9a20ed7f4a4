/** What the surroundings of a request may offer beyond the Request itself: an address, a straight way to the socket. */
import type { Following, LogSink } from './turns/log.ts';

/** Opens a streamed reply that follows a turn's log. */
export type OpenStream = (headers: Record<string, string>, follow: (sink: LogSink) => Following) => Response;

export type Edge = {
  /** Address of the socket's other end. */
  address?: string | undefined;
  /** Absent: the reply is a ReadableStream. */
  openStream?: OpenStream | undefined;
};

/** Runtimes hand a second argument of their own to what takes a request; Bun's server has an `address` that is none of ours. */
export function toEdge(given: unknown): Edge {
  const { address, openStream } = (given ?? {}) as Record<string, unknown>;
  return {
    address: typeof address === 'string' ? address : undefined,
    openStream: typeof openStream === 'function' ? (openStream as OpenStream) : undefined,
  };
}

/** Streams through the web's own carrier: for runtimes that have nothing straighter. */
export const openWebStream: OpenStream = (headers, follow) => {
  let following: Following | undefined;
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const ignoreClosed = (act: () => void) => {
          try {
            act();
          } catch {
            following?.stop();
          }
        };
        following = follow({
          write(bytes) {
            ignoreClosed(() => controller.enqueue(bytes));
            return (controller.desiredSize ?? 0) > 0;
          },
          end: () => ignoreClosed(() => controller.close()),
          cut: () => ignoreClosed(() => controller.error(new Error('cut off'))),
        });
      },
      pull: () => following?.resume(),
      cancel: () => following?.stop(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 64 * 1024 }),
  );
  return new Response(stream, { status: 200, headers });
};
