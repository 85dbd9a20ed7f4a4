/** Stops a turn for its visitor, wherever it runs by then. */
import type { ConversationRecord, TurnRecord } from '../store/store.ts';
import type { Cancelling } from './cancelling.ts';
import type { RunContext } from './context.ts';
import type { Ends } from './ends.ts';
import type { TurnRun } from './run.ts';
import type { LiveTurn } from './turn.ts';

/** Each needs another decision at another helper in between. */
const mostTries = 5;

export function createHalting(parts: {
  context: RunContext;
  runner: string;
  runs: WeakMap<LiveTurn, TurnRun>;
  ends: Ends;
  cancelling: Cancelling;
  attach: (conversation: ConversationRecord, record: TurnRecord) => Promise<LiveTurn>;
  letGo: (turn: LiveTurn) => void;
}) {
  const { runner, runs, ends, cancelling, attach, letGo } = parts;
  const { store, now, onOver } = parts.context;

  const haltAsItStands = async (conversation: ConversationRecord, record: TurnRecord): Promise<void> => {
    const turn = await attach(conversation, record);
    const stands = (await store.findTurn(conversation.id, record.id)) ?? record;
    if (stands.status !== 'running' || stands.runner === runner) return runs.get(turn)?.stop();
    // Another helper runs it: it hears of this from the store, the agent from us. The store is first, or the runner
    // would take what the agent leaves then for the whole answer.
    const end = async () => {
      // Its runner adds what it has said, unless it was killed.
      await turn.catchUp?.().catch(() => {});
      const change = { status: 'stopped', endedAt: now(), ...toMore(turn.text, stands.answer) } as const;
      return store.endTurn(conversation.id, record.id, change, { status: 'running' });
    };
    if (!(await cancelling.stopUnread(conversation.chatId, end))) return;
    turn.end(turn.toStopped());
    // Its runner may have been killed: what came with the question goes here too.
    void onOver?.(conversation, turn);
    // What its runner has said until now is in the record, for those who come later.
    letGo(turn);
  };

  return async (conversation: ConversationRecord, record: TurnRecord): Promise<void> => {
    await ends.flush(conversation.id);
    let stands: TurnRecord | undefined = record;
    for (let tries = 0; tries < mostTries && stands; tries += 1) {
      await haltAsItStands(conversation, stands);
      stands = await store.findTurn(conversation.id, record.id);
      // A pause that was being decided at another helper runs there by the time that its stop is written; and what ran
      // there may have paused before this one heard of it.
      const isElsewhere = stands?.status === 'running' && stands.runner !== runner;
      if (!isElsewhere && stands?.status !== 'paused') return;
    }
  };
}

/** @param answer what was said before the last decision */
function toMore(text: string, answer = ''): { answer?: string } {
  return text.length > answer.length && text.startsWith(answer) ? { answer: text } : {};
}
