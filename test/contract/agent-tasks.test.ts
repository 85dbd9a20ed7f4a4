/** What the local agent service does by itself, row by row of the API document. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startAgent } from '../../demo/agent/start.ts';
import { createAgentClient } from '../support/agentclient.ts';
import { type AgentProcess, runAgent, target } from '../support/agentprocess.ts';
import { createGate, type ShopAgent, startShopAgent } from '../support/agentservice.ts';

const minute = 60_000;
const hour = 60 * minute;
const question = 'How long does shipping to Canada take?';
let agent: ShopAgent;
/** A task that waits for its turn. */
let waiting: string;

const start = async (options: object = {}) => {
  agent = await startShopAgent({
    extraKeys: [
      { key: 'admin-key', role: 'admin' },
      { key: 'moderator-key', role: 'moderator' },
      { key: 'member-key', role: 'member' },
      { key: 'other-key', role: 'owner', projectId: 'other' },
    ],
    ...options,
  });
};
afterEach(() => agent.close());

const create = (input: object = {}) =>
  agent.client.call('POST', '/v1/bot/tasks/create', { prompt: question, ...input });
const make = async (input: object = {}) => {
  const { status, body } = await create(input);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.task;
};
const read = async (task_id: string) =>
  (await agent.client.call('GET', '/v1/bot/tasks/read', { task_id })).body.task;
const logsOf = async (input: object = {}) =>
  (await agent.client.call('GET', '/v1/bot/tasks/logs', input)).body;
const post = (what: string, task_id: string) =>
  agent.client.call('POST', `/v1/bot/tasks/${what}`, { task_id });
/** The service's own clock goes on, and a call has it look what is due. */
const pass = async (ms: number) => {
  agent.clock.now += ms;
  await agent.client.call('GET', '/v1/bot/read');
};
const untilLogged = (total: number, task_id?: string) =>
  expect.poll(async () => (await logsOf({ task_id })).total).toBe(total);
/** Somebody speaks in the conversation `desk` until the gate is opened. */
const startSpeaking = async () => {
  const gate = createGate();
  await start({ wordsPerSecond: 5, sleep: gate.sleep });
  const speaking = agent.client.chat(question, { chat_id: 'desk', member_id: 'ada' });
  await expect
    .poll(async () => (await agent.client.call('GET', '/v1/bot/chat/active-streams')).body.streams.length)
    .toBe(1);
  return { gate, speaking };
};
const at = (iso: string) => new Date(iso).toISOString();

