/** `/conversations`: the visitor's own list; one conversation read, renamed, set to a mode, deleted. */

import { readPage } from '../conversation/reading.ts';
import { HelperError } from '../errors.ts';
import { readConversationChange } from '../protocol/check.ts';
import {
  type ConversationList,
  type ConversationReply,
  type ConversationSummary,
  limits,
} from '../protocol/wire.ts';
import type { ConversationRecord, Deleted } from '../store/store.ts';
import {
  type Parts,
  readJson,
  requireConversation,
  requireMode,
  type SignedExchange,
  toEmptyResponse,
  toJsonResponse,
} from './exchange.ts';

export async function listConversations(parts: Parts, exchange: SignedExchange): Promise<Response> {
  const before = readCursor(exchange, /^(\d{1,16})\.([0-9a-f-]{36})$/i);
  const found = await parts.store.listConversations(exchange.session.owner, parts.config.botId, {
    limit: limits.pageSize + 1,
    before: before && { updatedAt: Number(before[1]), id: String(before[2]) },
  });
  const page = found.slice(0, limits.pageSize);
  const reply: ConversationList = {
    conversations: await Promise.all(page.map((one) => toSummary(parts, one))),
  };
  const last = page.at(-1);
  if (last && found.length > page.length) reply.next = `${last.updatedAt}.${last.id}`;
  return toJsonResponse(reply, exchange.headers);
}

async function toSummary(parts: Parts, record: ConversationRecord): Promise<ConversationSummary> {
  const live = await parts.store.findLiveTurn(record.id);
  const summary: ConversationSummary = {
    id: record.id,
    title: record.title,
    updatedAt: new Date(record.updatedAt).toISOString(),
  };
  if (live) summary.liveTurn = { turnId: live.id };
  return summary;
}

export async function readConversation(parts: Parts, exchange: SignedExchange): Promise<Response> {
  const conversation = await requireConversation(parts, exchange);
  await parts.engine.settle(conversation.id);
  const reply = await toReply(parts, conversation, exchange);
  // Deleted, erased or merged while the agent's record was read.
  await requireConversation(parts, exchange);
  return toJsonResponse(reply, exchange.headers);
}

async function toReply(
  parts: Parts,
  conversation: ConversationRecord,
  exchange: SignedExchange,
): Promise<ConversationReply> {
  const cursor = readCursor(exchange, /^(\d{1,9})\.(\d{1,16})$/);
  const { store, conversations, config } = parts;
  const page = await readPage(
    { store, conversations, log: config.log },
    conversation,
    cursor && { index: Number(cursor[1]), until: Number(cursor[2]) },
  );
  const reply: ConversationReply = {
    id: conversation.id,
    title: conversation.title,
    mode: exchange.session.visitor.member ? conversation.mode : 'ask',
    messages: page.messages,
  };
  const live = cursor ? await store.findLiveTurn(conversation.id) : page.live;
  if (live) reply.liveTurn = { turnId: live.id };
  if (page.next) reply.next = `${page.next.index}.${page.next.until}`;
  return reply;
}

export async function changeConversation(parts: Parts, exchange: SignedExchange): Promise<Response> {
  const conversation = await requireConversation(parts, exchange);
  const change = await readJson(exchange.request, readConversationChange);
  if ('mode' in change) {
    requireMode(exchange, change.mode);
    await parts.conversations.setMode(conversation.chatId, change.mode);
  } else {
    await parts.conversations.rename(conversation.chatId, change.title);
  }
  await parts.store.updateConversation(conversation.id, change);
  return toEmptyResponse(exchange.headers);
}

export async function deleteConversation(parts: Parts, exchange: SignedExchange): Promise<Response> {
  const conversation = await requireConversation(parts, exchange);
  const isOfIt = ({ conversationId }: { conversationId: string }) => conversationId === conversation.id;
  await parts.attachments.noteErased(conversation.id);
  const deleted = await parts.store.deleteConversation(conversation.id);
  if (deleted) letGo(parts, deleted);
  // Attached while files were allowed, perhaps.
  void parts.attachments.forget(deleted?.conversation.owner ?? conversation.owner, isOfIt);
  return toEmptyResponse(exchange.headers);
}

/** Gone here at once, for every reader; the agent is told then, and told again until it has deleted its part too. */
export function letGo({ engine, leftovers }: Parts, deleted: Deleted): void {
  const { conversation, wasRunning } = deleted;
  engine.end(conversation, wasRunning);
  leftovers.soon();
}

function readCursor(exchange: SignedExchange, shape: RegExp): RegExpExecArray | undefined {
  const cursor = exchange.query.get('cursor');
  if (cursor === null) return undefined;
  const match = shape.exec(cursor);
  if (!match) throw new HelperError('bad-request', 'cursor: expected the `next` of an earlier page');
  return match;
}
