/** `porchlight/next`: the handlers of a route of Next’s app router, `app/porchlight/[...path]/route.js`. */
import type { HelperOptions } from '../config.ts';
import { createNodeHelper, type NodeHelper } from '../node.ts';

type Handler = (request: Request) => Promise<Response>;

const readAgainMs = 5_000;
const key = Symbol.for('porchlight.next');
const shared = globalThis as { [key]?: Map<string, NodeHelper> };
shared[key] ??= new Map();
/** By base path, for the process: a route that is compiled anew while one develops takes the place of the one before. */
const helpers = shared[key];

/**
 * A visitor’s address is the last of X-Forwarded-For, where Next says it: without a proxy of the site’s own before Next that
 * is what the visitor says, if anything. With more of them `trustedProxies` is their number.
 * @param readOptions asked with the first request, and again after 5 s where it throws, so that a build needs neither the environment nor a store
 */
export function createRoute(readOptions: () => HelperOptions) {
  let basePath: string | undefined;
  let fault: { error: unknown; untilMs: number } | undefined;
  /** @param againMs when it may be tried again */
  const orKeep = <T>(read: () => T, againMs: number): T => {
    try {
      return read();
    } catch (error) {
      fault = { error, untilMs: performance.now() + againMs };
      throw error;
    }
  };
  const find = (): NodeHelper => {
    if (fault && performance.now() < fault.untilMs) throw fault.error;
    if (basePath === undefined) {
      // A disk that was full, a folder that was not mounted yet.
      const options = orKeep(readOptions, readAgainMs);
      // What is wrong is wrong still, and reading it again would open the store again.
      const helper = orKeep(
        () => createNodeHelper({ trustedProxies: 1, ...options }),
        Number.POSITIVE_INFINITY,
      );
      basePath = place(helper);
    }
    return helpers.get(basePath) as NodeHelper;
  };
  const handle: Handler = async (request) => {
    const helper = find();
    if (request.method !== 'GET') return helper.fetch(request);
    // Next drops what a reply says of how it is packed, and packs by itself.
    const headers = new Headers(request.headers);
    headers.delete('accept-encoding');
    return helper.fetch(new Request(request, { headers }));
  };
  return { GET: handle, POST: handle, PUT: handle, PATCH: handle, DELETE: handle, OPTIONS: handle };
}

function place(helper: NodeHelper): string {
  void helpers.get(helper.basePath)?.close();
  helpers.set(helper.basePath, helper);
  return helper.basePath;
}
