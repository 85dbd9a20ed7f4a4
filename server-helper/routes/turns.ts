/** `/conversations/{id}/turns/{turnId}`: ask or attach, attach, stop, decide. */
import { hashText, makeRandomHex } from '../auth/keys.ts';
import { openWebStream } from '../edge.ts';
import { HelperError } from '../errors.ts';
import { readDecisionRequest, readTurnRequest } from '../protocol/check.ts';
import type { TurnRequest } from '../protocol/wire.ts';
import type { ConversationRecord, TurnRecord } from '../store/store.ts';
import type { TurnLog } from '../turns/log.ts';
import {
  type Parts,
  readJson,
  requireConversation,
  requireUuid,
  type SignedExchange,
  toEmptyResponse,
} from './exchange.ts';
import { toMemberKey } from './session.ts';

const maxTitleChars = 60;

export async function putTurn(parts: Parts, exchange: SignedExchange): Promise<Response> {
  const { store, engine } = parts;
  const id = requireUuid(exchange, 'id');
  const turnId = requireUuid(exchange, 'turnId');
  const { attachments, ...question } = await readJson(exchange.request, readTurnRequest);
  if (attachments > 0) throw new HelperError('not-allowed', 'attachments are not allowed here');
  const { reasoningMode } = question;
  if (reasoningMode !== undefined && !parts.config.reasoningModes.includes(reasoningMode))
    throw new HelperError('not-allowed', 'this reasoning mode is not allowed here');
  const fingerprint = await hashText(
    JSON.stringify([question.text, reasoningMode, question.pasted, question.replaces]),
  );

  const known = await findKnown(parts, exchange, id, turnId);
  if (known) return attachTo(parts, exchange, known.conversation, requireSame(known.turn, fingerprint));

  if (parts.config.limited) parts.limiter.take('turn', exchange.session.owner, exchange.address);
  engine.requireRoom();
  const now = parts.now();
  const conversation = await store.claimConversation({
    id,
    owner: exchange.session.owner,
    chatId: `porchlight-${makeRandomHex(16)}`,
    title: toTitle(question.text),
    mode: 'ask',
    workspace: undefined,
    createdAt: now,
    updatedAt: now,
  });
  if (!conversation) throw new HelperError('not-found');
  const begun = await store.beginTurn(toRecord(id, turnId, fingerprint, now, question.text));
  if (begun.kind === 'gone') throw new HelperError('not-found');
  if (begun.kind === 'known')
    return attachTo(parts, exchange, conversation, requireSame(begun.turn, fingerprint));
  if (begun.kind === 'running') {
    // One that a lost helper left behind is brought to its end by this.
    await engine.attach(conversation, begun.turn);
    throw new HelperError('turn-running');
  }
  await store.updateConversation(id, { updatedAt: now });
  const memberId = await store.recall(toMemberKey(exchange.session.owner));
  const { text, pasted, page, replaces } = question;
  const turn = engine.run(conversation, begun.turn, {
    text,
    reasoningMode,
    pasted,
    page,
    replaces,
    memberId,
  });
  return toStream(exchange, turn.log, 0);
}

async function findKnown(
  { store }: Parts,
  { session }: SignedExchange,
  id: string,
  turnId: string,
): Promise<{ conversation: ConversationRecord; turn: TurnRecord } | undefined> {
  const conversation = await store.findConversation(id);
  if (!conversation) return undefined;
  if (conversation.owner !== session.owner) throw new HelperError('not-found');
  const turn = await store.findTurn(id, turnId);
  return turn && { conversation, turn };
}

function requireSame(turn: TurnRecord, fingerprint: string): TurnRecord {
  if (turn.fingerprint !== fingerprint)
    throw new HelperError('turn-conflict', 'This turn id belongs to another question');
  return turn;
}

function toRecord(
  conversationId: string,
  id: string,
  fingerprint: string,
  at: number,
  question: string,
): TurnRecord {
  return {
    conversationId,
    id,
    fingerprint,
    at,
    question,
    status: 'running',
    endedAt: undefined,
    answer: undefined,
    code: undefined,
    agentMessageId: undefined,
    vote: undefined,
    pause: undefined,
  };
}

function toTitle(text: TurnRequest['text']): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return line.length <= maxTitleChars ? line : `${line.slice(0, maxTitleChars - 1).trimEnd()}…`;
}

async function requireTurn(
  { store }: Parts,
  exchange: SignedExchange,
): Promise<{ conversation: ConversationRecord; turn: TurnRecord }> {
  const turnId = requireUuid(exchange, 'turnId');
  const conversation = await requireConversation(store, exchange);
  const turn = await store.findTurn(conversation.id, turnId);
  if (!turn) throw new HelperError('not-found');
  return { conversation, turn };
}

export async function getTurn(parts: Parts, exchange: SignedExchange): Promise<Response> {
  const { conversation, turn } = await requireTurn(parts, exchange);
  return attachTo(parts, exchange, conversation, turn);
}

async function attachTo(
  parts: Parts,
  exchange: SignedExchange,
  conversation: ConversationRecord,
  turn: TurnRecord,
): Promise<Response> {
  const { log } = await parts.engine.attach(conversation, turn);
  const header = exchange.request.headers.get('last-event-id') ?? '';
  const lastId = /^\d{1,9}$/.test(header) ? Number(header) : -1;
  if (log.atRest && lastId === log.nextId - 1) return toEmptyResponse(exchange.headers);
  // An id that this log never gave comes from before a restart: only the whole replay is right for that reader.
  return toStream(exchange, log, lastId >= log.nextId ? 0 : lastId + 1);
}

function toStream(exchange: SignedExchange, log: TurnLog, from: number): Response {
  const open = exchange.edge.openStream ?? openWebStream;
  return open(
    {
      ...exchange.headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    },
    (sink) => log.follow(from, sink),
  );
}

export async function stopTurn(parts: Parts, exchange: SignedExchange): Promise<Response> {
  const { conversation, turn } = await requireTurn(parts, exchange);
  if (turn.status === 'running' || turn.status === 'paused') await parts.engine.stop(conversation, turn);
  return toEmptyResponse(exchange.headers);
}

export async function decideTurn(parts: Parts, exchange: SignedExchange): Promise<Response> {
  const { conversation, turn } = await requireTurn(parts, exchange);
  const decision = await readJson(exchange.request, readDecisionRequest);
  await parts.engine.decide(conversation, turn, decision);
  return toEmptyResponse(exchange.headers, 202);
}
