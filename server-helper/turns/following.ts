/** Follows a turn that another helper runs and tells where all helpers read it, and ends it as the store says. */
import type { ConversationRecord, TurnRecord } from '../store/store.ts';
import { sleep } from '../within.ts';
import type { RunContext } from './context.ts';
import { tellRecord } from './retelling.ts';
import type { Told } from './told.ts';
import type { LiveTurn } from './turn.ts';
import { tellUnfollowed, type Watching, watchElsewhere } from './watching.ts';

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
  watching: Watching,
): Promise<TurnRecord | undefined> {
  let wasPaused = false;
  const unfollow = told.follow((error) =>
    error === undefined ? turn.log.flush() : tellUnfollowed(context, turn, error),
  );
  try {
    return await watchElsewhere(context, turn, watching, {
      before() {
        wasPaused = told.isPaused;
      },
      tellEnd: (record) => tellEnded(context, turn, told, conversation, record),
      async onRunning(isOurs) {
        if (isOurs) await told.catchUp();
        if (isOurs || wasPaused) told.passPause();
      },
    });
  } finally {
    unfollow();
    turn.log.flush();
  }
}
