/** `POST /webhooks/agent`: signed agent events, each handed to the site owner once. */
import { verifyWebhook } from '../agent/webhook.ts';
import { hashText } from '../auth/keys.ts';
import type { AgentEvent } from '../config.ts';
import { HelperError } from '../errors.ts';
import { toLogFields } from '../log.ts';
import { type Exchange, type Parts, readBody, toEmptyResponse } from './exchange.ts';

const maxWebhookBytes = 1024 * 1024;
/** The sender tries again for about a day; a repeat after that would be handed over anew. */
const rememberedMs = 48 * 3600_000;

export async function receiveWebhook(parts: Parts, exchange: Exchange): Promise<Response> {
  const { config, store } = parts;
  if (config.webhookSecrets.length === 0) throw new HelperError('not-found');
  const raw = await readBody(exchange.request, maxWebhookBytes);
  const signature = exchange.request.headers.get('x-service-signature');
  const signed = await verifyWebhook(raw, signature, config.webhookSecrets);
  if (signed === undefined) throw new HelperError('unauthenticated', 'The signature is not valid');
  const event = readEvent(signed);
  const delivery = exchange.request.headers.get('x-service-delivery');
  const key = `webhook:${await hashText(delivery && delivery.length <= 200 ? delivery : signed)}`;
  const mine = crypto.randomUUID();
  if ((await store.remember(key, mine, rememberedMs)) !== mine) return toEmptyResponse(exchange.headers);
  try {
    await config.onAgentEvent?.(event);
  } catch (error) {
    // Forgotten, so that the sender's next try is handed over.
    await store.forget(key);
    config.log.error({ ...toLogFields(error), event: toWord(event.event) }, 'onAgentEvent failed');
    throw new HelperError('internal');
  }
  config.log.info({ event: toWord(event.event) }, 'agent event received');
  return toEmptyResponse(exchange.headers);
}

function toWord(value: string): string {
  return /^[\w.-]{1,64}$/.test(value) ? value : 'other';
}

function readEvent(text: string): AgentEvent {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new HelperError('bad-request', 'The body is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new HelperError('bad-request', 'The body must be an object');
  const { event } = value as { event?: unknown };
  return { ...value, event: typeof event === 'string' ? event : 'unknown' };
}
