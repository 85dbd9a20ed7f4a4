/** `npm start`: the agent service and the shop, on this machine alone, with secrets made for the occasion. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { addressOf } from './agent/email/address.ts';
import { type StartedAgent, startAgent } from './agent/start.ts';
import { createBackend } from './site/backend.ts';
import { startInbox } from './site/inbox.ts';
import { toAgentTools } from './site/tools.ts';

const host = '127.0.0.1';
const { env } = process;
const folder = env.DEMO_FOLDER || '.porchlight';

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The wanted port, or any free one when it is taken. */
function findPort(wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' && wanted !== 0) findPort(0).then(resolve, reject);
      else reject(error);
    });
    probe.listen(wanted, host, () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

/** The agent answers from the shop's own pages, read as any site's would be: again at each start. */
async function teach(agent: StartedAgent, siteUrl: string): Promise<number> {
  const ids = { project_id: agent.projectId, bot_id: agent.botId };
  const call = async (method: string, path: string, body?: object) => {
    const query = body ? '' : `?${new URLSearchParams(ids)}`;
    const response = await fetch(`${agent.url}/v1/bot/${path}${query}`, {
      method,
      headers: { authorization: `Bearer ${agent.apiKey}`, 'content-type': 'application/json' },
      body: body ? JSON.stringify({ ...ids, ...body }) : null,
    });
    if (!response.ok) throw new Error(`The agent answered ${response.status} to ${path}`);
    return response.json();
  };
  type Source = { uuid: string; source: string | null; passages: number };
  const list = async () => ((await call('GET', 'source/readall')) as { sources: Source[] }).sources;
  const address = new URL(siteUrl).href;
  const known = (await list()).find(({ source }) => source === address);
  if (known) await call('PUT', 'source/update', { source_id: known.uuid, source: address });
  else {
    await call('POST', 'source/create', { type: 'website', source: address, title: 'Larkfield Outdoor' });
    await call('PUT', 'email/settings', { email_auto_reply: true });
  }
  await agent.service.idle();
  return (await list()).reduce((sum, { passages }) => sum + passages, 0);
}

/** Of a site with many pages. */
function tellProgress({ event, pages }: { event: string; pages?: unknown }): void {
  if (event === 'source.reading') say(`Reading the site: ${pages} pages so far.`);
}

async function start(): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const port = await findPort(Number(env.PORT || 8080));
  const agentPort = await findPort(Number(env.AGENT_PORT || 8787));
  const siteUrl = `http://${host}:${port}`;
  const toolsFile = `${folder}/tools.json`;
  writeFileSync(toolsFile, JSON.stringify(toAgentTools(siteUrl), null, 2), { mode: 0o600 });
  const deskKey = randomBytes(12).toString('hex');
  const botId = env.AGENT_BOT_ID || 'juniper';
  const adminPassword = randomBytes(6).toString('hex');
  const ssoSecret = env.AGENT_SSO_SECRET || randomBytes(32).toString('hex');

  const mailPort = await findPort(Number(env.AGENT_SMTP_PORT || 2525));
  const domain = env.AGENT_EMAIL_DOMAIN || 'mail.larkfield.example';
  const inbox = await startInbox(host, { port: mailPort, address: addressOf({ uuid: botId }, domain) });

  const agent = await startAgent(
    {
      AGENT_API_KEY: randomBytes(24).toString('hex'),
      AGENT_PROJECT_ID: 'larkfield',
      AGENT_DESK: 'on',
      AGENT_SMTP_URL: inbox.url,
      AGENT_EMAIL_DOMAIN: domain,
      AGENT_DB: `${folder}/agent.db`,
      ...env,
      AGENT_BOT_ID: botId,
      // What the desk asks is not counted as the helper's.
      AGENT_KEYS: [env.AGENT_KEYS, `owner:${deskKey}`].filter(Boolean).join(','),
      AGENT_SMTP_PORT: String(mailPort),
      AGENT_TOOLS: toolsFile,
      AGENT_SSO_SECRET: ssoSecret,
      PORT: String(agentPort),
      HOST: host,
    },
    env.DEMO_LOG === 'on' ? {} : { log: tellProgress },
  );
  const { apiKey, projectId } = agent;
  const { server, helper } = createBackend({
    agentUrl: agent.url,
    apiKey,
    projectId,
    botId,
    ssoSecret,
    adminPassword,
    storeFile: `${folder}/helper.db`,
    inbox,
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  say(`Read ${await teach(agent, siteUrl)} passages of the shop's pages.`);
  say(`Shop: ${siteUrl}/`);
  say(`Dock style: ${siteUrl}/dock.html`);
  say(`Strict CSP: ${siteUrl}/strict.html`);
  say(`Owner's page: ${siteUrl}/porchlight/admin (password ${adminPassword})`);
  say(`Desk of the agent: ${agent.url}/desk (key ${deskKey})`);
  say(`E-mail to the agent and from it: ${siteUrl}/inbox.html`);
  say(`Every state of the chat: ${siteUrl}/gallery.html`);

  const stop = async () => {
    server.close();
    await helper.close(1_000);
    await agent.close();
    await inbox.close();
    process.exit(0);
  };
  process.once('SIGINT', () => void stop());
  process.once('SIGTERM', () => void stop());
}

await start().catch((error: unknown) => {
  // A variable whose value is wrong.
  if (!(error instanceof TypeError) || !/^[A-Z_]+: /.test(error.message)) throw error;
  console.error(error.message);
  process.exit(1);
});
