/** The helper's options, checked once at construction: a mistake is a `TypeError` that names the option. */
import { type AttachmentRules, type AttachmentsOption, readAttachments } from './attachments/option.ts';
import { type Allowances, allowanceNames, toAllowances } from './auth/allowances.ts';
import type { Challenge } from './auth/challenge.ts';
import { consoleLog, createLastingLog, type Log } from './log.ts';
import {
  readAgentUrl,
  readBasePath,
  readCounts,
  readFunction,
  readLine,
  readObject,
  readOneOf,
  readOrigins,
  readPrintable,
  readSecrets,
  readSomeOf,
  readWhole,
  readWorkspace,
} from './option.ts';
import { type ReasoningMode, reasoningModes } from './protocol/wire.ts';
import type { Store } from './store/store.ts';
import { type ReadTool, readTools, type SiteTool } from './tools/option.ts';

export type AgentEvent = { event: string; [field: string]: unknown };
export type WorkspaceOption =
  | 'conversation'
  | 'visitor'
  /** The uuid of one workspace for all. */
  | (string & {})
  | ((about: WorkspaceAbout) => string | Promise<string>);
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
  /**
   * Signs the helper's own sessions; made and kept in the store when absent. At least 32 bytes.
   * Several allow rotation: the first signs, all are taken.
   */
  sessionSecret?: string | readonly string[];
  /** Exact origins whose pages may call, besides the helper's own. */
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
  /**
   * Asked before a guest's first question, as Turnstile or hCaptcha would be: `true` lets the guest ask from then on,
   * anything else, a throw and no answer within 10 s refuse with `challenge-failed`.
   */
  challenge?: Challenge;
  /** What the site's own backend does for the agent, by the names under which the agent knows it. */
  tools?: Readonly<Record<string, SiteTool>>;
  /** Files that visitors may attach to a question. Default none; `true`: four images, PDFs or texts of 5 MB. */
  attachments?: boolean | AttachmentsOption;
  /** Reasoning modes a visitor may choose. Default: `auto` alone. */
  reasoningModes?: readonly ReasoningMode[];
  /** How much may be asked before somebody has to wait; `off` lifts rate limits, never size limits. Default `on`. */
  limits?: 'on' | 'off' | Partial<Allowances>;
  /** Days that a guest's conversation is kept after its last question, here and at the agent. Default 90. */
  retentionDays?: number;
  /** How many proxies in front of the helper append to X-Forwarded-For. Default 0: the header is ignored. */
  trustedProxies?: number;
  /** Opens `GET /metrics` to who sends it as a bearer. At least 32 bytes. Absent: the route answers 404. */
  metricsToken?: string;
  /** Opens the owner's page, `/admin` under `basePath`, to whoever knows it. 12 characters or more. Absent: the page answers 404. */
  adminPassword?: string;
  log?: Log;
};

export type Config = {
  agentUrl: URL;
  apiKey: string;
  projectId: string;
  botId: string;
  ssoSecrets: readonly string[];
  ssoIssuer: string | undefined;
  /** Empty: one is kept in the store. */
  sessionSecrets: readonly string[];
  origins: ReadonlySet<string> | undefined;
  workspace: WorkspaceOption;
  store: Store;
  basePath: string;
  identity: 'off' | 'optional' | 'required';
  webhookSecrets: readonly string[];
  onAgentEvent: ((event: AgentEvent) => void | Promise<void>) | undefined;
  challenge: Challenge | undefined;
  tools: ReadonlyMap<string, ReadTool>;
  attachments: AttachmentRules | undefined;
  reasoningModes: readonly ReasoningMode[];
  limited: boolean;
  allowances: Allowances;
  retentionDays: number;
  trustedProxies: number;
  metricsToken: string | undefined;
  adminPassword: string | undefined;
  log: Log;
};

/** Both stand in every session, which a browser sends along. */
const mostIdChars = 200;

/** Every option by its name, so that a misspelt one is not taken for none. */
const names: Readonly<Record<keyof HelperOptions, true>> = {
  agentUrl: true,
  apiKey: true,
  projectId: true,
  botId: true,
  ssoSecret: true,
  ssoIssuer: true,
  sessionSecret: true,
  origins: true,
  workspace: true,
  store: true,
  basePath: true,
  identity: true,
  webhookSecret: true,
  onAgentEvent: true,
  challenge: true,
  tools: true,
  attachments: true,
  reasoningModes: true,
  limits: true,
  retentionDays: true,
  trustedProxies: true,
  metricsToken: true,
  adminPassword: true,
  log: true,
};
const minSecretBytes = 32;
const minPasswordBytes = 12;
const maxProxies = 20;
const maxRetentionDays = 3650;
const defaultRetentionDays = 90;

/** @throws TypeError naming the option and what was expected, never its value */
export function readOptions(options: HelperOptions): Config {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(names, name));
  if (unknown !== undefined) throw new TypeError(`${unknown} is not an option of the helper`);
  const ssoSecrets = readSecrets('ssoSecret', options.ssoSecret, minSecretBytes);
  const identity = readOneOf('identity', options.identity, ['off', 'optional', 'required'], 'optional');
  if (identity === 'required' && ssoSecrets.length === 0)
    throw new TypeError('ssoSecret is missing: identity is required');
  const allowances = readCounts('limits', options.limits, allowanceNames);
  return {
    agentUrl: readAgentUrl('agentUrl', options.agentUrl),
    apiKey: readPrintable('apiKey', options.apiKey),
    projectId: readPrintable('projectId', options.projectId, mostIdChars),
    botId: readPrintable('botId', options.botId, mostIdChars),
    ssoSecrets,
    ssoIssuer: options.ssoIssuer === undefined ? undefined : readLine('ssoIssuer', options.ssoIssuer),
    sessionSecrets: readSecrets('sessionSecret', options.sessionSecret, minSecretBytes),
    origins: readOrigins('origins', options.origins),
    workspace: readWorkspace('workspace', options.workspace),
    store: readObject(
      'store',
      options.store,
      ['beginTurn'],
      'what createMemoryStore() or createSqliteStore(file) gives',
    ),
    basePath: readBasePath('basePath', options.basePath),
    identity,
    webhookSecrets: readSecrets('webhookSecret', options.webhookSecret, 1),
    onAgentEvent: readFunction('onAgentEvent', options.onAgentEvent),
    challenge: readFunction('challenge', options.challenge),
    tools: readTools('tools', options.tools),
    attachments: readAttachments('attachments', options.attachments),
    reasoningModes: readSomeOf('reasoningModes', options.reasoningModes, reasoningModes, ['auto']),
    limited: allowances !== undefined,
    allowances: toAllowances(allowances ?? {}, ssoSecrets.length > 0 && identity !== 'off'),
    retentionDays: readWhole(
      'retentionDays',
      options.retentionDays,
      1,
      maxRetentionDays,
      defaultRetentionDays,
    ),
    trustedProxies: readWhole('trustedProxies', options.trustedProxies, 0, maxProxies),
    metricsToken: readHeaderSecret('metricsToken', options.metricsToken, minSecretBytes),
    adminPassword: readHeaderSecret('adminPassword', options.adminPassword, minPasswordBytes),
    log: createLastingLog(
      readObject(
        'log',
        options.log ?? consoleLog,
        ['info', 'warn', 'error'],
        'a logger with info, warn and error',
      ),
    ),
  };
}

/** One alone, and such as can travel in a header. */
function readHeaderSecret(name: string, value: unknown, minBytes: number): string | undefined {
  if (value === undefined) return undefined;
  return readSecrets(name, [readPrintable(name, value)], minBytes)[0];
}
