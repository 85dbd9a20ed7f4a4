/** Who is there, where the chat stands in a page's own layout: its attribute is said when the page is read, and once. */
import type { BrowserContext, Page } from 'playwright-core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findChat } from '../support/browser.ts';
import { createGate } from '../support/gate.ts';
import { startIdentitySite } from '../support/identity-site.ts';
import { useStage } from '../support/stage.ts';

const stage = useStage(startIdentitySite);
let context: BrowserContext;
/** What stands in the pages, by path. */
let bodies: Record<string, string>;

/** A token of this customer, made so many seconds from now. */
function toToken(user: string, inSeconds: number): string {
  const claims = { email: `${user}@shop.example`, jti: 999, iat: Math.floor(Date.now() / 1000) + inSeconds };
  return `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.e30`;
}
const toWho = (asked: string) =>
  asked.replace('email:ada@shop.example', 'ada').replace(/^anonymous:\d+/, 'guest');
const toBox = (token?: string) =>
  `<porchlight-chat bot-id="vesper" ${token ? `user-token="${token}"` : ''}></porchlight-chat>`;

beforeEach(async () => {
  stage.server.reset();
  context = await stage.browser.newContext({ viewport: { width: 1000, height: 800 } });
  await context.route(
    ({ pathname }) => pathname in bodies,
    (route) =>
      route.fulfill({
        contentType: 'text/html',
        headers: { 'cache-control': 'no-store' },
        body: `<!doctype html><html lang="en"><head><title>Help</title><link rel="icon" href="data:,"><script src="/turbo.js"></script>
          <script async src="/porchlight/widget/inline.js"></script></head><body>${bodies[new URL(route.request().url()).pathname]}</body></html>`,
      }),
  );
});
afterEach(() => context.close());

async function come(path: string, before?: () => void) {
  const page = await context.newPage();
  if (before) await page.addInitScript(before);
  await page.goto(stage.server.url + path);
  return { page, chat: findChat(page) };
}

/** As a page of tabs or dialogs does. */
const takeOffAndPutBack = (page: Page, selector: string) =>
  page.evaluate(async (which) => {
    const element = document.querySelector(which)!;
    element.remove();
    await new Promise((resolve) => setTimeout(resolve, 50));
    document.querySelector('main')!.append(element);
  }, selector);

test.each([
  ['below the fold', (box: string) => `<div style="height:4000px"></div>${box}`],
  ['in closed details', (box: string) => `<details><summary>Help</summary>${box}</details>`],
])('%s: a sign-out since the page was read stands', async (_, around) => {
  const ada = toToken('ada', -60);
  bodies = { '/far': around(toBox(ada)), '/one': toBox(ada), '/nobody': toBox() };
  const far = await come('/far');
  const other = await come('/one');
  await other.chat.ask('Secret of Ada');
  await other.chat.waitForAnswer('completed');
  await other.page.evaluate('document.querySelector("porchlight-chat").chat.logout()');
  await other.page.goto(`${stage.server.url}/nobody`);
  await other.chat.ask('Of a guest');
  await other.chat.waitForAnswer('completed');
  await far.page.bringToFront();
  await far.page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true;
    document.querySelector('porchlight-chat')?.scrollIntoView();
  });
  await far.chat.ask('In the old tab');
  await far.chat.waitForAnswer('completed');
  expect(stage.server.asked.map(toWho)).toEqual([
    'ada: Secret of Ada',
    'guest: Of a guest',
    'guest: In the old tab',
  ]);
});

test('a sign-out stands when the box is taken off and put back', async () => {
  bodies = { '/one': `<main>${toBox(toToken('ada', -60))}</main>` };
  const { page, chat } = await come('/one');
  await chat.ask('Of Ada');
  await chat.waitForAnswer('completed');
  await page.evaluate('document.querySelector("porchlight-chat").chat.logout()');
  await expect.poll(() => chat.questions.count()).toBe(0);
  await takeOffAndPutBack(page, 'porchlight-chat');
  await chat.ask('Of nobody');
  await chat.waitForAnswer('completed');
  expect(stage.server.asked.map(toWho)).toEqual(['ada: Of Ada', 'guest: Of nobody']);
});

test('one whose container leaves the page goes on when that comes back', async () => {
  bodies = { '/one': `<main><section>${toBox()}</section></main>` };
  const { page, chat } = await come('/one');
  await chat.ask('Anything?');
  await chat.waitForAnswer('completed');
  await takeOffAndPutBack(page, 'section');
  await chat.waitForAnswer('completed');
  expect(await chat.readQuestions()).toEqual(['Anything?']);
});

