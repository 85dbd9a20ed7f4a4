/** A small OpenAI-compatible host on a loopback port, which answers what the test scripts. */

import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Delta = Record<string, unknown>;

/** `hang` keeps the stream open after the deltas; `status` refuses; `cut` ends the connection before a word. */
export interface Script {
  deltas?: Delta[];
  cut?: boolean;
  hang?: boolean;
  status?: number;
}

export interface ProviderRequest {
  // biome-ignore lint/suspicious/noExplicitAny: tests read the request as the host would.
  body: any;
  headers: IncomingHttpHeaders;
  /** Resolves when the client drops the connection. */
  dropped: Promise<void>;
}

/** @param answer where the scripts are at their end */
// biome-ignore lint/suspicious/noExplicitAny: tests read the request as the host would.
export async function startProvider(answer: (body: any) => Script = () => ({})) {
  const requests: ProviderRequest[] = [];
  const scripts: Script[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      const body = JSON.parse(text);
      const dropped = new Promise<void>((resolve) => {
        response.on('close', () => void (response.writableEnded || resolve()));
      });
      requests.push({ body, headers: request.headers, dropped });
      const script = scripts.shift() ?? answer(body);
      if (script.cut) return request.socket.resetAndDestroy();
      if (script.status !== undefined) {
        response.writeHead(script.status, { 'content-type': 'application/json' });
        return response.end(JSON.stringify({ error: { message: 'scripted' } }));
      }
      if (body.stream !== true) {
        response.writeHead(200, { 'content-type': 'application/json' });
        return response.end(
          JSON.stringify({ choices: [{ index: 0, message: { role: 'assistant', content: 'A summary.' } }] }),
        );
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const send = (chunk: object) =>
        response.write(`data: ${JSON.stringify({ object: 'chat.completion.chunk', ...chunk })}\n\n`);
      for (const delta of script.deltas ?? []) send({ choices: [{ index: 0, delta }] });
      if (script.hang) return undefined;
      send({ choices: [], usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 } });
      return response.end('data: [DONE]\n\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    host: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    scripts,
    async close() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

export const say = (content: string): Delta => ({ content });

export const callTool = (name: string, parameters: object, id = 'call_1'): Delta => ({
  tool_calls: [{ index: 0, id, type: 'function', function: { name, arguments: JSON.stringify(parameters) } }],
});
