/** Clauses 20 and 21: what goes from a visitor to the agent as it is, and what never comes back. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { executionId, makePause, resumeWith } from '../support/pause.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { makeQuestion, toTurnPath, type Visitor } from '../support/visitor.ts';

const workspace = '7c1f0a52-3b6e-4d18-9a40-5e2d8f6b1c07';
let rig: Rig;
let visitor: Visitor;
beforeAll(async () => {
  rig = await startRig({ env: { PORCHLIGHT_WORKSPACE: workspace } });
  visitor = await rig.visit();
});
afterAll(() => rig.close());

const newTurn = () => toTurnPath(randomUUID(), randomUUID());
const lastChat = () => rig.agent.callsTo('POST /v1/bot/chat').at(-1);

test.each([
  'plain',
  '  outer space  ',
  'line\nbreak\r\n\ttab',
  'Zoë 👩🏽‍🚀 日本',
  '\u2028\u0000\\"',
  '{"purpose":"x"}',
  'e\u0301 é',
])('clause 21: upstream message equals text exactly: %j', async (text) => {
  await (await visitor.ask(randomUUID(), randomUUID(), { text })).whole();
  expect(lastChat()?.body.message).toBe(text);
});

test('clause 21: page goes into metadata only, without query and fragment', async () => {
  const page = {
    url: 'https://user:pw@shop.test/tea?token=query-secret#hash-secret',
    title: 'Tea',
    language: 'en',
  };
  const question = makeQuestion();
  await (await visitor.ask(randomUUID(), randomUUID(), { text: question, page })).whole();
  const { metadata, ...rest } = lastChat()?.body ?? {};
  expect(metadata).toEqual({ page: { url: 'https://shop.test/tea', title: 'Tea', language: 'en' } });
  expect(rest.message).toBe(question);
  expect(JSON.stringify(rest)).not.toContain('Tea');
});

test('clause 21: what a site says of its page goes along as it is', async () => {
  const page = { url: 'https://shop.test/tea', context: { product: 'Assam', inCart: [1, { of: 'two' }] } };
  await (await visitor.ask(randomUUID(), randomUUID(), { text: makeQuestion(), page })).whole();
  expect(lastChat()?.body.metadata).toEqual({ page });
});

test.each([
  ['a context that is a list', { url: 'https://shop.test/', context: ['Assam'] }],
  ['a context that is text', { url: 'https://shop.test/', context: 'Assam' }],
  ['more than 4 KB of context', { url: 'https://shop.test/', context: { all: 'x'.repeat(4096) } }],
  ['an unknown key', { url: 'https://shop.test/', html: '<p>' }],
  ['an address of another scheme', { url: 'file:///etc/passwd' }],
  ['a script', { url: 'javascript:alert(1)' }],
  ['a relative address', { url: '/tea' }],
  ['no address', { title: 'Tea' }],
  ['more than 4 KB', { url: 'https://shop.test/', title: 'x'.repeat(4096) }],
  ['more than 4 KB of UTF-8', { url: 'https://shop.test/', title: 'é'.repeat(2048) }],
  ['a list', []],
  ['null', null],
])('clause 21: a page with %s is 400', async (_, page) => {
  const before = rig.agent.calls.length;
  const { status, json } = await visitor.call('PUT', newTurn(), { text: 'Hi', page });
  expect([status, json.code]).toEqual([400, 'bad-request']);
  expect(rig.agent.calls.length).toBe(before);
});

test('clause 20: parameters of a running tool, execution ids, upstream chat ids and workspace ids never reach a visitor', async () => {
  rig.agent.nextChat((answer) => {
    answer.open();
    answer.event('start', { chat_id: answer.chatId, message_id: 'm', workspace_uuid: workspace });
    answer.event('tool', {
      executionId,
      name: 'look_up',
      status: 'running',
      parameters: { q: 'parameter-secret' },
      chat_id: answer.chatId,
    });
    answer.event('tool', { executionId, name: 'look_up', status: 'done', result: 'result-secret' });
    answer.event('delta', { text: 'Here. ', chat_id: answer.chatId });
    answer.recordQuestion();
    answer.event('approval', makePause({ name: 'order_status', parameters: { orderNumber: 'LF-7' } }));
    answer.end();
  });
  const { stream, conversationId, turnId } = await visitor.chat();
  // An approval shows the parameters that the visitor decides on, and nothing else of what came.
  expect(stream.ended('turn-paused').tool).toEqual({
    name: 'order_status',
    title: 'Order status',
    description: 'Looks up the state of an order',
    parameters: { orderNumber: 'LF-7' },
  });
  rig.agent.nextResume(resumeWith('It left.'));
  await visitor.call('POST', `${toTurnPath(conversationId, turnId)}/decision`, { decision: 'approve' });
  const rest = await (await visitor.attach(conversationId, turnId, stream.last.id)).whole();
  expect(rest.last.kind).toBe('turn-completed');

  const seen = [
    stream.raw,
    rest.raw,
    (await visitor.call('GET', `/conversations/${conversationId}`)).text,
    (await visitor.call('GET', '/conversations')).text,
    (await visitor.call('GET', '/visitor')).text,
  ].join('\n');
  const chatId = String(lastChat()?.body.chat_id);
  for (const hidden of [
    'parameter-secret',
    'result-secret',
    executionId,
    chatId,
    workspace,
    'context-secret-1',
    'executed-secret-1',
    'label-secret-1',
    'reasoning-secret-1',
    'the original query',
  ])
    expect([hidden, seen.includes(hidden)]).toEqual([hidden, false]);
});
