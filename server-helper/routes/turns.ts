/** `/conversations/{id}/turns/{turnId}`: ask or attach, attach, stop, decide. */

import { withoutChallenge } from '../auth/challenge.ts';
import { hashText } from '../auth/keys.ts';
import { toConversation } from '../conversation/beginning.ts';
import { openWebStream } from '../edge.ts';
import { HelperError } from '../errors.ts';
import { toLogFields } from '../log.ts';
import { readDecisionRequest, readTurnRequest } from '../protocol/check.ts';
import { isUuid } from '../protocol/wire.ts';
import { type ConversationRecord, type TurnRecord, toOwnerKeys } from '../store/store.ts';
import { findStart } from '../turns/attaching.ts';
import type { LiveTurn } from '../turns/turn.ts';
import {
  type Parts,
  readJson,
  requireConversation,
  requireMode,
  requireOwn,
  requireUuid,
  type SignedExchange,
  toEmptyResponse,
} from './exchange.ts';

/** So that a log leads to no conversation, and yet tells two of them apart. */
const hashedChars = 16;

export async function putTurn(parts: Parts, exchange: SignedExchange): Promise<Response> {
  const { store, engine } = parts;
  const id = requireUuid(exchange, 'id');
  const turnId = requireUuid(exchange, 'turnId');
  const { attachments, ...question } = await readJson(exchange.request, readTurnRequest);
  const { reasoningMode, mode } = question;
  const named = [...new Set(attachments.map((one) => (isUuid(one) ? one.toLowerCase() : one)))];
  const asked: unknown[] = [question.text, reasoningMode, question.pasted, question.replaces];
  if (named.length > 0) asked.push(named);
  if (mode !== undefined) asked.push({ mode });
  const fingerprint = await hashText(JSON.stringify(asked));

  const known = await findKnown(parts, exchange, id, turnId);
  if (known) return attachTo(parts, exchange, known.conversation, requireSame(known.turn, fingerprint));

  // What was asked when it was allowed is told still.
  const attached = requireAttached(parts, named);
  if (reasoningMode !== undefined && !parts.config.reasoningModes.includes(reasoningMode))
    throw new HelperError('not-allowed', 'this reasoning mode is not allowed here');
  requireMode(exchange, mode);
  const { owner } = exchange.session;
  requireAgent(parts);
  if (parts.config.limited) parts.readers.require(owner);
  engine.requireRoom(parts.config.limited ? owner : undefined, parts.config.allowances.runningTurns);
  const now = parts.now();
  const { text, pasted, page, replaces, newest } = question;
  const memberId = await store.recall(toOwnerKeys(owner, parts.config.botId).member);
  const giveBack = await takeTurn(parts, exchange);
  const prepare = async () => {
    await parts.challenges.require(exchange.session, page);
    return attached.length === 0 ? [] : parts.attachments.find({ owner, conversationId: id }, attached);
  };
  const files = await prepare().catch((error: unknown) => {
    giveBack();
    throw error;
  });
  const begin = engine.begin(
    toConversation({ id, owner, bot: parts.config.botId, question: text, mode, now }),
    {
      ...{ id: turnId, fingerprint, at: now, question: text },
      attached: attached.length === 0 ? undefined : JSON.stringify(attached),
    },
    {
      text,
      mode,
      reasoningMode,
      pasted,
      attachments: files,
      page: parts.config.challenge ? withoutChallenge(page) : page,
      replaces,
      newest,
      memberId,
      isMember: exchange.session.visitor.member,
    },
    giveBack,
  );
  const begun = await begin.catch((error: unknown) => {
    giveBack();
    throw error;
  });
  if (!begun.live) giveBack();
  if (begun.kind === 'gone') throw new HelperError('not-found');
  if (begun.live) {
    if (mode !== undefined && begun.conversation.mode !== mode) await keepMode(parts, id, mode);
    // The first words do not wait for a line of the log.
    void tellBegun(parts, exchange.requestId, id, turnId);
    return toStream(parts, exchange, begun.live, 0);
  }
  if (begun.kind === 'known')
    return attachTo(parts, exchange, begun.conversation, requireSame(begun.turn, fingerprint));
  // One that a lost helper left behind is brought to its end by this.
  await engine.attach(begun.conversation, begun.turn);
  throw new HelperError('turn-running');
}

