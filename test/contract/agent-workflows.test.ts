/** Workflows of the local agent service: what begins them, what they do, what is said of it. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startAgent } from '../../demo/agent/start.ts';
import { createAgentClient } from '../support/agentclient.ts';
import { type AgentProcess, runAgent, target } from '../support/agentprocess.ts';
import { createGate, type ShopAgent, startShopAgent } from '../support/agentservice.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const minute = 60_000;
const question = 'How long does shipping to Canada take?';
let receiver: Receiver;
let agent: ShopAgent;

beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

const start = async (options: object = {}) => {
  agent = await startShopAgent({
    extraKeys: [
      { key: 'moderator-key', role: 'moderator' },
      { key: 'member-key', role: 'member' },
      { key: 'other-key', role: 'owner', projectId: 'other' },
    ],
    privateHosts: [`127.0.0.1:${receiver.port}`],
    ...options,
  });
};

const post = (what: string, input: object, key?: string | null) =>
  agent.client.call('POST', `/v1/bot/workflow/${what}`, input, key);
const get = (what: string, input: object = {}, key?: string | null) =>
  agent.client.call('GET', `/v1/bot/workflow/${what}`, input, key);
const callUrl = (more: object = {}) => ({ type: 'call_url', url: receiver.url, ...more });
const ask = { type: 'start_chat', message: question };
const create = (input: object = {}) =>
  post('create', { name: 'Tell', trigger_type: 'manual', actions: [callUrl()], ...input });
const make = async (input: object = {}) => {
  const { status, body } = await create(input);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.workflow;
};
const run = async (workflow_id: string, payload?: object) => {
  const { status, body } = await post('run', { workflow_id, payload });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.result;
};
const perform = async (actions: object[], payload: object = {}) =>
  run((await make({ actions })).uuid, payload);
const logsOf = async (workflow_id: string) => (await get('logs', { workflow_id })).body;
const untilLogged = (total: number, workflow_id: string) =>
  expect.poll(async () => (await logsOf(workflow_id)).total).toBe(total);
const readOne = async (workflow_id: string) => (await get('read', { workflow_id })).body.workflow;
const addText = (client = agent.client) =>
  client.call('POST', '/v1/bot/source/create', { type: 'text', title: 'Herons', source: 'A heron nests.' });
/** The service's own clock goes on, and a call has it look what is due. */
const pass = async (ms: number) => {
  agent.clock.now += ms;
  await agent.client.call('GET', '/v1/bot/read');
};
const at = (iso: string) => new Date(iso).toISOString();

describe('a workflow', () => {
  beforeEach(() => start());
  afterEach(() => agent.close());

  test('is made, read, listed, changed and deleted (S19, S152)', async () => {
    const workflow = await make();
    expect(workflow).toEqual({
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      bot_id: 'juniper',
      name: 'Tell',
      description: null,
      trigger_type: 'manual',
      trigger_event: null,
      trigger_config: {},
      conditions: [],
      actions: [{ type: 'call_url', url: receiver.url, method: 'POST', headers: {} }],
      is_active: true,
      status: 'active',
      run_count: 0,
      last_run_at: null,
      next_run_at: null,
      created_at: at('2031-03-01T12:00Z'),
      updated_at: at('2031-03-01T12:00Z'),
    });
    const { uuid: workflow_id } = workflow;
    expect(await readOne(workflow_id)).toEqual(workflow);
    const other = await make({ name: 'Other' });
    expect((await get('readall')).body).toEqual({
      total: 2,
      workflows: [other, workflow],
      limits: { max_workflows: 1_000, used: 2 },
      pagination: { page: 1, per_page: 50, total: 2, total_pages: 1 },
    });
    agent.clock.now += minute;
    const changed = await agent.client.call('PUT', '/v1/bot/workflow/update', {
      workflow_id,
      description: 'Why',
      is_active: 0,
    });
    expect(changed.body.workflow).toEqual({
      ...workflow,
      description: 'Why',
      is_active: false,
      status: 'inactive',
      updated_at: at('2031-03-01T12:01Z'),
    });
    const gone = await agent.client.call('DELETE', '/v1/bot/workflow/delete', { workflow_id });
    expect([gone.status, gone.body.success]).toEqual([200, true]);
    for (const what of ['read', 'logs'])
      expect((await get(what, { workflow_id })).body.error.code).toBe('workflow_not_found');
  });

  test('is put together from the catalog', async () => {
    const { triggers, actions, operators } = (await get('catalog')).body;
    expect(triggers.map(({ type }: { type: string }) => type)).toEqual([
      'event',
      'schedule',
      'webhook',
      'manual',
    ]);
    expect(triggers[0].events).toEqual(
      expect.arrayContaining(['memory.created', 'subscriber.joined', 'chat.ended', 'email.received']),
    );
    expect(actions).toEqual([
      { type: 'call_url', fields: ['url', 'method', 'headers', 'body'] },
      { type: 'send_email', fields: ['to', 'subject', 'body'] },
      { type: 'add_memory', fields: ['title', 'content', 'tags'] },
      { type: 'start_chat', fields: ['message', 'chat_id'] },
    ]);
    expect(operators).toContain('not_equals');
  });

  test.each([
    ['name', { name: '' }],
    ['name', { name: 'x'.repeat(201) }],
    ['trigger_type', { trigger_type: 'cron' }],
    ['trigger_event', { trigger_type: 'event' }],
    ['trigger_event', { trigger_type: 'event', trigger_event: 'heron.seen' }],
    ['trigger_config', { trigger_type: 'schedule' }],
    ['trigger_config', { trigger_type: 'schedule', trigger_config: [] }],
    ['actions', { actions: [] }],
    ['actions.0.type', { actions: [{ type: 'run_code' }] }],
    ['actions.0.url', { actions: [{ type: 'call_url' }] }],
    ['actions.0.headers', { actions: [{ type: 'call_url', url: 'https://x.example', headers: [] }] }],
    [
      'actions.0.headers.bad name',
      { actions: [{ type: 'call_url', url: 'https://x.example', headers: { 'bad name': 'x' } }] },
    ],
    ['actions.0.message', { actions: [{ type: 'start_chat' }] }],
    ['conditions.0.operator', { conditions: [{ field: 'a', operator: 'matches', value: 'b' }] }],
    ['is_active', { is_active: 'yes' }],
  ])('whose %s is wrong is refused by name: %j', async (field, input) => {
    const { status, body } = await create(input);
    expect([status, body.error.code]).toEqual([400, 'invalid_parameters']);
    expect(body.error.message.split(':')[0]).toBe(field);
  });

  test('is for staff to see and run, for owners and admins to make', async () => {
    const { uuid: workflow_id } = await make();
    const statuses = async (key: string) => [
      (await get('catalog', {}, key)).status,
      (await get('readall', {}, key)).status,
      (await get('logs', { workflow_id }, key)).status,
      (await post('run', { workflow_id }, key)).status,
      (await post('create', { name: 'x', trigger_type: 'manual', actions: [ask] }, key)).status,
      (await agent.client.call('PUT', '/v1/bot/workflow/update', { workflow_id, name: 'y' }, key)).status,
    ];
    expect(await statuses('moderator-key')).toEqual([200, 200, 200, 200, 403, 403]);
    expect(await statuses('member-key')).toEqual([403, 403, 403, 403, 403, 403]);
    expect(await statuses('other-key')).toEqual([403, 403, 403, 403, 403, 403]);
  });
});

