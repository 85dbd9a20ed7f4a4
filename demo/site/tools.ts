/** What the shop lets the agent call, and at which level of approval. */

/**
 * In the form that the agent service reads from AGENT_TOOLS.
 *
 * @param secret by which the shop knows that the agent calls, and may believe it who asks
 */
export function toTools(siteUrl: string, secret: string) {
  const headers = { authorization: `Bearer ${secret}` };
  return [
    {
      name: 'order_status',
      title: 'Order status',
      description: 'Look up the state of an order',
      url: `${siteUrl}/api/tools/order-status`,
      headers,
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
    },
    {
      name: 'stock',
      title: 'Stock',
      description: 'Look up whether a product is in stock',
      url: `${siteUrl}/api/tools/stock`,
      headers,
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
