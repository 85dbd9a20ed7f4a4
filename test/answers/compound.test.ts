/** Two questions in one are both answered, or asked whole where one of them has no answer or is of danger. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { joinSaid, nameIt, splitQuestion } from '../../demo/agent/builtin/compound.ts';
import { startSite } from '../support/questions.ts';

describe('of one question', () => {
  test.each([
    ['How much is the Skylark 2, and how heavy is it?', ['How much is the Skylark 2?', 'how heavy is it?']],
    [
      'What is the price and weight of the Skylark 2?',
      ['What is the price of the Skylark 2?', 'What is the weight of the Skylark 2?'],
    ],
    ['How tall and how wide is the tent?', ['How tall is the tent?', 'how wide is the tent?']],
    [
      'Can I cancel my order and how long do refunds take?',
      ['Can I cancel my order?', 'how long do refunds take?'],
    ],
  ])('%s are two', (text, parts) => {
    expect(splitQuestion(text)).toEqual(parts);
  });

  test.each([
    'Do you ship to Canada and Mexico?',
    'How and when?',
    'Where is my tent and my stove?',
    'Hello and welcome',
  ])('%s is one', (text) => {
    expect(splitQuestion(text)).toBeUndefined();
  });

  test('what the first answer names is meant by the second', () => {
    expect(nameIt('how much is it?', 'The lightest is **Skylark 2 tent**: 1.92 kg. [1]')).toBe(
      'how much is the Skylark 2 tent?',
    );
    expect(nameIt('how much is it?', 'Weight: **1.92 kg**. [1]')).toBe('how much is it?');
  });

  test('each page keeps one number, and what was said is not said again', () => {
    const source = (citation_number: number, url: string) => ({
      citation_number,
      url,
      source_id: 's',
      title: url,
      favicon: null,
      type: 'website',
      tags: [],
    });
    const one = { text: 'A. [1]\n\nB. [2]', sources: [source(1, '/a'), source(2, '/b')] };
    const other = { text: 'B. [1]\n\nC \\[1\\]. [2]', sources: [source(1, '/b'), source(2, '/c')] };
    expect(joinSaid(one, other)).toEqual({
      text: 'A. [1]\n\nB. [2]\n\nC \\[1\\]. [3]',
      sources: [source(1, '/a'), source(2, '/b'), source(3, '/c')],
    });
  });
});

describe('over the shop', () => {
  let shop: Awaited<ReturnType<typeof startSite>>;
  beforeAll(async () => {
    shop = await startSite('shop');
  });
  afterAll(() => shop.close());

  test.each([
    ['How much is the Skylark 2, and how heavy is it?', ['$389', '1.92 kg'], ['$45', '210 g']],
    ['Which tent is the lightest and how much does it cost?', ['1.92 kg', '$389'], []],
    ['Can I cancel my order and how long do refunds take?', ['until it is packed', '5 business days'], []],
    ['Where are you and when are you open?', ['14 Mill Lane', '9 am to 6 pm'], []],
    // Of danger the warning alone.
    ['How much is the stove and can I use it in my tent?', ['carbon monoxide'], ['$']],
  ])('%s', async (question, facts, never) => {
    const { chat } = (await shop.client.chat(question, { chat_id: crypto.randomUUID() })).body;
    for (const fact of facts) expect(chat.reply).toContain(fact);
    for (const other of never) expect(chat.reply).not.toContain(other);
    const marks = [...String(chat.reply).matchAll(/(?<!\\)\[(\d+)\]/g)].map(([, at]) => Number(at));
    expect(new Set(marks)).toEqual(
      new Set(chat.sources.map((source: { citation_number: number }) => source.citation_number)),
    );
  });
});
