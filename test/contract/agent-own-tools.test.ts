/** What the service itself offers a model, and to whom. */

import { afterEach, beforeEach, expect, test } from 'vitest';
import { callTool, say, startProvider } from '../support/agentprovider.ts';
import { type ShopAgent, startShopAgent, target } from '../support/agentservice.ts';
import { startMailServer } from '../support/mail.ts';

let provider: Awaited<ReturnType<typeof startProvider>>;
let mailServer: Awaited<ReturnType<typeof startMailServer>>;
let agent: ShopAgent;

beforeEach(async () => {
  provider = await startProvider();
  mailServer = await startMailServer();
  agent = await startShopAgent({
    provider: { host: provider.host, key: 'provider-secret', model: 'small' },
    extraKeys: [{ key: 'member-key', role: 'member' }],
    email: { smtpUrl: mailServer.url, owner: 'owner@shop.example' },
  });
});
afterEach(async () => {
  await agent.close();
  await provider.close();
  await mailServer.close();
});

const visitor = { member_id: 'ada' };
const ask = (input: object = {}, key = target.apiKey) =>
  agent.clientOf(key).chat('Please look', { reasoning_mode: 'agent', ...input });
const offered = async (input: object, key?: string): Promise<string[]> => {
  const before = provider.requests.length;
  await ask(input, key);
  const { tools = [] } = provider.requests[before]!.body;
  return tools.map((tool: Tool) => tool.function.name);
};
type Tool = { function: { name: string } };
const lastTold = () => {
  const { role, content } = provider.requests.at(-1)!.body.messages.at(-1);
  return role === 'tool' && content.startsWith('{') ? JSON.parse(content) : content;
};
/** What a tool tells the model. */
const run = async (name: string, parameters: object, input: object = {}) => {
  provider.scripts.push({ deltas: [callTool(name, parameters)] }, { deltas: [say('Done.')] });
  await ask(input);
  return lastTold();
};
const decide = (chat_id: string, executionId: string, more: object = {}) =>
  agent.client.call('POST', '/v1/bot/chat/execute-tool', {
    chat_id,
    execution_data: { executionId, ...more },
  });
const staffOnly = ['read_conversations', 'search_conversations', 'read_report', 'list_tasks'];

test('reports, private searches and task lists are for staff alone (S167, S168)', async () => {
  expect(await offered({})).toEqual(expect.arrayContaining(staffOnly));
  for (const [input, key] of [
    [visitor, target.apiKey],
    [{ purpose: 'service' }, target.apiKey],
    [{}, 'member-key'],
  ] as const) {
    const tools = await offered(input, key);
    expect(tools).toEqual(
      expect.arrayContaining(['search_memory', 'ask_user', 'save_contact', 'notify_owner']),
    );
    expect(tools.filter((name) => staffOnly.includes(name))).toEqual([]);
  }
  expect(await run('read_report', { name: 'summary' }, visitor)).toEqual(expect.any(String));
  // Nor where the conversation began as the builder's.
  await ask({ chat_id: 'b' });
  const asked = await offered({ ...visitor, chat_id: 'b' });
  expect(asked.filter((name) => staffOnly.includes(name))).toEqual([]);
  expect(await offered({ chat_id: 'b' })).toEqual(expect.arrayContaining(staffOnly));
});

test('a tool of the site that is for staff alone is offered to them, and to nobody else (S13)', async () => {
  const [first, ...others] = agent.shop.tools;
  const tools = [{ ...first!, access: 'staff_only' as const }, ...others];
  const { host } = provider;
  const other = await startShopAgent({ provider: { host, model: 'small' }, tools });
  const show = async (input: object) => {
    const before = provider.requests.length;
    await other.client.chat('Please look', { reasoning_mode: 'agent', ...input });
    return provider.requests[before]!.body.tools.map((tool: Tool) => tool.function.name);
  };
  expect(await show({})).toContain(first!.name);
  for (const input of [visitor, { purpose: 'service' }]) {
    expect(await show(input)).not.toContain(first!.name);
    expect(await show(input)).toContain(others[0]!.name);
  }
  await other.close();
});

test('what the one who runs the site asks about it is what the API shows', async () => {
  await ask({ ...visitor, chat_id: 'of-ada' });
  await agent.client.call('POST', '/v1/bot/tasks/create', { prompt: 'When do herons nest?', name: 'Herons' });
  expect(await run('search_conversations', { query: 'PLEASE' })).toMatchObject({
    results: [
      { chat_id: expect.any(String), role: 'user', content: 'Please look' },
      { chat_id: 'of-ada', role: 'user', content: 'Please look' },
    ],
  });
  expect(await run('search_conversations', { query: '100 %' })).toEqual({ results: [] });
  const { body } = await agent.client.call('GET', '/v1/bot/stats/errors');
  expect(await run('read_report', { name: 'errors' })).toEqual(body);
  expect(await run('read_report', { name: 'secrets' })).toMatchObject({ code: 'invalid_parameters' });
  expect(await run('list_tasks', {})).toMatchObject({ tasks: [{ name: 'Herons', enabled: true }], total: 1 });
});

