/** Starts the agent service from an environment: reads the variables, listens on loopback. */

import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { serve } from '@hono/node-server';
import { pino } from 'pino';
import type { AgentEvent } from './events.ts';
import { requireGroups } from './options.ts';
import { type PlanName, plans } from './plans.ts';
import { type AgentService, type AgentServiceOptions, createAgentService } from './service.ts';
import { type Role, roles } from './store/keys.ts';
import { readTools } from './tools.ts';
import type { WebhookEvent } from './webhooks/events.ts';
import type { WebhookOptions } from './webhooks/options.ts';

export interface StartedAgent {
  /** For example `http://127.0.0.1:8787`. */
  url: string;
  apiKey: string;
  projectId: string;
  botId: string;
  /** Of SMTP, where mail is taken. */
  mailPort?: number;
  service: AgentService;
  close(): Promise<void>;
}

export interface StartOptions {
  /** Default: JSON lines to stdout. */
  log?: (entry: AgentEvent) => void;
  /** Lines for the person who started it. Default: stdout. */
  print?: (line: string) => void;
}

/** An empty value counts as none. Throws a TypeError that names the variable, never its value. */
export async function startAgent(
  env: Readonly<Record<string, string | undefined>>,
  { log = createLog(), print = (line) => void process.stdout.write(`${line}\n`) }: StartOptions = {},
): Promise<StartedAgent> {
  const read = (name: string, fallback: string): string => {
    const value = env[name];
    if (value) return value;
    print(`${name} is not set: using ${fallback}`);
    return fallback;
  };
  const db = env.AGENT_DB || '.porchlight/agent.db';
  if (db !== ':memory:') mkdirSync(dirname(db), { recursive: true });
  const apiKey = read('AGENT_API_KEY', `dev_${randomBytes(24).toString('hex')}`);
  const projectId = read('AGENT_PROJECT_ID', 'larkfield');
  const botId = read('AGENT_BOT_ID', 'juniper');
  const options: AgentServiceOptions = {
    apiKey,
    projectId,
    botId,
    db,
    log,
    ...(env.AGENT_SSO_SECRET ? { ssoSecret: env.AGENT_SSO_SECRET } : {}),
    ...(env.AGENT_TOOLS ? { tools: readJsonFile('AGENT_TOOLS', env.AGENT_TOOLS, readTools) } : {}),
    ...(env.AGENT_SYNONYMS
      ? { synonyms: readJsonFile('AGENT_SYNONYMS', env.AGENT_SYNONYMS, requireGroups) }
      : {}),
    ...readNumber(env, 'AGENT_WORDS_PER_SECOND', 'wordsPerSecond', 0),
    ...readNumber(env, 'AGENT_REQUESTS_PER_MINUTE', 'requestsPerMinute', 1),
    ...readNumber(env, 'AGENT_MIN_TASK_INTERVAL_SECONDS', 'minTaskIntervalSeconds', 0),
    ...readNumber(env, 'AGENT_CREDITS', 'credits', 0),
    ...readNumber(env, 'AGENT_CONTEXT_TOKENS', 'contextTokens', 256),
    ...readOwn(env),
    ...readWebhookOptions(env),
    ...readEmailOptions(env),
    ...(env.PROVIDER_HOST
      ? {
          provider: {
            host: env.PROVIDER_HOST,
            model: requireValue(env, 'PROVIDER_MODEL'),
            ...(env.PROVIDER_KEY ? { key: env.PROVIDER_KEY } : {}),
          },
        }
      : {}),
  };
  const smtpPort = readPort(env, 'AGENT_SMTP_PORT');
  const service = underVariables(() => createAgentService(options));
  const hostname = env.HOST || '127.0.0.1';
  const port = readPort(env, 'PORT') ?? 8787;
  const { server, address } = await listen(service, hostname, port);
  const url = `http://${hostname.includes(':') ? `[${hostname}]` : hostname}:${address.port}`;
  const mailPort = smtpPort === undefined ? undefined : await service.listenForMail(smtpPort, hostname);
  if (mailPort !== undefined) print(`Mail to agents is taken at ${hostname}:${mailPort}.`);
  print(
    `Agent service at ${url}. ${options.provider ? `Model: ${options.provider.model}.` : 'Built-in answerer, no language model.'}`,
  );
  return {
    url,
    apiKey,
    projectId,
    botId,
    ...(mailPort === undefined ? {} : { mailPort }),
    service,
    async close() {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      await service.close();
      if ('closeAllConnections' in server) server.closeAllConnections();
      await closed;
    },
  };
}

/** Under which variables the options are given that the service checks. */
const variables: Readonly<Record<string, string>> = {
  db: 'AGENT_DB',
  ssoSecret: 'AGENT_SSO_SECRET',
  'provider.host': 'PROVIDER_HOST',
  'webhook.url': 'AGENT_WEBHOOK_URL',
  'webhook.events': 'AGENT_WEBHOOK_EVENTS',
  'email.smtpUrl': 'AGENT_SMTP_URL',
  'email.domain': 'AGENT_EMAIL_DOMAIN',
  'email.owner': 'AGENT_OWNER_EMAIL',
};

