/** What is told to a model of its tools, within its context. */

import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { expect, test } from 'vitest';
import { withinContext } from '../../../demo/agent/answer/exchange.ts';
import { cutTogether } from '../../../demo/agent/answer/room.ts';
import { estimateTokens, toSize } from '../../../demo/agent/answer/tokens.ts';

const call = (id: string, text: string): ChatCompletionMessageParam => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name: 'read', arguments: text } }],
});
const result = (id: string, content: string): ChatCompletionMessageParam => ({
  role: 'tool',
  tool_call_id: id,
  content,
});

test.each([
  ['ab', 2],
  ['Grüße', 5],
  ['тент', 8],
  ['帐篷', 8],
  ['⛺', 2],
  ['🏕', 8],
  // In its place data has another, see `toDataBlock`.
  ['<‹', 4],
])('%s counts %d quarters of a token', (text, size) => {
  expect(toSize(text)).toBe(size);
});

test.each(['x', 'ж', '漢', '🏕'])('results of “%s” stay within the context, whole characters alone', (one) => {
  const rounds = Array.from({ length: 4 }, (_, at) => [
    call(`c${at}`, '{}'),
    result(`c${at}`, one.repeat(20_000)),
  ]).flat();
  const told = withinContext(rounds, toSize('y'.repeat(8_000)), 8_192);
  expect(told.at(-1)).toMatchObject({ tool_call_id: 'c3', content: expect.stringContaining(one) });
  expect(estimateTokens(JSON.stringify(told))).toBeLessThan(8_192 - 2_000);
  // Half of a pair would be written so.
  expect(JSON.stringify(told)).not.toContain('\\ud');
});

test('arguments of the latest round are shortened too where they leave no room for what came of them', () => {
  const told = withinContext(
    [call('a', JSON.stringify({ content: 'x'.repeat(15_000) })), result('a', 'written')],
    20_000,
    8_192,
  );
  expect(told).toEqual([call('a', '{"cut":"too long to be told again"}'), result('a', 'written')]);
});

test.each(['x', '漢'])('so do calls that ask for little each, in the letters of “%s”', (one) => {
  const calls = Array.from({ length: 32 }, (_, at) => ({
    id: `c${at}`,
    type: 'function' as const,
    function: { name: 'grep', arguments: JSON.stringify({ pattern: one.repeat(180) }) },
  }));
  const results = calls.map(({ id }) => result(id, one.repeat(2_000)));
  const told = withinContext(
    [{ role: 'assistant', content: null, tool_calls: calls }, ...results],
    9_000,
    8_192,
  );
  expect(told).toHaveLength(33);
  expect(estimateTokens(JSON.stringify(told))).toBeLessThan(8_192 - 9_000 / 4);
});

test('of several texts the short ones stay whole, and each is cut at a length of its own', () => {
  expect(cutTogether(['漢字', 'x'.repeat(100), 'y'.repeat(100)], 68, 50)).toEqual([
    '漢字',
    `${'x'.repeat(30)}\n(cut here: it goes on)`,
    `${'y'.repeat(30)}\n(cut here: it goes on)`,
  ]);
});
