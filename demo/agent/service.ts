/** The agent service: Request in, Response out, everything it remembers in one SQLite database. */

import { createAnswerers } from './answer/answerers.ts';
import { createApp } from './app.ts';
import { toBot } from './branding.ts';
import { openDatabase } from './db.ts';
import { createClerk } from './email/clerk.ts';
import { createInbound } from './email/inbound.ts';
import { createMailer } from './email/mailer.ts';
import { type AgentEvent, createEventLog } from './events.ts';
import type { NodeEnv } from './input.ts';
import { type AgentServiceOptions, readOptions } from './options.ts';
import { createOutgoing } from './outgoing.ts';
import type { Parts } from './parts.ts';
import { createReports } from './reports.ts';
import { createIngest } from './retrieval/ingest.ts';
import { createSearch } from './retrieval/search.ts';
import { createSandbox } from './sandbox/sandbox.ts';
import { createAccountStore } from './store/accounts.ts';
import { createBotStore } from './store/bots.ts';
import { createChatStore } from './store/chats.ts';
import { createCrmStore } from './store/crm.ts';
import { createDeliveryStore } from './store/deliveries.ts';
import { createEmailStore } from './store/emails.ts';
import { createFileStore } from './store/files.ts';
import { createKeyStore } from './store/keys.ts';
import { createMemoryStore } from './store/memories.ts';
import { createMessageStore } from './store/messages.ts';
import { createPauseStore } from './store/pauses.ts';
import { createSourceStore } from './store/sources.ts';
import { createStatistics } from './store/statistics.ts';
import { createSubscriberStore } from './store/subscribers.ts';
import { createTaskStore } from './store/tasks.ts';
import { createToolServerStore } from './store/toolservers.ts';
import { createTurnLog } from './store/turnlog.ts';
import { createVisits } from './store/visits.ts';
import { createWorkflowRunStore } from './store/workflowruns.ts';
import { createWorkflowStore } from './store/workflows.ts';
import { createWorkspaceStore } from './store/workspaces.ts';
import { chatOf, createTaskRunner } from './tasks/runner.ts';
import { createTell } from './tell.ts';
import { createSiteTool } from './tools.ts';
import { createToolServerClient } from './toolservers/client.ts';
import { createChatRates } from './turns/gate.ts';
import { createTurns } from './turns/runner.ts';
import { askUnattended, whenFree } from './turns/unattended.ts';
import { createDeliverer } from './webhooks/delivery.ts';
import { perform } from './workflows/actions.ts';
import { createWorkflowRunner } from './workflows/runner.ts';

export type { AgentServiceOptions } from './options.ts';

export interface AgentService {
  /** @param env of a Node server, where the body of a GET is read from its own request */
  fetch(request: Request, env?: NodeEnv): Promise<Response>;
  readonly events: readonly AgentEvent[];
  /** Resolves when no source is being read any more. */
  idle(): Promise<void>;
  /** Takes mail to the agents in. @returns the port; 0 takes any that is free */
  listenForMail(port: number, host: string): Promise<number>;
  /** Cancels what runs, keeps what was said, closes the database. */
  close(): Promise<void>;
}

/** Throws a TypeError that names a bad option. */
export function createAgentService(options: AgentServiceOptions): AgentService {
  const config = readOptions(options);
  const db = openDatabase(config.db);
  const events = createEventLog(config.now, config.log);
  const search = createSearch(db);
  const bots = createBotStore(db, config.now, { uuid: config.botId, settings: toBot(config) });
  const deliveries = createDeliveryStore(db, config.now);
  const deliverer = createDeliverer(deliveries, config.webhook, { now: config.now, events });
  const workflowRuns = createWorkflowRunStore(db, config.now);
  const workflows = createWorkflowStore(db, config.now, workflowRuns);
  const tell = createTell({ deliveries, workflows, bots }, config.webhook, {
    // Once the transaction that it is told in is over.
    onTold: () => queueMicrotask(deliverer.wake),
    onBegun: () => queueMicrotask(() => workflowRunner.wake()),
  });
  const sources = createSourceStore(db, config.now, tell);
  const tasks = createTaskStore(db, config.now);
  const taskRunner = createTaskRunner({
    tasks,
    bots,
    events,
    now: config.now,
    ask: (bot, readTask, signal) =>
      whenFree(async () => {
        const task = readTask();
        const { prompt: message, chat_mode: chatMode } = task;
        return askUnattended(parts, bot, { message, chatId: chatOf(task), chatMode, as: 'project' });
      }, signal),
  });
  const chats = createChatStore(db, config.now, tell);
  const workflowRunner = createWorkflowRunner({
    workflows,
    runs: workflowRuns,
    bots,
    chats,
    events,
    now: config.now,
    perform: (...work) => perform(parts, ...work),
  });
  const statistics = createStatistics(db);
  const visits = createVisits(db);
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
    chats,
    crm: createCrmStore(db),
    deliveries,
    emails: createEmailStore(db, config.now, tell),
    mailer: createMailer(config.email.smtpUrl, events),
    workflows,
    workflowRuns,
    workflowRunner,
    deliverer,
    keys: createKeyStore(db, config.now),
    memories: createMemoryStore(db, config.now),
    messages: createMessageStore(db, config.now),
    pauses: createPauseStore(db, config.now),
    workspaces: createWorkspaceStore(db, config.now),
    sandbox: createSandbox(config.limits.sandbox, config.sandbox, [config.db]),
    files: createFileStore(db, config.now, config.limits.files_per_workspace),
    ingest: createIngest(sources, events),
    outgoing: createOutgoing(config.privateHosts),
    tools: config.tools.map(createSiteTool),
    toolServers: createToolServerStore(db, config.now, tell),
    toolServerClient: createToolServerClient(),
    answerers: createAnswerers(config, search),
    turns: createTurns(),
    turnLog: createTurnLog(db, config.now),
    statistics,
    visits,
    reports: createReports({ statistics, visits, config }),
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
  for (const { chat, messageId, title } of parts.pauses.takeDecided())
    parts.messages.failPaused(chat, messageId, title);
  parts.turnLog.failUnfinished();
  parts.ingest.keepUp();
  deliverer.wake();
  taskRunner.start();
  workflowRunner.start();
  const clerk = createClerk(parts);
  clerk.wake();
  const inbound = createInbound(parts, clerk.wake);
  const app = createApp(parts, [parts.ingest.keepUp, deliverer.wake, taskRunner.wake, workflowRunner.wake]);

  return {
    fetch: async (request, env) => app.fetch(request, env),
    events: events.entries,
    idle: () => parts.ingest.idle(),
    listenForMail: inbound.listen,
    async close() {
      parts.mailer.close();
      parts.toolServerClient.close();
      await inbound.close();
      await Promise.all([
        taskRunner.close(),
        workflowRunner.close(),
        clerk.close(),
        parts.turns.close(),
        parts.ingest.close(),
        parts.outgoing.close(),
      ]);
      await parts.sandbox.close();
      await deliverer.close();
      db.close();
    },
  };
}
