/** Sentences of a text of any length, and whom a question is addressed to. */
import { expect, test } from 'vitest';
import { withoutSalutation } from '../../../demo/agent/builtin/talk.ts';
import { toSentences } from '../../../demo/agent/retrieval/chunk.ts';

test('a long text has the sentences that it would have at once', () => {
  const sentences = Array.from(
    { length: 400 },
    (_, n) => `Sentence ${n} is about herons 🪶 and ${'x'.repeat(n % 50)}.`,
  );
  expect(toSentences(sentences.join(' '))).toEqual(sentences);
  // One that never ends.
  const endless = `x${'🪶'.repeat(20_001)}`;
  expect(toSentences(endless).join('')).toBe(endless);
  expect(toSentences(endless).every((one) => Buffer.from(one).toString() === one)).toBe(true);
});

test('of a very long text without an end of a paragraph they are found in a moment', () => {
  // Which took twenty seconds.
  expect(toSentences('It is so. '.repeat(100_000))).toHaveLength(100_000);
});

test('a long text without ends of sentences is parted between words', () => {
  const words = Array.from({ length: 5_000 }, (_, n) => `word${n}`);
  expect(toSentences(words.join(' ')).join(' ').split(' ')).toEqual(words);
});

const asked = 'Do you ship to Norway?';
test.each([
  `Dear customer service,\n\n${asked}`,
  `Dear customer support team,\n\n${asked}`,
  `Good morning dear team,\n\n${asked}`,
  `Dear Juniper, ${asked}`,
  `Hallo zusammen, ${asked}`,
  `Hello dear, ${asked}`,
  `Hi all at Larkfield,\n${asked}`,
  `Hi\n${asked}`,
  `To whom it may concern:\n\n${asked}`,
  `Sehr geehrte Damen und Herren,\n${asked}`,
])('%j asks what it asks', (text) => {
  expect(withoutSalutation(text)).toBe(asked);
});

test.each([
  'Hi do you ship to Norway, and how fast?',
  'Hello, ',
  'Hi',
  'Good morning tea: price?',
  'Hello Kitty: price?',
  'Dear me how heavy is it',
  'High shelves, are there any?',
  'Hello my zipper broke. What now?',
  'Hi cancel my order, please',
  'Hi shipping to Canada, please?',
  'Hi any shipping to Canada, or not?',
  'Hi need shipping to Canada, thanks',
  'Hi my tent caught fire, what now?',
  'Hi looking for a tent.\nUnder 200 dollars',
])('%j is left as it is', (text) => {
  expect(withoutSalutation(text)).toBe(text);
});
