/** Two agents of one project: neither reaches, changes or counts what is the other's. */

import { afterEach, beforeEach, expect, test } from 'vitest';
import { readAllowance } from '../../server-helper/agent/plan.ts';
import { type ShopAgent, startShopAgent } from '../support/agentservice.ts';

let agent: ShopAgent;
/** The second agent's. */
let bot_id: string;
beforeEach(async () => {
  agent = await startShopAgent({ plan: 'starter', requestsPerMinute: 10_000 });
  bot_id = (await agent.client.call('POST', '/v1/bot/create', { name: 'Second' })).body.bot.uuid;
});
afterEach(() => agent.close());

const call = (method: string, path: string, input: object = {}) =>
  agent.client.call(method, `/v1/bot/${path}`, input);
const actions = [{ type: 'add_memory', content: 'A note.' }];
const manual = { name: 'Note', trigger_type: 'manual', actions };

test('nothing of one is read, changed or deleted through the other', async () => {
  const { field } = (await call('POST', 'crm/fields', { label: 'Size' })).body;
  const { task } = (await call('POST', 'tasks/create', { prompt: 'Hello' })).body;
  await call('POST', 'tasks/trigger', { task_id: task.uuid });
  const [log] = (await call('GET', 'tasks/logs')).body.logs;
  const { workflow } = (await call('POST', 'workflow/create', manual)).body;
  const { source } = (await call('POST', 'source/create', { type: 'text', source: 'A heron.' })).body;
  const { workspace } = (await call('POST', 'workspace/create')).body;
  const { workspace_uuid } = { workspace_uuid: workspace.uuid };
  const { file } = (await call('POST', 'workspace/file', { workspace_uuid, file_path: 'a', content: 'x' }))
    .body;
  const { tool } = (
    await call('POST', 'tool', { server_label: 'S', server_url: 'http://127.0.0.1:9/', transport: 'http' })
  ).body;
  await agent.client.chat('Hello', { chat_id: 'c', member_id: 'ada' });
  const [task_id, workflow_id, source_id] = [task.uuid, workflow.uuid, source.uuid];
  const calls: [string, string, object][] = [
    ['PUT', `crm/fields/${field.uuid}`, { label: 'Other' }],
    ['GET', 'tasks/read', { task_id }],
    ['PUT', 'tasks/update', { task_id, prompt: 'Other' }],
    ['POST', 'tasks/disable', { task_id }],
    ['POST', 'tasks/trigger', { task_id }],
    ['DELETE', 'tasks/delete', { task_id }],
    ['DELETE', 'tasks/logs/delete', { run_id: log.id }],
    ['GET', 'workflow/read', { workflow_id }],
    ['PUT', 'workflow/update', { workflow_id, name: 'Other' }],
    ['POST', 'workflow/run', { workflow_id }],
    ['GET', 'workflow/logs', { workflow_id }],
    ['DELETE', 'workflow/delete', { workflow_id }],
    ['GET', 'source/read', { source_id }],
    ['PUT', 'source/update', { source_id, title: 'Other' }],
    ['DELETE', 'source/delete', { source_id }],
    ['GET', 'workspace/files', { workspace_uuid }],
    ['GET', 'workspace/file', { workspace_uuid, file_uuid: file.uuid }],
    ['PUT', 'workspace/file', { workspace_uuid, file_uuid: file.uuid, content: 'y' }],
    ['DELETE', 'workspace/delete', { workspace_uuid }],
    ['GET', `tool/${tool.id}`, {}],
    ['PUT', `tool/${tool.id}`, { server_label: 'Other' }],
    ['DELETE', `tool/${tool.id}`, {}],
    ['GET', 'chat/read', { chat_id: 'c' }],
    ['DELETE', 'chat/delete', { chat_id: 'c' }],
  ];
  for (const [method, path, input] of calls) {
    const { status, body } = await call(method, path, { ...input, bot_id });
    expect([method, path, status, body.code ?? body.error?.code]).toEqual([
      method,
      path,
      404,
      expect.stringMatching(/_not_found$/),
    ]);
  }
  expect((await call('GET', 'tasks/read', { task_id })).body.task).toMatchObject({ prompt: 'Hello' });
  expect((await call('GET', 'tasks/logs')).body.total).toBe(1);
  expect((await call('GET', 'chat/read', { chat_id: 'c' })).status).toBe(200);
  expect((await call('GET', `tool/${tool.id}`)).body.tool.server_label).toBe('S');
});