describe('a task is made', () => {
  beforeEach(() => start());

  test('of a prompt alone: each hour, under its first 60 characters (S16, S70, S126, S133, S208)', async () => {
    const prompt = ` ${'𝒶'.repeat(80)}`;
    expect(await make({ prompt })).toEqual({
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      bot_id: 'juniper',
      name: ` ${'𝒶'.repeat(59)}`,
      description: null,
      prompt,
      schedule_type: 'interval',
      schedule_config: { interval_minutes: 60 },
      timezone: 'UTC',
      enabled: true,
      chat_id: null,
      chat_mode: 'ask',
      active_hours_start: null,
      active_hours_end: null,
      execution_count: 0,
      max_executions: null,
      error_count: 0,
      max_consecutive_errors: 5,
      paused_reason: null,
      last_executed_at: null,
      last_status: null,
      last_reason: null,
      next_run_at: at('2031-03-01T13:00Z'),
      created_at: at('2031-03-01T12:00Z'),
      updated_at: at('2031-03-01T12:00Z'),
    });
  });

  test.each([
    ['once', { scheduled_at: '2031-03-05T10:00:00Z' }, '2031-03-05T10:00Z'],
    ['interval', { interval_minutes: 90 }, '2031-03-01T13:30Z'],
    ['daily', { time: '06:00' }, '2031-03-02T11:00Z'],
    ['weekly', { day: 1, time: '09:00' }, '2031-03-03T14:00Z'],
    ['monthly', { day_of_month: 31, time: '09:00' }, '2031-03-31T13:00Z'],
    ['cron', { cron: '0 9 * * 7' }, '2031-03-02T14:00Z'],
  ])(
    '%s, on the wall clock of its time zone (S69, S70, S71, S72, S73, S129, S130)',
    async (schedule_type, schedule_config, next) => {
      const task = await make({ schedule_type, schedule_config, timezone: 'America/New_York', name: 'Mine' });
      expect(task).toMatchObject({ name: 'Mine', schedule_type, schedule_config, next_run_at: at(next) });
    },
  );

  test('by another cron pattern, it keeps its time zone', async () => {
    const { uuid: task_id } = await make({ cron_pattern: '0 9 * * *', timezone: 'America/New_York' });
    const change = { task_id, cron_pattern: '0 10 * * *' };
    const { body } = await agent.client.call('PUT', '/v1/bot/tasks/update', change);
    expect(body.task).toMatchObject({ timezone: 'America/New_York', next_run_at: at('2031-03-01T15:00Z') });
  });

  test('by a cron pattern, which is stored as schedule_type cron (S69, S82, S127, S128)', async () => {
    const task = await make({ cron_pattern: '0 9 * * MON', name: 'Weekly' });
    expect(task).toMatchObject({
      schedule_type: 'cron',
      schedule_config: { cron: '0 9 * * MON' },
      name: 'Weekly',
    });
    const { status, body } = await create({ cron_pattern: '0 9 * * 1', schedule_type: 'daily' });
    expect([status, body.code, body.error]).toEqual([
      400,
      'invalid_parameters',
      expect.stringMatching(/^cron_pattern/),
    ]);
  });

  test.each([
    ['schedule_type', { schedule_type: 'hourly' }, 'invalid_parameters'],
    ['schedule_config', { schedule_type: 'daily' }, 'invalid_schedule'],
    [
      'schedule_config',
      { schedule_type: 'once', schedule_config: { scheduled_at: '2031-03-01T11:00Z' } },
      'invalid_schedule',
    ],
    [
      'schedule_config',
      { schedule_type: 'interval', schedule_config: { interval_minutes: 59 } },
      'schedule_too_frequent',
    ],
    ['schedule_config', { cron_pattern: '*/30 * * * *' }, 'schedule_too_frequent'],
    ['schedule_config', { cron_pattern: '0 0 31 2 *' }, 'invalid_schedule'],
    ['timezone', { timezone: 'Mars/Olympus' }, 'invalid_parameters'],
    ['active_hours_end', { active_hours_start: '09:00' }, 'invalid_parameters'],
    ['active_hours_start', { active_hours_start: '9', active_hours_end: '10:00' }, 'invalid_parameters'],
    ['max_executions', { max_executions: 0 }, 'invalid_parameters'],
    ['max_consecutive_errors', { max_consecutive_errors: 101 }, 'invalid_parameters'],
    ['prompt', { prompt: '' }, 'invalid_parameters'],
    ['prompt', { prompt: ' \n ' }, 'invalid_parameters'],
    ['prompt', { prompt: 'x'.repeat(20_001) }, 'invalid_parameters'],
  ])('with a wrong %s not: %j', async (name, input, code) => {
    const { status, body } = await create(input);
    expect([status, body]).toEqual([400, { error: expect.stringMatching(new RegExp(`^${name}`)), code }]);
    expect((await agent.client.call('GET', '/v1/bot/tasks/readall')).body.pagination.total).toBe(0);
  });

  test('heartbeat_id is refused in any call, credit_budget ignored, the old paths are gone (S17, S131, S132, S140)', async () => {
    const { uuid } = await make({ credit_budget: 5 });
    expect(await read(uuid)).not.toHaveProperty('credit_budget');
    for (const [method, path] of [
      ['POST', 'create'],
      ['GET', 'read'],
      ['GET', 'readall'],
      ['PUT', 'update'],
      ['POST', 'enable'],
      ['POST', 'disable'],
      ['POST', 'trigger'],
      ['GET', 'logs'],
      ['GET', 'stats'],
      ['DELETE', 'delete'],
    ] as const) {
      const input = { prompt: 'x', task_id: uuid, heartbeat_id: uuid };
      const { status, body } = await agent.client.call(method, `/v1/bot/tasks/${path}`, input);
      expect([path, status, body.code, body.error]).toEqual([
        path,
        400,
        'invalid_parameters',
        expect.stringMatching(/^heartbeat_id: .*task_id/),
      ]);
    }
    const gone = await agent.client.call('POST', '/v1/bot/heartbeat/create', { prompt: 'x' });
    expect([gone.status, gone.body.error.code]).toEqual([404, 'endpoint_removed']);
  });
});

