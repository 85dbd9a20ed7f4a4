/** What an environment says of the service. Throws a TypeError that names the variable, never its value. */

import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { isAddress } from './email/address.ts';
import { type AgentServiceOptions, requireGroups } from './options.ts';
import { type PlanName, plans } from './plans.ts';
import { type Role, roles } from './store/keys.ts';
import { readTools } from './tools.ts';
import type { WebhookEvent } from './webhooks/events.ts';
import type { WebhookOptions } from './webhooks/options.ts';

/** A hundred years and some. */
const mostOffset = 4_000_000_000;

type Env = Readonly<Record<string, string | undefined>>;

export function readEnvironment(env: Env): Partial<AgentServiceOptions> {
  return {
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
    ...readProvider(env),
  };
}

function readNumber(
  env: Env,
  name: string,
  option: keyof AgentServiceOptions | keyof WebhookOptions,
  least: number,
) {
  const value = env[name];
  if (!value) return {};
  const number = value.trim() === '' ? Number.NaN : Number(value);
  if (!Number.isSafeInteger(number) || number < least)
    throw new TypeError(`${name}: a whole number from ${least}`);
  return { [option]: number };
}

function readOwn(env: Env): Partial<AgentServiceOptions> {
  const { AGENT_PLAN: plan, AGENT_KEYS: keys, AGENT_MEMBER_EMAILS: emails, AGENT_PRIVATE_HOSTS: hosts } = env;
  if (plan && !Object.hasOwn(plans, plan))
    throw new TypeError(`AGENT_PLAN: one of ${Object.keys(plans).join(', ')}`);
  const { AGENT_CRM: crm, AGENT_DESK: desk, AGENT_SANDBOX: sandbox } = env;
  if (desk && desk !== 'on' && desk !== 'off') throw new TypeError('AGENT_DESK: on or off');
  if (crm && crm !== 'on' && crm !== 'off') throw new TypeError('AGENT_CRM: on or off');
  if (sandbox && sandbox !== 'auto' && sandbox !== 'off') throw new TypeError('AGENT_SANDBOX: auto or off');
  const offset = Number(env.AGENT_CLOCK_OFFSET_SECONDS || 0);
  if (!(Math.abs(offset) <= mostOffset))
    throw new TypeError(`AGENT_CLOCK_OFFSET_SECONDS: a number, ${mostOffset} at most`);
  return {
    ...(plan ? { plan: plan as PlanName } : {}),
    ...(keys ? { extraKeys: requireSome('AGENT_KEYS', keys).map(readKey) } : {}),
    ...(crm ? { crm: crm === 'on' } : {}),
    ...(sandbox ? { sandbox: sandbox as 'auto' | 'off' } : {}),
    desk: desk === 'on',
    ...(emails ? { memberEmails: requireSome('AGENT_MEMBER_EMAILS', emails).map(readAddress) } : {}),
    ...(hosts ? { privateHosts: requireSome('AGENT_PRIVATE_HOSTS', hosts).map(readHost) } : {}),
    ...(offset === 0 ? {} : { now: () => Date.now() + Math.round(offset * 1000) }),
  };
}

function readWebhookOptions(env: Env): Partial<AgentServiceOptions> {
  const { AGENT_WEBHOOK_URL: url, AGENT_WEBHOOK_SECRET: secret, AGENT_WEBHOOK_EVENTS: events } = env;
  refuseWithout(env, 'AGENT_WEBHOOK_URL', [
    'AGENT_WEBHOOK_SECRET',
    'AGENT_WEBHOOK_EVENTS',
    'AGENT_WEBHOOK_RETRY_MS',
  ]);
  if (!url) return {};
  if (!secret) throw new TypeError('AGENT_WEBHOOK_SECRET: needed with AGENT_WEBHOOK_URL');
  const webhook = {
    url,
    secret,
    ...(events ? { events: requireSome('AGENT_WEBHOOK_EVENTS', events) as WebhookEvent[] } : {}),
    ...readNumber(env, 'AGENT_WEBHOOK_RETRY_MS', 'retryMs', 0),
  };
  return { webhook };
}

