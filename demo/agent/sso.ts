/** The check of a widget's SSO token: HS256, at most an hour long, signed with one of the agent's secrets. */

import { jwtVerify } from 'jose';
import { JWTExpired } from 'jose/errors';
import { AgentError } from './errors.ts';
import type { Person } from './store/accounts.ts';
import { wellFormed } from './text.ts';

const leewaySeconds = 30;
const maxLifetimeSeconds = 3600;

/** 400 `sso_token_expired` for an otherwise good token past its time, else 400 `sso_token_invalid`. */
export async function verifySsoToken(
  token: string,
  secrets: readonly string[],
  botId: string,
  now: () => number,
): Promise<Person> {
  let fault: unknown;
  for (const secret of secrets)
    try {
      return await verifyWith(secret, token, botId, now);
    } catch (error) {
      if (!isExpired(fault)) fault = error;
    }
  throw fault;
}

const isExpired = (fault: unknown) => fault instanceof AgentError && fault.code === 'sso_token_expired';

async function verifyWith(secret: string, token: string, botId: string, now: () => number): Promise<Person> {
  try {
    const { payload, protectedHeader } = await jwtVerify(token, new TextEncoder().encode(secret), {
      algorithms: ['HS256'],
      clockTolerance: leewaySeconds,
      currentDate: new Date(now()),
      requiredClaims: ['iat', 'exp', 'email'],
    });
    const { typ } = protectedHeader;
    const { iat, exp, aud, email, name, external_id, sub } = payload;
    const externalId = external_id ?? sub ?? null;
    if (
      (typ !== undefined && typ !== 'JWT') ||
      exp! - iat! > maxLifetimeSeconds ||
      iat! > now() / 1000 + leewaySeconds ||
      (aud !== undefined && ![aud].flat().includes(botId)) ||
      !isEmail(email) ||
      (name != null && typeof name !== 'string') ||
      (name != null && !isKeepable(name)) ||
      (externalId !== null &&
        (typeof externalId !== 'string' || externalId === '' || !isKeepable(externalId)))
    )
      throw new TypeError('claims');
    return { email, name: name ?? null, externalId };
  } catch (thrown) {
    throw thrown instanceof JWTExpired
      ? new AgentError(400, 'sso_token_expired', 'The SSO token has expired.')
      : new AgentError(400, 'sso_token_invalid', 'The SSO token is not valid.');
  }
}

/** As the database gives it back: two that differ stay two. */
const isKeepable = (text: string) => !text.includes('\0') && wellFormed(text) === text;

function isEmail(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length <= 254 &&
    value === value.trim() &&
    !/\p{Cc}/u.test(value) &&
    /^[^@\s]+@[^@\s]+$/.test(value)
  );
}