describe('a task runs', () => {
  beforeEach(() => start());

  test('at its slot, once, as a turn of the agent, and the log says so (S24, S25, S26, S27, S28, S29)', async () => {
    const before = (await agent.client.call('GET', '/v1/bot/read')).body.bot.credits;
    const { uuid } = await make();
    await pass(hour - 1);
    expect((await logsOf()).total).toBe(0);
    await pass(1);
    await untilLogged(1);
    const { logs } = await logsOf();
    expect(logs).toEqual([
      {
        id: expect.any(Number),
        task_uuid: uuid,
        status: 'success',
        reason: '',
        credits_used: 1,
        created_at: at('2031-03-01T13:00Z'),
      },
    ]);
    const { conversation } = (await agent.client.call('GET', '/v1/bot/chat/read', { chat_id: uuid })).body;
    expect(conversation[0].content).toBe(question);
    expect(conversation[1].content).toContain('5 to 8 business days');
    expect((await agent.client.call('GET', '/v1/bot/read')).body.bot.credits).toBe(before - 1);
    expect(await read(uuid)).toMatchObject({
      execution_count: 1,
      last_status: 'success',
      last_reason: '',
      last_executed_at: at('2031-03-01T13:00Z'),
      next_run_at: at('2031-03-01T14:00Z'),
    });
  });

  test('and no more, once its limits are lowered to what was done', async () => {
    const { uuid } = await make();
    await pass(hour);
    await untilLogged(1);
    const { body } = await agent.client.call('PUT', '/v1/bot/tasks/update', {
      task_id: uuid,
      max_executions: 1,
    });
    expect(body.task).toMatchObject({ enabled: false, next_run_at: null, paused_reason: 'completed' });
    await pass(hour);
    expect((await logsOf()).total).toBe(1);
  });

  test('by the service’s own clock, without a call', async () => {
    await agent.close();
    await start({ minTaskIntervalSeconds: 0, now: Date.now });
    const begun = Date.now();
    await make({ schedule_type: 'interval', schedule_config: { interval_minutes: 0.5 / 60 } });
    const readRuns = () => agent.service.events.filter(({ event }) => event === 'chat.started');
    await expect.poll(() => readRuns().length).toBeGreaterThan(1);
    const [first, second] = readRuns();
    expect(first!.at - begun).toBeGreaterThanOrEqual(500);
    expect(second!.at - first!.at).toBeGreaterThan(0);
  });

  test('outside its active hours not, in its time zone', async () => {
    const { uuid } = await make({
      timezone: 'Europe/Berlin',
      active_hours_start: '15:00',
      active_hours_end: '09:00',
    });
    // 14:00 there, then 15:00.
    await pass(hour);
    await untilLogged(1);
    await pass(hour);
    await untilLogged(2);
    expect(
      (await logsOf()).logs.map(({ status, reason }: Record<string, string>) => [status, reason]),
    ).toEqual([
      ['success', ''],
      ['skipped', 'outside_active_hours'],
    ]);
    expect(await read(uuid)).toMatchObject({ execution_count: 1, error_count: 0 });
  });

  test('by hand while it is switched off, and it is still to come once it is switched on', async () => {
    const scheduled_at = '2031-03-01T13:00:00Z';
    const { uuid } = await make({ schedule_type: 'once', schedule_config: { scheduled_at } });
    await post('disable', uuid);
    expect((await post('trigger', uuid)).body.result.status).toBe('success');
    expect(await read(uuid)).toMatchObject({ enabled: false, paused_reason: null });
    await post('enable', uuid);
    expect(await read(uuid)).toMatchObject({ enabled: true, next_run_at: '2031-03-01T13:00:00.000Z' });
  });

  test('by hand before its time, and then at its time all the same', async () => {
    const scheduled_at = '2031-03-01T13:00:00Z';
    const { uuid } = await make({ schedule_type: 'once', schedule_config: { scheduled_at } });
    expect((await post('trigger', uuid)).body.result.status).toBe('success');
    expect(await read(uuid)).toMatchObject({
      enabled: true,
      paused_reason: null,
      next_run_at: '2031-03-01T13:00:00.000Z',
    });
    await pass(hour);
    await untilLogged(2);
    expect(await read(uuid)).toMatchObject({ enabled: false, paused_reason: 'completed' });
  });

  test('after its last time no more, and once only once', async () => {
    const twice = await make({ max_executions: 2 });
    const single = await make({
      schedule_type: 'once',
      schedule_config: { scheduled_at: '2031-03-01T13:00:00Z' },
    });
    for (const total of [2, 3]) {
      await pass(hour);
      await untilLogged(total);
    }
    await pass(hour);
    expect((await logsOf()).total).toBe(3);
    for (const { uuid } of [twice, single])
      expect(await read(uuid)).toMatchObject({
        enabled: false,
        paused_reason: 'completed',
        next_run_at: null,
      });
    expect((await post('enable', twice.uuid)).body.code).toBe('invalid_parameters');
    expect((await post('enable', single.uuid)).body.code).toBe('invalid_schedule');
  });

  test('after so many failures in a row no more, until it is enabled again (S80, S81, S135)', async () => {
    const { uuid } = await make({ max_consecutive_errors: 2 });
    const setStatus = (status: number) => agent.client.call('PUT', '/v1/bot/update', { status });
    await setStatus(0);
    await pass(hour);
    await untilLogged(1);
    expect(await read(uuid)).toMatchObject({ enabled: true, error_count: 1, last_reason: 'bot_inactive' });
    // A success in between begins anew, a skip does not.
    await setStatus(1);
    await pass(hour);
    await untilLogged(2);
    expect(await read(uuid)).toMatchObject({ error_count: 0 });
    await setStatus(0);
    await pass(hour);
    await untilLogged(3);
    await post('trigger', uuid);
    expect(await read(uuid)).toMatchObject({
      enabled: false,
      paused_reason: 'consecutive_errors',
      error_count: 2,
      next_run_at: null,
    });
    const { body } = await post('enable', uuid);
    expect(body.task).toMatchObject({ enabled: true, paused_reason: null, error_count: 0 });
    expect(body.task.next_run_at).toBe(at('2031-03-01T16:00Z'));
  });

  test('a slot that is skipped says nothing of how runs go', async () => {
    const { uuid } = await make({
      prompt: 'Where is my order LF-10234?',
      active_hours_start: '12:00',
      active_hours_end: '14:00',
    });
    await pass(hour);
    await untilLogged(1);
    await pass(hour);
    await untilLogged(2);
    expect((await logsOf()).logs[0]).toMatchObject({ status: 'skipped' });
    expect(await read(uuid)).toMatchObject({ error_count: 1, execution_count: 1 });
  });

  test('a turn that would wait for somebody ends as an error, and its conversation waits for nobody', async () => {
    const { uuid } = await make({ prompt: 'Where is my order LF-10234?' });
    const { body } = await post('trigger', uuid);
    expect(body.result).toMatchObject({ status: 'error', reason: 'approval_required', chat_id: uuid });
    const { conversation } = (await agent.client.call('GET', '/v1/bot/chat/read', { chat_id: uuid })).body;
    expect(conversation.at(-1)).toMatchObject({ isToolExecuting: false });
  });

  test('in the conversation that it names, whose tasks are told and toggled', async () => {
    await agent.client.chat('Hello', { chat_id: 'desk' });
    const { uuid } = await make({ chat_id: 'desk' });
    const { body } = await post('trigger', uuid);
    expect(body.result).toMatchObject({ status: 'success', credits_used: 1, chat_id: 'desk' });
    const { conversation } = (await agent.client.call('GET', '/v1/bot/chat/read', { chat_id: 'desk' })).body;
    expect(conversation.map(({ content }: { content: string }) => content).slice(2)).toEqual([
      question,
      body.result.reply,
    ]);
    const listed = await agent.client.call('GET', '/v1/bot/chat/scheduled-tasks', { chat_id: 'desk' });
    expect(listed.body.tasks.map((task: { uuid: string }) => task.uuid)).toEqual([uuid]);
    const toggle = () => agent.client.call('PUT', '/v1/bot/chat/scheduled-tasks/toggle', { task_id: uuid });
    const input = { task_id: uuid };
    const path = '/v1/bot/chat/scheduled-tasks/toggle';
    expect((await agent.client.call('PUT', path, input, 'moderator-key')).status).toBe(403);
    expect((await toggle()).body.task).toMatchObject({ enabled: false, next_run_at: null });
    expect((await toggle()).body.task).toMatchObject({ enabled: true, next_run_at: at('2031-03-01T13:00Z') });
  });
});

