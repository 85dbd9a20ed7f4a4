/** The helper process against the local agent service: nothing is scripted. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StartedAgent, startAgent } from '../../demo/agent/start.ts';
import { createAgentClient } from '../support/agentclient.ts';
import { type Shop, startShop } from '../support/agentshop.ts';
import { type RunningHelper, secrets, startHelper, until, untilAsync } from '../support/helper-process.ts';
import { createVisitor, makeSsoToken, toTurnPath } from '../support/visitor.ts';

let shop: Shop;
let agent: StartedAgent;
let helper: RunningHelper;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'porchlight-agent-'));
  shop = await startShop();
  const tools = join(folder, 'tools.json');
  await writeFile(tools, JSON.stringify(shop.tools));
  agent = await startAgent(
    {
      AGENT_DB: ':memory:',
      AGENT_API_KEY: secrets.apiKey,
      AGENT_SSO_SECRET: secrets.ssoSecret,
      AGENT_TOOLS: tools,
      AGENT_WORDS_PER_SECOND: '40',
      PORT: '0',
    },
    { log: () => {}, print: () => {} },
  );
  const client = createAgentClient(agent.url, agent);
  await client.call('POST', '/v1/bot/source/create', { type: 'website', source: shop.url });
  await agent.service.idle();
  helper = await startHelper({
    agentUrl: agent.url,
    env: {
      PORCHLIGHT_PROJECT_ID: agent.projectId,
      PORCHLIGHT_BOT_ID: agent.botId,
      PORCHLIGHT_ATTACHMENTS: 'on',
    },
  });
});
afterAll(async () => {
  await helper.close();
  await agent.close();
  await shop.close();
  await rm(folder, { recursive: true, force: true });
});

/** What the agent itself says happened. */
const eventsCalled = (name: string) => agent.service.events.filter(({ event }) => event === name);

test('a question is answered from the agent’s memory, and history equals the record', async () => {
  const visitor = await createVisitor(helper);
  const { stream, conversationId, turnId, question } = await visitor.chat('How do you pack an order?');
  const { message } = stream.ended('turn-completed');
  expect(message.text).toContain('warehouse');
  expect(stream.text).toBe(message.text);
  expect(eventsCalled('chat.started').at(-1)).toMatchObject({ purpose: 'granted' });

  const { messages } = await visitor.history(conversationId);
  expect(messages).toMatchObject([
    { id: turnId, role: 'visitor', text: question, status: 'completed' },
    { id: message.id, role: 'agent', text: message.text, status: 'completed' },
  ]);
  expect(messages[1]?.sources).toEqual(message.sources);
  const chatId = eventsCalled('chat.started').at(-1)?.chat_id;
  const record = await createAgentClient(agent.url, agent).call('GET', '/v1/bot/chat/read', {
    chat_id: chatId,
  });
  expect(record.body.conversation.map(({ content }: { content: string }) => content)).toEqual([
    question,
    message.text,
  ]);
  expect(stream.raw).not.toContain(chatId);
});

test('a file that comes with a question lies in the conversation’s workspace, whole, and goes with it', async () => {
  const visitor = await createVisitor(helper);
  const [conversationId, turnId] = [randomUUID(), randomUUID()];
  const path = `/conversations/${conversationId}`;
  const bytes = `My order is LF-1.\n${'x'.repeat(200_000)}`;
  const kept = await helper.fetch(`${path}/attachments?name=note.txt`, {
    method: 'POST',
    headers: visitor.headers(),
    body: bytes,
  });
  const { id } = (await kept.json()) as { id: string };
  const question = { text: 'How do you pack an order?', attachments: [id] };
  (await (await visitor.ask(conversationId, turnId, question)).whole()).ended('turn-completed');
  const client = createAgentClient(agent.url, agent);
  const { workspaces } = (await client.call('GET', '/v1/bot/workspace/readall')).body;
  const reads = await Promise.all(
    workspaces.map(({ uuid }: { uuid: string }) =>
      client.call('GET', '/v1/bot/workspace/files', { workspace_uuid: uuid, recursive: 'true' }),
    ),
  );
  const files = reads.flatMap(({ body }) => body.files.map((file: { file_path: string }) => file.file_path));
  expect(files).toContain('/attachments/note.txt');
  expect((await visitor.call('DELETE', path)).status).toBe(204);
});

