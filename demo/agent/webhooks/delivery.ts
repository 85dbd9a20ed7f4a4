/** Delivers what lies in the outbox: signed, a few at a time, again after a growing while, also after a kill. */

import { createHmac } from 'node:crypto';
import { setTimeout as rest } from 'node:timers/promises';
import { withDeadline } from '../deadline.ts';
import type { EventLog } from '../events.ts';
import type { Attempt, Delivery, DeliveryStore } from '../store/deliveries.ts';
import { dayMs } from '../time.ts';
import { createWatch } from '../watch.ts';
import { toOriginHeaders } from '../workflows/origin.ts';
import type { WebhookOptions } from './options.ts';

const maxAtOnce = 4;
/** Between two of them, so that thousands that wait do not hold up a chat. */
const restMs = 10;
const maxAttempts = 8;
const timeoutMs = 10_000;
const firstRetryMs = 15_000;
const keptMs = 30 * dayMs;
/** Now and then it is looked anyway, should the clock have been set. */
const maxIdleMs = 10_000;

export interface Deliverer {
  /** Sends what is due, and goes on with what becomes due. */
  wake(): void;
  close(): Promise<void>;
}

/** @param webhook absent: what lies there stays there */
export function createDeliverer(
  deliveries: DeliveryStore,
  webhook: WebhookOptions | undefined,
  { now, events }: { now: () => number; events: EventLog },
): Deliverer {
  const closing = new AbortController();
  const underWay = new Map<number, Promise<void>>();
  if (!webhook) return { wake() {}, async close() {} };
  const { secret, retryMs = firstRetryMs } = webhook;

  const report = (thrown: unknown) =>
    events.record('webhooks.failed', { cause: thrown instanceof Error ? thrown.stack : 'unknown' });

  async function deliver(delivery: Delivery) {
    const attempt = await send(delivery, secret, closing.signal);
    if (!attempt) return;
    const attempts = delivery.attempts + 1;
    const isLast = attempts >= maxAttempts;
    const waitMs = retryMs * 4 ** (attempts - 1) * (0.8 + 0.4 * Math.random());
    deliveries.note(delivery, attempt, isLast ? null : now() + Math.round(waitMs));
    const { uuid: delivery_id, event: told } = delivery;
    if (attempt.error === null) events.record('webhook.delivered', { delivery_id, told });
    else
      events.record(isLast ? 'webhook.failed' : 'webhook.missed', {
        delivery_id,
        told,
        reason: attempt.error,
      });
  }

  function look() {
    deliveries.forgetBefore(now() - keptMs);
    for (const delivery of deliveries.due(maxAtOnce - underWay.size, [...underWay.keys()])) {
      const job = deliver(delivery)
        .then(
          () => restMs,
          (thrown) => {
            report(thrown);
            // At once it would be sent again, and again.
            return Math.max(restMs, retryMs);
          },
        )
        .then(async (ms) => {
          await rest(ms, undefined, { ref: false, signal: closing.signal }).catch(() => {});
          underWay.delete(delivery.id);
          watch.wake();
        });
      underWay.set(delivery.id, job);
    }
    // With all places taken, the first that is free goes on.
    if (underWay.size === maxAtOnce) return undefined;
    return deliveries.nextAt([...underWay.keys()]);
  }
  const watch = createWatch({ look, report, now, maxIdleMs });

  return {
    wake: watch.wake,
    async close() {
      watch.stop();
      closing.abort();
      await Promise.all(underWay.values());
    },
  };
}

/** undefined: the service is closing, and the attempt does not count. */
async function send(
  { uuid, url, body, by_workflow }: Delivery,
  secret: string,
  closing: AbortSignal,
): Promise<Attempt | undefined> {
  try {
    const { status, ok } = await withDeadline(closing, timeoutMs, async (signal) => {
      const response = await fetch(url, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          'content-type': 'application/json',
          'x-service-signature': createHmac('sha256', secret).update(body).digest('hex'),
          'x-service-delivery': uuid,
          ...toOriginHeaders(by_workflow === 1),
        },
        body,
        signal,
      });
      await response.body?.cancel();
      return response;
    });
    return { status, error: ok ? null : `The receiver answered ${status}.` };
  } catch (thrown) {
    if (closing.aborted) return undefined;
    const isSlow = (thrown as Error).name === 'TimeoutError';
    return {
      status: null,
      error: isSlow ? 'The receiver did not answer in time.' : 'The receiver could not be reached.',
    };
  }
}
