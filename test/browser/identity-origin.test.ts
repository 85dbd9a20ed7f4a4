/** Promise 8 over all of an origin: several bots, a storage that is cleared, and pages out of the browser's cache. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Chat, findChat, launchBrowser } from '../support/browser.ts';
import { type IdentitySite, readSeen, sign, startIdentitySite, watchFor } from '../support/identity-site.ts';

const secret = 'my gift for Ben';

let site: IdentitySite;
let browser: Browser;
let context: BrowserContext;
beforeAll(async () => {
  [site, browser] = await Promise.all([startIdentitySite(), launchBrowser()]);
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

async function visit(path: string): Promise<{ page: Page; chat: Chat }> {
  const page = await context.newPage();
  await page.goto(site.url + path);
  const chat = findChat(page);
  await chat.launcher.waitFor();
  return { page, chat };
}

/** Ada has asked something in a tab of her own. */
async function chatAsAda(path: string) {
  const { page, chat } = await visit('/plain');
  await sign(page, 'ada');
  await page.goto(site.url + path);
  await chat.open();
  await chat.ask(secret);
  await chat.waitForAnswer('completed');
  return { page, chat };
}

async function askAs(chat: Chat, subject: string): Promise<void> {
  if (!(await chat.panel.isVisible())) await chat.open();
  await chat.ask('Who am I?');
  await chat.waitForAnswer('completed');
  expect(site.asked.at(-1)).toMatch(new RegExp(`^${subject}: Who am I`));
}

test.each(['/tag', '/call', '/callback'])(
  'a sign-out on the page of one bot is a sign-out in the tabs of every other, on a site of %s',
  async (path) => {
    const { page, chat } = await chatAsAda(path);
    const { page: other, chat: otherChat } = await visit('/plain?bot=juniper');
    await sign(other);
    await other.goto(`${site.url}${path}?bot=juniper`);
    if (path === '/callback') await expect.poll(() => page.getByText(secret).count()).toBe(0);
    else await chat.panel.waitFor({ state: 'detached' });
    await askAs(chat, 'anonymous:1');
    await askAs(otherChat, 'anonymous:2');
  },
);

test.each(['/tag', '/call', '/callback'])(
  'a site of %s that clears its storage at sign-out leaves nothing of Ada’s in another window',
  async (path) => {
    const { page, chat } = await chatAsAda(path);
    const { page: other } = await visit('/plain?bot=juniper');
    await sign(other);
    await other.evaluate(() => localStorage.clear());
    await expect.poll(() => page.getByText(secret).count()).toBe(0);
    await watchFor(page, secret);
    await sign(other, 'ben');
    await other.goto(site.url + path);
    await askAs(findChat(other), 'email:ben@shop.example');
    if (!(await chat.panel.isVisible())) await chat.open();
    if (path === '/callback') await askAs(chat, 'email:ben@shop.example');
    else await chat.panel.getByText('Reload the page to go on').first().waitFor();
    expect(await readSeen(page)).toBe(0);
  },
);

/** Ada has asked on a page that the browser keeps, and has signed out on the next. */
async function leaveAsAda() {
  site.today.isCached = true;
  const { page, chat } = await chatAsAda('/tag');
  await sign(page);
  await page.goto(`${site.url}/tag?left`);
  await chat.launcher.waitFor();
  return { page, chat };
}

test('Back to a page with the token of one who has signed out since opens nothing of hers', async () => {
  const { page, chat } = await leaveAsAda();
  const before = site.sessions.filter((one) => one.startsWith('email'));
  await page.goBack();
  expect(await page.content()).toContain('data-user-token');
  await chat.launcher.waitFor();
  // The page before may have begun as a guest, or not yet.
  await askAs(chat, 'anonymous:\\d+');
  expect(await page.getByText(secret).count()).toBe(0);
  expect(site.sessions.filter((one) => one.startsWith('email'))).toEqual(before);
});

test('a page out of the browser’s cache with the token of an earlier customer signs nobody out', async () => {
  const { page, chat } = await leaveAsAda();
  await sign(page, 'ben');
  const { page: bens, chat: bensChat } = await visit('/tag?ben');
  await askAs(bensChat, 'email:ben@shop.example');
  await page.goto(`${site.url}/tag`);
  expect(await page.content()).toContain('data-user-token');
  // The chat was open, and is open on the next page.
  await chat.panel.getByText('Reload the page to go on').first().waitFor();
  await askAs(bensChat, 'email:ben@shop.example');
  expect(await bens.getByText(secret).count()).toBe(0);
});
