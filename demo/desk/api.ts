/** Calls of the agent's API with the key that was entered, which this tab alone keeps. */

export const projectId = document.querySelector<HTMLMetaElement>('meta[name=project]')!.content;
const keyName = 'desk-key';
const timeoutMs = 60_000;
/** What the agent says takes as long as that takes. */
const runMs = 600_000;

export class ApiError extends Error {
  readonly code: string;
  /** When the service takes it again, where it says so. */
  readonly retryMs: number | undefined;
  constructor(code: string, message: string, retryMs?: number) {
    super(message);
    this.code = code;
    this.retryMs = retryMs;
  }
}

export const readKey = () => sessionStorage.getItem(keyName);
export const keepKey = (key: string) => sessionStorage.setItem(keyName, key);
export const forgetKey = () => sessionStorage.removeItem(keyName);

/** While the key is replaced, and after it nothing is asked with the old one. */
let replacing: Promise<unknown> | undefined;

/** @param work keeps the new key where it is the one that is used here */
export async function replaceKey(work: () => Promise<void>) {
  const done = work();
  replacing = done.catch(() => {});
  await done;
}

export type Input = Readonly<Record<string, unknown>>;
/** What the API answers, field by field. */
// biome-ignore lint/suspicious/noExplicitAny: the shapes are the API's, and are read where they are shown.
export type Answer = any;

/** Throws an ApiError. */
export async function call(method: string, path: string, input: Input = {}): Promise<Answer> {
  const all = { project_id: projectId, ...input };
  const isInQuery = method === 'GET' || method === 'DELETE';
  const query = isInQuery
    ? `?${new URLSearchParams(Object.entries(all).map(([name, value]) => [name, String(value)]))}`
    : '';
  await replacing;
  const key = readKey();
  const ms = /\/(trigger|run)$/.test(path) ? runMs : timeoutMs;
  let response: Response;
  try {
    response = await fetch(`${path}${query}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: isInQuery ? null : JSON.stringify(all),
      signal: AbortSignal.timeout(ms),
    });
  } catch (thrown) {
    if ((thrown as Error).name === 'TimeoutError')
      throw new ApiError('timeout', 'There is no answer yet. What was asked may go on: look again later.');
    throw new ApiError('unreachable', 'The agent service cannot be reached.');
  }
  const body = (await response.json().catch(() => undefined)) as Answer;
  const isRead = typeof body === 'object' && body !== null;
  if (response.ok && isRead) return body.data ?? body;
  if (response.status === 401) await replacing;
  if (response.status === 401 && key !== readKey())
    throw new ApiError('key_changed', 'Another key was entered meanwhile. Try again.');
  // The API has two shapes of errors.
  const error = typeof body?.error === 'object' ? body.error : { code: body?.code, message: body?.error };
  const wait = Number(response.headers.get('retry-after') ?? Number.NaN);
  throw new ApiError(
    error?.code ?? 'unknown',
    error?.message ??
      `The service answered ${response.status}${isRead ? '' : ', and nothing that can be read'}.`,
    Number.isFinite(wait) ? Math.min(wait, 60) * 1000 : undefined,
  );
}
