/** Which pages may call, and the CORS headers that tell them so. A fence for browsers: scripts outside one ignore it. */
import { HelperError } from '../errors.ts';
import { createPace, type Log } from '../log.ts';

const preflightSeconds = 7200;

/**
 * @returns of a request: its allowed Origin, or undefined when it has none (servers, same-origin GET)
 * @throws HelperError `origin-refused`, which carries no CORS header
 */
export function createFence({ origins, log }: { origins: ReadonlySet<string> | undefined; log: Log }) {
  const isDue = createPace(() => performance.now());
  return (request: Request): string | undefined => {
    const origin = request.headers.get('origin');
    if (origin === null) return undefined;
    if (origins?.has(origin) || isOwnOrigin(origin, request)) return origin;
    // Neither is told by name: what a request says stays out of the log.
    if (isDue('origin'))
      log.warn(
        { code: 'origin-refused' },
        'a page of an unlisted origin called; list it in origins, PORCHLIGHT_ORIGINS, or have the proxy keep the Host',
      );
    throw new HelperError('origin-refused', 'Add the origin of this page to the list of origins');
  };
}

/** Behind a proxy scheme and host may differ: a browser that says itself that the page is ours is believed, no page can say it. */
function isOwnOrigin(origin: string, request: Request): boolean {
  if (request.headers.get('sec-fetch-site') === 'same-origin') return true;
  const host = request.headers.get('host') ?? new URL(request.url).host;
  const toOrigin = (scheme: string) =>
    URL.canParse(`${scheme}://${host}`) ? new URL(`${scheme}://${host}`).origin : undefined;
  return origin === toOrigin('https') || origin === toOrigin('http');
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
