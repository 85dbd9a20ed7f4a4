/** The page on which one asks is meant where "this" is said, and not where a thing is named or the matter is another. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSite } from '../support/questions.ts';

let shop: Awaited<ReturnType<typeof startSite>>;
beforeAll(async () => {
  shop = await startSite('shop');
});
afterAll(() => shop.close());

test.each([
  ['How much is the Skylark 2?', ['$389'], ['$45']],
  ['How much is the Skylark 2, and how heavy is it?', ['$389', '1.92 kg'], ['$45']],
  ['Any jobs going at the moment?', ['found nothing'], []],
])('%s', async (question, facts, never) => {
  const metadata = { page: { url: `${shop.url}/care.html` } };
  const { chat } = (await shop.client.chat(question, { chat_id: crypto.randomUUID(), metadata })).body;
  for (const fact of facts) expect(chat.reply).toContain(fact);
  for (const other of never) expect(chat.reply).not.toContain(other);
});
