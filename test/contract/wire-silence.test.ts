/** Clause 17: an agent that says nothing, only lives, or says too much; waits pass on the helper's own clock. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Script } from '../support/fake-agent.ts';
import { until } from '../support/helper-process.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { makeQuestion, type TurnStream, type Visitor } from '../support/visitor.ts';

let rig: Rig;
let visitor: Visitor;
beforeAll(async () => {
  rig = await startRig({
    movableClock: true,
    env: { PORCHLIGHT_WORKSPACE: '7c1f0a52-3b6e-4d18-9a40-5e2d8f6b1c07' },
  });
  visitor = await rig.visit();
});
afterAll(() => rig.close());

async function ask(script: Script) {
  const question = makeQuestion();
  const conversationId = randomUUID();
  rig.agent.nextChat(script);
  const stream = await visitor.ask(conversationId, randomUUID(), question);
  await until(() => rig.agent.chatsAbout(question).length === 1, 'the agent is asked');
  return { stream, conversationId, question };
}
const isOver = (stream: TurnStream) => () => stream.closed;

test('clause 17: an agent silent for 60 s before the answer fails the turn, retryable, and is told to stop', async () => {
  const { stream, question } = await ask(({ closed }) => closed);
  await rig.helper.advance(55_000);
  expect(stream.events.map((event) => event.kind)).toEqual(['turn-started']);
  await rig.helper.advance(6_000);
  await stream.whole();
  expect(stream.ended('turn-failed')).toEqual({ code: 'agent-timeout', retryable: true });
  const chatId = rig.agent.chatsAbout(question)[0]?.body.chat_id;
  await until(
    () => rig.agent.callsTo('POST /v1/bot/chat/cancel').some((call) => call.body.chat_id === chatId),
    'the agent is told to stop',
  );
});

test('clause 17: an agent silent for 60 s during the answer fails the turn, with what was said kept', async () => {
  const { stream, conversationId } = await ask(async (answer) => {
    answer.open();
    answer.event('delta', { text: 'Half ' });
    await answer.closed;
  });
  await stream.untilText('Half ');
  await rig.helper.advance(55_000);
  expect(stream.closed).toBe(false);
  await rig.helper.advance(6_000);
  await stream.whole();
  expect(stream.ended('turn-failed')).toEqual({ code: 'agent-timeout', retryable: true });
  expect((await visitor.history(conversationId)).messages[1]).toMatchObject({
    status: 'failed',
    text: 'Half ',
  });
});

test('clause 17: upstream comments are no text, but they count as life for 10 minutes at most', async () => {
  let beat = () => {};
  const { stream } = await ask(async (answer) => {
    answer.open();
    beat = () => answer.comment();
    await answer.closed;
  });
  const minute = 60_000;
  for (let ms = 0; ms < 9 * minute; ms += minute / 4) {
    beat();
    // A comment may be read only after the clock has moved on: four of them would have to be late for a minute's silence.
    const seen = stream.comments;
    await rig.helper.advance(minute / 4);
    await stream.until(({ comments }) => comments > seen, 'a heartbeat');
  }
  expect(stream.text).toBe('');
  expect(stream.closed).toBe(false);
  for (let ms = 0; ms < 2 * minute && !stream.closed; ms += minute / 4) {
    beat();
    await rig.helper.advance(minute / 4);
  }
  await stream.whole();
  expect(stream.ended('turn-failed')).toEqual({ code: 'agent-timeout', retryable: true });
});

test('a reader gets a comment every 15 s while the agent is silent', async () => {
  const { stream } = await ask(async (answer) => {
    answer.open();
    await answer.cancelled;
    answer.end();
  });
  await rig.helper.advance(31_000);
  await stream.until(({ comments }) => comments >= 2, 'two comments');
  stream.leave();
});

test('clause 17: a single upstream line of nearly 1 MiB is read', async () => {
  const text = 'z'.repeat(1024 * 1024 - 1000);
  const { stream } = await ask((answer) => {
    answer.open();
    answer.event('delta', { text });
    answer.event('done', { chat: { agent: answer.recordReply('') } });
    answer.end();
  });
  await rig.helper.advanceUntil(isOver(stream), 'the turn ends');
  expect(stream.text === text).toBe(true);
});

test('clause 17: past 1 MiB in one line the turn fails with what was said kept', async () => {
  const { stream, conversationId } = await ask((answer) => {
    answer.open();
    answer.event('delta', { text: 'Half ' });
    answer.write(`data: {"text":"${'z'.repeat(1024 * 1024 + 8192)}`);
    answer.end();
  });
  await rig.helper.advanceUntil(isOver(stream), 'the turn ends');
  expect(stream.ended('turn-failed').code).toBe('too-large');
  expect(stream.text).toBe('Half ');
  expect((await visitor.history(conversationId)).messages[1]).toMatchObject({
    status: 'failed',
    text: 'Half ',
  });
});

test('clause 17: an endless line never ends the helper, and never waits for its end', async () => {
  const { stream } = await ask(async (answer) => {
    answer.open();
    answer.write('data: ');
    const chunk = 'z'.repeat(256 * 1024);
    let isOpen = true;
    void answer.closed.then(() => {
      isOpen = false;
    });
    for (let times = 0; isOpen && times < 400; times += 1) {
      answer.write(chunk);
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  await rig.helper.advanceUntil(isOver(stream), 'the turn ends');
  expect(stream.ended('turn-failed').code).toBe('too-large');
  expect((await rig.helper.fetch('/healthz')).status).toBe(200);
});
