/** Whom an agent's webhooks reach: keeps what comes, and answers as it is told to. */
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  at: number;
  method: string;
  path: string;
  headers: Record<string, unknown>;
  raw: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read many shapes and assert on each.
  body: any;
}

export async function startReceiver(port = 0) {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  /** What the next calls are answered with; after the last, 204. */
  const statuses: number[] = [];
  /** Until it is over nothing is answered. */
  const hold: { held?: Promise<void> | undefined } = {};
  const server = createServer((request, response) => {
    let raw = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      raw += chunk;
    });
    request.on('end', async () => {
      const { method = '', url: path = '', headers } = request;
      received.push({
        at: Date.now(),
        method,
        path,
        headers,
        raw,
        body: raw === '' ? undefined : JSON.parse(raw),
      });
      for (const look of waiting) look();
      await hold.held;
      const status = statuses.shift() ?? 204;
      response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const own = (server.address() as AddressInfo).port;
  return Object.assign(hold, {
    url: `http://127.0.0.1:${own}/hook`,
    port: own,
    received,
    statuses,
    /** Resolves when so many have come. */
    count(wanted: number): Promise<Received[]> {
      return new Promise((resolve) => {
        const look = () => {
          if (received.length < wanted) return;
          waiting.delete(look);
          resolve(received);
        };
        waiting.add(look);
        look();
      });
    },
    close() {
      server.closeAllConnections();
      return new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  });
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

export function signatureOf(raw: string, secret: string): string {
  return createHmac('sha256', secret).update(raw).digest('hex');
}
