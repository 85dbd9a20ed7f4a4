/** Who a request is from: the session that it carries (RFC 6750), if that session is still admitted. */
import { HelperError } from '../errors.ts';
import type { Session, Sessions } from './session.ts';

/** @throws HelperError `unauthenticated`, `session-expired`, or `sign-in-required` for a guest where none are admitted */
export async function requireSession(
  request: Request,
  sessions: Sessions,
  { identity }: { identity: 'off' | 'optional' | 'required' },
): Promise<Session> {
  const token = /^Bearer ([\w.~+/=-]+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  if (token === undefined) throw new HelperError('unauthenticated');
  const session = await sessions.verify(token);
  // Signed while guests were still admitted.
  if (identity === 'required' && session.visitor.kind === 'anonymous')
    throw new HelperError('sign-in-required');
  // Signed while visitors could sign in.
  if (identity === 'off' && session.visitor.kind === 'identified') throw new HelperError('session-expired');
  return session;
}
