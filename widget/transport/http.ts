/** One call to the helper: a Response that is good, or a `WidgetError` with a code. */
import { isProblemCode, WidgetError } from '../errors.ts';

export type Call = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the helper's base. */
  path: string;
  body?: object | undefined;
  lastEventId?: number | undefined;
  signal?: AbortSignal | undefined;
};

/** To the first byte; a stream then has its own watch. */
const headersTimeoutMs = 30_000;

export async function callHelper(helper: string, call: Call & { session?: string }): Promise<Response> {
  const headers: Record<string, string> = {};
  if (call.session !== undefined) headers.authorization = `Bearer ${call.session}`;
  if (call.body) headers['content-type'] = 'application/json';
  if (call.lastEventId !== undefined) headers['last-event-id'] = String(call.lastEventId);
  const aborter = new AbortController();
  const onAbort = () => aborter.abort();
  call.signal?.addEventListener('abort', onAbort);
  if (call.signal?.aborted) onAbort();
  const timer = setTimeout(onAbort, headersTimeoutMs);
  let response: Response;
  try {
    response = await fetch(helper + call.path, {
      method: call.method,
      headers,
      body: call.body ? JSON.stringify(call.body) : null,
      signal: aborter.signal,
      credentials: 'omit',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
    });
  } catch {
    // Every way in which fetch rejects is a lost connection, unless we hung up ourselves.
    throw new WidgetError(call.signal?.aborted ? 'aborted' : 'offline');
  } finally {
    clearTimeout(timer);
    call.signal?.removeEventListener('abort', onAbort);
  }
  if (response.ok) return response;
  throw await readProblem(response);
}

async function readProblem(response: Response): Promise<WidgetError> {
  let code: unknown;
  let retryAfterMs: unknown;
  try {
    ({ code, retryAfterMs } = (await response.json()) as { code?: unknown; retryAfterMs?: unknown });
  } catch {
    // A proxy's own page: the status is all there is.
  }
  const fallback = response.status >= 500 ? 'agent-unavailable' : 'bad-request';
  return new WidgetError(
    isProblemCode(code) ? code : fallback,
    typeof retryAfterMs === 'number' ? retryAfterMs : undefined,
    response.status,
  );
}
