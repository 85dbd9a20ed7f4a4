/** Reads the standalone helper's options from the environment; a mistake names the variable, never its value. Node only. */
import type { HelperOptions } from './config.ts';
import type { Log } from './log.ts';
import type { ReasoningMode } from './protocol/wire.ts';
import { createMemoryStore } from './store/memory.ts';
import { createSqliteStore } from './store/sqlite.ts';
import type { Store } from './store/store.ts';

export type Environment = Readonly<Record<string, string | undefined>>;
export type ServeSettings = { options: HelperOptions; host: string; port: number };

const defaultPort = 8788;
const defaultStore = 'sqlite:porchlight.db';

/** @throws TypeError naming the variable */
export function readEnvironment(env: Environment, log: Log): ServeSettings {
  const port = Number(env.PORT || defaultPort);
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new TypeError('PORT must be from 0 to 65535');
  const options: HelperOptions = {
    agentUrl: requireVariable(env, 'PORCHLIGHT_AGENT_URL'),
    apiKey: requireVariable(env, 'PORCHLIGHT_API_KEY'),
    projectId: requireVariable(env, 'PORCHLIGHT_PROJECT_ID'),
    botId: requireVariable(env, 'PORCHLIGHT_BOT_ID'),
    store: openStore(env.PORCHLIGHT_STORE || defaultStore),
    log,
  };
  const given = (name: string) => env[`PORCHLIGHT_${name}`] || undefined;
  const ssoSecret = readList(given('SSO_SECRET'));
  if (ssoSecret) options.ssoSecret = ssoSecret;
  const webhookSecret = readList(given('WEBHOOK_SECRET'));
  if (webhookSecret) options.webhookSecret = webhookSecret;
  const origins = readList(given('ORIGINS'));
  if (origins) options.origins = origins;
  const modes = readList(given('REASONING_MODES'));
  if (modes) options.reasoningModes = modes as ReasoningMode[];
  const sessionSecret = given('SESSION_SECRET');
  if (sessionSecret) options.sessionSecret = sessionSecret;
  const workspace = given('WORKSPACE');
  if (workspace) options.workspace = workspace;
  const basePath = given('BASE_PATH');
  if (basePath) options.basePath = basePath;
  const identity = given('IDENTITY');
  if (identity) options.identity = identity as 'off' | 'optional' | 'required';
  const proxies = given('TRUSTED_PROXIES');
  if (proxies) options.trustedProxies = Number(proxies);
  const days = given('RETENTION_DAYS');
  if (days) options.retentionDays = Number(days);
  if (given('LIMITS') === 'off') options.limits = 'off';
  return { options, host: env.HOST || '127.0.0.1', port };
}

function requireVariable(env: Environment, name: string): string {
  const value = env[name];
  if (!value) throw new TypeError(`${name} is missing`);
  return value;
}

function readList(value: string | undefined): string[] | undefined {
  const items = value?.split(',').map((item) => item.trim());
  return items?.filter((item) => item !== '');
}

function openStore(name: string): Store {
  if (name === 'memory') return createMemoryStore();
  if (name.startsWith('sqlite:')) return createSqliteStore(name.slice('sqlite:'.length));
  throw new TypeError('PORCHLIGHT_STORE must be memory or sqlite:FILE');
}

/** `ssoSecret must …` → `PORCHLIGHT_SSO_SECRET must …`, for those who know only the variables. */
export function toVariableMessage(message: string): string {
  return message.replace(/^[a-z]+(?:[A-Z][a-z]+)*(?= )/, (option) =>
    ['identity', 'workspace', 'origins', 'store'].includes(option) || /[A-Z]/.test(option)
      ? `PORCHLIGHT_${option.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
      : option,
  );
}
