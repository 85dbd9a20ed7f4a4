/** What is stopped, deleted or erased at one helper while another asks or is answered: the agent hears of it, and keeps nothing. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { sendJson } from '../support/fake-agent.ts';
import type { FakeAnswer } from '../support/fake-answer.ts';
import { createGate } from '../support/gate.ts';
import { until } from '../support/helper-process.ts';
import { makePause, pauseWith } from '../support/pause.ts';
import { at, setUpTwoHelpers } from '../support/two-helpers.ts';
import { createVisitor, makeQuestion, toTurnPath, type Visitor } from '../support/visitor.ts';

const here = setUpTwoHelpers();

/** An answer that goes on until it is cancelled, and is written down a while after that. */
async function writeOn(answer: FakeAnswer) {
  let isOver = false;
  void answer.cancelled.then(() => {
    isOver = true;
  });
  answer.open();
  for (let word = 0; word < 200 && !isOver; word += 1) {
    answer.event('delta', { text: `w${word} ` });
    await sleep(25);
  }
  await sleep(300);
  answer.recordQuestion();
  answer.recordReply(isOver ? 'stopped words' : 'a whole long answer');
  written.add(answer.chatId);
  answer.end();
}
/** Chats in which `writeOn` has come to its end: what it wrote may be deleted before anybody looks. */
const written = new Set<string>();

/** What the agent has in its records of `question`, and of what follows it. */
const readKept = (question: string) =>
  [...here.agent.records.values()].filter((all) => all.some(({ content }) => content.includes(question)));
const countCancels = (chatId: string) =>
  here.agent.callsTo('POST /v1/bot/chat/cancel').filter(({ body }) => body.chat_id === chatId).length;

const ways: Record<
  'delete' | 'erase' | 'stop',
  (visitor: Visitor, conversationId: string, turnId: string) => Promise<{ status: number }>
> = {
  delete: (visitor: Visitor, conversationId: string) =>
    visitor.call('DELETE', `/conversations/${conversationId}`),
  erase: (visitor: Visitor) => visitor.call('DELETE', '/visitor'),
  stop: (visitor: Visitor, conversationId: string, turnId: string) =>
    visitor.call('DELETE', toTurnPath(conversationId, turnId)),
};

test('what is deleted or erased at another helper leaves nothing at the agent, though it writes its words down late', {
  timeout: 45_000,
}, async () => {
  const each = (['delete', 'erase'] as const).map(async (way) => {
    const visitor = await createVisitor(here.one);
    const [conversationId, turnId, question] = [randomUUID(), randomUUID(), makeQuestion(way)];
    here.agent.nextChat(writeOn);
    const stream = await visitor.ask(conversationId, turnId, question);
    await stream.untilText('w3');
    expect((await ways[way](at(here.two, visitor), conversationId, turnId)).status).toBe(204);
    await stream.whole();
    const chatId = String(here.agent.chatsAbout(question)[0]?.body.chat_id);
    await until(() => written.has(chatId), 'the agent has written it down', 5_000);
    // With the next look at what is left to delete.
    await until(() => readKept(question).length === 0, `nothing is left after ${way}`, 25_000);
  });
  await Promise.all(each);
});

test.each([
  ['delete', 'a workspace is made'],
  ['erase', 'a workspace is made'],
  ['stop', 'a workspace is made'],
  ['delete', 'a stopped answer is quiet'],
  ['erase', 'a stopped answer is quiet'],
  ['stop', 'a stopped answer is quiet'],
] as const)('%s at another helper: a question that waits until %s is never asked', async (way, awaited) => {
  const visitor = await createVisitor(here.one);
  const conversationId = randomUUID();
  const gate = createGate();
  if (awaited === 'a workspace is made')
    here.agent.override('POST /v1/bot/workspace/create', async (_, response) => {
      await gate.opened;
      sendJson(response, { workspace: { uuid: `workspace-${randomUUID()}` } }, 201);
    });
  else {
    here.agent.nextChat(async (answer) => {
      answer.recordQuestion();
      answer.open();
      answer.event('delta', { text: 'First ' });
      await gate.opened;
      answer.end();
    });
    const firstId = randomUUID();
    const first = await visitor.ask(conversationId, firstId, makeQuestion('first'));
    await first.untilText('First');
    await visitor.call('DELETE', toTurnPath(conversationId, firstId));
    await first.whole();
  }
  const [turnId, question] = [randomUUID(), makeQuestion('secret')];
  const stream = await visitor.ask(conversationId, turnId, question);
  await sleep(200);
  expect((await ways[way](at(here.two, visitor), conversationId, turnId)).status).toBe(204);
  gate.open();
  await stream.whole();
  expect(stream.last.kind).toBe('turn-stopped');
  expect(stream.text).toBe('');
  await sleep(300);
  expect(here.agent.chatsAbout(question)).toEqual([]);
  here.agent.restore('POST /v1/bot/workspace/create');
});

