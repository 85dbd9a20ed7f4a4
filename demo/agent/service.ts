/** The agent service: Request in, Response out, everything it remembers in one SQLite database. */

import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { type AccessEnv, createAccess } from './access.ts';
import { createAnswerers } from './answer/answerers.ts';
import { toBot } from './branding.ts';
import { openDatabase } from './db.ts';
import { AgentError, toAgentError, toErrorBody } from './errors.ts';
import { type AgentEvent, createEventLog } from './events.ts';
import { type AgentServiceOptions, readOptions } from './options.ts';
import type { Parts } from './parts.ts';
import { createIngest } from './retrieval/ingest.ts';
import { createSearch } from './retrieval/search.ts';
import { routeBots } from './routes/bots.ts';
import { routeChat } from './routes/chat.ts';
import { routeConversations } from './routes/conversations.ts';
import { routeExecute } from './routes/execute.ts';
import { routeMessages } from './routes/messages.ts';
import { routeRunning } from './routes/running.ts';
import { routeSources } from './routes/sources.ts';
import { routeSso } from './routes/sso.ts';
import { routeWorkspaces } from './routes/workspaces.ts';
import { createAccountStore } from './store/accounts.ts';
import { createBotStore } from './store/bots.ts';
import { createChatStore } from './store/chats.ts';
import { createMessageStore } from './store/messages.ts';
import { createPauseStore } from './store/pauses.ts';
import { createSourceStore } from './store/sources.ts';
import { createWorkspaceStore } from './store/workspaces.ts';
import { createHttpTool } from './tools.ts';
import { createTurns } from './turns/runner.ts';

export type { AgentServiceOptions } from './options.ts';

export interface AgentService {
  fetch(request: Request): Promise<Response>;
  readonly events: readonly AgentEvent[];
  /** Resolves when no source is being read any more. */
  idle(): Promise<void>;
  /** Cancels what runs, keeps what was said, closes the database. */
  close(): Promise<void>;
}

const maxBodyBytes = 1024 * 1024;

/** Throws a TypeError that names a bad option. */
export function createAgentService(options: AgentServiceOptions): AgentService {
  const config = readOptions(options);
  const db = openDatabase(config.db);
  const events = createEventLog(config.now, config.log);
  const search = createSearch(db);
  const sources = createSourceStore(db, config.now);
  const parts: Parts = {
    config,
    events,
    search,
    sources,
    accounts: createAccountStore(db, config.now),
    bots: createBotStore(db),
    chats: createChatStore(db, config.now),
    messages: createMessageStore(db, config.now),
    pauses: createPauseStore(db, config.now),
    workspaces: createWorkspaceStore(db, config.now),
    ingest: createIngest(sources, events),
    tools: config.tools.map(createHttpTool),
    answerers: createAnswerers(config, search),
    turns: createTurns(),
  };
  parts.bots.install(config, toBot(config));
  parts.workspaces.requireDefault(config.botId);
  sources.failUnfinished();
  const app = createApp(parts);

  return {
    fetch: async (request) => app.fetch(request),
    events: events.entries,
    idle: () => parts.ingest.idle(),
    async close() {
      await Promise.all([parts.turns.close(), parts.ingest.close()]);
      db.close();
    },
  };
}

function createApp(parts: Parts): Hono<AccessEnv> {
  const app = new Hono<AccessEnv>();

  app.onError((thrown, c) => {
    const error = toAgentError(thrown);
    if (error !== thrown)
      parts.events.record('request.failed', { path: c.req.path, cause: thrown.stack ?? thrown.message });
    for (const [name, value] of Object.entries(error.headers)) c.header(name, value);
    return c.json(toErrorBody(error), error.status);
  });
  app.notFound((c) => {
    return c.json(
      toErrorBody(new AgentError(404, 'not_found', `No ${c.req.method} ${c.req.path} here.`)),
      404,
    );
  });

  app.get('/healthz', (c) => c.json({ ok: true, answerer: parts.answerers.choose().model }));
  app.use('/v1/*', createAccess(parts));
  app.use(
    '/v1/*',
    bodyLimit({
      maxSize: maxBodyBytes,
      onError: () => {
        throw new AgentError(413, 'payload_too_large', `The body is larger than ${maxBodyBytes} bytes.`);
      },
    }),
  );

  routeChat(app, parts);
  routeExecute(app, parts);
  routeRunning(app, parts);
  routeConversations(app, parts);
  routeMessages(app, parts);
  routeBots(app, parts);
  routeSources(app, parts);
  routeWorkspaces(app, parts);
  routeSso(app, parts);
  return app;
}
