/** docs/agent.md: an agent that answers each call with the very body that the document shows serves the helper. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakeAgent, startFakeAgent } from '../support/fake-agent.ts';
import { type RunningHelper, startHelper } from '../support/helper-process.ts';
import { createVisitor, makeSsoToken } from '../support/visitor.ts';

const page = readFileSync('docs/agent.md', 'utf8');
const told = page.slice(page.indexOf('## What each call'), page.indexOf('## Limits'));
/** Each under the call that is named at the beginning of a line before it. */
const bodies = new Map<string, string>();
let call = '';
for (const [, named, kind, body = ''] of told.matchAll(
  /^(?:`([^`]+)`.*|An answer that (waits).*|```(?:text|json)\n([\s\S]*?)```)$/gm,
)) {
  if (body === '') call = named ?? kind ?? '';
  // The empty line that ends the last event cannot be seen on a page.
  else bodies.set(call, `${body}\n`);
}
const approval = bodies.get('waits') ?? '';

/** What the next questions are answered with. */
let answer: { type: string; body: string };
let agent: FakeAgent;
let helper: RunningHelper;
beforeAll(async () => {
  agent = await startFakeAgent();
  for (const [route, body] of bodies)
    agent.override(route, (_, response) => {
      const said = route === 'POST /v1/bot/chat' ? answer : { type: 'application/json', body };
      response.writeHead(200, { 'content-type': said.type }).end(said.body);
    });
  helper = await startHelper({ agentUrl: agent.url });
});
afterAll(async () => {
  await agent.close();
  await helper.close();
});

const streamed = { type: 'text/event-stream', body: bodies.get('POST /v1/bot/chat') ?? '' };
const lastData = streamed.body.match(/.*data: (.*)/s)?.[1]?.trim() ?? '';
const inJson = told.match(/or `(\{"reply": [^`]+\})`/)?.[1] ?? '';

test('each call has its body', () => {
  expect([...bodies.keys()]).toEqual([
    'POST /v1/bot/chat',
    'waits',
    'GET /v1/bot/chat/read',
    'POST /v1/bot/workspace/create',
    'GET /v1/bot/read',
    'POST /v1/bot/widget/sso',
    'GET /v1/bot/chat/stream-status',
  ]);
});

test.each([
  ['a stream', streamed],
  ['a stream whose last event has the text alone', { ...streamed, body: `event: done\ndata: ${inJson}\n\n` }],
  ['the data of its last event', { type: 'application/json', body: lastData }],
  ['JSON', { type: 'application/json', body: inJson }],
  ['JSON under another key', { type: 'application/json', body: inJson.replace('reply', 'text') }],
])('a question is answered and read again, by %s', async (_, reply) => {
  answer = reply;
  const visitor = await createVisitor(helper, { ssoToken: makeSsoToken() });
  expect(visitor.reply.agent).toMatchObject({
    name: 'Wren',
    placeholder: 'Ask Wren',
    accentColor: '#2e5f51',
  });
  const { stream, conversationId } = await visitor.chat('When do you open?');
  expect(stream.text).toBe('We open at nine.');
  expect(stream.ended('turn-completed').message.text).toBe('We open at nine.');
  const { messages } = await visitor.history(conversationId);
  expect(messages.map(({ text }) => text)).toEqual(['When do you open?', 'We open at nine.']);
});

test('what waits for the visitor tells what it is about', async () => {
  answer = { ...streamed, body: approval };
  const visitor = await createVisitor(helper);
  const { stream } = await visitor.chat('Cancel it');
  expect(stream.ended('turn-paused')).toMatchObject({
    tool: { name: 'cancel_order', description: 'Cancels an order', parameters: { order: 'LF-1' } },
  });
});
