/** A paced agent: answers the calls the helper makes, and streams what the question's own text asks for. */
// The question is JSON {n, hz, hold, frag}: n deltas, hz a second (0: as fast as taken), hold ms of silence after
// them, frag: in pieces of 1 to 50 bytes. Each delta's text begins with ~t~, t = when it was sent.
import { createServer } from 'node:http';
import { nowUs } from '../machine.mjs';
import { toDeltaText } from './text.mjs';

const silenceMs = 15_000;
const variants = 64;
const texts = Array.from({ length: variants }, (_, index) => JSON.stringify(toDeltaText(index)).slice(1, -1));
const toFrame = (at, index) => `event: delta\ndata: {"text":"~${at}~${texts[index % variants]}"}\n\n`;
const done = 'event: done\ndata: {"chat":{"agent":{"uuid":"00000000-0000-4000-8000-000000000001"}}}\n\n';

// One tick of a millisecond walks a ring, so that many streams cost one timer.
const ring = Array.from({ length: 4096 }, () => []);
let ringAt = Math.floor(nowUs() / 1000);
function schedule(fire, dueMs) {
  ring[Math.max(ringAt + 1, Math.round(dueMs)) % ring.length].push(fire);
}
setInterval(() => {
  const now = Math.floor(nowUs() / 1000);
  for (; ringAt <= now; ringAt += 1) {
    const slot = ringAt % ring.length;
    const due = ring[slot];
    if (due.length === 0) continue;
    ring[slot] = [];
    for (const fire of due) fire();
  }
}, 1);

const silent = new Set();
setInterval(() => {
  for (const response of silent) response.write(': ping\n\n');
}, silenceMs);

function stream(response, { n = 50, hz = 0, hold = 0, frag = false }) {
  let sent = 0;
  let isGone = false;
  response.on('close', () => {
    isGone = true;
    silent.delete(response);
  });
  const end = () => {
    if (hold === 0) return response.end(done);
    silent.add(response);
    setTimeout(() => response.end(done), hold).unref();
  };
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
  });
  if (frag) return writePieces(response, n);
  if (hz === 0) {
    const pump = () => {
      while (!isGone && sent < n) {
        let block = '';
        for (const last = Math.min(n, sent + 256); sent < last; sent += 1) block += toFrame(0, sent);
        if (!response.write(block)) return response.once('drain', pump);
      }
      if (!isGone) end();
    };
    return pump();
  }
  const step = 1000 / hz;
  let next = nowUs() / 1000 + (Math.random() - 0.5) * step;
  const fire = () => {
    if (isGone) return;
    response.write(toFrame(nowUs(), sent));
    sent += 1;
    if (sent >= n) return end();
    next += step;
    schedule(fire, next);
  };
  fire();
}

function writePieces(response, n) {
  let text = '';
  for (let index = 0; index < n; index += 1) text += toFrame(nowUs(), index);
  const bytes = Buffer.from(text + done);
  let at = 0;
  let random = 12345;
  const next = () => {
    if (at >= bytes.length) return response.end();
    random = (Math.imul(random, 1103515245) + 12345) & 0x7fffffff;
    const size = 1 + ((random >> 8) % 50);
    response.write(bytes.subarray(at, at + size));
    at += size;
    setImmediate(next);
  };
  next();
}

const replies = {
  '/v1/bot/workspace/create': { workspace: { uuid: '00000000-0000-4000-8000-000000000002' } },
  '/v1/bot/read': { bot: { name: 'Bench', branding: {} } },
  '/v1/bot/chat/read': { total: 0, conversation: [] },
  '/v1/bot/chat/stream-status': { streaming: false },
  '/v1/bot/chat/cancel': { success: true },
};

const server = createServer({ requestTimeout: 0 }, (request, response) => {
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    const path = request.url.split('?')[0];
    if (path === '/v1/bot/chat') {
      const { message } = JSON.parse(Buffer.concat(parts).toString());
      return stream(response, JSON.parse(message));
    }
    const reply = replies[path];
    response.writeHead(reply ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(reply ?? { error: { message: 'Not found', code: 'not_found' } }));
  });
});
server.keepAliveTimeout = 60_000;
server.on('connection', (socket) => socket.setNoDelay(true));
server.listen(Number(process.env.PORT), '127.0.0.1', 16_384);
