/** What happened: webhooks out tell of it, and workflows begin with it. Both are written along with it. */

import type { BotStore } from './store/bots.ts';
import type { DeliveryStore } from './store/deliveries.ts';
import type { WorkflowStore } from './store/workflows.ts';
import { webhookEvents } from './webhooks/events.ts';
import type { WebhookOptions } from './webhooks/options.ts';
import type { WorkflowEvent } from './workflows/catalog.ts';
import { isWorkflows } from './workflows/origin.ts';

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