/** Says its words one by one, also to who subscribes, until it is cancelled. */
const speak = (words: readonly string[]) => async (answer: FakeAnswer) => {
  let isOver = false;
  void answer.cancelled.then(() => {
    isOver = true;
  });
  const heard: FakeAnswer[] = [answer];
  const said: string[] = [];
  here.agent.streaming.set(answer.chatId, (subscriber) => {
    subscriber.open();
    for (const text of said) subscriber.event('delta', { text });
    heard.push(subscriber);
  });
  answer.open();
  for (const text of words) {
    if (isOver) break;
    said.push(text);
    for (const one of heard) one.event('delta', { text });
    await sleep(50);
  }
  here.agent.streaming.delete(answer.chatId);
  const final = isOver ? undefined : answer.toFinal(words.join(''));
  for (const one of heard) {
    if (final) one.event('done', final);
    one.end();
  }
};

test.each(['Old words ', ''])(
  'stopped at another helper after “%s”, a question gives its place to one that is answered whole, and its own readers hear nothing of that',
  async (said) => {
    const visitor = await createVisitor(here.one);
    const [conversationId, firstId] = [randomUUID(), randomUUID()];
    here.agent.nextChat(async (answer) => {
      answer.open();
      if (said !== '') answer.event('delta', { text: said });
      await answer.cancelled;
      if (said !== '') {
        answer.recordQuestion();
        answer.recordReply(said);
        // Its own helper looks at the store meanwhile.
        await sleep(2_500);
      }
      answer.end();
    });
    const asked = makeQuestion('first');
    const first = await visitor.ask(conversationId, firstId, asked);
    await first.until(({ text, events }) => events.length > 0 && text === said, 'it runs');
    // Stopped sooner, it would never be asked, and what it was to be answered with be the next one's.
    await until(() => here.agent.chatsAbout(asked).length > 0, 'the agent has it');
    const other = at(here.two, visitor);
    expect((await ways.stop(other, conversationId, firstId)).status).toBe(204);
    const words = Array.from({ length: 60 }, (_, word) => `new-${word} `);
    here.agent.nextChat(speak(words));
    const next = { text: makeQuestion('next'), replaces: firstId };
    const stream = await other.ask(conversationId, randomUUID(), next);
    await stream.whole();
    expect(stream.ended('turn-completed').message.text).toBe(words.join(''));
    await first.whole();
    expect(first.raw).not.toContain('new-');
  },
);

test('a stop at another helper that has not heard of the pause yet is one all the same', async () => {
  const visitor = await createVisitor(here.one);
  const [conversationId, turnId] = [randomUUID(), randomUUID()];
  const gate = createGate();
  here.agent.nextChat(pauseWith(makePause({ name: 'order_status', parameters: {} }), gate.opened));
  const stream = await visitor.ask(conversationId, turnId, makeQuestion());
  await stream.untilText('One');
  const other = at(here.two, visitor);
  const there = await other.attach(conversationId, turnId);
  await there.until(({ events }) => events.length > 0, 'it is told that the turn runs');
  gate.open();
  await stream.whole();
  stream.ended('turn-paused');
  expect((await ways.stop(other, conversationId, turnId)).status).toBe(204);
  (await other.chat(makeQuestion(), conversationId)).stream.ended('turn-completed');
});

