/** SSO tokens against the vectors: what is refused, and that it is refused by name. */
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { verifySsoToken } from '../../server-helper/auth/sso.ts';
import { toHash, toSubject } from '../../widget/state/subject.ts';

function readJson<T>(name: string): T {
  return JSON.parse(readFileSync(join(import.meta.dirname, '../vectors', name), 'utf8')) as T;
}

type JwtVectors = {
  cfg: { secret: string; iss: string; aud: string; now: number };
  vectors: { id: string; token: string; verdict: 'accept' | 'reject'; reason: string }[];
};
const { cfg, vectors } = readJson<JwtVectors>('jwt-vectors.json');
const rules = { secrets: [cfg.secret], audience: cfg.aud, issuer: cfg.iss };

const readPart = (part = '') =>
  JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;

/**
 * The vectors are for a token whose subject is `sub`; here the subject is the e-mail address. So a token that is well
 * signed gets the one that `sub` stands for, and all else stays as it is.
 */
function toSubjectEmail(token: string): string {
  const [head, payload, signature] = token.split('.');
  const sign = (signed: string) => createHmac('sha256', cfg.secret).update(signed).digest('base64url');
  if (token.split('.').length !== 3 || sign(`${head}.${payload}`) !== signature) return token;
  const { sub, ...claims } = readPart(payload);
  if (claims.email === undefined && sub !== undefined)
    claims.email = typeof sub === 'string' ? `${sub}@b.test` : sub;
  const signed = `${head}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
  return `${signed}.${sign(signed)}`;
}

describe('SSO token vectors', () => {
  test.each(vectors)('$id, $reason: $verdict', async ({ token, verdict, reason }) => {
    const given = verifySsoToken(toSubjectEmail(token), rules, cfg.now);
    if (verdict === 'accept')
      await expect(given).resolves.toMatchObject({ owner: expect.stringMatching(/^email:/) });
    else
      await expect(given).rejects.toMatchObject({
        code: reason === 'expired' ? 'sso-token-expired' : 'sso-token-invalid',
      });
  });

  test('the token of a site without iss and aud is taken when none is configured', async () => {
    const [head] = vectors[0]?.token.split('.') ?? [];
    const claims = { email: 'a@b.test', iat: cfg.now, exp: cfg.now + 60 };
    const signed = `${head}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
    const token = `${signed}.${createHmac('sha256', cfg.secret).update(signed).digest('base64url')}`;
    const identity = await verifySsoToken(token, { ...rules, issuer: undefined }, cfg.now);
    expect(identity).toEqual({ owner: 'email:a@b.test', email: 'a@b.test', name: undefined });
  });

  test.each([
    [{ sub: 17 }, 'sub'],
    [{ external_id: null, sub: '' }, 'sub'],
    [{ external_id: 17, sub: 'a1' }, 'external_id'],
    [{ external_id: '' }, 'external_id'],
  ])('of %j the claim that is wrong is named', async (subject, named) => {
    const [head] = vectors[0]?.token.split('.') ?? [];
    const claims = { email: 'a@b.test', iat: cfg.now, exp: cfg.now + 60, ...subject };
    const signed = `${head}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
    const token = `${signed}.${createHmac('sha256', cfg.secret).update(signed).digest('base64url')}`;
    await expect(verifySsoToken(token, { ...rules, issuer: undefined }, cfg.now)).rejects.toThrow(
      `${named} must be a string`,
    );
  });

  test.each([
    ['Kim@Shop.test', 'kim@shop.test', true],
    // The signs of Kelvin and of Ångström, which Unicode calls lower-case k and å.
    ['\u212aim@shop.test', 'kim@shop.test', false],
    ['\u212bsa@shop.test', '\u00e5sa@shop.test', false],
  ])('%j and %j are one owner: %j, for the helper and for the widget', async (one, other, isSame) => {
    const toToken = (email: string) => {
      const [head] = vectors[0]?.token.split('.') ?? [];
      const claims = { email, iat: cfg.now, exp: cfg.now + 60 };
      const signed = `${head}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
      return `${signed}.${createHmac('sha256', cfg.secret).update(signed).digest('base64url')}`;
    };
    const [first, second] = await Promise.all(
      [one, other].map((email) => verifySsoToken(toToken(email), { ...rules, issuer: undefined }, cfg.now)),
    );
    expect(first?.owner === second?.owner).toBe(isSame);
    expect(toSubject(toToken(one)) === toSubject(toToken(other))).toBe(isSame);
    expect(toSubject(toToken(one))).toBe(toHash(first?.owner as string));
  });
});

type Wycheproof = {
  testGroups: { comment: string; tests: { tcId: number; comment: string; jws: string }[] }[];
};
const tests = readJson<Wycheproof>('wycheproof-jws-hs256.json').testGroups.flatMap((group) => group.tests);

describe('Wycheproof JSON Web Signatures', () => {
  // Their keys are other keys and their payloads no claims: not one may pass, or fail in another way than by name.
  test.each(tests)('$tcId, $comment, is no SSO token', async ({ jws }) => {
    await expect(verifySsoToken(jws, rules, cfg.now)).rejects.toMatchObject({ code: 'sso-token-invalid' });
  });
});
