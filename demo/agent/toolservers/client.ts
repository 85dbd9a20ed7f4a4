/** Asks a tool server over MCP: what it offers, and to do it. Nothing that it says is believed further than that. */

import type { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { withDeadline } from '../deadline.ts';
import { maxReplyBytes, ReplyTooLarge, type ToolOutcome, type ToolParameters } from '../tools.ts';
import { toOriginHeaders } from '../workflows/origin.ts';

export interface ServerPlace {
  server_url: string;
  transport: 'http' | 'sse';
  headers: Record<string, string>;
}

/** As the server says it. */
export interface OfferedTool {
  name: string;
  title: string;
  description: string;
  /** JSON Schema of an object. */
  schema: Record<string, unknown>;
  isReadOnly: boolean;
}

const [listMs, callMs, goodbyeMs] = [10_000, 30_000, 2_000];
/** Of all that it answers to one question. */
const maxAnswerBytes = 2 * 1024 * 1024;
const [mostTools, mostPages] = [100, 10];
/** Shorter ones are words that occur by themselves. */
const leastSecretChars = 8;
const [maxNameChars, maxDescriptionChars, maxSchemaChars] = [128, 2_000, 16_000];

class Unusable extends Error {}

type Work<T> = (client: Client, options: { signal: AbortSignal; timeout: number }) => Promise<T>;

export function createToolServerClient() {
  const closing = new AbortController();

  async function withClient<T>(
    place: ServerPlace,
    signal: AbortSignal,
    ms: number,
    work: Work<T>,
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
      const abort = () => fail(limit.reason);
      limit.addEventListener('abort', abort, { once: true });
      closing.signal.addEventListener('abort', abort, { once: true });
      const options = {
        fetch: createBoundedFetch(fail),
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
          listMaxPages: mostPages,
          inputRequired: { autoFulfill: false },
          // A schema of somebody else's is compiled into no code here.
          jsonSchemaValidator: { getValidator: () => takeAnything },
        },
      );
      const bounds = { signal: limit, timeout: ms };
      try {
        return await Promise.race([
          failed,
          client.connect(transport, bounds).then(() => work(client, bounds)),
        ]);
      } finally {
        closing.signal.removeEventListener('abort', abort);
        void sayGoodbye(client, transport);
      }
    });
  }

  return {
    /** Throws an Error whose message says why not. */
    async list(
      place: ServerPlace,
      signal = closing.signal,
    ): Promise<{ tools: OfferedTool[]; leftOut: number }> {
      try {
        const { tools } = await withClient(place, signal, listMs, async (client, options) =>
          withoutSecrets(place, await client.listTools({}, options)),
        );
        const usable = tools.map(toOfferedTool).filter((tool) => tool !== undefined);
        const named = new Map(usable.map((tool) => [tool.name, tool]));
        const kept = [...named.values()].slice(0, mostTools);
        return { tools: kept, leftOut: tools.length - kept.length };
      } catch (thrown) {
        throw new Error(toReason(thrown, listMs));
      }
    },

    /** What goes wrong is told to the model. Throws only why `signal` aborts. */
    async call(
      place: ServerPlace,
      name: string,
      parameters: ToolParameters,
      signal: AbortSignal,
    ): Promise<ToolOutcome> {
      try {
        return await withClient(place, signal, callMs, async (client, options) =>
          withoutSecrets(place, toOutcome(await client.callTool({ name, arguments: parameters }, options))),
        );
      } catch (thrown) {
        if (signal.aborted) throw thrown;
        return { ok: false, result: { error: toReason(thrown, callMs) } };
      }
    },

    /** What is asked is given up. */
    close() {
      closing.abort(new Error('The service ends.'));
    },
  };
}

export type ToolServerClient = ReturnType<typeof createToolServerClient>;

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

/** No redirect is followed: headers with secrets are for this server alone. @param fail ends all that is asked */
function createBoundedFetch(fail: (reason: unknown) => void) {
  let left = maxAnswerBytes;
  return async (url: string | URL, init?: RequestInit): Promise<Response> => {
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

/** @returns undefined for one that no model could be offered */
function toOfferedTool(tool: {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  inputSchema: Record<string, unknown>;
  annotations?: { title?: string | undefined; readOnlyHint?: boolean | undefined } | undefined;
}): OfferedTool | undefined {
  const { name, description = '', inputSchema, annotations = {} } = tool;
  if (name === '' || name.length > maxNameChars || JSON.stringify(inputSchema).length > maxSchemaChars)
    return undefined;
  const { $schema: _, ...schema } = inputSchema;
  return {
    name,
    title: (tool.title ?? annotations.title ?? name).slice(0, maxNameChars),
    description: description.slice(0, maxDescriptionChars),
    schema,
    isReadOnly: annotations.readOnlyHint === true,
  };
}

/** A server may say again what it was sent. */
function withoutSecrets<T>({ headers }: ServerPlace, said: T): T {
  const secrets = Object.values(headers)
    .flatMap((value) => [value, value.replace(/^\S+ +/, '')])
    .filter(({ length }) => length >= leastSecretChars);
  let text = JSON.stringify(said);
  for (const secret of secrets) text = text.replaceAll(JSON.stringify(secret).slice(1, -1), '***');
  return JSON.parse(text) as T;
}

interface Content {
  type: string;
  text?: string;
  uri?: string;
  resource?: { text?: string; uri?: string };
}

function toOutcome(answer: {
  content?: unknown;
  structuredContent?: unknown;
  isError?: boolean | undefined;
}): ToolOutcome {
  const content = Array.isArray(answer.content) ? (answer.content as Content[]) : [];
  const text = content.map(toText).join('\n');
  if (answer.isError) return { ok: false, result: { error: bounded(text) || 'The tool failed.' } };
  return { ok: true, result: bounded(answer.structuredContent ?? text) };
}

const toText = ({ type, text, uri, resource }: Content): string =>
  text ?? resource?.text ?? uri ?? resource?.uri ?? `[${type}]`;

function bounded<T>(result: T): T {
  if (Buffer.byteLength(JSON.stringify(result)) > maxReplyBytes) throw new ReplyTooLarge(maxReplyBytes);
  return result;
}

/** In words of our own: what a server says of its failure may hold anything. */
function toReason(thrown: unknown, ms: number): string {
  if (thrown instanceof ReplyTooLarge || thrown instanceof Unusable) return thrown.message;
  const { name, code, data } = thrown as { name?: string; code?: unknown; data?: { status?: unknown } };
  if (name === 'TimeoutError' || code === 'REQUEST_TIMEOUT')
    return `The tool server did not answer within ${ms / 1000} s.`;
  if (typeof data?.status === 'number') return `The tool server answered ${data.status}.`;
  return 'The tool server does not answer as one.';
}
