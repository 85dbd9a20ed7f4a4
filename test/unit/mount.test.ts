/** The helper as a middleware: what is not its own reaches the host as it came, and what it cannot serve is said. */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { HelperOptions } from '../../server-helper/config.ts';
import type { LogFields } from '../../server-helper/log.ts';
import { createNodeHelper, type NodeHelper } from '../../server-helper/node.ts';
import { createMemoryStore } from '../../server-helper/store/memory.ts';

type Request = IncomingMessage & { originalUrl?: string; baseUrl?: string; body?: unknown };
type Middleware = (request: Request, response: ServerResponse, next: () => void) => void;

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

function create(options: Partial<HelperOptions> = {}) {
  const lines: string[] = [];
  // There is no agent here, which is told as well.
  const write = ({ code }: LogFields, message: string) => {
    if (code !== 'agent-unavailable') lines.push(message);
  };
  const helper = createNodeHelper({
    agentUrl: 'http://127.0.0.1:9',
    apiKey: 'k',
    projectId: 'p',
    botId: 'b',
    store: createMemoryStore(),
    log: { info: () => {}, warn: write, error: write },
    ...options,
  });
  closing.push(() => helper.close(0));
  return { helper, lines };
}

/** Listens with these in order; who is reached last tells what it sees. */
async function serve(...middlewares: Middleware[]) {
  const server = createServer((incoming: Request, response) => {
    incoming.originalUrl = incoming.url ?? '';
    const step = (index: number): void => {
      const middleware = middlewares[index];
      if (middleware) middleware(incoming, response, () => step(index + 1));
      else response.writeHead(404, { 'x-host': 'yes' }).end(`host: ${incoming.url}`);
    };
    step(0);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  const { port } = server.address() as AddressInfo;
  return (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init);
}

/** As Express mounts: cuts the path off `url`, tells it in `baseUrl`, and puts both back for what follows. */
function mountExpress(path: string, { listener }: NodeHelper): Middleware {
  return (incoming, response, next) => {
    const { url = '' } = incoming;
    if (!url.startsWith(`${path}/`)) return next();
    Object.assign(incoming, { baseUrl: path, url: url.slice(path.length) });
    listener(incoming, response, () => {
      expect(incoming.url).toBe(url.slice(path.length));
      Object.assign(incoming, { baseUrl: '', url });
      next();
    });
  };
}
/** As Connect does: tells nothing. */
function mountConnect(path: string, { listener }: NodeHelper): Middleware {
  return (incoming, response, next) => {
    const { url = '' } = incoming;
    if (!url.startsWith(`${path}/`)) return next();
    incoming.url = url.slice(path.length);
    listener(incoming, response, () => {
      incoming.url = url;
      next();
    });
  };
}
/** As `express.json()` does: the body is read, and only what it meant is left. */
/** As `express.json({ verify })` does where the host signs or checks what came. */
const parseKeeping =
  (keep: (bytes: Buffer) => unknown): Middleware =>
  (incoming, _, next) => {
    const chunks: Buffer[] = [];
    incoming
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        Object.assign(incoming, { rawBody: keep(Buffer.concat(chunks)), body: {} });
        next();
      });
  };
const parseJson: Middleware = (incoming, _, next) => {
  if (incoming.headers['content-type'] !== 'application/json') return next();
  const parts: Buffer[] = [];
  incoming.on('data', (part: Buffer) => parts.push(part));
  incoming.on('end', () => {
    incoming.body = JSON.parse(Buffer.concat(parts).toString());
    next();
  });
};
const rewrite =
  (from: string, to: string): Middleware =>
  (incoming, _, next) => {
    incoming.url = incoming.url?.replace(from, to) ?? '/';
    next();
  };

const session = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };

describe('what is the helper’s is found', () => {
  test.each<[string, string, Partial<HelperOptions>, (helper: NodeHelper) => Middleware[]]>([
    ['as a plain middleware', '/porchlight', {}, ({ listener }) => [listener]],
    [
      'mounted by Express at its base path',
      '/porchlight',
      {},
      (helper) => [mountExpress('/porchlight', helper)],
    ],
    [
      'at the root of where Express mounts it',
      '/chat',
      { basePath: '/' },
      (helper) => [mountExpress('/chat', helper)],
    ],
    [
      'at the root of where Connect mounts it',
      '/chat',
      { basePath: '/' },
      (helper) => [mountConnect('/chat', helper)],
    ],
    [
      'mounted by Connect at its base path',
      '/porchlight',
      {},
      (helper) => [mountConnect('/porchlight', helper)],
    ],
    [
      'by Connect, after a middleware that cuts a prefix off',
      '/v2/porchlight',
      {},
      ({ listener }) => [rewrite('/v2', ''), listener],
    ],
    [
      'in a router of Express',
      '/shop/porchlight',
      { basePath: '/shop/porchlight' },
      (helper) => [mountExpress('/shop', helper)],
    ],
    [
      'after a middleware that rewrites',
      '/v2/chat',
      {},
      ({ listener }) => [rewrite('/v2/chat', '/porchlight'), listener],
    ],
  ])('%s', async (_, path, options, toMiddlewares) => {
    const { helper, lines } = create(options);
    const ask = await serve(...toMiddlewares(helper));
    expect((await ask(`${path}/healthz?a=1`)).status).toBe(200);
    expect((await ask(`${path}/session`, session)).status).toBe(200);
    expect(lines).toEqual([]);
  });
});

