/** What webhooks out tell of. */

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
