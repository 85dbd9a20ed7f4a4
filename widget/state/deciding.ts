/** What the visitor decides on a paused turn, and what becomes of it when the time for that is over. */
import { isRetryable, toWidgetError } from '../errors.ts';
import type { SessionKeeper } from '../transport/session.ts';
import type { Tabs } from '../transport/tabs.ts';
import { toTurnPath } from '../transport/turn-stream.ts';
import type { Entry } from './entries.ts';
import type { Memory } from './memory.ts';
import type { Screen } from './screen.ts';

export type Deciding = {
  decide(
    turnId: string,
    decision: 'approve' | 'deny' | 'answer',
    answers?: string[],
    onTaken?: () => void,
  ): Promise<void>;
  /** The time to decide on a paused turn seems to be over. */
  expire(turnId: string): Promise<void>;
  /** A page that went away may have decided: looks what came of it. Returns what ends that. */
  recheck(turnId: string): () => void;
};

export type DecidingDeps = {
  sessions: SessionKeeper;
  memory: Memory;
  tabs: Tabs;
  screen: Screen;
  follow: (conversationId: string, entry: Entry) => Promise<void>;
  load: (conversationId: string) => Promise<void>;
  say: (error: unknown) => void;
};

/** A decision that was on its way when its page went arrives within this, or not at all. */
const recheckMs = [1_000, 3_000, 8_000];

export function createDeciding(deps: DecidingDeps): Deciding {
  const { sessions, memory, tabs, screen, follow, load, say } = deps;
  const { id, problem } = screen;
  const findPaused = (turnId: string) => {
    const entry = screen.find(turnId);
    return entry?.answer.value?.status === 'paused' ? entry : undefined;
  };
  const toKey = (turnId: string, pause: { expiresAt: string }) => `${turnId} ${pause.expiresAt}`;
  /** Has the helper tell the turn from its start. */
  const look = async (entry: Entry | undefined): Promise<void> => {
    if (!entry || id.value === undefined) return;
    entry.lastEventId = undefined;
    await follow(id.value, entry);
  };
  return {
    async decide(turnId, decision, answers, onTaken) {
      const entry = screen.find(turnId);
      const conversationId = id.value;
      const answer = entry?.answer.value;
      if (!entry || !answer?.pause || conversationId === undefined) return;
      const { pause } = answer;
      const path = `${toTurnPath({ conversationId, turnId })}/decision`;
      // Should the turn wait for something else by now, that has not been seen.
      const body = { decision, answers, expiresAt: pause.expiresAt };
      problem.value = undefined;
      memory.change({ deciding: toKey(turnId, pause) });
      try {
        await sessions.call({ method: 'POST', path, body, signal: screen.signal });
        tabs.tell({ kind: 'turn', conversationId, turnId });
      } catch (error) {
        const { code } = toWidgetError(error);
        // Decided in another tab, or too late: what came of it is shown.
        if (code === 'turn-conflict') return load(conversationId);
        say(error);
        if (!isRetryable(code)) return;
        // Its reply was lost, perhaps, and it has arrived for all that.
        const said = problem.value;
        const undo = entry.answer.subscribe((now) => {
          const hasGoneOn = now?.status !== 'paused' || now.pause?.expiresAt !== pause.expiresAt;
          if (!hasGoneOn) return;
          onTaken?.();
          if (problem.value === said) problem.value = undefined;
        });
        // The card can be decided on meanwhile.
        look(entry).finally(undo);
        return;
      }
      onTaken?.();
      // Only a reply ends the note: a page that goes away breaks the call off, and what it said may have arrived.
      memory.change({ deciding: undefined });
      const now = entry.answer.value ?? answer;
      const said = answers?.map((text, index) => ({
        question: pause.questions?.[index]?.question ?? '',
        answer: text,
      }));
      entry.answer.value = {
        ...now,
        status: 'writing',
        pause: undefined,
        ...(said && { said: [...(now.said ?? []), ...said] }),
      };
      await follow(conversationId, entry);
    },
    expire(turnId) {
      const entry = findPaused(turnId);
      // This clock may be wrong: the helper says whether the time is over.
      if (entry) entry.expired = true;
      return look(entry);
    },
    recheck(turnId) {
      const pause = findPaused(turnId)?.answer.value?.pause;
      if (!pause || memory.read().deciding !== toKey(turnId, pause)) return () => {};
      const timers = recheckMs.map((ms) => setTimeout(() => look(findPaused(turnId)), ms));
      return () => timers.forEach(clearTimeout);
    },
  };
}
