/** Whom webhooks reach, as it is configured. */

import { type WebhookEvent, webhookEvents } from './events.ts';

export interface WebhookOptions {
  /** The receiver. */
  url: string;
  secret: string;
  /** Default: all. */
  events?: readonly WebhookEvent[];
  /** Of the first retry; each later one waits four times as long, ± 20 %. Default 15,000. */
  retryMs?: number;
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
