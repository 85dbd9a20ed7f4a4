/** Starts the agent service from an environment: reads the variables, listens on loopback. */

import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { serve } from '@hono/node-server';
import { pino } from 'pino';
import { readEnvironment, readPort, readTls } from './environment.ts';
import type { AgentEvent } from './events.ts';
import { type AgentService, type AgentServiceOptions, createAgentService } from './service.ts';

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
  if (db !== ':memory:') makeFolder(dirname(db));
  const apiKey = read('AGENT_API_KEY', `dev_${randomBytes(24).toString('hex')}`);
  const projectId = read('AGENT_PROJECT_ID', 'larkfield');
  const botId = read('AGENT_BOT_ID', 'juniper');
  const options: AgentServiceOptions = {
    apiKey,
    projectId,
    botId,
    db,
    log,
    ...readEnvironment(env),
  };
  const smtpPort = readPort(env, 'AGENT_SMTP_PORT');
  const tls = readTls(env);
  const service = underVariables(() => createAgentService(options));
  const hostname = env.HOST || '127.0.0.1';
  const port = readPort(env, 'PORT') ?? 8787;
  const { server, address } = await listen(service, hostname, port, tls);
  const url = `${tls ? 'https' : 'http'}://${hostname.includes(':') ? `[${hostname}]` : hostname}:${address.port}`;
  async function close() {
    const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
    await service.close();
    if ('closeAllConnections' in server) server.closeAllConnections();
    await closed;
  }
  const mailPort =
    smtpPort === undefined
      ? undefined
      : await service.listenForMail(smtpPort, hostname).catch(async (thrown) => {
          await close();
          throw toNoListening('AGENT_SMTP_PORT', thrown);
        });
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
    close,
  };
}

const toNoListening = (name: string, { code }: NodeJS.ErrnoException) =>
  new TypeError(`${name}: with HOST, it cannot listen there (${code})`);

/** One by one: what makes them all at once tries for ever where a file system lets nobody make any. */
function makeFolder(folder: string) {
  const missing: string[] = [];
  for (let one = folder; !existsSync(one); one = dirname(one)) missing.unshift(one);
  try {
    for (const one of missing) mkdirSync(one);
  } catch (thrown) {
    throw new TypeError(`AGENT_DB: its folder cannot be made (${(thrown as NodeJS.ErrnoException).code})`);
  }
}

/** Under which variables the options are given that the service checks. */
const variables: Readonly<Record<string, string>> = {
  apiKey: 'AGENT_API_KEY',
  extraKeys: 'AGENT_KEYS',
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

function listen(service: AgentService, hostname: string, port: number, tls: ReturnType<typeof readTls>) {
  return new Promise<{ server: ReturnType<typeof serve>; address: AddressInfo }>((resolve, reject) => {
    const secure = tls ? { createServer, serverOptions: tls } : {};
    const server = serve({ fetch: service.fetch, hostname, port, ...secure }, (address) =>
      resolve({ server, address }),
    );
    server.once('error', (thrown) => reject(toNoListening('PORT', thrown)));
  });
}

function createLog(): (entry: AgentEvent) => void {
  const logger = pino({ base: null, timestamp: false });
  return ({ at, ...entry }) => logger.info({ time: at, ...entry });
}
