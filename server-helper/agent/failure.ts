/** What a failed call of the agent means: its status and body, or why it never began, in our own codes. */
import { HelperError } from '../errors.ts';
import { asWord, type Log } from '../log.ts';
import { planPaths } from './plan.ts';
import { toMs } from './quota.ts';
import { toReason } from './unreachable.ts';

/** Where a question goes. */
export const chatPath = '/v1/bot/chat';
const workspacePath = '/v1/bot/workspace/create';
/** Where nothing can be missing but the project and the bot. */
const targetPaths: readonly string[] = [chatPath, '/v1/bot/read', workspacePath];

const unknownTarget = 'the agent does not know what is asked: check project and bot';

/** The agent's status → our code. Its 401 and 403 are about the helper's key, so they never become the visitor's. */
export function toAgentError(
  status: number,
  header: (name: string) => string | undefined,
  body: string,
  log: Log,
  path: string,
): HelperError {
  const code = readErrorCode(body);
  if (status === 429) {
    const retryAfterMs = toRetryAfterMs(header('retry-after'), header('x-ratelimit-reset'), Date.now());
    log.warn({ code: 'rate-limited', path, retryAfterMs }, 'the agent limits the rate');
    return path === chatPath
      ? new AgentUntaken('rate-limited', retryAfterMs)
      : new HelperError('rate-limited', undefined, retryAfterMs);
  }
  if (status === 404 && code !== 'bot_not_found') {
    const isGone = saysGone(body, code);
    const fields = { code: 'agent-refused', path, status, agentCode: asWord(code) };
    if (path === chatPath && code === 'workspace_not_found') {
      log.warn(fields, 'the agent does not have the workspace: another is made, unless one is set');
      return new WorkspaceMissing();
    }
    // Without some it does as well.
    if (!isGone && !optionalPath.test(path) && !planPaths.includes(path))
      log.warn(fields, 'the agent has no such path');
    // Of anything else it is an answer.
    else if (targetPaths.includes(path)) log.error(fields, unknownTarget);
    return new AgentMissing(isGone);
  }
  if (status >= 400 && status < 500 && status !== 408 && status !== 409) {
    const fields = { code: 'agent-refused', path, status, agentCode: asWord(code) };
    if (planPaths.includes(path)) return new HelperError('agent-refused');
    if (status === 404) log.error(fields, unknownTarget);
    else if (code === 'plan_limit_reached' && path === workspacePath)
      log.error(fields, 'the plan’s workspaces are used up: no new conversation can begin');
    else if (code === 'sso_token_invalid')
      log.error(fields, 'the agent refused an SSO token: it knows another secret, or takes no such claims');
    else if (status <= 403 && status > 400)
      log.error(fields, 'the agent refused: check key, plan and credits');
    else log.error(fields, 'the agent refused what it was asked');
    return new HelperError('agent-refused');
  }
  const said =
    status < 400 ? 'the agent sends elsewhere: set PORCHLIGHT_AGENT_URL to where it is' : 'the agent failed';
  log.warn({ code: 'agent-unavailable', path, status, agentCode: asWord(code) }, said);
  return untakenStatuses.includes(status) ? new AgentUntaken() : new HelperError('agent-unavailable');
}

/** To go on with a running reply: an agent that has neither is asked for its record. */
const optionalPath = /\/(subscribe|stream-status)$/;

/** Nobody holds so much: less has to be asked for at once. */
export class AgentReplyTooLarge extends HelperError {
  constructor() {
    super('agent-unavailable');
  }
}

/** The call never reached the agent, or was turned away before it was read. */
export class AgentUntaken extends HelperError {
  constructor(code: 'agent-unavailable' | 'rate-limited' = 'agent-unavailable', retryAfterMs?: number) {
    super(code, undefined, retryAfterMs);
  }
}

const untakenCauses =
  /^(econnrefused|enotfound|eai-again|ehostunreach|enetunreach|connect-timeout|und-err-connect-timeout)$/;
/** Conflict: it is busy with another call. Service unavailable. */
const untakenStatuses = [409, 503];

/** @param cause why the call broke off before its reply began; absent where we aborted it */
export function toCallError(cause: unknown): HelperError {
  return untakenCauses.test(toReason(cause)) ? new AgentUntaken() : new HelperError('agent-unavailable');
}

/** A 404: some callers take it for an answer. */
export class AgentMissing extends HelperError {
  /** @param isGone the agent itself says that what was named is not there */
  constructor(readonly isGone: boolean) {
    super('agent-refused');
  }
}

/** The workspace that a question named was deleted there: nothing was asked. */
export class WorkspaceMissing extends AgentMissing {
  constructor() {
    super(true);
  }
}

/** Whether what the call named is not there, so that nothing is left to do about it. */
export function isGone(error: unknown): boolean {
  return error instanceof AgentMissing && error.isGone;
}

/** Not what a gateway before the agent says, nor what the agent says of a path that it does not serve. */
function saysGone(body: string, code: string | undefined): boolean {
  if (code !== undefined) return /[^a-z]not[^a-z]found$/i.test(code);
  try {
    return typeof JSON.parse(body).error === 'string';
  } catch {
    return false;
  }
}

function readErrorCode(body: string): string | undefined {
  try {
    const { error, code } = JSON.parse(body) as { error?: { code?: unknown }; code?: unknown };
    const said = error?.code ?? code;
    return typeof said === 'string' ? said : undefined;
  } catch {
    return undefined;
  }
}

const maxWaitMs = 24 * 3600_000;

/** Retry-After in seconds or as a date (RFC 9110 10.2.3), else X-RateLimit-Reset in unix seconds, else a minute. */
export function toRetryAfterMs(
  retryAfter: string | undefined,
  reset: string | undefined,
  nowMs: number,
): number {
  const bounded = (ms: number) => Math.min(maxWaitMs, Math.max(1000, Math.ceil(ms)));
  if (retryAfter !== undefined && /^\d+$/.test(retryAfter)) return bounded(Number(retryAfter) * 1000);
  const date = retryAfter === undefined ? Number.NaN : Date.parse(retryAfter);
  if (!Number.isNaN(date)) return bounded(date - nowMs);
  if (reset !== undefined && /^\d+$/.test(reset)) return bounded(toMs(Number(reset)) - nowMs);
  return 60_000;
}

/** What the agent says within an answer that has begun. @param status as it would have answered instead */
export function toFrameError(status: number | undefined, agentCode: string | undefined): HelperError {
  const isRefusal = status !== undefined && status < 500;
  const code = status === 429 ? 'rate-limited' : isRefusal ? 'agent-refused' : 'agent-unavailable';
  return new HelperError(code, undefined, undefined, agentCode);
}
