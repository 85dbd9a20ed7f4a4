/** Asks one question as a visitor would, and deletes it: whether the key may ask, and whether words come as they are written. */
import type { Config } from '../config.ts';
import { toCauseCode } from '../errors.ts';
import { createSseReader } from '../protocol/sse.ts';
import { mintForCheck } from './check-sign-in.ts';
import type { Finding } from './finding.ts';

const timeoutMs = 60_000;
const removeWithinMs = 5_000;
const loggedWithinMs = 20;
/** An answer that took so long and came all at once was held back on the way. */
const slowMs = 500;
const question = 'Hello';

export type Send = (path: string, init: RequestInit) => Promise<Response>;

/** @param readLast what the helper logged last, where it runs here */
export async function checkQuestion(
  config: Config,
  send: Send,
  readLast?: () => string | undefined,
): Promise<Finding[]> {
  const find = (state: Finding['state'], text: string): Finding[] => [{ about: 'question', state, text }];
  const signal = AbortSignal.timeout(timeoutMs);
  const call = (method: string, path: string, body: object | undefined, session = '') =>
    send(path, {
      method,
      signal,
      headers: { 'content-type': 'application/json', ...(session && { authorization: `Bearer ${session}` }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  const nothing = async (): Promise<number | undefined> => undefined;
  let remove = nothing;
  try {
    const [secret] = config.ssoSecrets;
    const isSigned = config.identity === 'required' && secret !== undefined;
    const opened = await call(
      'POST',
      '/session',
      isSigned ? { ssoToken: await mintForCheck(secret, config) } : {},
    );
    const { session, code } = (await opened.json()) as { session?: string; code?: string };
    if (session === undefined) return find('wrong', `no session is given: ${code ?? opened.status}`);
    const conversation = `/conversations/${crypto.randomUUID()}`;
    // Whatever becomes of it, nothing of it stays.
    remove = async () => {
      const [headers, brief] = [{ authorization: `Bearer ${session}` }, AbortSignal.timeout(removeWithinMs)];
      const init = { method: 'DELETE', signal: brief, headers };
      return (await send(conversation, init).catch(() => undefined))?.status;
    };
    const askedAt = performance.now();
    const asked = await call(
      'PUT',
      `${conversation}/turns/${crypto.randomUUID()}`,
      { text: question },
      session,
    );
    if (!asked.ok || !asked.body) {
      const { code: refused } = (await asked.json().catch(() => ({}))) as { code?: string };
      const asks =
        refused === 'unauthenticated' ? ' Do all processes behind it have one session secret?' : '';
      return find('wrong', `is refused: ${refused ?? asked.status}.${asks}`);
    }
    const times: number[] = [];
    let end = '';
    let why = '';
    const reader = createSseReader(({ event = '', data }) => {
      times.push(performance.now() - askedAt);
      if (/^turn-(completed|failed|stopped|paused)$/.test(event)) end = event;
      if (event !== 'turn-failed') return;
      why = (JSON.parse(data) as { code: string }).code;
    });
    for await (const bytes of asked.body as unknown as AsyncIterable<Uint8Array>) {
      reader.push(bytes);
      if (end !== '') break;
    }
    const [first = 0, last = 0] = [times[0], times.at(-1)];
    if (end === 'turn-failed') {
      // What the helper says of it comes right behind the end.
      await new Promise((resolve) => setTimeout(resolve, loggedWithinMs));
      const logged = readLast ? readLast() : 'The helper’s log says what the agent answered';
      const perhaps =
        why === 'agent-refused' ? 'May the key ask for the purpose “service”, with a workspace?' : '';
      return find('wrong', [`failed: ${why}`, logged, perhaps].filter(Boolean).join('. '));
    }
    if (end === '')
      return find('wrong', 'the answer broke off before its end: does a proxy cut long replies?');
    if (last > slowMs && last - first < last / 10)
      return find(
        'wrong',
        `the answer came all at once after ${Math.round(last)} ms: a proxy holds it back. Switch its buffering off for text/event-stream`,
      );
    const read = await call('GET', conversation, undefined, session);
    if (!read.ok)
      return find(
        'wrong',
        `was answered, and its conversation cannot be read (${read.status}): after a reload a visitor would not see it. Does the agent serve GET /v1/bot/chat/read, and do all processes behind this address share one store?`,
      );
    await read.body?.cancel();
    const removed = await remove();
    remove = nothing;
    if (removed !== undefined && removed >= 400)
      return find(
        'wrong',
        `was answered, and deleting it is refused (${removed}): does a proxy pass DELETE and PATCH on?`,
      );
    return find(
      'ok',
      `answered, the first event after ${Math.round(first)} ms, the last after ${Math.round(last)} ms`,
    );
  } catch (error) {
    const reason = signal.aborted
      ? `not within ${timeoutMs / 1000} s`
      : toCauseCode((error as Error).cause ?? error);
    return find('wrong', `was not answered (${reason})`);
  } finally {
    await remove();
  }
}
