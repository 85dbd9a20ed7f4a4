/** Runs of workflows in the database: pending until they begin, in the log when they are over. */

import { type Db, insertRow, updateRow } from '../db.ts';
import { type Page, toOffset } from '../paging.ts';
import type { ActionType, TriggerType } from '../workflows/catalog.ts';
import type { Payload } from '../workflows/template.ts';
import type { Workflow } from './workflows.ts';

export type WorkflowRunStatus = 'success' | 'error' | 'skipped';

/** What became of one action. `error` is a code. */
export interface ActionResult {
  type: ActionType;
  status: 'success' | 'error';
  error: string | null;
  output: unknown;
}

export interface WorkflowRun {
  id: number;
  workflow: number;
  trigger_type: TriggerType;
  payload: Payload;
}

export interface WorkflowLog {
  id: number;
  workflow_uuid: string;
  trigger_type: TriggerType;
  status: WorkflowRunStatus;
  actions: ActionResult[];
  /** The code of what was wrong, or null. */
  error: string | null;
  duration_ms: number;
  created_at: number;
}

type Owner = Pick<Workflow, 'id' | 'bot_id' | 'trigger_event'>;
const isOver = "status NOT IN ('pending', 'running')";

export function createWorkflowRunStore(db: Db, now: () => number) {
  const count = (where: string, ...values: unknown[]): number => {
    const row = db.prepare(`SELECT count(*) AS total FROM workflow_runs WHERE ${where}`).get(...values);
    return (row as { total: number }).total;
  };
  const insert = (
    { id, bot_id, trigger_event }: Owner,
    trigger_type: TriggerType,
    more: { status: string; payload?: string; error?: string },
  ): number => {
    insertRow(db, 'workflow_runs', {
      workflow: id,
      bot_id,
      trigger_type,
      trigger_event: trigger_type === 'event' ? trigger_event : null,
      created_at: now(),
      ...more,
    });
    return (db.prepare('SELECT last_insert_rowid() AS id').get() as { id: number }).id;
  };
  /** It has run, however that ended. */
  const countRun = (workflow: number) =>
    db
      .prepare('UPDATE workflows SET run_count = run_count + 1, last_run_at = ? WHERE id = ?')
      .run(now(), workflow);

  return {
    /** One that is to begin, or has begun. @returns its id */
    add: (
      workflow: Owner,
      trigger: TriggerType,
      payload: Payload,
      status: 'pending' | 'running' = 'pending',
    ): number => insert(workflow, trigger, { status, payload: JSON.stringify(payload) }),

    skip(workflow: Owner, trigger: TriggerType, error: string) {
      insert(workflow, trigger, { status: 'skipped', error });
    },

    /** What has not begun does not begin, and what is under way takes no further step. */
    switchOff(workflow: number) {
      db.prepare("DELETE FROM workflow_runs WHERE workflow = ? AND status = 'pending'").run(workflow);
      db.prepare(
        "UPDATE workflow_runs SET error = 'switched_off' WHERE workflow = ? AND status = 'running'",
      ).run(workflow);
    },

    /** Deleted with its workflow, or switched off. */
    isStopped: (run: number) => count("id = ? AND status = 'running' AND error IS NULL", run) === 0,

    /** Begun by its schedule, and not over. */
    isOpen: (workflow: number) =>
      count("workflow = ? AND trigger_type = 'schedule' AND status IN ('pending', 'running')", workflow) > 0,

    /** Of each workflow the longest waiting, but of those that are under way. */
    pending: (limit: number, but: readonly number[]): WorkflowRun[] =>
      db
        .prepare(
          `SELECT id, workflow, trigger_type, payload FROM workflow_runs WHERE id IN (
             SELECT min(id) FROM workflow_runs
             WHERE status = 'pending' AND workflow NOT IN (SELECT value FROM json_each(?)) GROUP BY workflow)
           ORDER BY id LIMIT ?`,
        )
        .all(JSON.stringify(but), limit)
        .map((row) => {
          const run = row as Omit<WorkflowRun, 'payload'> & { payload: string };
          return { ...run, payload: JSON.parse(run.payload) as Payload };
        }),

    /** Claimed before anything is done: after a kill it is not begun again. */
    claim(run: number) {
      db.prepare("UPDATE workflow_runs SET status = 'running' WHERE id = ?").run(run);
    },

    /** What was done so far. */
    noteSteps(run: number, actions: readonly ActionResult[]) {
      db.prepare('UPDATE workflow_runs SET actions = ? WHERE id = ?').run(JSON.stringify(actions), run);
    },

    /** What it was told is kept no longer than it is needed. */
    end(run: WorkflowRun, status: WorkflowRunStatus, error: string | null, duration_ms: number) {
      db.transaction(() => {
        updateRow(db, 'workflow_runs', run.id, { status, error, duration_ms, payload: null });
        countRun(run.workflow);
      })();
    },

    /** What a killed service has cut off. */
    endInterrupted() {
      db.transaction(() => {
        const cutOff = db
          .prepare(
            `UPDATE workflow_runs SET status = 'error', error = 'interrupted', payload = NULL
             WHERE status = 'running' RETURNING workflow`,
          )
          .all() as { workflow: number }[];
        for (const { workflow } of cutOff) countRun(workflow);
      })();
    },

    /** Those that are over, newest first. */
    logs(workflow: Workflow, page: Page): { logs: WorkflowLog[]; total: number } {
      const where = `workflow = ? AND ${isOver}`;
      const logs = db
        .prepare(
          `SELECT id, trigger_type, status, actions, error, duration_ms, created_at FROM workflow_runs
           WHERE ${where} ORDER BY id DESC LIMIT ? OFFSET ?`,
        )
        .all(workflow.id, page.perPage, toOffset(page)) as (Omit<WorkflowLog, 'actions'> & {
        actions: string;
      })[];
      return {
        total: count(where, workflow.id),
        logs: logs.map((log) => ({
          ...log,
          workflow_uuid: workflow.uuid,
          actions: JSON.parse(log.actions) as ActionResult[],
        })),
      };
    },

    forgetBefore(at: number) {
      db.prepare(`DELETE FROM workflow_runs WHERE created_at < ? AND ${isOver}`).run(at);
    },
  };
}

export type WorkflowRunStore = ReturnType<typeof createWorkflowRunStore>;
