/** Calls the agent service: the one place that holds its key, its address, its time limits and its error shapes. */
import { HelperError } from '../errors.ts';
import { type Log, toLogFields } from '../log.ts';
import { createQuota, type Quota, toMs } from './quota.ts';
import { createUnreachable } from './unreachable.ts';

export type AgentTarget = { agentUrl: URL; apiKey: string; projectId: string; botId: string; log: Log };

export type Outgoing = {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body: string | undefined;
};

/** Called back from the socket: no promise and no web stream stands between the agent's bytes and the turn. */
export type Exchange = {
  onStart(status: number, header: (name: string) => string | undefined): void;
  onData(bytes: Uint8Array): void;
  onEnd(): void;
  /** Connection refused, reset, or aborted by us. @param cause absent where we aborted */
  onError(cause?: unknown): void;
};

/** Sends one request and never follows a redirect. On Node undici, elsewhere fetch. */
export type Dispatch = (request: Outgoing, exchange: Exchange) => { abort(): void };

export type Query = Record<string, string | number | undefined>;
export type Call = { query?: Query; body?: Record<string, unknown>; timeoutMs?: number };

export type AgentHttp = {
  readonly target: AgentTarget;
  readonly quota: Quota;
  /** How far the agent's clock is ahead of ours, in milliseconds; 0 for a few seconds. */
  readonly aheadMs: number;
  /** When the latest call showed that the agent is there and serves us; in the past for ever where it did not. */
  readonly aliveAt: number;
  /** Tells the operator why a call never began. */
  tellUnreachable(path: string, cause: unknown): void;
  /** A JSON call. @throws HelperError */
  call(method: string, path: string, options?: Call): Promise<unknown>;
  /** A call whose answer arrives piece by piece. */
  open(method: string, path: string, options: Call, exchange: Exchange): { abort(): void };
};

const callTimeoutMs = 15_000;
/** The Date header has whole seconds, and a reply takes its time. */
const leewayMs = 5_000;
const tellMs = 30_000;
const maxReplyBytes = 8 * 1024 * 1024;

/** @param nowMs monotonic */
export function createAgentHttp(
  target: AgentTarget,
  dispatch: Dispatch,
  nowMs = () => performance.now(),
): AgentHttp {
  const quota = createQuota();
  const tellUnreachable = createUnreachable(target.log, nowMs);
  let aliveAt = Number.NEGATIVE_INFINITY;
  let aheadMs = 0;
  const noteDate = (date: string | undefined) => {
    const ahead = Date.parse(date ?? '') - Date.now();
    const before = aheadMs;
    aheadMs = Math.abs(ahead) > leewayMs ? ahead : 0;
    if (Math.abs(aheadMs) > tellMs && before === 0)
      target.log.warn({ aheadMs }, 'the clocks of the agent and of this helper differ');
  };
  const toOutgoing = (method: string, path: string, { query, body }: Call): Outgoing => {
    const url = new URL(target.agentUrl.href.replace(/\/$/, '') + path);
    const ids = { project_id: target.projectId, bot_id: target.botId };
    if (!body)
      for (const [name, value] of Object.entries({ ...ids, ...query }))
        if (value !== undefined) url.searchParams.set(name, String(value));
    const headers: Record<string, string> = {
      authorization: `Bearer ${target.apiKey}`,
      accept: 'application/json, text/event-stream',
    };
    if (body) headers['content-type'] = 'application/json';
    return { method, url, headers, body: body && JSON.stringify({ ...body, ...ids }) };
  };

  return {
    target,
    quota,
    get aheadMs() {
      return aheadMs;
    },
    get aliveAt() {
      return aliveAt;
    },
    tellUnreachable,
    open: (method, path, options, exchange) => dispatch(toOutgoing(method, path, options), exchange),
    call: (method, path, options = {}) =>
      new Promise((resolve, reject) => {
        const parts: Uint8Array[] = [];
        let bytes = 0;
        let status = 0;
        let header: (name: string) => string | undefined = () => undefined;
        const settle = (end: () => void) => {
          clearTimeout(timer);
          end();
        };
        const fail = (error: HelperError) => {
          aliveAt = Number.NEGATIVE_INFINITY;
          settle(() => reject(error));
        };
        const exchange = dispatch(toOutgoing(method, path, options), {
          onStart(startStatus, startHeader) {
            status = startStatus;
            header = startHeader;
          },
          onData(chunk) {
            bytes += chunk.length;
            if (bytes <= maxReplyBytes) parts.push(chunk.slice());
            else exchange.abort();
          },
          onError(cause) {
            if (status === 0) tellUnreachable(path, cause);
            fail(new HelperError('agent-unavailable'));
          },
          onEnd() {
            settle(() => {
              const text = new TextDecoder().decode(concat(parts));
              const isFine = isSuccess(status);
              aliveAt = status === 429 ? nowMs() : Number.NEGATIVE_INFINITY;
              const error = isFine ? undefined : toAgentError(status, header, text, target.log, path);
              noteDate(header('date'));
              quota.note(header, status === 429 ? error?.retryAfterMs : undefined);
              if (error) return reject(error);
              try {
                const reply: unknown = text === '' ? undefined : JSON.parse(text);
                aliveAt = nowMs();
                resolve(reply);
              } catch (error) {
                target.log.warn(
                  { ...toLogFields(error), path },
                  'the agent answered with something else than JSON',
                );
                reject(new HelperError('agent-unavailable'));
              }
            });
          },
        });
        const timer = setTimeout(() => {
          aliveAt = Number.NEGATIVE_INFINITY;
          reject(new HelperError('agent-timeout'));
          exchange.abort();
        }, options.timeoutMs ?? callTimeoutMs);
      }),
  };
}

export function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

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
    return new HelperError('rate-limited', undefined, retryAfterMs);
  }
  if (status === 404 && code !== 'bot_not_found') {
    const isGone = saysGone(body, code);
    if (!isGone)
      log.warn({ code: 'agent-refused', path, status, agentCode: code }, 'the agent has no such path');
    return new AgentMissing(isGone);
  }
  if (status >= 400 && status < 500 && status !== 408 && status !== 409) {
    log.error(
      { code: 'agent-refused', path, status, agentCode: code },
      'the agent refused: check key, plan and credits',
    );
    return new HelperError('agent-refused');
  }
  log.warn({ code: 'agent-unavailable', path, status, agentCode: code }, 'the agent failed');
  return new HelperError('agent-unavailable');
}

/** A 404: some callers take it for an answer. */
export class AgentMissing extends HelperError {
  /** @param isGone the agent itself says that what was named is not there */
  constructor(readonly isGone: boolean) {
    super('agent-refused');
  }
}

/** Whether what the call named is not there, so that nothing is left to do about it. */
export function isGone(error: unknown): boolean {
  return error instanceof AgentMissing && error.isGone;
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
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

/** Only the code, a word: the message might quote a visitor. */
function readErrorCode(body: string): string | undefined {
  try {
    const { error, code } = JSON.parse(body) as { error?: { code?: unknown }; code?: unknown };
    const found = error?.code ?? code;
    return typeof found === 'string' && /^[\w.-]{1,64}$/.test(found) ? found : undefined;
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
