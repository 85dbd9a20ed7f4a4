/** The ways in which every test of the store contract begins. */
import { expect } from 'vitest';
import type { ConversationRecord, Store, TurnRecord } from '../../server-helper/store/store.ts';
import { toConversation, toTurn } from '../support/records.ts';

export const running = { status: 'running' } as const;

/** Asks for the store anew each time: a contract's tests are told before it is made. */
export function createRecords(getStore: () => Store) {
  async function begin(
    conversation: ConversationRecord,
    change: Partial<TurnRecord> = {},
  ): Promise<TurnRecord> {
    const turn = toTurn(conversation.id, change);
    expect(await getStore().beginTurn(conversation, turn)).toEqual({ kind: 'began', conversation, turn });
    return turn;
  }
  /** A conversation that lives, without a turn. */
  async function claim(change: Partial<ConversationRecord> = {}): Promise<ConversationRecord> {
    const conversation = toConversation(change);
    const first = await begin(conversation);
    await getStore().dropTurnsFrom(conversation.id, first.id, '');
    return conversation;
  }
  /** A turn that is over, so that the next one may begin. */
  async function beginEnded(
    conversation: ConversationRecord,
    change: Partial<TurnRecord> = {},
  ): Promise<TurnRecord> {
    const turn = await begin(conversation, change);
    await getStore().endTurn(conversation.id, turn.id, { status: 'completed' }, running);
    return { ...turn, status: 'completed', runner: undefined, leaseUntil: undefined };
  }

  return { claim, begin, beginEnded };
}
