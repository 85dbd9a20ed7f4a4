/** What was told to the webhook's receiver, and telling it again: for owners and admins. */

import type { Hono } from 'hono';
import * as v from 'valibot';
import { type AccessEnv, requireManager, requireProject } from '../access.ts';
import { AgentError } from '../errors.ts';
import { paging, projectTarget, takes } from '../input.ts';
import { readPage, toPagination } from '../paging.ts';
import type { Parts } from '../parts.ts';
import { type Delivery, deliveryStates } from '../store/deliveries.ts';
import { toIso } from '../time.ts';

export function routeWebhooks(app: Hono<AccessEnv>, { config, deliveries, deliverer }: Parts) {
  app.get(
    '/v1/webhooks/deliveries',
    takes({ ...projectTarget, ...paging, status: v.optional(v.picklist(deliveryStates)) }),
    async (c) => {
      const input = c.get('input');
      requireProject(c.get('caller'), input);
      requireManager(c.get('caller'));
      const page = readPage(input);
      const { deliveries: found, total } = deliveries.list(input.project_id, input.status, page);
      return c.json({
        success: true,
        data: { deliveries: found.map(toWireDelivery), pagination: toPagination(page, total) },
      });
    },
  );

  app.post('/v1/webhooks/deliveries/:id/resend', takes(projectTarget), async (c) => {
    const { project_id } = c.get('input');
    requireProject(c.get('caller'), { project_id });
    requireManager(c.get('caller'));
    const delivery = deliveries.find(project_id, c.req.param('id'));
    if (!delivery) throw new AgentError(404, 'delivery_not_found', 'This project has no such delivery.');
    if (!config.webhook)
      throw new AgentError(
        409,
        'webhook_not_configured',
        'AGENT_WEBHOOK_URL: there is nobody to send it to.',
      );
    deliveries.renew(delivery);
    deliverer.wake();
    const renewed = deliveries.find(project_id, delivery.uuid)!;
    return c.json({ success: true, data: { delivery: toWireDelivery(renewed) } });
  });
}

function toWireDelivery(delivery: Delivery) {
  const { next_attempt_at: next, delivered_at: delivered } = delivery;
  return {
    id: delivery.uuid,
    event: delivery.event,
    url: delivery.url,
    status: delivery.status,
    attempts: delivery.attempts,
    last_status: delivery.last_status,
    last_error: delivery.last_error,
    next_attempt_at: next === null ? null : toIso(next),
    created_at: toIso(delivery.created_at),
    delivered_at: delivered === null ? null : toIso(delivered),
  };
}
