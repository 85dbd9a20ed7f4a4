/** The composition root: options → a handler from Request to Response, and the order in which a request is checked. */
import { Hono } from 'hono';
import { dispatchFetch } from './agent/dispatch-fetch.ts';
import type { Dispatch } from './agent/http.ts';
import { createAddressReader } from './auth/address.ts';
import { requireSession } from './auth/bearer.ts';
import type { Limited } from './auth/limit.ts';
import { toStanding } from './auth/membership.ts';
import { addCorsHeaders, createFence, toPreflightResponse } from './auth/origin.ts';
import { type HelperOptions, readOptions } from './config.ts';
import { startUpkeep } from './conversation/upkeep.ts';
import { type Edge, toEdge } from './edge.ts';
import { HelperError, LimitReached, toCauseCode, toHelperError, toProblemResponse } from './errors.ts';
import { requireLasting } from './lasting.ts';
import { toLogFields } from './log.ts';
import type { MeasureProcess } from './metrics.ts';
import { createParts } from './parts.ts';
import { readRequestId } from './request-id.ts';
import { getAdmin } from './routes/admin.ts';
import { postAttachment } from './routes/attachments.ts';
import {
  changeConversation,
  deleteConversation,
  listConversations,
  readConversation,
} from './routes/conversations.ts';
import type { Exchange, Parts, SignedExchange } from './routes/exchange.ts';
import { createHealth } from './routes/health.ts';
import { voteMessage } from './routes/messages.ts';
import { getMetrics } from './routes/metrics.ts';
import { createSession, requireAsker } from './routes/session.ts';
import { decideTurn, getTurn, putTurn, stopTurn } from './routes/turns.ts';
import { eraseVisitor, exportVisitor } from './routes/visitor.ts';
import { receiveWebhook } from './routes/webhooks.ts';
import { getWidgetFile } from './routes/widget.ts';
import { release, retain } from './store/sharing.ts';
import { loadWidgetFiles } from './widget-files.ts';
import { settleAll, within } from './within.ts';

export type Helper = {
  readonly basePath: string;
  /** Answers every path under `basePath`; 404 for all else. */
  fetch(request: Request, edge?: Edge): Promise<Response>;
  /**
   * Refuses new requests, answers those in flight and lets running turns end, all for at most `withinMs` (default 25 s),
   * then frees everything.
   */
  close(withinMs?: number): Promise<void>;
};

/** What the runtime puts in place of the portable defaults. */
export type Runtime = {
  dispatch?: Dispatch;
  now?: () => number;
  monotonicNow?: () => number;
  measureProcess?: MeasureProcess;
};

type Env = { Bindings: { edge: Edge } };
type Context = { req: { raw: Request; param(): Record<string, string>; url: string }; env: Env['Bindings'] };

const drainMs = 25_000;
const leftoversMs = 1_000;
const lastWritesMs = 2_000;

