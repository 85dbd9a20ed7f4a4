/** What the shop lets the agent call, and at which level of approval. */

/** In the form that the agent service reads from AGENT_TOOLS. */
export function toTools(siteUrl: string) {
  const toParameters = (name: string, description: string) => ({
    type: 'object',
    properties: { [name]: { type: 'string', description } },
    required: [name],
  });
  return [
    {
      name: 'order_status',
      title: 'Order status',
      description: 'Look up the state of an order by its number',
      url: `${siteUrl}/api/tools/order-status`,
      approval: 'always',
      parameters: toParameters('orderNumber', 'For example LF-10234'),
    },
    {
      name: 'stock',
      title: 'Stock',
      description: 'Look up whether a product is in stock',
      url: `${siteUrl}/api/tools/stock`,
      approval: 'auto',
      phrases: ['in stock', 'out of stock', 'sold out', 'available', 'restocked'],
      parameters: toParameters('product', 'Name of the product'),
    },
  ];
}