test('never two runs of one task at once: a slot is skipped, a trigger is refused (S137)', async () => {
  const gate = createGate();
  await start({ wordsPerSecond: 5, sleep: gate.sleep });
  const { uuid } = await make();
  const running = post('trigger', uuid);
  await expect
    .poll(async () => (await agent.client.call('GET', '/v1/bot/chat/active-streams')).body.streams.length)
    .toBe(1);
  const { status, body } = await post('trigger', uuid);
  expect([status, body.code]).toEqual([409, 'task_running']);
  await pass(hour);
  await untilLogged(1);
  expect((await logsOf()).logs[0]).toMatchObject({ status: 'skipped', reason: 'already_running' });
  gate.open();
  expect((await running).body.log).toMatchObject({ status: 'success', task_uuid: uuid });
  expect(await read(uuid)).toMatchObject({ execution_count: 1, next_run_at: at('2031-03-01T14:00Z') });
});

test('a schedule of another kind is named', async () => {
  await start();
  const { status, body } = await create({ schedule_config: { time: '09:00' } });
  expect([status, body.code]).toEqual([400, 'invalid_parameters']);
});

test('one whose conversation somebody speaks in waits for its turn', async () => {
  const { gate, speaking } = await startSpeaking();
  const once = { schedule_type: 'once', schedule_config: { scheduled_at: '2031-03-01T12:30:00Z' } };
  await make({ chat_id: 'desk', ...once });
  await pass(hour);
  expect((await logsOf()).total).toBe(0);
  gate.open();
  await speaking;
  await untilLogged(1);
  expect((await logsOf()).logs[0]).toMatchObject({ status: 'success' });
});

test('one that is switched off while it waits did not end by itself', async () => {
  const { gate, speaking } = await startSpeaking();
  const once = { schedule_type: 'once', schedule_config: { scheduled_at: '2031-03-01T12:30:00Z' } };
  const { uuid } = await make({ chat_id: 'desk', ...once });
  await pass(hour);
  await post('disable', uuid);
  gate.open();
  await speaking;
  await untilLogged(1);
  expect((await logsOf()).logs[0]).toMatchObject({ status: 'skipped' });
  expect(await read(uuid)).toMatchObject({
    enabled: false,
    paused_reason: null,
    execution_count: 0,
    last_executed_at: null,
  });
});

test('one that was begun by hand runs when it is free, though it was switched off meanwhile', async () => {
  const { gate, speaking } = await startSpeaking();
  const { uuid } = await make({ chat_id: 'desk' });
  const triggered = post('trigger', uuid);
  await post('disable', uuid);
  gate.open();
  await speaking;
  expect((await triggered).body.result).toMatchObject({ status: 'success' });
});

test('an interval counts from when it is switched on', async () => {
  await start();
  const { uuid } = await make({ schedule_type: 'interval', schedule_config: { interval_minutes: 60 } });
  await post('disable', uuid);
  await pass(20 * 60_000);
  await post('enable', uuid);
  expect(await read(uuid)).toMatchObject({ next_run_at: at('2031-03-01T13:20Z') });
  await pass(hour);
  await untilLogged(1);
  expect(await read(uuid)).toMatchObject({ next_run_at: at('2031-03-01T14:20Z') });
});

test('statistics are of the last thirty days where nothing is said', async () => {
  await start();
  const { uuid } = await make();
  await post('disable', uuid);
  await post('trigger', uuid);
  const total = async () =>
    (await agent.client.call('GET', '/v1/bot/tasks/stats')).body.stats.total_executions;
  await pass(29 * 24 * hour);
  expect(await total()).toBe(1);
  await pass(2 * 24 * hour);
  expect(await total()).toBe(0);
});

test('hours hold at the time of the slot, and later at that of the run', async () => {
  await start();
  const once = (scheduled_at: string) =>
    make({
      schedule_type: 'once',
      schedule_config: { scheduled_at },
      active_hours_start: '12:00',
      active_hours_end: '13:00',
    });
  const [late, missed] = [await once('2031-03-01T12:59:50Z'), await once('2031-03-01T12:57:00Z')];
  await pass(hour + 20_000);
  await untilLogged(2);
  expect(await read(late.uuid)).toMatchObject({ last_status: 'success', paused_reason: 'completed' });
  expect(await read(missed.uuid)).toMatchObject({
    last_status: 'skipped',
    last_reason: 'outside_active_hours',
    last_executed_at: null,
    enabled: false,
    paused_reason: 'skipped',
  });
});

test('one of two hours is changed alone, and neither goes alone', async () => {
  await start();
  const { uuid: task_id } = await make({ active_hours_start: '12:00', active_hours_end: '13:00' });
  const update = (input: object) => agent.client.call('PUT', '/v1/bot/tasks/update', { task_id, ...input });
  expect((await update({ active_hours_end: '14:30' })).body.task).toMatchObject({
    active_hours_start: '12:00',
    active_hours_end: '14:30',
  });
  expect((await update({ active_hours_end: null })).status).toBe(400);
  expect((await update({ active_hours_start: null, active_hours_end: null })).status).toBe(200);
});

