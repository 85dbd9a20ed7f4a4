/** Clause 24: a conversation belongs to one owner; to all others it is not there. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGate } from '../support/gate.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { makeQuestion, makeSsoToken, toTurnPath, type Visitor } from '../support/visitor.ts';

let rig: Rig;
let owner: Visitor;
let stranger: Visitor;
beforeAll(async () => {
  rig = await startRig();
  owner = await rig.visit();
  stranger = await rig.visit({ ssoToken: makeSsoToken() });
});
afterAll(() => rig.close());

type Ids = { conversationId: string; turnId: string };
const routes: [method: string, toPath: (ids: Ids) => string, body?: unknown][] = [
  ['GET', ({ conversationId }) => `/conversations/${conversationId}`],
  ['GET', ({ conversationId }) => `/conversations/${conversationId}?cursor=20.1`],
  ['PATCH', ({ conversationId }) => `/conversations/${conversationId}`, { title: 'Mine now' }],
  ['PATCH', ({ conversationId }) => `/conversations/${conversationId}`, { mode: 'edit' }],
  ['DELETE', ({ conversationId }) => `/conversations/${conversationId}`],
  ['GET', ({ conversationId, turnId }) => toTurnPath(conversationId, turnId)],
  ['DELETE', ({ conversationId, turnId }) => toTurnPath(conversationId, turnId)],
  [
    'POST',
    ({ conversationId, turnId }) => `${toTurnPath(conversationId, turnId)}/decision`,
    { decision: 'approve' },
  ],
  [
    'PUT',
    ({ conversationId, turnId }) => `/conversations/${conversationId}/messages/${turnId}.agent/vote`,
    { vote: 'up' },
  ],
];
// Drawn anew for every reply, whatever was asked.
const ownToEveryReply = new Set(['date', 'x-request-id']);
const shown = routes.map(([method, toPath, body]) => ({
  method,
  toPath,
  body,
  route: toPath({ conversationId: '{id}', turnId: '{turnId}' }),
}));

test.each(shown)(
  'clause 24: $method $route of a stranger’s and of an unknown conversation are the same 404 bytes',
  async ({ method, toPath, body }) => {
    const theirs = await owner.chat();
    const unknown = { conversationId: randomUUID(), turnId: randomUUID() };
    const before = rig.agent.calls.length;
    const foreign = await stranger.call(method, toPath(theirs), body);
    const missing = await stranger.call(method, toPath(unknown), body);
    expect(foreign.status).toBe(404);
    expect(foreign.json.code).toBe('not-found');
    expect([missing.status, missing.text]).toEqual([foreign.status, foreign.text]);
    const headersOf = ({ headers }: typeof foreign) =>
      [...headers].filter(([name]) => !ownToEveryReply.has(name));
    expect(headersOf(missing)).toEqual(headersOf(foreign));
    expect(rig.agent.calls.length).toBe(before);
    expect((await owner.history(theirs.conversationId)).messages).toHaveLength(2);
  },
);

test('clause 24: PUT into a stranger’s conversation is the 404 of a deleted one, with a known turn id and with a new one', async () => {
  const theirs = await owner.chat();
  const gone = await stranger.chat();
  await stranger.call('DELETE', `/conversations/${gone.conversationId}`);
  const question = makeQuestion();
  const missing = await stranger.call('PUT', toTurnPath(gone.conversationId, randomUUID()), {
    text: question,
  });
  expect(missing.status).toBe(404);
  for (const turnId of [theirs.turnId, randomUUID()])
    for (const text of [theirs.question, question]) {
      const foreign = await stranger.call('PUT', toTurnPath(theirs.conversationId, turnId), { text });
      expect([foreign.status, foreign.text]).toEqual([404, missing.text]);
    }
  expect(rig.agent.chatsAbout(question)).toEqual([]);
  expect(rig.agent.chatsAbout(theirs.question)).toHaveLength(1);
});

test('clause 24: a running answer can be neither followed nor stopped by a stranger', async () => {
  const gate = createGate();
  rig.agent.nextChat(async (answer) => {
    answer.open();
    answer.event('delta', { text: 'Private ' });
    await gate.opened;
    answer.done('Private answer.');
  });
  const [conversationId, turnId, question] = [randomUUID(), randomUUID(), makeQuestion()];
  const stream = await owner.ask(conversationId, turnId, question);
  await stream.untilText('Private ');
  for (const [method, body] of [['GET'], ['DELETE'], ['PUT', { text: question }]] as const)
    expect((await stranger.call(method, toTurnPath(conversationId, turnId), body)).status).toBe(404);
  gate.open();
  await stream.whole();
  expect(stream.ended('turn-completed').message.text).toBe('Private answer.');
});

test('clause 24: of two visitors who claim one id at the same moment, one has it and the other gets 404', async () => {
  const conversationId = randomUUID();
  const visitors = await Promise.all(Array.from({ length: 6 }, () => rig.visit()));
  const statuses = await Promise.all(
    visitors.map(async (visitor) => {
      const { status } = await visitor.call('PUT', toTurnPath(conversationId, randomUUID()), {
        text: makeQuestion(),
      });
      return status;
    }),
  );
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  expect(statuses.filter((status) => status === 404)).toHaveLength(5);
});

test('clause 24: lists, exports and erasures hold the visitor’s own alone', async () => {
  const [ada, bob] = [await rig.visit(), await rig.visit()];
  const hers = await ada.chat();
  const his = await bob.chat();
  expect((await ada.list()).conversations.map(({ id }) => id)).toEqual([hers.conversationId]);
  const exported = await ada.call('GET', '/visitor');
  expect(exported.text).toContain(hers.question);
  expect(exported.text).not.toContain(his.question);
  expect((await ada.call('DELETE', '/visitor')).status).toBe(204);
  expect((await ada.list()).conversations).toEqual([]);
  expect((await bob.history(his.conversationId)).messages).toHaveLength(2);
  const chatIds = [...rig.agent.records.keys()];
  const chatOf = (question: string) => rig.agent.chatsAbout(question)[0]?.body.chat_id;
  expect(chatIds).not.toContain(chatOf(hers.question));
  expect(chatIds).toContain(chatOf(his.question));
});
