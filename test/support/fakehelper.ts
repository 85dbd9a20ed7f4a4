/** A helper whose answers a test makes up: it speaks the wire, serves the built widget, and notes what it is asked. */
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  Message,
  Source,
  TurnEventData,
  TurnEventKind,
  TurnRequest,
} from '../../server-helper/protocol/wire.ts';
import { requireBuild } from './browser.ts';

/** What is said, in pieces, and how it ends. */
export type FakeAnswer = {
  pieces: readonly string[];
  sources?: Source[];
  /** Default `completed`. */
  end?: { failed: TurnEventData['turn-failed'] } | { paused: TurnEventData['turn-paused'] };
};

export type FakePage = { html: string; headers?: Record<string, string> };

export type FakeHelperOptions = {
  /** @param times how many turns asked this before */
  answer: (question: string, times: number) => FakeAnswer;
  /** Pages beside the helper, by path. */
  pages: (path: string, helper: string) => FakePage | undefined;
  /** Milliseconds before each piece but the first. Default 0. */
  betweenMs?: number;
  /** Waited for before each piece but the first, in place of `betweenMs`. */
  beforePiece?: (index: number) => Promise<void>;
  /** Milliseconds between the end of a turn and that of its stream. Default 0. */
  closingMs?: number;
  /** Messages that history gives at a time. Default all. */
  pageSize?: number;
  /** What the agent offers to be asked. Default nothing. */
  starters?: string[];
  /** Which the visitor may choose, asked at each session. Default `auto` alone. */
  reasoningModes?: () => string[];
  /** What of an agent the visitor may let it do, asked at each session. Default `ask` alone. */
  chatModes?: () => string[];
};

type FakeTurn = {
  mode: TurnRequest['mode'];
  id: string;
  question: string;
  messages: Message[];
  events: string;
  /** Adds an event, to be read with those before it. */
  say: (event: TurnEventKind, data: object) => void;
};

const base = '/porchlight';
const bundle = new URL('../../dist/widget/', import.meta.url);
/** What a helper allows a visitor where its site has chosen nothing. */
export const allowedToAll = { reasoningModes: ['auto'], attachments: false, chatModes: ['ask'] };

/** What opening a session gives to who is signed in. */
export const toSignedIn = (session: string, placeholder = 'Ask') => ({
  session,
  expiresInSeconds: 3600,
  visitor: { kind: 'identified', member: false },
  agent: { name: 'Vesper', placeholder, greetings: [], starters: [] },
  allowed: allowedToAll,
});

const profile = {
  expiresInSeconds: 3600,
  visitor: { kind: 'anonymous', member: false },
  agent: { name: 'Vesper', placeholder: 'Ask anything', greetings: ['Hello.'], starters: [] },
  allowed: allowedToAll,
};

