/** Follows a turn that another helper runs and tells where all helpers read it, and ends it as the store says. */
import { HelperError } from '../errors.ts';
import { toLogFields } from '../log.ts';
import { limits } from '../protocol/wire.ts';
import type { ConversationRecord, TurnRecord } from '../store/store.ts';
import { sleep } from '../within.ts';
import type { RunContext } from './context.ts';
import { tellRecord } from './retelling.ts';
import type { Told } from './told.ts';
import type { LiveTurn } from './turn.ts';

const lookEveryMs = 300;
/** An end is told once it is stored: so long it may be on its way. */
const endMs = 500;
const lookForEndMs = 50;

/** Tells the end that `record` has, as its runner told it where that is to be had. */
export async function tellEnded(
  context: RunContext,
  turn: LiveTurn,
  told: Told,
  conversation: ConversationRecord,
  record: TurnRecord,
): Promise<void> {
  if (record.status !== 'paused') told.passPause();
  const isOnItsWay = () => !turn.isOver && !told.isPaused && context.now() < (record.endedAt ?? 0) + endMs;
  while (isOnItsWay()) {
    await sleep(lookForEndMs);
    await told.catchUp();
  }
  if (!turn.isOver) await tellRecord(context, turn, conversation, record);
}

/** As `followElsewhere`, which is for stores that have no logs. */
export async function followTold(
  context: RunContext,
  turn: LiveTurn,
  told: Told,
  conversation: ConversationRecord,
  left: AbortSignal,
  take: (record: TurnRecord) => Promise<TurnRecord | undefined>,
): Promise<TurnRecord | undefined> {
  const { store, log, monotonicNow } = context;
  const isDone = () => turn.isOver || left.aborted;
  const until = monotonicNow() + limits.turnTimeoutMs;
  const warn = (error: unknown) =>
    log.warn({ ...toLogFields(error), turnId: turn.id }, 'a turn of another helper could not be followed');
  const unfollow = told.follow((error) => (error === undefined ? turn.log.flush() : warn(error)));
  try {
    while (!isDone()) {
      await sleep(lookEveryMs);
      if (isDone()) break;
      if (monotonicNow() > until) turn.end(turn.toFailed(new HelperError('agent-timeout')));
      try {
        const wasPaused = told.isPaused;
        const record = await store.findTurn(turn.conversationId, turn.id);
        if (isDone()) break;
        if (!record) turn.end(turn.toStopped());
        else if (record.status !== 'running') await tellEnded(context, turn, told, conversation, record);
        else if (await take(record)) {
          await told.catchUp();
          told.passPause();
          return record;
        } else if (wasPaused) told.passPause();
      } catch (error) {
        warn(error);
      }
    }
    return undefined;
  } finally {
    unfollow();
    turn.log.flush();
  }
}