test('a plan has so many, under creates at once too', async () => {
  await start({ plan: 'starter' });
  const made = await Promise.all(Array.from({ length: 12 }, () => create()));
  expect(made.filter(({ status }) => status === 201)).toHaveLength(5);
  expect(new Set(made.filter(({ status }) => status === 403).map(({ body }) => body.error.code))).toEqual(
    new Set(['plan_limit_reached']),
  );
  expect((await get('readall')).body.limits).toEqual({ max_workflows: 5, used: 5 });
  await agent.close();
});

describe('a run', () => {
  beforeEach(() => start());
  afterEach(() => agent.close());

  test('does its actions in order with what it was told, and is in the log', async () => {
    const { uuid } = await make({
      actions: [
        callUrl({ url: `${receiver.url}/{{id}}?q={{q}}`, headers: { 'X-Who': '{{who.name}}' } }),
        callUrl({
          method: 'PUT',
          body: { text: 'Hello {{who.name}}{{nobody}}', all: '{{who}}', list: ['{{n}}'] },
        }),
        ask,
      ],
    });
    const payload = { id: 'a/b', q: 'x & "y"', who: { name: 'Ada' }, n: 5 };
    const result = await run(uuid, payload);
    expect(result).toEqual({
      run_id: expect.any(Number),
      status: 'success',
      actions: [
        { type: 'call_url', status: 'success', error: null, output: { status: 204, body: '' } },
        { type: 'call_url', status: 'success', error: null, output: { status: 204, body: '' } },
        {
          type: 'start_chat',
          status: 'success',
          error: null,
          output: { chat_id: expect.any(String), reply: expect.stringContaining('5 to 8 business days') },
        },
      ],
    });
    const [first, second] = receiver.received;
    expect([first!.method, first!.path, first!.headers['x-who'], first!.body]).toEqual([
      'POST',
      '/hook/a%2Fb?q=x%20%26%20%22y%22',
      'Ada',
      payload,
    ]);
    expect([second!.method, second!.body]).toEqual([
      'PUT',
      { text: 'Hello Ada', all: '{"name":"Ada"}', list: ['5'] },
    ]);
    expect(await logsOf(uuid)).toEqual({
      total: 1,
      logs: [
        {
          id: result.run_id,
          workflow_uuid: uuid,
          trigger: 'manual',
          status: 'success',
          actions: result.actions,
          error: null,
          duration_ms: expect.any(Number),
          created_at: at('2031-03-01T12:00Z'),
        },
      ],
      pagination: { page: 1, per_page: 20, total: 1, total_pages: 1 },
    });
    expect(await readOne(uuid)).toMatchObject({ run_count: 1, last_run_at: at('2031-03-01T12:00Z') });
  });

  test('ends with the first action that fails', async () => {
    receiver.statuses.push(204, 500);
    const { uuid } = await make({ actions: [callUrl(), callUrl(), callUrl()] });
    const { status, actions } = await run(uuid);
    expect([status, actions]).toEqual([
      'error',
      [
        { type: 'call_url', status: 'success', error: null, output: { status: 204, body: '' } },
        { type: 'call_url', status: 'error', error: 'http_error', output: { status: 500, body: '' } },
      ],
    ]);
    expect(receiver.received).toHaveLength(2);
    expect((await logsOf(uuid)).logs[0]).toMatchObject({ status: 'error', error: 'http_error', actions });
  });

  test('does nothing where a condition does not hold, and does so when it is switched off', async () => {
    const conditions = [
      { field: 'order.total', operator: 'greater_than', value: 100 },
      { field: 'order.country', operator: 'equals', value: 'CA' },
    ];
    const { uuid } = await make({ conditions, is_active: false });
    const statusOf = async (order: object) => (await run(uuid, { order })).status;
    expect(await statusOf({ total: 100, country: 'CA' })).toBe('skipped');
    expect(await statusOf({ total: 101 })).toBe('skipped');
    expect(await statusOf({ total: 101, country: 'CA' })).toBe('success');
    expect(receiver.received).toHaveLength(1);
    const { logs } = await logsOf(uuid);
    expect(logs.map(({ status }: { status: string }) => status)).toEqual(['success', 'skipped', 'skipped']);
  });

  test('adds a memory that is found', async () => {
    const [action] = (
      await perform(
        [
          {
            type: 'add_memory',
            title: 'Note on {{what}}',
            content: '{{what}} nest in April.',
            tags: ['{{what}}', '{{missing}}'],
          },
        ],
        {
          what: 'Herons',
        },
      )
    ).actions;
    const { source } = (
      await agent.client.call('GET', '/v1/bot/source/read', { source_id: action.output.source_id })
    ).body;
    expect(source).toMatchObject({
      title: 'Note on Herons',
      tags: ['Herons'],
      content: 'Herons nest in April.',
    });
  });

  test('adds a memory under a title of 300 characters at most', async () => {
    const action = { type: 'add_memory', title: '{{what}}', content: 'x' };
    const { actions } = await perform([action], { what: 'a'.repeat(400) });
    const { source_id } = actions[0].output;
    const { source } = (await agent.client.call('GET', '/v1/bot/source/read', { source_id })).body;
    expect(source.title).toBe('a'.repeat(300));
  });

  test('asks as a visitor, whatever the words: what the project alone may know is not told', async () => {
    await agent.client.chat('A secret of Ada', { chat_id: 'ada', member_id: 'ada' });
    const { actions } = await perform([{ type: 'start_chat', message: '{{text}}', chat_id: 'w-{{n}}' }], {
      text: 'What did people ask? Read the conversations.',
      n: 1,
    });
    expect(actions[0].output.chat_id).toBe('w-1');
    expect(actions[0].output.reply).not.toContain('secret');
    expect((await agent.client.call('GET', '/v1/bot/chat/read', { chat_id: 'w-1' })).body.total).toBe(2);
  });

  test('a question that would wait for somebody is an error, and its conversation waits for nobody', async () => {
    const asks = { type: 'start_chat', message: 'Where is my order LF-10234?', chat_id: 'w' };
    const { status, actions } = await perform([asks]);
    expect([status, actions[0].error]).toEqual(['error', 'approval_required']);
    const { conversation } = (await agent.client.call('GET', '/v1/bot/chat/read', { chat_id: 'w' })).body;
    expect(conversation.at(-1)).toMatchObject({ isToolExecuting: false });
  });

  test.each([
    ['a private address', 'http://127.0.0.1:1/', 'address_not_allowed'],
    ['a name of one', 'http://localhost:8787/', 'address_not_allowed'],
    ['an address in the network', 'http://169.254.169.254/latest', 'address_not_allowed'],
    ['another scheme', 'file:///etc/passwd', 'invalid_url'],
    ['no address', 'nowhere', 'invalid_url'],
    ['a way out of its path', 'http://{{host}}/shops/{{up}}/keys', 'address_not_allowed'],
  ])('does not call %s', async (_, url, error) => {
    const { status, actions } = await perform([callUrl({ url })], {
      up: '..',
      host: new URL(receiver.url).host,
    });
    expect([status, actions[0].error]).toEqual(['error', error]);
    expect(receiver.received).toEqual([]);
  });

  test('follows no redirect, and sends no header that a value would add', async () => {
    receiver.statuses.push(302);
    const redirected = await perform([callUrl()]);
    expect(redirected.actions[0]).toMatchObject({ error: 'http_error', output: { status: 302 } });
    const { actions } = await perform([callUrl({ headers: { 'x-a': '{{v}}' } })], { v: 'b\r\nx-c: d' });
    expect(actions[0].error).toBe('invalid_request');
    for (const headers of [{ expect: '100-continue' }, { connection: 'upgrade' }, { 'content-length': '3' }])
      expect((await perform([callUrl({ headers })])).actions[0].error).toBe('invalid_request');
    expect(receiver.received).toHaveLength(1);
  });

  test('sends the headers of its owner in place of its own, whatever their case', async () => {
    await perform([callUrl({ headers: { 'Content-Type': 'text/plain', 'X-Service-Workflow': '0' } })]);
    const { 'content-type': type, 'x-service-workflow': origin } = receiver.received[0]!.headers;
    // That a workflow calls is nobody's to deny.
    expect([type, origin]).toEqual(['text/plain', '1']);
  });

  test('says no more than a bound, however often it repeats what it was told', async () => {
    const { actions } = await perform([callUrl({ body: '{{a}}'.repeat(1_000) })], { a: 'x'.repeat(100_000) });
    expect(actions[0].error).toBe('too_large');
  });

  test('takes no payload that is none, or nests endlessly', async () => {
    const { uuid: workflow_id } = await make();
    let deep: object = {};
    for (let level = 0; level < 200; level += 1) deep = { deep };
    for (const payload of ['text', [1], deep]) {
      const { status, body } = await post('run', { workflow_id, payload });
      expect([status, body.error.message.split(':')[0]]).toEqual([400, 'payload']);
    }
  });

  test('switched off in the middle, it goes no further', async () => {
    const { uuid } = await make({ actions: [callUrl(), callUrl()] });
    let release = () => {};
    receiver.held = new Promise((resolve) => {
      release = () => resolve();
    });
    const running = run(uuid);
    await receiver.count(1);
    await agent.client.call('PUT', '/v1/bot/workflow/update', { workflow_id: uuid, is_active: false });
    release();
    const { status, actions } = await running;
    expect([status, actions.map(({ error }: { error: string }) => error)]).toEqual([
      'error',
      [null, 'switched_off'],
    ]);
    expect(receiver.received).toHaveLength(1);
  });

  test('of one conversation they wait for each other', async () => {
    const { uuid } = await make({ actions: [{ type: 'start_chat', message: question, chat_id: 'one' }] });
    const results = await Promise.all([run(uuid), run(uuid), run(uuid)]);
    expect(results.map(({ status }) => status)).toEqual(['success', 'success', 'success']);
  });

  test('switched off while it waits for one, it asks nothing', async () => {
    await agent.close();
    const gate = createGate();
    await start({ wordsPerSecond: 5, sleep: gate.sleep });
    const speaking = agent.client.chat(question, { chat_id: 'one' });
    await expect
      .poll(async () => (await agent.client.call('GET', '/v1/bot/chat/active-streams')).body.streams.length)
      .toBe(1);
    const { uuid } = await make({ actions: [{ ...ask, chat_id: 'one' }] });
    const running = run(uuid);
    await agent.client.call('PUT', '/v1/bot/workflow/update', { workflow_id: uuid, is_active: false });
    gate.open();
    await speaking;
    expect((await running).actions[0].error).toBe('switched_off');
  });

  test('more than can wait are refused, and none of these is in the log', async () => {
    const { uuid } = await make();
    let release = () => {};
    receiver.held = new Promise((resolve) => {
      release = () => resolve();
    });
    const all = Array.from({ length: 80 }, () => post('run', { workflow_id: uuid }));
    await receiver.count(20);
    release();
    const answers = await Promise.all(all);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(10);
    expect(refused[0]!.body.error.code).toBe('workflow_busy');
    expect((await logsOf(uuid)).total).toBe(70);
  });

  test('many at once are all made', async () => {
    const { uuid } = await make();
    const results = await Promise.all(Array.from({ length: 60 }, () => run(uuid)));
    expect(new Set(results.map(({ run_id }) => run_id)).size).toBe(60);
    expect(await readOne(uuid)).toMatchObject({ run_count: 60 });
  });
});

