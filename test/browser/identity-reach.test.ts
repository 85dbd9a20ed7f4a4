/** What was out of reach while a tab was looked at again and is there once more is not said to be out of reach. */
import { expect, test } from 'vitest';
import { showTab } from '../support/identity-site.ts';
import { adas, secret, setUpVisits } from '../support/identity-visits.ts';

const here = setUpVisits();

test('a page whose function answers again for the same customer has no word left of its failure', async () => {
  const { page, chat } = await here.chatAsAda('/callback');
  const failure = chat.panel.getByText('The chat cannot be reached right now').first();
  here.site.today.tokenIs = 'broken';
  await showTab(page, false);
  await showTab(page, true);
  await failure.waitFor();
  here.site.today.tokenIs = 'good';
  await expect.poll(() => failure.count()).toBe(0);
  expect(await chat.readQuestions()).toEqual([secret]);
  await here.askAs(chat, adas);
});
