/** Webhooks out: what is told, and to whom. It is written along with what it tells of. */

import type { BotStore } from '../store/bots.ts';
import type { DeliveryStore } from '../store/deliveries.ts';

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
  event: WebhookEvent,
  botId: string,
  about: { id: string; name?: string | null; email?: string | null },
) => void;

/** @param webhook absent: nobody is told */
export function createTell(
  deliveries: DeliveryStore,
  bots: BotStore,
  webhook: WebhookOptions | undefined,
  onTold: () => void,
): Tell {
  return (event, botId, { id, name = null, email = null }) => {
    if (!webhook || webhook.events?.includes(event) === false) return;
    const bot = bots.get(botId);
    if (!bot) return;
    const body = { event, resource_id: id, name, email, bot: { id: bot.uuid, name: bot.name } };
    deliveries.add(bot.projectId, event, webhook.url, JSON.stringify(body));
    onTold();
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
