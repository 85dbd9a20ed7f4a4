/** Calls the agent service: the one place that holds its key, its address, its time limits and its error shapes. */
import { HelperError } from '../errors.ts';
import { createPace, type Log, toLogFields } from '../log.ts';
import { AgentReplyTooLarge, toAgentError } from './failure.ts';
import { createQuota, type Quota } from './quota.ts';
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

/** Sends one request and never follows a redirect. On Node over its sockets, elsewhere by fetch. */
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
  /** What came of a call: `ok`, a status, `unreachable`, `timeout`. */
  note(outcome: string): void;
  /** Tells the operator why a call never began. */
  tellUnreachable(path: string, cause: unknown): void;
  /** A JSON call. @throws HelperError */
  call(method: string, path: string, options?: Call): Promise<unknown>;
  /** Whether anybody answers there: without the key, so that it is none of the calls of our plan. @throws HelperError */
  touch(path: string, timeoutMs: number): Promise<void>;
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
  note: (outcome: string) => void = () => {},
): AgentHttp {
  const isDue = createPace(nowMs);
  const quota = createQuota((limit, remaining) => {
    if (isDue('quota')) target.log.warn({ limit, remaining }, 'the agent’s rate limit is nearly used up');
  });
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
  const toUrl = (path: string) => new URL(target.agentUrl.href.replace(/\/$/, '') + path);
  const toOutgoing = (method: string, path: string, { query, body }: Call): Outgoing => {
    const url = toUrl(path);
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
    note,
    tellUnreachable,
    open: (method, path, options, exchange) => dispatch(toOutgoing(method, path, options), exchange),
    touch: (path, timeoutMs) =>
      new Promise((resolve, reject) => {
        const fail = (code: 'agent-unavailable' | 'agent-timeout') => {
          aliveAt = Number.NEGATIVE_INFINITY;
          reject(new HelperError(code));
        };
        const request = {
          method: 'GET',
          url: toUrl(path),
          headers: { accept: 'application/json' },
          body: undefined,
        };
        let isThere: boolean | undefined;
        const exchange = dispatch(request, {
          onStart(status) {
            isThere = status < 500;
            if (isThere) resolve();
            else fail('agent-unavailable');
          },
          onData() {},
          onEnd: () => clearTimeout(timer),
          onError(cause) {
            clearTimeout(timer);
            if (isThere !== undefined) return;
            tellUnreachable(path, cause);
            fail('agent-unavailable');
          },
        });
        const timer = setTimeout(() => {
          if (isThere === undefined) fail('agent-timeout');
          exchange.abort();
        }, timeoutMs);
      }),
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
            note(toOutcome(status));
            header = startHeader;
          },
          onData(chunk) {
            bytes += chunk.length;
            if (bytes <= maxReplyBytes) return void parts.push(chunk.slice());
            if (isDue('too-large')) target.log.warn({ path }, 'a reply of the agent is larger than 8 MiB');
            // First: an abort is told before it returns.
            fail(new AgentReplyTooLarge());
            exchange.abort();
          },
          onError(cause) {
            // Our own abort says nothing of the agent.
            if (status === 0 && cause !== undefined) {
              note('unreachable');
              tellUnreachable(path, cause);
            }
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
          if (status === 0) note('timeout');
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

export function toOutcome(status: number): string {
  return isSuccess(status) ? 'ok' : String(status);
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}