test('with Turbo it is there again at Back', async () => {
  bodies = { '/one': `<h1>one</h1>${toBox()}`, '/two': '<h1>two</h1>' };
  const { page, chat } = await come('/one');
  await chat.ask('Anything?');
  await chat.waitForAnswer('completed');
  await page.evaluate('Turbo.visit("/two")');
  await page.getByRole('heading', { name: 'two' }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: 'one' }).waitFor();
  await chat.waitForAnswer('completed');
  expect(await chat.readQuestions()).toEqual(['Anything?']);
  expect(await page.locator('porchlight-chat').count()).toBe(1);
});

test('a box without a token signs nobody out where the page’s tag has one, and is for the same', async () => {
  const ada = toToken('ada', 0);
  const tag = `<script async src="/porchlight/widget/loader.js" data-bot-id="vesper" data-user-token="${ada}"></script>`;
  bodies = { '/shop': tag, '/help': `${tag}<main>${toBox()}</main>` };
  const { page, chat } = await come('/shop');
  await chat.show();
  await chat.ask('Where is my order?');
  await chat.waitForAnswer('completed');
  await chat.button('Close chat').click();
  // The box speaks after the tag.
  await page.route('**/inline.js', async (route) => {
    await page.waitForFunction('window.Porchlight?.identify');
    await route.continue();
  });
  await page.goto(`${stage.server.url}/help`);
  const readWho = () => page.evaluate(() => JSON.parse(localStorage.porchlight).who);
  await page.locator('main porchlight-chat textarea').waitFor();
  expect(await readWho()).toBeTypeOf('string');
  expect(stage.server.asked.map(toWho)).toEqual(['ada: Where is my order?']);
  const box = page.locator('main porchlight-chat');
  await box.locator('textarea').fill('And when?');
  await box.locator('textarea').press('Enter');
  await expect
    .poll(() => stage.server.asked.map(toWho))
    .toEqual(['ada: Where is my order?', 'ada: And when?']);
});

test('of a box nothing says that a window is open, at no moment', async () => {
  bodies = { '/help': `<main>${toBox()}</main>` };
  const { page, chat } = await come('/help', () => {
    const { setItem } = Storage.prototype;
    Object.assign(window, { kept: [] });
    Storage.prototype.setItem = function (name: string, value: string) {
      (window as unknown as { kept: string[] }).kept.push(value);
      setItem.call(this, name, value);
    };
  });
  await chat.ask('Anything?');
  await chat.waitForAnswer('completed');
  const kept = await page.evaluate(() => (window as unknown as { kept: string[] }).kept);
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.filter((value) => value.includes('"open":true'))).toEqual([]);
});

test.each([
  ['bot-id first', (token: string) => `bot-id="vesper" user-token="${token}"`, false],
  ['user-token first', (token: string) => `user-token="${token}" bot-id="vesper"`, false],
  ['a token that a script renews', (token: string) => `bot-id="vesper" user-token="${token}"`, true],
])(
  'a page without a token is a sign-out where one was written before: %s',
  async (_, toAttributes, renews) => {
    const far = `<div style="height:4000px"></div>${toBox()}`;
    bodies = {
      '/one': `<porchlight-chat ${toAttributes(toToken('ada', -60))}></porchlight-chat>`,
      '/nobody': far,
    };
    const { page, chat } = await come('/one');
    await chat.ask('Secret of Ada');
    await chat.waitForAnswer('completed');
    if (renews)
      await page.evaluate(
        (token) => document.querySelector('porchlight-chat')!.setAttribute('user-token', token),
        toToken('ada', 0),
      );
    await come('/nobody');
    await expect.poll(() => chat.questions.count()).toBe(0);
    await chat.ask('Of a guest');
    await expect
      .poll(() => stage.server.asked.map(toWho))
      .toEqual(['ada: Secret of Ada', 'guest: Of a guest']);
  },
);

