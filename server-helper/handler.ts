/** The composition root: options → a handler from Request to Response, and the order in which a request is checked. */
import { Hono } from 'hono';
import { createAgentBot } from './agent/bot.ts';
import { createAgentChat } from './agent/chat.ts';
import { createAgentConversations } from './agent/conversation.ts';
import { dispatchFetch } from './agent/dispatch-fetch.ts';
import { createAgentHttp, type Dispatch } from './agent/http.ts';
import { createAgentWorkspaces } from './agent/workspace.ts';
import { deriveKey, makeRandomHex } from './auth/keys.ts';
import { createLimiter, toLimitAddress } from './auth/limit.ts';
import { addCorsHeaders, requireOrigin, toPreflightResponse } from './auth/origin.ts';
import { createSessions, type Session, type Sessions } from './auth/session.ts';
import { type Config, type HelperOptions, readOptions } from './config.ts';
import { createLeftovers } from './conversation/leftovers.ts';
import { startUpkeep } from './conversation/upkeep.ts';
import { createWorkspaces } from './conversation/workspace.ts';
import type { Edge } from './edge.ts';
import { HelperError, toHelperError, toProblemResponse } from './errors.ts';
import { toLogFields } from './log.ts';
import {
  changeConversation,
  deleteConversation,
  listConversations,
  readConversation,
} from './routes/conversations.ts';
import { type Exchange, type Parts, type SignedExchange, toJsonResponse } from './routes/exchange.ts';
import { voteMessage } from './routes/messages.ts';
import { createSession } from './routes/session.ts';
import { decideTurn, getTurn, putTurn, stopTurn } from './routes/turns.ts';
import { eraseVisitor, exportVisitor } from './routes/visitor.ts';
import { receiveWebhook } from './routes/webhooks.ts';
import { getWidgetFile, type WidgetFiles } from './routes/widget.ts';
import { createEngine } from './turns/engine.ts';
import { createReaders } from './turns/readers.ts';

export type Helper = {
  readonly basePath: string;
  /** Answers every path under `basePath`, and `/healthz`; 404 for all else. */
  fetch(request: Request, edge?: Edge): Promise<Response>;
  /** Refuses new requests, lets running turns end for at most `withinMs` (default 25 s), then frees everything. */
  close(withinMs?: number): Promise<void>;
};

/** What the runtime puts in place of the portable defaults. */
export type Runtime = {
  dispatch?: Dispatch;
  widgetFiles?: WidgetFiles;
  now?: () => number;
  monotonicNow?: () => number;
};

type Env = { Bindings: { edge: Edge } };
type Context = { req: { raw: Request; param(): Record<string, string>; url: string }; env: Env['Bindings'] };

const drainMs = 25_000;

