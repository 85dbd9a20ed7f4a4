/** Single sign-on at the service. */

import { type JWTPayload, SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ShopAgent, startShopAgent, target } from '../../support/agentservice.ts';

const secret = 'a1'.repeat(32);

describe('POST /v1/bot/widget/sso', () => {
  let agent: ShopAgent;
  let nowSeconds: number;
  beforeEach(async () => {
    agent = await startShopAgent({ ssoSecret: secret, memberEmails: ['Staff@larkfield.example'] });
    nowSeconds = agent.clock.now / 1000;
  });
  afterEach(() => agent.close());

  const sign = (claims: JWTPayload = {}, header: object = {}, key = secret) =>
    new SignJWT({
      email: 'ada@larkfield.example',
      name: 'Ada',
      iat: nowSeconds,
      exp: nowSeconds + 600,
      ...claims,
    })
      .setProtectedHeader({ alg: 'HS256', ...header })
      .sign(new TextEncoder().encode(key));
  const exchange = (token: string) => agent.client.call('POST', '/v1/bot/widget/sso', { token });

  test('makes an account and a subscriber the first time, and finds them the second (S173, S176, S178, S179, S180)', async () => {
    const first = await exchange(await sign({ external_id: 'customer-1' }));
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({
      member_id: expect.any(String),
      subscriber: { id: 1, email: 'ada@larkfield.example', name: 'Ada' },
      project_member: false,
    });
    const second = await exchange(await sign({ sub: 'customer-1', email: 'new@larkfield.example' }));
    expect(second.body.member_id).toBe(first.body.member_id);
    expect(second.body.subscriber).toMatchObject({ id: 1, email: 'new@larkfield.example' });
    const joined = agent.service.events.filter(({ event }) => event === 'subscriber.joined');
    expect(joined).toHaveLength(1);
  });

  test('takes the e-mail address in any case for the person where no external id is given', async () => {
    const first = await exchange(await sign());
    const second = await exchange(await sign({ email: 'ADA@larkfield.example' }));
    expect(second.body.member_id).toBe(first.body.member_id);
    const other = await exchange(await sign({ external_id: 'ada@larkfield.example' }));
    expect(other.body.member_id).not.toBe(first.body.member_id);
  });

  test('two addresses that only Unicode makes one are two people, and only one is a member', async () => {
    const kelvin = await exchange(await sign({ email: 'mar\u212a@larkfield.example' }));
    const letter = await exchange(await sign({ email: 'MARK@larkfield.example' }));
    expect(kelvin.body.member_id).not.toBe(letter.body.member_id);
    const again = await exchange(await sign({ email: 'mark@larkfield.example' }));
    expect(again.body.member_id).toBe(letter.body.member_id);
  });

  test.each(['a\ud800', 'a\u0000b'])('an id that could not be kept as it is, %j, is refused', async (id) => {
    expect((await exchange(await sign({ external_id: id }))).status).toBe(400);
  });

  test('knows the members of the project', async () => {
    expect((await exchange(await sign({ email: 'staff@larkfield.example' }))).body.project_member).toBe(true);
  });

  test('the secret is its text, not the bytes that its hex digits name (S174)', async () => {
    const token = await new SignJWT({ email: 'ada@larkfield.example', iat: nowSeconds, exp: nowSeconds + 60 })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(Buffer.from(secret, 'hex'));
    expect((await exchange(token)).body.error.code).toBe('sso_token_invalid');
  });

  test('an expired token is told apart from a bad one (S175, S217)', async () => {
    const expired = await exchange(await sign({ iat: nowSeconds - 3000, exp: nowSeconds - 31 }));
    expect([expired.status, expired.body.error.code]).toEqual([400, 'sso_token_expired']);
    expect((await exchange(await sign({ exp: nowSeconds - 29 }))).status).toBe(200);
  });

  test.each<[string, JWTPayload, object?]>([
    ['longer than an hour', { exp: 3601 }],
    ['without e-mail', { email: undefined }],
    ['with a space around the e-mail', { email: ' ada@larkfield.example' }],
    ['with an e-mail over 254 characters', { email: `${'a'.repeat(250)}@x.example` }],
    ['for another bot', { aud: 'another' }],
    ['issued in the future', { iat: 31, exp: 60 }],
    ['with a name that is no text', { name: 7 }],
    ['of another type', {}, { typ: 'at+jwt' }],
  ])('a token %s is invalid', async (_name, claims, header) => {
    const relative = { ...claims } as Record<string, unknown>;
    for (const name of ['iat', 'exp']) {
      const offset = relative[name];
      if (typeof offset === 'number') relative[name] = nowSeconds + offset;
    }
    const { status, body } = await exchange(await sign(relative as JWTPayload, header));
    expect([status, body.error.code]).toEqual([400, 'sso_token_invalid']);
  });

  test('a token for this bot is taken', async () => {
    expect((await exchange(await sign({ aud: target.botId }))).status).toBe(200);
  });

  test('without a secret the service answers 404', async () => {
    const plain = await startShopAgent();
    const { status } = await plain.client.call('POST', '/v1/bot/widget/sso', { token: 'x' });
    expect(status).toBe(404);
    await plain.close();
  });
});
