/** `porchlight token`: mints an SSO token, to try a sign-in with. */
import { defineCommand } from 'citty';
import { signSsoToken } from '../mint.ts';
import { quit, refuseUnknown } from './settings.ts';

export const token = defineCommand({
  meta: {
    name: 'token',
    description:
      'Mint an SSO token with the first secret of PORCHLIGHT_SSO_SECRET, and PORCHLIGHT_SSO_ISSUER',
  },
  args: {
    email: { type: 'string', required: true, description: 'the visitor’s address' },
    name: { type: 'string', description: 'the visitor’s name' },
    'external-id': { type: 'string', description: 'the site’s own id of the visitor' },
    'expires-in': { type: 'string', default: '600', description: 'seconds, at most 3600' },
  },
  async run({ args, rawArgs, cmd }) {
    refuseUnknown(rawArgs, cmd.args, args._);
    const secret = process.env.PORCHLIGHT_SSO_SECRET?.split(',')[0]?.trim();
    if (!secret) quit('PORCHLIGHT_SSO_SECRET is missing');
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
