/** The one error class of the helper, and how it becomes an RFC 9457 response. */
import { type Problem, type ProblemCode, problems } from './protocol/wire.ts';

export class HelperError extends Error {
  override name = 'HelperError';
  /**
   * @param code a code of the closed union; status and retryability hang from it
   * @param detail one sentence for the caller; never holds a key, a token or a visitor's text
   */
  constructor(
    readonly code: ProblemCode,
    readonly detail?: string,
    readonly retryAfterMs?: number,
  ) {
    super(detail ?? problems[code].title);
  }
}

/** Anything thrown → a `HelperError`; what is not ours is `internal`. */
export function toHelperError(error: unknown): HelperError {
  return error instanceof HelperError ? error : new HelperError('internal');
}

/** RFC 9457 body. `type` is a stable name, not an address to fetch. */
export function toProblem(error: HelperError): Problem {
  const { status, title } = problems[error.code];
  const problem: Problem = { type: `urn:porchlight:problem:${error.code}`, title, status, code: error.code };
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
