/** Clauses 16 and 18: an agent that refuses, fails or breaks off. */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Script, sendJson } from '../support/fake-agent.ts';
import type { FakeAnswer } from '../support/fake-answer.ts';
import { makePause } from '../support/pause.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { makeQuestion, toTurnPath, type Visitor } from '../support/visitor.ts';

let rig: Rig;
let visitor: Visitor;
beforeAll(async () => {
  // The agent is asked for a lost answer a few times over six seconds; nobody waits for that here.
  rig = await startRig({
    movableClock: true,
    env: { PORCHLIGHT_WORKSPACE: '7c1f0a52-3b6e-4d18-9a40-5e2d8f6b1c07' },
  });
  visitor = await rig.visit();
});
afterAll(() => rig.close());

/** One turn that the agent answers this way, to its end. */
async function ask(script: Script) {
  rig.agent.nextChat(script);
  const [conversationId, turnId, question] = [randomUUID(), randomUUID(), makeQuestion()];
  const stream = await visitor.ask(conversationId, turnId, question);
  await rig.helper.advanceUntil(() => stream.closed, 'the turn ends');
  expect(rig.agent.chatsAbout(question)).toHaveLength(1);
  return { conversationId, turnId, question, stream };
}

/** Says these pieces and hangs up without a final event. */
const say =
  (...texts: string[]): Script =>
  (answer) => {
    answer.open();
    for (const text of texts) answer.event('delta', { text });
    answer.end();
  };

const failures: [what: string, script: Script, code: string, retryable: boolean][] = [
  ['400', (answer) => answer.refuse(400), 'agent-refused', false],
  ['401', (answer) => answer.refuse(401), 'agent-refused', false],
  ['402', (answer) => answer.refuse(402), 'agent-refused', false],
  ['403', (answer) => answer.refuse(403), 'agent-refused', false],
  ['404', (answer) => answer.refuse(404), 'agent-refused', false],
  ['500', (answer) => answer.refuse(500), 'agent-unavailable', true],
  ['503', (answer) => answer.refuse(503), 'agent-unavailable', true],
  ['a redirect', (answer) => answer.refuse(302, { location: '/v1/bot/read' }), 'agent-unavailable', true],
  ['a reset before the first byte', (answer) => answer.reset(), 'agent-unavailable', true],
  [
    'a web page with status 200',
    ({ response }) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Portal</h1>'),
    'agent-unavailable',
    true,
  ],
];
test.each(failures)(
  'clause 16: an agent that answers %s is asked once, and the turn fails as it deserves',
  async (_, script, code, retryable) => {
    const { stream, conversationId, question } = await ask(script);
    expect(stream.ended('turn-failed')).toEqual({ code, retryable });
    expect(stream.text).toBe('');
    expect(stream.raw).not.toContain('The agent says no');
    expect((await visitor.history(conversationId)).messages).toMatchObject([
      { role: 'visitor', text: question },
      { role: 'agent', status: 'failed', code },
    ]);
  },
);

test.each([
  ['has no record', { error: { code: 'no_route' } }],
  ['calls a chat that it does not know otherwise', { error: { code: 'no_chat' } }],
])('what fails at an agent that %s is no refusal, and may be tried again', async (_, body) => {
  const route = 'GET /v1/bot/chat/read';
  onTestFinished(() => rig.agent.restore(route));
  rig.agent.override(route, (_call, response) => sendJson(response, body, 404));
  const { stream } = await ask((answer) => answer.refuse(500));
  expect(stream.ended('turn-failed')).toEqual({ code: 'agent-unavailable', retryable: true });
});

test('a web page in an answer’s place is told to the operator', async () => {
  await ask(({ response }) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Portal</h1>');
  });
  expect(rig.helper.output).toContain('the agent answered with something else than JSON');
});

test.each([201, 202])('an answer with status %d streams like any other', async (status) => {
  const { stream } = await ask((answer) => {
    answer.recordQuestion();
    answer.response.writeHead(status, { 'content-type': 'text/event-stream' });
    answer.event('delta', { text: 'Made ' });
    answer.event('delta', { text: 'well.' });
    answer.done('Made well.');
  });
  expect(stream.ended('turn-completed').message.text).toBe('Made well.');
  expect(stream.text).toBe('Made well.');
});

test('clause 16: an agent that cannot be reached fails the turn, retryable', async () => {
  const alone = await startRig({
    movableClock: true,
    env: {
      PORCHLIGHT_WORKSPACE: '7c1f0a52-3b6e-4d18-9a40-5e2d8f6b1c07',
      PORCHLIGHT_AGENT_URL: 'http://127.0.0.1:9',
    },
  });
  const lonely = await alone.visit();
  const stream = await lonely.ask(randomUUID(), randomUUID(), makeQuestion());
  await alone.helper.advanceUntil(() => stream.closed, 'the turn ends');
  expect(stream.ended('turn-failed')).toEqual({ code: 'agent-unavailable', retryable: true });
  await alone.close();
});

