/** A host page, the built widget, and a helper that knows one answer: what the widget is measured against. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { marked } from 'marked';
import { createAnswer, toDeltas } from './answer.mjs';

const widgetFolder = fileURLToPath(new URL('../../../dist/widget/', import.meta.url));
const baselineFile = fileURLToPath(new URL('./baseline.js', import.meta.url));
const at = '2030-01-01T00:00:00.000Z';

const toPage = (body) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Host</title><body><h1>Host</h1>${body}</body></html>`;
const widgetPage = toPage(
  '<script async src="/bench/widget/loader.js" data-helper="/bench" data-bot-id="bench"></script>',
);
const baselinePage = toPage(
  `<style>#panel{position:fixed;right:20px;bottom:60px;width:400px;background:#fff;border:1px solid #ccc}#list{height:400px;width:380px;overflow:auto}</style>
<button id="launcher" style="position:fixed;right:20px;bottom:20px">Chat</button><script src="/bench/baseline.js"></script>`,
);
const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
const session = {
  session: `${encode({ alg: 'none' })}.${encode({ sub: 'anonymous:bench' })}.x`,
  expiresInSeconds: 3600,
  visitor: { kind: 'anonymous', member: false },
  agent: { name: 'Bench', placeholder: 'Ask', greetings: [], starters: [] },
  allowed: { reasoningModes: ['auto'], attachments: false, chatModes: ['ask'] },
};

/** @returns origin, close, and `prepare`: sets the next answer's size and pace, resolves once it has been sent */
export async function startBackend() {
  let bytes = 20_000;
  /** Deltas a second; 0 is as fast as they are taken. */
  let rate = 0;
  let onSent = () => {};

  async function streamAnswer(response, turnId, withHtml) {
    const answer = createAnswer(bytes);
    const deltas = toDeltas(answer);
    let id = 0;
    let isGone = false;
    const write = (kind, data) => {
      id += 1;
      return response.write(`id: ${id - 1}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`);
    };
    response.on('close', () => {
      isGone = true;
    });
    response.socket?.setNoDelay(true);
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    write('turn-started', { turnId, conversationId: 'c', at });
    const began = performance.now();
    let sent = 0;
    while (sent < deltas.length && !isGone) {
      const due = rate === 0 ? sent + 4 : Math.floor(((performance.now() - began) / 1000) * rate) + 1;
      let isTaken = true;
      for (; sent < Math.min(due, deltas.length); sent += 1)
        isTaken = write('text-delta', { text: deltas[sent] });
      if (!isTaken) await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
      else if (rate === 0) await new Promise(setImmediate);
      else await new Promise((resolve) => setTimeout(resolve, Math.min(5, 1000 / rate)));
    }
    const message = { id: `${turnId}.agent`, turnId, role: 'agent', text: answer, status: 'completed', at };
    if (withHtml) write('html', { html: marked.parse(answer) });
    else write('turn-completed', { message });
    response.end();
    onSent(deltas.length);
  }

  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url, 'http://bench');
    const reply = (type, body) => response.writeHead(200, { 'content-type': type }).end(body);
    request.resume();
    if (pathname === '/widget') return reply('text/html', widgetPage);
    if (pathname === '/baseline') return reply('text/html', baselinePage);
    if (pathname === '/bench/baseline.js') return reply('text/javascript', readFileSync(baselineFile));
    if (/^\/bench\/widget\/[\w.-]+\.js$/.test(pathname))
      return reply('text/javascript', readFileSync(widgetFolder + pathname.split('/').at(-1)));
    if (pathname === '/bench/session') return reply('application/json', JSON.stringify(session));
    if (request.method === 'PUT')
      return streamAnswer(response, pathname.split('/').at(-1), search === '?html');
    if (/^\/bench\/conversations\/[^/]+$/.test(pathname))
      return reply('application/json', JSON.stringify({ id: 'c', title: '', mode: 'ask', messages: [] }));
    response.writeHead(404).end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    prepare(options) {
      ({ bytes, rate } = options);
      return new Promise((resolve) => {
        onSent = resolve;
      });
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
