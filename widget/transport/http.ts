/** One call to the helper: a Response that is good, or a `WidgetError` with a code. */
import { isProblemCode, type WidgetCode, WidgetError } from '../errors.ts';
import { tellOwner } from '../states.ts';

export type Call = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the helper's base. */
  path: string;
  body?: object | undefined;
  lastEventId?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Ends the reading of a stream, which `signal` ends until its first byte alone. */
  line?: AbortController | undefined;
};

/** To the last byte; to the first of a stream, which then has its own watch. */
const replyTimeoutMs = 30_000;

/** @throws WidgetError; what only the site owner can mend is said on the console too */
export async function callHelper(helper: string, call: Call & { session?: string }): Promise<Response> {
  try {
    return await request(helper, call);
  } catch (error) {
    if (error instanceof WidgetError) tellOwner(error.code, helper);
    throw error;
  }
}

async function request(helper: string, call: Call & { session?: string }): Promise<Response> {
  const headers: Record<string, string> = {};
  if (call.session !== undefined) headers.authorization = `Bearer ${call.session}`;
  if (call.body) headers['content-type'] = 'application/json';
  if (call.lastEventId !== undefined) headers['last-event-id'] = String(call.lastEventId);
  const aborter = call.line ?? new AbortController();
  const onAbort = () => aborter.abort();
  call.signal?.addEventListener('abort', onAbort);
  if (call.signal?.aborted) onAbort();
  const timer = setTimeout(onAbort, replyTimeoutMs);
  let response: Response;
  try {
    response = await fetch(helper + call.path, {
      method: call.method,
      headers,
      body: JSON.stringify(call.body),
      signal: aborter.signal,
      credentials: 'omit',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
    });
  } catch {
    // A lost connection, a refused one and a refused origin are all the same to fetch.
    if (call.signal?.aborted) throw new WidgetError('aborted');
    throw new WidgetError(navigator.onLine ? 'unreachable' : 'offline');
  } finally {
    call.signal?.removeEventListener('abort', onAbort);
  }
  const type = response.headers.get('content-type') ?? '';
  // All that a visitor ever said may take longer.
  if (type.includes('event-stream') || call.path === '/visitor') clearTimeout(timer);
  // Something else may stand where the helper is said to be: a page for every address, a proxy that refuses.
  if (call.path === '/session' && (response.status === 404 || !type.includes('json')))
    throw new WidgetError('unreachable');
  // Else what a page for every address or a portal says would pass for done.
  if (response.ok && type.includes('html')) throw new WidgetError('bad-stream');
  if (response.ok) return response;
  throw await readProblem(response);
}

async function readProblem(response: Response): Promise<WidgetError> {
  // The page of something in between says nothing: the status is all there is.
  const problem: { code?: unknown; retryAfterMs?: unknown } | null = await response.json().catch(() => null);
  const { code, retryAfterMs } = problem ?? {};
  if (isProblemCode(code)) return new WidgetError(code, Number(retryAfterMs) || undefined, response.status);
  // No helper has said so, which may be restarting behind its proxy: it may pass.
  const known: Record<number, WidgetCode> = { 413: 'too-large', 429: 'rate-limited' };
  return new WidgetError(known[response.status] ?? 'unreachable');
}