test('a stop at another helper that the agent refused at first is told again', async () => {
  const visitor = await createVisitor(here.one);
  const [conversationId, turnId, question] = [randomUUID(), randomUUID(), makeQuestion()];
  here.agent.nextChat(writeOn);
  const stream = await visitor.ask(conversationId, turnId, question);
  await stream.untilText('w3');
  const chatId = String(here.agent.chatsAbout(question)[0]?.body.chat_id);
  here.agent.override('POST /v1/bot/chat/cancel', (_, response) => {
    here.agent.restore('POST /v1/bot/chat/cancel');
    sendJson(response, { error: 'not now' }, 500);
  });
  const other = at(here.two, visitor);
  expect((await ways.stop(other, conversationId, turnId)).status).toBe(204);
  await stream.whole();
  stream.ended('turn-stopped');
  await until(() => readKept(question).length > 0, 'the agent has stopped', 5_000);
  expect(readKept(question)[0]?.at(-1)?.content).toBe('stopped words');
  // The next question is asked once that is quiet, and nobody's cancel stops it.
  const before = countCancels(chatId);
  (await other.chat(makeQuestion(), conversationId)).stream.ended('turn-completed');
  expect(countCancels(chatId)).toBe(before);
});

test('a stop at another helper is written down before the agent hears of it, or its fragment would pose as the answer', async () => {
  const visitor = await createVisitor(here.one);
  const [conversationId, turnId, question] = [randomUUID(), randomUUID(), makeQuestion()];
  here.agent.nextChat(writeOn);
  const stream = await visitor.ask(conversationId, turnId, question);
  await stream.untilText('w3');
  const store = here.openStore();
  let statusThen: string | undefined;
  here.agent.override('POST /v1/bot/chat/cancel', async (_, response) => {
    here.agent.restore('POST /v1/bot/chat/cancel');
    statusThen = (await store.findTurn(conversationId, turnId))?.status;
    sendJson(response, { success: true });
  });
  expect((await ways.stop(at(here.two, visitor), conversationId, turnId)).status).toBe(204);
  await stream.whole();
  stream.ended('turn-stopped');
  await until(() => statusThen !== undefined, 'the agent is told');
  expect(statusThen).toBe('stopped');
  await store.close();
});

test('a reader at another helper is told all the sources that an answer ends with', async () => {
  const visitor = await createVisitor(here.one);
  const [conversationId, turnId, question] = [randomUUID(), randomUUID(), makeQuestion('sources')];
  const sources = [1, 2].map((number) => ({
    citation_number: number,
    source_id: `s-${number}`,
    title: `Tea ${number}`,
    url: `https://shop.test/tea-${number}`,
    type: 'website',
  }));
  const gate = createGate();
  const begin = (answer: FakeAnswer) => {
    answer.open();
    answer.event('sources', { sources: sources.slice(0, 1) });
    answer.event('delta', { text: 'Green [1] ' });
  };
  const subscribers: FakeAnswer[] = [];
  here.agent.nextChat(async (answer) => {
    here.agent.streaming.set(answer.chatId, (subscriber) => {
      begin(subscriber);
      subscribers.push(subscriber);
    });
    begin(answer);
    await gate.opened;
    here.agent.streaming.delete(answer.chatId);
    const final = answer.toFinal('Green [1] and black [2].', { sources });
    for (const one of [answer, ...subscribers]) {
      one.event('done', final);
      one.end();
    }
  });
  const stream = await visitor.ask(conversationId, turnId, question);
  await stream.untilText('Green');
  const other = await at(here.two, visitor).attach(conversationId, turnId);
  await other.untilText('Green');
  gate.open();
  await other.whole();
  const { message } = other.ended('turn-completed');
  expect(message.sources?.map(({ number }) => number)).toEqual([1, 2]);
});