function underVariables<T>(make: () => T): T {
  try {
    return make();
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    throw new TypeError(thrown.message.replace(/^[\w.]+(?=: )/, (option) => variables[option] ?? option));
  }
}

function listen(service: AgentService, hostname: string, port: number) {
  return new Promise<{ server: ReturnType<typeof serve>; address: AddressInfo }>((resolve, reject) => {
    const server = serve({ fetch: service.fetch, hostname, port }, (address) => resolve({ server, address }));
    server.once('error', ({ code }: NodeJS.ErrnoException) =>
      reject(new TypeError(`PORT: with HOST, it cannot listen there (${code})`)),
    );
  });
}

type Env = Readonly<Record<string, string | undefined>>;

function readNumber(
  env: Env,
  name: string,
  option: keyof AgentServiceOptions | keyof WebhookOptions,
  least: number,
) {
  const value = env[name];
  if (!value) return {};
  const number = Number(value);
  if (!Number.isFinite(number) || number < least) throw new TypeError(`${name}: a number from ${least}`);
  return { [option]: number };
}

function readOwn(env: Env): Partial<AgentServiceOptions> {
  const { AGENT_PLAN: plan, AGENT_KEYS: keys, AGENT_MEMBER_EMAILS: emails, AGENT_PRIVATE_HOSTS: hosts } = env;
  if (plan && !Object.hasOwn(plans, plan))
    throw new TypeError(`AGENT_PLAN: one of ${Object.keys(plans).join(', ')}`);
  const { AGENT_CRM: crm, AGENT_DESK: desk } = env;
  if (desk && desk !== 'on' && desk !== 'off') throw new TypeError('AGENT_DESK: on or off');
  if (crm && crm !== 'on' && crm !== 'off') throw new TypeError('AGENT_CRM: on or off');
  const offset = Number(env.AGENT_CLOCK_OFFSET_SECONDS || 0);
  if (!Number.isFinite(offset)) throw new TypeError('AGENT_CLOCK_OFFSET_SECONDS: a number');
  return {
    ...(plan ? { plan: plan as PlanName } : {}),
    ...(keys ? { extraKeys: toList(keys).map(readKey) } : {}),
    ...(crm ? { crm: crm === 'on' } : {}),
    desk: desk === 'on',
    ...(emails ? { memberEmails: toList(emails) } : {}),
    ...(hosts ? { privateHosts: toList(hosts).map(readHost) } : {}),
    ...(offset === 0 ? {} : { now: () => Date.now() + Math.round(offset * 1000) }),
  };
}

function readWebhookOptions(env: Env): Partial<AgentServiceOptions> {
  const { AGENT_WEBHOOK_URL: url, AGENT_WEBHOOK_SECRET: secret, AGENT_WEBHOOK_EVENTS: events } = env;
  if (!url && !secret) return {};
  if (!url) throw new TypeError('AGENT_WEBHOOK_URL: needed with AGENT_WEBHOOK_SECRET');
  if (!secret) throw new TypeError('AGENT_WEBHOOK_SECRET: needed with AGENT_WEBHOOK_URL');
  const webhook = {
    url,
    secret,
    ...(events ? { events: toList(events) as WebhookEvent[] } : {}),
    ...readNumber(env, 'AGENT_WEBHOOK_RETRY_MS', 'retryMs', 0),
  };
  return { webhook };
}

function readEmailOptions(env: Env): Partial<AgentServiceOptions> {
  const { AGENT_SMTP_URL: smtpUrl, AGENT_EMAIL_DOMAIN: domain, AGENT_OWNER_EMAIL: owner } = env;
  return {
    email: { ...(smtpUrl ? { smtpUrl } : {}), ...(domain ? { domain } : {}), ...(owner ? { owner } : {}) },
  };
}

function readPort(env: Env, name: string): number | undefined {
  const value = env[name];
  if (!value) return undefined;
  const port = Number(value);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new TypeError(`${name}: a port is needed`);
  return port;
}

function toList(text: string): string[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

function readHost(text: string): string {
  if (!/^[^\s/]+:\d{1,5}$/.test(text)) throw new TypeError('AGENT_PRIVATE_HOSTS: host:port is needed');
  return text;
}

/** `role:key` or `role:key:project`. */
function readKey(text: string) {
  const [role, key, projectId, ...more] = text.split(':');
  if (!roles.some((one) => one === role) || !key || projectId === '' || more.length > 0)
    throw new TypeError(`AGENT_KEYS: role:key or role:key:project is needed; roles are ${roles.join(', ')}`);
  return { role: role as Role, key, ...(projectId === undefined ? {} : { projectId }) };
}

function requireValue(env: Readonly<Record<string, string | undefined>>, name: string): string {
  const value = env[name];
  if (!value) throw new TypeError(`${name}: needed with PROVIDER_HOST`);
  return value;
}

function readJsonFile<T>(name: string, file: string, read: (value: unknown) => T): T {
  try {
    return read(JSON.parse(readFileSync(file, 'utf8')));
  } catch (thrown) {
    throw new TypeError(`${name}: ${thrown instanceof TypeError ? thrown.message : 'no readable JSON file'}`);
  }
}

function createLog(): (entry: AgentEvent) => void {
  const logger = pino({ base: null, timestamp: false });
  return ({ at, ...entry }) => logger.info({ time: at, ...entry });
}
