/** Clause 35: an answer that approvals cut in pieces, of which the agent writes down, or tells again, a later one alone. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Script } from '../support/fake-agent.ts';
import type { FakeAnswer } from '../support/fake-answer.ts';
import { executionId, makePause } from '../support/pause.ts';
import { useRig } from '../support/rig.ts';
import { makeQuestion, toTurnPath } from '../support/visitor.ts';

const { rig, visitor } = await useRig();

const before = 'I would like to look up your order. ';
const since = 'Your order of boots will arrive on Friday the 12th, by post.';
const next = 'Yes, umbrellas in six colours, from 12 euros, and two sizes.';

const pause: Script = (answer) => {
  answer.recordQuestion();
  answer.open();
  answer.event('delta', { text: before });
  Object.assign(answer.recordReply(before), { finish_reason: 'paused' });
  answer.event('approval', makePause({ name: 'order_status', parameters: { orderNumber: 'LF-1' } }));
  answer.end();
};

/** A first question waits, is approved, and goes on as the agent then does. */
async function askAndApprove(resume: Script) {
  rig.agent.nextChat(pause);
  const turn = await visitor.chat();
  const path = toTurnPath(turn.conversationId, turn.turnId);
  rig.agent.nextResume(resume);
  expect((await visitor.call('POST', `${path}/decision`, { decision: 'approve' })).status).toBe(202);
  return { ...turn, path };
}

const cutOff = (answer: FakeAnswer) => {
  answer.recordQuestion();
  answer.open();
  setTimeout(() => answer.reset(), 100);
};

test.each([
  ['stopped', 'asked', 'cut off'],
  ['stopped before a word of it was heard', 'asked', 'cut off'],
  ['broken off', 'asked', 'cut off'],
  ['completed', 'asked in its place', 'cut off'],
  ['completed', 'asked in its place', 'stopped'],
])(
  'of an answer that was %s the second piece, written down late, is no answer to what is %s next and %s',
  async (how, place, end) => {
    let writeLate = () => {};
    const { conversationId, turnId, path } = await askAndApprove((answer) => {
      answer.open();
      if (!how.includes('before')) answer.event('delta', { text: since });
      writeLate = () => void answer.recordReply(since);
      if (how === 'completed') {
        answer.event('done', '[DONE]');
        answer.end();
      } else if (how === 'broken off') setTimeout(() => answer.reset(), 100);
    });
    const attached = await visitor.attach(conversationId, turnId);
    if (how.startsWith('stopped')) {
      if (how === 'stopped') await expect.poll(() => attached.text).toContain(since);
      expect((await visitor.call('DELETE', path)).status).toBe(204);
    }
    await attached.whole();
    rig.agent.nextChat((answer) => {
      setTimeout(writeLate, 500);
      if (end === 'cut off') return cutOff(answer);
      answer.recordQuestion();
      answer.open();
      void answer.cancelled.then(() => answer.end());
    });
    const second = { text: makeQuestion(), ...(place !== 'asked' && { replaces: turnId }) };
    const secondId = randomUUID();
    const stream = await visitor.ask(conversationId, secondId, second);
    if (end === 'stopped') {
      await expect.poll(() => rig.agent.chatsAbout(second.text)).toHaveLength(1);
      await visitor.call('DELETE', toTurnPath(conversationId, secondId));
    }
    await stream.whole();
    expect(stream.last.kind).toBe(end === 'stopped' ? 'turn-stopped' : 'turn-failed');
    await new Promise((resolve) => setTimeout(resolve, 700));
    const { messages } = await visitor.history(conversationId);
    expect(messages.filter((one) => one.turnId === secondId).map(({ text }) => text)).toEqual([
      second.text,
      '',
    ]);
  },
  30_000,
);

test.each(['with an id', 'without one'])(
  'a completed answer %s, of which the agent tells the second piece again as if it ran still, is not the next one',
  async (named) => {
    const { conversationId, turnId } = await askAndApprove((answer) => {
      answer.open();
      const agent = answer.recordReply(since);
      const done = { chat: { reply: since, sources: [], ...(named === 'with an id' && { agent }) } };
      const tell = (one: FakeAnswer) => {
        one.event('delta', { text: since });
        one.event('done', done);
        one.end();
      };
      rig.agent.streaming.set(answer.chatId, (again) => {
        again.open();
        tell(again);
      });
      setTimeout(() => rig.agent.streaming.clear(), 4_000);
      tell(answer);
    });
    const first = await (await visitor.attach(conversationId, turnId)).whole();
    expect(first.ended('turn-completed').message.text).toBe(before + since);
    rig.agent.nextChat((answer) => {
      cutOff(answer);
      setTimeout(() => void answer.recordReply(next), 800);
    });
    const stream = await (await visitor.ask(conversationId, randomUUID(), makeQuestion())).whole();
    expect(stream.text).not.toContain('boots');
  },
  30_000,
);

test('what was said before the decision stays where the record has each piece by itself', async () => {
  const { conversationId, turnId } = await askAndApprove((answer) => {
    answer.open();
    answer.recordReply(since);
    answer.event('done', '[DONE]');
    answer.end();
  });
  const { message } = (await (await visitor.attach(conversationId, turnId)).whole()).ended('turn-completed');
  expect(message.text).toBe(before + since);
  const { messages } = await visitor.history(conversationId);
  expect(messages.map(({ text }) => text).at(-1)).toBe(before + since);
});

