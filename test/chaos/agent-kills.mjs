/**
 * `npm run chaos -- --agent`: the agent service under a mixed load, ended with -9 at random moments. What it acknowledged
 * is there after each start, the file is whole, no counter went back, no task and no workflow ran twice for one reason,
 * no mail is lost or answered twice, and who is told of sources hears of each. Fails when one of these does not hold.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'libsql';
import { findPort } from '../support/port.mjs';
import { startMail } from './agent-mail.mjs';

const entry = fileURLToPath(new URL('../../dist/demo/agent.js', import.meta.url));
const mostAliveMs = 700;
const workers = 6;
/** Of what the service says, the last letters. */
const mostComplaint = 2000;

/** Below the eight attempts that the service promises: what is refused more often is given up, as said. */
const mostRefusals = 4;

/** Whom the webhooks reach, of which every third call fails, and what workflows call. */
async function startReceiver() {
  const heard = new Map();
  /** By what the workflow was told of. */
  const ran = new Map();
  /** By delivery. */
  const refusals = new Map();
  let calls = 0;
  const server = createServer((request, response) => {
    let raw = '';
    request.on('data', (chunk) => {
      raw += chunk;
    });
    request.on('end', () => {
      if (request.url === '/workflow') {
        const { resource_id: id } = JSON.parse(raw);
        ran.set(id, (ran.get(id) ?? 0) + 1);
        return response.writeHead(204).end();
      }
      calls += 1;
      const delivery = request.headers['x-service-delivery'];
      const refused = refusals.get(delivery) ?? 0;
      const isTaken = calls % 3 !== 0 || refused === mostRefusals;
      if (isTaken) {
        const { event, resource_id: id } = JSON.parse(raw);
        heard.set(`${event} ${id}`, delivery);
      } else refusals.set(delivery, refused + 1);
      return response.writeHead(isTaken ? 204 : 500).end();
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  return { heard, ran, port, url: `http://127.0.0.1:${port}/`, close: () => server.close() };
}

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
  /** Made in vain or not, each runs once at most. */
  const tasks = new Set();
  const told = new Set();
  const receiver = await startReceiver();
  const mailPort = await findPort();
  const mail = await startMail(mailPort);
  const counts = { requests: 0, acknowledged: 0 };
  let isNaming = false;
  const env = {
    ...process.env,
    AGENT_DB: file,
    AGENT_API_KEY: 'owner-key',
    AGENT_PROJECT_ID: 'p',
    AGENT_BOT_ID: 'b',
    AGENT_WORDS_PER_SECOND: '200',
    AGENT_WEBHOOK_URL: receiver.url,
    AGENT_WEBHOOK_SECRET: 'secret',
    AGENT_WEBHOOK_RETRY_MS: '20',
    AGENT_SMTP_PORT: String(mailPort),
    AGENT_SMTP_URL: mail.url,
    AGENT_PRIVATE_HOSTS: `127.0.0.1:${receiver.port}`,
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
      told.add(`memory.created ${source.uuid}`);
    },
    async () => {
      const { task } = await call('POST', '/v1/bot/tasks/create', {
        prompt: 'Hello',
        schedule_type: 'once',
        schedule_config: { scheduled_at: new Date(Date.now() + Math.random() * 1500 + 50).toISOString() },
      });
      tasks.add(task.uuid);
    },
    mail.send,
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
      if (!response.ok) return;
      kept.deleted.add(source_id);
      told.add(`memory.deleted ${source_id}`);
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
    for (const uuid of tasks) {
      const task = read('SELECT id, execution_count FROM tasks WHERE uuid = ?', uuid);
      if (!task) fault(`task ${uuid} is lost`);
      const { asked } = read(
        "SELECT count(*) AS asked FROM messages JOIN chats ON chats.id = chat WHERE chat_id = ? AND role = 'user'",
        uuid,
      );
      if (asked > 1 || task?.execution_count > 1) fault(`task ${uuid} ran ${asked} times`);
    }
    for (const wrong of mail.check(db)) fault(wrong);
    for (const [id, times] of receiver.ran) if (times > 1) fault(`the workflow ran ${times} times for ${id}`);
    const { loose } = read(
      'SELECT count(*) AS loose FROM passages WHERE source NOT IN (SELECT id FROM sources)',
    );
    if (loose > 0) fault(`${loose} passages belong to no source`);
    db.close();
  };

  async function start() {
    const agent = spawn(process.execPath, [entry], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    const gone = new Promise((resolve) => agent.once('close', resolve));
    let complaint = '';
    agent.stderr.on('data', (chunk) => {
      complaint = `${complaint}${chunk}`.slice(-mostComplaint);
    });
    let isReady = false;
    for (let tries = 0; tries < 200 && !isReady && agent.exitCode === null; tries += 1) {
      isReady = await fetch(`${base}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (!isReady) await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return { agent, gone, isReady, complain: () => complaint.trim() || 'it says nothing' };
  }

  /** Left alone it does what is left to do: each task has run, and each thing is told. */
  async function settle() {
    const { agent, gone } = await start();
    const isDone = () => {
      const db = new Database(file);
      const { open } = db
        .prepare(
          `SELECT (SELECT count(*) FROM deliveries WHERE status = 'pending') + (SELECT count(*) FROM tasks WHERE enabled = 1)
             + (SELECT count(*) FROM workflow_runs WHERE status IN ('pending', 'running'))
             + (SELECT count(*) FROM emails WHERE to_answer > 0) AS open`,
        )
        .get();
      db.close();
      return open === 0;
    };
    const until = Date.now() + 60_000;
    while (!isDone() && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 200));
    if (!isDone()) faults.push('after the last: not all is told, or not each task has run');
    agent.kill('SIGKILL');
    await gone;
    for (const what of told) if (!receiver.heard.has(what)) faults.push(`nobody was told: ${what}`);
    const db = new Database(file);
    for (const uuid of tasks) {
      const lines = db
        .prepare('SELECT count(*) AS lines FROM task_logs JOIN tasks ON tasks.id = task WHERE uuid = ?')
        .get(uuid).lines;
      if (lines !== 1) faults.push(`task ${uuid} has ${lines} lines in its log`);
    }
    const { runs } = db.prepare('SELECT count(*) AS runs FROM workflow_runs').get();
    const made = kept.sources.size + kept.deleted.size;
    if (runs < made) faults.push(`the workflow has ${runs} runs for ${made} sources`);
    const failed = db
      .prepare("SELECT error, count(*) AS times FROM workflow_runs WHERE status <> 'success' GROUP BY error")
      .all();
    for (const { error, times } of failed)
      if (error !== 'interrupted') faults.push(`${times} runs of the workflow ended with ${error}`);
    counts.runs = runs;
    db.close();
  }

  for (let round = 1; round <= kills; round += 1) {
    const { agent, gone, isReady, complain } = await start();
    if (!isReady) {
      agent.kill('SIGKILL');
      await gone;
      faults.push(`after kill ${round - 1}: it does not start: ${complain()}`);
      break;
    }
    if (round === 1) {
      await call('PUT', '/v1/bot/email/settings', { email_auto_reply: true });
      const actions = [{ type: 'call_url', url: `${receiver.url}workflow` }];
      const trigger = { trigger_type: 'event', trigger_event: 'memory.created' };
      await call('POST', '/v1/bot/workflow/create', { name: 'Tell', ...trigger, actions });
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
  await settle();
  receiver.close();
  await mail.close();
  rmSync(folder, { recursive: true });
  return {
    faults,
    ...counts,
    chats: kept.chats.size,
    sources: kept.sources.size + kept.deleted.size,
    keys: kept.keys.size,
    tasks: tasks.size,
    webhooks: told.size,
    workflowCalls: receiver.ran.size,
    mails: mail.taken.size,
    answeredMails: mail.answered(),
  };
}
