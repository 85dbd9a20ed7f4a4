/** Mints SSO tokens: what a site's backend calls for the visitor it has signed in. */
import { SignJWT } from 'jose';
import { findFault, isAbsent, isLine, toLineFault } from './auth/claims.ts';
import { splitSecrets } from './auth/secrets.ts';

export type SsoClaims = {
  /** Of the visitor, from the site's own session; 1 to 254 characters. */
  email: string;
  /** At most 254 characters. */
  name?: string | null;
  /** The site's own stable id of the visitor, as a string; 1 to 254 characters. Without one the e-mail address is the identity. */
  externalId?: string | null;
  /** `iss`, which the helper asks for where `ssoIssuer` is set; 1 to 254 characters. */
  issuer?: string | null;
};

const maxSeconds = 3600;
const defaultSeconds = 600;

/**
 * @param secret the agent's SSO secret, used as its UTF-8 bytes; at least 32. Of several, with commas, the first
 * @param expiresInSeconds default 600, at most 3600
 * @throws TypeError naming what is wrong
 */
export async function signSsoToken(
  claims: SsoClaims,
  secret: string,
  expiresInSeconds = defaultSeconds,
): Promise<string> {
  requireNames(claims);
  const { email, name, externalId, issuer } = claims;
  const first = typeof secret === 'string' ? splitSecrets(secret)[0] : secret;
  requireMinting(first, issuer, expiresInSeconds);
  const key = new TextEncoder().encode(first);
  const fault = findFault({ email, name, subject: externalId }, { subject: 'externalId' });
  if (fault !== undefined) throw new TypeError(fault);
  const now = Math.floor(Date.now() / 1000);
  const payload: Record<string, string> = { email };
  if (!isAbsent(name)) payload.name = name;
  if (!isAbsent(externalId)) payload.external_id = externalId;
  if (!isAbsent(issuer)) payload.iss = issuer;
  return new SignJWT(payload)
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuedAt(now)
    .setExpirationTime(now + Math.floor(expiresInSeconds))
    .sign(key);
}

/** A row of a database in which the id has the claim's name would make a token without it. @throws TypeError */
export function requireNames(claims: SsoClaims): void {
  if ('external_id' in claims && isAbsent(claims.externalId))
    throw new TypeError('external_id is the name in the token: give it as externalId');
}

/** What can be wrong whoever the visitor is. @throws TypeError naming it */
export function requireMinting(secret: unknown, issuer: unknown, expiresInSeconds: number): void {
  if (typeof secret !== 'string' || new TextEncoder().encode(secret).length < 32)
    throw new TypeError('secret must be a string of at least 32 bytes; make one with: openssl rand -hex 32');
  if (!isAbsent(issuer) && !isLine(issuer)) throw new TypeError(toLineFault('issuer', ', or absent'));
  if (!(expiresInSeconds >= 1 && expiresInSeconds <= maxSeconds))
    throw new TypeError(`expiresInSeconds must be from 1 to ${maxSeconds}`);
}