const pieces = [
  'I would like to look up your order first, if I may. ',
  'Your boots were sent on Monday the 5th by post; shall I ask the carrier? ',
  'The carrier says that they will arrive on Friday the 12th, before noon.',
] as const;
const [, second, third] = pieces;
const whole = pieces.join('');

const pauseAfter =
  (text: string, number: number): Script =>
  (answer) => {
    if (number === 1) answer.recordQuestion();
    answer.open();
    answer.event('delta', { text });
    const pause = makePause({ name: 'order_status', parameters: { number } });
    answer.event('approval', { ...pause, executionId: `${executionId}${number}` });
    answer.end();
  };

/** An answer that waits for its visitor a second time. */
async function askAndApproveOnce() {
  rig.agent.nextChat(pauseAfter(pieces[0], 1));
  const turn = await visitor.chat();
  const path = toTurnPath(turn.conversationId, turn.turnId);
  const approve = async (resume: Script) => {
    rig.agent.nextResume(resume);
    expect((await visitor.call('POST', `${path}/decision`, { decision: 'approve' })).status).toBe(202);
  };
  const attach = () => visitor.attach(turn.conversationId, turn.turnId);
  let resumed: FakeAnswer | undefined;
  await approve((answer) => {
    resumed = answer;
    return pauseAfter(second, 2)(answer);
  });
  await expect.poll(async () => (await (await attach()).whole()).all('turn-paused')).toHaveLength(2);
  return { ...turn, path, approve, attach, writeLate: (text: string) => void resumed?.recordReply(text) };
}

test.each([
  ['the second piece', 'stopped while it waits', second],
  ['the second piece', 'stopped after the second decision', second],
  ['all since the first decision', 'stopped after the second decision', second + third],
  ['all since the first decision', 'completed', second + third],
  ['the second piece', 'completed', second],
])(
  'with two approvals: %s of an answer that was %s, written down late, is no answer to what is asked next',
  async (_, how, late) => {
    const { conversationId, path, approve, attach, writeLate } = await askAndApproveOnce();
    if (how !== 'stopped while it waits')
      await approve((answer) => {
        answer.open();
        answer.event('delta', { text: third });
        if (how !== 'completed') return void answer.cancelled.then(() => answer.end());
        answer.event('done', '[DONE]');
        answer.end();
      });
    const attached = await attach();
    if (how === 'stopped after the second decision') await attached.untilText(third);
    if (how !== 'completed') expect((await visitor.call('DELETE', path)).status).toBe(204);
    await attached.whole();
    rig.agent.nextChat((answer) => {
      setTimeout(() => writeLate(late), 500);
      cutOff(answer);
    });
    const [nextId, question] = [randomUUID(), makeQuestion()];
    const stream = await (await visitor.ask(conversationId, nextId, question)).whole();
    expect(stream.last.kind).toBe('turn-failed');
    await new Promise((resolve) => setTimeout(resolve, 700));
    const { messages } = await visitor.history(conversationId);
    expect(messages.filter(({ turnId }) => turnId === nextId).map(({ text }) => text)).toEqual([
      question,
      '',
    ]);
  },
  30_000,
);

test.each(['says at its end', 'writes down'])(
  'with two approvals: what the agent %s since the first is told once',
  async (where) => {
    const { approve, attach } = await askAndApproveOnce();
    await approve((answer) => {
      answer.open();
      answer.event('delta', { text: third });
      const agent = answer.recordReply(second + third);
      if (where === 'writes down') return void setTimeout(() => answer.reset(), 100);
      answer.event('done', { chat: { reply: second + third, agent, sources: [] } });
      answer.end();
    });
    const stream = await (await attach()).whole();
    expect(stream.ended('turn-completed').message.text).toBe(whole);
    expect(stream.text).toBe(whole);
  },
  30_000,
);

test('with two approvals: a piece from between them is no completed answer', async () => {
  const { approve, attach, writeLate } = await askAndApproveOnce();
  await approve((answer) => {
    answer.open();
    setTimeout(() => {
      writeLate(second);
      answer.reset();
    }, 100);
  });
  expect((await (await attach()).whole()).last.kind).toBe('turn-failed');
}, 30_000);

test('what was said before a pause is no answer, however much the agent has noted for itself since', async () => {
  rig.agent.nextChat((answer) => {
    answer.recordQuestion();
    answer.open();
    answer.recordReply('Let me look [order_status LF-1]');
    for (let notes = 0; notes < 25; notes += 1)
      Object.assign(answer.recordReply(`note ${notes}`), { role: 'tool' });
    answer.event('approval', makePause({ name: 'order_status', parameters: { orderNumber: 'LF-1' } }));
    answer.end();
  });
  const turn = await visitor.chat();
  rig.agent.nextResume((answer) => {
    answer.open();
    answer.reset();
  });
  const path = toTurnPath(turn.conversationId, turn.turnId);
  expect((await visitor.call('POST', `${path}/decision`, { decision: 'approve' })).status).toBe(202);
  const stream = await visitor.attach(turn.conversationId, turn.turnId);
  await stream.whole(20_000);
  expect(stream.last.kind).toBe('turn-failed');
}, 30_000);