test('the sources are searched, where memory is on', async () => {
  const { results } = await run('search_memory', { query: 'shipping Canada', top: 1 });
  expect(results).toEqual([
    {
      title: expect.stringContaining('Shipping'),
      url: `${agent.shop.url}/shipping.html`,
      content: expect.stringContaining('5 to 8 business days'),
    },
  ]);
  expect(await offered({ memory: false })).not.toContain('search_memory');
  expect(await offered({ reasoning_mode: 'standard' })).toEqual([]);
});

test('a visitor leaves a contact in their own chat alone (S171)', async () => {
  const contact = { email: 'bea@site.example', name: 'Bea' };
  expect(await run('save_contact', { ...contact, chat_id: 'another' }, visitor)).toMatchObject({
    code: 'forbidden',
  });
  expect((await agent.client.call('GET', '/v1/bot/subscriber/readall')).body.subscribers).toEqual([]);
  expect(await run('save_contact', contact, visitor)).toEqual({ id: expect.any(Number) });
  expect(await run('save_contact', { ...contact, chat_id: 'another' })).toMatchObject({
    code: 'chat_not_found',
  });
  await ask({ ...visitor, chat_id: 'another' });
  expect(await run('save_contact', { ...contact, chat_id: 'another' })).toEqual({ id: expect.any(Number) });
});

test('what the builder is asked a member’s key does not decide, and no mode is its to take', async () => {
  const member = agent.clientOf('member-key');
  const execute = (chat_id: string, execution_data: object) =>
    member.call('POST', '/v1/bot/chat/execute-tool', { chat_id, execution_data });
  const plan = { title: 'Tidy up', steps: ['Write one'] };
  const questions = [{ question: 'Which one?' }];
  for (const [name, parameters, chat_mode] of [
    ['accept_plan', plan, 'plan'],
    ['ask_user', { questions }, 'edit'],
  ] as const) {
    provider.scripts.push({ deltas: [callTool(name, parameters)] }, { deltas: [say('Done.')] });
    const { chat } = (await ask({ chat_id: name, chat_mode })).body;
    const { executionId } = chat;
    const { status, body } = await execute(name, { executionId, parameters: { answers: ['One'] } });
    expect([status, body.error.code]).toEqual([403, 'forbidden']);
    // It goes on waiting for who may.
    const decided = await decide(name, executionId, { parameters: { answers: ['One'] } });
    expect(decided.status).toBe(200);
  }
  await ask({ chat_id: 'plans', chat_mode: 'plan' });
  const tools = await offered({ chat_id: 'plans' }, 'member-key');
  expect(tools).toContain('ask_user');
  expect(tools).not.toContain('accept_plan');
  expect(await offered({ chat_id: 'plans' })).toContain('accept_plan');
});

test('an answer that paused counts as what it was in the end', async () => {
  const questions = [{ question: 'Which one?' }];
  provider.scripts.push(
    { deltas: [callTool('ask_user', { questions })] },
    { deltas: [callTool('search_memory', { query: 'Canada' })] },
    { deltas: [say('Done.')] },
  );
  const { chat } = (await ask({ ...visitor, chat_id: 'c', reasoning_mode: 'auto' })).body;
  const { body } = await decide('c', chat.executionId, { parameters: { answers: ['One'] } });
  expect(body.result.chat.agent).toMatchObject({ reasoning_type: 'agent', credit_used: 2 });
  const { conversation } = (await agent.client.call('GET', '/v1/bot/chat/read', { chat_id: 'c' })).body;
  expect(conversation.at(-1)).toMatchObject({ reasoning_type: 'agent' });
});

test('where nobody is there to be asked back, it is not offered', async () => {
  const workflow = { name: 'Ask', trigger_type: 'manual', actions: [{ type: 'start_chat', message: 'Hi' }] };
  const { body } = await agent.client.call('POST', '/v1/bot/workflow/create', workflow);
  const before = provider.requests.length;
  await agent.client.call('POST', '/v1/bot/workflow/run', { workflow_id: body.workflow.uuid });
  const names = provider.requests[before]!.body.tools.map((tool: Tool) => tool.function.name);
  expect(names).toContain('save_contact');
  expect(names).not.toContain('ask_user');
});

test('an agent that is switched off decides nothing but no', async () => {
  const pause = async (chat_id: string) => {
    provider.scripts.push({ deltas: [callTool('ask_user', { questions: [{ question: 'Which?' }] })] });
    return (await ask({ ...visitor, chat_id })).body.chat.executionId as string;
  };
  const executionId = await pause('c');
  await agent.client.call('PUT', '/v1/bot/update', { status: 0 });
  const { status, body } = await decide('c', executionId, { parameters: { answers: ['One'] } });
  expect([status, body.error.code]).toEqual([403, 'bot_inactive']);
  await agent.client.call('PUT', '/v1/bot/update', { status: 1 });
  expect((await decide('c', executionId, { parameters: { answers: ['One'] } })).status).toBe(200);
});

