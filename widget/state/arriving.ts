/** Questions that were on their way when their conversation was left arrive there, or are drafts again. Loaded when that happens. */
import { isRetryable, toWidgetError } from '../errors.ts';
import { toBackoffMs, wait } from '../transport/backoff.ts';
import type { SessionKeeper } from '../transport/session.ts';
import { toTurnPath } from '../transport/turn-stream.ts';
import type { Memory, PendingQuestion } from './memory.ts';

export type ArrivingDeps = {
  sessions: SessionKeeper;
  memory: Memory;
  /** It is to be a draft again. */
  onTakenBack: (text: string) => void;
  /** The helper has it: who has come back to its conversation meanwhile sees nothing of it yet. */
  onArrived: (conversationId: string) => void;
};

const mostTries = 4;

/** What is being sent, for each visit. */
const visits = new WeakMap<AbortSignal, Set<string>>();

/** @param visit of the visitor who asked */
export function arrive(deps: ArrivingDeps, visit: AbortSignal): void {
  const sent = visits.get(visit) ?? new Set();
  visits.set(visit, sent);
  for (const one of deps.memory.read().leaving ?? []) {
    if (sent.has(one.turnId)) continue;
    sent.add(one.turnId);
    void send(one, deps, visit);
  }
}

/** Under its own id it is asked once, however often it is sent. */
async function send(one: PendingQuestion, deps: ArrivingDeps, visit: AbortSignal): Promise<void> {
  const { sessions, memory, onTakenBack, onArrived } = deps;
  const { question, turnId } = one;
  const forget = () => {
    const others = memory.read().leaving?.filter((other) => other.turnId !== turnId);
    memory.change({ leaving: others?.length ? others : undefined });
  };
  const giveBack = () => {
    forget();
    onTakenBack(question.text);
  };
  // It was refused before: it is sent again by a click alone.
  if (one.code) return giveBack();
  for (let tries = 0; !visit.aborted; tries += 1) {
    try {
      const { body } = await sessions.call({
        method: 'PUT',
        path: toTurnPath(one),
        body: question,
        signal: visit,
      });
      void body?.cancel();
      if (visit.aborted) return;
      forget();
      return onArrived(one.conversationId);
    } catch (error) {
      if (visit.aborted) return;
      if (tries === mostTries || !isRetryable(toWidgetError(error).code)) return giveBack();
    }
    await wait(toBackoffMs(tries), visit).catch(() => {});
  }
}
