/** The address at which a page asks for a token: whose, the site's own session says, and never the request's words. */
import { consoleLog, type Log, toLogFields } from './log.ts';
import { requireMinting, requireNames, type SsoClaims, signSsoToken } from './mint.ts';

/** Whoever is signed in, of whatever the framework hands to a route; null or undefined: nobody. */
export type GetUser<From> = (
  from: From,
) => SsoClaims | null | undefined | Promise<SsoClaims | null | undefined>;

export type TokenRouteOptions = {
  /** The agent's SSO secret; by default the first of `PORCHLIGHT_SSO_SECRET`. */
  secret?: string;
  /** What the helper asks for as `ssoIssuer`; by default `PORCHLIGHT_SSO_ISSUER`, if that is set. */
  issuer?: string;
  /** Default 600, at most 3600. */
  expiresInSeconds?: number;
  /** Hears why there was no token. Default: the console. */
  log?: Log;
};

const names: Readonly<Record<keyof TokenRouteOptions, true>> = {
  secret: true,
  issuer: true,
  expiresInSeconds: true,
  log: true,
};
const headers = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/**
 * Answers `{"token": "…"}`, with `null` where nobody is signed in. A failure is 500 and no JSON, so that a page does not
 * take a customer for a guest.
 * @throws TypeError naming the option that is wrong
 */
export function tokenRoute<From>(
  getUser: GetUser<From>,
  options: TokenRouteOptions = {},
): (from: From) => Promise<Response> {
  if (typeof getUser !== 'function') throw new TypeError('getUser must be a function');
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(names, name));
  if (unknown !== undefined) throw new TypeError(`${unknown} is not an option of tokenRoute`);
  const { log = consoleLog, secret, issuer, expiresInSeconds = 600 } = options;
  // The environment may not be there yet, as in a build; what is given is.
  requireMinting(secret ?? '-'.repeat(32), issuer, expiresInSeconds);
  return async (from) => {
    try {
      const user = await getUser(from);
      const token = user ? await mint(user, options) : null;
      return Response.json({ token }, { headers });
    } catch (error) {
      log.error(
        error instanceof Unminted ? { reason: error.message } : toLogFields(error),
        'a page was given no token',
      );
      return new Response('The visitor could not be looked up.', { status: 500, headers });
    }
  };
}

/** Its words name what is wrong, and nobody. */
class Unminted extends Error {}

async function mint(
  user: SsoClaims,
  { secret, issuer, expiresInSeconds }: TokenRouteOptions,
): Promise<string> {
  const key =
    secret ??
    readVariable('PORCHLIGHT_SSO_SECRET')
      ?.split(',')
      .map((one) => one.trim())
      .find(Boolean);
  if (!key) throw new Unminted('PORCHLIGHT_SSO_SECRET is missing');
  // A function is no visitor either.
  if (typeof user !== 'object') throw new Unminted('the visitor must be an object with email, or null');
  // One by one: those of a class's object may be accessors, which a copy of it would not have.
  const { email, name, externalId } = user;
  try {
    requireNames(user);
    const stated = issuer ?? user.issuer ?? (readVariable('PORCHLIGHT_SSO_ISSUER') || null);
    const claims = { email, name: name ?? null, externalId: externalId ?? null, issuer: stated };
    return await signSsoToken(claims, key, expiresInSeconds);
  } catch (error) {
    throw new Unminted((error as Error).message);
  }
}

/** Deno refuses what it was not allowed to read. */
function readVariable(name: string): string | undefined {
  try {
    return globalThis.process?.env[name];
  } catch {
    return undefined;
  }
}
