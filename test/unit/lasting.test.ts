/** Where no turn could go on without its reader, there is no helper. */
import { afterEach, expect, test, vi } from 'vitest';
import { createMemoryStore, signSsoToken } from '../../server-helper/index.ts';
import { requireLasting } from '../../server-helper/lasting.ts';
import { ssoSecret, startLocal } from '../support/local-agent.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

test.each([
  ['in Cloudflare Workers', { navigator: { userAgent: 'Cloudflare-Workers' } }],
  ['in an edge runtime', { EdgeRuntime: 'edge-runtime' }],
])('%s a helper is refused with the reason, and a token is signed', async (where, scope) => {
  for (const [name, value] of Object.entries(scope)) vi.stubGlobal(name, value);
  const start = () => startLocal({ store: createMemoryStore() });
  expect(start).toThrow(TypeError);
  expect(start).toThrow(`The helper cannot run ${where}: what runs there ends with its reply`);
  expect(await signSsoToken({ email: 'ada@shop.test' }, ssoSecret)).toMatch(/^e/);
});

test.each(['Node.js/22', 'Deno/2.6.0', 'Bun/1.3.2', 'Mozilla/5.0', undefined])(
  '%s is one that lasts',
  (userAgent) => {
    expect(() => requireLasting({ navigator: { userAgent } })).not.toThrow();
    expect(() => requireLasting({})).not.toThrow();
  },
);
