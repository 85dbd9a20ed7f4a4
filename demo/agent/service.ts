/** The agent service: Request in, Response out, everything it remembers in one SQLite database. */

import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { type AccessEnv, createAccess } from './access.ts';
import { createAnswerers } from './answer/answerers.ts';
import { toBot } from './branding.ts';
import { openDatabase } from './db.ts';
import { AgentError, toAgentError, toErrorBody } from './errors.ts';
import { type AgentEvent, createEventLog } from './events.ts';
import type { NodeEnv } from './input.ts';
import { type AgentServiceOptions, readOptions } from './options.ts';
import { createOutgoing } from './outgoing.ts';
import type { Parts } from './parts.ts';
import { createIngest } from './retrieval/ingest.ts';
import { createSearch } from './retrieval/search.ts';
import { routeBots } from './routes/bots.ts';
import { routeChat } from './routes/chat.ts';
import { routeConversations } from './routes/conversations.ts';
import { routeCrm } from './routes/crm.ts';
import { routeDescription } from './routes/description.ts';
import { routeExecute } from './routes/execute.ts';
import { routeKeys } from './routes/keys.ts';
import { routeMessages } from './routes/messages.ts';
import { routePeople } from './routes/people.ts';
import { routeRunning } from './routes/running.ts';
import { routeSources } from './routes/sources.ts';
import { routeSso } from './routes/sso.ts';
import { routeStats } from './routes/stats.ts';
import { routeTaskLogs } from './routes/tasklogs.ts';
import { routeTasks } from './routes/tasks.ts';
import { routeWebhooks } from './routes/webhooks.ts';
import { routeWorkspaces } from './routes/workspaces.ts';
import { createAccountStore } from './store/accounts.ts';
import { createBotStore } from './store/bots.ts';
import { createChatStore } from './store/chats.ts';
import { createCrmStore } from './store/crm.ts';
import { createDeliveryStore } from './store/deliveries.ts';
import { createKeyStore } from './store/keys.ts';
import { createMemoryStore } from './store/memories.ts';
import { createMessageStore } from './store/messages.ts';
import { createPauseStore } from './store/pauses.ts';
import { createSourceStore } from './store/sources.ts';
import { createStatistics } from './store/statistics.ts';
import { createSubscriberStore } from './store/subscribers.ts';
import { createTaskStore } from './store/tasks.ts';
import { createTurnLog } from './store/turnlog.ts';
import { createVisits } from './store/visits.ts';
import { createWorkspaceStore } from './store/workspaces.ts';
import { createTaskRunner } from './tasks/runner.ts';
import { askForTask, giveUpTurn } from './tasks/turn.ts';
import { createHttpTool } from './tools.ts';
import { createChatRates } from './turns/gate.ts';
import { createTurns } from './turns/runner.ts';
import { createDeliverer } from './webhooks/delivery.ts';
import { createTell } from './webhooks/outbox.ts';

export type { AgentServiceOptions } from './options.ts';

export interface AgentService {
  /** @param env of a Node server, where the body of a GET is read from its own request */
  fetch(request: Request, env?: NodeEnv): Promise<Response>;
  readonly events: readonly AgentEvent[];
  /** Resolves when no source is being read any more. */
  idle(): Promise<void>;
  /** Cancels what runs, keeps what was said, closes the database. */
  close(): Promise<void>;
}

const maxBodyBytes = 1024 * 1024;
const maxChatBytes = 16 * 1024 * 1024;

