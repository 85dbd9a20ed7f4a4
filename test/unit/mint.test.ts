/** What is minted is believed: the site hears of a fault where it mints, not from a customer who is refused. */
import { SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { verifySsoToken } from '../../server-helper/auth/sso.ts';
import { readOptions } from '../../server-helper/config.ts';
import { type SsoClaims, signSsoToken } from '../../server-helper/mint.ts';
import { good } from '../support/option-values.ts';

const secret = 'a secret of the test with 32 bytes or more';
const rules = { secrets: [secret], audience: 'b', issuer: undefined };
const now = () => Math.floor(Date.now() / 1000);
const verify = (token: string) => verifySsoToken(token, rules, now());
const email = 'ada@shop.example';

test.each([
  [{ email }, { owner: `email:${email}`, email, name: undefined }],
  [
    { email, name: null, externalId: null },
    { owner: `email:${email}`, email, name: undefined },
  ],
  [
    { email, name: 'Ada', externalId: '1001' },
    { owner: 'external:1001', email, name: 'Ada' },
  ],
  [
    { email, name: 'a'.repeat(254) },
    { owner: `email:${email}`, email, name: 'a'.repeat(254) },
  ],
] satisfies [SsoClaims, unknown][])('%j is minted and believed', async (claims, identity) => {
  expect(await verify(await signSsoToken(claims, secret))).toEqual(identity);
});

test.each([
  [{}, /^email must be a string of 1 to 254/],
  [{ email: '' }, /^email/],
  [{ email: 'ada@shop.example ' }, /^email/],
  [{ email: `${'a'.repeat(251)}@b.c` }, /^email/],
  [{ email, name: 7 }, /^name must be a string of at most 254/],
  [{ email, name: 'a'.repeat(255) }, /^name/],
  [{ email, externalId: 1001 }, /^externalId must be a string of 1 to 254/],
  [{ email, externalId: '' }, /^externalId/],
  [{ email, externalId: 'a\nb' }, /^externalId/],
])('%j is refused where it is minted', async (claims, fault) => {
  await expect(signSsoToken(claims as SsoClaims, secret)).rejects.toThrow(fault);
  const { externalId, ...rest } = claims as Record<string, unknown>;
  const token = await new SignJWT({ ...rest, ...(externalId !== undefined && { external_id: externalId }) })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuedAt()
    .setExpirationTime('10m')
    .sign(new TextEncoder().encode(secret));
  await expect(verify(token)).rejects.toMatchObject({ code: 'sso-token-invalid' });
});

test('a name or an id that another library writes as null is absent', async () => {
  const token = await new SignJWT({ email, name: null, external_id: null, sub: 'a1' })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuedAt()
    .setExpirationTime('10m')
    .sign(new TextEncoder().encode(secret));
  expect(await verify(token)).toEqual({ owner: 'external:a1', email, name: undefined });
});

test('an issuer is written down, where there is one', async () => {
  const issuer = 'https://shop.example';
  const token = await signSsoToken({ email, issuer }, secret);
  expect(await verifySsoToken(token, { ...rules, issuer }, now())).toMatchObject({ email });
  await expect(
    verifySsoToken(await signSsoToken({ email }, secret), { ...rules, issuer }, now()),
  ).rejects.toMatchObject({ code: 'sso-token-invalid' });
  await expect(signSsoToken({ email, issuer: '' }, secret)).rejects.toThrow(/^issuer must be a string/);
});

test('of several secrets, as a rotated variable holds them, the first one signs and each is taken', async () => {
  const fresh = `${secret} and more`;
  const line = `${fresh},${secret}`;
  const { ssoSecrets } = readOptions({ ...good, ssoSecret: line, sessionSecret: line });
  expect(ssoSecrets).toEqual([fresh, secret]);
  const token = await signSsoToken({ email }, line);
  expect(await verifySsoToken(token, { ...rules, secrets: [fresh] }, now())).toMatchObject({ email });
  await expect(verifySsoToken(token, rules, now())).rejects.toThrow();
});