test('clause 16: a failed turn is not asked again by asking for it again', async () => {
  const { stream, conversationId, turnId, question } = await ask((answer) => answer.refuse(500));
  const again = await (await visitor.ask(conversationId, turnId, question)).whole();
  expect(again.events).toEqual(stream.events);
  expect(rig.agent.chatsAbout(question)).toHaveLength(1);
});

const resetInSeconds = (seconds: number) => String(Math.floor(Date.now() / 1000) + seconds);
const waits: [what: string, headers: () => Record<string, string>, from: number, to: number][] = [
  ['Retry-After in seconds', () => ({ 'retry-after': '7' }), 7000, 7000],
  [
    'Retry-After before X-RateLimit-Reset',
    () => ({ 'retry-after': '7', 'x-ratelimit-reset': resetInSeconds(90) }),
    7000,
    7000,
  ],
];
test.each(waits)('clause 16: retryAfterMs comes from %s', async (_, headers, from, to) => {
  const { stream } = await ask((answer) => answer.refuse(429, headers()));
  const failed = stream.ended('turn-failed');
  expect(failed).toMatchObject({ code: 'rate-limited', retryable: true });
  expect(failed.retryAfterMs).toBeGreaterThanOrEqual(from);
  expect(failed.retryAfterMs).toBeLessThanOrEqual(to);
});

test('clause 16: without Retry-After, retryAfterMs comes from X-RateLimit-Reset or from a date', async () => {
  // A helper of its own: the clock of the other one has moved.
  const punctual = await startRig({ env: { PORCHLIGHT_WORKSPACE: '7c1f0a52-3b6e-4d18-9a40-5e2d8f6b1c07' } });
  const guest = await punctual.visit();
  const date = () => new Date(Date.now() + 90_000).toUTCString();
  for (const headers of [{ 'x-ratelimit-reset': resetInSeconds(90) }, { 'retry-after': date() }]) {
    punctual.agent.nextChat((answer) => answer.refuse(429, headers));
    const { retryAfterMs = 0 } = (await guest.chat()).stream.ended('turn-failed');
    expect(retryAfterMs).toBeGreaterThan(60_000);
    expect(retryAfterMs).toBeLessThanOrEqual(90_000);
  }
  await punctual.close();
});

test('clause 18: no final event and no record is turn-failed, with what was said kept', async () => {
  const { stream, conversationId } = await ask(say('Half ', 'an ans'));
  expect(stream.ended('turn-failed')).toEqual({ code: 'agent-unavailable', retryable: true });
  expect(stream.text).toBe('Half an ans');
  expect((await visitor.history(conversationId)).messages[1]).toMatchObject({
    status: 'failed',
    text: 'Half an ans',
  });
});

test('clause 18: a stream that ends empty is turn-failed', async () => {
  expect((await ask(say())).stream.ended('turn-failed').retryable).toBe(true);
});

test('clause 18: a record that holds the question alone is no answer', async () => {
  const { stream } = await ask((answer) => {
    answer.recordQuestion();
    return say('Half')(answer);
  });
  expect(stream.ended('turn-failed').retryable).toBe(true);
});

test('clause 18: no final event, but a whole record, is turn-completed', async () => {
  const { stream } = await ask((answer) => {
    answer.recordQuestion();
    answer.recordReply('Half an answer is none.');
    return say('Half an ')(answer);
  });
  expect(stream.ended('turn-completed').message.text).toBe('Half an answer is none.');
  expect(stream.text).toBe('Half an answer is none.');
});

const broken = ['{"text": "unterminated', '{"text": }', '"unterminated', '{'];
test.each(broken)('clause 18: broken JSON such as %s is never shown', async (data) => {
  const script =
    (last: (answer: FakeAnswer) => void): Script =>
    (answer) => {
      answer.open();
      answer.event('delta', { text: 'Good ' });
      answer.event('delta', data);
      answer.event('delta', { text: 'end.' });
      last(answer);
    };
  const kept = await ask(script((answer) => answer.done('Good, then, end.')));
  expect(kept.stream.raw).not.toContain('unterminated');
  expect(kept.stream.ended('turn-completed').message.text).toBe('Good, then, end.');
  const lost = await ask(script((answer) => answer.end()));
  expect(lost.stream.raw).not.toContain('unterminated');
  expect(lost.stream.last.kind).toBe('turn-failed');
});

