/** What the visitor decides on a paused turn, and what becomes of it when the time for that is over. */
import { WidgetError } from '../errors.ts';
import type { SessionKeeper } from '../transport/session.ts';
import type { Tabs } from '../transport/tabs.ts';
import { toTurnPath } from '../transport/turn-stream.ts';
import type { Entry } from './entries.ts';
import type { Screen } from './screen.ts';

export type Deciding = {
  decide(turnId: string, decision: 'approve' | 'deny' | 'answer', answers?: string[]): Promise<void>;
  /** The time to decide on a paused turn seems to be over. */
  expire(turnId: string): Promise<void>;
};

export type DecidingDeps = {
  sessions: SessionKeeper;
  tabs: Tabs;
  screen: Screen;
  follow: (conversationId: string, entry: Entry) => Promise<void>;
  load: (conversationId: string) => Promise<void>;
  say: (error: unknown) => void;
};

export function createDeciding({ sessions, tabs, screen, follow, load, say }: DecidingDeps): Deciding {
  const { id, problem } = screen;
  return {
    async decide(turnId, decision, answers) {
      const entry = screen.find(turnId);
      const conversationId = id.value;
      const answer = entry?.answer.value;
      if (!entry || !answer?.pause || conversationId === undefined) return;
      const path = `${toTurnPath({ conversationId, turnId })}/decision`;
      // Should the turn wait for something else by now, that has not been seen.
      const body = { decision, answers, expiresAt: answer.pause.expiresAt };
      problem.value = undefined;
      try {
        await sessions.call({ method: 'POST', path, body, signal: screen.signal });
        tabs.tell({ kind: 'turn', conversationId, turnId });
      } catch (error) {
        // Decided in another tab, or too late: what came of it is shown.
        if (error instanceof WidgetError && error.code === 'turn-conflict') await load(conversationId);
        else say(error);
        return;
      }
      entry.answer.value = { ...(entry.answer.value ?? answer), status: 'writing', pause: undefined };
      await follow(conversationId, entry);
    },
    async expire(turnId) {
      const entry = screen.find(turnId);
      const conversationId = id.value;
      if (entry?.answer.value?.status !== 'paused' || conversationId === undefined) return;
      // This clock may be wrong: the helper says whether the time is over.
      entry.expired = true;
      entry.lastEventId = undefined;
      await follow(conversationId, entry);
    },
  };
}