/** @throws TypeError naming the option that is wrong */
export function createHelper(options: HelperOptions, runtime: Runtime = {}): Helper {
  const config = readOptions(options);
  const now = runtime.now ?? Date.now;
  const monotonicNow = runtime.monotonicNow ?? (() => performance.now());
  const parts = createParts(config, runtime.dispatch ?? dispatchFetch, now, monotonicNow);
  const widgetFiles: WidgetFiles = runtime.widgetFiles ?? new Map();
  let closing = false;

  const toExchange = (c: Context): Exchange => {
    const { headers } = c.req.raw;
    return {
      request: c.req.raw,
      edge: c.env.edge,
      address: toLimitAddress(c.env.edge.address, headers.get('x-forwarded-for'), config.trustedProxies),
      headers: { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' },
      params: c.req.param(),
      query: new URL(c.req.url).searchParams,
    };
  };
  /** Origin, then session, then rate: before anything of the request's own is looked at. */
  const fromPage = (route: (exchange: Exchange) => Promise<Response>) => async (c: Context) => {
    const exchange = toExchange(c);
    const cors = new Headers();
    const origin = requireOrigin(exchange.request, config.origins);
    addCorsHeaders(cors, origin);
    Object.assign(exchange.headers, Object.fromEntries(cors));
    try {
      return await route(exchange);
    } catch (error) {
      const response = toErrorResponse(error, config);
      for (const [name, value] of cors) response.headers.set(name, value);
      return response;
    }
  };
  const signed = (route: (parts: Parts, exchange: SignedExchange) => Promise<Response>) =>
    fromPage(async (exchange) => {
      const session = await requireSession(exchange.request, await parts.sessions());
      if (config.limited) parts.limiter.take('request', session.owner, exchange.address);
      return route(parts, { ...exchange, session });
    });
  const health = () => toJsonResponse({ status: 'ok' }, { 'cache-control': 'no-store' });

  const app = new Hono<Env>();
  const api = config.basePath === '' ? app : app.basePath(config.basePath);
  app.get('/healthz', health);
  api.get('/healthz', health);
  api.get('/widget/:file', (c) => getWidgetFile(widgetFiles, toExchange(c)));
  api.post('/webhooks/agent', (c) => receiveWebhook(parts, toExchange(c)));
  api.options('*', (c) => toPreflightResponse(requireOrigin(c.req.raw, config.origins)));
  api.post(
    '/session',
    fromPage((exchange) => createSession(parts, exchange)),
  );
  api.get('/conversations', signed(listConversations));
  api.get('/conversations/:id', signed(readConversation));
  api.patch('/conversations/:id', signed(changeConversation));
  api.delete('/conversations/:id', signed(deleteConversation));
  api.put('/conversations/:id/turns/:turnId', signed(putTurn));
  api.get('/conversations/:id/turns/:turnId', signed(getTurn));
  api.delete('/conversations/:id/turns/:turnId', signed(stopTurn));
  api.post('/conversations/:id/turns/:turnId/decision', signed(decideTurn));
  api.put('/conversations/:id/messages/:messageId/vote', signed(voteMessage));
  api.get('/visitor', signed(exportVisitor));
  api.delete('/visitor', signed(eraseVisitor));
  app.notFound(() => toProblemResponse(new HelperError('not-found')));
  app.onError((error) => toErrorResponse(error, config));

  const { store, log, retentionDays } = config;
  const stopUpkeep = startUpkeep({ store, log, now, leftovers: parts.leftovers, guestDays: retentionDays });

  return {
    basePath: config.basePath,
    async fetch(request, edge = {}) {
      if (closing) return toProblemResponse(new HelperError('shutting-down', undefined, 1000));
      return app.fetch(request, { edge });
    },
    async close(withinMs = drainMs) {
      if (closing) return;
      closing = true;
      stopUpkeep();
      await parts.engine.drain(withinMs);
      parts.engine.close();
      // What is being deleted at the agent is tried again after the next start, if it takes longer.
      await Promise.race([parts.leftovers.settled(), new Promise((resolve) => setTimeout(resolve, 1_000))]);
      await config.store.close();
    },
  };
}

function createParts(
  config: Config,
  dispatch: Dispatch,
  now: () => number,
  monotonicNow: () => number,
): Parts {
  const { store, log } = config;
  const http = createAgentHttp(config, dispatch);
  const chat = createAgentChat(http);
  const conversations = createAgentConversations(http);
  const workspaces = createAgentWorkspaces(http);
  const pins = createWorkspaces(config.workspace, store, workspaces.create);
  const engine = createEngine({ chat, conversations, store, log, now, monotonicNow }, pins);
  const leftovers = createLeftovers({
    store,
    log,
    now,
    delete: {
      async chat(chatId) {
        await engine.quiet(chatId);
        await conversations.delete(chatId);
      },
      workspace: workspaces.delete,
    },
  });
  let sessions: Promise<Sessions> | undefined;
  return {
    config,
    store,
    now,
    chat,
    conversations,
    limiter: createLimiter(now),
    bot: createAgentBot(http, now),
    engine,
    leftovers,
    readers: createReaders(),
    sessions: () => {
      sessions ??= openSessions(config, now);
      return sessions;
    },
  };
}

/** Without a given secret one is made and kept, so that sessions outlive a restart wherever the store does. */
async function openSessions({ sessionSecret, store }: Config, now: () => number): Promise<Sessions> {
  const secret = sessionSecret ?? (await store.remember('session-secret', makeRandomHex(32)));
  return createSessions(await deriveKey(secret, 'porchlight session v1'), now);
}

async function requireSession(request: Request, sessions: Sessions): Promise<Session> {
  const token = /^Bearer ([\w.~+/=-]+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  if (token === undefined) throw new HelperError('unauthenticated');
  return sessions.verify(token);
}

function toErrorResponse(error: unknown, { log }: Config): Response {
  const known = toHelperError(error);
  if (known.code === 'internal') log.error(toLogFields(error), 'a request failed');
  if (known.code === 'origin-refused') log.warn({ code: known.code }, 'a page of an unlisted origin called');
  return toProblemResponse(known);
}
