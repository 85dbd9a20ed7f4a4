/** A turn that runs here and is no longer ours by the store: another helper has stopped it, deleted it or taken it over. */
import { toLogFields } from '../log.ts';
import type { ConversationRecord } from '../store/store.ts';
import type { Cancelling } from './cancelling.ts';
import type { RunContext } from './context.ts';
import type { Ends } from './ends.ts';
import type { TurnRun } from './run.ts';
import type { LiveTurn } from './turn.ts';

type Parts = {
  context: Pick<RunContext, 'store'>;
  runs: WeakMap<LiveTurn, TurnRun>;
  ends: Ends;
  runner: string;
  letGo: (turn: LiveTurn) => void;
  deleteAgain: DeleteAgain;
};

/** What the agent wrote down after another helper had its chat deleted. */
export type DeleteAgain = (conversation: Pick<ConversationRecord, 'id' | 'chatId' | 'bot'>) => Promise<void>;

export function createDeletingAgain(
  { store, log }: Pick<RunContext, 'store' | 'log'>,
  cancelling: Pick<Cancelling, 'quiet'>,
): DeleteAgain {
  return async ({ id, chatId, bot }) => {
    await cancelling.quiet(chatId);
    try {
      // Its turn may be gone alone: taken back for another question.
      if (await store.findConversation(id)) return;
      await store.putLeftovers([{ kind: 'chat', id: chatId, bot }]);
    } catch (error) {
      log.warn(toLogFields(error), 'a deleted chat could not be noted again');
    }
  };
}

export function createLosing({ context, runs, ends, runner, letGo, deleteAgain }: Parts) {
  const { store } = context;
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
    // The other helper's cancel may have come before the question, or failed; a later answer is not to be stopped by ours,
    // be it to the question in whose place this one was taken back. Of a deleted conversation none is left.
    const [last] = await store.listTurns(turn.conversationId, { limit: 1 });
    if (last && last.id !== turn.id) {
      run.yield();
      return turn.end(turn.toStoppedElsewhere(record?.answer));
    }
    await run.stop();
    if (!record) await deleteAgain(run.conversation);
  };
}
