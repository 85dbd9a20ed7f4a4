/** What one visitor, one bot or one agent can do to the others: nothing. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startFakeAgent } from '../support/fake-agent.ts';
import { startHelper, until } from '../support/helper-process.ts';
import { makePause, pauseWith } from '../support/pause.ts';
import { type Rig, startRig } from '../support/rig.ts';
import {
  createVisitor,
  makeQuestion,
  makeSsoToken,
  openSession,
  toTurnPath,
  Visitor,
} from '../support/visitor.ts';

let folder: string;
let rig: Rig;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'porchlight-'));
  rig = await startRig({ env: { PORCHLIGHT_STORE: `sqlite:${join(folder, 'one.db')}` }, movableClock: true });
});
afterAll(async () => {
  await rig.close();
  await rm(folder, { recursive: true, force: true });
});

test('an approval that is nested without end fails its turn, and the conversation is free', async () => {
  const visitor = await rig.visit();
  let nested: unknown = 'deep';
  for (let depth = 0; depth < 5_000; depth += 1) nested = { n: nested };
  rig.agent.nextChat(pauseWith(makePause({ name: 'order_status', parameters: { nested } })));
  const { conversationId, stream } = await visitor.chat();
  expect(stream.last.kind).toBe('turn-failed');
  (await visitor.chat(makeQuestion(), conversationId)).stream.ended('turn-completed');
});

test('a history of many questions that never reached the agent comes in pages, each question once', async () => {
  const visitor = await rig.visit();
  const conversationId = randomUUID();
  const asked: string[] = [];
  for (let count = 0; count < 45; count += 1) {
    const question = makeQuestion();
    asked.push(question);
    if (count % 9 !== 4) rig.agent.nextChat((answer) => answer.refuse(402));
    await visitor.chat(question, conversationId);
  }
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await visitor.history(conversationId, cursor);
    expect(page.messages.length).toBeLessThanOrEqual(40);
    seen.unshift(...page.messages.filter(({ role }) => role === 'visitor').map(({ text }) => text));
    cursor = page.next;
  } while (cursor !== undefined);
  expect(seen).toEqual(asked);
  const { json } = await visitor.call<{ conversations: { messages: { role: string; text: string }[] }[] }>(
    'GET',
    '/visitor',
  );
  const exported = json.conversations[0]?.messages.filter(({ role }) => role === 'visitor');
  expect(exported?.map(({ text }) => text)).toEqual(asked);
});

test('what holds a NUL or half a character is shown as it was said', async () => {
  const visitor = await rig.visit();
  rig.agent.nextChat((answer) => {
    answer.open();
    answer.event('delta', { text: 'Never do this:\0 it is dangerous' });
    answer.event(undefined, '[DONE]');
    answer.end();
  });
  const { conversationId, stream } = await visitor.chat(`a\0b ${makeQuestion()}`);
  expect(stream.ended('turn-completed').message.text).toBe('Never do this:\0 it is dangerous');
  const { messages } = await visitor.history(conversationId);
  expect(messages.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^a\0b /),
    'Never do this:\0 it is dangerous',
  ]);
});

test('a completed answer is in the history at once, however late the agent writes it down', async () => {
  const visitor = await rig.visit();
  let record = () => {};
  rig.agent.nextChat((answer) => {
    answer.open();
    answer.event('delta', { text: 'Here.' });
    const agent = { uuid: randomUUID(), content: 'Here.', role: 'system' };
    record = () => {
      answer.recordQuestion();
      answer.recordReply('Here.').uuid = agent.uuid;
    };
    answer.event('done', { chat: { reply: 'Here.', agent, sources: [] } });
    answer.end();
  });
  const { conversationId, question, stream } = await visitor.chat();
  const expected = [question, stream.ended('turn-completed').message.text];
  for (const look of [1, 2, 3]) {
    if (look === 2) record();
    expect((await visitor.history(conversationId)).messages.map(({ text }) => text)).toEqual(expected);
  }
});

test('a probe of HTTP/1.0 without a Host is answered', async () => {
  const { hostname, port } = new URL(rig.helper.origin);
  const socket = createConnection(Number(port), hostname);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.write('GET /healthz HTTP/1.0\r\n\r\n');
  await until(() => text.includes('\r\n\r\n'), 'the probe is answered');
  expect(text).toMatch(/^HTTP\/1\.[01] 200/);
  socket.destroy();
});

test('decisions and the telling of what is not at hand count, too', async () => {
  const limited = await startRig({ env: { PORCHLIGHT_LIMITS: 'on' } });
  const visitor = await limited.visit();
  limited.agent.nextChat(pauseWith(makePause({ name: 'order_status', parameters: {} })));
  const { conversationId, turnId } = await visitor.chat();
  const statuses: number[] = [];
  for (let count = 0; count < 14; count += 1) {
    limited.agent.nextResume(pauseWith(makePause({ name: 'order_status', parameters: {} })));
    const path = `${toTurnPath(conversationId, turnId)}/decision`;
    statuses.push((await visitor.call('POST', path, { decision: 'approve' })).status);
    if (statuses.at(-1) === 202) await (await visitor.attach(conversationId, turnId)).whole();
  }
  expect(statuses).toContain(429);
  await limited.close();
});

describe('two agents on one store', () => {
  test('a session of one is none at the other, and each deletes at its own', async () => {
    const [agentOne, agentTwo] = [await startFakeAgent(), await startFakeAgent()];
    const env = { PORCHLIGHT_STORE: `sqlite:${join(folder, 'two.db')}`, PORCHLIGHT_SESSION_SECRET: '' };
    const one = await startHelper({ agentUrl: agentOne.url, env });
    const two = await startHelper({ agentUrl: agentTwo.url, env: { ...env, PORCHLIGHT_BOT_ID: 'bot-2' } });
    const ada = await createVisitor(one, { ssoToken: makeSsoToken() });
    const { conversationId } = await ada.chat();
    const stranger = new Visitor(two, ada.session, ada.reply);
    expect((await stranger.call('GET', '/conversations')).status).toBe(401);
    const there = await createVisitor(two, { ssoToken: makeSsoToken({ aud: 'bot-2' }) });
    expect((await there.list()).conversations).toEqual([]);
    expect((await there.call('GET', `/conversations/${conversationId}`)).status).toBe(404);
    expect((await openSession(two, { session: ada.session })).status).toBe(401);

    let refused = 0;
    agentTwo.override('DELETE /v1/bot/chat/delete', (_, response) => {
      refused += 1;
      response.writeHead(500).end();
    });
    const { conversationId: theirs } = await there.chat();
    await there.call('DELETE', `/conversations/${theirs}`);
    await until(() => refused === 1, 'the second agent is asked');
    (await ada.chat()).stream.ended('turn-completed');
    await ada.call('DELETE', `/conversations/${conversationId}`);
    await until(
      () => agentOne.callsTo('DELETE /v1/bot/chat/delete').length === 1,
      'the first deletes its own',
    );
    for (const helper of [one, two]) await helper.close();
    for (const agent of [agentOne, agentTwo]) await agent.close();
  });
});
