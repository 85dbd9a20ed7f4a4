/** Looks again and again how a turn that another helper runs stands in the store. */
import { HelperError } from '../errors.ts';
import { toLogFields } from '../log.ts';
import { limits } from '../protocol/wire.ts';
import type { TurnRecord } from '../store/store.ts';
import { sleep } from '../within.ts';
import type { RunContext } from './context.ts';
import type { LiveTurn } from './turn.ts';

export type Watching = {
  /** Aborts when nobody reads it here any more, or this helper closes. */
  left: AbortSignal;
  /** Takes the turn over when its runner is gone; undefined while it is not. */
  take: (record: TurnRecord) => Promise<TurnRecord | undefined>;
};

export const lookEveryMs = 300;

export function tellUnfollowed({ log }: Pick<RunContext, 'log'>, turn: LiveTurn, error: unknown): void {
  log.warn({ ...toLogFields(error), turnId: turn.id }, 'a turn of another helper could not be followed');
}

/** @returns the record when the turn is ours now; undefined once it has ended, or is left */
export async function watchElsewhere(
  context: Pick<RunContext, 'store' | 'log' | 'monotonicNow'>,
  turn: LiveTurn,
  { left, take }: Watching,
  way: {
    /** A while before each look. Never rejects. */
    before(): Promise<void> | void;
    tellEnd(record: TurnRecord): Promise<void>;
    /** It runs: here from now on, or still elsewhere. */
    onRunning?(isOurs: boolean): Promise<void> | void;
  },
): Promise<TurnRecord | undefined> {
  const { store, monotonicNow } = context;
  const isDone = () => turn.isOver || left.aborted;
  const until = monotonicNow() + limits.turnTimeoutMs;
  while (!isDone()) {
    await way.before();
    await sleep(lookEveryMs);
    // Stopped here meanwhile.
    if (isDone()) break;
    try {
      if (monotonicNow() > until) turn.end(turn.toFailed(new HelperError('agent-timeout')));
      const record = await store.findTurn(turn.conversationId, turn.id);
      if (isDone()) break;
      if (!record) turn.end(turn.toStopped());
      else if (record.status !== 'running') await way.tellEnd(record);
      else {
        const mine = await take(record);
        await way.onRunning?.(mine !== undefined);
        if (mine) return record;
      }
    } catch (error) {
      tellUnfollowed(context, turn, error);
    }
  }
  return undefined;
}
