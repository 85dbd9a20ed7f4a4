/** The built bundle as it is served: what may be kept, and what a page asks for that was loaded before an upgrade. */
import { expect, test, vi } from 'vitest';
import type { Exchange } from '../../server-helper/routes/exchange.ts';
import { getWidgetFile, type WidgetFile } from '../../server-helper/routes/widget.ts';

const toFile = (text: string, etag?: string): WidgetFile => ({
  type: 'text/javascript; charset=utf-8',
  bytes: new TextEncoder().encode(text),
  ...(etag !== undefined && { etag }),
});
const files = new Map([
  ['loader.js', toFile('loader', 'W/"one"')],
  ['loader-Abcdefgh.js', toFile('loader')],
  ['app-Abcdefgh.js', toFile('app')],
  ['seldom-Abcdefgh.js', toFile('note')],
]);
const get = (file: string, headers: Record<string, string> = {}) =>
  getWidgetFile(files, {
    params: { file },
    request: new Request(`http://site.test/porchlight/widget/${file}`, { headers }),
  } as unknown as Exchange);

test('a file with a hash in its name never changes', async () => {
  const response = get('app-Abcdefgh.js');
  expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(await response.text()).toBe('app');
});

test('the alias is asked for anew at each page, and sent anew when it has changed', async () => {
  const { headers } = get('loader.js');
  expect([headers.get('cache-control'), headers.get('etag')]).toEqual(['no-cache', 'W/"one"']);
  const again = get('loader.js', { 'if-none-match': 'W/"one"' });
  expect([again.status, await again.text()]).toEqual([304, '']);
  expect(get('loader.js', { 'if-none-match': 'W/"before"' }).status).toBe(200);
});

test.each([
  ['app-12345678.js', './app-Abcdefgh.js'],
  ['seldom-12345678.js', './seldom-Abcdefgh.js'],
])('%s of another build stands for the one that is there, for now', async (name, current) => {
  const reply = get(name);
  expect([reply.status, await reply.text()]).toEqual([200, `export * from '${current}';`]);
  expect(reply.headers.get('cache-control')).toBe('no-store');
  expect(reply.headers.get('content-type')).toMatch(/^text\/javascript/);
  expect(reply.headers.get('access-control-allow-origin')).toBe('*');
});

test.each(['loader-12345678.js', 'history-12345678.js', 'app-12345678.css', 'app'])(
  '%s is not found',
  (name) => {
    expect(() => get(name)).toThrow(expect.objectContaining({ code: 'not-found' }));
  },
);

test.each([
  ['gzip, deflate, br', 'br'],
  ['br;q=0.5', 'br'],
  ['gzip, br;q=0', null],
  ['gzip, br; q=0.0, deflate', null],
  ['gzip', null],
])('who accepts %s is answered in %s', (accepted, encoding) => {
  const file = { ...toFile('loader'), brotli: new Uint8Array(1) };
  const request = new Request('https://shop.test/', { headers: { 'accept-encoding': accepted } });
  const exchange = { params: { file: 'loader.js' }, request } as unknown as Parameters<
    typeof getWidgetFile
  >[1];
  const response = getWidgetFile(new Map([['loader.js', file]]), exchange);
  expect(response.headers.get('content-encoding')).toBe(encoding);
});

test('a bundle that could not be read once is read again for the next page', async () => {
  const read = vi.fn();
  vi.doMock('../../server-helper/widget-bundle.ts', () => {
    read();
    if (read.mock.calls.length === 1) throw new Error('too many open files');
    return { files: [{ name: 'loader.js', text: 'loader' }] };
  });
  const { loadWidgetFiles } = await import('../../server-helper/widget-files.ts');
  await expect(loadWidgetFiles()).rejects.toThrow();
  vi.resetModules();
  expect([...(await loadWidgetFiles()).keys()]).toEqual(['loader.js']);
  expect(read).toHaveBeenCalledTimes(2);
});
