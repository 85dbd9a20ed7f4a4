/** A site with customers, in each of the ways in which a site says who is there, and a helper that notes who asked what. */
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { allowedToAll } from './fakehelper.ts';
import type { createGate } from './gate.ts';

const bundle = new URL('../../dist/widget/', import.meta.url);
const turbo = new URL('../../node_modules/@hotwired/turbo/dist/turbo.es2017-umd.js', import.meta.url);
const agent = { name: 'Vesper', placeholder: 'Ask', greetings: ['Hello there.'], starters: [] };
type Turn = { turnId: string; text: string; answer: string };

const toJwt = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.e30`;
const readSub = (jwt: string) =>
  JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()) as Record<string, string>;

export type IdentitySite = Awaited<ReturnType<typeof startIdentitySite>>;

export async function startIdentitySite() {
  const asked: string[] = [];
  const sessions: string[] = [];
  const owners = new Map<string, { owner: string; turns: Turn[] }>();
  const merged = new Set<string>();
  const over = new Set<string>();
  let guests = 0;
  let tokens = 0;
  /** Tokens up to this one are too old. */
  let stale = 0;
  /** So many sessions were asked for and met a gate. */
  let atGate = 0;
  /** How the site is today. */
  const today = {
    isLimited: false,
    /** Its pages may be taken from the browser's cache, old tokens included. */
    isCached: false,
    /** By so much its clock is behind the browser's. */
    behindMs: 0,
    tokenIs: 'good' as 'good' | 'null' | 'refused' | 'broken',
    sessionGate: undefined as ReturnType<typeof createGate> | undefined,
    tokenGate: undefined as ReturnType<typeof createGate> | undefined,
  };

  const readUser = (request: IncomingMessage) => /user=(\w+)/.exec(request.headers.cookie ?? '')?.[1];
  const makeToken = (user: string | undefined) => {
    tokens += 1;
    const iat = Math.floor((Date.now() - today.behindMs) / 1000);
    return user === undefined ? undefined : toJwt({ email: `${user}@shop.example`, jti: tokens, iat });
  };
  const toHtml = (path: string, user: string | undefined, botId: string) => {
    const token = makeToken(user);
    const attribute = path === '/tag' && token ? `data-user-token="${token}"` : '';
    const scripts: Record<string, string> = {
      '/callback': `const ask = async () => (await (await fetch('/token')).json()).token;
        (window.Porchlight ||= []).push(['identify', ask]);`,
      '/call': `(window.Porchlight ||= []).push(['identify', ${JSON.stringify(token)}]);`,
    };
    const tag = `src="/porchlight/widget/loader.js" data-bot-id="${botId}"`;
    if (path.startsWith('/turbo')) {
      const user = token ? `data-user-token="${token}"` : '';
      const track = path.includes('tracked') ? 'data-turbo-track="reload"' : '';
      const said = path.includes('product') ? `data-metadata='{"product":"${path}"}'` : '';
      const one = `<script async ${tag} ${user} ${track} ${said}></script>`;
      const [inHead, inBody] = path.startsWith('/turbo-head') ? [one, ''] : ['', one];
      return `<!doctype html><html lang="en"><head><title>${path}</title><link rel="icon" href="data:,"><script src="/turbo.js"></script>${inHead}</head><body><h1>${path}</h1>${inBody}</body></html>`;
    }
    if (path === '/bare') return '<!doctype html><link rel="icon" href="data:,">';
    return `<!doctype html><html lang="en"><title>A page</title><link rel="icon" href="data:,"><script async ${tag} ${attribute}></script><script>${scripts[path] ?? ''}</script><body><input id="field">`;
  };
  const sendJson = (response: ServerResponse, body: object, status = 200) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const openSession = async (request: IncomingMessage, response: ServerResponse) => {
    const { ssoToken, session } = await readJson(request);
    if (today.sessionGate) atGate += 1;
    await today.sessionGate?.opened;
    const isStale = () => Number(readSub(ssoToken!).jti) <= stale;
    if (ssoToken !== undefined && (typeof ssoToken !== 'string' || today.tokenIs === 'refused' || isStale()))
      return sendJson(
        response,
        ssoToken === null ? { code: 'bad-request' } : { code: 'sso-token-expired' },
        ssoToken === null ? 400 : 401,
      );
    const guest = session && readSub(session).sub;
    let sub = ssoToken ? `email:${readSub(ssoToken).email}` : guest;
    if (ssoToken && guest && !merged.has(guest)) {
      merged.add(guest);
      for (const one of owners.values()) if (one.owner === guest) one.owner = sub!;
    }
    if (!ssoToken && (guest === undefined || merged.has(guest))) {
      guests += 1;
      sub = `anonymous:${guests}`;
    }
    sessions.push(sub!);
    const visitor = { kind: ssoToken ? 'identified' : 'anonymous', member: false };
    return sendJson(response, {
      session: toJwt({ sub, n: sessions.length }),
      expiresInSeconds: 3600,
      visitor,
      agent,
      allowed: allowedToAll,
    });
  };
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://site');
    const user = readUser(request);
    const file = /^\/porchlight\/widget\/([\w-]+\.js)$/.exec(pathname)?.[1];
    if (file && existsSync(new URL(file, bundle))) {
      response.writeHead(200, { 'content-type': 'text/javascript' });
      return response.end(readFileSync(new URL(file, bundle)));
    }
    // One makes the pages, another one pictures alone.
    if (pathname === '/worker.js' || pathname === '/picture-worker.js') {
      response.writeHead(200, { 'content-type': 'text/javascript' });
      return response.end(`addEventListener('install', () => skipWaiting());
        addEventListener('activate', (event) => event.waitUntil(clients.claim()));
        const makes = ${pathname === '/worker.js'};
        const make = async (asked) => new Response(await (await fetch(asked)).text(), { headers: { 'content-type': 'text/html' } });
        addEventListener('fetch', (event) => makes && event.request.mode === 'navigate' && event.respondWith(make(event.request)));`);
    }
    if (pathname === '/turbo.js') {
      response.writeHead(200, { 'content-type': 'text/javascript' });
      return response.end(readFileSync(turbo));
    }
    if (pathname === '/token') {
      await today.tokenGate?.opened;
      if (today.tokenIs === 'broken') return response.writeHead(500).end('no JSON');
      return sendJson(response, { token: today.tokenIs === 'null' ? null : (makeToken(user) ?? null) });
    }
    if (pathname === '/sign') {
      const as = searchParams.get('as');
      response.setHeader('set-cookie', as ? `user=${as}; Path=/` : 'user=; Path=/; Max-Age=0');
      return response.end(makeToken(as ?? undefined));
    }
    if (!pathname.startsWith('/porchlight/')) {
      const cached = today.isCached ? 'private, max-age=600' : 'no-cache';
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': cached });
      return response.end(toHtml(pathname, user, searchParams.get('bot') ?? 'vesper'));
    }
    if (pathname === '/porchlight/session') return openSession(request, response);
    const session = request.headers.authorization?.slice(7) ?? '';
    if (over.has(session)) return sendJson(response, { code: 'session-expired' }, 401);
    const subject = readSub(session).sub!;
    const [, id = '', turnId] = /\/conversations\/([\w-]+)(?:\/turns\/([\w-]+))?$/.exec(pathname) ?? [];
    const known = owners.get(id);
    if (known && known.owner !== subject) return sendJson(response, { code: 'not-found' }, 404);
    if (request.method === 'PUT' && turnId) {
      const { text } = await readJson(request);
      if (today.isLimited) return sendJson(response, { code: 'rate-limited', retryAfterMs: 1 }, 429);
      asked.push(`${subject}: ${text}`);
      const answer = `An answer to ${text}, for ${subject}.`;
      owners.set(id, { owner: subject, turns: [...(known?.turns ?? []), { turnId, text: text!, answer }] });
      const message = {
        id: `${turnId}.agent`,
        turnId,
        role: 'agent',
        text: answer,
        status: 'completed',
        at: '',
      };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(
        `id: 0\nevent: turn-started\ndata: ${JSON.stringify({ turnId, conversationId: id, at: '' })}\n\n`,
      );
      return response.end(`id: 1\nevent: turn-completed\ndata: ${JSON.stringify({ message })}\n\n`);
    }
    if (pathname.endsWith('/conversations')) return sendJson(response, { conversations: [] });
    if (!known) return sendJson(response, { code: 'not-found' }, 404);
    const messages = known.turns.flatMap(({ turnId: of, text, answer }) => [
      { id: of, turnId: of, role: 'visitor', text, status: 'completed', at: '' },
      { id: `${of}.agent`, turnId: of, role: 'agent', text: answer, status: 'completed', at: '' },
    ]);
    return sendJson(response, { id, title: '', mode: 'ask', messages });
  };
  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    asked,
    sessions,
    today,
    get atGate() {
      return atGate;
    },
    /** All tokens that were given until now are too old. */
    endTokens: () => {
      stale = tokens;
    },
    /** A helper with a new store does not know the guests of before. */
    forgetGuests: () => {
      for (let n = 1; n <= guests; n += 1) merged.add(`anonymous:${n}`);
    },
    /** The hour of every session so far is over. */
    endHour: () => {
      for (let n = 1; n <= sessions.length; n += 1) over.add(toJwt({ sub: sessions[n - 1], n }));
    },
    reset() {
      Object.assign(today, {
        isLimited: false,
        behindMs: 0,
        isCached: false,
        tokenIs: 'good',
        sessionGate: undefined,
        tokenGate: undefined,
      });
      for (const list of [asked, sessions]) list.length = 0;
      over.clear();
      merged.clear();
      guests = 0;
      stale = 0;
      atGate = 0;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Signs in, or out, on the page's server, and gives the token a page would be given. */
export function sign(page: Page, as?: string): Promise<string> {
  return page.evaluate(async (who) => (await fetch(`/sign${who ? `?as=${who}` : ''}`)).text(), as);
}

/** Counts each change and each frame in which the word can be seen. */
export function watchFor(page: Page, word: string): Promise<void> {
  return page.evaluate((wanted) => {
    const scope = window as unknown as { seen: number };
    const root = document.querySelector('porchlight-chat')!.shadowRoot!;
    scope.seen = 0;
    const look = (isFrame = false) => {
      // A tab in the background is seen by nobody.
      if (document.hidden) return;
      const isVeiled = root.querySelector('.app')?.classList.contains('veiled');
      const drafts = [...root.querySelectorAll('textarea')].map(({ value }) => value);
      // A veil hides the messages: what is typed and what is read out it does not.
      const shown = isVeiled ? root.querySelector('[part="announcer"]')?.textContent : root.textContent;
      // Drawn with the next frame.
      if (isVeiled && !isFrame) return;
      if (`${shown} ${drafts}`.includes(wanted)) scope.seen += 1;
    };
    new MutationObserver(() => look()).observe(root, {
      subtree: true,
      childList: true,
      characterData: true,
      attributes: true,
    });
    const onFrame = () => {
      look(true);
      requestAnimationFrame(onFrame);
    };
    onFrame();
  }, word);
}

export function readSeen(page: Page): Promise<number> {
  return page.evaluate(() => (window as unknown as { seen: number }).seen);
}

/** The tab is left or seen again, as the browser tells its page. */
export async function showTab(page: Page, isSeen: boolean): Promise<void> {
  await page.evaluate((seen) => {
    Object.defineProperty(document, 'hidden', { value: !seen, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, isSeen);
}

async function readJson(request: IncomingMessage): Promise<Record<string, string | undefined>> {
  let text = '';
  for await (const part of request.setEncoding('utf8')) text += part;
  return JSON.parse(text);
}