/** Commas alone are of no effect, which nobody means. */
function requireSome(name: string, text: string): string[] {
  const list = toList(text);
  if (list.length === 0) throw new TypeError(`${name}: at least one is needed`);
  return list;
}

function readEmailOptions(env: Env): Partial<AgentServiceOptions> {
  const { AGENT_SMTP_URL: smtpUrl, AGENT_EMAIL_DOMAIN: domain, AGENT_OWNER_EMAIL: owner } = env;
  return {
    email: { ...(smtpUrl ? { smtpUrl } : {}), ...(domain ? { domain } : {}), ...(owner ? { owner } : {}) },
  };
}

export function readPort(env: Env, name: string): number | undefined {
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
  const [, port] = /^[^\s/]+:(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined || Number(port) === 0 || Number(port) > 65_535)
    throw new TypeError('AGENT_PRIVATE_HOSTS: host:port is needed');
  return text;
}

function readAddress(text: string): string {
  if (!isAddress(text)) throw new TypeError('AGENT_MEMBER_EMAILS: e-mail addresses are needed');
  return text;
}

/** `role:key` or `role:key:project`. */
function readKey(text: string) {
  const [role, key, projectId, ...more] = text.split(':');
  if (!roles.some((one) => one === role) || !key || projectId === '' || more.length > 0)
    throw new TypeError(`AGENT_KEYS: role:key or role:key:project is needed; roles are ${roles.join(', ')}`);
  return { role: role as Role, key, ...(projectId === undefined ? {} : { projectId }) };
}

/** @returns undefined: plain HTTP */
export function readTls(env: Env): { cert: Buffer; key: Buffer } | undefined {
  const { AGENT_TLS_CERT: cert, AGENT_TLS_KEY: key } = env;
  refuseWithout(env, 'AGENT_TLS_CERT', ['AGENT_TLS_KEY']);
  refuseWithout(env, 'AGENT_TLS_KEY', ['AGENT_TLS_CERT']);
  if (!cert || !key) return undefined;
  const tls = { cert: readPem('AGENT_TLS_CERT', cert), key: readPem('AGENT_TLS_KEY', key) };
  try {
    createSecureContext(tls);
  } catch {
    throw new TypeError('AGENT_TLS_KEY: it is none of this certificate');
  }
  return tls;
}

function readPem(name: string, file: string): Buffer {
  try {
    const pem = readFileSync(file);
    createSecureContext(name === 'AGENT_TLS_CERT' ? { cert: pem } : { key: pem });
    return pem;
  } catch {
    throw new TypeError(`${name}: no readable PEM file`);
  }
}

function readProvider(env: Env): Partial<AgentServiceOptions> {
  const { PROVIDER_HOST: host, PROVIDER_MODEL: model, PROVIDER_KEY: key } = env;
  refuseWithout(env, 'PROVIDER_HOST', ['PROVIDER_MODEL', 'PROVIDER_KEY']);
  if (!host) return {};
  if (!model) throw new TypeError('PROVIDER_MODEL: needed with PROVIDER_HOST');
  return { provider: { host, model, ...(key ? { key } : {}) } };
}

/** Alone the others would be of no effect. */
function refuseWithout(env: Env, name: string, others: readonly string[]) {
  const given = others.find((one) => env[one]);
  if (given && !env[name]) throw new TypeError(`${name}: needed with ${given}`);
}

function readJsonFile<T>(name: string, file: string, read: (value: unknown) => T): T {
  try {
    return read(JSON.parse(readFileSync(file, 'utf8')));
  } catch (thrown) {
    throw new TypeError(`${name}: ${thrown instanceof TypeError ? thrown.message : 'no readable JSON file'}`);
  }
}
