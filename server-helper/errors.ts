/** The one error class of the helper, and how it becomes an RFC 9457 response. */
import { type Problem, type ProblemCode, problems } from './protocol/wire.ts';

/** One sentence for each code. The widget has words of its own, so these stay out of its bundle. */
const titles: Readonly<Record<ProblemCode, string>> = {
  'bad-request': 'The request is not valid',
  unauthenticated: 'No valid session',
  'session-expired': 'The session has expired',
  'sso-token-invalid': 'The SSO token is not valid',
  'sso-token-expired': 'The SSO token has expired',
  'sign-in-required': 'This chat is for signed-in visitors',
  'origin-refused': 'This origin is not on the list',
  'challenge-failed': 'The site could not check this browser',
  'not-allowed': 'The site owner does not allow this',
  'not-found': 'Not found',
  'turn-running': 'Another turn of this conversation is running',
  'turn-conflict': 'This turn id is taken by something else',
  'too-large': 'Too large',
  'unsupported-media-type': 'Send application/json in UTF-8 without content-encoding',
  'rate-limited': 'Too many requests',
  'agent-unavailable': 'The agent cannot be reached',
  'agent-timeout': 'The agent was silent for too long',
  'agent-refused': 'The agent refused the call',
  'shutting-down': 'The helper is shutting down',
  internal: 'Something went wrong here',
};

export class HelperError extends Error {
  override name = 'HelperError';
  /**
   * @param code a code of the closed union; status and retryability hang from it
   * @param detail one sentence for the caller; never holds a key, a token or a visitor's text
   * @param agentCode the agent's own word for it, for the log alone
   */
  constructor(
    readonly code: ProblemCode,
    readonly detail?: string,
    readonly retryAfterMs?: number,
    readonly agentCode?: string,
  ) {
    super(detail ?? titles[code]);
  }
}

/** One of the helper's own limits was reached. */
export class LimitReached extends HelperError {
  /** @param limit its name, for the operator */
  constructor(
    readonly limit: string,
    retryAfterMs: number,
    detail?: string,
  ) {
    super('rate-limited', detail, retryAfterMs);
  }
}

/** Anything thrown → a `HelperError`; what is not ours is `internal`. */
export function toHelperError(error: unknown): HelperError {
  return error instanceof HelperError ? error : new HelperError('internal');
}

/** The cause in a word for an operator: our own code, or the system's in our spelling, `SQLITE_FULL` as `sqlite-full`. */
export function toCauseCode(error: unknown): string {
  if (error instanceof HelperError) return error.code;
  const { code } = (error ?? {}) as { code?: unknown };
  const isCode = typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,40}$/.test(code);
  return isCode ? code.toLowerCase().replaceAll('_', '-') : 'internal';
}

/** RFC 9457 body. `type` is a stable name, not an address to fetch. */
export function toProblem(error: HelperError): Problem {
  const { status } = problems[error.code];
  const problem: Problem = {
    type: `urn:porchlight:problem:${error.code}`,
    title: titles[error.code],
    status,
    code: error.code,
  };
  if (error.detail !== undefined) problem.detail = error.detail;
  if (error.retryAfterMs !== undefined) problem.retryAfterMs = error.retryAfterMs;
  return problem;
}

export function toProblemResponse(error: HelperError): Response {
  const headers: Record<string, string> = {
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  };
  if (error.retryAfterMs !== undefined)
    headers['retry-after'] = String(Math.max(1, Math.ceil(error.retryAfterMs / 1000)));
  if (error.code === 'unauthenticated' || error.code === 'session-expired')
    headers['www-authenticate'] = 'Bearer';
  return new Response(JSON.stringify(toProblem(error)), { status: problems[error.code].status, headers });
}