describe('what begins one', () => {
  beforeEach(() => start());
  afterEach(() => agent.close());

  test('an event, with the body of its webhook', async () => {
    const { uuid } = await make({ trigger_type: 'event', trigger_event: 'memory.created' });
    const off = await make({ trigger_type: 'event', trigger_event: 'memory.created', is_active: false });
    const { source } = (await addText()).body;
    await untilLogged(1, uuid);
    expect(receiver.received.map(({ body }) => body)).toEqual([
      {
        event: 'memory.created',
        resource_id: source.uuid,
        name: 'Herons',
        email: null,
        bot: { id: 'juniper', name: 'Juniper' },
      },
    ]);
    expect((await logsOf(uuid)).logs[0].trigger).toBe('event');
    expect((await logsOf(off.uuid)).total).toBe(0);
  });

  test('what a workflow does begins none', async () => {
    const again = { trigger_type: 'event', trigger_event: 'memory.created' };
    const { uuid } = await make({ ...again, actions: [{ type: 'add_memory', content: 'More on {{name}}' }] });
    const ended = await make({ trigger_type: 'event', trigger_event: 'chat.ended', actions: [ask] });
    await addText();
    await untilLogged(1, uuid);
    await agent.client.chat(question, { chat_id: 'c' });
    await pass(31 * minute);
    await untilLogged(1, ended.uuid);
    await pass(31 * minute);
    await agent.service.idle();
    await pass(31 * minute);
    expect([(await logsOf(uuid)).total, (await logsOf(ended.uuid)).total]).toEqual([1, 1]);
  });

  test('nor does what it calls, if that is this service', async () => {
    const looped = await startAgent(
      {
        AGENT_DB: ':memory:',
        AGENT_API_KEY: 'k',
        AGENT_PRIVATE_HOSTS: `127.0.0.1:${receiver.port}`,
        PORT: '0',
      },
      { log() {}, print() {} },
    );
    const { host } = new URL(looped.url);
    const client = createAgentClient(looped.url, looped);
    await looped.close();
    const again = await startAgent(
      { AGENT_DB: ':memory:', AGENT_API_KEY: 'k', AGENT_PRIVATE_HOSTS: host, PORT: host.split(':')[1] },
      { log() {}, print() {} },
    );
    const body = {
      project_id: again.projectId,
      bot_id: again.botId,
      type: 'text',
      title: 'x',
      source: 'More.',
    };
    const made = await client.call('POST', '/v1/bot/workflow/create', {
      name: 'Loop',
      trigger_type: 'event',
      trigger_event: 'memory.created',
      actions: [
        {
          type: 'call_url',
          url: `${again.url}/v1/bot/source/create`,
          headers: { authorization: 'Bearer k' },
          body,
        },
      ],
    });
    const hook = await client.call('POST', '/v1/bot/workflow/create', {
      name: 'Hook',
      trigger_type: 'webhook',
      actions: [{ type: 'call_url', url: `${again.url}/v1/bot/workflow/incoming/{{id}}/{{secret}}` }],
    });
    const { uuid: id, trigger_config } = hook.body.workflow;
    await addText(client);
    const { result } = (
      await client.call('POST', `/v1/bot/workflow/incoming/${id}/${trigger_config.secret}`, {
        id,
        secret: trigger_config.secret,
      })
    ).body;
    expect(result.actions[0]).toMatchObject({ error: 'http_error', output: { status: 409 } });
    const self = await client.call('POST', '/v1/bot/workflow/create', {
      name: 'Again',
      trigger_type: 'manual',
      actions: [
        {
          type: 'call_url',
          url: `${again.url}/v1/bot/workflow/run`,
          headers: { authorization: 'Bearer k' },
          body: { project_id: again.projectId, bot_id: again.botId, workflow_id: '{{id}}' },
        },
      ],
    });
    const { uuid: workflow_id } = self.body.workflow;
    const nested = await client.call('POST', '/v1/bot/workflow/run', {
      workflow_id,
      payload: { id: workflow_id },
    });
    expect(nested.body.result.actions[0]).toMatchObject({ error: 'http_error', output: { status: 409 } });
    const logs = async () =>
      (await client.call('GET', '/v1/bot/workflow/logs', { workflow_id: made.body.workflow.uuid })).body;
    await expect.poll(async () => (await logs()).total).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await logs()).total).toBe(1);
    expect((await client.call('GET', '/v1/bot/source/readall')).body.pagination.total).toBe(2);
    await again.close();
  });

  test('what waits for its turn is dropped with a switch', async () => {
    const { uuid } = await make({ trigger_type: 'event', trigger_event: 'memory.created' });
    let release = () => {};
    receiver.held = new Promise((resolve) => {
      release = () => resolve();
    });
    for (let n = 0; n < 3; n += 1) await addText();
    await receiver.count(1);
    const change = (is_active: boolean) =>
      agent.client.call('PUT', '/v1/bot/workflow/update', { workflow_id: uuid, is_active });
    await change(false);
    await change(true);
    release();
    await untilLogged(1, uuid);
    await addText();
    await untilLogged(2, uuid);
    expect(receiver.received).toHaveLength(2);
  });

  test('another that is held up holds up none but itself', async () => {
    const slow = await make({ trigger_type: 'event', trigger_event: 'memory.created' });
    const quick = await make({ trigger_type: 'event', trigger_event: 'memory.created', actions: [ask] });
    let release = () => {};
    receiver.held = new Promise((resolve) => {
      release = () => resolve();
    });
    for (let n = 0; n < 8; n += 1) await addText();
    await untilLogged(8, quick.uuid);
    expect((await logsOf(slow.uuid)).total).toBe(0);
    release();
    await untilLogged(8, slow.uuid);
  });

  test('the end of a conversation: silence, or that it is deleted, once each', async () => {
    const { uuid } = await make({ trigger_type: 'event', trigger_event: 'chat.ended' });
    await agent.client.chat(question, { chat_id: 'silent' });
    await agent.client.chat(question, { chat_id: 'deleted' });
    await agent.client.call('DELETE', '/v1/bot/chat/delete', { chat_id: 'deleted' });
    await untilLogged(1, uuid);
    await pass(29 * minute);
    await agent.client.chat(question, { chat_id: 'silent' });
    await pass(29 * minute);
    expect((await logsOf(uuid)).total).toBe(1);
    await pass(minute);
    await untilLogged(2, uuid);
    await agent.client.call('DELETE', '/v1/bot/chat/delete', { chat_id: 'silent' });
    await pass(60 * minute);
    await agent.client.chat(question, { chat_id: 'last' });
    await agent.client.call('DELETE', '/v1/bot/chat/delete', { chat_id: 'last' });
    await receiver.count(3);
    expect(receiver.received.map(({ body }) => [body.event, body.resource_id])).toEqual([
      ['chat.ended', 'deleted'],
      ['chat.ended', 'silent'],
      ['chat.ended', 'last'],
    ]);
  });

  test('a schedule, as a task has it', async () => {
    const trigger_config = {
      schedule_type: 'daily',
      schedule_config: { time: '09:00' },
      timezone: 'America/New_York',
    };
    const workflow = await make({ trigger_type: 'schedule', trigger_config });
    expect([workflow.trigger_config, workflow.next_run_at]).toEqual([
      trigger_config,
      at('2031-03-01T14:00Z'),
    ]);
    await pass(2 * 60 * minute);
    await untilLogged(1, workflow.uuid);
    expect(receiver.received[0]!.body).toEqual({
      workflow_id: workflow.uuid,
      scheduled_at: at('2031-03-01T14:00Z'),
    });
    expect(await readOne(workflow.uuid)).toMatchObject({
      next_run_at: at('2031-03-02T14:00Z'),
      run_count: 1,
    });
    const refused = await create({
      trigger_type: 'schedule',
      trigger_config: { schedule_type: 'interval', schedule_config: { interval_minutes: 1 } },
    });
    expect([refused.status, refused.body.error.code]).toEqual([400, 'schedule_too_frequent']);
  });

  test('its record may be sent back as it was read: that begins nothing anew', async () => {
    const schedule = (schedule_type: string, schedule_config: object) =>
      make({ trigger_type: 'schedule', trigger_config: { schedule_type, schedule_config } });
    const every = await schedule('interval', { interval_minutes: 1_440 });
    const once = await schedule('once', { scheduled_at: '2031-03-01T12:30:00Z' });
    await pass(60 * minute);
    await untilLogged(1, once.uuid);
    for (const { uuid } of [every, once]) {
      const before = await readOne(uuid);
      const sent = { ...before, workflow_id: uuid, name: 'Another' };
      const { status, body } = await agent.client.call('PUT', '/v1/bot/workflow/update', sent);
      expect([status, body.workflow]).toEqual([
        200,
        { ...before, name: 'Another', updated_at: body.workflow.updated_at },
      ]);
    }
  });

  test('a schedule that is switched off has no slots, and switched on its next', async () => {
    const schedule = { schedule_type: 'interval', schedule_config: { interval_minutes: 60 } };
    const { uuid } = await make({ trigger_type: 'schedule', trigger_config: schedule });
    const change = async (input: object) =>
      (await agent.client.call('PUT', '/v1/bot/workflow/update', { workflow_id: uuid, ...input })).body
        .workflow;
    expect(await change({ is_active: false })).toMatchObject({ is_active: false, next_run_at: null });
    await pass(61 * minute);
    await pass(minute);
    expect([(await logsOf(uuid)).total, receiver.received]).toEqual([0, []]);
    expect(await change({ is_active: true })).toMatchObject({ next_run_at: at('2031-03-01T14:02Z') });
    await pass(60 * minute);
    await untilLogged(1, uuid);
  });

  test('of its schedule only what is sent is another', async () => {
    const schedule = { schedule_type: 'weekly', schedule_config: { day: 7, time: '09:00' } };
    const { uuid, trigger_config } = await make({ trigger_type: 'schedule', trigger_config: schedule });
    const { status, body } = await agent.client.call('PUT', '/v1/bot/workflow/update', {
      workflow_id: uuid,
      trigger_config: { schedule_config: { time: '10:00' } },
    });
    expect([status, body.workflow?.trigger_config]).toEqual([
      200,
      { ...trigger_config, schedule_config: { day: 7, time: '10:00' } },
    ]);
  });

  test('another event alone is another beginning', async () => {
    const { uuid } = await make({ trigger_type: 'event', trigger_event: 'memory.deleted' });
    const change = { workflow_id: uuid, trigger_event: 'memory.created' };
    const { body } = await agent.client.call('PUT', '/v1/bot/workflow/update', change);
    expect(body.workflow.trigger_event).toBe('memory.created');
    await addText();
    await untilLogged(1, uuid);
  });

  test('a schedule whose run before goes on still: the slot is skipped, and said', async () => {
    const { uuid } = await make({
      trigger_type: 'schedule',
      trigger_config: { schedule_type: 'interval', schedule_config: { interval_minutes: 60 } },
    });
    let release = () => {};
    receiver.held = new Promise((resolve) => {
      release = () => resolve();
    });
    await pass(60 * minute);
    await receiver.count(1);
    await pass(60 * minute);
    expect((await logsOf(uuid)).logs).toMatchObject([
      { status: 'skipped', error: 'already_running', trigger: 'schedule', actions: [] },
    ]);
    release();
    await untilLogged(2, uuid);
    await pass(60 * minute);
    await untilLogged(3, uuid);
    expect(receiver.received).toHaveLength(2);
  });

  test('a schedule that has one slot keeps it, though somebody runs it just then', async () => {
    const { uuid } = await make({
      trigger_type: 'schedule',
      trigger_config: { schedule_type: 'once', schedule_config: { scheduled_at: '2031-03-01T12:10:00Z' } },
    });
    let release = () => {};
    receiver.held = new Promise((resolve) => {
      release = () => resolve();
    });
    const called = run(uuid);
    await receiver.count(1);
    await pass(11 * minute);
    release();
    await called;
    await untilLogged(2, uuid);
    const { logs } = await logsOf(uuid);
    expect(logs.map(({ trigger }: { trigger: string }) => trigger).sort()).toEqual(['manual', 'schedule']);
    expect(logs.map(({ error }: { error: string }) => error)).toEqual([null, null]);
  });

  test('a run that goes on while its schedule comes to its end takes every step', async () => {
    const { uuid } = await make({
      trigger_type: 'schedule',
      trigger_config: { schedule_type: 'once', schedule_config: { scheduled_at: '2031-03-01T12:10:00Z' } },
      actions: [callUrl(), callUrl()],
    });
    let release = () => {};
    receiver.held = new Promise((resolve) => {
      release = () => resolve();
    });
    const called = run(uuid);
    await receiver.count(1);
    await pass(11 * minute);
    await receiver.count(2);
    expect(await readOne(uuid)).toMatchObject({ is_active: false });
    release();
    expect(await called).toMatchObject({ status: 'success', actions: [{ error: null }, { error: null }] });
    await untilLogged(2, uuid);
    expect(receiver.received).toHaveLength(4);
  });

  test('a schedule that is over is inactive', async () => {
    const { uuid } = await make({
      trigger_type: 'schedule',
      trigger_config: { schedule_type: 'once', schedule_config: { scheduled_at: '2031-03-01T12:10:00Z' } },
    });
    await pass(11 * minute);
    await untilLogged(1, uuid);
    expect(await readOne(uuid)).toMatchObject({ is_active: false, status: 'inactive', next_run_at: null });
  });

  test('a call from elsewhere that knows the secret, and needs no key', async () => {
    const workflow = await make({ trigger_type: 'webhook', trigger_config: { secret: 'mine' } });
    const { secret } = workflow.trigger_config;
    expect(secret).toMatch(/^[\w-]{40,}$/);
    const { uuid } = workflow;
    const send = (path: string, body: unknown = { a: 1 }) =>
      agent.service.fetch(
        new Request(`http://agent.test/v1/bot/workflow/incoming/${path}`, {
          method: 'POST',
          body: typeof body === 'string' ? body : JSON.stringify(body),
        }),
      );
    const taken = await send(`${uuid}/${secret}`);
    expect([taken.status, await taken.json()]).toEqual([
      200,
      { received: true, result: expect.objectContaining({ status: 'success', run_id: expect.any(Number) }) },
    ]);
    expect(receiver.received[0]!.body).toEqual({ a: 1 });
    expect((await logsOf(uuid)).logs[0].trigger).toBe('webhook');
    const manual = await make();
    for (const path of [`${uuid}/mine`, `${uuid}/x`, `none/${secret}`, `${manual.uuid}/undefined`]) {
      const refused = await send(path);
      expect([refused.status, (await refused.json()).error.code]).toEqual([404, 'workflow_not_found']);
    }
    for (const body of ['[1]', 'no', '5']) expect((await send(`${uuid}/${secret}`, body)).status).toBe(400);
    expect((await send(`${uuid}/${secret}`, { a: 'x'.repeat(1_100_000) })).status).toBe(413);
    const update = { workflow_id: uuid, trigger_config: { secret: 'mine' }, is_active: false };
    const kept = await agent.client.call('PUT', '/v1/bot/workflow/update', update);
    expect(kept.body.workflow.trigger_config).toEqual({ secret });
    expect((await send(`${uuid}/${secret}`)).status).toBe(409);
    expect(receiver.received).toHaveLength(1);
  });

  test('a call that reads brings no body', async () => {
    const { status, actions } = await perform([callUrl({ method: 'GET', body: { a: 1 } })], { b: 2 });
    expect([status, actions[0].output.status]).toEqual(['success', 204]);
    expect(receiver.received.at(-1)).toMatchObject({ method: 'GET', raw: '' });
  });

  test('the statistics count the runs by what began them', async () => {
    const event = await make({ trigger_type: 'event', trigger_event: 'memory.created' });
    const { uuid } = await make();
    receiver.statuses.push(500);
    await run(uuid);
    await run(uuid);
    await addText();
    await untilLogged(1, event.uuid);
    const { body } = await agent.client.call('GET', '/v1/bot/stats/workflows');
    expect(body).toEqual({
      total_workflows: 3,
      completion_rate: (2 / 3) * 100,
      common_patterns: [
        { trigger_type: 'manual', trigger_event: null, count: 2 },
        { trigger_type: 'event', trigger_event: 'memory.created', count: 1 },
      ],
    });
    // One that was not to run ended neither well nor badly.
    await agent.client.call('PUT', '/v1/bot/workflow/update', {
      workflow_id: uuid,
      conditions: [{ field: 'x', operator: 'exists', value: true }],
    });
    await run(uuid);
    expect((await agent.client.call('GET', '/v1/bot/stats/workflows')).body).toMatchObject({
      total_workflows: 4,
      completion_rate: (2 / 3) * 100,
    });
    // One that is under way has not ended yet.
    let release = () => {};
    receiver.held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { length } = receiver.received;
    const slow = await make({ actions: [callUrl()] });
    const running = run(slow.uuid);
    await receiver.count(length + 1);
    expect((await agent.client.call('GET', '/v1/bot/stats/workflows')).body).toMatchObject({
      total_workflows: 4,
      completion_rate: (2 / 3) * 100,
    });
    release();
    receiver.held = undefined;
    await running;
    const before = await agent.client.call('GET', '/v1/bot/stats/workflows', { to: '2031-02-01' });
    expect(before.body).toEqual({ total_workflows: 0, completion_rate: 0, common_patterns: [] });
  });
});

