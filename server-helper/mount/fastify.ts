/** `porchlight/fastify`: a plugin that answers what is under the helper's path before Fastify reads a body. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HelperOptions } from '../config.ts';
import { createNodeHelper } from '../node.ts';
import { within } from '../within.ts';

/** Longer than a helper takes to close. */
const mostMs = 60_000;

/** What of Fastify the plugin uses, of any version since 4.17. */
type App = {
  addHook(
    name: 'onRequest',
    hook: (request: { raw: IncomingMessage }, reply: Reply, done: () => void) => void,
  ): unknown;
  addHook(name: 'preClose' | 'onClose', hook: () => Promise<void>): unknown;
  /** One for HTTP/2, or of the site's own making, may not have it. */
  server: { readonly listening: boolean; closeIdleConnections?(): void };
  initialConfig: { pluginTimeout?: number };
};
type Reply = { raw: ServerResponse; hijack(): unknown };

/** `app.register(porchlight, options)`; it closes with the app. */
export async function porchlight(app: App, options: HelperOptions): Promise<void> {
  const helper = createNodeHelper(options);
  app.addHook('onRequest', (request, reply, done) => {
    let isTaken = true;
    helper.listener(request.raw, reply.raw, () => {
      isTaken = false;
    });
    if (isTaken) reply.hijack();
    else done();
  });
  let closing: Promise<void> | undefined;
  // `onClose` comes once every stream has ended by itself. A hook that outlasts `pluginTimeout` fails the whole close.
  app.addHook('preClose', async () => {
    closing ??= helper.close().finally(() => setImmediate(() => app.server.closeIdleConnections?.()));
    await within(closing, (app.initialConfig.pluginTimeout || mostMs) / 2).catch(() => {});
  });
  app.addHook('onClose', async () => closing);
}

// For the whole app, and not for what is registered beside it alone.
Object.assign(porchlight, { [Symbol.for('skip-override')]: true });
