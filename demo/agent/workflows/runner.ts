/** Runs workflows: those that an event, the clock or a call began, step by step, each once. */

import { AgentError, toAgentError } from '../errors.ts';
import type { EventLog } from '../events.ts';
import { keepTrying } from '../keep.ts';
import type { Bot, BotStore } from '../store/bots.ts';
import type { ChatStore } from '../store/chats.ts';
import type {
  ActionResult,
  WorkflowRun,
  WorkflowRunStatus,
  WorkflowRunStore,
} from '../store/workflowruns.ts';
import type { Workflow, WorkflowStore } from '../store/workflows.ts';
import { nextSlot, type Schedule } from '../tasks/schedule.ts';
import { dayMs } from '../time.ts';
import { createWatch } from '../watch.ts';
import { ActionError } from './actions.ts';
import type { Action, TriggerType } from './catalog.ts';
import { asWorkflow, isWorkflows } from './origin.ts';
import { holds, type Payload } from './template.ts';

/** Of those that began by themselves, one of each workflow: what an address holds up holds up none but its own. */
const maxAtOnce = 16;
/** Of those of a workflow that somebody called and waits for, and of all that wait for a place. */
const maxCalledAtOnce = 20;
const maxWaiting = 50;
/** The clock is looked at so often. */
const maxIdleMs = 1_000;
const logsKeptMs = 400 * dayMs;

export interface WorkflowResult {
  run_id: number;
  status: WorkflowRunStatus;
  actions: ActionResult[];
}

export interface WorkflowRunnerDeps {
  workflows: WorkflowStore;
  runs: WorkflowRunStore;
  bots: BotStore;
  chats: ChatStore;
  events: EventLog;
  now: () => number;
  /** @returns the output. Throws an AgentError. */
  perform(
    bot: Bot,
    action: Action,
    payload: Payload,
    signal: AbortSignal,
    isStopped: () => boolean,
  ): Promise<object>;
}

export interface WorkflowRunner {
  /** After a stop: what a kill has cut off is said, what waits goes on, a missed slot runs once. */
  start(): void;
  /** Runs what is due, and goes on with what becomes due. */
  wake(): void;
  /** Runs it now, and waits. */
  run(workflow: Workflow, trigger: TriggerType, payload: Payload): Promise<WorkflowResult>;
  close(): Promise<void>;
}

export function scheduleOf({
  trigger_type,
  trigger_config,
}: Pick<Workflow, 'trigger_type' | 'trigger_config'>) {
  return trigger_type === 'schedule' ? (trigger_config as Schedule) : undefined;
}