describe('over a stop', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'agent-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const begin = async (offsetSeconds: number) => {
    const env = {
      AGENT_API_KEY: target.apiKey,
      AGENT_PROJECT_ID: target.projectId,
      AGENT_BOT_ID: target.botId,
      AGENT_DB: join(folder, 'agent.db'),
      AGENT_CLOCK_OFFSET_SECONDS: String(offsetSeconds),
      AGENT_PRIVATE_HOSTS: `127.0.0.1:${receiver.port}`,
      PORT: '0',
    };
    const started = await startAgent(env, { log() {}, print() {} });
    const { call } = createAgentClient(started.url, target);
    const logs = async (workflow_id: string) =>
      (await call('GET', '/v1/bot/workflow/logs', { workflow_id })).body.logs;
    return { call, logs, close: started.close };
  };
  const tell = { name: 'Tell', trigger_type: 'manual' };

  test('slots of an interval that were missed give one run, and it counts from the start', async () => {
    const { call, close } = await begin(0);
    const ids: string[] = [];
    for (const interval_minutes of [60, 600]) {
      const trigger_config = { schedule_type: 'interval', schedule_config: { interval_minutes } };
      const input = { ...tell, trigger_type: 'schedule', trigger_config, actions: [callUrl()] };
      ids.push((await call('POST', '/v1/bot/workflow/create', input)).body.workflow.uuid);
    }
    await close();
    const offset = 5.5 * 3_600_000;
    const again = await begin(offset / 1000);
    await expect.poll(async () => (await again.logs(ids[0]!)).length).toBe(1);
    expect(await again.logs(ids[1]!)).toEqual([]);
    for (const [index, wait] of [60 * minute, 600 * minute].entries()) {
      const { body } = await again.call('GET', '/v1/bot/workflow/read', { workflow_id: ids[index] });
      const next = Date.parse(body.workflow.next_run_at) - Date.now() - offset;
      expect(next).toBeLessThanOrEqual(wait);
      expect(next).toBeGreaterThan(wait - 10 * minute);
    }
    await again.close();
  });

  test('a run that it cut off is said, and is kept for 400 days', async () => {
    const { call, close } = await begin(0);
    const { body } = await call('POST', '/v1/bot/workflow/create', { ...tell, actions: [callUrl()] });
    const { uuid: workflow_id } = body.workflow;
    let release = () => {};
    receiver.held = new Promise((resolve) => {
      release = () => resolve();
    });
    const called = call('POST', '/v1/bot/workflow/run', { workflow_id });
    await receiver.count(1);
    await Promise.all([close(), called.catch(() => {})]);
    release();
    const errorsAfter = async (days: number) => {
      const again = await begin(days * 24 * 3_600);
      const errors = (await again.logs(workflow_id)).map(({ error }: { error: string }) => error);
      await again.close();
      return errors;
    };
    expect(await errorsAfter(0)).toEqual(['interrupted']);
    expect(await errorsAfter(399)).toEqual(['interrupted']);
    expect(await errorsAfter(401)).toEqual([]);
  });
});