export async function startFakeHelper({
  answer,
  pages,
  betweenMs = 0,
  beforePiece = () => (betweenMs > 0 ? sleep(betweenMs) : Promise.resolve()),
  closingMs = 0,
  pageSize = Number.POSITIVE_INFINITY,
  starters = [],
  reasoningModes = () => ['auto'],
  chatModes = () => ['ask'],
}: FakeHelperOptions) {
  requireBuild();
  const requests: string[] = [];
  const conversations = new Map<string, FakeTurn[]>();
  const asked: string[] = [];

  const put = async (id: string, turnId: string, request: IncomingMessage, response: ServerResponse) => {
    const { text, replaces, mode } = (await readJson(request)) as TurnRequest;
    const turns = conversations.get(id) ?? [];
    conversations.set(id, turns);
    const known = turns.find((turn) => turn.id === turnId);
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
    });
    if (known) return response.end(known.events);
    if (replaces !== undefined) turns.splice(turns.findIndex((turn) => turn.id === replaces));
    const { pieces, sources = [], end } = answer(text, asked.filter((one) => one === text).length);
    asked.push(text);
    const at = new Date().toISOString();
    const said = pieces.join('');
    const question: Message = { id: turnId, turnId, role: 'visitor', text, status: 'completed', at };
    const reply: Message = { ...question, id: `${turnId}.agent`, role: 'agent', text: said, sources };
    if (end && 'failed' in end) Object.assign(reply, { status: 'failed', code: end.failed.code });
    let number = 0;
    const say: FakeTurn['say'] = (event, data) => {
      const frame = `id: ${number}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
      number += 1;
      turn.events += frame;
      if (!response.writableEnded) response.write(frame);
    };
    const messages = [question, reply];
    const turn: FakeTurn = { id: turnId, question: text, mode, messages, events: '', say };
    turns.push(turn);
    say('turn-started', { turnId, conversationId: id, at });
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) await beforePiece(index);
      say('text-delta', { text: piece });
    }
    if (end && 'failed' in end) say('turn-failed', end.failed);
    else if (end) say('turn-paused', end.paused);
    else say('turn-completed', { message: reply });
    if (closingMs > 0) await sleep(closingMs);
    response.end();
  };

  const listed = () =>
    [...conversations].map(([id, turns]) => ({
      id,
      title: turns[0]!.question,
      updatedAt: turns.at(-1)!.messages[0]!.at,
    }));

  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url!.split('?', 1)[0]!;
    requests.push(`${request.method} ${path}`);
    const page = pages(path, url);
    if (page) {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...page.headers });
      return response.end(page.html);
    }
    response.setHeader('access-control-allow-origin', '*');
    if (request.method === 'OPTIONS')
      return response
        .writeHead(204, {
          'access-control-allow-headers': 'authorization, content-type, last-event-id',
          'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
        })
        .end();
    const file = new RegExp(`^${base}/widget/([\\w-]+\\.js)$`).exec(path)?.[1];
    if (file && existsSync(new URL(file, bundle))) {
      response.writeHead(200, { 'content-type': 'text/javascript; charset=utf-8' });
      return response.end(readFileSync(new URL(file, bundle)));
    }
    const [id = '', turnId] =
      /\/conversations\/([\w-]+)(?:\/turns\/([\w-]+)(?:\/decision)?)?$/.exec(path)?.slice(1) ?? [];
    if (path === `${base}/session`)
      return sendJson(response, {
        session: toSession(),
        ...profile,
        allowed: { ...profile.allowed, reasoningModes: reasoningModes(), chatModes: chatModes() },
        agent: { ...profile.agent, starters },
      });
    if (request.method === 'PUT' && turnId) return put(id, turnId, request, response);
    if (path === `${base}/conversations`) return sendJson(response, { conversations: listed() });
    const turns = conversations.get(id);
    const turn = turns?.find((one) => one.id === turnId);
    if (request.method === 'GET' && turns && !turnId)
      return sendJson(response, toConversation(id, turns, request.url!, pageSize));
    if (request.method === 'DELETE' && turns && !turnId) {
      conversations.delete(id);
      return response.writeHead(204).end();
    }
    if (request.method === 'DELETE' && turn && !path.endsWith('decision')) {
      turn.say('turn-stopped', { message: { ...turn.messages[1], status: 'stopped' } });
      return response.writeHead(204).end();
    }
    if (request.method === 'GET' && turn) {
      response.writeHead(200, {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store, no-transform',
      });
      return response.end(turn.events);
    }
    const decided = turns?.find((one) => path.endsWith(`/${one.id}/decision`));
    if (decided) {
      decided.say('turn-completed', { message: { ...decided.messages[1], text: 'Decided.' } });
      return response.writeHead(202).end();
    }
    return sendJson(response, { status: 404, code: 'not-found' }, 404);
  };

  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}${base}`;
  return {
    /** Base URL of the helper. */
    url,
    /** The same server under another name: to a browser, another origin. */
    elsewhere: `http://shop.localhost:${port}`,
    here: `http://127.0.0.1:${port}`,
    requests: requests as readonly string[],
    asked: asked as readonly string[],
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type FakeHelper = Awaited<ReturnType<typeof startFakeHelper>>;

/** A page that holds nothing but the tag. */
export function toPage(helper: string, style = 'normal', attributes = ''): string {
  const tag = `<script async src="${helper}/widget/loader.js" data-bot-id="vesper" data-open-style="${style}" ${attributes}></script>`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,"><title>A page</title>${tag}</head><body><main><h1>A page</h1><p>Words of the page.</p></main></body></html>`;
}

/** The widget reads the subject of its session and leaves the rest to the helper. */
function toSession(): string {
  const claims = Buffer.from(JSON.stringify({ sub: 'anonymous:one' })).toString('base64url');
  return `${claims}.${claims}.${claims}`;
}

/** The newest page, or the one before where the cursor stands. */
function toConversation(id: string, turns: FakeTurn[], url: string, pageSize: number) {
  // A turn that waits tells its answer itself.
  const waits = turns.find(({ events }) => /event: turn-paused\n(?!.*event: )/s.test(events));
  const all = turns.flatMap((one) => (one === waits ? one.messages.slice(0, 1) : one.messages));
  const live = waits ? { liveTurn: { turnId: waits.id } } : {};
  const to = Number(new URL(url, 'http://x').searchParams.get('cursor') ?? all.length);
  const from = Math.max(0, to - pageSize);
  const mode = turns.findLast((one) => one.mode)?.mode ?? 'ask';
  const page = { id, title: '', mode, messages: all.slice(from, to), ...live };
  return from > 0 ? { ...page, next: String(from) } : page;
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const part of request.setEncoding('utf8')) text += part;
  return JSON.parse(text);
}

function sendJson(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
