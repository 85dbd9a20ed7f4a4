/** Writes down how turns end: once, whoever else would end them, and as often as it takes when the store fails. */

import { type Earlier, nothingEarlier, readEarlier } from '../conversation/earlier.ts';
import { writePause } from '../conversation/pause.ts';
import { type Log, toLogFields } from '../log.ts';
import type { EndsFrom, Store, TurnEndChange, TurnRecord } from '../store/store.ts';
import { within } from '../within.ts';
import type { TurnEnd } from './telling.ts';
import type { LiveTurn } from './turn.ts';

/** `kept`: the store did not take it in time, so it is told now and written later. `gone`: the conversation is deleted. */
export type Written =
  | { outcome: 'written' | 'kept' | 'gone'; stands?: undefined }
  /** Another helper's word stands; undefined when the store then did not tell it. */
  | { outcome: 'other'; stands: TurnRecord | undefined };

export type Ends = {
  /** @param from in any of these states, tried in this order */
  write(turn: LiveTurn, end: TurnEnd, from: readonly EndsFrom[]): Promise<Written>;
  isKept(turn: LiveTurn): boolean;
  /** Stopped at another helper, which has not heard what was said until then: it is added. */
  addText(turn: LiveTurn, stands: TurnRecord): Promise<void>;
  /** Tries once more what was kept, of one conversation or of all. */
  flush(conversationId?: string): Promise<void>;
};

type Kept = {
  turn: LiveTurn;
  change: TurnEndChange;
  /** In any of these states. */
  from: readonly EndsFrom[];
  /** An end of the same turn that was kept before this one, and may still land. */
  after: Promise<boolean> | undefined;
  writing: Promise<boolean> | undefined;
};

/** A visitor does not wait longer for a store that does not answer. */
const patienceMs = 1_000;

export function createEnds(store: Store, log: Log): Ends {
  const kept = new Map<LiveTurn, Kept>();

  const tryWrite = (one: Kept): Promise<boolean> => {
    one.writing ??= writeOnce(one).finally(() => {
      one.writing = undefined;
    });
    return one.writing;
  };
  const writeOnce = async ({ turn, change, from, after }: Kept): Promise<boolean> => {
    await after?.catch(() => {});
    for (const state of from)
      if (await store.endTurn(turn.conversationId, turn.id, change, state)) return true;
    return false;
  };
  const find = async ({ conversationId, id }: LiveTurn) => [await store.findTurn(conversationId, id)];
  const addText: Ends['addText'] = async (turn, { status, answer, endedAt }) => {
    // After a decision the store has what was said before it, and no more.
    const isMore = turn.text.length > (answer ?? '').length && turn.text.startsWith(answer ?? '');
    if (status !== 'stopped' || !isMore) return;
    const change = { status: 'stopped', endedAt: endedAt ?? turn.clock.now(), answer: turn.text } as const;
    await store.endTurn(turn.conversationId, turn.id, change, { status: 'stopped' });
  };
  const tryAgain = async (one: Kept) => {
    try {
      const isWritten = await tryWrite(one);
      // Written before, or another end stands: one that stopped it may lack what was said.
      const stands = isWritten ? undefined : (await find(one.turn))[0];
      if (stands) await addText(one.turn, stands);
      if (kept.get(one.turn) === one) kept.delete(one.turn);
    } catch (error) {
      log.warn({ ...toLogFields(error), turnId: one.turn.id }, 'the end of a turn waits for the store');
    }
  };

  return {
    async write(turn, end, from) {
      // A pause that the store did not take is stopped before it is there, or after.
      const before = kept.get(turn);
      const one: Kept = {
        turn,
        change: toChange(turn, end),
        from: [...from, ...(before?.from ?? [])],
        after: before?.writing,
        writing: undefined,
      };
      kept.set(turn, one);
      const isWritten = await within(tryWrite(one), patienceMs).catch(() => undefined);
      if (isWritten === undefined) {
        log.error({ turnId: turn.id }, 'the end of a turn could not be stored yet');
        return { outcome: 'kept' };
      }
      kept.delete(turn);
      if (isWritten) return { outcome: 'written' };
      const found = await within(find(turn), patienceMs).catch(() => undefined);
      if (found === undefined) return { outcome: 'other', stands: undefined };
      const [stands] = found;
      if (!stands) return { outcome: 'gone' };
      // The store took it and then failed to say so.
      const isSame = stands.status === end.status && stands.endedAt === one.change.endedAt;
      return isSame ? { outcome: 'written' } : { outcome: 'other', stands };
    },
    isKept: (turn) => kept.has(turn),
    addText,
    async flush(conversationId) {
      const due = [...kept.values()].filter(
        ({ turn }) => conversationId === undefined || turn.conversationId === conversationId,
      );
      await Promise.all(due.map(tryAgain));
    },
  };
}

/** Question and answer are kept until the agent's record is seen to have them. */
function toChange(turn: LiveTurn, end: TurnEnd): TurnEndChange {
  const endedAt = 'message' in end ? Date.parse(end.message.at) : turn.clock.now();
  // What was taken back may yet be written down by the agent, and is not to be shown then.
  const before = readEarlier(turn.earlier);
  const { takenBack, cuts: decided = [] } = before;
  const untaken = turn.isUntaken && {
    earlier: JSON.stringify({ ...before, isUntaken: true } satisfies Earlier),
  };
  switch (end.status) {
    case 'completed': {
      const answer = end.message.text;
      const { agentMessageId } = end;
      // The agent may write down, or tell again, what came since the decision alone: its words tell whose it is.
      const cuts = answer.startsWith(turn.textBefore) ? decided : [];
      const earlier =
        takenBack.length > 0 || cuts.length > 0
          ? JSON.stringify({ ...nothingEarlier, takenBack, cuts } satisfies Earlier)
          : undefined;
      return {
        status: 'completed',
        endedAt,
        answer,
        earlier,
        ...(agentMessageId !== undefined && { agentMessageId }),
      };
    }
    case 'stopped':
      return {
        status: 'stopped',
        endedAt,
        answer: end.message.text,
        pause: undefined,
        ...untaken,
      };
    case 'paused': {
      const paused: Earlier = { ...before, said: end.text };
      return {
        status: 'paused',
        endedAt,
        pause: writePause(end.stored),
        answer: end.text,
        earlier: JSON.stringify(paused),
      };
    }
    case 'failed':
      return {
        status: 'failed',
        endedAt,
        code: end.error.code,
        answer: end.text,
        ...untaken,
      };
  }
}
