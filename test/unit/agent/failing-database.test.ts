/** A database that is locked for a moment stops neither tasks nor webhooks, and ends no process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { beforeEach, expect, test, vi } from 'vitest';
import { type Db, openDatabase } from '../../../demo/agent/db.ts';
import { createClerk } from '../../../demo/agent/email/clerk.ts';
import { createEventLog } from '../../../demo/agent/events.ts';
import type { Parts } from '../../../demo/agent/parts.ts';
import { createIngest } from '../../../demo/agent/retrieval/ingest.ts';
import { type BotStore, createBotStore } from '../../../demo/agent/store/bots.ts';
import type { ChatStore } from '../../../demo/agent/store/chats.ts';
import { createDeliveryStore } from '../../../demo/agent/store/deliveries.ts';
import type { Source, SourceStore } from '../../../demo/agent/store/sources.ts';
import { createTaskStore, type TaskStore } from '../../../demo/agent/store/tasks.ts';
import { createWorkflowRunStore } from '../../../demo/agent/store/workflowruns.ts';
import { createWorkflowStore } from '../../../demo/agent/store/workflows.ts';
import { createTaskRunner } from '../../../demo/agent/tasks/runner.ts';
import type { WireChat } from '../../../demo/agent/turns/wire.ts';
import { createDeliverer } from '../../../demo/agent/webhooks/delivery.ts';
import { createWorkflowRunner } from '../../../demo/agent/workflows/runner.ts';
import { startReceiver } from '../../support/receiver.ts';

let db: Db;
let bots: BotStore;
const now = Date.now;
const events = createEventLog(now, () => {});
beforeEach(() => {
  db = openDatabase(':memory:');
  db.exec(`INSERT INTO projects (id) VALUES ('p');
    INSERT INTO bots (uuid, project_id, credits, created_at) VALUES ('b', 'p', 1, 1)`);
  bots = createBotStore(db, now, { uuid: 'b', settings: {} });
});
/** Due now, and again after so long. */
const addTask = (tasks: TaskStore, interval_minutes: number) =>
  tasks.create('b', {
    ...settings,
    schedule_type: 'interval',
    schedule_config: { interval_minutes },
    anchor_at: now(),
    next_run_at: now(),
  });
const settings = {
  name: 'n',
  description: null,
  prompt: 'p',
  enabled: true,
  timezone: 'UTC',
  chat_id: null,
  chat_mode: 'ask',
  active_hours_start: null,
  active_hours_end: null,
  max_executions: null,
  max_consecutive_errors: 5,
} as const;
const onceSettings = {
  ...settings,
  schedule_type: 'once',
  schedule_config: { scheduled_at: '2031-03-01T12:00:00Z' },
} as const;

const lock = () => {
  throw new Error('database is locked');
};

test('a task runs once it is well again', async () => {
  const tasks = createTaskStore(db, now);
  vi.spyOn(tasks, 'due').mockImplementationOnce(lock);
  const asked = vi.fn().mockRejectedValue(new Error('no agent here'));
  const runner = createTaskRunner({ tasks, bots, events, now, ask: asked });
  addTask(tasks, 60);
  runner.wake();
  expect(asked).not.toHaveBeenCalled();
  await expect.poll(() => tasks.logs('b', undefined, { page: 1, perPage: 5 }).logs.length).toBe(1);
  expect(asked).toHaveBeenCalledTimes(1);
  await runner.close();
});

test('what could not be noted of a run is told, and the next slot runs', async () => {
  const tasks = createTaskStore(db, now);
  vi.spyOn(tasks, 'note').mockImplementationOnce(lock);
  const runner = createTaskRunner({
    tasks,
    bots,
    events,
    now,
    ask: () => Promise.reject(new Error('no agent here')),
  });
  const before = events.entries.length;
  addTask(tasks, 0.2 / 60);
  runner.wake();
  await expect.poll(() => tasks.logs('b', undefined, { page: 1, perPage: 5 }).logs.length).toBeGreaterThan(0);
  expect(events.entries.slice(before).map(({ event }) => event)).toContain('tasks.failed');
  await runner.close();
});