test('switched on by a change it begins anew, without the errors that stopped it', async () => {
  await start();
  const { uuid: task_id } = await make({ max_consecutive_errors: 2 });
  await agent.client.call('PUT', '/v1/bot/update', { status: 0 });
  for (let run = 0; run < 2; run += 1) await post('trigger', task_id);
  expect(await read(task_id)).toMatchObject({ enabled: false, error_count: 2 });
  const changed = await agent.client.call('PUT', '/v1/bot/tasks/update', { task_id, enabled: true });
  expect(changed.body.task).toMatchObject({ enabled: true, error_count: 0, paused_reason: null });
});

test('statistics are of the days that are asked for, and of days with runs', async () => {
  await start();
  const one = await make();
  const two = await make({ active_hours_start: '20:00', active_hours_end: '21:00' });
  await post('disable', one.uuid);
  await post('trigger', one.uuid);
  await pass(hour);
  await untilLogged(2);
  await post('disable', two.uuid);
  await pass(72 * hour);
  await post('enable', one.uuid);
  await post('enable', two.uuid);
  await post('trigger', one.uuid);
  const stats = async (input: object) =>
    (await agent.client.call('GET', '/v1/bot/tasks/stats', input)).body.stats;
  expect(await stats({ days: 1 })).toMatchObject({ total_executions: 1, skipped_count: 0 });
  expect(await stats({ days: 5 })).toMatchObject({
    total_executions: 2,
    skipped_count: 1,
    active_tasks: 2,
    time_series: [{ date: '2031-03-01' }, { date: '2031-03-04' }],
  });
  // A day of skips alone is none of runs.
  expect(await stats({ days: 5, task_id: two.uuid })).toMatchObject({
    total_executions: 0,
    skipped_count: 1,
    active_tasks: 1,
    time_series: [],
  });
});

test('one that waits for its turn counts for nobody while it does', async () => {
  const gate = createGate();
  await start({ wordsPerSecond: 5, sleep: gate.sleep });
  await agent.client.call('PUT', '/v1/bot/update', { ratelimit_requests: 2, ratelimit_seconds: 86_400 });
  const speaking = agent.client.chat(question, { chat_id: 'desk' });
  await expect
    .poll(async () => (await agent.client.call('GET', '/v1/bot/chat/active-streams')).body.streams.length)
    .toBe(1);
  const workflow = { name: 'Ask', trigger_type: 'manual' };
  const actions = [{ type: 'start_chat', message: question, chat_id: 'desk' }];
  const { body } = await agent.client.call('POST', '/v1/bot/workflow/create', { ...workflow, actions });
  const { uuid: workflow_id } = body.workflow;
  const running = agent.client.call('POST', '/v1/bot/workflow/run', { workflow_id });
  // It tries several times.
  await new Promise((resolve) => setTimeout(resolve, 1_800));
  gate.open();
  await speaking;
  expect((await running).body.result).toMatchObject({ status: 'success' });
});

test.each([
  ['switched off', 'switched_off', () => post('disable', waiting)],
  ['deleted', undefined, () => agent.client.call('DELETE', '/v1/bot/tasks/delete', { task_id: waiting })],
  [
    'one of an agent that is off',
    'bot_inactive',
    () => agent.client.call('PUT', '/v1/bot/update', { status: 0 }),
  ],
] as const)('one that waits, and is %s meanwhile, asks nothing', async (_how, reason, change) => {
  const { gate, speaking } = await startSpeaking();
  waiting = (await make({ chat_id: 'desk' })).uuid;
  await pass(hour);
  expect((await change()).status).toBe(200);
  gate.open();
  await speaking;
  if (reason !== undefined) {
    await untilLogged(1);
    const status = reason === 'switched_off' ? 'skipped' : 'error';
    expect((await logsOf()).logs[0]).toMatchObject({ status, reason });
    const execution_count = status === 'error' ? 1 : 0;
    expect(await read(waiting)).toMatchObject({ execution_count, error_count: execution_count });
  } else await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect((await agent.client.call('GET', '/v1/bot/chat/read', { chat_id: 'desk' })).body.total).toBe(2);
});

test('one that speaks where visitors must sign in is the project’s own', async () => {
  await start();
  await agent.client.chat('Hello', { chat_id: 'of-ada', member_id: 'ada' });
  await agent.client.call('PUT', '/v1/bot/update', { require_login: true });
  const { uuid } = await make({ chat_id: 'of-ada' });
  expect((await post('trigger', uuid)).body.result).toMatchObject({ status: 'success' });
});

test('its runs are no visitor’s questions: what these may ask bounds none of them', async () => {
  await start();
  const limits = { ratelimit_requests: 1, ratelimit_seconds: 86_400 };
  await agent.client.call('PUT', '/v1/bot/update', limits);
  const { uuid } = await make();
  for (let runs = 0; runs < 3; runs += 1)
    expect((await post('trigger', uuid)).body.result).toMatchObject({ status: 'success' });
});

