/** The helper's own session tokens: signed here, carried by every request, good for an hour. */
import { decodeJwt, decodeProtectedHeader, jwtVerify, SignJWT } from 'jose';
import { HelperError } from '../errors.ts';
import { limits, type Visitor } from '../protocol/wire.ts';

export type Session = { owner: string; visitor: Visitor; expiresAtSeconds: number };

export type Sessions = {
  sign(session: Omit<Session, 'expiresAtSeconds'>, expiresAtSeconds?: number): Promise<string>;
  /** @throws HelperError `unauthenticated`, or `session-expired` for one that was good until its hour was over */
  verify(token: string): Promise<Session>;
  /** Like `verify`, but takes an anonymous session for 30 days after it was signed. */
  verifyForRenewal(token: string): Promise<Session>;
};

const typ = 'porchlight-session+jwt';
const maxRemembered = 10_000;
const maxTokenChars = 4096;

/**
 * @param keys of 32 bytes, derived for this purpose alone; the first signs, any verifies
 * @param audience the agent that the session is for: helpers of several may share a secret
 * @param onForeign told of a session that was signed with none of them
 */
export function createSessions(
  keys: readonly Uint8Array[],
  audience: string,
  now: () => number,
  onForeign: () => void = () => {},
): Sessions {
  // A verification costs tens of microseconds, a look-up next to nothing, and every request carries the same token.
  const remembered = new Map<string, Session>();

  const open = async (token: string): Promise<Session> => {
    const known = remembered.get(token);
    if (known) return known;
    if (token.length > maxTokenChars) throw new HelperError('unauthenticated');
    const payload = await verifyWithAny(token, keys, audience);
    if (!payload) {
      if (isForeign(token, audience)) onForeign();
      throw new HelperError('unauthenticated');
    }
    const session = readSession(payload);
    if (remembered.size >= maxRemembered) {
      const oldest = remembered.keys().next().value;
      if (oldest !== undefined) remembered.delete(oldest);
    }
    remembered.set(token, session);
    return session;
  };

  return {
    async sign({ owner, visitor }, expiresAtSeconds = Math.floor(now() / 1000) + limits.sessionTtlSeconds) {
      const claims = { kind: visitor.kind, name: visitor.name, member: visitor.member };
      return new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', typ })
        .setSubject(owner)
        .setAudience(audience)
        .setExpirationTime(expiresAtSeconds)
        .setJti(crypto.randomUUID())
        .sign(keys[0] as Uint8Array);
    },
    async verify(token) {
      const session = await open(token);
      if (session.expiresAtSeconds * 1000 <= now()) throw new HelperError('session-expired');
      return session;
    },
    async verifyForRenewal(token) {
      const session = await open(token);
      const signedAtSeconds = session.expiresAtSeconds - limits.sessionTtlSeconds;
      const endsAtSeconds =
        session.visitor.kind === 'anonymous'
          ? signedAtSeconds + limits.sessionRenewalSeconds
          : session.expiresAtSeconds;
      if (endsAtSeconds * 1000 <= now()) throw new HelperError('session-expired');
      return session;
    },
  };
}

async function verifyWithAny(
  token: string,
  keys: readonly Uint8Array[],
  audience: string,
): Promise<Record<string, unknown> | undefined> {
  for (const key of keys) {
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: ['HS256'],
        typ,
        audience,
        currentDate: new Date(0),
        clockTolerance: Number.MAX_SAFE_INTEGER / 1e4,
      });
      return payload;
    } catch {}
  }
  return undefined;
}

/** @param token that none of our keys signed @returns whether it says of itself to be a session of this agent's */
function isForeign(token: string, audience: string): boolean {
  try {
    return decodeProtectedHeader(token).typ === typ && decodeJwt(token).aud === audience;
  } catch {
    return false;
  }
}

function readSession(payload: Record<string, unknown>): Session {
  const { sub, exp, kind, name, member } = payload;
  if (typeof sub !== 'string' || typeof exp !== 'number' || typeof member !== 'boolean')
    throw new HelperError('unauthenticated');
  if (kind !== 'anonymous' && kind !== 'identified') throw new HelperError('unauthenticated');
  const visitor: Visitor = { kind, member };
  if (typeof name === 'string') visitor.name = name;
  return { owner: sub, visitor, expiresAtSeconds: exp };
}
