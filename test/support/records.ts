/** Conversation and turn records as the store keeps them, each field at its plainest until a test says otherwise. */
import { randomUUID } from 'node:crypto';
import type { ConversationRecord, TurnRecord } from '../../server-helper/store/store.ts';

export const start = Date.parse('2031-03-01T12:00:00Z');
export const bot = 'bot-1';

export function toConversation(change: Partial<ConversationRecord> = {}): ConversationRecord {
  return {
    id: randomUUID(),
    owner: `anonymous:${randomUUID()}`,
    bot,
    chatId: `chat-${randomUUID()}`,
    title: 'Tea',
    mode: 'ask',
    workspace: undefined,
    workspaceOf: undefined,
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
    earlier: undefined,
    code: undefined,
    agentMessageId: undefined,
    vote: undefined,
    endedAt: undefined,
    pause: undefined,
    runner: 'helper-1',
    leaseUntil: start + 4_000,
    teller: 'log-1',
    attached: undefined,
    ...change,
  };
}
