/** `/visitor`: everything of this owner, to take along or to erase. */
import { toMessages } from '../conversation/history.ts';
import { limits } from '../protocol/wire.ts';
import type { ConversationRecord } from '../store/store.ts';
import { removeConversation } from './conversations.ts';
import { type Parts, type SignedExchange, toEmptyResponse, toJsonResponse } from './exchange.ts';
import { toMemberKey } from './session.ts';

const maxExported = 500;
const messagesEach = 1000;

async function listAll({ store }: Parts, owner: string): Promise<ConversationRecord[]> {
  const all: ConversationRecord[] = [];
  while (all.length < maxExported) {
    const last = all.at(-1);
    const page = await store.listConversations(owner, {
      limit: limits.pageSize,
      before: last && { updatedAt: last.updatedAt, id: last.id },
    });
    all.push(...page);
    if (page.length < limits.pageSize) break;
  }
  return all;
}

export async function exportVisitor(parts: Parts, exchange: SignedExchange): Promise<Response> {
  const conversations = [];
  for (const record of await listAll(parts, exchange.session.owner)) {
    const { messages } = await parts.conversations.read(record.chatId, messagesEach);
    const turns = await parts.store.listTurns(record.id);
    conversations.push({
      id: record.id,
      title: record.title,
      createdAt: new Date(record.createdAt).toISOString(),
      updatedAt: new Date(record.updatedAt).toISOString(),
      messages: toMessages(messages, turns, { from: 0, until: Number.POSITIVE_INFINITY }),
    });
  }
  return toJsonResponse({ visitor: exchange.session.visitor, conversations }, exchange.headers);
}

export async function eraseVisitor(parts: Parts, exchange: SignedExchange): Promise<Response> {
  const { owner } = exchange.session;
  for (let left = await listAll(parts, owner); left.length > 0; left = await listAll(parts, owner))
    for (const conversation of left) await removeConversation(parts, conversation);
  await parts.store.forget(toMemberKey(owner));
  await parts.store.forget(`workspace:${owner}`);
  return toEmptyResponse(exchange.headers);
}
