/** What a page's own calls ask for is for whoever was there when they were made, however late the app comes. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { PorchlightApi } from '../../widget/public.ts';
import { createGate } from '../support/gate.ts';
import { sign } from '../support/identity-site.ts';
import { adas, bens, setUpVisits } from '../support/identity-visits.ts';

const here = setUpVisits();
const question = 'Where is the gift for her?';

/** Calls the method, and says before the app is there who has come; nobody without a token. */
const callAndSwitch = (page: Page, method: 'send' | 'prefill', token?: string) =>
  page.evaluate(
    ([text, name, next]) => {
      const { Porchlight } = window as unknown as { Porchlight: PorchlightApi };
      Porchlight[name as 'send'](text as string);
      if (next) Porchlight.identify(next);
      else Porchlight.logout();
    },
    [question, method, token],
  );

test.each([
  ['/call', 'send', 'ada'],
  ['/call', 'send', undefined],
  ['/call', 'prefill', 'ada'],
  ['/call', 'prefill', undefined],
  ['/callback', 'send', undefined],
] as const)(
  'on %s, %s() as Ben is dropped where %s is there before the app is',
  async (path, method, next) => {
    const { page: other } = await here.visit('/plain');
    await sign(other, 'ben');
    const mayLoad = createGate();
    await here.context.route(/\/widget\/app-/, async (route) => {
      await mayLoad.opened;
      await route.continue();
    });
    const { page, chat } = await here.visit(path);
    const token = await sign(page, next);
    await callAndSwitch(page, method, next && token);
    mayLoad.open();
    // Calls are carried out in their order.
    await page.evaluate(`Porchlight.prefill('More.')`);
    await expect.poll(() => chat.composer.inputValue()).toContain('More.');
    expect(await chat.composer.inputValue()).toBe('More.');
    await here.askAs(chat, next ? adas : /^anonymous/);
    expect(here.site.asked.join()).not.toContain(question);
  },
);

test('send() is of a guest who signs in right after it, and of the customer whose token is renewed', async () => {
  const { page, chat } = await here.visit('/call');
  const token = await sign(page, 'ben');
  await callAndSwitch(page, 'send', token);
  await chat.waitForAnswer('completed');
  expect(here.site.asked).toEqual([`${bens}: ${question}`]);
  await page.reload();
  await callAndSwitch(page, 'send', await sign(page, 'ben'));
  await expect.poll(() => here.site.asked).toEqual([`${bens}: ${question}`, `${bens}: ${question}`]);
});
