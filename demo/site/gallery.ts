/** For `/gallery.html`: a helper that says what a scene tells it to, so that each state of the chat can be looked at. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Message, ProblemCode, Source, TurnEventData } from 'porchlight/protocol';
import { readBody, sendJson } from './reply.ts';

type Events = { [K in keyof TurnEventData]?: TurnEventData[K] };
type Scene = {
  title: string;
  /** What the visitor asks; without it the chat stays empty. */
  question?: string;
  /** What comes of it, one after the other. */
  events?: Events[];
  /** Nothing more comes, and the stream stays open. */
  isOpen?: true;
  /** The session is not given. */
  refusal?: { status: number; code: ProblemCode };
  language?: string;
  /** The list of conversations is shown. */
  list?: true;
  /** The visitor may choose how thoroughly the agent thinks. */
  modes?: true;
};

const answer = `The **Skylark 2** weighs *2.1 kg* and packs to 45 cm [1].

| part | weight |
| --- | --: |
| fly | 0.9 kg |
| inner | 0.8 kg |
| poles | 0.4 kg |

1. Lay the inner out flat.
2. Join the poles.

- [x] pegs are in the bag

> Let it dry before it is packed.

\`\`\`sh
curl https://shop.example/tents
\`\`\`
`;
const sources: Source[] = [
  { number: 1, id: 'tent', title: 'Skylark 2 tent', url: 'https://shop.example/tent.html', type: 'website' },
  { number: 2, id: 'care', title: 'Care guide', url: 'https://shop.example/care.html', type: 'website' },
];
const hour = 3_600_000;
const tool = {
  name: 'order_status',
  title: 'Order status',
  description: 'Looks an order up by its number.',
  parameters: { orderNumber: 'LF-10234' },
};
const pausedFor = (kind: 'approval' | 'question' | 'plan', more: object = {}): Events => ({
  'turn-paused': { kind, tool, expiresAt: new Date(Date.now() + hour).toISOString(), ...more },
});
const plan = {
  title: 'Tidy up the notes',
  steps: ['Read every note of this year', 'Write one page that holds them all', 'Delete what is told twice'],
};
const questions = [
  { question: 'Which of them?', options: ['Skylark 2', 'Fieldhouse 4'] },
  { question: 'When do you need it?', options: [] },
];
const failed = (code: ProblemCode, retryAfterMs?: number): Events => ({
  'turn-failed': { code, retryable: true, ...(retryAfterMs && { retryAfterMs }) },
});
const text = (words: string): Events => ({ 'text-delta': { text: words } });
const ended = (kind: 'turn-completed' | 'turn-stopped', words: string): Events => {
  const status = kind === 'turn-stopped' ? 'stopped' : 'completed';
  const message = { id: '', turnId: '', role: 'agent', text: words, status, at: new Date().toISOString() };
  return { [kind]: { message: message as Message } };
};

/** Made anew for each reply: what ends an hour from now does so from now. */
export const toScenes = (): Record<string, Scene> => ({
  empty: { title: 'Before the first question' },
  thinking: { title: 'Waiting for the first word', question: 'How heavy is it?', events: [], isOpen: true },
  working: {
    title: 'Thinking and using a tool',
    question: 'Where is my order?',
    events: [
      { 'reasoning-delta': { text: 'The order number is in the question, so the order can be looked up.' } },
      { tool: { id: '1', name: 'order_status', status: 'running', title: 'Order status' } },
    ],
    isOpen: true,
  },
  writing: { title: 'Being written', question: 'How heavy is it?', events: [text(answer)], isOpen: true },
  completed: {
    title: 'Answered, with its sources',
    question: 'How heavy is it?',
    events: [text(answer), { sources: { sources } }, ended('turn-completed', answer)],
  },
  arabic: {
    title: 'From right to left',
    question: 'كم يزن؟',
    events: [text('يزن 2.1 كغ.'), ended('turn-completed', 'يزن 2.1 كغ.')],
    language: 'ar',
  },
  approval: {
    title: 'May the agent do this?',
    question: 'Where is my order?',
    events: [pausedFor('approval')],
  },
  plan: {
    title: 'Is this plan right?',
    question: 'Tidy up the notes',
    events: [pausedFor('plan', { tool: { ...tool, parameters: plan } })],
    modes: true,
  },
  question: {
    title: 'The agent asks back',
    question: 'Which tent fits?',
    events: [pausedFor('question', { questions })],
  },
  stopped: {
    title: 'Stopped',
    question: 'How heavy is it?',
    events: [text('The Skylark 2 weighs'), ended('turn-stopped', 'The Skylark 2 weighs')],
  },
  'stopped-empty': {
    title: 'Stopped before the first word',
    question: 'How heavy is it?',
    events: [ended('turn-stopped', '')],
  },
  failed: {
    title: 'Broken off',
    question: 'How heavy is it?',
    events: [text('The Skylark 2'), failed('agent-unavailable')],
  },
  limited: { title: 'Too many questions', question: 'And now?', events: [failed('rate-limited', 55_000)] },
  refused: { title: 'Signed out', refusal: { status: 401, code: 'sign-in-required' } },
  origin: { title: 'On a site that is not listed', refusal: { status: 403, code: 'origin-refused' } },
  list: { title: 'All conversations', list: true },
  modes: { title: 'With a choice of how to answer', modes: true },
});

