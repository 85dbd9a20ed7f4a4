/** Clauses 3 and 19: the helper killed in the middle of many turns, and begun anew on the same store. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakeAgent, startFakeAgent } from '../support/fake-agent.ts';
import type { FakeAnswer } from '../support/fake-answer.ts';
import { createGate } from '../support/gate.ts';
import { type RunningHelper, startHelper } from '../support/helper-process.ts';
import { makePause, pauseWith, resumeWith } from '../support/pause.ts';
import {
  createVisitor,
  makeQuestion,
  makeSsoToken,
  type TurnStream,
  toTurnPath,
  Visitor,
} from '../support/visitor.ts';

type Turn = { visitor: Visitor; conversationId: string; turnId: string; question: string; chatId: string };
type Ended = Omit<Turn, 'chatId'> & { stream: TurnStream };

let agent: FakeAgent;
let folder: string;
let first: RunningHelper;
let second: RunningHelper;
/** Turns that the kill cut off after `One `, by what the agent had written down by then. */
const lost: Record<'recorded' | 'again' | 'streaming' | 'asked' | 'unknown' | 'repeated', Turn> = {} as never;
const ended: Record<'signedIn' | 'deleted' | 'paused', Ended> = {} as never;

async function askAndLose(
  write: (answer: FakeAnswer) => void,
  question = makeQuestion(),
  conversationId: string = randomUUID(),
  visitor?: Visitor,
): Promise<Turn> {
  const asking = visitor ?? (await createVisitor(first));
  const turnId = randomUUID();
  let chatId = '';
  agent.nextChat(async (answer) => {
    chatId = answer.chatId;
    write(answer);
    answer.open();
    answer.event('delta', { text: 'One ' });
    await answer.closed;
  });
  const stream = await asking.ask(conversationId, turnId, question);
  await stream.untilText('One ');
  return { visitor: asking, conversationId, turnId, question, chatId };
}

/** The same visitor at the helper that runs now. */
const back = ({ visitor }: { visitor: Visitor }) => new Visitor(second, visitor.session, visitor.reply);

beforeAll(async () => {
  agent = await startFakeAgent();
  folder = await mkdtemp(join(tmpdir(), 'porchlight-'));
  const env = { PORCHLIGHT_STORE: `sqlite:${join(folder, 'store.db')}` };
  first = await startHelper({ agentUrl: agent.url, env });

  const ada = await createVisitor(first, { ssoToken: makeSsoToken({ name: 'Ada' }) });
  ended.signedIn = { visitor: ada, ...(await ada.chat()) };
  const guest = await createVisitor(first);
  ended.deleted = { visitor: guest, ...(await guest.chat()) };
  await guest.call('DELETE', `/conversations/${ended.deleted.conversationId}`);
  agent.nextChat(pauseWith(makePause({ name: 'order_status', parameters: { orderNumber: 'A-1' } })));
  ended.paused = { visitor: guest, ...(await guest.chat()) };

  const answered = (answer: FakeAnswer) => {
    answer.recordQuestion();
    answer.recordReply('One two three.');
  };
  lost.recorded = await askAndLose(answered);
  lost.again = await askAndLose(answered);
  lost.streaming = await askAndLose((answer) => void answer.recordQuestion());
  lost.asked = await askAndLose((answer) => void answer.recordQuestion());
  lost.unknown = await askAndLose(() => {});
  const before = await guest.chat();
  lost.repeated = await askAndLose(() => {}, before.question, before.conversationId, guest);

  await first.kill('SIGKILL');
  second = await startHelper({ agentUrl: agent.url, env });
});
afterAll(async () => {
  await agent.close();
  await first.close();
  await second.close();
  await rm(folder, { recursive: true, force: true });
});

test('clause 3: sessions and claims outlive a kill of a helper with a sqlite store', async () => {
  const { conversationId, turnId, question } = ended.signedIn;
  const owner = back(ended.signedIn);
  const history = await owner.history(conversationId);
  expect(history.messages.map((message) => message.text)).toEqual([question, 'Hello there.']);
  const again = await (await owner.ask(conversationId, turnId, question)).whole();
  expect(again.ended('turn-completed').message.text).toBe('Hello there.');
  expect(agent.chatsAbout(question)).toHaveLength(1);

  const stranger = back(ended.deleted);
  expect((await stranger.call('GET', `/conversations/${conversationId}`)).status).toBe(404);
  const theft = await stranger.call('PUT', toTurnPath(conversationId, randomUUID()), { text: 'Hi' });
  expect(theft.status).toBe(404);
});

