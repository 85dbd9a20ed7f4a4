/** The mounts with an entry of their own, beside the frameworks themselves: how often the options are read, and when a helper ends. */
import { expect, onTestFinished, test, vi } from 'vitest';
import type { HelperOptions } from '../../server-helper/index.ts';
import { porchlight } from '../../server-helper/mount/fastify.ts';
import { createRoute } from '../../server-helper/mount/next.ts';
import { createMemoryStore } from '../../server-helper/store/memory.ts';

const toOptions = (options: Partial<HelperOptions> = {}): HelperOptions => ({
  agentUrl: 'http://127.0.0.1:9',
  apiKey: 'k',
  projectId: 'p',
  botId: 'b',
  store: createMemoryStore(),
  log: { info: () => {}, warn: () => {}, error: () => {} },
  ...options,
});
type Route = ReturnType<typeof createRoute>;
const get = (route: Route, path: string) => route.GET(new Request(`http://shop.test${path}`));
const openSession = async (route: Route, path: string) => {
  const headers = { 'content-type': 'application/json' };
  return (await route.POST(new Request(`http://shop.test${path}`, { method: 'POST', headers, body: '{}' })))
    .status;
};

test('two routes of one Next app are two helpers', async () => {
  const sales = createRoute(() => toOptions({ basePath: '/sales' }));
  const support = createRoute(() => toOptions({ basePath: '/support' }));
  expect((await get(sales, '/sales/healthz')).status).toBe(200);
  expect((await get(support, '/support/healthz')).status).toBe(200);
  expect((await get(support, '/sales/healthz')).status).toBe(404);
});

test('in Next, options that are wrong are read once, and told with every request', async () => {
  const read = vi.fn(() => toOptions({ agentUrl: 'http://agent.example' }));
  const route = createRoute(read);
  for (let times = 0; times < 3; times += 1)
    await expect(get(route, '/porchlight/healthz')).rejects.toThrow(/^agentUrl must be https/);
  expect(read).toHaveBeenCalledTimes(1);
});

test('in Next, options that could not be read are read again, every five seconds at most', async () => {
  const clock = vi.spyOn(performance, 'now');
  const read = vi.fn(() => toOptions({ basePath: '/late' }));
  read.mockImplementationOnce(() => {
    throw new TypeError('store: late.db cannot be opened');
  });
  const route = createRoute(read);
  clock.mockReturnValue(1_000);
  await expect(get(route, '/late/healthz')).rejects.toThrow(/^store:/);
  clock.mockReturnValue(5_999);
  await expect(get(route, '/late/healthz')).rejects.toThrow(/^store:/);
  expect(read).toHaveBeenCalledTimes(1);
  clock.mockReturnValue(6_001);
  expect((await get(route, '/late/healthz')).status).toBe(200);
  clock.mockRestore();
});

test('in Next, a route that is compiled anew takes the place of the one before, which ends', async () => {
  const store = createMemoryStore();
  const close = vi.spyOn(store, 'close');
  const [before, now] = [createRoute(() => toOptions({ store })), createRoute(() => toOptions())];
  expect(await openSession(before, '/porchlight/session')).toBe(200);
  expect(await openSession(now, '/porchlight/session')).toBe(200);
  await vi.waitFor(() => expect(close).toHaveBeenCalled());
  expect(await openSession(before, '/porchlight/session')).toBe(200);
});

test('a slash behind the path, which Next and some proxies put there, changes nothing', async () => {
  const route = createRoute(() => toOptions({ basePath: '/slashed' }));
  expect(await openSession(route, '/slashed/session/')).toBe(200);
});

/** A Fastify app, as far as the plugin knows one. */
function createApp(pluginTimeout: number) {
  const hooks = new Map<string, () => Promise<void>>();
  const closeIdleConnections = vi.fn();
  return {
    hooks,
    addHook: (name: string, hook: unknown) => hooks.set(name, hook as () => Promise<void>),
    server: { listening: true, closeIdleConnections },
    initialConfig: { pluginTimeout },
  };
}

test('in Fastify the helper ends before the streams are waited for', async () => {
  const store = createMemoryStore();
  const close = vi.spyOn(store, 'close');
  const app = createApp(10_000);
  await porchlight(app, toOptions({ store }));
  await app.hooks.get('preClose')?.();
  // Some versions call it once for each plugin.
  await app.hooks.get('preClose')?.();
  expect(close).toHaveBeenCalledTimes(1);
  // What was kept open for the streams is not waited for.
  await vi.waitFor(() => expect(app.server.closeIdleConnections).toHaveBeenCalled());
});

test('a Fastify app over HTTP/2, whose server keeps no idle connections, is closed', async () => {
  const store = createMemoryStore();
  const close = vi.spyOn(store, 'close');
  const app = { ...createApp(10_000), server: { listening: true } };
  const faults: Error[] = [];
  const onFault = (fault: Error) => faults.push(fault);
  process.prependListener('uncaughtException', onFault);
  onTestFinished(() => void process.off('uncaughtException', onFault));
  await porchlight(app, toOptions({ store }));
  await app.hooks.get('preClose')?.();
  await app.hooks.get('onClose')?.();
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  expect(close).toHaveBeenCalledTimes(1);
  expect(faults).toEqual([]);
});

test('in Fastify a helper that takes long to end is waited for where no time limit fails the close', async () => {
  const store = createMemoryStore();
  let end = () => {};
  vi.spyOn(store, 'close').mockReturnValue(
    new Promise((resolve) => {
      end = resolve;
    }),
  );
  const app = createApp(40);
  await porchlight(app, toOptions({ store }));
  await app.hooks.get('preClose')?.();
  const closed = vi.fn();
  const closing = app.hooks.get('onClose')?.().then(closed);
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(closed).not.toHaveBeenCalled();
  end();
  await closing;
  expect(closed).toHaveBeenCalled();
});
