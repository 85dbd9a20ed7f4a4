/** Records for the store contract, and the two ways in which every one of its tests begins. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { ConversationRecord, Store, TurnRecord } from '../../server-helper/store/store.ts';

export const start = Date.parse('2031-03-01T12:00:00Z');

export function toConversation(change: Partial<ConversationRecord> = {}): ConversationRecord {
  return {
    id: randomUUID(),
    owner: `anonymous:${randomUUID()}`,
    chatId: `chat-${randomUUID()}`,
    title: 'Tea',
    mode: 'ask',
    workspace: undefined,
    createdAt: start,
    updatedAt: start,
    ...change,
  };
}

export function toTurn(conversationId: string, change: Partial<TurnRecord> = {}): TurnRecord {
  return {
    conversationId,
    id: randomUUID(),
    fingerprint: 'f-1',
    status: 'running',
    at: start,
    question: 'What about tea?',
    answer: undefined,
    code: undefined,
    agentMessageId: undefined,
    vote: undefined,
    endedAt: undefined,
    pause: undefined,
    ...change,
  };
}

/** Asks for the store anew each time: a contract's tests are told before it is made. */
export function createRecords(getStore: () => Store) {
  async function claim(change: Partial<ConversationRecord> = {}): Promise<ConversationRecord> {
    const record = toConversation(change);
    expect(await getStore().claimConversation(record)).toEqual(record);
    return record;
  }
  async function begin(conversationId: string, change: Partial<TurnRecord> = {}): Promise<TurnRecord> {
    const turn = toTurn(conversationId, change);
    expect(await getStore().beginTurn(turn)).toEqual({ kind: 'began', turn });
    return turn;
  }
  /** A turn that is over, so that the next one may begin. */
  async function beginEnded(conversationId: string, change: Partial<TurnRecord> = {}): Promise<TurnRecord> {
    const turn = await begin(conversationId, change);
    await getStore().updateTurn(conversationId, turn.id, { status: 'completed' });
    return { ...turn, status: 'completed' };
  }

  return { claim, begin, beginEnded };
}
