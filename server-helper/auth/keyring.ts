/** Opens the sessions with the secret that was given, or with one that is made once and kept, so that they outlive a restart. */
import type { Store } from '../store/store.ts';
import { deriveKey, makeRandomHex } from './keys.ts';
import { createSessions, type Sessions } from './session.ts';

/** @param audience the agent that the sessions are for */
export async function openSessions(
  { sessionSecret, store }: { sessionSecret: string | undefined; store: Pick<Store, 'remember'> },
  audience: string,
  now: () => number,
): Promise<Sessions> {
  const secret = sessionSecret ?? (await store.remember('session-secret', makeRandomHex(32)));
  return createSessions(await deriveKey(secret, 'porchlight session v1'), audience, now);
}
