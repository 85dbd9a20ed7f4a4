/** What stands as an answer once the agent has told its end: all that was said, once, as it was streamed. */
import { expect, test } from 'vitest';
import { toFinalText } from '../../server-helper/turns/finaltext.ts';

const before = 'I will order it.';

test.each([
  ['the same', 'Ordered:\n- one'],
  ['with CRLF', 'Ordered:\r\n- one'],
  ['with other spaces', ' Ordered:  - one'],
])('what came since a decision, told at the end %s, takes no line break away before it', (_, final) => {
  const text = `${before}\n\nOrdered:\n- one`;
  expect(toFinalText({ text, textBefore: before, cuts: [0] }, final)).toBe(text);
});

test('what came since a decision, told in other words, takes the place of what was heard of it', () => {
  const said = { text: `${before}\n\nOrd`, textBefore: before, cuts: [0] };
  expect(toFinalText(said, 'Sorry, it is sold out.')).toBe(`${before}Sorry, it is sold out.`);
});