/** Throws a TypeError that names a bad option. */
export function createAgentService(options: AgentServiceOptions): AgentService {
  const config = readOptions(options);
  const db = openDatabase(config.db);
  const events = createEventLog(config.now, config.log);
  const search = createSearch(db);
  const bots = createBotStore(db, config.now, { uuid: config.botId, settings: toBot(config) });
  const deliveries = createDeliveryStore(db, config.now);
  const deliverer = createDeliverer(deliveries, config.webhook, { now: config.now, events });
  // Once the transaction that it is told in is over.
  const tell = createTell(deliveries, bots, config.webhook, () => queueMicrotask(deliverer.wake));
  const sources = createSourceStore(db, config.now, tell);
  const tasks = createTaskStore(db, config.now);
  const taskRunner = createTaskRunner({
    tasks,
    bots,
    events,
    now: config.now,
    ask: (bot, task) => askForTask(parts, bot, task),
    giveUp: (bot, chatId) => giveUpTurn(parts, bot, chatId),
  });
  const parts: Parts = {
    config,
    events,
    search,
    sources,
    tasks,
    taskRunner,
    accounts: createAccountStore(db, config.now),
    subscribers: createSubscriberStore(db, config.now, tell),
    bots,
    chats: createChatStore(db, config.now),
    crm: createCrmStore(db),
    deliveries,
    deliverer,
    keys: createKeyStore(db, config.now),
    memories: createMemoryStore(db, config.now),
    messages: createMessageStore(db, config.now),
    pauses: createPauseStore(db, config.now),
    workspaces: createWorkspaceStore(db, config.now),
    ingest: createIngest(sources, events),
    outgoing: createOutgoing(config.privateHosts),
    tools: config.tools.map(createHttpTool),
    answerers: createAnswerers(config, search),
    turns: createTurns(),
    turnLog: createTurnLog(db, config.now),
    statistics: createStatistics(db),
    visits: createVisits(db),
    rates: createChatRates(config.now),
  };
  const { projectId } = config;
  parts.keys.install([
    { key: config.apiKey, role: 'owner', projectId },
    ...config.extraKeys.map((one) => ({ projectId, ...one })),
  ]);
  parts.bots.install(projectId, config.credits);
  parts.workspaces.requireDefault(config.botId);
  sources.failUnfinished();
  parts.turnLog.failUnfinished();
  parts.ingest.keepUp();
  deliverer.wake();
  taskRunner.start();
  const app = createApp(parts);

  return {
    fetch: async (request, env) => app.fetch(request, env),
    events: events.entries,
    idle: () => parts.ingest.idle(),
    async close() {
      await Promise.all([
        taskRunner.close(),
        parts.turns.close(),
        parts.ingest.close(),
        parts.outgoing.close(),
      ]);
      await deliverer.close();
      db.close();
    },
  };
}

async function skipBody({ body }: Request) {
  if (!body || body.locked) return;
  let skipped = 0;
  for await (const chunk of body) {
    skipped += chunk.byteLength;
    if (skipped > 4 * maxChatBytes) return;
  }
}

function createApp(parts: Parts): Hono<AccessEnv> {
  const app = new Hono<AccessEnv>();

  app.onError((thrown, c) => {
    const error = toAgentError(thrown);
    if (error !== thrown)
      parts.events.record('request.failed', { path: c.req.path, cause: thrown.stack ?? thrown.message });
    for (const [name, value] of Object.entries(error.headers)) c.header(name, value);
    return c.json(toErrorBody(error, c.req.path), error.status);
  });
  app.notFound((c) => {
    const error = new AgentError(404, 'not_found', `No ${c.req.method} ${c.req.path} here.`);
    return c.json(toErrorBody(error, c.req.path), 404);
  });

  app.get('/healthz', (c) => c.json({ ok: true, answerer: parts.answerers.choose().model }));
  app.use('/v1/*', createAccess(parts));
  const limitBody = (maxSize: number) =>
    bodyLimit({
      maxSize,
      onError: async (c) => {
        // A client that is still sending hears nothing before it has sent all, within reason.
        await skipBody(c.req.raw);
        throw new AgentError(413, 'payload_too_large', `The body is larger than ${maxSize} bytes.`);
      },
    });
  const [limitAny, limitChat] = [limitBody(maxBodyBytes), limitBody(maxChatBytes)];
  app.use('/v1/*', (c, next) => (c.req.path === '/v1/bot/chat' ? limitChat : limitAny)(c, next));
  app.use('/v1/*', (_, next) => {
    parts.ingest.keepUp();
    parts.deliverer.wake();
    parts.taskRunner.wake();
    return next();
  });

  routeChat(app, parts);
  routeExecute(app, parts);
  routeRunning(app, parts);
  routeConversations(app, parts);
  routeMessages(app, parts);
  routeBots(app, parts);
  routeSources(app, parts);
  routeWorkspaces(app, parts);
  routeSso(app, parts);
  routePeople(app, parts);
  routeKeys(app, parts);
  routeWebhooks(app, parts);
  routeTasks(app, parts);
  routeCrm(app, parts);
  routeTaskLogs(app, parts);
  routeStats(app, parts);
  routeDescription(app);
  return app;
}
