/** `porchlight/fastify`: a plugin that answers what is under the helper's path before Fastify reads a body. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HelperOptions } from '../config.ts';
import { createNodeHelper } from '../node.ts';

/** What of Fastify the plugin uses, of any version since 4.17. */
type App = {
  addHook(
    name: 'onRequest',
    hook: (request: { raw: IncomingMessage }, reply: Reply, done: () => void) => void,
  ): unknown;
  addHook(name: 'preClose', hook: () => Promise<void>): unknown;
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
  // Fastify’s `onClose` comes once every stream has ended by itself.
  app.addHook('preClose', () => helper.close());
}

// For the whole app, and not for what is registered beside it alone.
Object.assign(porchlight, { [Symbol.for('skip-override')]: true });
