/** A whole visit, from the session to erasing all, to a helper in this process whose store may fail at any call. */
import { createHmac, randomUUID } from 'node:crypto';
import { createSocketDispatch } from '../../server-helper/agent/dispatch-sockets.ts';
import { createHelper } from '../../server-helper/handler.ts';
import type { SiteTool } from '../../server-helper/index.ts';
import { signSsoToken } from '../../server-helper/mint.ts';
import type { ConversationReply, TurnEventKind } from '../../server-helper/protocol/wire.ts';
import type { Store } from '../../server-helper/store/store.ts';
import type { FakeAgent } from './fake-agent.ts';
import { pause, secrets, target } from './helper-process.ts';
import { makePause, pauseWith, resumeWith } from './pause.ts';

export type Told = { kind: TurnEventKind; data: { message?: { text: string; status: string } } };
export type AskedTurn = { conversationId: string; turnId: string; question: string; ends: Told[] };
type Body = Record<string, unknown>;

const tries = 2;
/** By then the helper has looked for turns that nobody runs. */
export const afterALookMs = 1_300;

/** @param retryMs so long a visitor waits before trying again */
export async function startVisit(agent: FakeAgent, store: Store, retryMs = 0) {
  const { dispatch, close } = createSocketDispatch();
  const events: unknown[] = [];
  /** The site's own tools, by each time that they were run. */
  const ran: string[] = [];
  const toTool = (name: string, approval: 'always' | 'never'): SiteTool => ({
    description: name,
    parameters: { type: 'object' },
    approval,
    run: () => void ran.push(name),
  });
  const helper = createHelper(
    {
      agentUrl: agent.url,
      apiKey: secrets.apiKey,
      ...target,
      ssoSecret: secrets.ssoSecret,
      webhookSecret: secrets.webhookSecret,
      onAgentEvent: (event) => void events.push(event),
      tools: { order_status: toTool('order_status', 'always'), stock: toTool('stock', 'never') },
      limits: 'off',
      store,
    },
    { dispatch },
  );
  let session = '';
  const turns: AskedTurn[] = [];
  const deleted = new Set<string>();

  const send = async (
    method: string,
    path: string,
    body?: Body | string,
    headers: Record<string, string> = {},
  ) => {
    const init: RequestInit = { method, headers: { authorization: `Bearer ${session}`, ...headers } };
    if (body !== undefined) {
      init.headers = { 'content-type': 'application/json', ...(init.headers as object) };
      init.body = typeof body === 'string' ? body : JSON.stringify(body);
    }
    return helper.fetch(new Request(`http://helper.test/porchlight${path}`, init));
  };
  /** As a visitor does who is told that something went wrong: once more. */
  const insist = async (
    method: string,
    path: string,
    body?: Body | string,
    headers?: Record<string, string>,
  ) => {
    for (let left = tries; ; left -= 1) {
      const response = await send(method, path, body, headers);
      if (response.status < 500 || left === 1) return response;
      if (retryMs > 0) await pause(retryMs);
    }
  };
  const open = async (body: Body) => {
    const response = await insist('POST', '/session', body);
    if (response.ok) ({ session } = (await response.json()) as { session: string });
  };
  /** Reads a turn's stream; an end is kept with its turn. */
  const read = async (
    response: Response,
    turn: AskedTurn,
    onText?: () => Promise<unknown>,
  ): Promise<void> => {
    if (response.status !== 200 || !response.body) return;
    const decoder = new TextDecoder();
    let text = '';
    let called = false;
    for await (const bytes of response.body) {
      text += decoder.decode(bytes, { stream: true });
      if (called || !text.includes('text-delta')) continue;
      called = true;
      await onText?.();
    }
    for (const [, kind, data] of text.matchAll(/event: (turn-(?!started)[a-z]+)\ndata: (.*)\n/g))
      turn.ends.push({ kind, data: JSON.parse(String(data)) } as Told);
  };
  const toPath = ({ conversationId, turnId }: AskedTurn) =>
    `/conversations/${conversationId}/turns/${turnId}`;
  const ask = async (
    conversationId: string,
    more: Body = {},
    onText?: (turn: AskedTurn) => Promise<unknown>,
  ) => {
    const turn: AskedTurn = {
      conversationId,
      turnId: randomUUID(),
      question: `Why ${randomUUID()}?`,
      ends: [],
    };
    turns.push(turn);
    const body = { text: turn.question, ...more };
    for (let left = tries; left > 0 && turn.ends.length === 0; left -= 1)
      await read(await insist('PUT', toPath(turn), body), turn, onText && (() => onText(turn)));
    agent.dropScripts();
    return turn;
  };
  const history = async (conversationId: string) => {
    const response = await send('GET', `/conversations/${conversationId}`);
    return response.ok ? ((await response.json()) as ConversationReply) : undefined;
  };

  return {
    helper,
    turns,
    deleted,
    events,
    ran,
    ask,
    history,
    send,
    async run() {
      await open({});
      const guestSession = session;
      const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()];
      const greeting = await ask(first);
      agent.nextChat(pauseWith(makePause({ name: 'order_status', parameters: { orderNumber: 'A-1' } })));
      const paused = await ask(first);
      agent.nextResume(resumeWith('It left.'));
      await insist('POST', `${toPath(paused)}/decision`, { decision: 'approve' });
      await read(await insist('GET', toPath(paused)), paused);
      const stock = makePause({ name: 'stock', parameters: {} });
      agent.nextChat(pauseWith({ ...stock, executionId: 'exec_2_5b' }));
      agent.nextResume(resumeWith('It is there.'));
      await ask(first);
      agent.nextChat(async (answer) => {
        answer.recordQuestion();
        answer.open();
        answer.event('delta', { text: 'Never ' });
        await Promise.race([answer.cancelled, answer.closed]);
        answer.recordReply('Never more');
        answer.end();
      });
      const stopped = await ask(first, {}, (turn) => insist('DELETE', toPath(turn)));
      await ask(first, { replaces: stopped.turnId });
      await insist('PATCH', `/conversations/${first}`, { title: 'Renamed' });
      await insist('PUT', `/conversations/${first}/messages/${greeting.turnId}.agent/vote`, { vote: 'up' });
      await ask(second);
      if ((await insist('DELETE', `/conversations/${second}`)).status === 204) deleted.add(second);
      const event = JSON.stringify({ event: 'subscriber.joined', resource_id: randomUUID() });
      const signature = createHmac('sha256', secrets.webhookSecret).update(event).digest('hex');
      await insist('POST', '/webhooks/agent', event, { 'x-service-signature': signature });
      const email = `${randomUUID()}@shop.test`;
      await open({ ssoToken: await signSsoToken({ email }, secrets.ssoSecret), session: guestSession });
      await ask(third);
      await insist('GET', '/conversations');
      await insist('GET', '/visitor');
    },
    /** What comes after the last look at what was said. */
    erase: () => insist('DELETE', '/visitor'),
    async close() {
      await helper.close(0);
      await close();
    },
  };
}