test('what waits for a question that is deleted waits no more', async () => {
  provider.scripts.push({ deltas: [callTool('ask_user', { questions: [{ question: 'Which?' }] })] });
  const { chat } = (await ask({ ...visitor, chat_id: 'c' })).body;
  const message_id = chat.user.uuid as string;
  await agent.client.call('DELETE', '/v1/bot/chat/message/delete', { chat_id: 'c', message_id });
  const { conversation } = (await agent.client.call('GET', '/v1/bot/chat/read', { chat_id: 'c' })).body;
  expect(conversation.map(({ isToolExecuting }: { isToolExecuting: boolean }) => isToolExecuting)).toEqual([
    false,
  ]);
});

test('what a model says is kept whole', async () => {
  const contact = { email: 'q\u0000x@y.example', name: 'Ada\u0000 L' };
  expect(await run('save_contact', contact, visitor)).toEqual({ id: expect.any(Number) });
  const { subscribers } = (await agent.client.call('GET', '/v1/bot/subscriber/readall')).body;
  expect(subscribers[0]).toMatchObject({ email: 'q\ufffdx@y.example', name: 'Ada\ufffd L' });
  for (const email of ['a@b@c.example', 'a b@c.example', '<a@c.example>', 'a'])
    expect(await run('save_contact', { email }, visitor)).toMatchObject({ code: 'invalid_email' });
});

test('what runs here takes no result from elsewhere, and waits on', async () => {
  provider.scripts.push(
    { deltas: [callTool('accept_plan', { title: 'Tidy up', steps: ['Write one'] })] },
    { deltas: [say('Done.')] },
  );
  const { chat } = (await ask({ chat_id: 'c', chat_mode: 'plan' })).body;
  expect((await decide('c', chat.executionId, { result: { accepted: true } })).status).toBe(400);
  expect((await decide('c', chat.executionId)).status).toBe(200);
});

test('the owner is told, and nobody else whom a visitor names', async () => {
  const message = { message: 'Somebody waits.', recipient: 'eve@site.example' };
  expect(await run('notify_owner', message, visitor)).toEqual({ sent: true });
  expect(await run('notify_owner', message)).toEqual({ sent: true });
  for (const recipient of [null, ''])
    expect(await run('notify_owner', { ...message, recipient })).toEqual({ sent: true });
  const [owner, eve] = [['owner@shop.example'], ['eve@site.example']];
  expect(mailServer.taken.map(({ to }) => to)).toEqual([owner, eve, owner, owner]);
});

test('a question of the model waits for its answers, and bad ones are told to the model', async () => {
  const questions = [{ question: 'Which tent?', options: ['Fell 2', 'Moor 4'] }];
  provider.scripts.push(
    { deltas: [callTool('ask_user', { questions })] },
    { deltas: [say('It weighs 1.9 kg.')] },
  );
  const { chat } = (await ask({ ...visitor, chat_id: 'c' })).body;
  expect(chat.tool).toMatchObject({ name: 'ask_user', server_label: 'built-in', parameters: { questions } });
  expect((await decide('c', chat.executionId)).status).toBe(400);
  const decided = await decide('c', chat.executionId, { parameters: { answers: ['Fell 2'] } });
  expect(decided.body.result.chat.reply).toBe('It weighs 1.9 kg.');
  expect(lastTold()).toEqual({ answers: ['Fell 2'] });
  expect(await run('ask_user', { questions: [] }, visitor)).toMatchObject({ code: 'invalid_parameters' });
});

test('a plan waits for approval: then the conversation is in edit, and else it stays a plan', async () => {
  expect(await offered({ chat_mode: 'edit' })).not.toContain('accept_plan');
  const plan = { title: 'Tidy up', steps: ['Read all notes', 'Write one'] };
  const propose = async (chat_id: string) => {
    provider.scripts.push({ deltas: [callTool('accept_plan', plan)] }, { deltas: [say('Done.')] });
    const { chat } = (await ask({ chat_id, chat_mode: 'plan' })).body;
    expect(chat.tool).toMatchObject({ name: 'accept_plan', server_label: 'built-in', parameters: plan });
    return chat.executionId as string;
  };
  const offeredLast = () =>
    provider.requests.at(-1)!.body.tools.map((tool: { function: { name: string } }) => tool.function.name);
  await decide('yes', await propose('yes'));
  expect(lastTold()).toEqual({ accepted: true });
  expect(offeredLast()).toContain('write_file');
  expect(provider.requests.at(-1)!.body.messages[0].content).not.toContain('You are to plan');
  const refused = await propose('no');
  expect(provider.requests.at(-1)!.body.messages[0].content).toContain('You are to plan');
  await decide('no', refused, { denied: true });
  expect(offeredLast()).not.toContain('write_file');
  expect(await offered({ chat_id: 'yes' })).not.toContain('accept_plan');
  expect(await offered({ chat_id: 'no' })).toContain('accept_plan');
});
