/** Clauses 13 and 18 in every dialect that a deployment of the agent may speak. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Script } from '../support/fake-agent.ts';
import { sendJson } from '../support/fake-agent.ts';
import type { FakeAnswer } from '../support/fake-answer.ts';
import { createGate } from '../support/gate.ts';
import { executionId, makePause, resumeWith } from '../support/pause.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { toTurnPath, type Visitor } from '../support/visitor.ts';

let rig: Rig;
let visitor: Visitor;
beforeAll(async () => {
  rig = await startRig({ env: { PORCHLIGHT_WORKSPACE: '7c1f0a52-3b6e-4d18-9a40-5e2d8f6b1c07' } });
  visitor = await rig.visit();
});
afterAll(() => rig.close());

const text = 'Tea, [1] then\n\n- 日本 🙂';
const parts = ['Tea, ', '[1] then', '\n\n- ', '日本 ', '🙂'];

function streamed(
  tell: (answer: FakeAnswer, part: string) => void,
  end: (answer: FakeAnswer) => void,
): Script {
  return (answer) => {
    answer.open();
    for (const part of parts) tell(answer, part);
    end(answer);
  };
}
const recordAndHangUp = (answer: FakeAnswer) => {
  answer.toFinal(text);
  answer.end();
};
const done = (answer: FakeAnswer) => answer.done(text);
const doneMark = (answer: FakeAnswer) => {
  answer.event(undefined, '[DONE]');
  answer.end();
};

const dialects: [what: string, script: Script][] = [
  ['named events', streamed((answer, part) => answer.event('delta', { text: part }), done)],
  ...(['text', 'delta', 'content', 'reply', 'token', 'chunk'] as const).map((key): [string, Script] => [
    `unnamed events with the text under ${key}`,
    streamed((answer, part) => answer.event(undefined, { [key]: part }), done),
  ]),
  [
    'OpenAI’s choices, ended by [DONE]',
    streamed((answer, part) => {
      answer.event(undefined, {
        id: 'x',
        choices: [{ index: 0, delta: { content: part }, finish_reason: null }],
      });
    }, doneMark),
  ],
  [
    'unnamed events and [DONE]',
    streamed((answer, part) => answer.event(undefined, { text: part }), doneMark),
  ],
  ['JSON strings', streamed((answer, part) => answer.event(undefined, JSON.stringify(part)), doneMark)],
  [
    'plain text, one data line a line',
    streamed((answer, part) => answer.event(undefined, part.split('\n').join('\ndata: ')), doneMark),
  ],
  [
    'a final object without a name',
    streamed(
      (answer, part) => answer.event(undefined, { text: part }),
      (answer) => {
        answer.event(undefined, answer.toFinal(text));
        answer.end();
      },
    ),
  ],
  [
    'no final event, but a record',
    streamed((answer, part) => answer.event(undefined, { text: part }), recordAndHangUp),
  ],
  [
    'application/json although a stream was asked',
    (answer) => sendJson(answer.response, answer.toFinal(text)),
  ],
  [
    'CRLF line ends',
    streamed((answer, part) => {
      answer.write(`event: delta\r\ndata: ${JSON.stringify({ text: part })}\r\n\r\n`);
    }, done),
  ],
  [
    'CR line ends',
    streamed((answer, part) => {
      answer.write(`event: delta\rdata: ${JSON.stringify({ text: part })}\r\r`);
    }, done),
  ],
];
test.each(dialects)(
  'clause 13: an answer in %s is told in text-deltas that equal message.text',
  async (_, script) => {
    rig.agent.nextChat(script);
    const { stream, conversationId, question } = await visitor.chat();
    expect(stream.ended('turn-completed').message.text).toBe(text);
    expect(stream.text).toBe(text);
    expect((await visitor.history(conversationId)).messages.map((message) => message.text)).toEqual([
      question,
      text,
    ]);
    expect(rig.agent.chatsAbout(question)).toHaveLength(1);
  },
);

test('bytes cut anywhere, one at a time, give the same answer', async () => {
  rig.agent.nextChat(async (answer) => {
    answer.open();
    answer.response.socket?.setNoDelay(true);
    const bytes = Buffer.from(
      parts.map((part) => `event: delta\ndata: ${JSON.stringify({ text: part })}\n\n`).join(''),
    );
    for (const byte of bytes) {
      answer.write(Uint8Array.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    answer.done(text);
  });
  const { stream } = await visitor.chat();
  expect(stream.text).toBe(text);
});

const toSource = (number: number, index: number) => ({
  citation_number: index + 1,
  source_id: `s-${number}`,
  title: `Tea ${number}`,
  url: `https://shop.test/tea-${number}`,
  type: 'website',
});

test('reasoning, tools, sources and usage are told in the helper’s own words', async () => {
  const source = {
    citation_number: 1,
    source_id: 's-1',
    title: 'Tea',
    url: 'https://shop.test/tea',
    favicon: 'https://shop.test/favicon.ico',
    type: 'website',
    tags: ['internal-tag'],
  };
  rig.agent.nextChat((answer) => {
    answer.open();
    answer.event('reasoning', { text: 'Hmm.' });
    answer.event('tool', { executionId, name: 'stock_level', status: 'running', parameters: { q: 'x' } });
    answer.event('tool', { executionId, name: 'stock_level', status: 'done' });
    answer.event('delta', { text: 'Yes.' });
    answer.event('sources', { sources: [source] });
    answer.done('Yes.', {
      sources: [source],
      usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
    });
  });
  const { stream, conversationId } = await visitor.chat();
  const told = [{ number: 1, id: 's-1', title: 'Tea', url: 'https://shop.test/tea', type: 'website' }];
  expect(stream.all('reasoning-delta')).toEqual([{ text: 'Hmm.' }]);
  const tools = stream.all('tool');
  expect(tools.map(({ name, status, title }) => [name, status, title])).toEqual([
    ['stock_level', 'running', 'Stock level'],
    ['stock_level', 'done', 'Stock level'],
  ]);
  expect(tools[0]?.id).toBe(tools[1]?.id);
  expect(stream.all('sources')).toEqual([{ sources: told }]);
  const completed = stream.ended('turn-completed');
  expect(completed.message.sources).toEqual(told);
  expect(completed.usage).toEqual({ promptTokens: 3, completionTokens: 4, totalTokens: 7 });
  expect((await visitor.history(conversationId)).messages[1]?.sources).toEqual(told);
});

test.each([
  ['more', [1], [1, 2]],
  ['fewer, in another order', [1, 2, 3], [3, 1]],
  ['none', [1, 2], []],
])('the sources that an answer ends with stand: %s than were sent before', async (_, early, late) => {
  const reply = 'Green tea grows in the shade [1], and black tea in the sun [2].';
  // Of what was sent before the break nobody knows whether it arrived.
  for (const when of late.length > 0 ? ['as it ends', 'in the record'] : ['as it ends']) {
    rig.agent.nextChat((answer) => {
      answer.open();
      answer.event('sources', { sources: early.map(toSource) });
      answer.event('delta', { text: reply });
      if (when === 'as it ends') return answer.done(reply, { sources: late.map(toSource) });
      answer.recordQuestion();
      answer.recordReply(reply, late.map(toSource));
      answer.reset();
    });
    const { stream, conversationId } = await visitor.chat();
    const told = stream.ended('turn-completed').message.sources?.map(({ title }) => title);
    // Where it says nothing of them, those stand that were sent.
    expect(told).toEqual((late.length > 0 ? late : early).map((number) => `Tea ${number}`));
    const { messages } = await visitor.history(conversationId);
    if (late.length > 0) expect(messages[1]?.sources?.map(({ title }) => title)).toEqual(told);
  }
});

test.each([
  ['an unnamed event', (answer: FakeAnswer, pause: object) => answer.event(undefined, pause)],
  ['a chat object', (answer: FakeAnswer, pause: object) => answer.event('done', { chat: pause })],
] as const)('a pause that comes as %s is decided like any other', async (_, tell) => {
  rig.agent.nextChat((answer) => {
    answer.recordQuestion();
    answer.open();
    tell(answer, makePause({ name: 'accept_plan', parameters: { plan: '1. Look' } }));
    answer.end();
  });
  const { stream, conversationId, turnId } = await visitor.chat();
  expect(stream.ended('turn-paused')).toMatchObject({
    kind: 'plan',
    tool: { parameters: { plan: '1. Look' } },
  });
  rig.agent.nextResume(resumeWith('Looked.'));
  const path = `${toTurnPath(conversationId, turnId)}/decision`;
  expect((await visitor.call('POST', path, { decision: 'approve' })).status).toBe(202);
  const rest = await (await visitor.attach(conversationId, turnId, stream.last.id)).whole();
  expect(rest.last.kind).toBe('turn-completed');
});

test('a resumed tool that answers in plain JSON completes the turn', async () => {
  rig.agent.nextChat((answer) => {
    answer.recordQuestion();
    answer.open();
    answer.event('approval', makePause({ name: 'order_status', parameters: {} }));
    answer.end();
  });
  const { stream, conversationId, turnId } = await visitor.chat();
  rig.agent.nextResume((answer) => {
    answer.recordReply('It left on Monday.');
    sendJson(answer.response, { success: true, result: 'It left on Monday.', executionId });
  });
  await visitor.call('POST', `${toTurnPath(conversationId, turnId)}/decision`, { decision: 'approve' });
  const rest = await (await visitor.attach(conversationId, turnId, stream.last.id)).whole();
  expect(rest.ended('turn-completed').message.text).toBe('It left on Monday.');
});

describe('after a decision an answer that is told whole under a plain key is told once', () => {
  const before = 'Let me look that up. ';
  const after = 'It left on Monday.';
  const whole = before + after;
  test.each<[string, Script]>([
    ['all of it as JSON', (answer) => sendJson(answer.response, { reply: whole })],
    ['what came since as JSON', (answer) => sendJson(answer.response, { reply: after })],
    [
      'all of it in its last event',
      (answer) => {
        answer.open();
        answer.event('done', { text: whole });
        answer.end();
      },
    ],
    [
      'all of it behind a part of it',
      (answer) => {
        answer.open();
        answer.event('delta', { text: 'It left ' });
        answer.event('done', { text: whole });
        answer.end();
      },
    ],
  ])('%s', async (_, resume) => {
    rig.agent.nextChat((answer) => {
      answer.recordQuestion();
      answer.open();
      answer.event('delta', { text: before });
      answer.event('approval', makePause({ name: 'order_status', parameters: {} }));
      answer.end();
    });
    const { stream, conversationId, turnId } = await visitor.chat();
    rig.agent.nextResume(resume);
    await visitor.call('POST', `${toTurnPath(conversationId, turnId)}/decision`, { decision: 'approve' });
    const rest = await (await visitor.attach(conversationId, turnId, stream.last.id)).whole();
    expect(rest.ended('turn-completed').message.text).toBe(whole);
    expect(before + rest.text).toBe(whole);
  });
});

test('clause 34: an answer that is whole by its own word waits for no record that hangs', async () => {
  const route = 'GET /v1/bot/chat/read';
  const gate = createGate();
  onTestFinished(() => {
    gate.open();
    rig.agent.restore(route);
  });
  rig.agent.override(route, async (call, response, usual) => {
    await gate.opened;
    return usual(call, response);
  });
  rig.agent.nextChat(streamed((answer, part) => answer.event(undefined, { text: part }), doneMark));
  const { stream } = await visitor.chat();
  expect(stream.ended('turn-completed').message.text).toBe(text);
});
