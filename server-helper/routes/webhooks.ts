/** `POST /webhooks/agent`: signed agent events, each handed to the site owner once. */
import { verifyWebhook } from '../agent/webhook.ts';
import { hashText } from '../auth/keys.ts';
import type { AgentEvent } from '../config.ts';
import { HelperError } from '../errors.ts';
import { asWord, toLogFields } from '../log.ts';
import { type Exchange, type Parts, readBody, toEmptyResponse } from './exchange.ts';

const maxWebhookBytes = 1024 * 1024;
/** The sender tries again for about a day, under the same delivery id. */
const deliveryTtlMs = 48 * 3600_000;
/** The id is not signed: the same bytes under a new one are a replay, unless some time has passed. */
const bytesTtlMs = 10 * 60_000;
/** How long a running handler is believed in when its helper was lost. */
const runningTtlMs = 2 * 60_000;
const renewEveryMs = 30_000;
const handled = 'handled';

export async function receiveWebhook(parts: Parts, exchange: Exchange): Promise<Response> {
  const { config, limiter } = parts;
  if (config.webhookSecrets.length === 0) throw new HelperError('not-found');
  const { headers } = exchange.request;
  if ((headers.get('content-encoding') ?? 'identity') !== 'identity')
    throw new HelperError('unsupported-media-type');
  const raw = await readBody(exchange.request, maxWebhookBytes);
  const signed = await verifyWebhook(
    raw,
    headers.get('x-service-signature'),
    config.webhookSecrets,
    async () => {
      if (config.limited) await limiter.take('webhook', undefined, exchange.address);
    },
  );
  if (signed === undefined) throw new HelperError('unauthenticated', 'The signature is not valid');
  const event = readEvent(signed);
  const delivery = headers.get('x-service-delivery');
  const keys = new Map([[`webhook-bytes:${config.botId}:${await hashText(signed)}`, bytesTtlMs]]);
  if (delivery) keys.set(`webhook-delivery:${config.botId}:${await hashText(delivery)}`, deliveryTtlMs);
  const isDone = await handOver(parts, event, keys);
  return isDone
    ? toEmptyResponse(exchange.headers)
    : toEmptyResponse({ ...exchange.headers, 'retry-after': '1' }, 503);
}

/**
 * @param keys what tells a repeat, each with how long it does
 * @returns false while the handler of an earlier delivery still runs
 */
async function handOver(
  { config, store }: Parts,
  event: AgentEvent,
  keys: ReadonlyMap<string, number>,
): Promise<boolean> {
  const mine = crypto.randomUUID();
  const taken: string[] = [];
  const forget = () => Promise.all(taken.map((key) => store.forget(key)));
  for (const key of keys.keys()) {
    const stands = await store.remember(key, mine, runningTtlMs);
    if (stands === mine) taken.push(key);
    else if (stands === handled) {
      // By what else it is known, it is a repeat from now on, too.
      for (const [other, ttlMs] of keys) if (other !== key) await store.replace(other, handled, ttlMs);
      return true;
    } else {
      await forget();
      return false;
    }
  }
  try {
    await whileRenewing(
      () => Promise.all(taken.map((key) => store.replace(key, mine, runningTtlMs))),
      async () => config.onAgentEvent?.(event),
    );
  } catch (error) {
    // Forgotten, so that the sender's next try is handed over.
    await forget();
    config.log.error({ ...toLogFields(error), event: asWord(event.event) ?? 'other' }, 'onAgentEvent failed');
    throw new HelperError('internal');
  }
  config.log.info({ event: asWord(event.event) ?? 'other' }, 'agent event received');
  try {
    for (const [key, ttlMs] of keys) await store.replace(key, handled, ttlMs);
  } catch (error) {
    // The sender is told the truth all the same: it was handled.
    config.log.error(toLogFields(error), 'an agent event was handled, and that could not be stored');
  }
  return true;
}

/** Every so often while `act` runs; all of it is over when this resolves. */
async function whileRenewing(renew: () => Promise<unknown>, act: () => Promise<void>): Promise<void> {
  let renewed: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    // One that fails leaves what stands a while longer.
    renewed = renew().catch(() => {});
  }, renewEveryMs);
  try {
    await act();
  } finally {
    clearInterval(timer);
    await renewed;
  }
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
