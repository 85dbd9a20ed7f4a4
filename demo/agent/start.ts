/** Starts the agent service from an environment: reads the variables, listens on loopback. */

import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { serve } from '@hono/node-server';
import { pino } from 'pino';
import type { AgentEvent } from './events.ts';
import { type AgentService, type AgentServiceOptions, createAgentService } from './service.ts';
import { readTools } from './tools.ts';

export interface StartedAgent {
  /** For example `http://127.0.0.1:8787`. */
  url: string;
  apiKey: string;
  projectId: string;
  botId: string;
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
    ...(env.AGENT_TOOLS ? { tools: readToolsFile(env.AGENT_TOOLS) } : {}),
    ...(env.AGENT_WORDS_PER_SECOND ? { wordsPerSecond: Number(env.AGENT_WORDS_PER_SECOND) } : {}),
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
  const service = createAgentService(options);
  const hostname = env.HOST || '127.0.0.1';
  const port = Number(env.PORT || 8787);
  const { server, address } = await listen(service, hostname, port);
  const url = `http://${hostname.includes(':') ? `[${hostname}]` : hostname}:${address.port}`;
  print(
    `Agent service at ${url}. ${options.provider ? `Model: ${options.provider.model}.` : 'Built-in answerer, no language model.'}`,
  );
  return {
    url,
    apiKey,
    projectId,
    botId,
    service,
    async close() {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      await service.close();
      if ('closeAllConnections' in server) server.closeAllConnections();
      await closed;
    },
  };
}

function listen(service: AgentService, hostname: string, port: number) {
  return new Promise<{ server: ReturnType<typeof serve>; address: AddressInfo }>((resolve, reject) => {
    const server = serve({ fetch: service.fetch, hostname, port }, (address) => resolve({ server, address }));
    server.once('error', reject);
  });
}

function requireValue(env: Readonly<Record<string, string | undefined>>, name: string): string {
  const value = env[name];
  if (!value) throw new TypeError(`${name}: needed with PROVIDER_HOST`);
  return value;
}

function readToolsFile(file: string) {
  try {
    return readTools(JSON.parse(readFileSync(file, 'utf8')));
  } catch (thrown) {
    throw new TypeError(
      `AGENT_TOOLS: ${thrown instanceof TypeError ? thrown.message : 'no readable JSON file'}`,
    );
  }
}

function createLog(): (entry: AgentEvent) => void {
  const logger = pino({ base: null, timestamp: false });
  return ({ at, ...entry }) => logger.info({ time: at, ...entry });
}
