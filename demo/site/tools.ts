/** What the shop lets the agent do: one look-up runs in the shop's own backend, one is called over HTTP. */
import type { SiteTool, ToolVisitor } from 'porchlight';
import { customers, readOrder } from './shop.ts';

/** Run by the helper, for the visitor that it has verified. */
export const tools = {
  order_status: {
    description: 'Look up the state of an order',
    approval: 'always',
    parameters: {
      type: 'object',
      properties: {
        orderNumber: { type: 'string', description: 'For example LF-10234' },
        email: {
          type: 'string',
          format: 'email',
          title: 'e-mail address of the order',
          description: 'Needed where nobody is signed in, never made up',
        },
      },
      required: ['orderNumber'],
    },
    run: ({ orderNumber, email }, visitor) => readOrderFor(visitor, String(orderNumber), email),
  },
} satisfies Record<string, SiteTool>;

/** As the agent service reads them from AGENT_TOOLS: without a URL the helper runs it. */
export function toAgentTools(siteUrl: string) {
  const { description, approval, parameters } = tools.order_status;
  return [
    { name: 'order_status', title: 'Order status', description, approval, parameters },
    {
      name: 'stock',
      title: 'Stock',
      description: 'Look up whether a product is in stock',
      url: `${siteUrl}/api/tools/stock`,
      approval: 'auto',
      phrases: ['in stock', 'out of stock', 'sold out', 'available', 'restocked'],
      parameters: {
        type: 'object',
        properties: { product: { type: 'string', description: 'Name of the product' } },
        required: ['product'],
      },
    },
  ];
}

/** A customer's own; a guest's where number and e-mail address belong together. */
function readOrderFor(visitor: ToolVisitor, orderNumber: string, email: unknown) {
  const order = readOrder(orderNumber);
  const isKnown = visitor.kind === 'identified';
  const owner = isKnown
    ? customers.find(({ externalId }) => externalId === visitor.externalId)?.email
    : email;
  if (!order || String(owner).trim().toLowerCase() !== order.ownerEmail)
    return {
      error: isKnown
        ? 'no order of yours has this number'
        : 'no order has this number and this e-mail address',
    };
  const { status, placedOn, carrier, eta, trackingNumber, items } = order;
  return {
    orderNumber: order.orderNumber,
    status,
    placedOn,
    carrier,
    eta,
    trackingNumber,
    items: items.map(({ name, quantity }) => ({ name, quantity })),
  };
}
