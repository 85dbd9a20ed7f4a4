/** What can be seen without asking anybody else: the store, and what the options mean for visitors. */
import type { Config } from '../config.ts';
import { toCauseCode } from '../errors.ts';
import type { Finding } from './finding.ts';

export async function checkSettings(config: Config): Promise<Finding[]> {
  const { store, origins, identity, ssoSecrets, workspace } = config;
  const findings: Finding[] = [];
  const add = (about: string, state: Finding['state'], text: string) => findings.push({ about, state, text });
  await store.check().then(
    () => add('store', 'ok', 'can be read and written'),
    (error: unknown) => {
      const cause = toCauseCode(error);
      add('store', 'wrong', `cannot be written (${cause}): ${toWhy(cause)}`);
    },
  );
  if (!origins?.size)
    add(
      'origins',
      'note',
      'none is listed: only pages of the helper’s own origin may call. Others go into PORCHLIGHT_ORIGINS',
    );
  else add('origins', 'ok', [...origins].join(', '));
  for (const origin of origins ?? [])
    if (/^http:\/\/(?!localhost\b|127\.)/.test(origin))
      add('origins', 'note', `${origin} is without TLS: what is said there can be read on the way`);
  if (ssoSecrets.length > 0) add('sign-in', 'ok', `is ${identity}`);
  else if (identity === 'required')
    add('sign-in', 'wrong', 'is required, and nobody can: PORCHLIGHT_SSO_SECRET is missing');
  else add('sign-in', 'note', 'visitors are guests: PORCHLIGHT_SSO_SECRET is not set');
  if (typeof workspace === 'string' && workspace !== 'conversation' && workspace !== 'visitor')
    add(
      'workspace',
      'note',
      'all visitors share one: what the agent writes there for one of them it reads to the others',
    );
  return findings;
}

function toWhy(cause: string): string {
  if (cause === 'store-busy') return 'does another process hold its lock, or does Redis not answer?';
  return cause.startsWith('redis-')
    ? 'are its address, its user’s password and rights right, and has it room?'
    : 'is its disk full, or the file another user’s?';
}
