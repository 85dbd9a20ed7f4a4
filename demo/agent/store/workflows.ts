/** Workflows in the database. */

import { randomBytes, randomUUID } from 'node:crypto';
import { type Db, insertRow, updateRow } from '../db.ts';
import { type Page, toOffset } from '../paging.ts';
import type { Schedule } from '../tasks/schedule.ts';
import type { Action, Condition, TriggerType, WorkflowEvent } from '../workflows/catalog.ts';
import type { Payload } from '../workflows/template.ts';
import type { WorkflowRunStore } from './workflowruns.ts';

/** Of a schedule all of it, of a webhook its secret, of others nothing. */
export type TriggerConfig = Partial<Schedule> & { secret?: string };

/** What its owner sets. */
export interface WorkflowSettings {
  name: string;
  description: string | null;
  trigger_type: TriggerType;
  trigger_event: WorkflowEvent | null;
  trigger_config: TriggerConfig;
  conditions: Condition[];
  actions: Action[];
  is_active: boolean;
}

/** Times in ms since 1970. */
export interface Workflow extends WorkflowSettings {
  id: number;
  uuid: string;
  bot_id: string;
  run_count: number;
  last_run_at: number | null;
  /** From which an interval counts. */
  anchor_at: number;
  /** null: inactive, on no schedule, or no slot is left. */
  next_run_at: number | null;
  created_at: number;
  updated_at: number;
}

export type WorkflowChanges = Partial<Omit<Workflow, 'id' | 'uuid' | 'bot_id' | 'created_at' | 'updated_at'>>;

export const makeSecret = () => randomBytes(32).toString('base64url');
export function createWorkflowStore(db: Db, now: () => number, runs: WorkflowRunStore) {
  const select = (where: string, ...values: unknown[]): Workflow[] =>
    db
      .prepare(`SELECT * FROM workflows WHERE ${where}`)
      .all(...values)
      .map(toWorkflow);
  const count = (botId: string): number => {
    const row = db.prepare('SELECT count(*) AS total FROM workflows WHERE bot_id = ?').get(botId);
    return (row as { total: number }).total;
  };
  const update = (id: number, changes: WorkflowChanges) => updateRow(db, 'workflows', id, toRow(changes));

  return {
    update,
    get: (id: number): Workflow | undefined => select('id = ?', id)[0],
    find: (botId: string, uuid: string): Workflow | undefined =>
      select('bot_id = ? AND uuid = ?', botId, uuid)[0],
    /** Of whichever agent. */
    findWebhook: (uuid: string): Workflow | undefined =>
      select("uuid = ? AND trigger_type = 'webhook'", uuid)[0],
    count,

    create(
      botId: string,
      settings: WorkflowSettings & Pick<Workflow, 'anchor_at' | 'next_run_at'>,
    ): Workflow {
      const uuid = randomUUID();
      const at = now();
      insertRow(db, 'workflows', { ...toRow(settings), uuid, bot_id: botId, created_at: at, updated_at: at });
      return select('uuid = ?', uuid)[0]!;
    },

    change(workflow: Workflow, changes: WorkflowChanges): Workflow {
      db.transaction(() => {
        updateRow(db, 'workflows', workflow.id, { ...toRow(changes), updated_at: now() });
        if (workflow.is_active && changes.is_active === false) runs.switchOff(workflow.id);
      })();
      return select('id = ?', workflow.id)[0]!;
    },

    /** Newest first. */
    list(botId: string, page: Page): { workflows: Workflow[]; total: number } {
      const where = 'bot_id = ? ORDER BY id DESC LIMIT ? OFFSET ?';
      return { workflows: select(where, botId, page.perPage, toOffset(page)), total: count(botId) };
    },

    /** With its runs. */
    delete(id: number) {
      db.prepare('DELETE FROM workflows WHERE id = ?').run(id);
    },

    /** Inside the transaction of the event. @returns whether there is something to run */
    begin(botId: string, event: WorkflowEvent, payload: Payload): boolean {
      const found = select('bot_id = ? AND trigger_event = ? AND is_active = 1', botId, event);
      for (const workflow of found) runs.add(workflow, 'event', payload);
      return found.length > 0;
    },

    due: (): Workflow[] => select('next_run_at <= ? ORDER BY next_run_at', now()),
    onIntervals: (): Workflow[] =>
      select("next_run_at IS NOT NULL AND trigger_config ->> 'schedule_type' = 'interval'"),

    /** The slot's run, and the next slot. */
    takeSlot(workflow: Workflow, payload: Payload, next_run_at: number | null) {
      db.transaction(() => {
        if (runs.isOpen(workflow.id)) runs.skip(workflow, 'schedule', 'already_running');
        else runs.add(workflow, 'schedule', payload);
        // Nothing is left to come.
        update(workflow.id, { next_run_at, ...(next_run_at === null ? { is_active: false } : {}) });
      })();
    },
  };
}

export type WorkflowStore = ReturnType<typeof createWorkflowStore>;

const asJson = ['trigger_config', 'conditions', 'actions'] as const;

function toRow({ is_active, ...changes }: WorkflowChanges) {
  const texts = asJson.flatMap((name) =>
    changes[name] === undefined ? [] : [[name, JSON.stringify(changes[name])]],
  );
  return {
    ...changes,
    ...Object.fromEntries(texts),
    ...(is_active === undefined ? {} : { is_active: Number(is_active) }),
  } as Parameters<typeof updateRow>[3];
}

function toWorkflow(row: unknown): Workflow {
  const fields = row as Omit<Workflow, (typeof asJson)[number] | 'is_active'> &
    Record<(typeof asJson)[number], string> & { is_active: number };
  return {
    ...fields,
    trigger_config: JSON.parse(fields.trigger_config) as TriggerConfig,
    conditions: JSON.parse(fields.conditions) as Condition[],
    actions: JSON.parse(fields.actions) as Action[],
    is_active: fields.is_active === 1,
  };
}
