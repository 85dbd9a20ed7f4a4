/** One call to the helper: what is no answer of it, whatever its status says, is none. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { toWidgetError } from '../../widget/errors.ts';
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

/** A reply whose headers are there and whose body never ends, as fetch gives it: its reader is told why it was given up. */
const stall = (type: string, signal: AbortSignal) =>
  new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"id":'));
        signal.addEventListener('abort', () => controller.error(signal.reason));
      },
    }),
    { headers: { 'content-type': type } },
  );

test.each([
  ['application/json', '/conversations/1', true],
  ['text/event-stream', '/conversations/1/turns/2', false],
  ['application/json', '/visitor', false],
])(
  'a reply of %s to %s whose body stalls is given up after half a minute: %s',
  async (type, path, isGivenUp) => {
    vi.useFakeTimers();
    vi.stubGlobal('fetch', async (_: string, { signal }: { signal: AbortSignal }) => stall(type, signal));
    const response = await callHelper('https://shop.test/porchlight', { method: 'GET', path });
    const ended = vi.fn();
    response.text().catch(ended);
    await vi.advanceTimersByTimeAsync(29_000);
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(600_000);
    vi.useRealTimers();
    if (isGivenUp) expect(toWidgetError(ended.mock.calls[0]?.[0]).code).toBe('unreachable');
    else expect(ended).not.toHaveBeenCalled();
  },
);
