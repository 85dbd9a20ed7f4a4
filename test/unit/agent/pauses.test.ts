/** Paused turns: approved, refused, answered by the caller, expired, decided twice. */

import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readTools } from '../../../demo/agent/tools.ts';
import { joinDeltas } from '../../support/agentclient.ts';
import { callTool, startProvider } from '../../support/agentprovider.ts';
import { type ShopAgent, startShopAgent } from '../../support/agentservice.ts';
import { createGate } from '../../support/gate.ts';
import { listen } from '../../support/toolserver.ts';

describe('a turn that pauses for approval', () => {
  let agent: ShopAgent;
  let chat_id: string;
  beforeEach(async () => {
    agent = await startShopAgent();
    chat_id = randomUUID();
  });
  afterEach(() => agent.close());

  const message = 'What is the status of LF-10234?';
  const pause = async () =>
    (await agent.client.streamAll('POST', '/v1/bot/chat', { message, stream: true, chat_id })).at(-1)!.data;
  const decide = (executionId: string, data: object = {}) =>
    agent.client.call('POST', '/v1/bot/chat/execute-tool', {
      chat_id,
      execution_data: { executionId, ...data },
    });
  const read = async () =>
    (await agent.client.call('GET', '/v1/bot/chat/read', { chat_id })).body.conversation;

  test('ends its stream with the approval frame, runs nothing, and the record says that it waits', async () => {
    const frames = await agent.client.streamAll('POST', '/v1/bot/chat', { message, stream: true, chat_id });
    expect(frames.map(({ event }) => event)).toEqual(['start', 'approval']);
    const { data } = frames[1]!;
    expect(data).toMatchObject({
      type: 'tool_approval_required',
      requiresApproval: true,
      executionId: expect.stringMatching(/^exec_\d+_[a-f0-9-]+$/),
      originalQuery: message,
      executedTools: [],
      expires_at: '2031-03-01T12:15:00.000Z',
    });
    expect(data.tool).toMatchObject({ name: 'order_status', parameters: { orderNumber: 'LF-10234' } });
    expect(agent.shop.calls).toEqual([]);
    expect((await read())[1]).toMatchObject({ isToolExecuting: true, finish_reason: 'paused' });
  });

  test('once approved runs the tool and goes on in the same message', async () => {
    const { executionId, context } = await pause();
    const frames = await agent.client.streamAll('POST', '/v1/bot/chat/execute-tool', {
      chat_id,
      stream: true,
      execution_data: { executionId, context, executionType: 'SINGLE', toolName: 'order_status' },
    });
    expect(frames.map(({ event }) => event).filter((event) => event !== 'delta')).toEqual([
      'start',
      'tool',
      'tool',
      'done',
    ]);
    expect(frames[1]?.data).toMatchObject({ executionId, name: 'order_status', status: 'running' });
    expect(joinDeltas(frames)).toContain('**LF-10234** is **shipped**.');
    const conversation = await read();
    expect(conversation.length).toBe(2);
    expect(conversation[1]).toMatchObject({
      uuid: frames[0]?.data.message_id,
      content: joinDeltas(frames),
      isToolExecuting: false,
    });
  });

  test('runs what was approved, not the parameters that come back', async () => {
    const { executionId } = await pause();
    await decide(executionId, { parameters: { orderNumber: 'LF-99999' } });
    expect(agent.shop.calls).toEqual([{ tool: 'order_status', parameters: { orderNumber: 'LF-10234' } }]);
  });

  test('without streaming answers with the chat object, the tool’s result and the execution id', async () => {
    const { executionId } = await pause();
    const { body } = await decide(executionId);
    expect(body).toMatchObject({ success: true, executionId });
    expect(body.result.chat.reply).toContain('shipped');
    expect(body.result.tool_result).toMatchObject({ carrier: 'Northmail' });
  });

  test('once refused says so and calls nothing', async () => {
    const { executionId } = await pause();
    const { body } = await decide(executionId, { denied: true });
    expect(body.result.chat.reply).toBe('All right, I did not do that.');
    expect(agent.shop.calls).toEqual([]);
  });

  test('takes a result that the caller brings', async () => {
    const { executionId } = await pause();
    const { body } = await decide(executionId, { result: { status: 'on its way' } });
    expect(body.result.chat.reply).toContain('on its way');
    expect(agent.shop.calls).toEqual([]);
  });

  test('tells that the tool found nothing', async () => {
    const frames = await agent.client.streamAll('POST', '/v1/bot/chat', {
      message: 'LF-55555',
      stream: true,
      chat_id,
    });
    const { body } = await decide(frames.at(-1)!.data.executionId);
    expect(body.result.chat.reply).toBe(
      '**order\\_status: LF-55555** could not be looked up: Nothing of that name.',
    );
  });

  test('of a tool that the caller runs waits for its result, and tells what went wrong there', async () => {
    const tools = readTools(
      agent.shop.tools.map(({ url, ...tool }) => (tool.name === 'order_status' ? tool : { ...tool, url })),
    );
    const own = await startShopAgent({ tools });
    const take = async (data: object) => {
      const { body } = await own.client.chat(message, { chat_id });
      const { executionId } = body.chat;
      const execute = (execution_data: object) =>
        own.client.call('POST', '/v1/bot/chat/execute-tool', { chat_id, execution_data });
      const without = await execute({ executionId });
      expect([without.status, without.body.error.code]).toEqual([400, 'invalid_parameters']);
      const { status, body: taken } = await execute({ executionId, ...data });
      expect(status).toBe(200);
      return taken.result.chat;
    };
    expect((await take({ result: { orderNumber: 'LF-10234', status: 'shipped' } })).reply).toContain(
      'shipped',
    );
    expect((await take({ result: { error: 'no order of yours has this number' } })).reply).toContain(
      'could not be looked up: no order of yours has this number',
    );
    expect((await take({ denied: true })).reply).toBe('All right, I did not do that.');
    expect(own.shop.calls).toEqual([]);
    await own.close();
  });

  test.each([
    [{ url: undefined, approval: 'auto' }, 'tools[0].approval: always is needed'],
    [{ url: 7 }, 'tools[0].url: a URL is needed, or nothing where the caller runs it'],
  ])('a tool of %o is refused at the start', (change, words) => {
    expect(() => readTools([{ ...agent.shop.tools[0], ...change }])).toThrow(words);
  });

  test('says that it is not known what became of an approved tool that a kill cut off', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'agent-pauses-'));
    const [db, killed] = [join(folder, 'agent.db'), join(folder, 'killed.db')];
    const reached = createGate();
    const silent = await listen(reached.open);
    const tools = readTools(agent.shop.tools.map((tool) => ({ ...tool, url: silent.url })));
    const own = await startShopAgent({ db, tools });
    const { body } = await own.client.chat(message, { chat_id });
    const approve = ({ client }: ShopAgent) =>
      client.call('POST', '/v1/bot/chat/execute-tool', {
        ...{ chat_id, execution_data: { executionId: body.chat.executionId } },
      });
    const approving = approve(own);
    await reached.opened;
    // What a process that is killed now leaves.
    for (const end of ['', '-wal']) copyFileSync(`${db}${end}`, `${killed}${end}`);
    const next = await startShopAgent({ db: killed, tools });
    const [, left] = (await next.client.call('GET', '/v1/bot/chat/read', { chat_id })).body.conversation;
    expect(left).toMatchObject({ isToolExecuting: false, finish_reason: 'error' });
    expect(left.content).toMatch(/^[^\n].*: allowed, and cut off. It is not known whether it was done.$/);
    expect((await approve(next)).body.error.code).toBe('already_decided');
    await silent.close();
    await approving;
    await next.close();
    await own.close();
    rmSync(folder, { recursive: true });
  });

  test.each(['approved', 'denied'])(
    'names the one that a kill cut off, after one that was %s',
    async (first) => {
      const folder = mkdtempSync(join(tmpdir(), 'agent-pauses-'));
      const [db, killed] = [join(folder, 'agent.db'), join(folder, 'killed.db')];
      const reached = createGate();
      let calls = 0;
      const slow = await listen((_request, response) => {
        calls += 1;
        if (first === 'approved' && calls === 1) response.end('{"status":"shipped"}');
        else reached.open();
      });
      const [made] = agent.shop.tools;
      const tools = readTools(
        ['order_status', 'refund'].map((name) => ({ ...made!, name, title: name, url: slow.url })),
      );
      const provider = await startProvider();
      const host = { host: provider.host, key: 'provider-secret', model: 'small' };
      const own = await startShopAgent({ db, tools, provider: host });
      for (const name of ['order_status', 'refund'])
        provider.scripts.push({ deltas: [callTool(name, { orderNumber: 'LF-10234' })] });
      const { body } = await own.client.chat(message, { chat_id, reasoning_mode: 'agent' });
      const decide = (executionId: string, isDenied: boolean) =>
        own.client.call('POST', '/v1/bot/chat/execute-tool', {
          ...{ chat_id, execution_data: { executionId, ...(isDenied && { denied: true }) } },
        });
      const again = await decide(body.chat.executionId, first === 'denied');
      const deciding = decide(again.body.result.chat.executionId, false);
      await reached.opened;
      for (const end of ['', '-wal']) copyFileSync(`${db}${end}`, `${killed}${end}`);
      const next = await startShopAgent({ db: killed, tools, provider: host });
      const [, left] = (await next.client.call('GET', '/v1/bot/chat/read', { chat_id })).body.conversation;
      expect(left.content).toBe('refund: allowed, and cut off. It is not known whether it was done.');
      await slow.close();
      await deciding;
      for (const one of [next, own]) await one.close();
      rmSync(folder, { recursive: true });
    },
  );

  test('waits no more once what came after the decision has failed', async () => {
    const provider = await startProvider();
    const own = await startShopAgent({
      provider: { host: provider.host, key: 'provider-secret', model: 'small' },
    });
    provider.scripts.push(
      { deltas: [callTool('order_status', { orderNumber: 'LF-10234' })] },
      { status: 400 },
    );
    const { body } = await own.client.chat(message, { chat_id, reasoning_mode: 'agent' });
    const { status } = await own.client.call('POST', '/v1/bot/chat/execute-tool', {
      ...{ chat_id, execution_data: { executionId: body.chat.executionId } },
    });
    expect(status).not.toBe(200);
    const [, left] = (await own.client.call('GET', '/v1/bot/chat/read', { chat_id })).body.conversation;
    expect(left).toMatchObject({ isToolExecuting: false, finish_reason: 'error' });
    // Its own words do not tell what was done.
    await own.client.chat('And now?', { chat_id, reasoning_mode: 'agent' });
    expect(provider.requests.at(-1)!.body.messages).toContainEqual({
      role: 'assistant',
      content: '(Not finished. Tools: order_status (done).)',
    });
    await own.close();
    await provider.close();
  });

  test('is told to the model once somebody asks something else: the caller may have run its tool', async () => {
    const provider = await startProvider();
    const [{ url, ...callers }] = agent.shop.tools as [(typeof agent.shop.tools)[0]];
    const own = await startShopAgent({
      provider: { host: provider.host, key: 'provider-secret', model: 'small' },
      tools: readTools([{ ...callers, approval: 'always' }]),
    });
    const ask = (question: string) => own.client.chat(question, { chat_id, reasoning_mode: 'agent' });
    provider.scripts.push(
      { deltas: [callTool('order_status', { orderNumber: 'LF-10234' })] },
      { deltas: [callTool('ask_user', { questions: [{ question: 'Which?' }] })] },
    );
    expect((await ask(message)).body.chat.tool.name).toBe('order_status');
    await ask('And what did I ask?');
    await ask('And now?');
    const { messages } = provider.requests.at(-1)!.body;
    expect(
      messages
        .filter(({ role }: { role: string }) => role === 'assistant')
        .map(({ content }: { content: string }) => content),
    ).toEqual([
      '(Not finished. Tools: order_status (asked for, whether it was done is not known).)',
      '(Not finished. Tools: ask_user (not decided).)',
    ]);
    await own.close();
    await provider.close();
  });

  test('and is stopped while its tool runs tells the model so', async () => {
    const provider = await startProvider();
    const reached = createGate();
    const silent = await listen(reached.open);
    const own = await startShopAgent({
      provider: { host: provider.host, key: 'provider-secret', model: 'small' },
      tools: readTools(agent.shop.tools.map((tool) => ({ ...tool, url: silent.url, approval: 'auto' }))),
    });
    const ask = (question: string) => own.client.chat(question, { chat_id, reasoning_mode: 'agent' });
    provider.scripts.push({ deltas: [callTool('order_status', { orderNumber: 'LF-10234' })] });
    const asking = ask(message);
    await reached.opened;
    await own.client.call('POST', '/v1/bot/chat/cancel', { chat_id });
    await asking;
    await ask('And now?');
    expect(provider.requests.at(-1)!.body.messages).toContainEqual({
      role: 'assistant',
      content: '(Not finished. Tools: order_status (begun, its result is not known).)',
    });
    await own.close();
    await silent.close();
    await provider.close();
  });

  test('leaves nothing of what a model was told once it is decided, over or replaced', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'agent-pauses-'));
    const db = join(folder, 'agent.db');
    const own = await startShopAgent({ db });
    const begin = async (id: string) => {
      const { body } = await own.client.chat(message, { chat_id: id });
      return body.chat.executionId as string;
    };
    await begin('replaced');
    await begin('replaced');
    const executionId = await begin('decided');
    await own.client.call('POST', '/v1/bot/chat/execute-tool', {
      chat_id: 'decided',
      execution_data: { executionId },
    });
    await begin('over');
    own.clock.now += 16 * 60_000;
    await begin('waits');
    await own.close();
    const rows = new Database(db)
      .prepare("SELECT chats.chat_id, record = '{}' AS isEmpty FROM pauses JOIN chats ON chats.id = chat")
      .all();
    expect(rows).toEqual([
      { chat_id: 'replaced', isEmpty: 1 },
      { chat_id: 'replaced', isEmpty: 1 },
      { chat_id: 'decided', isEmpty: 1 },
      { chat_id: 'over', isEmpty: 1 },
      { chat_id: 'waits', isEmpty: 0 },
    ]);
    rmSync(folder, { recursive: true });
  });

  test('is decided once: a second decision is 409 already_decided', async () => {
    const { executionId } = await pause();
    await decide(executionId);
    const { status, body } = await decide(executionId);
    expect([status, body.error.code]).toEqual([409, 'already_decided']);
    expect(agent.shop.calls.length).toBe(1);
  });

  test('what was charged before it is not charged again', async () => {
    const creditsLeft = async () => (await agent.client.call('GET', '/v1/bot/read')).body.bot.credits;
    const before = await creditsLeft();
    const { executionId } = await pause();
    const { body } = await decide(executionId);
    expect(body.result.chat.agent.credit_used).toBe(2);
    expect(await creditsLeft()).toBe(before - 2);
  });

  test('expires after 15 minutes with 409 approval_expired', async () => {
    const { executionId } = await pause();
    agent.clock.now += 15 * 60_000;
    const { status, body } = await decide(executionId);
    expect([status, body.error.code]).toEqual([409, 'approval_expired']);
    expect(agent.shop.calls).toEqual([]);
  });

  test('is over when the conversation goes on with another question', async () => {
    const { executionId } = await pause();
    await agent.client.chat('hello', { chat_id });
    const { status, body } = await decide(executionId);
    expect([status, body.error.code]).toEqual([409, 'approval_expired']);
    expect((await read())[1].isToolExecuting).toBe(false);
  });

  test('of an unknown id, or of another conversation, is 404', async () => {
    const { executionId } = await pause();
    expect((await decide('exec_1_abc')).status).toBe(404);
    await agent.client.chat('hello', { chat_id: 'another' });
    const other = await agent.client.call('POST', '/v1/bot/chat/execute-tool', {
      chat_id: 'another',
      execution_data: { executionId },
    });
    expect(other.status).toBe(404);
  });

  test('for a question waits on when the answers are no answers', async () => {
    const { body } = await agent.client.chat('How long does it take?', { chat_id });
    const { executionId } = body.chat;
    expect((await decide(executionId, { parameters: { answers: 'Repairs' } })).status).toBe(400);
    const answered = await decide(executionId, { parameters: { answers: ['Repairs'] } });
    expect(answered.body.result.chat.reply).toContain('2 weeks');
  });

  test('refuses a result over 64 KB', async () => {
    const { executionId } = await pause();
    expect((await decide(executionId, { result: 'x'.repeat(65 * 1024) })).status).toBe(400);
  });

  test('resumes in the pinned workspace without naming it again (S120, S121)', async () => {
    const created = await agent.client.call('POST', '/v1/bot/workspace/create', { purpose: 'service' });
    const workspace_uuid = created.body.workspace.uuid;
    await agent.client.chat(message, { chat_id, purpose: 'service', workspace_uuid });
    const paused = await pause();
    const frames = await agent.client.streamAll('POST', '/v1/bot/chat/execute-tool', {
      chat_id,
      stream: true,
      execution_data: { executionId: paused.executionId },
    });
    expect(frames[0]?.data.workspace_uuid).toBe(workspace_uuid);
  });
});
