/** A helper in the test's own process, over a store of the test's: for moments that no other process can be held at. */
import { createUndiciDispatch } from '../../server-helper/agent/dispatch-undici.ts';
import { createHelper } from '../../server-helper/handler.ts';
import type { HelperOptions } from '../../server-helper/index.ts';
import { secrets, target } from './helper-process.ts';

export function startInside(
  agentUrl: string,
  options: Pick<
    HelperOptions,
    'store' | 'workspace' | 'ssoSecret' | 'challenge' | 'log' | 'limits' | 'trustedProxies'
  >,
) {
  const { dispatch, close } = createUndiciDispatch();
  const helper = createHelper(
    { agentUrl, apiKey: secrets.apiKey, ...target, limits: 'off', ...options },
    { dispatch },
  );
  const send = (
    session: string,
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ) =>
    helper.fetch(
      new Request(`http://helper.test/porchlight${path}`, {
        method,
        headers: { authorization: `Bearer ${session}`, 'content-type': 'application/json', ...headers },
        body: body ? JSON.stringify(body) : null,
      }),
    );
  return {
    send,
    /** A guest's. */
    async openSession(): Promise<string> {
      const reply = await send('', 'POST', '/session', {});
      return ((await reply.json()) as { session: string }).session;
    },
    async stop() {
      await helper.close();
      await close();
    },
  };
}
