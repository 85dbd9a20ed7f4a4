/** Which pages may call, and the CORS headers that tell them so. A fence for browsers: scripts outside one ignore it. */
import { HelperError } from '../errors.ts';

const preflightSeconds = 7200;

/**
 * @param origins exact origins, or undefined for the helper's own alone
 * @returns the allowed Origin, or undefined when the request has none (servers, same-origin GET)
 * @throws HelperError `origin-refused`, which carries no CORS header
 */
export function requireOrigin(
  request: Request,
  origins: ReadonlySet<string> | undefined,
): string | undefined {
  const origin = request.headers.get('origin');
  if (origin === null) return undefined;
  if (origins ? origins.has(origin) : isOwnOrigin(origin, request)) return origin;
  throw new HelperError('origin-refused', 'Add the origin of this page to the list of origins');
}

/** Behind a proxy the scheme may differ, the host does not. */
function isOwnOrigin(origin: string, request: Request): boolean {
  const host = request.headers.get('host') ?? new URL(request.url).host;
  return origin === `https://${host}` || origin === `http://${host}`;
}

export function addCorsHeaders(headers: Headers, origin: string | undefined): void {
  // A site's own service worker, which may keep what says no-store, tells one visitor's replies from another's by it.
  headers.append('vary', 'origin, authorization');
  if (origin === undefined) return;
  headers.set('access-control-allow-origin', origin);
  headers.set('access-control-expose-headers', 'retry-after');
}

export function toPreflightResponse(origin: string | undefined): Response {
  const response = new Response(null, { status: 204 });
  addCorsHeaders(response.headers, origin);
  response.headers.set('access-control-allow-methods', 'GET, POST, PUT, PATCH, DELETE');
  response.headers.set('access-control-allow-headers', 'authorization, content-type, last-event-id');
  response.headers.set('access-control-max-age', String(preflightSeconds));
  return response;
}