describe('a task is looked at and changed', () => {
  beforeEach(() => start());

  test('its record may be sent back as it was read: that begins nothing anew', async () => {
    const every = await make({ schedule_type: 'interval', schedule_config: { interval_minutes: 1_440 } });
    const once = await make({
      schedule_type: 'once',
      schedule_config: { scheduled_at: '2031-03-01T12:30:00Z' },
    });
    await pass(hour);
    await untilLogged(1);
    for (const { uuid } of [every, once]) {
      const before = await read(uuid);
      const sent = { ...before, task_id: uuid, name: 'Another' };
      const { status, body } = await agent.client.call('PUT', '/v1/bot/tasks/update', sent);
      expect([status, body.task]).toEqual([
        200,
        { ...before, name: 'Another', updated_at: body.task.updated_at },
      ]);
    }
    // Nor does what is no part of a schedule.
    const { next_run_at } = await read(every.uuid);
    await pass(hour);
    const { body } = await agent.client.call('PUT', '/v1/bot/tasks/update', {
      task_id: every.uuid,
      schedule_config: { interval_minutes: 1_440, note: 1 },
    });
    expect(body.task.next_run_at).toBe(next_run_at);
  });

  test('listed newest first, changed by what is sent, and deleted with its log (S134, S136, S138)', async () => {
    const one = await make({
      name: 'One',
      description: 'First',
      active_hours_start: '08:00',
      active_hours_end: '18:00',
    });
    const two = await make({ name: 'Two' });
    const all = (await agent.client.call('GET', '/v1/bot/tasks/readall')).body;
    expect(all.tasks.map(({ name }: { name: string }) => name)).toEqual(['Two', 'One']);
    expect(all.pagination).toEqual({ page: 1, per_page: 50, total: 2, total_pages: 1 });
    const change = (input: object) =>
      agent.client.call('PUT', '/v1/bot/tasks/update', { task_id: one.uuid, ...input });
    expect(
      (await change({ description: null, active_hours_start: null, active_hours_end: null })).body.task,
    ).toEqual({
      ...one,
      description: null,
      active_hours_start: null,
      active_hours_end: null,
    });
    expect(
      (await change({ schedule_type: 'daily', schedule_config: { time: '09:00' } })).body.task,
    ).toMatchObject({
      schedule_config: { time: '09:00' },
      next_run_at: at('2031-03-02T09:00Z'),
    });
    expect((await change({ timezone: 'Asia/Tokyo' })).body.task.next_run_at).toBe(at('2031-03-02T00:00Z'));
    expect((await change({ schedule_type: 'weekly' })).body.code).toBe('invalid_schedule');
    expect((await change({ enabled: false })).body.task).toMatchObject({ enabled: false, next_run_at: null });
    expect((await change({ active_hours_end: '10:00' })).body.code).toBe('invalid_parameters');
    expect((await post('disable', two.uuid)).body.task).toMatchObject({ enabled: false });
    expect((await post('trigger', two.uuid)).body.result.status).toBe('success');
    await agent.client.call('DELETE', '/v1/bot/tasks/delete', { task_id: two.uuid });
    expect((await logsOf()).total).toBe(0);
    const gone = await agent.client.call('GET', '/v1/bot/tasks/read', { task_id: two.uuid });
    expect([gone.status, gone.body.code]).toEqual([404, 'task_not_found']);
  });

  test('its log is paged, of one task or of all, and a line of it deleted (S30, S31, S32, S33, S34, S35, S84, S87, S88, S89, S90)', async () => {
    const [one, two] = [await make(), await make()];
    for (const { uuid } of [one, two, one]) await post('trigger', uuid);
    const all = await logsOf({ page: '2', per_page: '2' });
    expect([all.total, all.logs.length, all.pagination]).toEqual([
      3,
      1,
      { page: 2, per_page: 2, total: 3, total_pages: 2 },
    ]);
    expect((await logsOf()).pagination.per_page).toBe(20);
    const own = await logsOf({ task_id: one.uuid });
    expect(own.logs.map(({ task_uuid }: { task_uuid: string }) => task_uuid)).toEqual([one.uuid, one.uuid]);
    const unknown = await agent.client.call('GET', '/v1/bot/tasks/logs', { task_id: 'none' });
    expect([unknown.status, unknown.body.code]).toEqual([404, 'task_not_found']);
    const run_id = own.logs[0].id;
    // Nobody else's.
    const { bot } = (await agent.client.call('POST', '/v1/bot/create', { name: 'Other' })).body;
    const fromOther = { run_id, bot_id: bot.id };
    const refused = await agent.client.call('DELETE', '/v1/bot/tasks/logs/delete', fromOther);
    expect([refused.status, refused.body.code]).toEqual([404, 'log_not_found']);
    expect((await agent.client.call('DELETE', '/v1/bot/tasks/logs/delete', { run_id })).body.success).toBe(
      true,
    );
    expect((await logsOf({ task_id: one.uuid })).total).toBe(1);
    const again = await agent.client.call('DELETE', '/v1/bot/tasks/logs/delete', { run_id });
    expect([again.status, again.body.code]).toEqual([404, 'log_not_found']);
  });

  test('what its runs add up to (S139)', async () => {
    const [one, two] = [await make(), await make({ active_hours_start: '20:00', active_hours_end: '21:00' })];
    await post('trigger', one.uuid);
    await pass(hour);
    await untilLogged(3);
    await pass(23 * hour);
    await untilLogged(5);
    await agent.client.call('PUT', '/v1/bot/update', { status: 0 });
    await post('trigger', two.uuid);
    const stats = async (input: object = {}) =>
      (await agent.client.call('GET', '/v1/bot/tasks/stats', input)).body.stats;
    expect(await stats()).toEqual({
      total_executions: 4,
      success_count: 3,
      error_count: 1,
      skipped_count: 2,
      success_rate: 75,
      total_credits: 3,
      active_tasks: 2,
      time_series: [
        { date: '2031-03-01', total: 2, success: 2, error: 0 },
        { date: '2031-03-02', total: 2, success: 1, error: 1 },
      ],
    });
    expect(await stats({ task_id: two.uuid, days: 1 })).toMatchObject({
      total_executions: 1,
      success_rate: 0,
    });
    for (const days of [0, 366, 'x']) {
      const { status, body } = await agent.client.call('GET', '/v1/bot/tasks/stats', { days });
      expect([status, body.error]).toEqual([400, expect.stringMatching(/^days/)]);
    }
    await post('disable', one.uuid);
    await post('disable', two.uuid);
    expect(await stats({ task_id: one.uuid })).toMatchObject({ active_tasks: 0, success_rate: 100 });
  });

  test('each refusal has the shape of these endpoints, whatever its reason (S85, S86, S169, S194, S195, S196, S197, S201)', async () => {
    const { uuid } = await make();
    const call = (key: string | null, method: string, path: string, input: object = {}) =>
      agent.client.call(method, `/v1/bot/tasks/${path}`, { task_id: uuid, prompt: 'x', ...input }, key);
    const codeOf = ({ status, body }: Awaited<ReturnType<typeof call>>) => {
      expect(Object.keys(body).sort()).toEqual(['code', 'error']);
      return [status, body.code];
    };
    expect(codeOf(await call(null, 'GET', 'logs'))).toEqual([401, 'invalid_api_key']);
    expect(codeOf(await call('owner-key', 'GET', 'nothing'))).toEqual([404, 'not_found']);
    expect(codeOf(await call('owner-key', 'GET', 'logs', { bot_id: undefined }))).toEqual([
      400,
      'invalid_parameters',
    ]);
    expect(codeOf(await call('owner-key', 'GET', 'logs', { project_id: undefined }))).toEqual([
      400,
      'invalid_parameters',
    ]);
    expect(codeOf(await call('owner-key', 'GET', 'logs', { bot_id: 'none' }))).toEqual([
      404,
      'bot_not_found',
    ]);
    expect(codeOf(await call('other-key', 'GET', 'logs'))).toEqual([403, 'forbidden']);
    const big = { prompt: 'x'.repeat(1_100_000) };
    expect(codeOf(await call('owner-key', 'POST', 'create', big))).toEqual([413, 'payload_too_large']);
    for (const path of ['read', 'readall', 'logs', 'stats'])
      expect(codeOf(await call('member-key', 'GET', path))).toEqual([403, 'forbidden']);
    for (const [method, path] of [
      ['POST', 'create'],
      ['PUT', 'update'],
      ['POST', 'enable'],
      ['POST', 'disable'],
      ['DELETE', 'delete'],
    ] as const)
      expect(codeOf(await call('moderator-key', method, path))).toEqual([403, 'forbidden']);
    expect((await call('moderator-key', 'POST', 'trigger')).status).toBe(200);
    expect((await call('admin-key', 'POST', 'disable')).status).toBe(200);
  });
});

