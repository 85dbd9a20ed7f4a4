/** Clause 19: an answer that broke off is taken from the agent's record, whatever else the agent fails to say. */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { useRig } from '../support/rig.ts';
import { makeQuestion, toTurnPath } from '../support/visitor.ts';

const { rig, visitor } = await useRig();

const status = 'GET /v1/bot/chat/stream-status';

test.each([
  ['fails', (response: ServerResponse) => void response.writeHead(500).end('{"error":"broken"}')],
  ['is not there', (response: ServerResponse) => void response.writeHead(404).end('<h1>404</h1>')],
  ['never answers', () => {}],
])('the record is asked where the endpoint for what is streaming %s', async (_, answers) => {
  rig.agent.override(status, (__, response) => answers(response));
  const [conversationId, turnId] = [randomUUID(), randomUUID()];
  rig.agent.nextChat((answer) => {
    answer.recordQuestion();
    answer.open();
    answer.event('delta', { text: 'The answer ' });
    answer.recordReply('The answer is 42.');
    setTimeout(() => answer.reset(), 50);
  });
  const stream = await (await visitor.ask(conversationId, turnId, makeQuestion())).whole();
  expect(stream.ended('turn-completed').message.text).toBe('The answer is 42.');
  rig.agent.restore(status);
});

test.each([
  ['that tells nothing of it', 404, 7_500],
  ['that says it has ended', 200, 2_500],
])('the answer of an agent %s is found in the record however late it is there', async (_, code, lateMs) => {
  rig.agent.override(status, (__, response) => {
    response
      .writeHead(code, { 'content-type': 'application/json' })
      .end('{"success":true,"streaming":false}');
  });
  const [conversationId, turnId] = [randomUUID(), randomUUID()];
  rig.agent.nextChat((answer) => {
    answer.recordQuestion();
    answer.open();
    answer.event('delta', { text: 'The answer ' });
    setTimeout(() => answer.reset(), 50);
    setTimeout(() => answer.recordReply('The answer is 42.'), lateMs);
  });
  const stream = await (await visitor.ask(conversationId, turnId, makeQuestion())).whole();
  expect(stream.ended('turn-completed').message.text).toBe('The answer is 42.');
  rig.agent.restore(status);
});

const letters = 'Was kostet der Rückversand?  Und ab wann gilt das\n\nfür Kanada?';
test.each([
  ['other line ends', letters, (text: string) => text.replaceAll('\n', '\r\n')],
  ['other white space', letters, (text: string) => ` ${text.replace(/\s+/g, ' ')}\n`],
  ['letters put together otherwise', letters, (text: string) => text.normalize('NFD')],
  ['its end cut off', `${letters} ${'and more '.repeat(300)}`, (text: string) => text.slice(0, 2_000)],
])('a question that the agent writes down with %s is that question', async (_, asked, write) => {
  const [conversationId, turnId] = [randomUUID(), randomUUID()];
  const question = `${randomUUID()} ${asked}`.trim();
  rig.agent.nextChat((answer) => {
    answer.recordQuestion(write(answer.message));
    answer.open();
    answer.event('delta', { text: 'The answer ' });
    answer.recordReply('The answer is 42.');
    setTimeout(() => answer.reset(), 50);
  });
  const stream = await (await visitor.ask(conversationId, turnId, question)).whole();
  expect(stream.ended('turn-completed').message.text).toBe('The answer is 42.');
  const { messages } = await visitor.history(conversationId);
  expect(messages.map(({ text, status: of }) => [text, of])).toEqual([
    [question, 'completed'],
    ['The answer is 42.', 'completed'],
  ]);
});

test.each([-90_000, 90_000])(
  'an agent whose clock is %i ms ahead has its answers mended, and its questions edited',
  async (ahead) => {
    const conversationId = randomUUID();
    const at = () => new Date(Date.now() + ahead);
    rig.agent.shiftClock(ahead);
    rig.agent.nextChat((answer) => {
      answer.recordQuestion(answer.message, at());
      answer.open();
      answer.event('delta', { text: 'The ' });
      answer.recordReply('The whole.', [], at());
      setTimeout(() => answer.reset(), 50);
    });
    const turnId = randomUUID();
    const stream = await (await visitor.ask(conversationId, turnId, makeQuestion())).whole();
    expect(stream.ended('turn-completed').message.text).toBe('The whole.');
    const edited = randomUUID();
    const put = await visitor.ask(conversationId, edited, { text: makeQuestion(), replaces: turnId });
    await put.whole();
    expect(put.last.kind).toBe('turn-completed');
    expect((await visitor.call('DELETE', toTurnPath(conversationId, edited))).status).toBe(204);
    rig.agent.shiftClock(0);
  },
);

test.each([
  [{ questions: ['Which one?'] }, 'Which one?'],
  [{ question: 'Which one?' }, 'Which one?'],
  [{ questions: [{ text: 'Which one?' }] }, 'Which one?'],
  [{ questions: [{}] }, 'Asks something'],
])('a pause that asks with %j can be answered', async (parameters, question) => {
  rig.agent.nextChat((answer) => {
    answer.recordQuestion();
    answer.open();
    const tool = { name: 'ask_user', description: 'Asks something', parameters };
    answer.event('approval', { requiresApproval: true, executionId: 'exec_1_aa', tool });
    answer.end();
  });
  const { conversationId, turnId, stream } = await visitor.chat();
  expect(stream.ended('turn-paused').questions).toEqual([{ question, options: [] }]);
  rig.agent.nextResume((answer) => answer.done('Fine.'));
  const path = `${toTurnPath(conversationId, turnId)}/decision`;
  expect((await visitor.call('POST', path, { decision: 'answer', answers: ['Red'] })).status).toBe(202);
  await (await visitor.attach(conversationId, turnId)).whole();
});

test('an export holds a conversation in which a question is asked while it runs', async () => {
  const other = await rig.visit();
  const ids: string[] = [];
  for (let count = 0; count < 25; count += 1) ids.push((await other.chat()).conversationId);
  rig.agent.override('GET /v1/bot/chat/read', async (_, response) => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"total":0,"conversation":[]}');
  });
  const exporting = other.call<{ conversations: { id: string }[] }>('GET', '/visitor');
  await new Promise((resolve) => setTimeout(resolve, 100));
  await (await other.ask(ids[1]!, randomUUID(), makeQuestion())).whole();
  const { status: code, json } = await exporting;
  rig.agent.restore('GET /v1/bot/chat/read');
  expect(code).toBe(200);
  expect(json.conversations.map(({ id }) => id).sort()).toEqual(ids.sort());
});
