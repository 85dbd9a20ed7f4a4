/** Reads a small JSON body and sends a JSON reply: what the shop's own routes need of HTTP. */
import type { IncomingMessage, ServerResponse } from 'node:http';

const maxBodyBytes = 64 * 1024;

/** Undefined for no body. Throws for what is too large or no JSON. */
export async function readBody(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > maxBodyBytes) throw new RangeError('body too large');
    parts.push(part);
  }
  return bytes === 0 ? undefined : JSON.parse(Buffer.concat(parts).toString('utf8'));
}

/** A result may carry a cookie to set, and a status; undefined is a 404. */
export type Result = { cookie?: string; status?: number; body: unknown };

export function sendJson(response: ServerResponse, value: unknown, fallback = 200): void {
  const { cookie, status = fallback, body } = isResult(value) ? value : { body: value };
  if (cookie !== undefined) response.setHeader('set-cookie', cookie);
  response.writeHead(body === undefined ? 404 : status, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
  });
  response.end(JSON.stringify(body ?? { error: 'Not found.' }));
}

function isResult(value: unknown): value is Result {
  if (typeof value !== 'object' || value === null || !('body' in value)) return false;
  return 'cookie' in value || 'status' in value;
}
