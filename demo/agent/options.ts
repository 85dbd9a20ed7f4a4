/** The options of the agent service, checked once, at construction. */

import { isAddress, toKey } from './email/address.ts';
import type { AgentEvent } from './events.ts';
import { type Limits, type PlanName, plans } from './plans.ts';
import type { BotBranding } from './store/bots.ts';
import type { Role } from './store/keys.ts';
import { readTools, type ToolOptions } from './tools.ts';
import { readWebhook, type WebhookOptions } from './webhooks/options.ts';

export interface BotOptions {
  name?: string;
  instruction?: string;
  branding?: Partial<BotBranding>;
}

export interface ProviderOptions {
  /** Base URL of an OpenAI-compatible API, for example `http://127.0.0.1:11434/v1`. */
  host: string;
  key?: string;
  model: string;
}

export interface KeyOptions {
  key: string;
  /** Default: the service's own project. */
  projectId?: string;
  /** What the key's owner is in that project. */
  role: Role;
}

export interface EmailOptions {
  /** Of the server that takes what agents send: `smtp://[user:pass@]host:port` or smtps://. Default: nothing is sent. */
  smtpUrl?: string;
  /** What agents' addresses end in. Default agent.localhost. */
  domain?: string;
  /** Who is told of mail to an agent that is set so. */
  owner?: string;
}

export interface AgentServiceOptions {
  apiKey: string;
  projectId: string;
  botId: string;
  /** Its UTF-8 bytes are the HS256 key; of several, with commas, a token may be signed with each. Without it, `POST /v1/bot/widget/sso` answers 404. */
  ssoSecret?: string;
  /** A file, or `:memory:`. */
  db: string;
  bot?: BotOptions;
  tools?: ToolOptions[];
  provider?: ProviderOptions;
  /** Pace of the built-in answerer. 0 sends as fast as possible. Default 30. */
  wordsPerSecond?: number;
  /** Groups of words that mean one matter on this site, for the built-in answerer: `[["cruiser", "bike"]]`. */
  synonyms?: string[][];
  extraKeys?: KeyOptions[];
  /** E-mail addresses of people who count as members of the project at SSO. */
  memberEmails?: string[];
  /** The model's context window. Default 8,192. */
  contextTokens?: number;
  plan?: PlanName;
  /** Takes the place of the plan's number. */
  requestsPerMinute?: number;
  minTaskIntervalSeconds?: number;
  /** The opening balance of a new agent. Default 100,000. */
  credits?: number;
  /** Who is told of sources and subscribers. Default: nobody. */
  webhook?: WebhookOptions;
  email?: EmailOptions;
  /** Whether the owner's desk is served, at `/desk`. Default false. */
  desk?: boolean;
  /** Whether the retired CRM endpoints answer. Default true. */
  crm?: boolean;
  /** Commands of the site builder's agent: where the machine can do it, or never. Default: `auto` */
  sandbox?: 'auto' | 'off';
  /** `host:port` of private addresses that an attachment or a workflow may name. */
  privateHosts?: string[];
  /** Milliseconds since 1970. */
  now?: () => number;
  /** Resolves after `ms`, or as soon as the signal aborts. */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Receives each event of the log. Default: nobody. */
  log?: (entry: AgentEvent) => void;
}

export interface AgentConfig
  extends Required<
    Omit<
      AgentServiceOptions,
      | 'ssoSecret'
      | 'provider'
      | 'tools'
      | 'bot'
      | 'requestsPerMinute'
      | 'minTaskIntervalSeconds'
      | 'webhook'
      | 'email'
    >
  > {
  /** Of the plan. */
  limits: Limits;
  ssoSecrets: readonly string[];
  provider: ProviderOptions | undefined;
  webhook: WebhookOptions | undefined;
  email: EmailOptions & { domain: string };
  tools: ToolOptions[];
  bot: BotOptions;
}