test('of a run that was made, what could not be noted is noted later, as it was', async () => {
  const tasks = createTaskStore(db, now);
  vi.spyOn(tasks, 'note').mockImplementationOnce(lock);
  const reply = { reply: 'Yes.', agent: { credit_used: 1 } } as WireChat;
  const runner = createTaskRunner({ tasks, bots, events, now, ask: async () => ({ chat: reply }) });
  const { id } = tasks.create('b', { ...onceSettings, anchor_at: now(), next_run_at: now() });
  runner.wake();
  await expect.poll(() => tasks.get(id)!.execution_count).toBe(1);
  expect(tasks.get(id)).toMatchObject({ enabled: false, paused_reason: 'completed', last_status: 'success' });
  await runner.close();
});

test('a webhook is sent once it is well again', async () => {
  const receiver = await startReceiver();
  const deliveries = createDeliveryStore(db, now);
  vi.spyOn(deliveries, 'due').mockImplementationOnce(lock);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const deliverer = createDeliverer(deliveries, { url: receiver.url, secret: 's' }, { now, events });
  deliveries.add('p', 'memory.created', receiver.url, '{}', false);
  deliverer.wake();
  vi.advanceTimersByTime(10_000);
  vi.useRealTimers();
  await receiver.count(1);
  await deliverer.close();
  await receiver.close();
});

test('a file that another process holds is written again once it is free', () => {
  const folder = mkdtempSync(join(tmpdir(), 'porchlight-locked-'));
  const file = join(folder, 'agent.db');
  const own = openDatabase(file);
  own.pragma('busy_timeout = 10');
  const add = own.prepare('INSERT INTO projects (id) VALUES (?) RETURNING id');
  const addBoth = own.transaction(() => {
    own.prepare('INSERT INTO projects (id) VALUES (?)').run('b');
    own.prepare('INSERT INTO projects (id) VALUES (?)').run('c');
  });
  const other = new Database(file);
  other.exec('BEGIN IMMEDIATE');
  for (let n = 0; n < 3; n += 1) {
    expect(() => add.get('a')).toThrow(/locked/);
    expect(() => own.prepare('DELETE FROM projects').run()).toThrow(/locked/);
    expect(addBoth).toThrow(/locked/);
  }
  other.exec('ROLLBACK');
  expect(add.get('a')).toMatchObject({ id: 'a' });
  addBoth();
  expect(own.inTransaction).toBe(false);
  expect(own.prepare('SELECT count(*) AS count FROM projects').get()).toMatchObject({ count: 3 });
  other.close();
  own.close();
  rmSync(folder, { recursive: true });
});

test('a file that a process before it still holds is waited for', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'porchlight-held-'));
  const file = join(folder, 'agent.db');
  const hold = `const db = new (require('libsql'))(process.argv[1]);
    db.pragma('locking_mode = EXCLUSIVE');
    db.pragma('journal_mode = WAL');
    db.exec('CREATE TABLE held (id)');
    console.log('held');
    setTimeout(() => process.exit(), 300);`;
  const holding = spawn(process.execPath, ['-e', hold, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(holding.stdout, 'data');
  const own = openDatabase(file);
  expect(own.prepare('SELECT count(*) AS count FROM projects').get()).toMatchObject({ count: 0 });
  own.close();
  rmSync(folder, { recursive: true });
});

test('sources that are due are read once it is well again', async () => {
  const due = vi.fn().mockImplementationOnce(lock).mockReturnValue([]);
  const sources = { forgetDue() {}, due } as unknown as SourceStore;
  const ingest = createIngest(sources, events);
  const before = events.entries.length;
  ingest.keepUp();
  ingest.keepUp();
  expect(due).toHaveBeenCalledTimes(2);
  expect(events.entries.slice(before).map(({ event }) => event)).toEqual(['sources.failed']);
  await ingest.close();
});

const readText = (sources: Partial<SourceStore>) => {
  const ingest = createIngest(sources as SourceStore, events);
  const text = { uuid: 's', type: 'text', title: 'Herons', source: 'A heron nests.' } as Source;
  ingest.start(text);
  return ingest;
};

test('what was read of a source is kept once it is well again', async () => {
  const succeed = vi.fn().mockImplementationOnce(lock);
  const fail = vi.fn();
  const ingest = readText({ succeed, fail });
  await ingest.idle();
  expect([succeed.mock.calls.length, fail.mock.calls.length]).toEqual([2, 0]);
});

