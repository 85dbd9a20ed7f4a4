/** Tasks in the database, with a line for each of their runs. */

import { randomUUID } from 'node:crypto';
import { type Db, insertRow, updateRow } from '../db.ts';
import { type Page, toOffset } from '../paging.ts';
import type { Schedule } from '../tasks/schedule.ts';
import type { ChatMode } from './chats.ts';

export type PausedReason = 'consecutive_errors' | 'completed' | 'skipped';
export type RunStatus = 'success' | 'error' | 'skipped';

/** What its owner sets. */
export interface TaskSettings extends Schedule {
  name: string;
  description: string | null;
  prompt: string;
  enabled: boolean;
  /** null: a conversation of its own. */
  chat_id: string | null;
  chat_mode: ChatMode;
  /** HH:MM in its time zone, both or neither. */
  active_hours_start: string | null;
  active_hours_end: string | null;
  max_executions: number | null;
  max_consecutive_errors: number;
}

/** Times in ms since 1970. */
export interface Task extends TaskSettings {
  id: number;
  uuid: string;
  bot_id: string;
  /** From which its interval counts. */
  anchor_at: number;
  execution_count: number;
  /** In a row. */
  error_count: number;
  paused_reason: PausedReason | null;
  last_executed_at: number | null;
  last_status: RunStatus | null;
  last_reason: string | null;
  /** null: disabled, or no slot is left. */
  next_run_at: number | null;
  /** Left behind by a killed service too. */
  running_since: number | null;
  created_at: number;
  updated_at: number;
}

export type TaskChanges = Partial<Omit<Task, 'id' | 'uuid' | 'bot_id' | 'created_at' | 'updated_at'>>;

export interface TaskLog {
  id: number;
  task_uuid: string;
  status: RunStatus;
  /** Empty, or the code of what was wrong. */
  reason: string;
  credits_used: number;
  created_at: number;
}

export type NewTaskLog = Pick<TaskLog, 'status' | 'reason' | 'credits_used'>;

export interface TaskCounts {
  success: number;
  error: number;
  skipped: number;
  credits: number;
}

const logColumns =
  'task_logs.id, tasks.uuid AS task_uuid, task_logs.status, task_logs.reason, task_logs.credits_used, task_logs.created_at';

