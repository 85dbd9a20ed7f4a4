/** `porchlight token`: mints an SSO token, to try a sign-in with, or says what the helper finds in one. */
import { defineCommand } from 'citty';
import { splitSecrets } from '../auth/secrets.ts';
import { verifySsoToken } from '../auth/sso.ts';
import { signSsoToken } from '../mint.ts';
import { quit, refuseUnknown } from './settings.ts';

export const token = defineCommand({
  meta: {
    name: 'token',
    description:
      'Mint an SSO token with the first secret of PORCHLIGHT_SSO_SECRET, and PORCHLIGHT_SSO_ISSUER',
  },
  args: {
    inspect: { type: 'string', description: 'a token: what it says, and whether the helper would take it' },
    email: { type: 'string', description: 'the visitor’s address' },
    name: { type: 'string', description: 'the visitor’s name' },
    'external-id': { type: 'string', description: 'the site’s own id of the visitor' },
    'expires-in': { type: 'string', default: '600', description: 'seconds, at most 3600' },
  },
  async run({ args, rawArgs, cmd }) {
    refuseUnknown(rawArgs, cmd.args, args._);
    const secrets = splitSecrets(process.env.PORCHLIGHT_SSO_SECRET ?? '');
    const [secret] = secrets;
    if (args.inspect !== undefined) return inspect(args.inspect, secret ? secrets : []);
    if (!secret) quit('PORCHLIGHT_SSO_SECRET is missing');
    if (!args.email) quit('--email is missing, or --inspect');
    const claims = {
      email: args.email,
      name: args.name ?? null,
      externalId: args['external-id'] ?? null,
      issuer: process.env.PORCHLIGHT_SSO_ISSUER || null,
    };
    const minted = await signSsoToken(claims, secret, Number(args['expires-in'])).catch((error: Error) =>
      quit(
        error.message
          .replace(/^secret /, 'PORCHLIGHT_SSO_SECRET ')
          .replace(/^issuer /, 'PORCHLIGHT_SSO_ISSUER ')
          .replace('expiresInSeconds', '--expires-in'),
      ),
    );
    process.stdout.write(`${minted}\n`);
  },
});

async function inspect(minted: string, secrets: readonly string[]): Promise<void> {
  const audience = process.env.PORCHLIGHT_BOT_ID ?? '';
  const issuer = process.env.PORCHLIGHT_SSO_ISSUER || undefined;
  process.stdout.write(`${readParts(minted)}\n`);
  if (secrets.length === 0) {
    process.stdout.write('Not checked: PORCHLIGHT_SSO_SECRET is missing.\n');
    return;
  }
  try {
    const now = Math.floor(Date.now() / 1000);
    const { owner } = await verifySsoToken(minted, { secrets, audience, issuer }, now);
    process.stdout.write(`Good: conversations belong to ${owner}.\n`);
  } catch (error) {
    process.stdout.write(`Refused: ${(error as Error).message}.\n`);
    process.exitCode = 1;
  }
}

/** Header and claims as they stand there, whoever signed them. */
function readParts(minted: string): string {
  const parts = minted.split('.').slice(0, 2);
  return parts.map((part) => Buffer.from(part, 'base64url').toString()).join('\n');
}