test('a reader at another helper is never told the end of the turn before, which was stopped', async () => {
  const visitor = await createVisitor(here.one);
  const conversationId = randomUUID();
  const gate = createGate();
  here.agent.nextChat(async (answer) => {
    answer.open();
    answer.event('delta', { text: 'Old ' });
    // Stopped, it writes on for a while, and tells so whoever listens.
    here.agent.streaming.set(answer.chatId, (again) => {
      again.open();
      again.event('delta', { text: 'Old words' });
    });
    await gate.opened;
    here.agent.streaming.delete(answer.chatId);
    answer.end();
  });
  const firstId = randomUUID();
  const first = await visitor.ask(conversationId, firstId, makeQuestion('first'));
  await first.untilText('Old');
  const other = at(here.two, visitor);
  await ways.stop(other, conversationId, firstId);
  const turnId = randomUUID();
  here.agent.nextChat(async (answer) => {
    answer.recordQuestion();
    answer.open();
    await gate.opened;
    answer.event('delta', { text: 'New.' });
    answer.done('New.');
  });
  const stream = await visitor.ask(conversationId, turnId, makeQuestion('second'));
  const there = await other.attach(conversationId, turnId);
  await sleep(1_000);
  gate.open();
  for (const each of [stream, there]) {
    await each.whole();
    expect(each.text).toBe('New.');
    expect(each.ended('turn-completed').message.text).toBe('New.');
  }
});

test.each([
  { stopAt: 'one', nextAt: 'two', cancel: 'is slow' },
  { stopAt: 'two', nextAt: 'one', cancel: 'is slow' },
  { stopAt: 'one', nextAt: 'two', cancel: 'is refused once' },
  { stopAt: 'two', nextAt: 'one', cancel: 'is refused once' },
  { stopAt: 'one', nextAt: 'two', cancel: 'is slow after the agent failed' },
] as const)(
  'a cancel that $cancel, told by helper $stopAt, does not stop the next question’s answer at helper $nextAt',
  async ({ stopAt, nextAt, cancel }) => {
    const visitor = await createVisitor(here.one);
    const [conversationId, turnId] = [randomUUID(), randomUUID()];
    let running: { cancel(): void } | undefined;
    let cancels = 0;
    here.agent.override('POST /v1/bot/chat/cancel', async (_, response) => {
      cancels += 1;
      if (cancel === 'is refused once' && cancels === 1) return sendJson(response, { error: 'not now' }, 500);
      await sleep(cancel === 'is refused once' ? 0 : 300);
      running?.cancel();
      sendJson(response, { success: true });
    });
    /** As the hosted one may: nothing marks what was cancelled. */
    const write = (words: number) => async (answer: FakeAnswer) => {
      running = answer;
      let isOver = false;
      void answer.cancelled.then(() => {
        isOver = true;
      });
      answer.recordQuestion();
      answer.open();
      let text = '';
      for (let word = 0; word < words && !isOver; word += 1) {
        text += `w${word} `;
        answer.event('delta', { text: `w${word} ` });
        await sleep(25);
      }
      if (running === answer) running = undefined;
      const message = answer.recordReply(text);
      answer.event('done', { chat: { reply: text, agent: message, sources: [] } });
      answer.end();
    };
    const isFailure = cancel === 'is slow after the agent failed';
    here.agent.nextChat(
      isFailure
        ? (answer) => {
            running = answer;
            answer.recordQuestion();
            answer.open();
            // More than a turn may say: the helper gives it up.
            for (let part = 0; part < 5; part += 1) answer.event('delta', { text: 'x'.repeat(300_000) });
          }
        : write(200),
    );
    const first = await visitor.ask(conversationId, turnId, makeQuestion());
    if (isFailure) {
      await first.whole();
      expect(first.last.kind).toBe('turn-failed');
    } else {
      await first.untilText('w3');
      expect((await ways.stop(at(here[stopAt], visitor), conversationId, turnId)).status).toBe(204);
    }
    here.agent.nextChat(write(30));
    const next = await at(here[nextAt], visitor).ask(conversationId, randomUUID(), makeQuestion());
    await next.whole();
    expect(next.ended('turn-completed').message.text.split(' ')).toHaveLength(31);
    here.agent.restore('POST /v1/bot/chat/cancel');
  },
);
