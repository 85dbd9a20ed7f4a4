/** What the agent's record holds when a paused turn goes on: none of it is the answer, however that goes. */

import { type Earlier, readEarlier, toStanding } from '../conversation/earlier.ts';
import { readNewest } from '../conversation/readback.ts';
import type { ConversationRecord } from '../store/store.ts';
import { within } from '../within.ts';
import type { RunContext } from './context.ts';
import { recordMessages } from './mending.ts';
import type { LiveTurn } from './turn.ts';

/** For an agent that does not say what its record holds the visitor does not wait longer. */
const patienceMs = 2_000;
/** Of more decisions in one answer the newest are kept. */
const mostCuts = 20;
const mostDecided = 100;

/** @returns JSON of an `Earlier`. Never rejects. @param decided the execution that the turn goes on after */
export type ReadStanding = (
  conversation: ConversationRecord,
  turn: LiveTurn,
  decided: string | undefined,
) => Promise<string>;

export function createReadStanding({ conversations }: Pick<RunContext, 'conversations'>): ReadStanding {
  return async ({ chatId }, turn, decided) => {
    const standing = await within(readNewest(conversations, chatId, recordMessages), patienceMs).then(
      (messages) => messages.filter(({ role }) => role === 'agent').map(toStanding),
      () => 'unread' as const,
    );
    const earlier = readEarlier(turn.earlier);
    const cuts = [...(earlier.cuts ?? []), turn.text.length].slice(-mostCuts);
    const all = new Set([...turn.decided, ...(decided === undefined ? [] : [decided])]);
    const kept = [...all].slice(-mostDecided);
    return JSON.stringify({ ...earlier, said: turn.text, cuts, decided: kept, standing } satisfies Earlier);
  };
}
