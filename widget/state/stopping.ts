/** The visitor's Stop: told to the helper, or, while it does not have the question, the end of trying. */
import type { SessionKeeper } from '../transport/session.ts';
import { toTurnPath } from '../transport/turn-stream.ts';
import type { Entry } from './entries.ts';
import type { Outbox } from './outbox.ts';
import type { Screen } from './screen.ts';

export type StoppingDeps = {
  sessions: SessionKeeper;
  screen: Screen;
  outbox: Outbox;
  follow: (conversationId: string, entry: Entry) => Promise<void>;
  /** It is to be a draft again. */
  onTakenBack: (text: string) => void;
  say: (again: () => void) => (error: unknown) => void;
};

export function createStopping(deps: StoppingDeps) {
  const { sessions, screen, outbox, follow, onTakenBack, say } = deps;
  const { id, entries, running, lost, problem, isBusy } = screen;
  const sendStop = (conversationId: string, entry: Entry): void => {
    problem.value = undefined;
    isBusy.value = true;
    const wasPaused = entry.answer.value?.status === 'paused';
    const path = toTurnPath({ conversationId, turnId: entry.turnId });
    sessions
      .call({ method: 'DELETE', path, signal: screen.signal })
      .then(() => (wasPaused ? follow(conversationId, entry) : undefined))
      .catch(say(() => sendStop(conversationId, entry)))
      .finally(() => {
        isBusy.value = false;
      });
  };
  return {
    sendStop,
    stop(): void {
      const entry = entries.value.findLast(
        ({ turnId, answer }) => turnId === running.value || answer.value?.status === 'paused',
      );
      if (!entry) return;
      const conversationId = id.value as string;
      if (entry.known) return sendStop(conversationId, entry);
      if (outbox.holds(entry.turnId)) {
        // What was to be shown here is not known yet, and takes its place.
        onTakenBack(entry.question as string);
        return outbox.giveUp(entry, undefined);
      }
      if (lost.value) return outbox.giveUp(entry, lost.value);
      outbox.drop(entry);
      const path = toTurnPath({ conversationId, turnId: entry.turnId });
      // Not there yet is no failure: it is stopped once it is.
      sessions.call({ method: 'DELETE', path, signal: screen.signal }).catch(() => {});
    },
  };
}
