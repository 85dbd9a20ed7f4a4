/** What an event of the agent means, in each dialect that deployments speak. */
import { describe, expect, test } from 'vitest';
import { readFrame } from '../../server-helper/agent/frame.ts';

describe('text is found', () => {
  test.each([
    ['a named event', 'delta', '{"text":"hi"}'],
    ['an unnamed event under text', undefined, '{"text":"hi"}'],
    ['under delta', undefined, '{"delta":"hi"}'],
    ['under content', 'message', '{"content":"hi"}'],
    ['under reply', undefined, '{"reply":"hi"}'],
    ['under token', undefined, '{"token":"hi"}'],
    ['under chunk', undefined, '{"chunk":"hi"}'],
    ['in a nested delta', undefined, '{"delta":{"content":"hi"}}'],
    ["in OpenAI's choices", undefined, '{"choices":[{"delta":{"content":"hi"}}]}'],
    ['as a JSON string', undefined, '"hi"'],
    ['as it is', undefined, 'hi'],
  ])('%s', (_, event, data) => {
    expect(readFrame(event, data, false)).toEqual({ kind: 'text', text: 'hi' });
  });

  test('a citation in a stream of plain text stays text', () => {
    expect(readFrame(undefined, '[1]', true)).toEqual({ kind: 'text', text: '[1]' });
    expect(readFrame(undefined, '[see below', true)).toEqual({ kind: 'text', text: '[see below' });
    expect(readFrame(undefined, '42', true)).toEqual({ kind: 'text', text: '42' });
    expect(readFrame(undefined, '"yes"', true)).toEqual({ kind: 'text', text: '"yes"' });
    expect(readFrame(undefined, '"', true)).toEqual({ kind: 'text', text: '"' });
  });
});

test.each(['{', '{x}', '{}', '{"name":"Ada"}', '{"text":"hi"}', '{ "a": [1] }'])(
  'code in a stream of plain text stays as it is: %s',
  (data) => {
    expect(readFrame(undefined, data, true)).toEqual({ kind: 'text', text: data });
  },
);

test.each([
  ['{"type":"done"}', 'done'],
  ['{"error":"overloaded"}', 'error'],
  ['{"type":"usage","tokens":3}', 'skip'],
  ['{"type":"delta","text":"hi"}', 'text'],
])('an event in a stream of plain text is one: %s', (data, kind) => {
  expect(readFrame(undefined, data, true)).toMatchObject({ kind, ...(kind === 'text' && { text: 'hi' }) });
});

test('broken JSON is never text', () => {
  for (const data of ['{"text":"hi', '{"text":', '"hi'])
    expect(readFrame('delta', data, false).kind).toBe('broken');
});

test('kinds that nobody knows are skipped', () => {
  expect(readFrame('usage-report', '{"text":"no"}', false).kind).toBe('skip');
  expect(readFrame('start', '{"chat_id":"c","message_id":"m"}', false).kind).toBe('skip');
  expect(readFrame(undefined, '{"choices":[{"delta":{"role":"assistant"}}]}', false).kind).toBe('skip');
});

test.each(['null', 'false', '""'])('an error that is %s is none', (none) => {
  expect(readFrame('delta', `{"text":"hi","error":${none}}`, false)).toEqual({ kind: 'text', text: 'hi' });
  expect(readFrame('done', `{"success":true,"error":${none}}`, false).kind).toBe('done');
});

test('a chat that is only named is no reply', () => {
  expect(readFrame('start', '{"chat":{"id":"c"}}', false).kind).toBe('skip');
  expect(readFrame('delta', '{"text":"hi","chat":{"id":"c"}}', false)).toEqual({ kind: 'text', text: 'hi' });
  expect(readFrame('result', '{"chat":{"reply":"whole"}}', false)).toMatchObject({
    kind: 'final',
    reply: { text: 'whole' },
  });
  expect(readFrame('done', '{"chat":{"id":"c"}}', false).kind).toBe('final');
});

test('reasoning is not the answer', () => {
  expect(readFrame('reasoning', '{"text":"hm"}', false)).toEqual({ kind: 'reasoning', text: 'hm' });
  expect(readFrame(undefined, '{"type":"thinking-delta","delta":"hm"}', false).kind).toBe('reasoning');
});

test('a final object gives text, id, sources and usage', () => {
  const data = JSON.stringify({
    chat: {
      reply: 'short',
      agent: { uuid: 'm1', content: 'whole' },
      sources: [
        { citation_number: 3, source_id: 's', title: 'Page', url: 'https://shop.example/p', type: 'website' },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
    },
  });
  expect(readFrame('done', data, false)).toEqual({
    kind: 'final',
    reply: {
      text: 'whole',
      agentMessageId: 'm1',
      sources: [{ number: 3, id: 's', title: 'Page', url: 'https://shop.example/p', type: 'website' }],
      usage: { promptTokens: 1, completionTokens: 2, totalTokens: 3 },
    },
  });
});

test('a source with an address that is not of the web keeps its title alone', () => {
  const data = '{"sources":[{"title":"x","url":"javascript:alert(1)"}]}';
  expect(readFrame('sources', data, false)).toEqual({
    kind: 'sources',
    sources: [{ number: 1, id: '1', title: 'x', type: 'text' }],
  });
});

test('a pause is read from its event and from a final object alike', () => {
  const pause = {
    executionId: 'exec_1_a',
    requiresApproval: true,
    tool: { name: 't', parameters: { a: 1 } },
  };
  const expected = {
    kind: 'pause',
    pause: { executionId: 'exec_1_a', tool: { name: 't', parameters: { a: 1 } } },
  };
  expect(readFrame('approval', JSON.stringify(pause), false)).toEqual(expected);
  const final = JSON.stringify({ chat: { type: 'tool_approval_required', ...pause } });
  expect(readFrame('done', final, false)).toEqual(expected);
});

test.each([
  ['done', '{"success":false,"reply":"no credits"}'],
  ['done', '{"status":"error","content":"timeout"}'],
  ['end', '{"status":"failed"}'],
  [undefined, '{"type":"done","success":false}'],
  ['final', '{"chat":{"success":false,"reply":"Part"}}'],
])('an end that says of itself that it failed is none: %s %s', (event, data) => {
  expect(readFrame(event, data, false)).toEqual({ kind: 'error', status: undefined });
});

test('an end may tell the whole answer, unless it lies too deep', () => {
  expect(readFrame('done', '{"reply":"All of it."}', false)).toEqual({ kind: 'done', text: 'All of it.' });
  const deep = (open: string, close: string) => `${open.repeat(100_000)}1${close.repeat(100_000)}`;
  for (const data of [deep('{"text":', '}'), deep('{"choices":[', ']}')])
    for (const event of ['done', undefined]) expect(readFrame(event, data, false).kind).toMatch(/done|skip/);
});

test('the end of a stream of tokens is told from its text', () => {
  expect(readFrame(undefined, '[DONE]', false)).toEqual({ kind: 'done' });
  expect(readFrame('error', '{"error":{"message":"no","code":"provider_error"}}', false)).toEqual({
    kind: 'error',
    status: undefined,
    code: 'provider_error',
  });
  expect(readFrame('error', '{"error":{"code":"What about my order?"}}', false)).toEqual({
    kind: 'error',
    status: undefined,
  });
});
