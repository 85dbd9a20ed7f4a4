// @vitest-environment happy-dom
/** One call to the helper: what is no answer of it, whatever its status says, is none. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { callHelper } from '../../widget/transport/http.ts';

let reply: Response;
beforeEach(() => {
  vi.stubGlobal('fetch', async () => reply);
  vi.stubGlobal('origin', 'https://shop.test');
  vi.spyOn(console, 'error').mockImplementation(() => {});
});
afterEach(() => vi.unstubAllGlobals());

const call = (method: 'DELETE' | 'PATCH' | 'PUT') =>
  callHelper('https://shop.test/porchlight', { method, path: '/conversations/1' });

test.each(['DELETE', 'PATCH', 'PUT'] as const)(
  'the page of a portal, or of a site that has one for every address, is no %s that was done',
  async (method) => {
    reply = new Response('<!doctype html>', { headers: { 'content-type': 'text/html; charset=utf-8' } });
    await expect(call(method)).rejects.toMatchObject({ code: 'bad-stream' });
  },
);

test('what the helper says is done is', async () => {
  reply = new Response(null, { status: 204 });
  expect((await call('DELETE')).status).toBe(204);
});