const toJwt = (claims: object) =>
  ['{}', JSON.stringify(claims), '{}'].map((part) => Buffer.from(part).toString('base64url')).join('.');

function openSession(ssoToken: unknown, { modes }: Scene): object {
  const [, claims = ''] = String(ssoToken).split('.');
  // A stage, on which everybody is who they say they are.
  const id = ssoToken && JSON.parse(Buffer.from(claims, 'base64url').toString()).external_id;
  return {
    session: toJwt({ sub: id ? `external:${id}` : 'anonymous:gallery' }),
    expiresInSeconds: 3600,
    visitor: { kind: id ? 'identified' : 'anonymous', member: modes === true },
    agent: {
      name: 'Juniper',
      placeholder: 'Ask anything',
      tagline: 'Answers from the pages of this shop',
      greetings: ['Hello. What would you like to know?'],
      starters: ['Which tents are in stock?', 'How do I return something?'],
    },
    allowed: {
      reasoningModes: modes ? ['auto', 'standard', 'agent'] : ['auto'],
      attachments: false,
      chatModes: modes ? ['ask', 'edit', 'plan'] : ['ask'],
    },
  };
}

/** The stream of a turn, until it ends or is left. */
function play(
  { events = [], isOpen }: Scene,
  conversationId: string,
  turnId: string,
  response: ServerResponse,
) {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  const all: Events[] = [
    { 'turn-started': { turnId, conversationId, at: new Date().toISOString() } },
    ...events,
  ];
  for (const [id, one] of all.entries())
    for (const [kind, data] of Object.entries(one))
      response.write(`id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`);
  if (!isOpen) return response.end();
  const beat = setInterval(() => response.write(': here\n\n'), 15_000);
  response.once('close', () => clearInterval(beat));
}

/** @param path from `/gallery/` on */
export async function serveScene(
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [, name = '', rest = ''] = /^\/gallery\/([\w-]+)(\/.*)$/.exec(path) ?? [];
  const scene = toScenes()[name];
  const refuse = (status: number, code: ProblemCode) =>
    sendJson(response, { status, body: { type: 'about:blank', title: code, status, code } });
  if (!scene) return refuse(404, 'not-found');
  const [, conversationId = '', turnId = ''] =
    /^\/conversations\/([\w-]+)\/turns\/([\w-]+)$/.exec(rest) ?? [];
  if (rest === '/session') {
    const { ssoToken } = ((await readBody(request)) ?? {}) as { ssoToken?: unknown };
    if (scene.refusal) return refuse(scene.refusal.status, scene.refusal.code);
    return sendJson(response, openSession(ssoToken, scene));
  }
  if (turnId && request.method === 'PUT') return void play(scene, conversationId, turnId, response);
  if (turnId && request.method === 'DELETE') return void response.writeHead(204).end();
  if (rest === '/conversations') {
    const titles = ['How heavy is the Skylark 2?', 'Return of a pair of boots', 'Shipping to Canada'];
    const conversations = titles.map((title, days) => ({
      id: `00000000-0000-4000-8000-00000000000${days}`,
      title,
      updatedAt: new Date(Date.now() - days * 24 * hour).toISOString(),
    }));
    return sendJson(response, { conversations });
  }
  return refuse(404, 'not-found');
}

/** The scenes, each in a chat of its own. */
export function toGallery(): string {
  const boxes = Object.entries(toScenes()).map(([name, { title, question, language, list }]) => {
    const asks = question ? ` data-question="${question}"` : '';
    const shows = list ? ' data-list' : '';
    return `<figure id="${name}"><figcaption>${title}</figcaption><porchlight-chat bot-id="juniper" helper="/gallery/${name}" language="${language ?? 'en'}" data-title="${title}"${asks}${shows}></porchlight-chat></figure>`;
  });
  return boxes.join('\n');
}
