/** Clause 10: the token in which the site's backend says who the visitor is. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { secrets, target } from '../support/helper-process.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { at } from '../support/two-helpers.ts';
import { makeQuestion, makeSsoToken, openSession, signJwt, signText } from '../support/visitor.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await startRig();
});
afterAll(() => rig.close());

const now = () => Math.floor(Date.now() / 1000);
const email = 'ada@shop.test';
const good = () => ({ email, iat: now(), exp: now() + 600 });
const exchange = (ssoToken: string) => openSession(rig.helper, { ssoToken });
const none = (claims: object) =>
  `${signJwt(claims, secrets.ssoSecret, { alg: 'none' }).split('.', 2).join('.')}.`;
const longEmail = (length: number) => `${'a'.repeat(length - 7)}@x.test`;

const accepted: [what: string, token: () => string][] = [
  ['no typ', () => signJwt(good(), secrets.ssoSecret, { alg: 'HS256' })],
  ['typ JWT', () => signJwt(good())],
  [
    'an unknown header and unknown claims',
    () => signJwt({ ...good(), role: 'admin' }, secrets.ssoSecret, { alg: 'HS256', kid: '1' }),
  ],
  ['an e-mail of 254 characters', () => signJwt({ ...good(), email: longEmail(254) })],
  ['a whole hour', () => signJwt({ email, iat: now(), exp: now() + 3600 })],
  ['an exp 20 s ago', () => signJwt({ email, iat: now() - 600, exp: now() - 20 })],
  ['an iat 20 s ahead', () => signJwt({ email, iat: now() + 20, exp: now() + 600 })],
  ['an nbf 20 s ahead', () => signJwt({ ...good(), nbf: now() + 20 })],
  ['times with fractions', () => signJwt({ email, iat: now() - 0.5, exp: now() + 60.5 })],
  ['an aud that is the bot', () => signJwt({ ...good(), aud: target.botId })],
  ['an external_id', () => signJwt({ ...good(), external_id: 'customer 7' })],
];
test.each(accepted)('clause 10: a token with %s is taken', async (_, token) => {
  const { status, json } = await exchange(token());
  expect(status).toBe(200);
  expect(json.visitor.kind).toBe('identified');
});

const rejected: [what: string, token: () => string][] = [
  ['typ at+jwt', () => signJwt(good(), secrets.ssoSecret, { alg: 'HS256', typ: 'at+jwt' })],
  ['a typ that is no string', () => signJwt(good(), secrets.ssoSecret, { alg: 'HS256', typ: 1 })],
  ['crit', () => signJwt(good(), secrets.ssoSecret, { alg: 'HS256', crit: ['exp'], exp: 1 })],
  ['crit b64', () => signJwt(good(), secrets.ssoSecret, { alg: 'HS256', crit: ['b64'], b64: true })],
  ['alg none', () => none(good())],
  ['alg HS512', () => signJwt(good(), secrets.ssoSecret, { alg: 'HS512' })],
  ['another secret', () => signJwt(good(), 'another-secret-of-enough-bytes-0123')],
  ['an empty secret', () => signJwt(good(), '')],
  ['no e-mail', () => signJwt({ iat: now(), exp: now() + 60 })],
  ['an empty e-mail', () => signJwt({ ...good(), email: '' })],
  ['an e-mail that is a list', () => signJwt({ ...good(), email: [email] })],
  ['an e-mail of 255 characters', () => signJwt({ ...good(), email: longEmail(255) })],
  ['an e-mail with a line break', () => signJwt({ ...good(), email: 'ada\n@shop.test' })],
  ['an e-mail with a NUL', () => signJwt({ ...good(), email: 'ada@shop.test\u0000' })],
  ['an e-mail with outer space', () => signJwt({ ...good(), email: ` ${email}` })],
  ['an e-mail with a no-break space at its end', () => signJwt({ ...good(), email: `${email}\u00a0` })],
  ['no iat', () => signJwt({ email, exp: now() + 60 })],
  ['no exp', () => signJwt({ email, iat: now() })],
  ['an exp that is a string', () => signJwt({ email, iat: now(), exp: String(now() + 60) })],
  ['an exp that is not finite', () => signText(`{"email":"${email}","iat":${now()},"exp":1e999}`)],
  ['an iat that is null', () => signJwt({ email, iat: null, exp: now() + 60 })],
  ['more than an hour', () => signJwt({ email, iat: now(), exp: now() + 3601 })],
  ['an exp before its iat', () => signJwt({ email, iat: now() + 20, exp: now() + 10 })],
  ['an iat 60 s ahead', () => signJwt({ email, iat: now() + 60, exp: now() + 600 })],
  ['an nbf 60 s ahead', () => signJwt({ ...good(), nbf: now() + 60 })],
  ['an nbf that is a string', () => signJwt({ ...good(), nbf: '0' })],
  ['an aud that is another bot', () => signJwt({ ...good(), aud: 'bot-2' })],
  ['a name that is a number', () => signJwt({ ...good(), name: 7 })],
  ['an external_id that is an object', () => signJwt({ ...good(), external_id: {} })],
  ['a payload that is a list', () => signJwt([good()])],
  ['a payload that is no JSON', () => signText('not json')],
  [
    'expired and of another secret',
    () => signJwt({ email, iat: now() - 900, exp: now() - 300 }, 'another-secret-of-enough-bytes-0123'),
  ],
  ['expired and for more than an hour', () => signJwt({ email, iat: now() - 9000, exp: now() - 300 })],
  ['expired and without an e-mail', () => signJwt({ iat: now() - 900, exp: now() - 300 })],
  [
    'expired and crit',
    () =>
      signJwt({ email, iat: now() - 900, exp: now() - 300 }, secrets.ssoSecret, {
        alg: 'HS256',
        crit: ['x'],
        x: 1,
      }),
  ],
  ['no dots', () => 'garbage'],
  ['nothing in it', () => ''],
  ['a fourth part', () => `${signJwt(good())}.x`],
];
test.each(rejected)('clause 10: a token with %s is sso-token-invalid', async (_, token) => {
  const { status, json, text } = await exchange(token());
  expect(status).toBe(401);
  expect(json.code).toBe('sso-token-invalid');
  expect(text).not.toContain(email);
});

test('clause 10: an otherwise good token past its exp is sso-token-expired', async () => {
  for (const age of [35, 300, 3000]) {
    const { status, json } = await exchange(signJwt({ email, iat: now() - age - 600, exp: now() - age }));
    expect([status, json.code]).toEqual([401, 'sso-token-expired']);
  }
});

test.each([
  'Ada',
  'Ada Lovelace, 1st',
  '  spaced  ',
  'Žofie Šťastná',
  '山田 太郎',
  'عبد الله',
  'Zoë 👩🏽‍🚀',
  '<b>"Ada" & \\</b>',
  'e\u0301',
])('clause 10: visitor.name %j comes back unchanged', async (name) => {
  const { json } = await exchange(makeSsoToken({ name }));
  expect(json.visitor).toEqual({ kind: 'identified', name, member: false });
});

test('what the agent knows the visitor as goes with each of their questions, and never to the page', async () => {
  const external_id = randomUUID();
  const visitor = await rig.visit({ ssoToken: makeSsoToken({ external_id }) });
  const question = makeQuestion();
  const { stream } = await visitor.chat(question);
  expect(rig.agent.chatsAbout(question)[0]?.body.member_id).toBe(`member-of-${external_id}`);
  expect(stream.raw + JSON.stringify(visitor.reply)).not.toContain('member-of');
});

test('identity required: without a good token nobody comes in', async () => {
  const strict = await startRig({ env: { PORCHLIGHT_IDENTITY: 'required' } });
  expect((await openSession(strict.helper)).json).toMatchObject({ status: 401, code: 'sign-in-required' });
  expect((await openSession(strict.helper, { ssoToken: 'x' })).json.code).toBe('sso-token-invalid');
  expect((await openSession(strict.helper, { ssoToken: makeSsoToken() })).status).toBe(200);
  await strict.close();
});

test('identity off: a token is not used, and the answer says so', async () => {
  const off = await startRig({ env: { PORCHLIGHT_IDENTITY: 'off' } });
  const { status, json } = await openSession(off.helper, { ssoToken: makeSsoToken({ name: 'Ada' }) });
  expect(status).toBe(200);
  expect(json).toMatchObject({ visitor: { kind: 'anonymous' }, reason: 'identity-off' });
  await off.close();
});

test('identity off: nor is a session that was signed while visitors could sign in', async () => {
  const off = await startRig({ env: { PORCHLIGHT_IDENTITY: 'off' } });
  const [earlier, guest] = await Promise.all([rig.visit({ ssoToken: makeSsoToken() }), rig.visit()]);
  const [before, known] = [at(off.helper, earlier), at(off.helper, guest)];
  expect((await before.call('GET', '/conversations')).json).toMatchObject({
    status: 401,
    code: 'session-expired',
  });
  const renewed = await openSession(off.helper, { session: earlier.session });
  expect(renewed.json).toMatchObject({ status: 401, code: 'session-expired' });
  expect((await known.call('GET', '/conversations')).status).toBe(200);
  await off.close();
});
