/** A turn that runs here and is no longer ours by the store: another helper has stopped it, deleted it or taken it over. */
import { toLogFields } from '../log.ts';
import type { Cancelling } from './cancelling.ts';
import type { Ends } from './ends.ts';
import type { RunContext, TurnRun } from './run.ts';
import type { LiveTurn } from './turn.ts';

type Parts = {
  context: Pick<RunContext, 'store' | 'log'>;
  runs: WeakMap<LiveTurn, TurnRun>;
  ends: Ends;
  cancelling: Cancelling;
  runner: string;
  letGo: (turn: LiveTurn) => void;
};

export function createLosing({ context, runs, ends, cancelling, runner, letGo }: Parts) {
  const { store, log } = context;
  /** What the agent wrote down after the other helper had its chat deleted. */
  const deleteAgain = async ({ chatId, bot }: { chatId: string; bot: string }) => {
    await cancelling.quiet(chatId);
    await store
      .putLeftovers([{ kind: 'chat', id: chatId, bot }])
      .catch((error: unknown) => log.warn(toLogFields(error), 'a deleted chat could not be noted again'));
  };

  return async (turn: LiveTurn): Promise<void> => {
    const record = await store.findTurn(turn.conversationId, turn.id);
    if (record?.status === 'running' && record.runner === runner) return;
    const run = runs.get(turn);
    if (!run || turn.isOver || turn.isClosing) return;
    if (record) await ends.addText(turn, record);
    if (record && record.status !== 'stopped') {
      run.yield();
      return letGo(turn);
    }
    // The other helper's cancel may have come before the question, or failed; a later answer is not to be stopped by ours.
    const [last] = record ? await store.listTurns(turn.conversationId, { limit: 1 }) : [];
    if (last && last.id !== turn.id) {
      run.yield();
      return turn.end(turn.toStopped(record?.answer));
    }
    await run.stop();
    if (!record) await deleteAgain(run.conversation);
  };
}