describe('what a plan has', () => {
  test('free: no tasks', async () => {
    await start({ plan: 'free', requestsPerMinute: 1000 });
    const { status, body } = await create();
    expect([status, body.code]).toEqual([403, 'plan_required']);
  });

  test('starter: three an agent, also of many made at once', async () => {
    await start({ plan: 'starter', requestsPerMinute: 1000 });
    const made = await Promise.all(Array.from({ length: 8 }, () => create()));
    expect(made.map(({ status }) => status).sort()).toEqual([201, 201, 201, 403, 403, 403, 403, 403]);
    expect(made.find(({ status }) => status === 403)!.body.code).toBe('plan_limit_reached');
  });
});

describe('over a stop', () => {
  let folder: string;
  let running: AgentProcess | undefined;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'agent-'));
    await start();
  });
  afterEach(async () => {
    await running?.kill();
    rmSync(folder, { recursive: true });
  });
  const env = {
    AGENT_API_KEY: target.apiKey,
    AGENT_PROJECT_ID: target.projectId,
    AGENT_BOT_ID: target.botId,
    PORT: '0',
  };
  const begin = async (offsetSeconds: number, wordsPerSecond = '0') => {
    const quiet = { log() {}, print() {} };
    const AGENT_DB = join(folder, 'agent.db');
    const started = await startAgent(
      {
        ...env,
        AGENT_DB,
        AGENT_CLOCK_OFFSET_SECONDS: String(offsetSeconds),
        AGENT_WORDS_PER_SECOND: wordsPerSecond,
      },
      quiet,
    );
    return { started, client: createAgentClient(started.url, target) };
  };

  test('slots that were missed give one run, and the schedule goes on from then', async () => {
    const { started, client } = await begin(0);
    const tasks: string[] = [];
    for (const schedule of [
      { schedule_type: 'interval', schedule_config: { interval_minutes: 60 } },
      { schedule_type: 'cron', schedule_config: { cron: '0 * * * *' } },
      { schedule_type: 'interval', schedule_config: { interval_minutes: 600 } },
    ])
      tasks.push(
        (await client.call('POST', '/v1/bot/tasks/create', { prompt: 'Hello', ...schedule })).body.task.uuid,
      );
    await started.close();
    const offset = 5.5 * 3_600;
    const again = await begin(offset);
    const now = () => Date.now() + offset * 1000;
    const logs = async () => (await again.client.call('GET', '/v1/bot/tasks/logs')).body.logs;
    await expect.poll(async () => (await logs()).length).toBe(2);
    const ran = (await logs()).map(({ task_uuid }: { task_uuid: string }) => task_uuid);
    expect(ran.sort()).toEqual(tasks.slice(0, 2).sort());
    const nextOf = async (task_id: string) =>
      Date.parse((await again.client.call('GET', '/v1/bot/tasks/read', { task_id })).body.task.next_run_at) -
      now();
    // Counted from the start.
    for (const [index, wait] of [
      [0, hour],
      [2, 10 * hour],
    ] as const) {
      const next = await nextOf(tasks[index]!);
      expect(next).toBeLessThanOrEqual(wait);
      expect(next).toBeGreaterThan(wait - 10 * minute);
    }
    expect(await nextOf(tasks[1]!)).toBeGreaterThan(0);
    await again.started.close();
  });

  test('a slot that was missed outside the active hours is run within them', async () => {
    const wall = (ms: number) => new Date(Date.now() + ms).toISOString().slice(11, 16);
    const { started, client } = await begin(0);
    const hours = { active_hours_start: wall(5 * hour), active_hours_end: wall(9 * hour) };
    const schedule = { schedule_type: 'interval', schedule_config: { interval_minutes: 180 }, ...hours };
    await client.call('POST', '/v1/bot/tasks/create', { prompt: 'Hello', ...schedule });
    await started.close();
    // Its slot lies before the hours; it is seen within them.
    const again = await begin(7 * 3_600);
    const logs = async () => (await again.client.call('GET', '/v1/bot/tasks/logs')).body.logs;
    await expect.poll(logs).toMatchObject([{ status: 'success' }]);
    await again.started.close();
  });

  const later = { schedule_type: 'once', schedule_config: { scheduled_at: '2199-01-01T00:00:00Z' } };

  test('a run that a stop has cut off is said', async () => {
    const { started, client } = await begin(0, '1');
    const { body } = await client.call('POST', '/v1/bot/tasks/create', { prompt: 'Hello', ...later });
    const { uuid: task_id } = body.task;
    const triggered = client.call('POST', '/v1/bot/tasks/trigger', { task_id });
    await expect
      .poll(async () => (await client.call('GET', '/v1/bot/chat/active-streams')).body.streams.length)
      .toBe(1);
    await Promise.all([started.close(), triggered.catch(() => {})]);
    const again = await begin(0);
    const { logs } = (await again.client.call('GET', '/v1/bot/tasks/logs', { task_id })).body;
    await again.started.close();
    expect(logs).toMatchObject([{ status: 'error', reason: 'interrupted' }]);
  });

  test('so is one that waited for its turn', async () => {
    const { started, client } = await begin(0, '1');
    const speaking = client.chat('Hello', { chat_id: 'desk' });
    await expect
      .poll(async () => (await client.call('GET', '/v1/bot/chat/active-streams')).body.streams.length)
      .toBe(1);
    const input = { prompt: 'Hello', chat_id: 'desk', ...later };
    const { body } = await client.call('POST', '/v1/bot/tasks/create', input);
    const { uuid: task_id } = body.task;
    const triggered = client.call('POST', '/v1/bot/tasks/trigger', { task_id });
    await new Promise((resolve) => setTimeout(resolve, 200));
    await Promise.allSettled([started.close(), triggered, speaking]);
    const again = await begin(0);
    const { logs } = (await again.client.call('GET', '/v1/bot/tasks/logs', { task_id })).body;
    await again.started.close();
    expect(logs).toMatchObject([{ status: 'error', reason: 'interrupted' }]);
  });

  test('a line of the log is kept for 400 days', async () => {
    const { started, client } = await begin(0);
    const { body } = await client.call('POST', '/v1/bot/tasks/create', { prompt: 'Hello', ...later });
    await client.call('POST', '/v1/bot/tasks/trigger', { task_id: body.task.uuid });
    await started.close();
    const totalAfter = async (days: number) => {
      const again = await begin(days * 24 * 3_600);
      const { total } = (await again.client.call('GET', '/v1/bot/tasks/logs')).body;
      await again.started.close();
      return total;
    };
    expect([await totalAfter(399), await totalAfter(401)]).toEqual([1, 0]);
  });

  test('a run that a kill has cut off is said, counts as a failure, and is not run again', async () => {
    const run = async (wordsPerSecond: string) => {
      running = await runAgent({
        AGENT_DB: join(folder, 'agent.db'),
        AGENT_WORDS_PER_SECOND: wordsPerSecond,
      });
      return running;
    };
    const client = await run('1');
    const schedule = {
      schedule_type: 'once',
      schedule_config: { scheduled_at: new Date(Date.now() + 3_000).toISOString() },
    };
    const { uuid } = (await client.call('POST', '/v1/bot/tasks/create', { prompt: 'Hello', ...schedule }))
      .body.task;
    await expect
      .poll(async () => (await client.call('GET', '/v1/bot/chat/active-streams')).body.streams.length)
      .toBe(1);
    await client.kill();
    const again = await run('0');
    const { logs } = (await again.call('GET', '/v1/bot/tasks/logs')).body;
    expect(logs).toMatchObject([
      { task_uuid: uuid, status: 'error', reason: 'interrupted', credits_used: 0 },
    ]);
    const { task } = (await again.call('GET', '/v1/bot/tasks/read', { task_id: uuid })).body;
    expect(task).toMatchObject({
      error_count: 1,
      execution_count: 1,
      enabled: false,
      paused_reason: 'completed',
    });
    expect((await again.call('GET', '/v1/bot/chat/active-streams')).body.streams).toEqual([]);
  });
});
