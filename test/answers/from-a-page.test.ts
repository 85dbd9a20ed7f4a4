/** The page on which one asks is meant where "this" is said, and not where a thing is named or the matter is another. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSite } from '../support/questions.ts';

let shop: Awaited<ReturnType<typeof startSite>>;
beforeAll(async () => {
  shop = await startSite('shop');
});
afterAll(() => shop.close());

test.each([
  ['/products.html', 'most expensive thing you sell', ['Fieldhouse 4', '$529'], ['$45']],
  ['/products.html', 'heaviest thing you have', ['Fieldhouse 4', '9.40 kg'], ['Small things']],
  ['/tent.html', 'price', ['$389'], ['asks']],
  ['/tent.html', 'weight?', ['1.92 kg'], []],
  ['/care.html', 'How much is the Skylark 2?', ['$389'], ['$45']],
  ['/care.html', 'How much is the Skylark 2, and how heavy is it?', ['$389', '1.92 kg'], ['$45']],
  ['/tent.html', 'What is your returns policy?', ['60 days', 'free'], ['Drop the parcel']],
  ['/tent.html', 'Tell me about returns', ['60 days', 'free'], ['Drop the parcel']],
  ['/care.html', 'Any jobs going at the moment?', ['found nothing'], []],
])('from %s: %s', async (path, question, facts, never) => {
  const metadata = { page: { url: shop.url + path } };
  const { chat } = (await shop.client.chat(question, { chat_id: crypto.randomUUID(), metadata })).body;
  for (const fact of facts) expect(chat.reply).toContain(fact);
  for (const other of never) expect(chat.reply).not.toContain(other);
});

test('of two warnings the one that is asked for is said first', async () => {
  const { chat } = (await shop.client.chat('How do I care for a stove?', { chat_id: crypto.randomUUID() }))
    .body;
  expect(chat.reply).toMatch(/^Use a stove outdoors only\..*carbon monoxide.*dishwasher/s);
});