export function createTaskStore(db: Db, now: () => number) {
  const select = (where: string, ...values: unknown[]): Task[] =>
    db
      .prepare(`SELECT * FROM tasks WHERE ${where}`)
      .all(...values)
      .map(toTask);
  const count = (where: string, ...values: unknown[]): number => {
    const row = db.prepare(`SELECT count(*) AS total FROM tasks WHERE ${where}`).get(...values);
    return (row as { total: number }).total;
  };
  const update = (id: number, changes: TaskChanges) =>
    updateRow(db, 'tasks', id, { ...toRow(changes), updated_at: now() });
  /** Of one task or of all of an agent. */
  const ofTask = (botId: string, taskId: number | undefined) => ({
    where: 'task_logs.bot_id = ? AND (? IS NULL OR task_logs.task = ?)',
    values: [botId, taskId ?? null, taskId ?? null],
  });

  return {
    update,
    get: (id: number): Task | undefined => select('id = ?', id)[0],
    find: (botId: string, uuid: string): Task | undefined =>
      select('bot_id = ? AND uuid = ?', botId, uuid)[0],
    count: (botId: string) => count('bot_id = ?', botId),
    countEnabled: (botId: string) => count('bot_id = ? AND enabled = 1', botId),

    create(botId: string, settings: TaskSettings & Pick<Task, 'anchor_at' | 'next_run_at'>): Task {
      const uuid = randomUUID();
      const at = now();
      insertRow(db, 'tasks', { ...toRow(settings), uuid, bot_id: botId, created_at: at, updated_at: at });
      return select('uuid = ?', uuid)[0]!;
    },

    /** Newest first. */
    list(botId: string, page: Page): { tasks: Task[]; total: number } {
      const where = 'bot_id = ? ORDER BY id DESC LIMIT ? OFFSET ?';
      return { tasks: select(where, botId, page.perPage, toOffset(page)), total: count('bot_id = ?', botId) };
    },

    /** Those that speak in a conversation. A task without one speaks in that of its own name. */
    ofChat: (botId: string, chatId: string): Task[] =>
      select('bot_id = ? AND coalesce(chat_id, uuid) = ? ORDER BY id DESC', botId, chatId),

    delete(id: number) {
      db.prepare('DELETE FROM tasks WHERE id = ?').run(id);
    },

    due: (): Task[] => select('next_run_at <= ? ORDER BY next_run_at', now()),
    enabled: (): Task[] => select('enabled = 1'),
    /** Whose runs a killed service has cut off. */
    cutOff: (): Task[] => select('running_since IS NOT NULL'),

    nextAt(): number | undefined {
      const row = db.prepare('SELECT min(next_run_at) AS at FROM tasks WHERE next_run_at IS NOT NULL').get();
      return (row as { at: number | null }).at ?? undefined;
    },

    /** What became of a slot or of a run, and what it changes, in one. */
    note(task: Task, entry: NewTaskLog, changes: TaskChanges): TaskLog {
      return db.transaction(() => {
        update(task.id, { ...changes, last_status: entry.status, last_reason: entry.reason });
        insertRow(db, 'task_logs', { ...entry, task: task.id, bot_id: task.bot_id, created_at: now() });
        return db
          .prepare(
            `SELECT ${logColumns} FROM task_logs JOIN tasks ON tasks.id = task_logs.task
             WHERE task_logs.task = ? ORDER BY task_logs.id DESC LIMIT 1`,
          )
          .get(task.id) as TaskLog;
      })() as TaskLog;
    },

    /** Newest first. @param taskId absent: of all tasks */
    logs(botId: string, taskId: number | undefined, page: Page): { logs: TaskLog[]; total: number } {
      const { where, values } = ofTask(botId, taskId);
      const { total } = db
        .prepare(`SELECT count(*) AS total FROM task_logs WHERE ${where}`)
        .get(...values) as {
        total: number;
      };
      const logs = db
        .prepare(
          `SELECT ${logColumns} FROM task_logs JOIN tasks ON tasks.id = task_logs.task
           WHERE ${where} ORDER BY task_logs.id DESC LIMIT ? OFFSET ?`,
        )
        .all(...values, page.perPage, toOffset(page)) as TaskLog[];
      return { logs, total };
    },

    deleteLog(botId: string, id: number): boolean {
      return db.prepare('DELETE FROM task_logs WHERE bot_id = ? AND id = ?').run(botId, id).changes > 0;
    },

    /** By UTC day, oldest first. */
    countByDay(botId: string, taskId: number | undefined, since: number): (TaskCounts & { date: string })[] {
      const { where, values } = ofTask(botId, taskId);
      return db
        .prepare(
          `SELECT date(created_at / 1000, 'unixepoch') AS date, sum(status = 'success') AS success,
             sum(status = 'error') AS error, sum(status = 'skipped') AS skipped, sum(credits_used) AS credits
           FROM task_logs WHERE ${where} AND created_at >= ? GROUP BY 1 ORDER BY 1`,
        )
        .all(...values, since) as (TaskCounts & { date: string })[];
    },

    forgetLogsBefore(at: number) {
      db.prepare('DELETE FROM task_logs WHERE created_at < ?').run(at);
    },
  };
}

export type TaskStore = ReturnType<typeof createTaskStore>;

function toRow({ schedule_config, enabled, ...plain }: TaskChanges) {
  return {
    ...plain,
    ...(schedule_config === undefined ? {} : { schedule_config: JSON.stringify(schedule_config) }),
    ...(enabled === undefined ? {} : { enabled: enabled ? 1 : 0 }),
  };
}

function toTask(row: unknown): Task {
  const { schedule_config, enabled, ...plain } = row as Omit<Task, 'schedule_config' | 'enabled'> & {
    schedule_config: string;
    enabled: 0 | 1;
  };
  return { ...plain, schedule_config: JSON.parse(schedule_config), enabled: enabled === 1 };
}
