/** What a visitor sends has to have the shape of the wire. */
import { describe, expect, test } from 'vitest';
import {
  readConversationChange,
  readDecisionRequest,
  readSessionRequest,
  readTurnRequest,
} from '../../server-helper/protocol/check.ts';

const unseen: [name: string, text: string][] = [
  ['nothing', ''],
  ['spaces and line breaks', ' \t\r\n\u00a0\u2003\u3000'],
  ['a zero width space', '\u200b'],
  ['a byte order mark', '\ufeff'],
  ['joiners', '\u200c\u200d\u2060'],
  ['a soft hyphen', '\u00ad'],
  ['marks of direction', '\u200e\u202a\u202e\u2066\u2069'],
  ['fillers', '\u115f\u1160\u3164\uffa0'],
  ['the blank of Braille', '\u2800'],
  ['variation selectors and tags', '\ufe0f\u{e0100}\u{e0061}\u{e007f}'],
  ['control characters', '\0\u0007\u009f'],
  ['all of them', ' \u200b\ufeff\u3164\n\u00ad\u2800 '],
];

describe('text that nobody could see is none', () => {
  test.each(unseen)('%s', (_, text) => {
    expect(() => readTurnRequest({ text })).toThrowError('text: must not be empty');
    expect(() => readConversationChange({ title: text })).toThrow();
    expect(() => readDecisionRequest({ decision: 'answer', answers: [text] })).toThrow();
  });
});

test.each([
  '?',
  '0',
  ' a ',
  '\u200ba',
  '👍',
  '👍🏽\ufe0f',
  '👩\u200d🚀',
  'ا',
  'ก',
  '한',
  '⠁',
  '\u0301',
  '。',
  '—',
])('text that somebody sees goes on as it is: %s', (text) => {
  expect(readTurnRequest({ text }).text).toBe(text);
});

test('a page context so deep that it cannot be written is too large, not a fault', () => {
  let context: object = {};
  for (let depth = 0; depth < 20_000; depth += 1) context = { context };
  const page = { url: 'https://shop.example/', context };
  expect(() => readTurnRequest({ text: 'Is it warm?', page })).toThrowError('page: expected at most');
});

test('an array is no request, be it empty', () => {
  for (const value of [[], [1]]) expect(() => readSessionRequest(value)).toThrowError('expected Object');
  expect(readSessionRequest({})).toEqual({});
});
