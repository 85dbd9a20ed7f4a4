/** A scriptable agent service over real HTTP that records every call; each test says how the next chat is answered. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AgentCall, FakeAnswer, type RecordedMessage } from './fake-answer.ts';
import { createGate } from './gate.ts';

export type Script = (answer: FakeAnswer) => void | Promise<void>;
export type Route = (call: AgentCall, response: ServerResponse) => void | Promise<void>;
/** @param usual what would answer without it */
type Override = (call: AgentCall, response: ServerResponse, usual: Route) => void | Promise<void>;

export type FakeAgent = Awaited<ReturnType<typeof startFakeAgent>>;

const maxPerPage = 100;

export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

/** What the agent says when no test told it otherwise: two words, streamed, recorded. */
export const plainAnswer: Script = (answer) => {
  answer.open();
  answer.event('start', { chat_id: answer.chatId, message_id: randomUUID() });
  answer.event('delta', { text: 'Hello ' });
  answer.event('delta', { text: 'there.' });
  answer.done('Hello there.');
};

/** @param port of an agent that comes back; default any free one */
export async function startFakeAgent(port = 0) {
  const calls: AgentCall[] = [];
  const chatScripts: Script[] = [];
  const resumeScripts: Script[] = [];
  const records = new Map<string, RecordedMessage[]>();
  const streaming = new Map<string, Script>();
  const live = new Map<string, FakeAnswer>();
  const overrides = new Map<string, Override>();
  /** Of its replies' Date header. */
  let aheadMs = 0;

  const answerWith = (script: Script) => async (call: AgentCall, response: ServerResponse) => {
    const answer = new FakeAnswer(call, response, records);
    live.set(answer.chatId, answer);
    await script(answer);
  };
  const readRecord: Route = ({ query }, response) => {
    const all = records.get(query.chat_id ?? '') ?? [];
    const page = Number(query.page ?? 1);
    const per_page = Math.min(maxPerPage, Number(query.per_page ?? 10));
    const pagination = { page, per_page, total: all.length, total_pages: Math.ceil(all.length / per_page) };
    const conversation = all.slice((page - 1) * per_page, page * per_page);
    sendJson(response, { total: all.length, conversation, pagination });
  };
  const succeed: Route = (_, response) => sendJson(response, { success: true, message: 'done' });

  const routes: Record<string, Route> = {
    'POST /v1/bot/chat': (call, response) => answerWith(chatScripts.shift() ?? plainAnswer)(call, response),
    'POST /v1/bot/chat/execute-tool': (call, response) =>
      answerWith(resumeScripts.shift() ?? plainAnswer)(call, response),
    'POST /v1/bot/chat/cancel': (call, response) => {
      live.get(String(call.body.chat_id))?.cancel();
      return succeed(call, response);
    },
    'GET /v1/bot/chat/read': readRecord,
    'GET /v1/bot/chat/stream-status': ({ query }, response) =>
      sendJson(response, { streaming: streaming.has(query.chat_id ?? '') }),
    'GET /v1/bot/chat/subscribe': (call, response) => {
      const script = streaming.get(call.query.chat_id ?? '');
      if (!script) return sendJson(response, { error: 'no such stream' }, 404);
      return answerWith(script)(call, response);
    },
    'GET /v1/bot/read': (_, response) =>
      sendJson(response, {
        bot: {
          uuid: 'bot',
          name: 'Wren',
          branding: { placeholder: 'Ask Wren', conversation_starters: ['Opening hours?'], theme: 'dark' },
        },
      }),
    'POST /v1/bot/workspace/create': (_, response) =>
      sendJson(response, { workspace: { uuid: `workspace-${randomUUID()}` } }, 201),
    'POST /v1/bot/widget/sso': ({ body }, response) => {
      const payload = Buffer.from(String(body.token).split('.')[1] ?? '', 'base64url').toString();
      const { email, external_id = email } = JSON.parse(payload) as Record<string, string>;
      sendJson(response, { member_id: `member-of-${external_id}`, subscriber: { email } });
    },
    'DELETE /v1/bot/chat/delete': (call, response) => {
      records.delete(call.query.chat_id ?? '');
      return succeed(call, response);
    },
    'PUT /v1/bot/chat/rename': succeed,
    'PUT /v1/bot/chat/mode': succeed,
    'PUT /v1/bot/chat/message/vote': succeed,
    'DELETE /v1/bot/chat/message/delete': ({ body }, response) => {
      const all = records.get(String(body.chat_id)) ?? [];
      const at = all.findIndex((message) => message.uuid === body.message_id);
      if (at >= 0) all.splice(at, body.truncate === true ? all.length : 1);
      sendJson(response, { success: true, message: 'done' });
    },
  };

  const server = createServer((request, response) => {
    // A helper that hangs up in the middle is what many tests are about.
    response.on('error', () => {});
    if (aheadMs !== 0) response.setHeader('date', new Date(Date.now() + aheadMs).toUTCString());
    readCall(request)
      .then((call) => {
        calls.push(call);
        const name = `${call.method} ${call.path}`;
        const usual = routes[name] ?? ((_, reply) => sendJson(reply, { error: 'no such route' }, 404));
        const route = overrides.get(name) ?? usual;
        return route(call, response, usual);
      })
      .catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const { port: boundPort } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${boundPort}`,
    port: boundPort,
    /** All calls, oldest first. */
    calls,
    /** The agent's record, by chat_id. */
    records,
    /** Running replies by chat_id: how each is told to those who subscribe. */
    streaming,
    callsTo: (name: string) => calls.filter((call) => `${call.method} ${call.path}` === name),
    /** Chat calls that asked exactly this. */
    chatsAbout: (message: string) =>
      calls.filter((call) => call.path === '/v1/bot/chat' && call.body.message === message),
    nextChat: (script: Script) => void chatScripts.push(script),
    nextResume: (script: Script) => void resumeScripts.push(script),
    /** What was meant for a question that was never asked is not said to the next one. */
    dropScripts: () => {
      chatScripts.length = 0;
      resumeScripts.length = 0;
    },
    /** Its clock is so far ahead, as its replies say. */
    shiftClock: (ms: number) => {
      aheadMs = ms;
    },
    /** Answers a route this way, until `restore`. */
    override: (name: string, route: Override) => void overrides.set(name, route),
    restore: (name: string) => void overrides.delete(name),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readCall(request: IncomingMessage): Promise<AgentCall> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString();
  const url = new URL(request.url ?? '/', 'http://agent');
  return {
    method: request.method ?? '',
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: request.headers,
    body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
  };
}

/** Somebody deletes this workspace there. */
export function loseWorkspace(agent: FakeAgent, gone: unknown): void {
  agent.override('POST /v1/bot/chat', (call, response, usual) =>
    call.body.workspace_uuid === gone
      ? sendJson(response, { error: { code: 'workspace_not_found', message: 'No such workspace.' } }, 404)
      : usual(call, response),
  );
}

/** The next answer says `One `, then waits until the gate is open. */
export function answerInTwoParts(agent: FakeAgent): ReturnType<typeof createGate> {
  const gate = createGate();
  agent.nextChat(async (answer) => {
    answer.open();
    answer.event('delta', { text: 'One ' });
    await gate.opened;
    answer.event('delta', { text: 'two.' });
    answer.done('One two.');
  });
  return gate;
}
