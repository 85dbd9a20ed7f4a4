/** Opens the sessions with the secrets that were given, or with one that is made once and kept, so that they outlive a restart. */
import type { Store } from '../store/store.ts';
import { deriveKey, makeRandomHex } from './keys.ts';
import { createSessions, type Sessions } from './session.ts';

/** Under which the store keeps the one that was made. */
export const keptSecret = 'session-secret';
/** That others were given since: sessions are signed by them. */
export const givenSecret = 'session-secret-given';

/** @param audience the agent that the sessions are for */
export async function openSessions(
  { sessionSecrets, store }: { sessionSecrets: readonly string[]; store: Pick<Store, 'remember'> },
  audience: string,
  now: () => number,
  onForeign?: () => void,
): Promise<Sessions> {
  if (sessionSecrets.length > 0) void store.remember(givenSecret, 'yes').catch(() => {});
  const secrets =
    sessionSecrets.length > 0 ? sessionSecrets : [await store.remember(keptSecret, makeRandomHex(32))];
  const keys = await Promise.all(secrets.map((secret) => deriveKey(secret, 'porchlight session v1')));
  return createSessions(keys, audience, now, onForeign);
}
