/**
 * `npm run chaos -- --agent`: the agent service under a mixed load, ended with -9 at random moments. What it acknowledged
 * is there after each start, the file is whole, and no counter went back. Fails when one of these does not hold.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'libsql';

const entry = fileURLToPath(new URL('../../dist/demo/agent.js', import.meta.url));
const mostAliveMs = 700;
const workers = 6;

const findPort = () =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });

/** @param kills how often @returns what went wrong, one line each */
export async function killAgent(kills) {
  const folder = mkdtempSync(join(tmpdir(), 'porchlight-agent-chaos-'));
  const file = join(folder, 'agent.db');
  const port = await findPort();
  const base = `http://127.0.0.1:${port}`;
  const ids = { project_id: 'p', bot_id: 'b' };
  const faults = [];
  /** What the service said that it has done. */
  const kept = { chats: new Map(), sources: new Set(), deleted: new Set(), keys: new Set(), name: undefined };
  const counts = { requests: 0, acknowledged: 0 };
  let isNaming = false;
  const env = {
    ...process.env,
    AGENT_DB: file,
    AGENT_API_KEY: 'owner-key',
    AGENT_PROJECT_ID: 'p',
    AGENT_BOT_ID: 'b',
    AGENT_WORDS_PER_SECOND: '0',
    PROVIDER_HOST: '',
    PORT: String(port),
  };

  const call = async (method, path, body) => {
    const query = body ? '' : `?${new URLSearchParams(ids)}`;
    const response = await fetch(`${base}${path}${query}`, {
      method,
      headers: { authorization: 'Bearer owner-key', 'content-type': 'application/json' },
      body: body ? JSON.stringify({ ...ids, ...body }) : undefined,
      signal: AbortSignal.timeout(10_000),
    });
    const json = await response.json();
    counts.requests += 1;
    if (!response.ok) throw new Error(`${response.status} to ${path}`);
    counts.acknowledged += 1;
    return json;
  };
  const acts = [
    async () => {
      const chat_id = randomUUID();
      const { chat } = await call('POST', '/v1/bot/chat', { message: 'Hello', chat_id });
      kept.chats.set(chat_id, chat.agent.uuid);
    },
    async () => {
      const { source } = await call('POST', '/v1/bot/source/create', {
        type: 'text',
        source: 'A yak climbs.',
      });
      kept.sources.add(source.uuid);
    },
    async () => {
      const [source_id] = kept.sources;
      if (!source_id) return;
      kept.sources.delete(source_id);
      const query = new URLSearchParams({ ...ids, source_id });
      const response = await fetch(`${base}/v1/bot/source/delete?${query}`, {
        method: 'DELETE',
        headers: { authorization: 'Bearer owner-key' },
      });
      await response.text();
      counts.requests += 1;
      if (response.ok) kept.deleted.add(source_id);
    },
    async () => {
      const { data } = await call('POST', '/v1/keys', { role: 'member' });
      kept.keys.add(data.id);
    },
    async () => {
      if (isNaming) return;
      isNaming = true;
      const name = `Agent ${randomUUID()}`;
      // Not acknowledged, it may be done or not.
      kept.name = undefined;
      await call('PUT', '/v1/bot/update', { name }).finally(() => {
        isNaming = false;
      });
      kept.name = name;
    },
  ];

  let lastCount = 0;
  const check = (round) => {
    const db = new Database(file);
    const read = (sql, ...values) => db.prepare(sql).get(...values);
    const fault = (what) => faults.push(`after kill ${round}: ${what}`);
    const { integrity_check: whole } = read('PRAGMA integrity_check');
    if (whole !== 'ok') fault(`the file is not whole: ${whole}`);
    for (const [chatId, messageId] of kept.chats)
      if (
        !read(
          'SELECT 1 AS one FROM messages JOIN chats ON chats.id = chat WHERE chat_id = ? AND messages.uuid = ?',
          chatId,
          messageId,
        )
      )
        fault(`the answer of ${chatId} is lost`);
    for (const uuid of kept.sources)
      if (!read('SELECT 1 AS one FROM sources WHERE uuid = ?', uuid)) fault(`source ${uuid} is lost`);
    for (const uuid of kept.deleted)
      if (read('SELECT 1 AS one FROM sources WHERE uuid = ?', uuid)) fault(`source ${uuid} is back`);
    for (const id of kept.keys)
      if (!read('SELECT 1 AS one FROM keys WHERE id = ?', id)) fault(`key ${id} is lost`);
    const { count } = read('SELECT sum(day_count) AS count FROM keys');
    // At midnight UTC the day's count begins anew.
    if (count < Math.max(lastCount, counts.acknowledged) && new Date().getUTCHours() > 0)
      fault(`${count} requests are counted, ${counts.acknowledged} were acknowledged`);
    lastCount = count;
    const { loose } = read(
      'SELECT count(*) AS loose FROM passages WHERE source NOT IN (SELECT id FROM sources)',
    );
    if (loose > 0) fault(`${loose} passages belong to no source`);
    db.close();
  };

  for (let round = 1; round <= kills; round += 1) {
    const agent = spawn(process.execPath, [entry], { env, stdio: 'ignore' });
    const gone = new Promise((resolve) => agent.once('exit', resolve));
    let isReady = false;
    for (let tries = 0; tries < 200 && !isReady; tries += 1) {
      isReady = await fetch(`${base}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (!isReady) await new Promise((resolve) => setTimeout(resolve, 50));
    }
    if (!isReady) {
      faults.push(`after kill ${round - 1}: it does not start`);
      agent.kill('SIGKILL');
      break;
    }
    if (kept.name !== undefined) {
      const { bot } = await call('GET', '/v1/bot/read');
      if (bot.name !== kept.name)
        faults.push(`after kill ${round - 1}: the agent is called ${bot.name}, not ${kept.name}`);
    }
    let isOver = false;
    const work = async (number) => {
      for (let turn = number; !isOver; turn += 1) await acts[turn % acts.length]().catch(() => {});
    };
    const working = Array.from({ length: workers }, (_, number) => work(number));
    await new Promise((resolve) => setTimeout(resolve, Math.random() * mostAliveMs));
    agent.kill('SIGKILL');
    isOver = true;
    await gone;
    await Promise.all(working);
    check(round);
  }
  rmSync(folder, { recursive: true });
  return {
    faults,
    ...counts,
    chats: kept.chats.size,
    sources: kept.sources.size + kept.deleted.size,
    keys: kept.keys.size,
  };
}
