/** Promise 8 over all of an origin: several bots, a storage that is cleared, and pages out of the browser's cache. */
import { expect, test } from 'vitest';
import { findChat } from '../support/browser.ts';
import { readSeen, showTab, sign, watchFor } from '../support/identity-site.ts';
import { adas, bens, secret, setUpVisits } from '../support/identity-visits.ts';

const here = setUpVisits();
const { visit, chatAsAda, askAs } = here;

test.each(['/tag', '/call', '/callback'])(
  'a sign-out on the page of one bot is a sign-out in the tabs of every other, on a site of %s',
  async (path) => {
    const { page, chat } = await chatAsAda(path);
    const { page: other, chat: otherChat } = await visit('/plain?bot=juniper');
    await sign(other);
    await other.goto(`${here.site.url}${path}?bot=juniper`);
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
    await other.goto(here.site.url + path);
    await askAs(findChat(other), bens);
    await chat.show();
    if (path === '/callback') await askAs(chat, bens);
    else await chat.panel.getByText('Reload the page to go on').first().waitFor();
    expect(await readSeen(page)).toBe(0);
  },
);

/** What a page meets whose browser keeps nothing for the site. */
const storages = {
  'refuses every touch': () =>
    Object.defineProperty(window, 'localStorage', {
      get() {
        throw new DOMException('blocked', 'SecurityError');
      },
    }),
  'is full': () => {
    Storage.prototype.setItem = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
  },
};

test.each(
  (['refuses every touch', 'is full'] as const).flatMap((storage) =>
    ['/tag', '/call'].flatMap((path) =>
      (['ben', undefined] as const).map((next) => [storage, path, next] as const),
    ),
  ),
)(
  'where the storage %s, a tab of %s that was left shows and asks nothing as Ada when %s may be there',
  async (storage, path, next) => {
    await here.context.addInitScript(storages[storage]);
    const { page, chat } = await chatAsAda(path);
    await showTab(page, false);
    const { page: other } = await visit('/plain');
    await sign(other, next);
    await other.goto(here.site.url + path);
    await watchFor(page, secret);
    await showTab(page, true);
    await chat.show();
    await chat.panel.getByText('Reload the page to go on').first().waitFor();
    expect(await readSeen(page)).toBe(0);
    await page.reload();
    await askAs(chat, next ? bens : /^anonymous:/);
  },
);

/** Ada has asked on a page that the browser keeps, and has signed out on the next. */
async function leaveAsAda(path = '/tag') {
  here.site.today.isCached = true;
  const { page, chat } = await chatAsAda(path);
  await sign(page);
  await page.goto(`${here.site.url}${path}?left`);
  await chat.launcher.waitFor();
  // What notes the sign-out is loaded for it.
  await expect.poll(() => page.evaluate(() => localStorage.porchlight ?? '')).not.toContain('"who"');
  return { page, chat };
}

test.each(['/tag', '/call'])(
  'Back to a page of %s with the token of one who has signed out since opens nothing of hers',
  async (path) => {
    const { page, chat } = await leaveAsAda(path);
    const before = here.site.sessions.filter((one) => one.startsWith('email'));
    await page.goBack();
    expect(await page.content()).toContain('e30.');
    await chat.launcher.waitFor();
    // The page before may have begun as a guest, or not yet.
    await askAs(chat, /^anonymous:/);
    expect(await page.getByText(secret).count()).toBe(0);
    expect(here.site.sessions.filter((one) => one.startsWith('email'))).toEqual(before);
  },
);

test.each([undefined, 'ben'])(
  'Back to a page whose function finds Ada’s token in the browser’s cache, when %s is there now',
  async (next) => {
    const { page, chat } = await chatAsAda('/callback');
    await page.goto(`${here.site.url}/callback?account`);
    await page.getByText(secret).first().waitFor();
    await page.goto(`${here.site.url}/bare`);
    await sign(page, next);
    await page.goBack();
    await chat.panel.waitFor();
    await watchFor(page, secret);
    await askAs(chat, next ? bens : /^anonymous:/);
    expect(await readSeen(page)).toBe(0);
  },
);

test('a page out of the browser’s cache with the token of an earlier customer signs nobody out', async () => {
  const { page, chat } = await leaveAsAda();
  await sign(page, 'ben');
  const { page: bensPage, chat: bensChat } = await visit('/tag?ben');
  await askAs(bensChat, bens);
  await page.goto(`${here.site.url}/tag`);
  expect(await page.content()).toContain('data-user-token');
  // The chat was open, and is open on the next page.
  await chat.panel.getByText('Reload the page to go on').first().waitFor();
  await askAs(bensChat, bens);
  expect(await bensPage.getByText(secret).count()).toBe(0);
  // What Ben does there is no news here.
  await page.waitForTimeout(300);
  expect(await chat.panel.isVisible()).toBe(true);
});

test('a page out of the browser’s cache that says by a function who is there has the other tabs ask', async () => {
  here.site.today.isCached = true;
  const { page } = await chatAsAda('/callback');
  const { page: other } = await visit('/callback?bot=juniper');
  await other.goto(`${here.site.url}/bare`);
  await sign(other);
  await other.goto(`${here.site.url}/callback?bot=juniper`);
  expect(
    await other.evaluate(
      () => (performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming).transferSize,
    ),
  ).toBe(0);
  await expect.poll(() => page.getByText(secret).count()).toBe(0);
});

test.each([
  ['/plain', 'anonymous:1', 'anonymous:1'],
  // To clear all is what many sites do at sign-out.
  ['/tag', adas, 'anonymous:1'],
])(
  'a chat of %s that is opened once the page has cleared its storage opens at the first click',
  async (path, subject, then) => {
    const { page, chat } = await visit('/plain');
    if (subject === adas) await sign(page, 'ada');
    await page.goto(here.site.url + path);
    await chat.open();
    await askAs(chat, subject);
    await chat.launcher.click();
    await chat.panel.waitFor({ state: 'detached' });
    await page.evaluate(() => localStorage.clear());
    await chat.open();
    await askAs(chat, then, 'Still here?');
    expect((await chat.readQuestions()).at(-1)).toBe('Still here?');
  },
);

test('a guest goes on after a reload though the page has cleared what was stored', async () => {
  const { page, chat } = await visit('/plain');
  await chat.open();
  await askAs(chat, 'anonymous:1', 'One?');
  await page.evaluate(() => localStorage.clear());
  await askAs(chat, 'anonymous:1', 'Two?');
  await page.reload();
  await chat.show();
  await expect.poll(() => chat.readQuestions()).toEqual(['One?', 'Two?']);
  await askAs(chat, 'anonymous:1', 'Three?');
});

test('nothing of one who is signed in is stored again once the page has cleared it', async () => {
  const { page, chat } = await chatAsAda('/tag');
  await page.evaluate(() => localStorage.clear());
  await chat.ask('And now?');
  await chat.waitForAnswer('completed');
  await chat.composer.fill('half a question');
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toMatch(/subject|session|conversation/);
});
