/** `GET /metrics`: what is counted, for the operator's own monitor alone. */
import { isSameText } from '../auth/keys.ts';
import { HelperError } from '../errors.ts';
import { metricsType } from '../metrics.ts';
import type { Exchange, Parts } from './exchange.ts';

/** @throws HelperError `not-found` where no token is set, `unauthenticated` where another one comes */
export async function getMetrics(parts: Parts, { request }: Exchange): Promise<Response> {
  const { metricsToken } = parts.config;
  if (metricsToken === undefined) throw new HelperError('not-found');
  const [, given = ''] = /^bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? [];
  if (!(await isSameText(given, metricsToken)))
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
