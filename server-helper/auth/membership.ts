/** Who is a member of the agent's project, as of the sign-in: noted for the sessions that were signed before. */

import { limits } from '../protocol/wire.ts';
import type { Store } from '../store/store.ts';
import { hashText } from './keys.ts';
import type { Session } from './session.ts';

type Noted = {
  store: Pick<Store, 'recall' | 'replace'>;
  config: { botId: string };
};

/** Not forgotten with what is erased, or the session of before would be a member's again: so it names nobody. */
const toMembershipKey = async (owner: string, bot: string) => `membership:${bot}:${await hashText(owner)}`;

/** None of the sessions that were signed before outlives the note. */
export async function noteMembership(
  { store, config }: Noted,
  owner: string,
  isMember: boolean,
): Promise<void> {
  const membership = await toMembershipKey(owner, config.botId);
  const ttlMs = limits.sessionTtlSeconds * 1000;
  if (isMember) await store.replace(membership, 'member', ttlMs);
  // Of the many who never were members nothing is written.
  else if ((await store.recall(membership)) === 'member') await store.replace(membership, 'left', ttlMs);
}

/** As the last sign-in said, within the life of a session. */
export async function isMemberNow({ store, config }: Noted, owner: string): Promise<boolean> {
  return (await store.recall(await toMembershipKey(owner, config.botId))) === 'member';
}

/** The session as it stands by now: one who was a project member when it was signed may be none any more. */
export async function toStanding<S extends Pick<Session, 'owner' | 'visitor'>>(
  { store, config }: Noted,
  session: S,
): Promise<S> {
  if (!session.visitor.member) return session;
  if ((await store.recall(await toMembershipKey(session.owner, config.botId))) !== 'left') return session;
  return { ...session, visitor: { ...session.visitor, member: false } };
}
