/** Clauses 34 and 35: the agent's last word ends the turn, and only its own answer to this question completes it. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FakeAnswer } from '../support/fake-answer.ts';
import { until } from '../support/helper-process.ts';
import { makePause, pauseWith } from '../support/pause.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { makeQuestion, signJwt, toTurnPath, type Visitor } from '../support/visitor.ts';

let rig: Rig;
let visitor: Visitor;
beforeAll(async () => {
  rig = await startRig({ movableClock: true });
  visitor = await rig.visit();
});
afterAll(() => rig.close());

const say = (answer: FakeAnswer, text: string) => {
  answer.open();
  answer.event('delta', { text });
};

test.each([
  [
    'the final object',
    (answer: FakeAnswer) => answer.event('done', answer.toFinal('All.')),
    'turn-completed',
  ],
  ['[DONE]', (answer: FakeAnswer) => answer.event(undefined, '[DONE]'), 'turn-completed'],
  [
    'a pause',
    (answer: FakeAnswer) => answer.event('approval', makePause({ name: 'order_status', parameters: {} })),
    'turn-paused',
  ],
] as const)(
  'clause 34: %s ends the turn, though the agent leaves its connection open',
  async (_, end, kind) => {
    rig.agent.nextChat(async (answer) => {
      say(answer, 'All.');
      end(answer);
      await answer.closed;
    });
    const stream = await visitor.ask(randomUUID(), randomUUID(), makeQuestion());
    await until(() => stream.closed, 'the turn ends within two seconds', 2_000);
    expect(stream.last.kind).toBe(kind);
    expect(stream.text).toBe('All.');
  },
);

test('clause 34: an error whose body never ends fails the turn after ten seconds', async () => {
  rig.agent.nextChat(async ({ response, closed }) => {
    response.writeHead(400, { 'content-type': 'application/json' });
    response.write('{"error":');
    await closed;
  });
  const question = makeQuestion();
  const stream = await visitor.ask(randomUUID(), randomUUID(), question);
  await rig.helper.advanceUntil(() => stream.closed, 'the turn fails', 15_000);
  expect(stream.ended('turn-failed').code).toBe('agent-refused');
});

test('an end without words takes nothing back of what was said', async () => {
  rig.agent.nextChat((answer) => {
    say(answer, 'Streamed.');
    answer.event('done', { chat: { reply: '', agent: {}, sources: [] } });
    answer.end();
  });
  const { stream } = await visitor.chat();
  expect(stream.ended('turn-completed').message.text).toBe('Streamed.');
});

test.each([
  ['all of which was streamed', 'One moment. ', 'One moment. '],
  ['nothing of which was streamed', '', 'Shall I cancel order 7?'],
  ['that is more than was streamed', 'Let me check.', 'Let me check.\n\nWaiting for approval.'],
  ['that is spaced otherwise', 'Let me  check.\r\n', 'Let me check.'],
])(
  'clause 35: what stood in the record at the pause, %s, is not the answer when the approved tool fails',
  async (_, streamed, recorded) => {
    rig.agent.nextChat((answer) => {
      answer.recordQuestion();
      answer.recordReply(recorded);
      if (streamed) say(answer, streamed);
      else answer.open();
      answer.event('approval', makePause({ name: 'order_cancel', parameters: {} }));
      answer.end();
    });
    const { conversationId, turnId } = await visitor.chat();
    rig.agent.nextResume((answer) => answer.refuse(500));
    const path = toTurnPath(conversationId, turnId);
    expect((await visitor.call('POST', `${path}/decision`, { decision: 'approve' })).status).toBe(202);
    const stream = await visitor.attach(conversationId, turnId);
    await rig.helper.advanceUntil(() => stream.closed, 'the turn ends', 30_000);
    expect(stream.ended('turn-failed').retryable).toBe(true);
  },
);

function openAndReset(answer: FakeAnswer): void {
  answer.open();
  setImmediate(() => answer.reset());
}

test.each([
  ['after its head', (answer: FakeAnswer) => openAndReset(answer)],
  ['before a status', (answer: FakeAnswer) => answer.reset()],
] as const)(
  'clause 35: a stopped fragment is not the answer to the same question, whose stream is reset %s',
  async (_, breakOff) => {
    const [conversationId, question] = [randomUUID(), makeQuestion()];
    let record = () => {};
    rig.agent.nextChat(async (answer) => {
      say(answer, 'The tent weighs ');
      // Written down late: only when the next question is asked.
      record = () => {
        answer.recordQuestion();
        answer.recordReply('The tent weighs two ');
      };
      await answer.cancelled;
      answer.end();
    });
    const stopped = randomUUID();
    const stream = await visitor.ask(conversationId, stopped, question);
    await stream.untilText('The tent');
    await visitor.call('DELETE', toTurnPath(conversationId, stopped));
    await stream.whole();
    stream.ended('turn-stopped');

    rig.agent.nextChat((answer) => {
      record();
      breakOff(answer);
    });
    const again = await visitor.ask(conversationId, randomUUID(), question);
    await rig.helper.advanceUntil(() => again.closed, 'the turn ends', 30_000);
    expect(again.last.kind).toBe('turn-failed');
    expect(again.text).toBe('');
  },
);

test('clause 35: a stopped question that is edited later takes all that followed with it, at the agent too', async () => {
  const conversationId = randomUUID();
  const stopped = randomUUID();
  rig.agent.nextChat(async (answer) => {
    answer.recordQuestion();
    say(answer, 'Half ');
    await answer.cancelled;
    answer.recordReply('Half ');
    answer.end();
  });
  const stream = await visitor.ask(conversationId, stopped, makeQuestion());
  await stream.untilText('Half ');
  await visitor.call('DELETE', toTurnPath(conversationId, stopped));
  await stream.whole();
  await visitor.chat(makeQuestion(), conversationId);

  const edited = makeQuestion();
  const body = { text: edited, replaces: stopped };
  const again = await (await visitor.ask(conversationId, randomUUID(), body)).whole();
  again.ended('turn-completed');
  const { messages } = await visitor.history(conversationId);
  expect(messages.map(({ text, status }) => [text, status])).toEqual([
    [edited, 'completed'],
    ['Hello there.', 'completed'],
  ]);
  const chatId = String(rig.agent.chatsAbout(edited)[0]?.body.chat_id);
  expect(rig.agent.records.get(chatId)?.map(({ content }) => content)).toEqual([edited, 'Hello there.']);
});

test('a question that was taken back is not asked again, and its id keeps nothing from being asked', async () => {
  const conversationId = randomUUID();
  const { turnId, question } = await visitor.chat(makeQuestion(), conversationId);
  const body = { text: makeQuestion(), replaces: turnId };
  (await (await visitor.ask(conversationId, randomUUID(), body)).whole()).ended('turn-completed');
  const again = await visitor.call('PUT', toTurnPath(conversationId, turnId), { text: question });
  expect([again.status, again.json.code]).toEqual([409, 'turn-conflict']);
  expect(rig.agent.chatsAbout(question)).toHaveLength(1);
  const history = await visitor.history(conversationId);
  expect(history.liveTurn).toBeUndefined();
  expect(history.messages.map(({ text }) => text)).toEqual([body.text, 'Hello there.']);
  (await visitor.chat(makeQuestion(), conversationId)).stream.ended('turn-completed');
});

test('clause 35: what cannot be found in the record is not taken back, and nothing is dropped', async () => {
  const conversationId = randomUUID();
  const first = await visitor.chat(makeQuestion(), conversationId);
  const chatId = String(rig.agent.chatsAbout(first.question)[0]?.body.chat_id);
  // The record holds what no turn of ours has.
  for (const message of rig.agent.records.get(chatId) ?? []) message.uuid = randomUUID();
  const body = { text: makeQuestion(), replaces: first.turnId };
  const stream = await (await visitor.ask(conversationId, randomUUID(), body)).whole();
  stream.ended('turn-failed');
  expect(
    rig.agent.callsTo('DELETE /v1/bot/chat/message/delete').filter(({ body }) => body.chat_id === chatId),
  ).toEqual([]);
  expect(rig.agent.chatsAbout(body.text)).toEqual([]);
});

test('clause 38: a mode of a project member is not sent for the same visitor who is none any more', async () => {
  const now = Math.floor(Date.now() / 1000);
  const token = () => signJwt({ email: 'mona@shop.test', iat: now, exp: now + 600, jti: randomUUID() });
  rig.agent.override('POST /v1/bot/widget/sso', (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ member_id: 'm-1', project_member: true }));
  });
  const member = await rig.visit({ ssoToken: token() });
  const { conversationId } = await member.chat();
  expect((await member.call('PATCH', `/conversations/${conversationId}`, { mode: 'edit' })).status).toBe(204);
  const asMember = makeQuestion();
  await member.chat(asMember, conversationId);
  expect(rig.agent.chatsAbout(asMember)[0]?.body.chat_mode).toBe('edit');

  rig.agent.restore('POST /v1/bot/widget/sso');
  const left = await rig.visit({ ssoToken: token() });
  expect(left.reply.visitor.member).toBe(false);
  expect((await left.history(conversationId)).mode).toBe('ask');
  const asVisitor = makeQuestion();
  await left.chat(asVisitor, conversationId);
  expect(rig.agent.chatsAbout(asVisitor)[0]?.body.chat_mode).toBe('ask');
  // Nor with the session of before, which says otherwise.
  const asBefore = makeQuestion();
  await member.chat(asBefore, conversationId);
  expect(rig.agent.chatsAbout(asBefore)[0]?.body.chat_mode).toBe('ask');
  const change = async (id: string) =>
    (await member.call('PATCH', `/conversations/${id}`, { mode: 'plan' })).status;
  expect(await change(conversationId)).toBe(403);
  expect((await member.call('DELETE', '/visitor')).status).toBe(204);
  expect(await change((await member.chat()).conversationId)).toBe(403);
});

test('a pause that is stopped stays stopped, though the agent’s connection lingers', async () => {
  rig.agent.nextChat(pauseWith(makePause({ name: 'order_status', parameters: {} })));
  const { conversationId, turnId } = await visitor.chat();
  expect((await visitor.call('DELETE', toTurnPath(conversationId, turnId))).status).toBe(204);
  const stream = await (await visitor.attach(conversationId, turnId)).whole();
  expect(stream.last.kind).toBe('turn-stopped');
});
