/** Clauses 6, 8 and 9: who is asking. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Rig, startRig } from '../support/rig.ts';
import { callHelper, makeQuestion, makeSsoToken, openSession, signJwt } from '../support/visitor.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await startRig({ movableClock: true });
});
afterAll(() => rig.close());

const [conversationId, turnId] = [randomUUID(), randomUUID()];
const path = `/conversations/${conversationId}`;
const signedRoutes: [method: string, path: string, body?: unknown][] = [
  ['GET', '/conversations'],
  ['GET', '/conversations?cursor=garbage'],
  ['GET', path],
  ['GET', '/conversations/no-uuid'],
  ['PATCH', path, { title: 'New' }],
  ['PATCH', path, '{broken'],
  ['DELETE', path],
  ['PUT', `${path}/turns/${turnId}`, { text: 'Hi' }],
  ['PUT', `${path}/turns/no-uuid`, { text: 'Hi', purpose: 'admin' }],
  ['PUT', `${path}/turns/${turnId}`, { text: 'x'.repeat(300_000) }],
  ['GET', `${path}/turns/${turnId}`],
  ['DELETE', `${path}/turns/${turnId}`],
  ['POST', `${path}/turns/${turnId}/decision`, { decision: 'approve' }],
  ['PUT', `${path}/messages/${turnId}.agent/vote`, { vote: 'up' }],
  ['GET', '/visitor'],
  ['DELETE', '/visitor'],
];

test.each(
  signedRoutes.map(([method, route, body]) => ({
    method,
    route,
    body,
    shown: route.replaceAll(/[\da-f-]{36}/g, '{id}'),
  })),
)(
  'clause 6: $method $shown without a good session is 401 before anything else is looked at',
  async ({ method, route, body }) => {
    const visitor = await rig.visit();
    const [head, payload = '', signature] = visitor.session.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const header = JSON.parse(Buffer.from(head ?? '', 'base64url').toString());
    const forged = [
      undefined,
      'Bearer',
      'Bearer garbage',
      `Basic ${visitor.session}`,
      `Bearer ${visitor.session.slice(0, -4)}AAAA`,
      `Bearer ${[head, Buffer.from(JSON.stringify({ ...claims, sub: 'email:ada@shop.test' })).toString('base64url'), signature].join('.')}`,
      `Bearer ${[Buffer.from('{"alg":"none"}').toString('base64url'), payload, ''].join('.')}`,
      `Bearer ${signJwt(claims, 'some-other-secret-0123456789abcdef01', header)}`,
      `Bearer ${makeSsoToken()}`,
    ];
    const before = rig.agent.calls.length;
    const replies = await Promise.all(
      forged.map((authorization) =>
        callHelper(rig.helper, method, route, body, authorization === undefined ? {} : { authorization }),
      ),
    );
    for (const { status, json, headers } of replies) {
      expect(status).toBe(401);
      expect(json.code).toBe('unauthenticated');
      expect(headers.get('content-type')).toBe('application/problem+json');
    }
    expect(new Set(replies.map((reply) => reply.text)).size).toBe(1);
    expect(rig.agent.calls.length).toBe(before);
  },
);

test('clause 8: every answer of /session, good or bad, is no-store and nosniff and sets no cookie', async () => {
  const replies = [
    await openSession(rig.helper),
    await openSession(rig.helper, { ssoToken: makeSsoToken() }),
    await openSession(rig.helper, { ssoToken: 'garbage' }),
    await openSession(rig.helper, { unknown: true }),
    await openSession(rig.helper, { session: 'garbage' }),
    await openSession(rig.helper, {}, { origin: 'https://evil.test' }),
    await openSession(rig.helper, { session: 'x'.repeat(256 * 1024) }),
    await callHelper(rig.helper, 'POST', '/session', 'text', { 'content-type': 'text/plain' }),
    await callHelper(rig.helper, 'POST', '/session', '{'),
    await callHelper(rig.helper, 'GET', '/session'),
  ];
  expect(replies.map((reply) => reply.status)).toEqual([200, 200, 401, 400, 401, 403, 413, 415, 400, 404]);
  for (const { headers } of replies) {
    expect(headers.get('cache-control')).toContain('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('set-cookie')).toBeNull();
  }
});

test('a session tells who the visitor is, how the agent presents itself and what is allowed', async () => {
  const anonymous = (await openSession(rig.helper)).json;
  expect(anonymous).toMatchObject({
    expiresInSeconds: expect.toBeOneOf([3599, 3600]),
    visitor: { kind: 'anonymous', member: false },
    agent: { name: 'Wren', placeholder: 'Ask Wren', starters: ['Opening hours?'], theme: 'dark' },
    allowed: { reasoningModes: ['auto'], attachments: false, chatModes: ['ask'] },
  });
  const ada = (await openSession(rig.helper, { ssoToken: makeSsoToken({ name: 'Ada' }) })).json;
  expect(ada.visitor).toEqual({ kind: 'identified', name: 'Ada', member: false });
});

test('clause 9: an anonymous session given with an SSO token moves its conversations to the identified owner, once', async () => {
  const anonymous = await rig.visit();
  const { conversationId: moved, question } = await anonymous.chat();
  const ssoToken = makeSsoToken({ email: `${randomUUID()}@shop.test` });
  const ada = await rig.visit({ ssoToken, session: anonymous.session });
  expect((await ada.history(moved)).messages[0]?.text).toBe(question);
  expect((await ada.list()).conversations.map(({ id }) => id)).toEqual([moved]);

  expect((await anonymous.call('GET', `/conversations/${moved}`)).status).toBe(404);
  expect((await anonymous.list()).conversations).toEqual([]);
  const again = await anonymous.call('PUT', `/conversations/${moved}/turns/${randomUUID()}`, { text: 'Hi' });
  expect([again.status, again.json.code]).toEqual([401, 'unauthenticated']);
});

test('clause 9: a turn that runs while its visitor signs in goes on for the identified owner', async () => {
  const anonymous = await rig.visit();
  const [id, turn, question] = [randomUUID(), randomUUID(), makeQuestion()];
  let finish = () => {};
  rig.agent.nextChat(async (answer) => {
    answer.open();
    answer.event('delta', { text: 'Before ' });
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    answer.event('delta', { text: 'after.' });
    answer.done('Before after.');
  });
  const stream = await anonymous.ask(id, turn, question);
  await stream.untilText('Before ');
  const ada = await rig.visit({
    ssoToken: makeSsoToken({ email: `${randomUUID()}@shop.test` }),
    session: anonymous.session,
  });
  const followed = await ada.attach(id, turn);
  expect((await anonymous.call('GET', `/conversations/${id}/turns/${turn}`)).status).toBe(404);
  finish();
  await followed.whole();
  expect(followed.ended('turn-completed').message.text).toBe('Before after.');
});

test('clause 9: a session that was merged once is never inherited by somebody else', async () => {
  const anonymous = await rig.visit();
  await anonymous.chat();
  const signIn = (email: string, session = anonymous.session) =>
    rig.visit({ ssoToken: makeSsoToken({ email }), session });
  await signIn(`${randomUUID()}@shop.test`);
  // On a shared computer the old session stays behind, and may say no more.
  const late = `/conversations/${randomUUID()}`;
  const asked = await anonymous.call('PUT', `${late}/turns/${randomUUID()}`, { text: makeQuestion() });
  expect(asked.status).toBe(401);
  const bob = await signIn(`${randomUUID()}@shop.test`);
  expect((await bob.list()).conversations).toEqual([]);
  expect((await bob.call('GET', late)).status).toBe(404);
});

test('clause 9: a signed-in session is never inherited by somebody else', async () => {
  const ada = await rig.visit({ ssoToken: makeSsoToken({ email: `${randomUUID()}@shop.test` }) });
  const { conversationId: hers } = await ada.chat();
  const bob = await rig.visit({
    ssoToken: makeSsoToken({ email: `${randomUUID()}@shop.test` }),
    session: ada.session,
  });
  expect((await bob.list()).conversations).toEqual([]);
  expect((await ada.history(hers)).messages).toHaveLength(2);
});

test('clause 9: the same person finds the conversations again from another device, and nobody else does', async () => {
  const external_id = randomUUID();
  const first = await rig.visit({ ssoToken: makeSsoToken({ external_id }) });
  const { conversationId: shared } = await first.chat();
  // The address may change, the external id is who it is.
  const second = await rig.visit({ ssoToken: makeSsoToken({ external_id, email: 'ada@new.test' }) });
  expect((await second.list()).conversations.map(({ id }) => id)).toEqual([shared]);
  const other = await rig.visit({ ssoToken: makeSsoToken({ email: external_id }) });
  expect((await other.list()).conversations).toEqual([]);
});

// Last: the clock of this helper moves.
test('a session is good for an hour; an anonymous one is renewed within 30 days and stays the same visitor', async () => {
  const anonymous = await rig.visit();
  const ada = await rig.visit({ ssoToken: makeSsoToken() });
  const { conversationId: kept } = await anonymous.chat();
  await rig.helper.advance(3601_000);
  for (const visitor of [anonymous, ada]) {
    const { status, json } = await visitor.call('GET', '/conversations');
    expect([status, json.code]).toEqual([401, 'session-expired']);
  }
  const renewed = await rig.visit({ session: anonymous.session });
  expect((await renewed.list()).conversations.map(({ id }) => id)).toEqual([kept]);
  expect((await openSession(rig.helper, { session: ada.session })).json.code).toBe('session-expired');
});
