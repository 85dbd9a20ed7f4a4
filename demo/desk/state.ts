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

function readArea(): string {
  return location.hash.replace(/^#\//, '') || 'overview';
}
addEventListener('hashchange', () => {
  area.value = readArea();
  notice.value = undefined;
});

/** Throws an ApiError, also for a key that may not look. */
export async function signIn(key: string) {
  keepKey(key);
  try {
    await loadBots();
    await call('GET', '/v1/bot/subscriber/readall', { per_page: 1 });
    isSignedIn.value = true;
  } catch (thrown) {
    forgetKey();
    if (thrown instanceof ApiError && thrown.code === 'forbidden')
      throw new ApiError(
        'forbidden',
        'This key is a member’s. The desk is for owners, admins and moderators.',
      );
    throw thrown;
  }
}

export function signOut() {
  forgetKey();
  isSignedIn.value = false;
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
    if (thrown instanceof ApiError && thrown.code === 'invalid_api_key') signOut();
    return false;
  }
}