describe('what is not the helper’s reaches the host as it came', () => {
  test.each([
    '/healthz',
    '/readyz',
    '/',
    '/porchlights',
    '/porchligh',
    '/cart?x=/porchlight/',
    '/a/porchlight/session',
  ])('%s', async (path) => {
    const { helper } = create();
    const response = await (await serve(helper.listener))(path);
    expect([response.headers.get('x-host'), await response.text()]).toEqual(['yes', `host: ${path}`]);
  });

  test('under a router, with the url that the router gave', async () => {
    const { helper } = create({ basePath: '/shop/porchlight' });
    const ask = await serve(mountExpress('/shop', helper));
    expect(await (await ask('/shop/cart')).text()).toBe('host: /shop/cart');
  });

  test('after a middleware that rewrites, with what it wrote', async () => {
    const { helper } = create();
    const ask = await serve(rewrite('/en/', '/'), helper.listener);
    expect(await (await ask('/en/cart')).text()).toBe('host: /cart');
  });
});

test('after a body parser the helper still answers, and says once that signed webhooks may not', async () => {
  const { helper, lines } = create();
  const ask = await serve(parseJson, helper.listener);
  for (let times = 0; times < 2; times += 1)
    expect((await ask('/porchlight/session', session)).status).toBe(200);
  expect((await ask('/porchlight/session', { ...session, body: '{"unknown":1}' })).status).toBe(400);
  expect(lines).toEqual([
    'a body parser runs before the helper: mount the helper first, or signed webhooks may be refused',
  ]);
});

test.each([
  ['text', (bytes: Buffer) => bytes.toString()],
  ['bytes', (bytes: Buffer) => new Uint8Array(bytes)],
  ['a Buffer', (bytes: Buffer) => bytes],
])('a parser that keeps what came as %s leaves the helper all it needs', async (_, keep) => {
  const { helper, lines } = create();
  const ask = await serve(parseKeeping(keep), helper.listener);
  expect((await ask('/porchlight/session', session)).status).toBe(200);
  expect(lines).toEqual([]);
});

test('a body that somebody else has read is a fault of the mounting, and said to be', async () => {
  const { helper, lines } = create();
  const swallow: Middleware = (incoming, _, next) => void incoming.resume().on('end', next);
  const ask = await serve(swallow, helper.listener);
  expect((await ask('/porchlight/session', session)).status).toBe(400);
  expect(lines).toEqual([
    'a request’s body was read before the helper: mount the helper before what reads it',
  ]);
});

test('a mount path that the base path does not begin with is said once, since no request can arrive', async () => {
  const { helper, lines } = create();
  const ask = await serve(mountExpress('/chat', helper));
  for (let times = 0; times < 3; times += 1)
    expect((await ask('/chat/session', session)).headers.get('x-host')).toBe('yes');
  expect(lines).toEqual([
    'the helper is mounted at a path that basePath does not begin with: make them the same',
  ]);
});

test('where nobody gave a log, a faulty mounting is told in the console', async () => {
  const { helper } = create({ log: undefined } as object);
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  closing.push(async () => warn.mockRestore());
  const ask = await serve(mountExpress('/chat', helper));
  await ask('/chat/session', session);
  expect(warn.mock.calls).toEqual([[expect.stringMatching(/^porchlight: the helper is mounted at/), {}]]);
});

test('without a host behind it the helper answers everything', async () => {
  const { helper } = create();
  const server = createServer((incoming, response) => helper.listener(incoming, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  const { port } = server.address() as AddressInfo;
  const status = (path: string) =>
    new Promise((resolve) =>
      request({ port, path, agent: false }, (response) => resolve(response.resume().statusCode)).end(),
    );
  expect([await status('/'), await status('/porchlight/healthz'), await status('//')]).toEqual([
    404, 200, 404,
  ]);
});
