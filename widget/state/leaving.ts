/** A conversation is left for another: nothing that was written goes with it. */
import type { SessionKeeper } from '../transport/session.ts';
import { toTurnPath } from '../transport/turn-stream.ts';
import type { Outbox } from './outbox.ts';
import type { Screen } from './screen.ts';

export type LeavingDeps = {
  sessions: SessionKeeper;
  screen: Screen;
  outbox: Outbox;
  /** It is to be a draft again. */
  onTakenBack: (text: string) => void;
};

/** @returns shows the conversation of this id next; undefined for a new one */
export function createLeaving({ sessions, screen, outbox, onTakenBack }: LeavingDeps) {
  return (conversationId: string | undefined): void => {
    const [from, isLost] = [screen.id.value, screen.lost.value];
    const left = outbox.takeBack();
    outbox.clear(conversationId);
    if (!left?.request) return;
    const { turnId, request, answer } = left;
    const { signal } = screen;
    const giveBack = () => signal.aborted || onTakenBack(request.text);
    if (from === undefined || isLost || answer.value?.status !== 'sending') return void giveBack();
    // On its way it arrives where it was asked: under its own id it is asked once, however often it is sent.
    const path = toTurnPath({ conversationId: from, turnId });
    sessions
      .call({ method: 'PUT', path, body: request, signal })
      .then(({ body }) => body?.cancel(), giveBack);
  };
}
