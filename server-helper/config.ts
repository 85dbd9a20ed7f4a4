/** The helper's options, checked once at construction: a mistake is a `TypeError` that names the option. */
import { type Log, silentLog } from './log.ts';
import { type ReasoningMode, reasoningModes } from './protocol/wire.ts';
import type { Store } from './store/store.ts';

export type AgentEvent = { event: string; [field: string]: unknown };
export type WorkspaceOption =
  | 'conversation'
  | 'visitor'
  | (string & {})
  | ((about: WorkspaceAbout) => string);
/** What a function that names the workspace may decide on. */
export type WorkspaceAbout = { owner: string; conversationId: string };

export type HelperOptions = {
  /** Base URL of the agent service, without `/v1`. https, or http on this machine. */
  agentUrl: string;
  apiKey: string;
  projectId: string;
  botId: string;
  /** Secrets that SSO tokens may be signed with, each at least 32 bytes of UTF-8. Several allow rotation. */
  ssoSecret?: string | readonly string[];
  /** `iss` that SSO tokens must carry. */
  ssoIssuer?: string;
  /** Signs the helper's own sessions; made and kept in the store when absent. At least 32 bytes. */
  sessionSecret?: string;
  /** Exact origins whose pages may call. Absent: only the helper's own origin. */
  origins?: readonly string[];
  /** Default `conversation`: each conversation gets a workspace of its own. */
  workspace?: WorkspaceOption;
  store: Store;
  /** Where the helper is mounted. Default `/porchlight`. */
  basePath?: string;
  /** Default `optional`. */
  identity?: 'off' | 'optional' | 'required';
  /** Secrets of the agent's webhooks. Absent: the route answers 404. */
  webhookSecret?: string | readonly string[];
  /** Called once for each signed agent event. */
  onAgentEvent?: (event: AgentEvent) => void | Promise<void>;
  /** Reasoning modes a visitor may choose. Default: `auto` alone. */
  reasoningModes?: readonly ReasoningMode[];
  /** `off` lifts rate limits, never size limits. */
  limits?: 'on' | 'off';
  /** Days that a guest's conversation is kept after its last question, here and at the agent. Default 90. */
  retentionDays?: number;
  /** How many proxies in front of the helper append to X-Forwarded-For. Default 0: the header is ignored. */
  trustedProxies?: number;
  log?: Log;
};

export type Config = {
  agentUrl: URL;
  apiKey: string;
  projectId: string;
  botId: string;
  ssoSecrets: readonly string[];
  ssoIssuer: string | undefined;
  sessionSecret: string | undefined;
  origins: ReadonlySet<string> | undefined;
  workspace: WorkspaceOption;
  store: Store;
  basePath: string;
  identity: 'off' | 'optional' | 'required';
  webhookSecrets: readonly string[];
  onAgentEvent: ((event: AgentEvent) => void | Promise<void>) | undefined;
  reasoningModes: readonly ReasoningMode[];
  limited: boolean;
  retentionDays: number;
  trustedProxies: number;
  log: Log;
};

const maxRetentionDays = 3650;
const utf8 = new TextEncoder();

/** @throws TypeError naming the option, never its value */
export function readOptions(options: HelperOptions): Config {
  const ssoSecrets = readSecrets('ssoSecret', options.ssoSecret);
  const identity = options.identity ?? 'optional';
  if (!['off', 'optional', 'required'].includes(identity))
    throw new TypeError('identity must be off, optional or required');
  if (identity === 'required' && ssoSecrets.length === 0)
    throw new TypeError('identity "required" needs ssoSecret');
  if (!options.store)
    throw new TypeError('store is missing: pass createMemoryStore() or createSqliteStore(file)');
  const sessionSecrets = readSecrets('sessionSecret', options.sessionSecret);
  const modes = options.reasoningModes ?? ['auto'];
  if (modes.length === 0 || modes.some((mode) => !reasoningModes.includes(mode)))
    throw new TypeError(`reasoningModes must be some of ${reasoningModes.join(', ')}`);
  const trustedProxies = options.trustedProxies ?? 0;
  if (!Number.isInteger(trustedProxies) || trustedProxies < 0)
    throw new TypeError('trustedProxies must be a whole number from 0');
  const retentionDays = options.retentionDays ?? 90;
  if (!Number.isInteger(retentionDays) || retentionDays < 1 || retentionDays > maxRetentionDays)
    throw new TypeError(`retentionDays must be a whole number from 1 to ${maxRetentionDays}`);
  return {
    agentUrl: readAgentUrl(options.agentUrl),
    apiKey: readFilled('apiKey', options.apiKey),
    projectId: readFilled('projectId', options.projectId),
    botId: readFilled('botId', options.botId),
    ssoSecrets,
    ssoIssuer: options.ssoIssuer,
    sessionSecret: sessionSecrets[0],
    origins: options.origins === undefined ? undefined : new Set(options.origins.map(readOrigin)),
    workspace: readWorkspace(options.workspace),
    store: options.store,
    basePath: readBasePath(options.basePath ?? '/porchlight'),
    identity,
    webhookSecrets: readSecrets('webhookSecret', options.webhookSecret, 1),
    onAgentEvent: options.onAgentEvent,
    reasoningModes: modes,
    limited: options.limits !== 'off',
    retentionDays,
    trustedProxies,
    log: options.log ?? silentLog,
  };
}

function readFilled(name: string, value: unknown): string {
  if (typeof value !== 'string' || value.trim() === '') throw new TypeError(`${name} is missing`);
  return value;
}

function readSecrets(name: string, value: string | readonly string[] | undefined, minBytes = 32): string[] {
  const secrets = value === undefined ? [] : typeof value === 'string' ? [value] : [...value];
  for (const secret of secrets) {
    if (typeof secret !== 'string' || utf8.encode(secret).length < minBytes)
      throw new TypeError(
        `${name} must have at least ${minBytes} bytes; make one with: openssl rand -hex 32`,
      );
    // One character over and over is long and still guessed at once.
    if (minBytes > 1 && new Set(secret).size < 5) throw new TypeError(`${name} is too easy to guess`);
  }
  return secrets;
}

function readAgentUrl(value: string): URL {
  let url: URL;
  try {
    url = new URL(value);
  } catch {
    throw new TypeError('agentUrl must be an absolute URL');
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new TypeError('agentUrl must be https');
  if (url.username || url.password || url.search || url.hash)
    throw new TypeError('agentUrl must hold no user, query or fragment');
  return url;
}

function readOrigin(value: string): string {
  let origin: string | undefined;
  try {
    origin = new URL(value).origin;
  } catch {}
  if (origin !== value || origin === 'null')
    throw new TypeError('origins must be exact origins such as https://shop.example, without a path');
  return value;
}

function readBasePath(value: string): string {
  if (value === '' || value === '/') return '';
  if (!/^(\/[\w.~-]+)+$/.test(value)) throw new TypeError('basePath must look like /porchlight');
  return value;
}

function readWorkspace(value: WorkspaceOption = 'conversation'): WorkspaceOption {
  if (typeof value === 'function') return value;
  if (typeof value !== 'string' || value.trim() === '')
    throw new TypeError('workspace must be conversation, visitor, a workspace uuid or a function');
  return value;
}
