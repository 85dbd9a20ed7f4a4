/** Mints SSO tokens: what a site's backend calls for the visitor it has signed in. */
import { SignJWT } from 'jose';
import { findFault, isAbsent } from './auth/claims.ts';

export type SsoClaims = {
  /** Of the visitor, from the site's own session; 1 to 254 characters. */
  email: string;
  /** At most 254 characters. */
  name?: string | null;
  /** The site's own stable id of the visitor, as a string; 1 to 254 characters. Without one the e-mail address is the identity. */
  externalId?: string | null;
};

const maxSeconds = 3600;

/**
 * @param secret the agent's SSO secret, used as its UTF-8 bytes; at least 32
 * @param expiresInSeconds default 600, at most 3600
 * @throws TypeError naming what is wrong
 */
export async function signSsoToken(
  claims: SsoClaims,
  secret: string,
  expiresInSeconds = 600,
): Promise<string> {
  const key = new TextEncoder().encode(secret);
  if (key.length < 32)
    throw new TypeError('secret must have at least 32 bytes; make one with: openssl rand -hex 32');
  const { email, name, externalId } = claims;
  const fault = findFault({ email, name, subject: externalId }, { subject: 'externalId' });
  if (fault !== undefined) throw new TypeError(fault);
  if (!(expiresInSeconds > 0 && expiresInSeconds <= maxSeconds))
    throw new TypeError(`expiresInSeconds must be from 1 to ${maxSeconds}`);
  const now = Math.floor(Date.now() / 1000);
  const payload: Record<string, string> = { email };
  if (!isAbsent(name)) payload.name = name;
  if (!isAbsent(externalId)) payload.external_id = externalId;
  return new SignJWT(payload)
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuedAt(now)
    .setExpirationTime(now + Math.floor(expiresInSeconds))
    .sign(key);
}
