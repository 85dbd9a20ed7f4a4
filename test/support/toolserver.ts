/** A real tool server, built with the SDK; and one that answers as a test tells it to. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import {
  type CallToolResult,
  createMcpHandler,
  isInitializeRequest,
  type JSONRPCMessage,
  Server,
  type Tool,
  type Transport,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

export type Answer = (
  name: string,
  values: Record<string, unknown>,
) => CallToolResult | Promise<CallToolResult>;

export const toTool = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  description: `What ${name} says.`,
  inputSchema: { type: 'object', properties: { of: { type: 'string' } } },
  ...more,
});

export interface Asked {
  headers: IncomingMessage['headers'];
  method: string;
  /** Of JSON-RPC. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read what was sent as it is.
  body: any;
}

export async function listen(handle: RequestListener) {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** @param kind modern: the protocol of 2026 and before; sessions: of 2025, with sessions; sse: the oldest, a stream and posts */
export async function startToolServer(kind: 'modern' | 'sessions' | 'sse', tools: Tool[], answer: Answer) {
  const asked: Asked[] = [];
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const streams = new Map<string, StreamTransport>();
  function makeServer() {
    const server = new Server({ name: 'shelf', version: '1' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', () => ({ tools }));
    server.setRequestHandler('tools/call', ({ params }) => answer(params.name, params.arguments ?? {}));
    return server;
  }
  const modern = createMcpHandler(makeServer);

  async function withSession(request: Request, body: unknown): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    let transport = id === null ? undefined : sessions.get(id);
    if (!transport && isInitializeRequest(body)) {
      const made = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => crypto.randomUUID(),
        onsessioninitialized: (session) => void sessions.set(session, made),
        onsessionclosed: (session) => void sessions.delete(session),
      });
      transport = made;
      await makeServer().connect(made);
    }
    return transport
      ? transport.handleRequest(request, { parsedBody: body })
      : Response.json(
          { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'No session' } },
          { status: 400 },
        );
  }

  const server = await listen(async (incoming, outgoing) => {
    const text = await readText(incoming);
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    asked.push({ headers: incoming.headers, method: incoming.method ?? '', body });
    if (kind === 'sse') return answerStream(incoming, outgoing, body as JSONRPCMessage, streams, makeServer);
    const request = new Request(`http://shelf.test${incoming.url}`, {
      method: incoming.method ?? 'GET',
      headers: incoming.headers as Record<string, string>,
      ...(text === '' ? {} : { body: text }),
    });
    const response = kind === 'modern' ? await modern.fetch(request) : await withSession(request, body);
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    for await (const chunk of response.body ?? []) outgoing.write(chunk);
    outgoing.end();
  });
  return {
    ...server,
    asked,
    /** That are still kept. */
    sessions,
    callsOf: (name: string) =>
      asked.filter(({ body }) => body?.method === 'tools/call' && body.params.name === name),
  };
}

class StreamTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  readonly #stream: ServerResponse;
  constructor(stream: ServerResponse) {
    this.#stream = stream;
  }
  async start() {}
  async send(message: JSONRPCMessage) {
    this.#stream.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  }
  async close() {
    this.#stream.end();
    this.onclose?.();
  }
}

async function answerStream(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  body: JSONRPCMessage,
  streams: Map<string, StreamTransport>,
  makeServer: () => Server,
) {
  if (incoming.method === 'GET') {
    const id = crypto.randomUUID();
    const stream = new StreamTransport(outgoing);
    streams.set(id, stream);
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
    outgoing.on('close', () => streams.delete(id));
    await makeServer().connect(stream);
    return outgoing.write(`event: endpoint\ndata: /mcp?session=${id}\n\n`);
  }
  const stream = streams.get(
    new URL(incoming.url ?? '', 'http://shelf.test').searchParams.get('session') ?? '',
  );
  outgoing.writeHead(stream ? 202 : 404).end();
  return stream?.onmessage?.(body);
}
