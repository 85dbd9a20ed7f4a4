/** What a customer writes: mounts the helper in the site's own server, and gives a page the token of who is signed in. */
import { createServer, type Server } from 'node:http';
import { createNodeHelper, type NodeHelper, tokenListener } from 'porchlight/node';
import { createSqliteStore } from 'porchlight/sqlite';
import { createShopSessions } from './customers.ts';
import { serveScene } from './gallery.ts';
import type { Inbox } from './inbox.ts';
import { servePage } from './pages.ts';
import { readBody, sendJson } from './reply.ts';
import { readStock } from './shop.ts';
import { tools } from './tools.ts';

export type BackendOptions = {
  agentUrl: string;
  apiKey: string;
  projectId: string;
  botId: string;
  ssoSecret: string;
  /** Of the owner's page. */
  adminPassword: string;
  /** File of the helper's records. */
  storeFile: string;
  inbox: Inbox;
};

export function createBackend(options: BackendOptions): { server: Server; helper: NodeHelper } {
  const { ssoSecret, storeFile, inbox, ...agent } = options;
  const helper = createNodeHelper({ ...agent, ssoSecret, tools, store: createSqliteStore(storeFile) });
  const sessions = createShopSessions();
  // The identity comes from the site's own session, never from the request's query or body.
  const giveToken = tokenListener(sessions.readCustomer, { secret: ssoSecret });

  const routes: Record<string, (body: unknown, request: Parameters<NodeHelper['listener']>[0]) => unknown> = {
    'POST /api/sign-in': (body) => sessions.signIn((body as { email?: unknown })?.email),
    'POST /api/sign-out': (_, request) => sessions.signOut(request),
    'GET /api/me': (_, request) => sessions.readMe(request),
    'GET /api/inbox': () => ({ mails: inbox.list() }),
    'POST /api/inbox': (body) => writeMail(inbox, body),
    'POST /api/tools/stock': (body) => readStock(readParameter(body, 'product')),
  };

  const server = createServer((request, response) => {
    helper.listener(request, response, async () => {
      const path = request.url?.split('?', 1)[0] ?? '/';
      if (path === '/api/chat-token') return giveToken(request, response);
      if (path.startsWith('/gallery/')) return serveScene(path, request, response);
      const route = routes[`${request.method} ${path}`];
      if (!route) return servePage(path, response, { botId: agent.botId, helper: helper.basePath });
      try {
        sendJson(response, await route(await readBody(request), request));
      } catch {
        sendJson(response, { error: 'The request could not be read.' }, 400);
      }
    });
  });
  return { server, helper };
}

async function writeMail(inbox: Inbox, body: unknown) {
  const { from, subject, text } = (body ?? {}) as Record<string, unknown>;
  try {
    await inbox.write({ from: String(from), subject: String(subject), text: String(text) });
    return { status: 202, body: { sent: true } };
  } catch {
    return { status: 502, body: { error: 'The agent did not take it.' } };
  }
}

function readParameter(body: unknown, name: string): string {
  const { parameters } = (body ?? {}) as { parameters?: Record<string, unknown> };
  return String(parameters?.[name] ?? '');
}
