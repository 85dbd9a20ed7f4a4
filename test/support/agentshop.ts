/** A small shop on a loopback port: pages to read and tools to call. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ToolOptions } from '../../demo/agent/tools.ts';

const page = (title: string, main: string) => `<!doctype html>
<html><head><title>${title} | Larkfield Outdoor</title><link rel="icon" href="/favicon.ico"></head>
<body><header><nav><a href="/">Home</a> <a href="/shipping.html">Shipping</a> <a href="/returns.html">Returns</a>
<a href="/repairs.html">Repairs</a> <a href="/tents.html#top">Tents</a> <a href="/contact.html">Contact</a>
<a href="https://elsewhere.invalid/">Elsewhere</a> <a href="/missing.html">Missing</a></nav></header>
<main>${main}</main><footer>Navigation words that nobody quotes</footer><script>var secretWord = 1</script></body></html>`;

export const shopPages: Readonly<Record<string, string>> = {
  '/': page('Home', '<h1>Larkfield Outdoor</h1><p>Tents, packs, stoves and boots for long walks.</p>'),
  '/shipping.html': page(
    'Shipping',
    `<h1>Shipping</h1><p>We pack every order by hand in our warehouse.</p>
     <h2>Canada</h2><p>Shipping to Canada takes 5 to 8 business days. Duties are included in the price at checkout.</p>
     <h2>Rates</h2><table><tr><th>Country</th><th>Time</th><th>Price</th></tr>
     <tr><td>United States</td><td>2 to 4 business days</td><td>$6</td></tr>
     <tr><td>Germany</td><td>7 to 10 business days</td><td>$24</td></tr></table>`,
  ),
  '/returns.html': page(
    'Returns',
    `<h1>Returns</h1><p>You can return unused gear within 60 days of delivery.</p>
     <p>A refund reaches your card 5 business days after we receive the parcel.</p>`,
  ),
  '/repairs.html': page(
    'Repairs',
    '<h1>Repairs</h1><p>A tent pole repair takes 2 weeks.</p><ul><li>Zips are replaced for $35.</li></ul>',
  ),
  '/tents.html': page(
    'Tents',
    `<h1>Tents</h1><h2>Fell 2</h2><p>The Fell 2 weighs 1.9 kg and sleeps two.</p>
     <h2>Moor 4</h2><p>The Moor 4 weighs 4.2 kg and sleeps four.</p>`,
  ),
  '/contact.html': page('Contact', '<h1>Contact</h1><p>Write to help@larkfield.example.</p>'),
};

const orders: Readonly<Record<string, unknown>> = {
  'LF-10234': {
    orderNumber: 'LF-10234',
    status: 'shipped',
    carrier: 'Northmail',
    trackingUrl: 'https://northmail.example/LF10234',
    eta: '2031-04-02',
  },
};

export interface Shop {
  url: string;
  tools: ToolOptions[];
  /** Parameters of each tool call, in order. */
  calls: { tool: string; parameters: Record<string, unknown> }[];
  close(): Promise<void>;
}

export async function startShop(): Promise<Shop> {
  const calls: Shop['calls'] = [];
  const server = createServer((request, response) => {
    const answer = (status: number, type: string, body: string) =>
      response.writeHead(status, { 'content-type': type }).end(body);
    const path = request.url ?? '/';
    if (request.method === 'GET') {
      const html = shopPages[path];
      return html === undefined
        ? answer(404, 'text/plain', 'not found')
        : answer(200, 'text/html; charset=utf-8', html);
    }
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const { parameters } = JSON.parse(body) as { parameters: Record<string, string> };
      const tool = path.slice('/tools/'.length);
      calls.push({ tool, parameters });
      const result =
        tool === 'order_status'
          ? orders[parameters.orderNumber ?? '']
          : /fell 2/i.test(parameters.product ?? '')
            ? { product: 'Fell 2', inStock: true, quantity: 4 }
            : undefined;
      answer(
        result ? 200 : 404,
        'application/json',
        JSON.stringify(result ?? { error: 'Nothing of that name.' }),
      );
    });
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const tool = (name: string, parameter: string, approval: 'auto' | 'always'): ToolOptions => ({
    name,
    title: name,
    description: name,
    url: `${url}/tools/${name}`,
    approval,
    parameters: { type: 'object', properties: { [parameter]: { type: 'string' } }, required: [parameter] },
  });
  return {
    url,
    calls,
    tools: [tool('order_status', 'orderNumber', 'always'), tool('stock', 'product', 'auto')],
    async close() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}
