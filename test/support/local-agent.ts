/** An agent in this process: routes answer as values, without a socket, and every call is kept. */
import { randomUUID } from 'node:crypto';
import type { Dispatch, Outgoing } from '../../server-helper/agent/http.ts';
import { createHelper, type Helper } from '../../server-helper/handler.ts';
import type { HelperOptions } from '../../server-helper/index.ts';
import type { SessionReply } from '../../server-helper/protocol/wire.ts';
import { signJwt } from './visitor.ts';

export const ssoSecret = 'sso-secret-8c1f04b7d2e95a6390fb17c4';
const base = 'https://shop.test/porchlight';

/** A JSON body of 200; a number is a status without one; `undefined` is a connection that is refused. */
type Answer = object | number | undefined;
type Routes = Record<string, (call: Outgoing) => Answer | Promise<Answer>>;

const messages = Array.from({ length: 100 }, (_, index) => ({
  uuid: `m-${index}`,
  role: index % 2 ? 'system' : 'user',
  content: 'x',
  created_at: '2026-01-01T00:00:00Z',
}));

export function createLocalAgent() {
  const calls: string[] = [];
  /** Of every reply, beside its content type. */
  const headers: Record<string, string> = {};
  const routes: Routes = {
    'GET /v1/bot/read': () => ({ bot: { name: 'Wren' } }),
    'GET /v1/bot/chat/read': () => ({ total: messages.length, conversation: messages }),
    'POST /v1/bot/workspace/create': () => ({ workspace: { uuid: randomUUID() } }),
    'POST /v1/bot/chat': () => ({ chat: { reply: 'Hello.', agent: { uuid: randomUUID() } } }),
    'POST /v1/bot/widget/sso': () => ({ member_id: 'member-1' }),
  };
  const answer = async (call: Outgoing, exchange: Parameters<Dispatch>[1]) => {
    const name = `${call.method} ${call.url.pathname}`;
    calls.push(name);
    const route = routes[name];
    const reply = await (route ? route(call) : {});
    if (reply === undefined) return exchange.onError();
    const [status, body] = typeof reply === 'number' ? [reply, {}] : [200, reply];
    exchange.onStart(status, (header) => (header === 'content-type' ? 'application/json' : headers[header]));
    exchange.onData(new TextEncoder().encode(JSON.stringify(body)));
    exchange.onEnd();
  };
  const dispatch: Dispatch = (call, exchange) => {
    void answer(call, exchange);
    return { abort() {} };
  };
  return {
    calls,
    routes,
    headers,
    dispatch,
    callsTo: (name: string) => calls.filter((call) => call === name),
  };
}

/** A helper in this process that relays to it; limits are off unless said otherwise. */
export function startLocal(
  options: Pick<HelperOptions, 'store'> & Partial<HelperOptions>,
  agent = createLocalAgent(),
) {
  const target = { agentUrl: 'https://agent.test', apiKey: 'k', projectId: 'p', botId: 'b' };
  const helper = createHelper(
    { ...target, ssoSecret, limits: 'off', ...options },
    { dispatch: agent.dispatch },
  );
  return { agent, helper, ...toClient(helper) };
}

export function toClient(helper: Pick<Helper, 'fetch'>) {
  const call = (method: string, path: string, body?: unknown, session?: string): Promise<Response> =>
    helper.fetch(
      new Request(base + path, {
        method,
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(session === undefined ? {} : { authorization: `Bearer ${session}` }),
        },
        body: body === undefined ? null : JSON.stringify(body),
      }),
    );
  return {
    call,
    async signIn(body: object = {}): Promise<string> {
      const response = await call('POST', '/session', body);
      if (response.status !== 200) throw new Error(`no session: ${response.status}`);
      return ((await response.json()) as SessionReply).session;
    },
    /** Asks in a new conversation and waits for the end of the answer; gives the conversation's id. */
    async ask(session: string): Promise<string> {
      const id = randomUUID();
      const response = await call(
        'PUT',
        `/conversations/${id}/turns/${randomUUID()}`,
        { text: 'Hi' },
        session,
      );
      if (response.status !== 200) throw new Error(`not asked: ${response.status}`);
      await response.text();
      return id;
    },
  };
}

export function makeToken(claims: Record<string, unknown> = {}): string {
  const iat = Math.floor(Date.now() / 1000);
  return signJwt({ email: 'ada@shop.test', iat, exp: iat + 600, ...claims }, ssoSecret);
}