const errors: [what: string, event: string | undefined, data: unknown][] = [
  ['a named event', 'error', { error: { message: 'agent-secret-words', code: 'model_down' } }],
  ['an unnamed event', undefined, { error: { message: 'agent-secret-words' } }],
  ['a string', 'error', 'agent-secret-words'],
];
test.each(errors)(
  'clause 18: an upstream error as %s fails the turn and keeps the partial text',
  async (_, event, data) => {
    const { stream, conversationId } = await ask((answer) => {
      answer.open();
      answer.event('delta', { text: 'Half ' });
      answer.event(event, data);
      answer.end();
    });
    expect(stream.ended('turn-failed')).toEqual({ code: 'agent-unavailable', retryable: true });
    expect(stream.text).toBe('Half ');
    expect(stream.raw).not.toContain('agent-secret-words');
    expect((await visitor.history(conversationId)).messages[1]).toMatchObject({
      status: 'failed',
      text: 'Half ',
    });
  },
);

test('clause 18: after [DONE] nothing is added', async () => {
  const { stream, conversationId, turnId } = await ask((answer) => {
    answer.open();
    answer.event(undefined, { text: 'All of it.' });
    answer.event(undefined, '[DONE]');
    answer.event(undefined, { text: ' And more.' });
    answer.event('error', { error: { message: 'late' } });
    answer.end();
  });
  expect(stream.ended('turn-completed').message.text).toBe('All of it.');
  expect(stream.text).toBe('All of it.');
  // The agent has no record of it: the helper's own is what history shows.
  expect((await visitor.history(conversationId)).messages[1]).toMatchObject({
    id: `${turnId}.agent`,
    status: 'completed',
    text: 'All of it.',
  });
});

test('clause 18: a pause that cannot be read is no pause: the turn fails', async () => {
  const { stream } = await ask((answer) => {
    answer.open();
    answer.event('approval', { ...makePause({ name: 'x', parameters: {} }), executionId: undefined });
    answer.end();
  });
  expect(stream.last.kind).toBe('turn-failed');
});

test('after a failed turn the conversation goes on', async () => {
  const { conversationId } = await ask((answer) => answer.refuse(500));
  const question = makeQuestion();
  const stream = await visitor.ask(conversationId, randomUUID(), question);
  await rig.helper.advanceUntil(() => stream.closed, 'the turn ends');
  expect(stream.ended('turn-completed').message.text).toBe('Hello there.');
});

test('clause 15: a stop that the agent refuses is told again, and the turn is stopped all the same', async () => {
  const before = rig.agent.callsTo('POST /v1/bot/chat/cancel').length;
  rig.agent.override('POST /v1/bot/chat/cancel', (_, response) => void response.writeHead(500).end());
  rig.agent.nextChat(async (answer) => {
    answer.open();
    answer.event('delta', { text: 'One ' });
    await answer.closed;
  });
  const [conversationId, turnId] = [randomUUID(), randomUUID()];
  const stream = await visitor.ask(conversationId, turnId, makeQuestion());
  await stream.untilText('One ');
  await visitor.call('DELETE', toTurnPath(conversationId, turnId));
  await stream.whole();
  expect(stream.last.kind).toBe('turn-stopped');
  const calls = () => rig.agent.callsTo('POST /v1/bot/chat/cancel').length - before;
  await rig.helper.advanceUntil(() => calls() > 1, 'the agent is told again');
  rig.agent.restore('POST /v1/bot/chat/cancel');
});

// Last: the helper's clock is far ahead of the agent's from here on.
test.each([
  ['the page of a gateway', (response: ServerResponse) => response.end('<h1>404</h1>')],
  ['the JSON of a gateway', (response: ServerResponse) => response.end('{"message":"no route matched"}')],
  ['nothing', (response: ServerResponse) => response.end()],
  ['an unknown path', (response: ServerResponse) => response.end('{"error":{"code":"not_found"}}')],
  ['a removed path', (response: ServerResponse) => response.end('{"error":"", "code":"endpoint_removed"}')],
  ['an agent that is gone', (response: ServerResponse) => response.end('{"error":{"code":"bot_not_found"}}')],
])('clause 39: %s with status 404 is no word that a record is empty or a chat deleted', async (_, answer) => {
  const { conversationId, question } = await visitor.chat();
  const chatId = String(rig.agent.chatsAbout(question)[0]?.body.chat_id);
  const asked: string[] = [];
  const refuse = ({ method }: { method: string }, response: ServerResponse) => {
    asked.push(method);
    answer(response.writeHead(404, { 'content-type': 'text/html' }));
  };
  rig.agent.override('GET /v1/bot/chat/read', refuse);
  rig.agent.override('DELETE /v1/bot/chat/delete', refuse);
  expect((await visitor.call('GET', `/conversations/${conversationId}`)).status).toBe(502);
  expect((await visitor.call('DELETE', `/conversations/${conversationId}`)).status).toBe(204);
  const deletions = () => asked.filter((method) => method === 'DELETE').length;
  await rig.helper.advanceUntil(() => deletions() === 2, 'the agent is told again');
  rig.agent.restore('GET /v1/bot/chat/read');
  rig.agent.restore('DELETE /v1/bot/chat/delete');
  await rig.helper.advanceUntil(() => !rig.agent.records.has(chatId), 'the chat is deleted');
});
