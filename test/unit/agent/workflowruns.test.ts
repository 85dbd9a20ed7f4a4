/** What the database keeps of the runs of workflows. */
import { expect, test } from 'vitest';
import { migrations, openDatabase } from '../../../demo/agent/db.ts';
import { silentMs } from '../../../demo/agent/store/chats.ts';
import { allTime, createStatistics } from '../../../demo/agent/store/statistics.ts';
import { createWorkflowRunStore } from '../../../demo/agent/store/workflowruns.ts';
import { createWorkflowStore } from '../../../demo/agent/store/workflows.ts';

function open() {
  const db = openDatabase(':memory:');
  db.exec(`INSERT INTO projects (id) VALUES ('p');
    INSERT INTO bots (uuid, project_id, credits, created_at) VALUES ('b', 'p', 1, 1)`);
  const runs = createWorkflowRunStore(db, () => 1);
  const workflow = createWorkflowStore(db, () => 1, runs).create('b', {
    name: 'Tell',
    description: null,
    trigger_type: 'manual',
    trigger_event: null,
    trigger_config: {},
    conditions: [],
    actions: [],
    is_active: true,
    anchor_at: 1,
    next_run_at: null,
  });
  return { db, runs, workflow };
}
const payloads = (db: ReturnType<typeof openDatabase>) =>
  (db.prepare('SELECT payload FROM workflow_runs').all() as { payload: string | null }[]).map(
    ({ payload }) => payload,
  );

test('what a run was told is kept until it has ended, or was cut off', () => {
  const { db, runs, workflow } = open();
  runs.add(workflow, 'manual', { of: 'ada' });
  runs.add(workflow, 'manual', { of: 'bea' }, 'running');
  expect(payloads(db)).toEqual(['{"of":"ada"}', '{"of":"bea"}']);
  runs.endInterrupted();
  expect(payloads(db)).toEqual(['{"of":"ada"}', null]);
  const [run] = runs.pending(1, []);
  runs.end(run!, 'success', null, 1);
  expect(payloads(db)).toEqual([null, null]);
});

test('of a workflow the longest waiting runs first, and what was cut off is counted', () => {
  const { db, runs, workflow } = open();
  for (const of of ['first', 'second']) runs.add(workflow, 'manual', { of });
  expect(runs.pending(5, []).map(({ payload }) => payload)).toEqual([{ of: 'first' }]);
  runs.claim(runs.pending(1, [])[0]!.id);
  runs.endInterrupted();
  expect(db.prepare('SELECT run_count FROM workflows').get()).toMatchObject({ run_count: 1 });
  expect(runs.pending(5, []).map(({ payload }) => payload)).toEqual([{ of: 'second' }]);
});

test('statistics count what has ended', () => {
  const { db, runs, workflow } = open();
  const count = () =>
    createStatistics(db)
      .workflows('b', allTime)
      .map(({ count }) => count);
  runs.add(workflow, 'manual', {});
  runs.add(workflow, 'manual', {}, 'running');
  expect(count()).toEqual([]);
  runs.endInterrupted();
  expect(count()).toEqual([1]);
});

test('logs are forgotten before an instant, and what has not ended is not', () => {
  const { db, runs, workflow } = open();
  runs.add(workflow, 'manual', {});
  runs.skip(workflow, 'schedule', 'already_running');
  runs.forgetBefore(1);
  expect(payloads(db)).toHaveLength(2);
  runs.forgetBefore(2);
  expect(payloads(db)).toEqual(['{}']);
});

test('a conversation is silent as long by the schema as by the code', () => {
  expect(migrations[7]).toContain(`new.created_at + ${silentMs} `);
});
