/** A connection to a tool server for one question, within bounds of time and size. */

import type { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { withDeadline } from '../deadline.ts';
import { ReplyTooLarge } from '../tools.ts';
import { toOriginHeaders } from '../workflows/origin.ts';

export interface ServerPlace {
  server_url: string;
  transport: 'http' | 'sse';
  headers: Record<string, string>;
}

interface Limits {
  signal: AbortSignal;
  closing: AbortSignal;
  ms: number;
}

export type Bounds = { signal: AbortSignal; timeout: number };

/** Nothing can be had of it; the message says why. */
export class Unusable extends Error {}

const goodbyeMs = 2_000;
/** Of all that it answers to one question. */
const maxAnswerBytes = 2 * 1024 * 1024;

/** @param closing aborts when the service ends */
export async function withClient<T>(
  place: ServerPlace,
  { signal, closing, ms }: Limits,
  work: (client: Client, bounds: Bounds) => Promise<T>,
): Promise<T> {
  // Most services have no tool server.
  const { Client, SSEClientTransport, StreamableHTTPClientTransport } = await import(
    '@modelcontextprotocol/client'
  );
  return withDeadline(signal, ms, async (limit) => {
    let fail: (reason: unknown) => void = () => {};
    const failed = new Promise<never>((_, reject) => {
      fail = reject;
    });
    limit.addEventListener('abort', () => fail(limit.reason), { once: true });
    const close = () => fail(closing.reason);
    closing.addEventListener('abort', close, { once: true });
    const options = {
      fetch: createBoundedFetch(fail, place.transport === 'sse' ? 1 : Number.POSITIVE_INFINITY),
      requestInit: { headers: { ...place.headers, ...toOriginHeaders() } },
    };
    const transport =
      place.transport === 'sse'
        ? new SSEClientTransport(new URL(place.server_url), options)
        : new StreamableHTTPClientTransport(new URL(place.server_url), {
            ...options,
            reconnectionOptions: noReconnection,
          });
    const client = new Client(
      { name: 'porchlight', version: '1.0.0' },
      {
        // A server may still speak the protocol of 2025 alone.
        versionNegotiation: { mode: 'auto' },
        inputRequired: { autoFulfill: false },
        // A schema of somebody else's is compiled into no code here.
        jsonSchemaValidator: { getValidator: () => takeAnything },
      },
    );
    const bounds = { signal: limit, timeout: ms };
    try {
      return await Promise.race([failed, client.connect(transport, bounds).then(() => work(client, bounds))]);
    } finally {
      closing.removeEventListener('abort', close);
      void sayGoodbye(client, transport);
    }
  });
}

const takeAnything = (data: unknown) => ({
  valid: true as const,
  data: data as never,
  errorMessage: undefined,
});

const noReconnection = {
  initialReconnectionDelay: 1_000,
  maxReconnectionDelay: 1_000,
  reconnectionDelayGrowFactor: 1,
  maxRetries: 0,
};

/** One question to it takes ten, with all pages of its tools twenty. */
const mostRequests = 100;

/**
 * No redirect is followed: headers with secrets are for this server alone.
 *
 * @param fail ends all that is asked
 * @param mostStreams one that ends would be opened again, as soon as the server says
 */
function createBoundedFetch(fail: (reason: unknown) => void, mostStreams: number) {
  let left = maxAnswerBytes;
  let [requests, streams] = [0, 0];
  const give = (reason: Unusable): never => {
    fail(reason);
    throw reason;
  };
  return async (url: string | URL, init?: RequestInit): Promise<Response> => {
    requests += 1;
    if ((init?.method ?? 'GET') === 'GET') streams += 1;
    // A server may ask too, and each of its questions is answered by a request.
    if (requests > mostRequests) give(new Unusable('The tool server asks too much.'));
    if (streams > mostStreams) give(new Unusable('The tool server ended its stream.'));
    const response = await fetch(url, { ...init, redirect: 'manual' }).catch((thrown) => {
      fail(new Unusable('The tool server could not be reached.'));
      throw thrown;
    });
    if (response.status >= 300 && response.status < 400)
      fail(new Unusable('The tool server redirects to another address, which is not followed.'));
    if (!response.body) return response;
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        left -= chunk.byteLength;
        if (left >= 0) return controller.enqueue(chunk);
        const reason = new ReplyTooLarge(maxAnswerBytes);
        fail(reason);
        controller.error(reason);
      },
    });
    return new Response(response.body.pipeThrough(counted), response);
  };
}

/** Who keeps sessions is told that this one is over; nobody waits for it. */
async function sayGoodbye(client: Client, transport: object) {
  const close = () => client.close().catch(() => {});
  const timer = setTimeout(close, goodbyeMs).unref();
  const { terminateSession } = transport as Partial<StreamableHTTPClientTransport>;
  await terminateSession?.call(transport as StreamableHTTPClientTransport).catch(() => {});
  clearTimeout(timer);
  await close();
}