describe('over a kill', () => {
  let folder: string;
  let killed: AgentProcess | undefined;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'agent-'));
  });
  afterEach(async () => {
    await killed?.kill();
    rmSync(folder, { recursive: true });
  });
  const open = async () => {
    killed = await runAgent({
      AGENT_DB: join(folder, 'agent.db'),
      AGENT_PRIVATE_HOSTS: `127.0.0.1:${receiver.port}`,
      AGENT_MIN_TASK_INTERVAL_SECONDS: '0',
    });
    return killed;
  };

  test('what had not begun is run once, what was cut off is said with the steps that were done', async () => {
    const { call, kill } = await open();
    const { body } = await call('POST', '/v1/bot/workflow/create', {
      name: 'Tell',
      trigger_type: 'event',
      trigger_event: 'memory.created',
      actions: [callUrl({ method: 'PUT' }), callUrl()],
    });
    const { uuid: workflow_id } = body.workflow;
    const add = (n: number) =>
      call('POST', '/v1/bot/source/create', { type: 'text', title: `T${n}`, source: `Text ${n}.` });
    let release = () => {};
    receiver.statuses.push(204);
    await add(0);
    await receiver.count(2);
    // One stands in its first step, the others wait.
    receiver.held = new Promise((resolve) => {
      release = () => resolve();
    });
    for (let n = 1; n < 6; n += 1) await add(n);
    await receiver.count(3);
    await kill();
    receiver.held = undefined;
    release();
    const again = await open();
    const logs = async () => (await again.call('GET', '/v1/bot/workflow/logs', { workflow_id })).body;
    await expect.poll(async () => (await logs()).total).toBe(6);
    const { logs: all } = await logs();
    expect(
      all.map((log: { status: string; error: string | null }) => log.error ?? log.status).reverse(),
    ).toEqual(['success', 'interrupted', 'success', 'success', 'success', 'success']);
    const finished = receiver.received
      .filter(({ method }) => method === 'POST')
      .map(({ body: told }) => told.name);
    expect(finished).toEqual(['T0', 'T2', 'T3', 'T4', 'T5']);
  });

  test('a slot that was missed runs once after the start', async () => {
    const { call, kill } = await open();
    const { body } = await call('POST', '/v1/bot/workflow/create', {
      name: 'Tell',
      trigger_type: 'schedule',
      trigger_config: { schedule_type: 'interval', schedule_config: { interval_minutes: 0.01 } },
      actions: [callUrl()],
    });
    await receiver.count(1);
    await kill();
    const before = receiver.received.length;
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    await open();
    await receiver.count(before + 2);
    const [missed, next] = receiver.received.slice(before);
    expect(next!.at - missed!.at).toBeGreaterThan(400);
    expect(body.workflow.next_run_at).not.toBeNull();
  });
});
