/** Promise 3 and clause 38: an answer that was approved, whose helper is killed, goes on at another one with all that was said. */
import { expect, test } from 'vitest';
import type { Script } from '../support/fake-agent.ts';
import { makePause } from '../support/pause.ts';
import { at, setUpTwoHelpers } from '../support/two-helpers.ts';
import { createVisitor, toTurnPath } from '../support/visitor.ts';

const here = setUpTwoHelpers();

const before = 'I would like to look up your order first, if I may. ';
const since = 'Your boots were sent on Monday the 5th by post and arrive on Friday.';
const heard = since.slice(0, 20);

const pause = makePause({ name: 'order_status', parameters: { number: 1 } });
const askFirst: Script = (answer) => {
  answer.recordQuestion();
  answer.open();
  answer.event('delta', { text: before });
  Object.assign(answer.recordReply(before), { finish_reason: 'paused' });
  answer.event('approval', pause);
  answer.end();
};

/** Its helper is killed once some of what comes after the decision was heard. @param then what the agent does meanwhile */
async function approveAndKill(then: Script) {
  const first = await here.startThird();
  const visitor = await createVisitor(first);
  here.agent.nextChat(askFirst);
  const { conversationId, turnId } = await visitor.chat();
  const path = toTurnPath(conversationId, turnId);
  here.agent.nextResume(async (answer) => {
    answer.open();
    answer.event('delta', { text: heard });
    await then(answer);
    await answer.closed;
  });
  expect((await visitor.call('POST', `${path}/decision`, { decision: 'approve' })).status).toBe(202);
  await (await visitor.attach(conversationId, turnId)).untilText(heard);
  await first.kill('SIGKILL');
  const other = at(here.two, visitor);
  const stream = await other.attach(conversationId, turnId);
  const readLast = async () => (await other.history(conversationId)).messages.at(-1)?.text;
  return { stream, readLast };
}

test.each([
  [
    'of which the agent writes each piece down by itself',
    ((answer) => {
      Object.assign(here.agent.records.get(answer.chatId)?.at(-1) ?? {}, { finish_reason: 'stop' });
      Object.assign(answer.recordReply(since), { finish_reason: 'stop' });
    }) satisfies Script,
  ],
  [
    'which the agent tells from its start, the pause too',
    ((answer) => {
      here.agent.streaming.set(answer.chatId, async (again) => {
        again.open();
        again.event('delta', { text: before });
        again.event('approval', pause);
        again.event('delta', { text: heard });
        await new Promise((resolve) => setTimeout(resolve, 3_000));
        again.event('delta', { text: since.slice(heard.length) });
        const agent = again.recordReply(since);
        again.event('done', { chat: { reply: since, agent, sources: [] } });
        again.end();
        here.agent.streaming.delete(answer.chatId);
      });
    }) satisfies Script,
  ],
])(
  'an answer %s is told whole, and asked about once',
  async (_, then) => {
    const { stream, readLast } = await approveAndKill(then);
    await stream.whole();
    expect(stream.ended('turn-completed').message.text).toBe(before + since);
    expect(stream.all('turn-paused')).toEqual([]);
    expect(await readLast()).toBe(before + since);
  },
  60_000,
);

test('an answer of which nothing more was written down fails, and what was said before the decision stays', async () => {
  const { stream, readLast } = await approveAndKill((answer) => {
    here.agent.records.get(answer.chatId)?.pop();
  });
  await stream.whole();
  expect(stream.last.kind).toBe('turn-failed');
  expect(stream.text).toBe(before);
  expect(await readLast()).toBe(before);
}, 60_000);
