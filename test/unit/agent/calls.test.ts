/** Calls of tools, as hosts stream them. */

import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import { expect, test } from 'vitest';
import { createCalls, toToldCall } from '../../../demo/agent/answer/calls.ts';

type Piece = ChatCompletionChunk.Choice.Delta.ToolCall;

const read = (...pieces: (object | null)[]) => {
  const calls = createCalls(32);
  for (const piece of pieces) calls.read(piece as Piece);
  return calls.end();
};
const shown = (...pieces: (object | null)[]) =>
  read(...pieces).map(({ function: { name, arguments: text } }) => `${name} ${text}`);
const begin = (index: unknown, id: unknown, name: string, text = '') => ({
  ...{ index, id },
  function: { name, arguments: text },
});
const more = (index: unknown, text: string, id?: string) => ({ index, id, function: { arguments: text } });

test.each<[string, object[]]>([
  [
    'an index each',
    [begin(0, 'a', 'count', '{"of"'), begin(1, 'b', 'find'), more(0, ':1}'), more(1, '{"of":2}')],
  ],
  [
    'no index',
    [begin(undefined, 'a', 'count', '{"of"'), more(undefined, ':1}'), begin(null, 'b', 'find', '{"of":2}')],
  ],
  [
    'the same index for all',
    [begin(0, 'a', 'count', '{"of":1}'), begin(0, 'b', 'find'), more(0, '{"of":2}')],
  ],
  [
    'another id for each piece',
    [begin(0, 'a', 'count', '{"of"'), more(0, ':1}', 'b'), begin(1, 'c', 'find'), more(1, '{"of":2}', 'd')],
  ],
  ['neither', [begin(undefined, undefined, 'count', '{"of":1}'), begin(undefined, '', 'find', '{"of":2}')]],
  [
    'the same index for all, and no id',
    [begin(0, null, 'count', '{"of":1}'), begin(0, undefined, 'find', '{"of":2}')],
  ],
  [
    'the same id for all',
    [begin(undefined, 'a', 'count', '{"of":1}'), begin(undefined, 'a', 'find', '{"of":2}')],
  ],
  [
    'the name again',
    [
      begin(0, 'a', 'count', '{"of"'),
      begin(0, 'a', 'count', ':1}'),
      begin(1, 'b', 'find'),
      begin(1, '', 'find', '{"of":2}'),
    ],
  ],
  [
    'no index, and one after the other by id',
    [
      begin(undefined, 'a', 'count', '{"of"'),
      begin(undefined, 'b', 'find', '{"of"'),
      more(undefined, ':1}', 'a'),
      more(undefined, ':2}', 'b'),
    ],
  ],
  [
    'arguments as an object',
    [begin(0, 'a', 'count', { of: 1 } as never), begin(1, 'b', 'find', { of: 2 } as never)],
  ],
  ['an index beyond all', [begin(4e9, 'a', 'count', '{"of":1}'), begin(-1, 'b', 'find', '{"of":2}')]],
  ['words for an index', [begin('length', 'a', 'count', '{"of":1}'), begin('x', 'b', 'find', '{"of":2}')]],
])('two calls of a host that gives %s are two', (_, pieces) => {
  expect(shown(...pieces)).toEqual(['count {"of":1}', 'find {"of":2}']);
});

test.each<[string, object[]]>([
  [
    'its name in each piece, the last of them empty',
    [begin(0, 'a', 'count'), begin(0, 'a', 'count', '{"of":1}'), begin(0, 'a', 'count')],
  ],
  ['so without an id', [begin(0, '', 'count', '{"of"'), begin(0, '', 'count', ':1}'), begin(0, '', 'count')]],
  ['an empty object first', [begin(0, 'a', 'count', '{}'), begin(0, 'a', 'count', '{"of":1}')]],
  ['an object in pieces', [begin(0, 'a', 'count', {} as never), more(0, { of: 1 } as never)]],
  ['all of it twice', [begin(0, 'a', 'count', '{"of":1}'), begin(0, 'a', 'count', '{"of":1}')]],
  [
    'all of it twice, without an index',
    [begin(null, 'a', 'count', '{"of":1}'), begin(null, 'a', 'count', '{"of":1}')],
  ],
  [
    'white space after an empty object',
    [begin(0, 'a', 'count', '{'), more(0, '"of":1}'), more(0, '\n')].map((one) => one),
  ],
  [
    'all of it at its end, without an id',
    [begin(0, 'a', 'count'), more(0, '{"of":1}'), begin(0, '', 'count', '{"of":1}')],
  ],
  ['its name in parts', [begin(0, 'a', 'co'), begin(0, 'a', 'unt'), more(0, '{"of":1}')]],
  ['words for an index, and pieces', [begin('0', 'a', 'count'), more('0', '{"of"'), more('0', ':1}')]],
])('one call of a host that gives %s is one', (_, pieces) => {
  expect(shown(...pieces).map((call) => call.trim())).toEqual(['count {"of":1}']);
});

test('calls without arguments are told apart by their names, where nothing else is given', () => {
  expect(shown(begin(null, null, 'ls'), begin(null, null, 'search'))).toEqual(['ls ', 'search ']);
});

test('beyond 32 none is done, and its pieces are no other’s', () => {
  const calls = Array.from({ length: 40 }, (_, index) => [
    begin(undefined, `id-${index}`, `tool_${index}`),
    more(undefined, '{}'),
  ]).flat();
  expect(shown(...calls)).toEqual(Array.from({ length: 32 }, (_, index) => `tool_${index} {}`));
});

test('an id that is missing or too long is one of our own, and those that are given stay', () => {
  const ids = read(begin(0, undefined, 'a'), begin(1, 'x'.repeat(10_000), 'b'), begin(2, 'call_7', 'c')).map(
    ({ id }) => id,
  );
  expect(ids).toEqual([
    expect.stringMatching(/^call_[\w-]{36}$/),
    expect.stringMatching(/^call_[\w-]{36}$/),
    'call_7',
  ]);
});

test('what is no piece is nothing, and an id that is given twice or is no name is our own', () => {
  const own = expect.stringMatching(/^call_[\w-]{36}$/);
  const ids = read(null, begin(0, 'i', 'a'), begin(1, 'i', 'b'), begin(2, 7, 'c'), begin(3, 'a b', 'd')).map(
    ({ id }) => id,
  );
  expect(ids).toEqual(['i', own, own, own]);
});

test('what has no end is given up', () => {
  const calls = createCalls(32);
  calls.read(begin(0, 'a', 'write_file') as Piece);
  const piece = more(0, 'x'.repeat(1_048_576)) as Piece;
  calls.read(piece);
  expect(() => [0, 0].forEach(() => void calls.read(piece))).toThrow('asked tools for too much');
});

test.each([
  ['count', '{"of":1}', 'count', '{"of":1}'],
  ['count', '', 'count', '{}'],
  ['', '{"of": "ab', 'unknown', '{"error":"no JSON object"}'],
  ['no name!', '["a"]', 'unknown', '{"error":"no JSON object"}'],
])('a call of “%s” with %s is told again as one of %s with %s', (name, text, toldName, toldText) => {
  const [call] = read(begin(0, 'a', name, text));
  expect(toToldCall(call!)).toMatchObject({ id: 'a', function: { name: toldName, arguments: toldText } });
});
