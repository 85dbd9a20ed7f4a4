/** A plain client of the agent API for tests: JSON calls and event-stream frames. */

import { createParser } from 'eventsource-parser';

export interface Frame {
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read many shapes and assert on each.
  data: any;
}

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read many shapes and assert on each.
  body: any;
}

export interface AgentTarget {
  apiKey: string;
  projectId: string;
  botId: string;
}

export type Fetch = (request: Request) => Promise<Response>;

export function createAgentClient(baseUrl: string, target: AgentTarget, send: Fetch = fetch) {
  const ids = { project_id: target.projectId, bot_id: target.botId };

  function request(method: string, path: string, input: object = {}, key: string | null = target.apiKey) {
    const url = new URL(path, baseUrl);
    const all: Record<string, unknown> = { ...ids, ...input };
    const inQuery = method === 'GET' || method === 'DELETE';
    if (inQuery)
      for (const [name, value] of Object.entries(all))
        if (value !== undefined) url.searchParams.set(name, String(value));
    return new Request(url, {
      method,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(inQuery ? {} : { 'content-type': 'application/json' }),
      },
      ...(inQuery ? {} : { body: JSON.stringify(all) }),
    });
  }

  async function call(method: string, path: string, input?: object, key?: string | null): Promise<Answer> {
    const response = await send(request(method, path, input, key));
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
  }

  /** Frames as they come; leaving the loop drops the connection. */
  async function* stream(method: string, path: string, input: object): AsyncGenerator<Frame> {
    const response = await send(request(method, path, input));
    if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
      throw new Error(`${response.status}: ${await response.text()}`);
    const frames: Frame[] = [];
    const parser = createParser({
      onEvent: ({ event, data }) => frames.push({ event: event ?? '', data: JSON.parse(data) }),
    });
    const decoder = new TextDecoder();
    for await (const chunk of response.body!) {
      parser.feed(decoder.decode(chunk, { stream: true }));
      yield* frames.splice(0);
    }
  }

  return {
    call,
    stream,
    chat: (message: string, input: object = {}) => call('POST', '/v1/bot/chat', { message, ...input }),
    async streamAll(method: string, path: string, input: object): Promise<Frame[]> {
      const frames: Frame[] = [];
      for await (const frame of stream(method, path, input)) frames.push(frame);
      return frames;
    },
  };
}

export type AgentClient = ReturnType<typeof createAgentClient>;

export function joinDeltas(frames: readonly Frame[]): string {
  return frames.flatMap(({ event, data }) => (event === 'delta' ? [data.text] : [])).join('');
}
