/** Who is at the desk, which agent lies on it, and which of its areas. */

import { signal } from '@preact/signals';
import { type Answer, ApiError, call, forgetKey, keepKey, readKey } from './api.ts';

const botName = 'desk-agent';

export const isSignedIn = signal(readKey() !== null);
export const bots = signal<Answer[]>([]);
export const botId = signal(sessionStorage.getItem(botName) ?? '');
export const area = signal(readArea());
/** What the last action came to. */
export const notice = signal<{ text: string; isError: boolean } | undefined>(undefined);

/** Why the door is closed again. */
export const refusal = signal('');

function readArea(): string {
  return /^#\/(.+)/.exec(location.hash)?.[1] ?? 'overview';
}
addEventListener('hashchange', () => {
  if (!location.hash.startsWith('#/')) return;
  area.value = readArea();
  notice.value = undefined;
});

/** Throws an ApiError, also for a key that may not look. */
export async function signIn(key: string) {
  // What is no such character cannot be sent.
  if (!/^[!-~]+$/.test(key)) throw new ApiError('invalid_api_key', 'This is no API key.');
  keepKey(key);
  try {
    await loadBots();
    await call('GET', '/v1/bot/subscriber/readall', { per_page: 1 }).catch((thrown: unknown) => {
      if (!(thrown instanceof ApiError) || thrown.code !== 'forbidden') throw thrown;
      throw new ApiError(
        'forbidden',
        'This key is a member’s. The desk is for owners, admins and moderators.',
      );
    });
    refusal.value = '';
    isSignedIn.value = true;
  } catch (thrown) {
    forgetKey();
    throw thrown;
  }
}

export function signOut(reason = '') {
  forgetKey();
  refusal.value = reason;
  isSignedIn.value = false;
}

/** A key may be taken back while it is used, and an agent be deleted. */
export function leaveIfRefused(thrown: unknown) {
  if (!(thrown instanceof ApiError)) return;
  if (thrown.code === 'invalid_api_key') signOut('The key is not taken any more.');
  if (thrown.code === 'bot_not_found') loadBots().catch(() => {});
}

export async function loadBots() {
  const { bots: found } = await call('GET', '/v1/bots', { per_page: 100 });
  bots.value = found;
  if (!found.some(({ id }: Answer) => id === botId.value)) chooseBot(found[0]?.id ?? '');
}

export function chooseBot(id: string) {
  botId.value = id;
  sessionStorage.setItem(botName, id);
}

/** Runs an action, and says what came of it. @returns whether it went well */
export async function act(done: string, work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    notice.value = { text: done, isError: false };
    return true;
  } catch (thrown) {
    notice.value = { text: thrown instanceof Error ? thrown.message : 'That did not work.', isError: true };
    leaveIfRefused(thrown);
    return false;
  }
}
