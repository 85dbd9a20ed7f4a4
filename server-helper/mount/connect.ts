/** What Express and Connect may have done to a request before the helper gets it: cut a mount path off, read the body. */
import type { IncomingMessage } from 'node:http';

type MountedRequest = IncomingMessage & {
  originalUrl?: unknown;
  baseUrl?: unknown;
  body?: unknown;
  rawBody?: unknown;
};

/** Path and query of a request for the helper, as its routes know them; undefined when it is for somebody else. */
export function findTarget(request: MountedRequest, basePath: string): string | undefined {
  const { url = '/', baseUrl, originalUrl } = request;
  // At the root of whatever it is mounted at: a router has cut that off already.
  if (basePath === '') return url;
  const targets = [typeof baseUrl === 'string' ? baseUrl + url : url];
  // Connect does not tell what it cut off. A `url` that the original does not end with was rewritten.
  if (typeof baseUrl !== 'string' && typeof originalUrl === 'string' && originalUrl.endsWith(url))
    targets.push(originalUrl);
  return targets.find((target) => {
    const path = target.split('?', 1)[0];
    return path === basePath || path?.startsWith(`${basePath}/`);
  });
}

/** Notes what no request can get past, once each, with the mend. */
export function createMountNotes(basePath: string, warn: (message: string) => void) {
  const noted = new Set<string>();
  const note = (message: string) => {
    if (noted.has(message)) return;
    noted.add(message);
    warn(message);
  };
  return {
    /** For a request that is not the helper's: it may be, were it not for where the helper is mounted. */
    passed({ baseUrl }: MountedRequest): void {
      if (typeof baseUrl === 'string' && !`${basePath}/`.startsWith(`${baseUrl}/`))
        note('the helper is mounted at a path that basePath does not begin with: make them the same');
    },
    /** Where a body parser has read the body, what it made of it stands in for the bytes. */
    restoreBody(request: MountedRequest): void {
      if (!request.readableDidRead) return;
      const { rawBody, body } = request;
      // A parser's `verify` may keep what came as text, too: as exact as the bytes.
      if (typeof rawBody === 'string' || rawBody instanceof Uint8Array) {
        request.rawBody = Buffer.from(rawBody as Uint8Array);
        return;
      }
      const raw = toRaw(body);
      if (raw) request.rawBody = raw;
      note(
        raw
          ? 'a body parser runs before the helper: mount the helper first, or signed webhooks may be refused'
          : 'a request’s body was read before the helper: mount the helper before what reads it',
      );
    },
  };
}

function toRaw(body: unknown): Buffer | undefined {
  if (Buffer.isBuffer(body)) return body;
  if (typeof body === 'string') return Buffer.from(body);
  return typeof body === 'object' && body !== null ? Buffer.from(JSON.stringify(body)) : undefined;
}
