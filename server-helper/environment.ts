/** Reads the standalone helper's options from the environment; a mistake names the variable, never its value. Node only. */
import type { AttachmentType } from './attachments/kinds.ts';
import type { HelperOptions } from './config.ts';
import type { Log } from './log.ts';
import { toWrong } from './option.ts';
import type { ReasoningMode } from './protocol/wire.ts';
import { createMemoryStore } from './store/memory.ts';
import { createRedisStore } from './store/redis/redis.ts';
import { createSqliteStore } from './store/sqlite.ts';
import type { Store } from './store/store.ts';

export type Environment = Readonly<Record<string, string | undefined>>;
export type ServeSettings = { options: HelperOptions; host: string; port: number };

const defaultHost = '127.0.0.1';
const defaultPort = 8788;
const defaultStore = 'sqlite:porchlight.db';

const variables =
  'AGENT_URL API_KEY PROJECT_ID BOT_ID STORE SSO_SECRET SSO_ISSUER WEBHOOK_SECRET ORIGINS REASONING_MODES ATTACHMENTS SESSION_SECRET WORKSPACE BASE_PATH IDENTITY TRUSTED_PROXIES RETENTION_DAYS LIMITS METRICS_TOKEN ADMIN_PASSWORD'
    .split(' ')
    .map((name) => `PORCHLIGHT_${name}`);
/** What Kubernetes sets in every pod beside a service that is called porchlight. */
function isOfKubernetes(name: string, value = ''): boolean {
  // A port alone is what somebody set who meant PORT.
  if (/^PORCHLIGHT_PORT$/.test(name)) return value.includes('://');
  return /^PORCHLIGHT_(?:SERVICE_(?:HOST|PORT(?:_.*)?)|PORT_\d+_.*)$/.test(name);
}

/** @throws TypeError naming the variable */
export function readEnvironment(env: Environment, log: Log): ServeSettings {
  refuseMistakes(env, log);
  const options: HelperOptions = {
    agentUrl: requireVariable(env, 'PORCHLIGHT_AGENT_URL'),
    apiKey: requireVariable(env, 'PORCHLIGHT_API_KEY'),
    projectId: requireVariable(env, 'PORCHLIGHT_PROJECT_ID'),
    botId: requireVariable(env, 'PORCHLIGHT_BOT_ID'),
    store: openStore(readStoreName(env)),
    log,
  };
  const given = (name: string) => env[`PORCHLIGHT_${name}`] || undefined;
  const ssoSecret = readList('ssoSecret', given('SSO_SECRET'));
  if (ssoSecret) options.ssoSecret = ssoSecret;
  const issuer = given('SSO_ISSUER');
  if (issuer) options.ssoIssuer = issuer;
  const webhookSecret = readList('webhookSecret', given('WEBHOOK_SECRET'));
  if (webhookSecret) options.webhookSecret = webhookSecret;
  const origins = readList('origins', given('ORIGINS'));
  if (origins) options.origins = origins;
  const modes = readList('reasoningModes', given('REASONING_MODES'));
  if (modes) options.reasoningModes = modes as ReasoningMode[];
  const attachments = given('ATTACHMENTS');
  if (attachments) options.attachments = readAttachments(attachments);
  const sessionSecret = readList('sessionSecret', given('SESSION_SECRET'));
  if (sessionSecret) options.sessionSecret = sessionSecret;
  const workspace = given('WORKSPACE');
  if (workspace) options.workspace = workspace;
  const basePath = given('BASE_PATH');
  if (basePath) options.basePath = basePath;
  const identity = given('IDENTITY');
  if (identity) options.identity = identity as 'off' | 'optional' | 'required';
  const proxies = given('TRUSTED_PROXIES');
  if (proxies) options.trustedProxies = toWhole(proxies);
  const days = given('RETENTION_DAYS');
  if (days) options.retentionDays = toWhole(days);
  const metricsToken = given('METRICS_TOKEN');
  if (metricsToken) options.metricsToken = metricsToken;
  const adminPassword = given('ADMIN_PASSWORD');
  if (adminPassword) options.adminPassword = adminPassword;
  const limits = given('LIMITS');
  if (limits) options.limits = readLimits(limits);
  return { options, host: readHost(env.HOST || defaultHost), port: readPort(env.PORT) };
}

/** What stands in a template, or comes of a variable that was not there when it was filled in. */
const unfilled = /^(?:\$\w+|\$\{.*\}|\{\{.*\}\}|<[^>]*>|undefined|null)$/s;