/** It is asked in this mode already, kept or not. */
async function keepMode(
  { store, config }: Parts,
  id: string,
  mode: ConversationRecord['mode'],
): Promise<void> {
  const keep = () => store.updateConversation(id, { mode });
  await keep()
    .catch(keep)
    .catch((error: unknown) =>
      config.log.warn(toLogFields(error), 'the mode of a conversation was not kept'),
    );
}

/** @returns ids @throws HelperError `not-allowed`, `bad-request` */
function requireAttached({ config }: Parts, given: readonly unknown[]): string[] {
  const most = config.attachments?.files ?? 0;
  if (given.length > most)
    throw new HelperError(
      'not-allowed',
      most === 0 ? 'attachments are not allowed here' : `attachments: at most ${most}`,
    );
  if (!given.every(isUuid)) throw new HelperError('bad-request', 'attachments: expected ids');
  return [...given];
}

/** What the agent would refuse stays the visitor's, to be sent again. @throws HelperError `rate-limited` */
function requireAgent({ agentSpentMs }: Parts): void {
  const waitMs = agentSpentMs();
  if (waitMs > 0) throw new HelperError('rate-limited', 'The agent takes no calls until then', waitMs);
}

/** @returns what is to be called where the agent is not asked @throws LimitReached */
async function takeTurn(
  { config, limiter }: Parts,
  { session, address }: SignedExchange,
): Promise<() => void> {
  if (!config.limited) return () => {};
  const { owner, visitor } = session;
  return limiter.takeTurn({ owner, isGuest: visitor.kind === 'anonymous', address });
}

async function findKnown(
  { store, config, engine }: Parts,
  { session }: SignedExchange,
  id: string,
  turnId: string,
): Promise<{ conversation: ConversationRecord; turn: TurnRecord } | undefined> {
  const conversation = await store.findConversation(id);
  if (!conversation) return undefined;
  requireOwn(conversation, session, config);
  const turn = await store.findTurn(id, turnId);
  return turn && !engine.isUnasked(turn) ? { conversation, turn } : undefined;
}

function requireSame(turn: TurnRecord, fingerprint: string): TurnRecord {
  if (turn.fingerprint !== fingerprint)
    throw new HelperError('turn-conflict', 'This turn id belongs to another question');
  return turn;
}

async function requireTurn(
  parts: Parts,
  exchange: SignedExchange,
): Promise<{ conversation: ConversationRecord; turn: TurnRecord }> {
  const turnId = requireUuid(exchange, 'turnId');
  const conversation = await requireConversation(parts, exchange);
  const turn = await parts.store.findTurn(conversation.id, turnId);
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
  if (parts.config.limited) parts.readers.require(exchange.session.owner);
  // What is not at hand is told from the agent's record, as history is.
  if (parts.config.limited && !parts.engine.isKept(turn))
    await parts.limiter.take('history', exchange.session.owner, exchange.address);
  const live = await parts.engine.attach(conversation, turn);
  const header = exchange.request.headers.get('last-event-id') ?? '';
  const lastId = /^\d{1,9}$/.test(header) ? Number(header) : -1;
  const from = await findStart(parts.store, live, turn.teller, lastId);
  if (live.log.atRest && from > 0 && from === live.log.nextId) return toEmptyResponse(exchange.headers);
  return toStream(parts, exchange, live, from);
}

async function tellBegun({ config }: Parts, requestId: string, id: string, turnId: string): Promise<void> {
  const conversation = (await hashText(id)).slice(0, hashedChars);
  config.log.info({ requestId, turnId, conversation }, 'turn begun');
}

function toStream(parts: Parts, exchange: SignedExchange, live: LiveTurn, from: number): Response {
  const { session } = exchange;
  const headers = {
    ...exchange.headers,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  };
  // A HEAD reads nothing, and would hold a reader's place until the turn ends.
  if (exchange.request.method === 'HEAD') return new Response(null, { headers });
  const open = exchange.edge.openStream ?? openWebStream;
  return open(headers, (sink) =>
    parts.readers.follow(session.owner, sink, (counted) => live.log.follow(from, counted)),
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
  requireAgent(parts);
  const { session, address } = exchange;
  if (parts.config.limited) await parts.limiter.takeDecision({ owner: session.owner, address });
  await parts.engine.decide(conversation, turn, decision);
  return toEmptyResponse(exchange.headers, 202);
}
