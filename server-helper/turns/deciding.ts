/** Takes the visitor's word on a paused turn, once, and lets it go on. */

import { requireFittingDecision, toPausedEvent, writePause } from '../conversation/pause.ts';
import { HelperError } from '../errors.ts';
import type { DecisionRequest } from '../protocol/wire.ts';
import type { ConversationRecord, TurnRecord } from '../store/store.ts';
import { sleep } from '../within.ts';
import type { RunContext } from './context.ts';
import type { Ends } from './ends.ts';
import type { Leases } from './leases.ts';
import type { Logs } from './logs.ts';
import type { Pausing } from './pausing.ts';
import type { Publishing } from './publishing.ts';
import type { TurnRun } from './run.ts';
import type { ReadStanding } from './standing.ts';
import type { LiveTurn } from './turn.ts';

const pausedMs = 1_000;

export function createDeciding(parts: {
  context: RunContext;
  logs: Logs;
  runs: WeakMap<LiveTurn, TurnRun>;
  ends: Ends;
  leases: Leases;
  publishing: Publishing;
  attach: (conversation: ConversationRecord, record: TurnRecord) => Promise<LiveTurn>;
  /** The store has it running, and as ours. */
  isHeld: (record: TurnRecord | undefined) => boolean;
  readStanding: ReadStanding;
  goOn: Pausing['goOn'];
}) {
  const { logs, runs, ends, leases, publishing, attach, isHeld, readStanding, goOn } = parts;
  const { store, now, tracing } = parts.context;

  return async (
    conversation: ConversationRecord,
    record: TurnRecord,
    { decision, answers, expiresAt }: DecisionRequest,
  ): Promise<void> => {
    await ends.flush(conversation.id);
    const turn = await attach(conversation, record);
    const run = runs.get(turn);
    if (record.status === 'paused') await untilPaused(turn);
    // Written once the store can, its pause would be written over what is decided now.
    if (ends.isKept(turn)) throw new HelperError('internal', 'The store does not answer: decide once more');
    const stored = turn.waitsFor;
    if (!stored || turn.isClosing || !run)
      throw new HelperError('turn-conflict', 'This turn does not wait for a decision');
    if (expiresAt !== undefined && Date.parse(expiresAt) !== stored.expiresAtMs)
      throw new HelperError('turn-conflict', 'This turn waits for another decision by now');
    requireFittingDecision(stored, { decision, ...(answers && { answers }) });
    if (stored.expiresAtMs <= now()) {
      await run.stop();
      throw new HelperError('turn-conflict', 'The time for this decision is over');
    }
    const earlier = await readStanding(conversation, turn, stored.pause.executionId);
    const lease = leases.make();
    // A decision that is refused has read too late, and its reading is not kept.
    const by = { pause: writePause(stored), earlier };
    // The store may say late that it has it.
    const done = leases.expect(record);
    try {
      const isTaken = (await store.resumeTurn(conversation.id, record.id, lease, by)) !== undefined;
      // It may be ours from a try whose answer got lost.
      const isOurs = isTaken || isHeld(await store.findTurn(conversation.id, record.id));
      if (!isOurs || turn.waitsFor !== stored)
        throw new HelperError('turn-conflict', 'This decision has been made already');
      // As the agent has it from then on.
      if (decision === 'approve' && conversation.mode === 'plan' && toPausedEvent(stored).kind === 'plan')
        await store.updateConversation(conversation.id, { mode: 'edit' }).catch(() => {});
      turn.earlier = earlier;
      publishing.join(turn, turn.log.nextId);
      turn.goOn();
      logs.remove(turn);
      logs.add(turn);
      tracing
        .turn(turn, conversation.bot, () => goOn(run, stored.pause, { decision, answers }))
        .catch((error: unknown) => run.onFault(error));
    } finally {
      done();
    }
  };
}

/** Of a turn that another helper runs the pause is in the store a moment before it is told here. */
async function untilPaused(turn: LiveTurn): Promise<void> {
  for (let waited = 0; turn.status === 'running' && waited < pausedMs; waited += 50) await sleep(50);
}
