/** The helper as a plain function from Request to Response, with fetch and web streams: what an edge runtime has. */
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { type StartedAgent, startAgent } from '../../demo/agent/start.ts';
import { createHelper, type Helper } from '../../server-helper/handler.ts';
import { createSseReader } from '../../server-helper/protocol/sse.ts';
import type { SessionReply } from '../../server-helper/protocol/wire.ts';
import { createMemoryStore } from '../../server-helper/store/memory.ts';

const origin = 'https://shop.example';
let agent: StartedAgent;
let helper: Helper;

beforeAll(async () => {
  const env = { AGENT_DB: ':memory:', AGENT_WORDS_PER_SECOND: '0', PORT: '0' };
  agent = await startAgent(env, { log: () => {}, print: () => {} });
  const { url: agentUrl, apiKey, projectId, botId } = agent;
  helper = createHelper({
    agentUrl,
    apiKey,
    projectId,
    botId,
    store: createMemoryStore(),
    origins: [origin],
  });
});
afterAll(async () => {
  await helper.close(0);
  await agent.close();
});

function ask(path: string, init: RequestInit = {}, session?: string): Promise<Response> {
  const headers: Record<string, string> = { origin, 'content-type': 'application/json' };
  if (session !== undefined) headers.authorization = `Bearer ${session}`;
  return helper.fetch(new Request(`${origin}/porchlight${path}`, { ...init, headers }));
}

async function readEvents(
  response: Response,
): Promise<{ kind: string | undefined; data: Record<string, unknown> }[]> {
  const events: { kind: string | undefined; data: Record<string, unknown> }[] = [];
  const reader = createSseReader(({ event, data }) => events.push({ kind: event, data: JSON.parse(data) }));
  for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) reader.push(bytes);
  return events;
}

test('a turn streams, is attached to again, and is told in history', async () => {
  const session = ((await (await ask('/session', { method: 'POST', body: '{}' })).json()) as SessionReply)
    .session;
  const conversation = `/conversations/${crypto.randomUUID()}`;
  const turn = `${conversation}/turns/${crypto.randomUUID()}`;
  const body = JSON.stringify({ text: 'How long does shipping take?' });
  const response = await ask(turn, { method: 'PUT', body }, session);
  expect(response.status).toBe(200);
  expect(response.headers.get('access-control-allow-origin')).toBe(origin);
  const events = await readEvents(response);
  expect(events[0]?.kind).toBe('turn-started');
  expect(events.at(-1)?.kind).toBe('turn-completed');
  expect(await readEvents(await ask(turn, {}, session))).toEqual(events);
  const { messages } = (await (await ask(conversation, {}, session)).json()) as {
    messages: { text: string }[];
  };
  expect(events.at(-1)).toMatchObject({ data: { message: { text: messages[1]?.text } } });
});

test('a reader that goes away costs the turn nothing', async () => {
  const session = ((await (await ask('/session', { method: 'POST', body: '{}' })).json()) as SessionReply)
    .session;
  const turn = `/conversations/${crypto.randomUUID()}/turns/${crypto.randomUUID()}`;
  const body = JSON.stringify({ text: 'What do you sell?' });
  const first = await ask(turn, { method: 'PUT', body }, session);
  await first.body?.cancel();
  const events = await readEvents(await ask(turn, {}, session));
  expect(events.at(-1)?.kind).toBe('turn-completed');
});

test.each([
  ['Bun', { address: { address: '127.0.0.1', family: 'IPv4', port: 7101 }, openStream: 'no' }],
  ['Deno', { remoteAddr: { hostname: '127.0.0.1' } }],
  ['Next', { params: Promise.resolve({}) }],
  ['nobody', null],
])('what %s hands over as a second argument is none of ours', async (_, given) => {
  const request = new Request(`${origin}/porchlight/session`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: '{}',
  });
  expect((await helper.fetch(request, given as never)).status).toBe(200);
});

test('the widget is served without a file system: the loader, and the app that it names', async () => {
  const load = (name: string) => ask(`/widget/${name}`, { method: 'GET' });
  const loader = await load('loader.js');
  expect([loader.status, loader.headers.get('content-type')]).toEqual([
    200,
    'text/javascript; charset=utf-8',
  ]);
  const { app } = (await (await load('manifest.json')).json()) as { app: string };
  expect(await loader.text()).toContain(app);
  const script = await load(app);
  expect([script.status, script.headers.get('cache-control')]).toEqual([
    200,
    'public, max-age=31536000, immutable',
  ]);
});

test('a body that something before the helper has read is a fault of the mounting, and says so', async () => {
  const { url: agentUrl, apiKey, projectId, botId } = agent;
  const lines: unknown[] = [];
  const note = (fields: unknown) => void lines.push(fields);
  const log = { info() {}, warn() {}, error: note };
  const mounted = createHelper({ agentUrl, apiKey, projectId, botId, store: createMemoryStore(), log });
  const headers = { 'content-type': 'application/json', host: 'shop.example' };
  const request = new Request(`${origin}/porchlight/session`, { method: 'POST', headers, body: '{}' });
  await request.json();
  const response = await mounted.fetch(request);
  const reason = 'A request’s body was read before the helper: mount the helper before what reads it';
  expect([response.status, (await response.json()).detail]).toEqual([500, reason]);
  expect(lines).toMatchObject([{ code: 'internal', reason }]);
  await mounted.close(0);
});

test('without a logger, what somebody has to see to is said on the console', async () => {
  const said = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => said.mockRestore());
  const { url: agentUrl, apiKey, projectId, botId } = agent;
  const mounted = createHelper({ agentUrl, apiKey, projectId, botId, store: createMemoryStore() });
  const headers = { 'content-type': 'application/json', host: 'shop.example' };
  await mounted.fetch(new Request(`${origin}/porchlight/session`, { method: 'POST', headers, body: '{}' }));
  expect(said.mock.calls.map(([message]) => message)).toEqual([
    'porchlight: visitors share one limit: no address of theirs is known; pass edge.address to fetch',
  ]);
  await mounted.close(0);
});
