/** The parts of the service that routes and turns work with. */

import type { Answerers } from './answer/answerers.ts';
import type { Mailer } from './email/mailer.ts';
import type { EventLog } from './events.ts';
import type { AgentConfig } from './options.ts';
import type { Outgoing } from './outgoing.ts';
import type { createReports } from './reports.ts';
import type { Ingest } from './retrieval/ingest.ts';
import type { Search } from './retrieval/search.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import type { AccountStore } from './store/accounts.ts';
import type { BotStore } from './store/bots.ts';
import type { ChatStore } from './store/chats.ts';
import type { CrmStore } from './store/crm.ts';
import type { DeliveryStore } from './store/deliveries.ts';
import type { EmailStore } from './store/emails.ts';
import type { FileStore } from './store/files.ts';
import type { KeyStore } from './store/keys.ts';
import type { MemoryStore } from './store/memories.ts';
import type { MessageStore } from './store/messages.ts';
import type { PauseStore } from './store/pauses.ts';
import type { SourceStore } from './store/sources.ts';
import type { Statistics } from './store/statistics.ts';
import type { SubscriberStore } from './store/subscribers.ts';
import type { TaskStore } from './store/tasks.ts';
import type { ToolServerStore } from './store/toolservers.ts';
import type { TurnLog } from './store/turnlog.ts';
import type { Visits } from './store/visits.ts';
import type { WorkflowRunStore } from './store/workflowruns.ts';
import type { WorkflowStore } from './store/workflows.ts';
import type { WorkspaceStore } from './store/workspaces.ts';
import type { TaskRunner } from './tasks/runner.ts';
import type { Tool } from './tools.ts';
import type { ToolServerClient } from './toolservers/client.ts';
import type { ChatRates } from './turns/gate.ts';
import type { Turns } from './turns/runner.ts';
import type { Deliverer } from './webhooks/delivery.ts';
import type { WorkflowRunner } from './workflows/runner.ts';

export interface Parts {
  config: AgentConfig;
  events: EventLog;
  accounts: AccountStore;
  subscribers: SubscriberStore;
  bots: BotStore;
  chats: ChatStore;
  crm: CrmStore;
  deliveries: DeliveryStore;
  emails: EmailStore;
  keys: KeyStore;
  memories: MemoryStore;
  messages: MessageStore;
  pauses: PauseStore;
  sources: SourceStore;
  statistics: Statistics;
  reports: ReturnType<typeof createReports>;
  visits: Visits;
  tasks: TaskStore;
  taskRunner: TaskRunner;
  workflows: WorkflowStore;
  workflowRuns: WorkflowRunStore;
  workflowRunner: WorkflowRunner;
  workspaces: WorkspaceStore;
  files: FileStore;
  /** Where commands of the agent run. */
  sandbox: Sandbox;
  search: Search;
  ingest: Ingest;
  /** Of what is told to the webhook's receiver. */
  deliverer: Deliverer;
  mailer: Mailer;
  /** To addresses that others than the project's owner name. */
  outgoing: Outgoing;
  /** The site's tools, without those built in. */
  tools: readonly Tool[];
  toolServers: ToolServerStore;
  toolServerClient: ToolServerClient;
  answerers: Answerers;
  turns: Turns;
  /** Of what the statistics count. */
  turnLog: TurnLog;
  rates: ChatRates;
}
