/** A question that was on its way when its conversation was left arrives there, or is a draft again. Loaded when that happens. */
import { isRetryable, toWidgetError } from '../errors.ts';
import { toBackoffMs, wait } from '../transport/backoff.ts';
import type { SessionKeeper } from '../transport/session.ts';
import { toTurnPath } from '../transport/turn-stream.ts';
import type { Memory } from './memory.ts';

export type ArrivingDeps = {
  sessions: SessionKeeper;
  memory: Memory;
  /** It is to be a draft again. */
  onTakenBack: (text: string) => void;
};

const mostTries = 4;

/** Under its own id it is asked once, however often it is sent. @param visit of the visitor who asked */
export async function arrive(
  { sessions, memory, onTakenBack }: ArrivingDeps,
  visit: AbortSignal,
): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const { leaving } = memory.read();
    if (!leaving || visit.aborted) return;
    const { question, ...address } = leaving;
    try {
      const path = toTurnPath(address);
      const { body } = await sessions.call({ method: 'PUT', path, body: question, signal: visit });
      void body?.cancel();
      if (!visit.aborted) memory.change({ leaving: undefined });
      return;
    } catch (error) {
      if (visit.aborted) return;
      if (tries === mostTries || !isRetryable(toWidgetError(error).code)) {
        memory.change({ leaving: undefined });
        onTakenBack(question.text);
        return;
      }
    }
    await wait(toBackoffMs(tries), visit).catch(() => {});
  }
}
