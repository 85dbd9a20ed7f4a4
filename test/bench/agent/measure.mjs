/** The agent service at size: how long a search and the first frame of a chat take, and how a site is read. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { headers, ids, listen, median, p99, startAgent, timed } from './process.mjs';
import { measureStatistics } from './statistics.mjs';
import { measureTools } from './tools.mjs';

const words = 'river stone tent lamp wool rope map boat wheel bread salt glass cedar fox hill clock'.split(
  ' ',
);

const toText = (number) =>
  Array.from({ length: 6 }, (_, at) => {
    const said = Array.from(
      { length: 12 },
      (__, word) => words[(number * 7 + at * 5 + word * word) % words.length],
    );
    return `# Part ${number}-${at}\n\nNumber ${number * 10 + at}: ${said.join(' ')}.`;
  }).join('\n\n');

/** Until the first frame. */
async function startChat({ url }, message) {
  const response = await fetch(`${url}/v1/bot/chat`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ ...ids, message, stream: true }),
  });
  const reader = response.body.getReader();
  await reader.read();
  return () => reader.cancel();
}

async function look(agent, tries) {
  const search = [];
  const chat = [];
  for (let at = 0; at < tries; at += 1) {
    const asked = `${words[at % words.length]} ${words[(at * 3 + 1) % words.length]}`;
    search.push(await timed(() => agent.call('POST', '/v1/bot/search', { keywords: asked })));
    let end;
    chat.push(
      await timed(async () => {
        end = await startChat(agent, `Tell me about the ${asked}`);
      }),
    );
    await end();
  }
  return { searchMs: median(search), searchP99Ms: p99(search), chatMs: median(chat), chatP99Ms: p99(chat) };
}

async function readSite(agent, pages) {
  const site = createServer((request, response) => {
    const number = Number(request.url.slice(1)) || 0;
    const links = [1, 2, 3].map((step) => `<a href="/${(number * 3 + step) % pages}">next</a>`).join(' ');
    response.writeHead(request.url === '/robots.txt' ? 404 : 200, { 'content-type': 'text/html' });
    response.end(
      `<title>Page ${number}</title><main><h1>Page ${number}</h1><p>${toText(number)}</p>${links}</main>`,
    );
  });
  const source = `http://127.0.0.1:${await listen(site)}/`;
  let told = 0;
  let read;
  const ms = await timed(async () => {
    const made = await agent.call('POST', '/v1/bot/source/create', { type: 'website', source });
    for (;;) {
      const query = new URLSearchParams({ ...ids, source_id: made.source.uuid });
      const response = await fetch(`${agent.url}/v1/bot/source/read?${query}`, { headers });
      read = (await response.json()).source;
      if (read.status !== 'processing') return;
      if (read.pages_read > 0) told += 1;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  });
  site.closeAllConnections();
  site.close();
  if (read.status !== 'success') throw new Error(`The site was not read: ${read.error}`);
  return { pages: read.links.length, ms, told };
}

/** Chats that begin while so many webhooks are delivered, beside the same chats without. */
async function drain(webhooks) {
  const folder = mkdtempSync(join(tmpdir(), 'porchlight-agent-drain-'));
  const receiver = createServer((request, response) => request.resume().on('end', () => response.end()));
  const target = `http://127.0.0.1:${await listen(receiver)}/`;
  const more = { AGENT_WEBHOOK_URL: target, AGENT_WEBHOOK_SECRET: 'secret' };
  let agent = await startAgent(folder, more);
  const ask = async (isOver) => {
    const times = [];
    while (!isOver(times.length)) {
      let end;
      times.push(
        await timed(async () => {
          end = await startChat(agent, 'Hello');
        }),
      );
      await end();
    }
    return times;
  };
  await ask((count) => count === 200);
  const without = await ask((count) => count === 500);
  await agent.stop();
  const db = new Database(join(folder, 'agent.db'));
  const add = db.prepare(
    "INSERT INTO deliveries (uuid, project_id, event, url, body, next_attempt_at, created_at) VALUES (?, 'p', 'memory.created', ?, ?, ?, ?)",
  );
  db.transaction(() => {
    const body = JSON.stringify({
      event: 'memory.created',
      resource_id: 'x',
      name: 'y',
      email: null,
      bot: ids,
    });
    for (let at = 0; at < webhooks; at += 1) add.run(`delivery-${at}`, target, body, Date.now(), Date.now());
  })();
  const isOpen = db.prepare("SELECT 1 AS one FROM deliveries WHERE status = 'pending' LIMIT 1");
  agent = await startAgent(folder, more);
  let beside;
  const ms = await timed(async () => {
    beside = await ask(() => !isOpen.get());
  });
  db.close();
  await agent.stop();
  receiver.closeAllConnections();
  receiver.close();
  rmSync(folder, { recursive: true });
  return { webhooks, ms, chats: beside.length, p99Ms: p99(beside), p99WithoutMs: p99(without) };
}

/** @param levels pairs of how many sources and how many chats, growing */
export async function measureAgent({ levels, pages, tries, webhooks, messages, files, log }) {
  const folder = mkdtempSync(join(tmpdir(), 'porchlight-agent-bench-'));
  const agent = await startAgent(folder);
  const rows = [];
  const have = { sources: 0, chats: 0 };
  for (const [sources, chats] of levels) {
    for (; have.sources < sources; have.sources += 1)
      await agent.call('POST', '/v1/bot/source/create', { type: 'text', source: toText(have.sources) });
    for (; have.chats < chats; have.chats += 10)
      await Promise.all(
        Array.from({ length: 10 }, () => agent.call('POST', '/v1/bot/chat', { message: 'Hello' })),
      );
    const row = { sources, chats, ...(await look(agent, tries)) };
    rows.push(row);
    log(`agent: ${JSON.stringify(row)}`);
  }
  const crawl = await readSite(agent, pages);
  log(`agent: ${JSON.stringify(crawl)}`);
  await agent.stop();
  rmSync(folder, { recursive: true });
  const drained = await drain(webhooks);
  log(`agent: ${JSON.stringify(drained)}`);
  const statistics = await measureStatistics(messages);
  log(`agent: ${JSON.stringify(statistics)}`);
  const tools = await measureTools(files);
  log(`agent: ${JSON.stringify(tools)}`);
  return { rows, crawl, drained, statistics, tools };
}