test('clause 3: a tombstone outlives a kill too: a deleted conversation stays 404', async () => {
  const put = await back(ended.deleted).call('PUT', toTurnPath(ended.deleted.conversationId, randomUUID()), {
    text: 'Hi',
  });
  expect(put.status).toBe(404);
});

test('clause 19: after a kill, attach gives turn-completed when the agent has finished its record', async () => {
  const { conversationId, turnId, question } = lost.recorded;
  const visitor = back(lost.recorded);
  const stream = await (await visitor.attach(conversationId, turnId)).whole();
  const { message } = stream.ended('turn-completed');
  expect(message.text).toBe('One two three.');
  const history = await visitor.history(conversationId);
  expect(history.messages.map(({ text, status }) => [text, status])).toEqual([
    [question, 'completed'],
    ['One two three.', 'completed'],
  ]);
  expect(history.messages[1]?.id).toBe(message.id);
  expect(history.liveTurn).toBeUndefined();
  expect(agent.chatsAbout(question)).toHaveLength(1);
});

test('clause 19: after a kill, a reader that knows ids of the old process still gets the whole answer', async () => {
  const stream = await back(lost.again).attach(lost.again.conversationId, lost.again.turnId, 1);
  await stream.whole();
  expect(stream.ended('turn-completed').message.text).toBe('One two three.');
});

test('clause 19: after a kill, attach follows an answer that the agent still streams', async () => {
  const { conversationId, turnId, question, chatId } = lost.streaming;
  const gate = createGate();
  agent.streaming.set(chatId, async (answer) => {
    answer.open();
    answer.event('delta', { text: 'One ' });
    await gate.opened;
    answer.event('delta', { text: 'two.' });
    agent.streaming.delete(chatId);
    answer.event('done', { chat: { reply: 'One two.', agent: answer.recordReply('One two.'), sources: [] } });
    answer.end();
  });
  const stream = await back(lost.streaming).attach(conversationId, turnId);
  await stream.untilText('One ');
  gate.open();
  await stream.whole();
  expect(stream.ended('turn-completed').message.text).toBe('One two.');
  expect(stream.text).toBe('One two.');
  expect(agent.chatsAbout(question)).toHaveLength(1);
});

test.each([
  ['knows only the question', 'asked'],
  ['knows nothing of it', 'unknown'],
] as const)(
  'clause 19: after a kill, attach is an honest turn-failed when the agent %s',
  async (_, which) => {
    const { conversationId, turnId, question } = lost[which];
    const visitor = back(lost[which]);
    const stream = await (await visitor.attach(conversationId, turnId)).whole();
    expect(stream.ended('turn-failed')).toMatchObject({ retryable: true });
    const { messages, liveTurn } = await visitor.history(conversationId);
    expect(liveTurn).toBeUndefined();
    expect(messages[0]).toMatchObject({ role: 'visitor', text: question });
    expect(messages[1]).toMatchObject({ role: 'agent', status: 'failed' });
    expect(agent.chatsAbout(question)).toHaveLength(1);
  },
);

test('clause 19: an older answer to the same words never poses as the answer that was lost', async () => {
  const { conversationId, turnId } = lost.repeated;
  const stream = await (await back(lost.repeated).attach(conversationId, turnId)).whole();
  expect(stream.ended('turn-failed').retryable).toBe(true);
  expect(stream.text).not.toContain('Hello');
});

test('clause 19: a decision can be made after a kill', async () => {
  const { conversationId, turnId, stream } = ended.paused;
  const visitor = back(ended.paused);
  expect((await visitor.history(conversationId)).liveTurn).toEqual({ turnId });
  const again = await (await visitor.attach(conversationId, turnId)).whole();
  expect(again.ended('turn-paused')).toEqual(stream.ended('turn-paused'));
  agent.nextResume(resumeWith('Sent.'));
  const path = `${toTurnPath(conversationId, turnId)}/decision`;
  expect((await visitor.call('POST', path, { decision: 'approve' })).status).toBe(202);
  const rest = await (await visitor.attach(conversationId, turnId, again.last.id)).whole();
  expect(rest.ended('turn-completed').message.text).toBe('One moment. Sent.');
  // Clause 41: told again, and so from its start.
  expect(rest.events[0]).toMatchObject({ id: 0, kind: 'turn-started' });
  // And the conversation is free again.
  expect((await visitor.history(conversationId)).liveTurn).toBeUndefined();
  (await visitor.chat(makeQuestion(), conversationId)).stream.ended('turn-completed');
});
