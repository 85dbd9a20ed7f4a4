/** The least a relay on Node does: undici in, node:http out, nothing read, nothing kept. A yardstick, no helper. */
import { createServer } from 'node:http';
import { Agent, request } from 'undici';

const dispatcher = new Agent({ connections: null, bodyTimeout: 0, headersTimeout: 0 });
const agentUrl = `http://127.0.0.1:${process.env.UPSTREAM_PORT}`;

createServer(async (incoming, outgoing) => {
  const { statusCode, headers, body } = await request(agentUrl + incoming.url, {
    dispatcher,
    method: incoming.method,
    headers: { 'content-type': 'application/json' },
    body: incoming,
  });
  outgoing.writeHead(statusCode, { 'content-type': headers['content-type'] });
  outgoing.flushHeaders();
  outgoing.on('close', () => body.destroy());
  body.on('error', () => {}).pipe(outgoing);
}).listen(Number(process.env.PORT), '127.0.0.1', 4096);
