/** Mints SSO tokens: what a site's backend calls for the visitor it has signed in. */
import { SignJWT } from 'jose';

export type SsoClaims = {
  /** Of the visitor, from the site's own session; 1 to 254 characters. */
  email: string;
  name?: string;
  /** The site's own stable id of the visitor. Without one the e-mail address is the identity. */
  externalId?: string;
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
  if (typeof claims.email !== 'string' || claims.email === '') throw new TypeError('email is missing');
  if (!(expiresInSeconds > 0 && expiresInSeconds <= maxSeconds))
    throw new TypeError(`expiresInSeconds must be from 1 to ${maxSeconds}`);
  const now = Math.floor(Date.now() / 1000);
  const payload: Record<string, string> = { email: claims.email };
  if (claims.name !== undefined) payload.name = claims.name;
  if (claims.externalId !== undefined) payload.external_id = claims.externalId;
  return new SignJWT(payload)
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuedAt(now)
    .setExpirationTime(now + Math.floor(expiresInSeconds))
    .sign(key);
}