export function createWorkflowRunner({
  workflows,
  runs,
  bots,
  chats,
  events,
  now,
  perform,
}: WorkflowRunnerDeps): WorkflowRunner {
  const closing = new AbortController();
  /** By workflow. */
  const underWay = new Map<number, Promise<unknown>>();
  const called = new Map<number, Set<Promise<unknown>>>();
  let waiting = 0;

  const report = (thrown: unknown) =>
    events.record('workflows.failed', { cause: thrown instanceof Error ? thrown.stack : 'unknown' });

  /** What was done is not forgotten for a database that refuses it. */
  const keep = <T>(write: () => T) => keepTrying(write, report, closing.signal);

  async function step(run: WorkflowRun, bot: Bot, action: Action): Promise<ActionResult> {
    const { type } = action;
    try {
      const output = await asWorkflow(() =>
        perform(bot, action, run.payload, closing.signal, () => runs.isStopped(run.id)),
      );
      return { type, status: 'success', error: null, output };
    } catch (thrown) {
      const error = closing.signal.aborted ? 'interrupted' : toAgentError(thrown).code;
      if (error === 'internal_error') report(thrown);
      return { type, status: 'error', error, output: thrown instanceof ActionError ? thrown.output : null };
    }
  }

  /** Of a run that is claimed. */
  async function work(run: WorkflowRun, workflow: Workflow, bot: Bot): Promise<WorkflowResult> {
    const began = performance.now();
    const actions: ActionResult[] = [];
    const isMet = holds(workflow.conditions, run.payload);
    for (const action of isMet ? workflow.actions : []) {
      const result = runs.isStopped(run.id)
        ? ({ type: action.type, status: 'error', error: 'switched_off', output: null } as const)
        : await step(run, bot, action);
      actions.push(result);
      await keep(() => runs.noteSteps(run.id, actions));
      if (result.status === 'error') break;
    }
    const error = actions.at(-1)?.error ?? null;
    const status = !isMet ? 'skipped' : error === null ? 'success' : 'error';
    const durationMs = Math.round(performance.now() - began);
    await keep(() => runs.end(run, status, error, durationMs));
    const { uuid: workflow_id } = workflow;
    events.record('workflow.ran', { workflow_id, run_id: run.id, trigger: run.trigger_type, status, error });
    return { run_id: run.id, status, actions };
  }

  function take(run: WorkflowRun) {
    const workflow = workflows.get(run.workflow);
    const bot = workflow && bots.get(workflow.bot_id);
    if (!bot) return;
    runs.claim(run.id);
    const job = work(run, workflow, bot)
      .catch(report)
      .then(() => {
        underWay.delete(run.workflow);
        watch.wake();
      });
    underWay.set(run.workflow, job);
  }

  function takeSlot(workflow: Workflow) {
    const slot = workflow.next_run_at!;
    const next = nextSlot(scheduleOf(workflow)!, now(), workflow.anchor_at) ?? null;
    const payload = { workflow_id: workflow.uuid, scheduled_at: new Date(slot).toISOString() };
    workflows.takeSlot(workflow, payload, next);
  }

  const watch = createWatch({
    look() {
      chats.endSilent();
      for (const workflow of workflows.due()) takeSlot(workflow);
      const free = maxAtOnce - underWay.size;
      if (free > 0) for (const run of runs.pending(free, [...underWay.keys()])) take(run);
      return Number.POSITIVE_INFINITY;
    },
    report,
    now,
    maxIdleMs,
  });

  return {
    wake: watch.wake,
    start() {
      runs.forgetBefore(now() - logsKeptMs);
      runs.endInterrupted();
      for (const workflow of workflows.onIntervals()) {
        const isMissed = workflow.next_run_at! <= now();
        const next = nextSlot(scheduleOf(workflow)!, now(), now()) ?? null;
        workflows.update(workflow.id, { anchor_at: now(), ...(isMissed ? {} : { next_run_at: next }) });
      }
      watch.wake();
    },

    async run(asked, trigger_type, payload) {
      if (isWorkflows()) throw new AgentError(409, 'workflow_loop', 'A workflow starts no workflow.');
      const others = called.get(asked.id) ?? new Set();
      called.set(asked.id, others);
      if (others.size >= maxCalledAtOnce && waiting >= maxWaiting)
        throw new AgentError(429, 'workflow_busy', 'Too many runs wait already.', { 'Retry-After': '1' });
      waiting += 1;
      while (others.size >= maxCalledAtOnce) await Promise.race(others);
      waiting -= 1;
      // All of them may have ended meanwhile.
      called.set(asked.id, others);
      // Meanwhile it may have become another.
      const workflow = workflows.get(asked.id);
      const bot = workflow && bots.get(workflow.bot_id);
      if (!bot || closing.signal.aborted)
        throw new AgentError(404, 'workflow_not_found', 'This workflow is gone.');
      if (trigger_type === 'webhook' && !workflow.is_active)
        throw new AgentError(409, 'workflow_inactive', 'This workflow is switched off.');
      const id = runs.add(workflow, trigger_type, payload, 'running');
      const job = work({ id, workflow: workflow.id, trigger_type, payload }, workflow, bot);
      const settled = job
        .catch(() => {})
        .then(() => {
          others.delete(settled);
          if (others.size === 0 && called.get(asked.id) === others) called.delete(asked.id);
        });
      others.add(settled);
      return job;
    },

    async close() {
      watch.stop();
      closing.abort();
      await Promise.all([...underWay.values(), ...[...called.values()].flatMap((runs) => [...runs])]);
    },
  };
}
