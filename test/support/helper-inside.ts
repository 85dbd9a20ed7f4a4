/** A helper in the test's own process, over a store of the test's: for moments that no other process can be held at. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSocketDispatch } from '../../server-helper/agent/dispatch-sockets.ts';
import type { Dispatch } from '../../server-helper/agent/http.ts';
import { createHelper } from '../../server-helper/handler.ts';
import type { HelperOptions } from '../../server-helper/index.ts';
import { createNodeHelper } from '../../server-helper/node.ts';
import { secrets, target } from './helper-process.ts';

export function startInside(
  agentUrl: string,
  options: Pick<
    HelperOptions,
    | 'store'
    | 'workspace'
    | 'ssoSecret'
    | 'challenge'
    | 'tools'
    | 'attachments'
    | 'log'
    | 'limits'
    | 'trustedProxies'
  >,
) {
  const { dispatch, close } = createSocketDispatch();
  const helper = createHelper(
    { agentUrl, apiKey: secrets.apiKey, ...target, limits: 'off', ...options },
    { dispatch: spoil(dispatch) },
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
    fetch: helper.fetch,
    /** A file, as it is. */
    upload: (session: string, path: string, name: string, body: Buffer) =>
      helper.fetch(
        new Request(`http://helper.test/porchlight${path}?name=${encodeURIComponent(name)}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${session}`, 'content-type': 'application/octet-stream' },
          body: new Uint8Array(body),
        }),
      ),
    /** A guest's. */
    async openSession(): Promise<string> {
      const reply = await send('', 'POST', '/session', {});
      return ((await reply.json()) as { session: string }).session;
    },
    /** Its connections to the agent stay open. */
    close: helper.close,
    /** @param withinMs for its turns to end */
    async stop(withinMs?: number) {
      await helper.close(withinMs);
      await close();
    },
  };
}

/** What was read is another answer's a moment later: whoever keeps it shows that. */
function spoil(dispatch: Dispatch): Dispatch {
  return (request, exchange) =>
    dispatch(request, {
      onStart: (status, header) => exchange.onStart(status, header),
      onData(bytes) {
        const own = Uint8Array.from(bytes);
        exchange.onData(own);
        own.fill(0x78);
      },
      onEnd: () => exchange.onEnd(),
      onError: (cause) => exchange.onError(cause),
    });
}

/** The same in a server of its own, for a browser. The agent is not there. */
export async function startListening(options: Pick<HelperOptions, 'store' | 'adminPassword'>) {
  const helper = createNodeHelper({
    agentUrl: 'http://127.0.0.1:9',
    apiKey: secrets.apiKey,
    ...target,
    ...options,
  });
  const server = createServer(helper.listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    botId: target.botId,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      await helper.close(0);
      server.closeAllConnections();
      server.close();
    },
  };
}