test('with sources that can be kept in no way the service goes on, and ends', async () => {
  const [succeed, fail] = [vi.fn(lock), vi.fn(lock)];
  const ingest = readText({ succeed, fail });
  await expect.poll(() => succeed.mock.calls.length).toBe(1);
  await oneMoment();
  await ingest.close();
  expect([succeed.mock.calls.length, fail.mock.calls.length]).toEqual([1, 0]);
});

/** Whatever spins without a rest keeps this from coming. */
const oneMoment = () => new Promise((resolve) => setTimeout(resolve, 300));

test('of a full disk it is said, and what was written before goes on', () => {
  const own = openDatabase(':memory:');
  const { page_count: pages } = own.prepare('PRAGMA page_count').get() as { page_count: number };
  own.pragma(`max_page_count = ${pages}`);
  const add = own.transaction(() => own.prepare('INSERT INTO projects (id) VALUES (?)').run('x'.repeat(1e6)));
  expect(add).toThrow(/full/);
  expect(() => own.prepare('INSERT INTO projects (id) VALUES (?)').run('x'.repeat(1e6))).toThrow(/full/);
  own.pragma('max_page_count = 1000000');
  add();
  expect(own.prepare('SELECT count(*) AS count FROM projects').get()).toMatchObject({ count: 1 });
  own.close();
});

test.each(['claim', 'announced'] as const)(
  'a mail whose %s fails is tried again later, not at once',
  async (what) => {
    const send = vi.fn().mockResolvedValue(undefined);
    const failing = vi.fn(lock);
    const email = {
      id: 1,
      uuid: 'e',
      bot_id: 'b',
      from_address: 'a@site.example',
      to_announce: 1,
      to_answer: 0,
    };
    const emails = { toDo: () => [email], claim() {}, announced() {}, settle() {}, [what]: failing };
    const config = { now, email: { domain: 'agent.localhost', owner: 'owner@shop.example' } };
    const parts = { emails, bots, mailer: { send }, config, events } as unknown as Parts;
    const clerk = createClerk(parts);
    clerk.wake();
    await oneMoment();
    expect(failing).toHaveBeenCalledTimes(1);
    expect(send).toHaveBeenCalledTimes(what === 'claim' ? 0 : 1);
    await clerk.close();
  },
);

test('a webhook whose delivery could not be noted is not sent again at once', async () => {
  const receiver = await startReceiver();
  const deliveries = createDeliveryStore(db, now);
  vi.spyOn(deliveries, 'note').mockImplementation(lock);
  const deliverer = createDeliverer(deliveries, { url: receiver.url, secret: 's' }, { now, events });
  deliveries.add('p', 'memory.created', receiver.url, '{}', false);
  deliverer.wake();
  await receiver.count(1);
  await oneMoment();
  expect(receiver.received).toHaveLength(1);
  await deliverer.close();
  await receiver.close();
});

test('a workflow whose end could not be noted has its next slot', async () => {
  const runs = createWorkflowRunStore(db, now);
  const workflows = createWorkflowStore(db, now, runs);
  vi.spyOn(runs, 'end').mockImplementationOnce(lock);
  const perform = vi.fn().mockResolvedValue({});
  const chats = { endSilent() {} } as unknown as ChatStore;
  const runner = createWorkflowRunner({ workflows, runs, bots, chats, events, now, perform });
  const { id } = workflows.create('b', {
    name: 'Tell',
    description: null,
    trigger_type: 'schedule',
    trigger_event: null,
    trigger_config: {
      schedule_type: 'interval',
      schedule_config: { interval_minutes: 0.2 / 60 },
      timezone: 'UTC',
    },
    conditions: [],
    actions: [{ type: 'start_chat', message: 'x' }],
    is_active: true,
    anchor_at: now(),
    next_run_at: now(),
  });
  runner.wake();
  await expect.poll(() => perform.mock.calls.length, { timeout: 5_000 }).toBeGreaterThan(1);
  await runner.close();
  const rows = db.prepare('SELECT status, error FROM workflow_runs WHERE workflow = ? ORDER BY id').all(id);
  // And is noted as it was.
  expect(rows[0]).toMatchObject({ status: 'success', error: null });
});