test('what happens to one begins no workflow of the other, and is not seen on its dashboard', async () => {
  const asks = [{ type: 'start_chat', message: 'Hello' }];
  const memory = { name: 'Told', trigger_type: 'event', trigger_event: 'memory.created', actions: asks };
  const ofFirst = (await call('POST', 'workflow/create', memory)).body.workflow.uuid;
  const ofSecond = (await call('POST', 'workflow/create', { ...memory, bot_id })).body.workflow.uuid;
  await call('POST', 'source/create', { type: 'text', source: 'A heron.' });
  const countOf = async (workflow_id: string, whose: object = {}) =>
    (await call('GET', 'workflow/logs', { workflow_id, ...whose })).body.total;
  await expect.poll(() => countOf(ofFirst)).toBe(1);
  expect(await countOf(ofSecond, { bot_id })).toBe(0);
  const { task } = (await call('POST', 'tasks/create', { prompt: 'Hello', name: 'Of the first' })).body;
  await call('POST', 'tasks/trigger', { task_id: task.uuid });
  const activityOf = async (whose: object = {}) =>
    JSON.stringify((await call('GET', 'stats/dashboard', whose)).body.recent_activity);
  expect(await activityOf()).toContain('Of the first');
  expect(await activityOf({ bot_id })).toBe('[]');
});

test('keys of fields and places of stages are counted for each alone', async () => {
  for (const at of [{}, { bot_id }]) {
    expect((await call('POST', 'crm/fields', { label: 'Size', ...at })).body.field.field_key).toBe('size');
    for (const sort_order of [1, 2]) {
      const { stage } = (await call('POST', 'crm/pipelines/stages', { name: 'New', ...at })).body;
      expect(stage.sort_order).toBe(sort_order);
    }
  }
});

test('what a plan allows an agent is counted for each alone', async () => {
  const limits = [
    ['workflow/create', manual, 5],
    ['tasks/create', { prompt: 'Hello' }, 3],
  ] as const;
  for (const [path, input, most] of limits) {
    for (let count = 0; count < most; count += 1) expect((await call('POST', path, input)).status).toBe(201);
    const refused = (await call('POST', path, input)).body;
    expect(refused.code ?? refused.error.code).toBe('plan_limit_reached');
    expect([path, (await call('POST', path, { ...input, bot_id })).status]).toEqual([path, 201]);
  }
  const { limits: shown } = (await call('GET', 'workflow/readall', { bot_id })).body;
  expect(shown).toEqual({ max_workflows: 5, used: 1 });
  const listed = (await call('GET', 'workflow/readall', { per_page: 1 })).body;
  expect(listed.limits).toEqual({ max_workflows: 5, used: 5 });
});

test('what a helper of one says is left of the plan is that one’s', async () => {
  for (let n = 0; n < 10; n += 1) await call('POST', 'workspace/create', { bot_id, purpose: 'service' });
  const http = (bot: object) => ({
    call: async (method: string, path: string, { query = {} } = {}) =>
      (await agent.client.call(method, path, { ...query, ...bot })).body,
  });
  const own = await readAllowance(http({}));
  expect(own).toEqual({ used: expect.any(Number), most: 10 });
  const { used, most } = own!;
  for (let left = most - used; left > 0; left -= 1)
    expect((await call('POST', 'workspace/create', { purpose: 'service' })).status).toBe(201);
  expect(await readAllowance(http({}))).toEqual({ used: 10, most: 10 });
  expect((await call('POST', 'workspace/create', { purpose: 'service' })).body.error.code).toBe(
    'plan_limit_reached',
  );
  expect(await readAllowance(http({ bot_id }))).toEqual({ used: 10, most: 10 });
});