/** A secret under a name that nobody reads, or in quotes that nobody takes off, would be no secret. */
function refuseMistakes(env: Environment, log: Log): void {
  for (const name of Object.keys(env)) {
    const upper = name.toUpperCase();
    if (!upper.startsWith('PORCHLIGHT')) continue;
    // Of a file that no shell has read: Docker hands the quotes over too.
    if (variables.includes(name) && /^(["']).*\1$/s.test(env[name] ?? ''))
      throw new TypeError(`${name} must be given without quotes around it`);
    if (variables.includes(name) && /^\[.*\]$/s.test(env[name] ?? ''))
      throw new TypeError(`${name} must be given without brackets: of several, a comma stands between them`);
    if (variables.includes(name) && unfilled.test(env[name] ?? ''))
      throw new TypeError(`${name} was not filled in: it must hold the value itself`);
    if (variables.includes(name)) continue;
    const meant = variables.find((one) => isNear(upper, one));
    if (meant) throw new TypeError(`${name} is not known: did you mean ${meant}?`);
    const isSet = name.startsWith('PORCHLIGHT_') && !isOfKubernetes(name, env[name]);
    if (isSet) log.warn({ variable: name }, 'no variable of the helper: ignored');
  }
}

/** One is the other with two letters changed, left out or put in at most. */
function isNear(one: string, other: string): boolean {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 1; at <= one.length; at += 1) {
    const before = row;
    row = [at];
    for (let to = 1; to <= other.length; to += 1) {
      const same = one[at - 1] === other[to - 1] ? 0 : 1;
      row.push(Math.min(before[to]! + 1, row[to - 1]! + 1, before[to - 1]! + same));
    }
  }
  return row.at(-1)! <= 2;
}

function requireVariable(env: Environment, name: string): string {
  const value = env[name];
  if (!value) throw new TypeError(`${name} is missing`);
  return value;
}

/** An empty item is a comma too many, or a variable in it that was not set: nobody's secret. */
function readList(option: string, value: string | undefined): string[] | undefined {
  const items = value?.split(',').map((item) => item.trim());
  if (items?.includes('')) throw toWrong(option, 'a list separated by commas without an empty item');
  return items;
}

/** NaN for what only JavaScript takes for a number, as `0x1` or `1e0`. */
function toWhole(value: string): number {
  return /^\d{1,8}$/.test(value) ? Number(value) : Number.NaN;
}

/** `off`, or `sitePerDay=5000,guestsPerMinute=60`. */
function readLimits(value: string): NonNullable<HelperOptions['limits']> {
  if (!value.includes('=')) return value as 'on' | 'off';
  const pairs = readList('limits', value)?.map((item): [string, number] => {
    const at = item.indexOf('=');
    return [item.slice(0, at).trim(), toWhole(item.slice(at + 1).trim())];
  });
  const given = Object.fromEntries(pairs ?? []);
  if (Object.keys(given).length !== pairs?.length) throw new TypeError('limits must name each limit once');
  return given;
}

/** `on`, `off`, or media types. */
function readAttachments(value: string): NonNullable<HelperOptions['attachments']> {
  if (value === 'on' || value === 'off') return value === 'on';
  return { types: readList('attachments', value) as AttachmentType[] };
}

function readPort(value: string | undefined): number {
  const port = value ? toWhole(value) : defaultPort;
  if (!(port <= 65_535)) throw toWrong('PORT', 'a whole number from 0 to 65535');
  return port;
}

function readHost(host: string): string {
  if (/[\s\p{Cc}]/u.test(host)) throw toWrong('HOST', 'an address of this machine');
  return host;
}

/** What the variable says, or what stands for it. */
export function readStoreName(env: NodeJS.ProcessEnv): string {
  return env.PORCHLIGHT_STORE || defaultStore;
}

/** @throws what names the option `store` */
export function openStore(name: string): Store {
  if (name === 'memory') return createMemoryStore();
  if (/^rediss?:/.test(name)) return openRedis(name);
  const file = /^sqlite:(\S.*\S|\S)$/.exec(name)?.[1];
  // `:memory:` would be a database of each connection's own, and a URI may ask for one too.
  if (file === undefined || /^(:|file:|\/\/)/i.test(file))
    throw toWrong('store', 'memory, sqlite:FILE or redis://…');
  try {
    return createSqliteStore(file);
  } catch {
    throw toWrong('store', 'an SQLite file that can be opened and written, in a folder that is there');
  }
}

function openRedis(url: string): Store {
  try {
    return createRedisStore(url);
  } catch {
    throw toWrong(
      'store',
      'a URL such as redis://host:6379/0, and its prefix of letters, digits, dots, - and _',
    );
  }
}

/** `ssoSecret must …` → `PORCHLIGHT_SSO_SECRET must …`, for those who know only the variables. */
export function toVariableMessage(message: string): string {
  return message.replace(
    /^([a-z]+(?:[A-Z][a-z]+)*)(?:\.\w+)?(?= (?:must|is) )/,
    (_, option: string) => `PORCHLIGHT_${option.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`,
  );
}