test('stop reaches the agent: its own events say chat.cancelled, and its record keeps what was said', async () => {
  const visitor = await createVisitor(helper);
  const [conversationId, turnId] = [randomUUID(), randomUUID()];
  const before = eventsCalled('chat.cancelled').length;
  const stream = await visitor.ask(
    conversationId,
    turnId,
    'Tell me everything about shipping and the Moor 4.',
  );
  await stream.until(({ text }) => text !== '', 'the first words');
  expect((await visitor.call('DELETE', toTurnPath(conversationId, turnId))).status).toBe(204);
  await stream.whole();
  const { message } = stream.ended('turn-stopped');
  expect(message.text).toBe(stream.text);
  await until(() => eventsCalled('chat.cancelled').length > before, 'chat.cancelled at the agent');
  expect(eventsCalled('chat.cancelled').at(-1)?.chat_id).toBe(eventsCalled('chat.started').at(-1)?.chat_id);
  const shown = (await visitor.history(conversationId)).messages;
  expect(shown.at(-1)).toMatchObject({ role: 'agent', status: 'stopped' });
});

test('a question that needs a tool pauses, is approved, and completes; history equals the record', async () => {
  const visitor = await createVisitor(helper, {
    ssoToken: makeSsoToken({ name: 'Ada', external_id: 'ada-1' }),
  });
  const { stream, conversationId, turnId, question } = await visitor.chat('Where is my order LF-10234?');
  const paused = stream.ended('turn-paused');
  expect(paused).toMatchObject({
    kind: 'approval',
    tool: { name: 'order_status', parameters: { orderNumber: 'LF-10234' } },
  });
  expect(shop.calls).toEqual([]);
  expect((await visitor.history(conversationId)).liveTurn).toEqual({ turnId });

  const decided = await visitor.call('POST', `${toTurnPath(conversationId, turnId)}/decision`, {
    decision: 'approve',
  });
  expect(decided.status).toBe(202);
  const rest = await (await visitor.attach(conversationId, turnId, stream.last.id)).whole();
  const { message } = rest.ended('turn-completed');
  expect(message.text).toContain('shipped');
  expect(rest.events[0]?.id).toBe(stream.last.id + 1);
  expect(stream.text + rest.text).toBe(message.text);
  expect(shop.calls).toEqual([{ tool: 'order_status', parameters: { orderNumber: 'LF-10234' } }]);

  const history = await visitor.history(conversationId);
  expect(history.messages.map(({ text }) => text)).toEqual([question, message.text]);
  expect(history.liveTurn).toBeUndefined();
});

test('a refused tool is not run, and the turn completes without it', async () => {
  const visitor = await createVisitor(helper);
  const called = shop.calls.length;
  const { stream, conversationId, turnId } = await visitor.chat('Where is my order LF-10234?');
  expect(stream.last.kind).toBe('turn-paused');
  await visitor.call('POST', `${toTurnPath(conversationId, turnId)}/decision`, { decision: 'deny' });
  const rest = await (await visitor.attach(conversationId, turnId, stream.last.id)).whole();
  expect(rest.ended('turn-completed').message.text).toContain('I did not do that');
  expect(shop.calls).toHaveLength(called);
});

test('votes, renames and erasure reach the agent', async () => {
  const visitor = await createVisitor(helper);
  const { stream, conversationId } = await visitor.chat('How do you pack an order?');
  const { id } = stream.ended('turn-completed').message;
  const path = `/conversations/${conversationId}`;
  expect((await visitor.call('PUT', `${path}/messages/${id}/vote`, { vote: 'up' })).status).toBe(204);
  expect((await visitor.history(conversationId)).messages[1]?.vote).toBe('up');
  expect((await visitor.call('PUT', `${path}/messages/${id}/vote`, { vote: 'none' })).status).toBe(204);
  expect((await visitor.call('PATCH', path, { title: 'Packing' })).status).toBe(204);
  const chatId = eventsCalled('chat.started').at(-1)?.chat_id;
  expect((await visitor.call('DELETE', '/visitor')).status).toBe(204);
  await untilAsync(
    async () => eventsCalled('chat.deleted').some(({ chat_id }) => chat_id === chatId),
    'chat.deleted',
  );
});
