/** What happened: webhooks out tell of it, and workflows begin with it. Both are written along with it. */

import type { BotStore } from '../store/bots.ts';
import type { DeliveryStore } from '../store/deliveries.ts';
import type { WorkflowStore } from '../store/workflows.ts';
import type { WorkflowEvent } from '../workflows/catalog.ts';
import { isWorkflows } from '../workflows/origin.ts';

export const webhookEvents = [
  'connector.created',
  'connector.updated',
  'connector.deleted',
  'memory.created',
  'memory.updated',
  'memory.deleted',
  'subscriber.joined',
] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

export interface WebhookOptions {
  /** The receiver. */
  url: string;
  secret: string;
  /** Default: all. */
  events?: readonly WebhookEvent[];
  /** Of the first retry; each later one waits four times as long, ± 20 %. Default 15,000. */
  retryMs?: number;
}

/** Tells of a thing of an agent, inside the transaction that changes it. */
export type Tell = (
  event: WorkflowEvent,
  botId: string,
  about: {
    id: string;
    name?: string | null;
    email?: string | null;
    /** Otherwise known by who does it. */
    startsNothing?: boolean;
  },
) => void;

interface Listeners {
  onTold(): void;
  onBegun(): void;
}

/** @param webhook absent: nobody is told */
export function createTell(
  { deliveries, workflows, bots }: { deliveries: DeliveryStore; workflows: WorkflowStore; bots: BotStore },
  webhook: WebhookOptions | undefined,
  { onTold, onBegun }: Listeners,
): Tell {
  const told: readonly string[] = webhook ? (webhook.events ?? webhookEvents) : [];
  return (event, botId, { id, name = null, email = null, startsNothing = isWorkflows() }) => {
    const bot = bots.get(botId);
    if (!bot) return;
    const body = { event, resource_id: id, name, email, bot: { id: bot.uuid, name: bot.name } };
    if (webhook && told.includes(event)) {
      deliveries.add(bot.projectId, event, webhook.url, JSON.stringify(body), isWorkflows());
      onTold();
    }
    if (!startsNothing && workflows.begin(botId, event, body)) onBegun();
  };
}

/** Throws a TypeError that names the option. */
export function readWebhook(options: WebhookOptions | undefined): WebhookOptions | undefined {
  if (!options) return undefined;
  const { url, secret, events = [], retryMs = 0 } = options;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new TypeError('webhook.url: an http or https URL is needed');
  const { username, password } = new URL(url);
  if (username !== '' || password !== '')
    throw new TypeError('webhook.url: a URL without name and password is needed');
  if (typeof secret !== 'string' || secret === '')
    throw new TypeError('webhook.secret: a non-empty string is needed');
  if (!events.every((one) => webhookEvents.includes(one)))
    throw new TypeError(`webhook.events: any of ${webhookEvents.join(', ')}`);
  if (!Number.isFinite(retryMs) || retryMs < 0) throw new TypeError('webhook.retryMs: a number from 0');
  return options;
}
