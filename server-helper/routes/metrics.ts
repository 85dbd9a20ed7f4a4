/** `GET /metrics`: what is counted, for the operator's own monitor alone. */
import { HelperError } from '../errors.ts';
import { metricsType } from '../metrics.ts';
import type { Exchange, Parts } from './exchange.ts';

/** @throws HelperError `not-found` where no token is set, `unauthenticated` where another one comes */
export async function getMetrics(parts: Parts, { request }: Exchange): Promise<Response> {
  const { metricsToken } = parts.config;
  if (metricsToken === undefined) throw new HelperError('not-found');
  const [, given = ''] = /^bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? [];
  if (!(await isSame(given, metricsToken)))
    throw new HelperError(
      'unauthenticated',
      'The metrics are read with Authorization: Bearer and their token',
    );
  const { engine, readers, metrics } = parts;
  const text = metrics.write({
    ...engine.measure(),
    readers: readers.count,
    process: parts.measureProcess?.(),
  });
  return new Response(text, { headers: { 'content-type': metricsType, 'cache-control': 'no-store' } });
}

/** By their hashes, whose comparison tells nothing of either. */
async function isSame(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map(toHash));
  return a === b;
}

async function toHash(text: string): Promise<string> {
  return String(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))));
}
