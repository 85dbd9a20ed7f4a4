/** Runs tasks when they are due, each for itself: one turn of the agent a run, and a line in the log for each slot. */

import { AgentError, toAgentError } from '../errors.ts';
import type { EventLog } from '../events.ts';
import { keepTrying } from '../keep.ts';
import type { Bot, BotStore } from '../store/bots.ts';
import type { NewTaskLog, Task, TaskChanges, TaskLog, TaskStore } from '../store/tasks.ts';
import { dayMs } from '../time.ts';
import type { UnattendedEnd } from '../turns/unattended.ts';
import { createWatch } from '../watch.ts';
import { isActive, nextSlot } from './schedule.ts';

/** The clock is looked at so often. */
const maxIdleMs = 1_000;
/** A slot that is so old was missed: it counts as of now. */
const missedAfterMs = 60_000;
const logsKeptMs = 400 * dayMs;
/** While it waited for its turn: it has not run. */
const switchedOff = 'switched_off';

export interface TaskResult extends NewTaskLog {
  reply: string;
  chat_id: string;
}

export interface TaskRunnerDeps {
  tasks: TaskStore;
  bots: BotStore;
  events: EventLog;
  now: () => number;
  /** Begins a turn with the task's prompt. Throws as a chat call would. */
  ask(bot: Bot, readTask: () => Task, signal: AbortSignal): Promise<UnattendedEnd>;
}

export interface TaskRunner {
  /** After a stop: what a kill has cut off is said, what was missed runs once. */
  start(): void;
  /** Runs what is due, and goes on with what becomes due. */
  wake(): void;
  /** Runs it now. 409 `task_running`. */
  trigger(bot: Bot, task: Task): Promise<{ result: TaskResult; log: TaskLog | undefined }>;
  close(): Promise<void>;
}

/** What stops a task for good: all its runs were made, or too many in a row went wrong. */
export function endOf(
  task: Pick<Task, 'max_executions' | 'execution_count' | 'error_count' | 'max_consecutive_errors'>,
  wasOnce = false,
  hasRun = true,
): TaskChanges | undefined {
  const isOver = wasOnce || (task.max_executions !== null && task.execution_count >= task.max_executions);
  if (!isOver && task.error_count < task.max_consecutive_errors) return undefined;
  const reason = hasRun ? 'completed' : 'skipped';
  return { enabled: false, next_run_at: null, paused_reason: isOver ? reason : 'consecutive_errors' };
}

export const chatOf = ({ chat_id, uuid }: Task): string => chat_id ?? uuid;

export function createTaskRunner({ tasks, bots, events, now, ask }: TaskRunnerDeps): TaskRunner {
  const running = new Map<number, Promise<unknown>>();
  const closing = new AbortController();

  const report = (thrown: unknown) =>
    events.record('tasks.failed', { cause: thrown instanceof Error ? thrown.stack : 'unknown' });

  /** The turn itself; it never throws. @param wasDue not begun by hand */
  async function work(bot: Bot, task: Task, wasDue: boolean): Promise<TaskResult> {
    const chat_id = chatOf(task);
    /** While it waits it may become another, or go. */
    const readTask = () => {
      const current = tasks.get(task.id);
      if (!current || (wasDue && task.enabled && !current.enabled))
        throw new AgentError(409, switchedOff, 'The task was switched off, or is gone.');
      return current;
    };
    try {
      const { chat, reason: lack = '' } = await ask(bot, readTask, closing.signal);
      const reason = lack === 'cancelled' && closing.signal.aborted ? 'interrupted' : lack;
      const { credit_used: credits_used } = chat.agent;
      return {
        status: reason === '' ? 'success' : 'error',
        reason,
        credits_used,
        reply: chat.reply,
        chat_id: chat.agent.chat_id,
      };
    } catch (thrown) {
      const reason = closing.signal.aborted ? 'interrupted' : toAgentError(thrown).code;
      const status = reason === switchedOff ? 'skipped' : 'error';
      return { status, reason, credits_used: 0, reply: '', chat_id };
    }
  }

  /** What a slot or a run changes. @returns undefined where the task is gone by now */
  function note(
    id: number,
    { status, reason, credits_used }: NewTaskLog,
    more: TaskChanges = {},
    wasDue = true,
  ) {
    const task = tasks.get(id);
    if (!task) return undefined;
    const isRun = status !== 'skipped';
    const execution_count = task.execution_count + (isRun ? 1 : 0);
    const error_count = status === 'error' ? task.error_count + 1 : isRun ? 0 : task.error_count;
    // Run by hand before its time, or while it is switched off, it is still to come.
    const isOnce = task.schedule_type === 'once' && (wasDue || (task.enabled && task.next_run_at === null));
    const ends =
      reason === switchedOff ? {} : endOf({ ...task, execution_count, error_count }, isOnce, isRun);
    events.record('task.noted', { task_id: task.uuid, status, reason });
    return tasks.note(
      task,
      { status, reason, credits_used },
      { execution_count, error_count, ...(isRun ? { last_executed_at: now() } : {}), ...more, ...ends },
    );
  }

  /** Claimed before anything is asked: after a kill its slot is not run again. */
  function run(bot: Bot, task: Task, wasDue: boolean, claim: TaskChanges = {}) {
    tasks.update(task.id, { ...claim, running_since: now() });
    const job = work(bot, task, wasDue)
      .then(async (result) => {
        const keep = () => note(task.id, result, { running_since: null }, wasDue);
        return { result, log: await keepTrying(keep, report, closing.signal) };
      })
      .finally(() => running.delete(task.id));
    running.set(task.id, job);
    return job;
  }

  function take(task: Task) {
    const bot = bots.get(task.bot_id);
    if (!bot) return;
    const slot = task.next_run_at!;
    const at = now() - slot < missedAfterMs ? slot : now();
    const claim = { next_run_at: nextSlot(task, now(), task.anchor_at) ?? null };
    const skip = (reason: string) => note(task.id, { status: 'skipped', reason, credits_used: 0 }, claim);
    if (running.has(task.id)) skip('already_running');
    else if (!isActive(at, task.active_hours_start, task.active_hours_end, task.timezone))
      skip('outside_active_hours');
    else run(bot, task, true, claim).catch(report);
  }

  const watch = createWatch({
    look() {
      for (const task of tasks.due()) take(task);
      return tasks.nextAt();
    },
    report,
    now,
    maxIdleMs,
  });

  return {
    wake: watch.wake,
    start() {
      tasks.forgetLogsBefore(now() - logsKeptMs);
      for (const { id } of tasks.cutOff())
        note(id, { status: 'error', reason: 'interrupted', credits_used: 0 }, { running_since: null }, false);
      for (const task of tasks.enabled()) {
        if (task.schedule_type !== 'interval') continue;
        const isMissed = task.next_run_at !== null && task.next_run_at <= now();
        tasks.update(task.id, {
          anchor_at: now(),
          ...(isMissed ? {} : { next_run_at: nextSlot(task, now(), now()) ?? null }),
        });
      }
      watch.wake();
    },
    trigger(bot, task) {
      if (running.has(task.id)) throw new AgentError(409, 'task_running', 'This task is running.');
      return run(bot, task, false);
    },
    async close() {
      closing.abort();
      watch.stop();
      await Promise.allSettled(running.values());
    },
  };
}
