/** What every route gets and gives: the helper's parts, who is asking, and replies of one form. */

import type { AgentBot } from '../agent/bot.ts';
import type { AgentChat } from '../agent/chat.ts';
import type { AgentConversations } from '../agent/conversation.ts';
import { concat } from '../agent/http.ts';
import type { Attachments } from '../attachments/keeping.ts';
import type { Challenges } from '../auth/challenge.ts';
import type { Limiter } from '../auth/limit.ts';
import type { Session, Sessions } from '../auth/session.ts';
import type { Config } from '../config.ts';
import type { Leftovers } from '../conversation/leftovers.ts';
import type { Edge } from '../edge.ts';
import { HelperError } from '../errors.ts';
import type { MeasureProcess, Metrics } from '../metrics.ts';
import { BadShape } from '../protocol/check.ts';
import { type ChatMode, isUuid, limits } from '../protocol/wire.ts';
import type { ConversationRecord, Store } from '../store/store.ts';
import type { Tallies } from '../tallies.ts';
import type { Engine } from '../turns/engine.ts';
import type { Readers } from '../turns/readers.ts';

export type Parts = {
  config: Config;
  store: Store;
  sessions: () => Promise<Sessions>;
  limiter: Limiter;
  challenges: Challenges;
  bot: AgentBot;
  chat: AgentChat;
  conversations: AgentConversations;
  engine: Engine;
  readers: Readers;
  leftovers: Leftovers;
  attachments: Attachments;
  /** Whose files are on their way, once for each. */
  uploads: string[];
  now: () => number;
  /** Whether this is to be logged: once a minute. */
  isDue: (key: string) => boolean;
  metrics: Metrics;
  /** Where there is an owner's page. */
  tallies: Tallies | undefined;
  /** On runtimes that can tell. */
  measureProcess: MeasureProcess | undefined;
  /** What a shutdown waits for: replies that are not whole yet. */
  inFlight: Set<Promise<unknown>>;
  /** Resolves when the agent has room for a call that can wait. */
  room: (signal?: AbortSignal) => Promise<void>;
  /** Until the agent, whose rate limit is used up, takes calls again. */
  agentSpentMs: () => number;
  /** Aborts when the helper shuts down. */
  closing: AbortSignal;
};

/** One request on its way through the handler. */
export type Exchange = {
  requestId: string;
  request: Request;
  edge: Edge;
  /** Of limits: see `toLimitAddress`. */
  address: string | undefined;
  /** CORS and the like, on every reply. */
  headers: Record<string, string>;
  params: Record<string, string>;
  query: URLSearchParams;
};

export type SignedExchange = Exchange & { session: Session };

export function toJsonResponse(data: unknown, headers: Record<string, string>, status = 200): Response {
  return new Response(JSON.stringify(data), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

export function toEmptyResponse(headers: Record<string, string>, status = 204): Response {
  return new Response(null, { status, headers });
}

/** @throws HelperError `bad-request` when the path's `name` is no UUID */
export function requireUuid(exchange: Exchange, name: string): string {
  const value = exchange.params[name];
  if (!isUuid(value)) throw new HelperError('bad-request', `${name}: expected a UUID`);
  // The same in capitals is the same (RFC 9562).
  return value.toLowerCase();
}

/** The visitor's own conversation. A stranger's and an unknown one are the same `not-found`. */
export async function requireConversation(
  { store, config }: Parts,
  exchange: SignedExchange,
): Promise<ConversationRecord> {
  const conversation = await store.findConversation(requireUuid(exchange, 'id'));
  return requireOwn(conversation, exchange.session, config);
}

/** @throws HelperError `not-allowed`: more than asking is for project members */
export function requireMode({ session }: SignedExchange, mode: ChatMode | undefined): void {
  if (mode !== undefined && mode !== 'ask' && !session.visitor.member)
    throw new HelperError('not-allowed', 'this mode is for project members');
}

export function requireOwn(
  conversation: ConversationRecord | undefined,
  { owner }: Session,
  { botId }: Config,
): ConversationRecord {
  if (conversation?.owner !== owner) throw new HelperError('not-found');
  // Without one it is of before agents were told apart.
  if (conversation.bot !== botId && conversation.bot !== '') throw new HelperError('not-found');
  return conversation;
}

const bodyTimeoutMs = 15_000;

/** The body as bytes. @throws HelperError `too-large`, `bad-request` when it does not arrive in time, `internal` when it was read */
export async function readBody(
  request: Request,
  maxBytes: number,
  timeoutMs = bodyTimeoutMs,
): Promise<Uint8Array<ArrayBuffer>> {
  // Every visitor would be told that it is their request.
  if (request.bodyUsed)
    throw new HelperError(
      'internal',
      'A request’s body was read before the helper: mount the helper before what reads it',
    );
  const announced = Number(request.headers.get('content-length') ?? Number.NaN);
  if (announced > maxBytes) throw new HelperError('too-large', `At most ${maxBytes} bytes`);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new HelperError('bad-request', 'The body did not arrive in time'));
    timer = setTimeout(giveUp, timeoutMs);
  });
  const read = announced >= 0 ? readWhole(request) : readPieces(request, maxBytes, late);
  try {
    const bytes = await Promise.race([read, late]);
    if (bytes.length > maxBytes) throw new HelperError('too-large', `At most ${maxBytes} bytes`);
    return bytes;
  } catch (error) {
    throw error instanceof HelperError ? error : new HelperError('bad-request', 'The body broke off');
  } finally {
    clearTimeout(timer);
  }
}

/** A body of known length: on Node, reading it as a stream would take 12 kB for as long as the reply lasts. */
async function readWhole(request: Request): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await request.arrayBuffer());
}

/** @param late rejects when the time is over: the rest is then let go */
async function readPieces(
  request: Request,
  maxBytes: number,
  late: Promise<never>,
): Promise<Uint8Array<ArrayBuffer>> {
  if (!request.body) return new Uint8Array();
  const reader = request.body.getReader();
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), late]);
      if (done) return concat(parts);
      bytes += value.length;
      if (bytes > maxBytes) throw new HelperError('too-large', `At most ${maxBytes} bytes`);
      parts.push(value);
    }
  } catch (error) {
    reader.cancel().catch(() => {});
    throw error;
  }
}

/** Reads a JSON body into a shape. @throws HelperError `unsupported-media-type`, `too-large`, `bad-request` */
export async function readJson<T>(request: Request, read: (value: unknown) => T): Promise<T> {
  const type = request.headers.get('content-type') ?? '';
  const encoding = request.headers.get('content-encoding') ?? 'identity';
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type.trim()) || encoding !== 'identity')
    throw new HelperError('unsupported-media-type');
  const bytes = await readBody(request, limits.maxBodyBytes);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new HelperError('bad-request', 'The body is not JSON');
  }
  try {
    return read(value);
  } catch (error) {
    if (error instanceof BadShape) throw new HelperError('bad-request', error.message);
    throw error;
  }
}