/** Throws a TypeError that names the option. */
export function readOptions(options: AgentServiceOptions): AgentConfig {
  for (const name of ['apiKey', 'projectId', 'botId', 'db'] as const) {
    if (typeof options[name] !== 'string' || options[name] === '')
      throw new TypeError(`${name}: a non-empty string is needed`);
  }
  const keys = [options.apiKey, ...(options.extraKeys ?? []).map(({ key }) => key)];
  for (const [at, key] of keys.entries()) {
    const name = at === 0 ? 'apiKey' : 'extraKeys';
    // Others cannot be sent.
    if (!/^[!-~]+$/.test(key)) throw new TypeError(`${name}: letters, digits and signs of ASCII are needed`);
    if (keys.indexOf(key) !== at) throw new TypeError(`${name}: one key is given twice`);
  }
  const { ssoSecret, provider, requestsPerMinute, minTaskIntervalSeconds } = options;
  const limits = { ...plans[options.plan ?? 'local'] };
  if (requestsPerMinute !== undefined)
    limits.requests_per_minute = requireNumber('requestsPerMinute', requestsPerMinute, 1);
  if (minTaskIntervalSeconds !== undefined)
    limits.min_task_interval_seconds = requireNumber('minTaskIntervalSeconds', minTaskIntervalSeconds, 0);
  const ssoSecrets = ssoSecret?.split(',').map((one) => one.trim()) ?? [];
  if (ssoSecrets.some((one) => new TextEncoder().encode(one).length < 32))
    throw new TypeError('ssoSecret: at least 32 bytes are needed');
  if (provider && !(URL.canParse(provider.host) && /^https?:$/.test(new URL(provider.host).protocol)))
    throw new TypeError('provider.host: an http or https URL is needed');
  if (provider && provider.model === '') throw new TypeError('provider.model: a name is needed');
  return {
    ...options,
    ssoSecrets,
    provider,
    webhook: readWebhook(options.webhook),
    email: readEmail(options.email ?? {}),
    bot: options.bot ?? {},
    tools: readTools(options.tools ?? []),
    wordsPerSecond: requireNumber('wordsPerSecond', options.wordsPerSecond ?? 30, 0),
    contextTokens: requireNumber('contextTokens', options.contextTokens ?? 8192, 256),
    credits: requireNumber('credits', options.credits ?? 100_000, 0),
    synonyms: requireGroups(options.synonyms ?? []),
    extraKeys: options.extraKeys ?? [],
    memberEmails: (options.memberEmails ?? []).map(toKey),
    plan: options.plan ?? 'local',
    crm: options.crm ?? true,
    sandbox: options.sandbox ?? 'auto',
    desk: options.desk ?? false,
    privateHosts: options.privateHosts ?? [],
    limits,
    now: options.now ?? Date.now,
    sleep: options.sleep ?? sleep,
    log: options.log ?? (() => {}),
  };
}

function readEmail({ smtpUrl, domain = 'agent.localhost', owner }: EmailOptions) {
  if (smtpUrl !== undefined && !/^smtps?:\/\/[^/]/i.test(smtpUrl))
    throw new TypeError('email.smtpUrl: an smtp or smtps URL is needed');
  if (!/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(domain))
    throw new TypeError('email.domain: a domain is needed');
  if (owner !== undefined && !isAddress(owner))
    throw new TypeError('email.owner: an e-mail address is needed');
  return {
    domain: domain.toLowerCase(),
    ...(smtpUrl === undefined ? {} : { smtpUrl }),
    ...(owner === undefined ? {} : { owner }),
  };
}

export function requireGroups(groups: unknown): string[][] {
  const isGroup = (group: unknown) => Array.isArray(group) && group.every((word) => typeof word === 'string');
  if (!Array.isArray(groups) || !groups.every(isGroup))
    throw new TypeError('synonyms: a list of lists of words is needed');
  return groups as string[][];
}

function requireNumber(name: string, value: number, least: number): number {
  if (!Number.isFinite(value) || value < least) throw new TypeError(`${name}: a number from ${least}`);
  return value;
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end);
  });
}