test('a box that is there before the page’s tag signs nobody out', async () => {
  const tag = (token: string) =>
    `<script async src="/porchlight/widget/loader.js" data-bot-id="vesper" data-user-token="${token}"></script>`;
  bodies = {
    '/shop': tag(toToken('ada', -60)),
    '/slow': `<main>${toBox()}</main><script src="/slow.js"></script>${tag(toToken('ada', 0))}`,
  };
  const shop = await come('/shop');
  await shop.chat.show();
  await shop.chat.ask('Where is my order?');
  await shop.chat.waitForAnswer('completed');
  const gate = createGate();
  await context.route('**/slow.js', async (route) => {
    await gate.opened;
    await route.fulfill({ contentType: 'text/javascript', body: '' });
  });
  const page = await context.newPage();
  const gone = page.goto(`${stage.server.url}/slow`);
  const box = page.locator('main porchlight-chat');
  // It is a chat by then, and has had time to speak.
  await expect.poll(() => box.evaluate((element) => element.shadowRoot !== null)).toBe(true);
  await page.waitForTimeout(300);
  gate.open();
  await gone;
  await box.locator('textarea').fill('And when?');
  await box.locator('textarea').press('Enter');
  await expect
    .poll(() => stage.server.asked.map(toWho))
    .toEqual(['ada: Where is my order?', 'ada: And when?']);
  expect(await shop.chat.readQuestions()).toContain('Where is my order?');
});

test('a box that comes after a sign-out is not for whom the page’s tag still names', async () => {
  const tag = `<script async src="/porchlight/widget/loader.js" data-bot-id="vesper" data-user-token="${toToken('ada', -60)}"></script>`;
  bodies = { '/shop': `${tag}<main></main>` };
  const { page, chat } = await come('/shop');
  await chat.show();
  await chat.ask('Secret of Ada');
  await chat.waitForAnswer('completed');
  await page.evaluate('Porchlight.close(); Porchlight.logout()');
  await page.evaluate((html) => {
    document.querySelector('main')!.innerHTML = html;
  }, toBox());
  const box = page.locator('main porchlight-chat');
  await box.locator('textarea').fill('Of a guest');
  await box.locator('textarea').press('Enter');
  await expect.poll(() => stage.server.asked.map(toWho)).toEqual(['ada: Secret of Ada', 'guest: Of a guest']);
});

test('a box of an old page that a script puts back brings nobody back who has signed out since', async () => {
  const ada = toBox(toToken('ada', -60));
  bodies = { '/one': `<main>${ada}</main>`, '/nobody': toBox() };
  const { page, chat } = await come('/one');
  await chat.ask('Secret of Ada');
  await chat.waitForAnswer('completed');
  await page.evaluate(() => {
    document.querySelector('main')!.innerHTML = '';
  });
  const other = await come('/nobody');
  await other.page.evaluate('document.querySelector("porchlight-chat").chat.logout()');
  await expect.poll(() => page.evaluate(() => localStorage.porchlight)).not.toContain('"who"');
  await page.evaluate((html) => {
    document.querySelector('main')!.innerHTML = html;
  }, ada);
  await chat.ask('Of a guest');
  await expect.poll(() => stage.server.asked.map(toWho)).toEqual(['ada: Secret of Ada', 'guest: Of a guest']);
});

test.each(['of the page’s tag', 'of nobody'])(
  'with Turbo a box without a token that is put back at Back says again what it said: %s',
  async (whose) => {
    const tag = (token: string) =>
      `<script async src="/porchlight/widget/loader.js" data-bot-id="vesper" data-user-token="${token}"></script>`;
    const ada = tag(toToken('ada', -60));
    const [before, after] = whose === 'of nobody' ? ['', ada] : [ada, ada];
    bodies = { '/help': `<h1>help</h1>${before}<main>${toBox()}</main>`, '/shop': `<h1>shop</h1>${after}` };
    const { page } = await come('/help');
    const visit = async (how: () => Promise<unknown>, heading: string) => {
      await how();
      await page.getByRole('heading', { name: heading }).waitFor();
    };
    const box = page.locator('main porchlight-chat');
    await box.locator('textarea').fill('Before?');
    await box.locator('textarea').press('Enter');
    await expect.poll(() => stage.server.asked.length).toBe(1);
    await visit(() => page.evaluate('Turbo.visit("/shop")'), 'shop');
    const readWho = () => page.evaluate(() => JSON.parse(localStorage.porchlight).who);
    await expect.poll(readWho).toBeTypeOf('string');
    await visit(() => page.goBack(), 'help');
    await box.locator('textarea').waitFor();
    // It has had time to speak.
    await page.waitForTimeout(300);
    expect(await readWho()).toBeTypeOf('string');
    expect(await box.locator('textarea').count()).toBe(1);
  },
);
