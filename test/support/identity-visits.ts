/** What the tests of identity in a browser share: the site, a browser of its own for each test, and Ada, who has asked. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { type Chat, findChat, launchBrowser } from './browser.ts';
import { type IdentitySite, sign, startIdentitySite } from './identity-site.ts';

export const secret = 'my gift for Ben';
export const adas = 'email:ada@shop.example';
export const bens = 'email:ben@shop.example';

/** Sets up the tests of the file that calls it. */
export function setUpVisits(options?: Parameters<typeof launchBrowser>[0]) {
  let site: IdentitySite;
  let browser: Browser;
  let context: BrowserContext;
  beforeAll(async () => {
    [site, browser] = await Promise.all([startIdentitySite(), launchBrowser(options)]);
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await site?.stop();
  });
  beforeEach(async () => {
    site.reset();
    context = await browser.newContext();
  });
  afterEach(() => context?.close());

  /** A new tab. */
  async function visit(path: string): Promise<{ page: Page; chat: Chat }> {
    const page = await context.newPage();
    await page.goto(site.url + path);
    const chat = findChat(page);
    await chat.launcher.waitFor();
    return { page, chat };
  }
  return {
    get site() {
      return site;
    },
    get context() {
      return context;
    },
    visit,
    /** Ada has asked something in a tab of her own. */
    async chatAsAda(path: string) {
      const { page, chat } = await visit('/plain');
      await sign(page, 'ada');
      await page.goto(site.url + path);
      await chat.open();
      await chat.ask(secret);
      await chat.waitForAnswer('completed');
      expect(site.asked).toEqual([`${adas}: ${secret}`]);
      return { page, chat };
    },
    /** Asks, and expects that the helper heard it as this one's. */
    async askAs(chat: Chat, subject: string | RegExp, question = 'Who am I?'): Promise<void> {
      await chat.show();
      await chat.ask(question);
      await chat.waitForAnswer('completed');
      const [by, asked] = site.asked.at(-1)!.split(': ');
      expect(asked).toBe(question);
      expect(by).toMatch(subject);
    },
  };
}
