/** Verifies SSO tokens: HS256 JWTs in which the site's backend says who the visitor is. */
import { compactVerify } from 'jose';
import { HelperError } from '../errors.ts';
import { findFault, isAbsent } from './claims.ts';

/** Who a good token names. `owner` is the subject that conversations belong to. */
export type Identity = { owner: string; email: string; name: string | undefined };

export type SsoRules = {
  /** Any one may have signed. */
  secrets: readonly string[];
  /** An `aud` that is there must name it. */
  audience: string;
  issuer: string | undefined;
};

const leewaySeconds = 30;
const maxLifetimeSeconds = 3600;
const utf8 = new TextEncoder();

/**
 * @param nowSeconds seconds since 1970
 * @throws HelperError `sso-token-expired` for a token whose only fault is its `exp`, else `sso-token-invalid`
 * @see RFC 7515, RFC 7519, RFC 8725; wire-clauses.md 10
 */
export async function verifySsoToken(token: string, rules: SsoRules, nowSeconds: number): Promise<Identity> {
  const claims = await readSignedClaims(token, rules.secrets);
  const { exp, iat, nbf, aud, iss } = claims;
  if (!isNumber(exp) || !isNumber(iat)) throw invalid('exp and iat must be numbers');
  if (exp <= iat || exp - iat > maxLifetimeSeconds)
    throw invalid(`exp must be after iat, by ${maxLifetimeSeconds} seconds at most`);
  if (iat > nowSeconds + leewaySeconds) throw invalid('iat lies in the future: check the clock');
  if (nbf !== undefined && (!isNumber(nbf) || nbf > nowSeconds + leewaySeconds))
    throw invalid('nbf lies in the future or is no number');
  if (aud !== undefined && !(Array.isArray(aud) ? aud : [aud]).includes(rules.audience))
    throw invalid('aud must be the bot id, or absent');
  if (rules.issuer !== undefined && iss !== rules.issuer) throw invalid('iss is not the one configured');
  const identity = readIdentity(claims);
  // Last, so that only an otherwise good token is called expired.
  if (exp <= nowSeconds - leewaySeconds) throw new HelperError('sso-token-expired', 'Mint a fresh SSO token');
  return identity;
}

async function readSignedClaims(token: string, secrets: readonly string[]): Promise<Record<string, unknown>> {
  for (const secret of secrets) {
    try {
      const { payload, protectedHeader } = await compactVerify(token, utf8.encode(secret), {
        algorithms: ['HS256'],
      });
      const { typ } = protectedHeader;
      if (typ !== undefined && typ !== 'JWT') throw invalid('typ must be JWT, or absent');
      if (protectedHeader.crit !== undefined) throw invalid('crit is not supported');
      const claims: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload));
      if (typeof claims !== 'object' || claims === null || Array.isArray(claims))
        throw invalid('the payload must be an object');
      return claims as Record<string, unknown>;
    } catch (error) {
      if (error instanceof HelperError) throw error;
      // Not signed with this secret, or no token at all: the next secret may do.
    }
  }
  throw invalid('not a token signed with HS256 and the shared secret');
}

function readIdentity(claims: Record<string, unknown>): Identity {
  const { email, name } = claims;
  const claim = isAbsent(claims.external_id) && !isAbsent(claims.sub) ? 'sub' : 'external_id';
  const subject = claims[claim];
  const fault = findFault({ email, name, subject }, { subject: claim });
  if (fault !== undefined) throw invalid(fault);
  const owner = isAbsent(subject) ? `email:${toLowerCase(email as string)}` : `external:${subject}`;
  return { owner, email: email as string, name: (name ?? undefined) as string | undefined };
}

/** The letters of ASCII alone: Unicode makes one of two addresses, as of k and the sign of Kelvin. */
function toLowerCase(email: string): string {
  return email.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function invalid(detail: string): HelperError {
  return new HelperError('sso-token-invalid', detail);
}
