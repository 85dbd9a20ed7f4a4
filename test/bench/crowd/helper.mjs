/** The helper of `measure.mjs`, in a process of its own, so that its heap is its own. */
import { once } from 'node:events';
import { createHelper } from '../../../dist/server-helper/index.js';
import { createSqliteStore } from '../../../dist/server-helper/sqlite.js';

const [{ levels, store, agentUrl }] = await once(process, 'message');
const base = 'https://shop.test/porchlight';
const helper = createHelper({
  agentUrl,
  apiKey: 'k',
  projectId: 'p',
  botId: 'b',
  store: createSqliteStore(store),
  trustedProxies: 1,
});

const toAddress = (number) => `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
let refused = 0;
async function call(address, method, path, session) {
  const headers = { 'x-forwarded-for': address, 'content-type': 'application/json' };
  if (session) headers.authorization = `Bearer ${session}`;
  const body = method === 'POST' ? '{}' : undefined;
  const response = await helper.fetch(new Request(base + path, { method, headers, body }), {
    address: '127.0.0.1',
  });
  if (!response.ok) refused += 1;
  return response.json();
}

let come = 0;
for (const addresses of levels) {
  for (; come < addresses; come += 1) {
    const { session } = await call(toAddress(come), 'POST', '/session');
    await call(toAddress(come), 'GET', '/conversations', session);
  }
  globalThis.gc();
  globalThis.gc();
  process.send({ addresses, heapMb: process.memoryUsage().heapUsed / 1e6, refused });
}
await helper.close();
process.disconnect();
