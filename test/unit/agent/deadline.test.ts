/** What is asked of others ends in time, also where memory is cleared meanwhile. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { withDeadline } from '../../../demo/agent/deadline.ts';

setFlagsFromString('--expose-gc');
const clear = runInNewContext('gc') as () => void;
const { signal } = new AbortController();

test('one that never answers is given up', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await new Promise((resolve) => silent.once('listening', resolve));
  const { port } = silent.address() as AddressInfo;
  const clearing = setInterval(clear, 20);
  const asked = withDeadline(signal, 300, (limit) => fetch(`http://127.0.0.1:${port}/`, { signal: limit }));
  await expect(asked).rejects.toMatchObject({ name: 'TimeoutError' });
  clearInterval(clearing);
  silent.closeAllConnections();
  silent.close();
});

test('who asks may give up before', async () => {
  const asking = new AbortController();
  const wait = (limit: AbortSignal) =>
    new Promise((_, reject) => limit.addEventListener('abort', () => reject(limit.reason)));
  const asked = withDeadline(asking.signal, 60_000, wait);
  asking.abort(new Error('enough'));
  await expect(asked).rejects.toThrow('enough');
  let isAborted = false;
  await withDeadline(asking.signal, 60_000, async (limit) => {
    isAborted = limit.aborted;
  });
  expect(isAborted).toBe(true);
});

test('what is in time is not ended afterwards', async () => {
  let given: AbortSignal | undefined;
  await withDeadline(signal, 20, async (limit) => {
    given = limit;
  });
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(given!.aborted).toBe(false);
});
