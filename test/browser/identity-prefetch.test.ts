/** A page that the browser fetched before it was wanted says what was so then. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { readSeen, sign, watchFor } from '../support/identity-site.ts';
import { adas, bens, secret, setUpVisits } from '../support/identity-visits.ts';

const here = setUpVisits();
const { visit, chatAsAda, askAs } = here;

/** The page has a link to this one, and has it fetched already. */
async function prefetch(page: Page, url: string): Promise<void> {
  const asked = page.waitForResponse((response) => response.url().endsWith(url));
  await page.evaluate((to) => {
    const rules = document.createElement('script');
    rules.type = 'speculationrules';
    rules.textContent = JSON.stringify({
      prefetch: [{ source: 'list', urls: [to], eagerness: 'immediate' }],
    });
    const link = Object.assign(document.createElement('a'), { href: to, id: 'next', textContent: 'Next' });
    document.head.append(rules);
    document.body.append(link);
  }, url);
  await Promise.race([asked, page.waitForTimeout(1_000)]);
}

async function follow(page: Page): Promise<void> {
  await page.locator('#next').click();
  await page.waitForURL(/next/);
  const how = await page.evaluate(
    () => (performance.getEntriesByType('navigation')[0] as { deliveryType?: string }).deliveryType,
  );
  expect(how).toBe('navigational-prefetch');
}

describe.each(['/tag', '/call'])('on %s', (path) => {
  test('Ada’s token of before asks nothing as her once Ben is there', async () => {
    const { page, chat } = await chatAsAda(path);
    await prefetch(page, `${path}?next`);
    // A token's time has whole seconds.
    await page.waitForTimeout(1_100);
    const { page: other, chat: second } = await visit('/plain');
    await sign(other, 'ben');
    await other.goto(here.site.url + path);
    await askAs(second, bens, 'From Ben');
    await page.bringToFront();
    await follow(page);
    await chat.show();
    await chat.panel.getByText('Reload the page to go on').first().waitFor();
    await chat.ask('Who am I?');
    await page.reload();
    await chat.show();
    // It comes back with the session, before what was typed meanwhile.
    await expect.poll(() => chat.composer.inputValue()).toBe('Who am I?');
    await askAs(chat, bens, 'And now?');
    expect(here.site.asked.filter((line) => line.startsWith(adas))).toEqual([`${adas}: ${secret}`]);
    await other.bringToFront();
    await expect.poll(() => second.readQuestions()).toContain('And now?');
  });

  test('a guest’s page of before signs Ada out nowhere', async () => {
    const { page: before } = await visit('/plain');
    await sign(before, 'ben');
    await before.goto(here.site.url + path);
    await sign(before);
    await before.goto(here.site.url + path);
    await prefetch(before, `${path}?next`);
    const { page, chat } = await chatAsAda(path);
    await before.bringToFront();
    await follow(before);
    await page.bringToFront();
    await watchFor(page, secret);
    await expect.poll(() => readSeen(page)).toBeGreaterThan(0);
    await askAs(chat, adas, 'Still me?');
  });
});