/** @throws TypeError naming the option that is wrong, or the runtime in which no turn could go on */
export function createHelper(options: HelperOptions, runtime: Runtime = {}): Helper {
  requireLasting();
  const config = readOptions(options);
  const now = runtime.now ?? Date.now;
  const monotonicNow = runtime.monotonicNow ?? (() => performance.now());
  const closing = new AbortController();
  const dispatch = runtime.dispatch ?? dispatchFetch;
  const parts = createParts(
    config,
    { dispatch, now, monotonicNow, measureProcess: runtime.measureProcess },
    closing.signal,
  );
  const health = createHealth(parts);
  const { inFlight } = parts;
  let closed: Promise<void> | undefined;
  const requireOpen = () => {
    if (closed) throw new HelperError('shutting-down', undefined, 1000);
  };

  const readAddress = createAddressReader(config);
  const toExchange = (c: Context): Exchange => {
    const { headers } = c.req.raw;
    const requestId = readRequestId(headers, config.trustedProxies);
    return {
      requestId,
      request: c.req.raw,
      edge: c.env.edge,
      address: readAddress(c.env.edge.address, headers),
      headers: {
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'x-request-id': requestId,
      },
      params: c.req.param(),
      query: new URL(c.req.url).searchParams,
    };
  };
  const requireOrigin = createFence(config);
  /** Origin, then session, then rate: before anything of the request's own is looked at. */
  const fromPage = (route: (exchange: Exchange) => Promise<Response>) => async (c: Context) => {
    const exchange = toExchange(c);
    const cors = new Headers();
    const origin = requireOrigin(exchange.request);
    addCorsHeaders(cors, origin);
    Object.assign(exchange.headers, Object.fromEntries(cors));
    try {
      requireOpen();
      return await route(exchange);
    } catch (error) {
      const response = toErrorResponse(error, parts, exchange.requestId);
      for (const [name, value] of cors) response.headers.set(name, value);
      return response;
    }
  };
  type SignedRoute = (parts: Parts, exchange: SignedExchange) => Promise<Response>;
  const signed = (route: SignedRoute, what?: Limited) =>
    fromPage(async (exchange) => {
      const session = await requireSession(exchange.request, await parts.sessions(), config);
      const counted: Limited[] = what === undefined ? ['request'] : ['request', what];
      if (config.limited)
        for (const one of counted) await parts.limiter.take(one, session.owner, exchange.address);
      return route(parts, { ...exchange, session: await toStanding(parts, session) });
    });
  const asking =
    (route: SignedRoute): SignedRoute =>
    async (_, exchange) => {
      await requireAsker(parts, exchange.session);
      return route(parts, exchange);
    };

  // Next and some proxies put a slash behind every path.
  const app = new Hono<Env>({ strict: false });
  const api = config.basePath === '' ? app : app.basePath(config.basePath);
  api.get('/healthz', health.alive);
  api.get('/readyz', () => health.ready(closed !== undefined));
  api.get('/metrics', (c) => getMetrics(parts, toExchange(c)));
  api.get('/admin', (c) => getAdmin(parts, toExchange(c)));
  api.get('/widget/:file', async (c) => getWidgetFile(await loadWidgetFiles(), toExchange(c)));
  api.post('/webhooks/agent', (c) => {
    requireOpen();
    return receiveWebhook(parts, toExchange(c));
  });
  api.options('*', (c) => toPreflightResponse(requireOrigin(c.req.raw)));
  api.post(
    '/session',
    fromPage((exchange) => createSession(parts, exchange)),
  );
  api.get('/conversations', signed(listConversations));
  api.get('/conversations/:id', signed(readConversation, 'history'));
  api.patch('/conversations/:id', signed(changeConversation, 'change'));
  api.delete('/conversations/:id', signed(deleteConversation, 'change'));
  api.put('/conversations/:id/turns/:turnId', signed(asking(putTurn)));
  api.get('/conversations/:id/turns/:turnId', signed(getTurn));
  api.delete('/conversations/:id/turns/:turnId', signed(stopTurn));
  api.post('/conversations/:id/turns/:turnId/decision', signed(asking(decideTurn)));
  api.post('/conversations/:id/attachments', signed(asking(postAttachment), 'upload'));
  api.put('/conversations/:id/messages/:messageId/vote', signed(voteMessage, 'change'));
  api.get('/visitor', signed(exportVisitor, 'export'));
  api.delete('/visitor', signed(eraseVisitor, 'change'));
  app.notFound(() => toProblemResponse(new HelperError('not-found')));
  app.onError((error, c) =>
    toErrorResponse(error, parts, readRequestId(c.req.raw.headers, config.trustedProxies)),
  );

  const upkept = { now, bot: config.botId, leftovers: parts.leftovers, guestDays: config.retentionDays };
  const stopUpkeep = startUpkeep({ store: config.store, log: config.log, ...upkept });

  const shutDown = async (withinMs: number) => {
    stopUpkeep();
    closing.abort();
    const untilMs = performance.now() + withinMs;
    await within(settleAll(inFlight), withinMs).catch(() => {});
    const leftMs = Math.max(0, untilMs - performance.now());
    // A store that is held by another process is not waited for until somebody kills this one.
    await within(parts.engine.drain(leftMs), leftMs + lastWritesMs).catch(() => {});
    parts.engine.close();
    parts.tallies?.stop();
    await within(parts.tallies?.flush() ?? Promise.resolve(), leftoversMs).catch(() => {});
    // What is being deleted at the agent is tried again after the next start, if it takes longer.
    await within(parts.leftovers.settled(), leftoversMs).catch(() => {});
    await release(config.store);
  };
  retain(config.store);

  return {
    basePath: config.basePath,
    async fetch(request, edge) {
      const answer = Promise.resolve(app.fetch(request, { edge: toEdge(edge) }));
      inFlight.add(answer);
      return answer.finally(() => inFlight.delete(answer));
    },
    close(withinMs = drainMs) {
      closed ??= shutDown(withinMs);
      return closed;
    },
  };
}

function toErrorResponse(error: unknown, { config, metrics, isDue }: Parts, requestId: string): Response {
  const { log } = config;
  const known = toHelperError(error);
  metrics.refused(known.code);
  if (known instanceof LimitReached) {
    const { limit } = known;
    metrics.limited(limit);
    if (isDue(`limit ${limit}`)) log.warn({ limit }, 'a limit is reached');
  }
  if (known.code === 'internal')
    log.error(
      { ...toLogFields(error), code: toCauseCode(error), reason: known.detail, requestId },
      'a request failed',
    );
  else if (isDue(`refused ${known.code}`)) log.info({ code: known.code, requestId }, 'a request was refused');
  const response = toProblemResponse(known);
  response.headers.set('x-request-id', requestId);
  return response;
}
