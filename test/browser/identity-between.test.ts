/** A customer who signed in on a guest's browser and left again without opening the chat was there all the same. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { createGate } from '../support/gate.ts';
import { readSeen, showTab, sign, watchFor } from '../support/identity-site.ts';
import { adas, bens, secret, setUpVisits } from '../support/identity-visits.ts';

const here = setUpVisits();

test.each([
  ['/callback', 'closed'],
  ['/callback', 'dock'],
  ['/call', 'closed'],
  ['/tag', 'closed'],
])('on %s, with the chat %s, a guest’s words are not Ben’s where Ada signed in first', async (path, look) => {
  const { page, chat } = await here.visit(path);
  await chat.open();
  await here.askAs(chat, 'anonymous:1', 'Do you ship?');
  await page.keyboard.press('Escape');
  await sign(page, 'ada');
  const readTag = () => page.evaluate(() => JSON.parse(localStorage.porchlight).who);
  expect(await readTag()).toBeUndefined();
  await page.goto(here.site.url + path);
  if (look === 'dock') await page.evaluate(`Porchlight.setOpenStyle('dock')`);
  await expect.poll(readTag).toBeTypeOf('string');
  expect(here.site.sessions).toEqual(['anonymous:1']);
  await sign(page, 'ben');
  await page.goto(here.site.url + path);
  await chat.open();
  await here.askAs(chat, bens, 'Who am I?');
  expect(await chat.readQuestions()).toEqual(['Who am I?']);
});

test('on a site that says it by a function a guest’s words are still Ada’s, who signed in first', async () => {
  const { page, chat } = await here.visit('/callback');
  await chat.open();
  await here.askAs(chat, 'anonymous:1', 'Do you ship?');
  await page.keyboard.press('Escape');
  await sign(page, 'ada');
  await page.goto(`${here.site.url}/callback`);
  await chat.open();
  await here.askAs(chat, adas, 'Who am I?');
  expect(await chat.readQuestions()).toEqual(['Do you ship?', 'Who am I?']);
});

test('what Ada sent before her page had named her is not Ben’s draft, though no session came before she signed out', async () => {
  const { page, chat } = await here.visit('/plain');
  const token = await sign(page, 'ada');
  here.site.today.sessionGate = createGate();
  await chat.open();
  await chat.ask(secret);
  await chat.waitForAnswer('sending');
  await page.evaluate((value) => {
    (window as unknown as { Porchlight: { identify(token: string): void } }).Porchlight.identify(value);
  }, token);
  await sign(page);
  await page.goto(`${here.site.url}/plain?out`);
  await sign(page, 'ben');
  here.site.today.sessionGate = undefined;
  await page.goto(`${here.site.url}/call`);
  await chat.show();
  await expect.poll(() => here.site.sessions.at(-1)).toBe(bens);
  await chat.panel.getByText('Hello there.').waitFor();
  expect(await chat.composer.inputValue()).toBe('');
  await here.askAs(chat, bens);
  expect(await chat.readQuestions()).toEqual(['Who am I?']);
});

test.each([
  ['a reload', secret],
  ['another page', ''],
] as const)(
  'what was sent before a function had named anybody is on %s the draft "%s"',
  async (way, draft) => {
    const { page, chat } = await here.visit('/callback');
    await sign(page, 'ada');
    const gate = createGate();
    here.site.today.tokenGate = gate;
    await chat.open();
    await chat.ask(secret);
    await chat.waitForAnswer('sending');
    here.site.today.tokenGate = undefined;
    await sign(page);
    if (way === 'a reload') await page.reload();
    else await page.goto(`${here.site.url}/callback?another`);
    gate.open();
    await expect.poll(() => here.site.sessions).toEqual(['anonymous:1']);
    await expect.poll(() => chat.composer.inputValue()).toBe(draft);
    await here.askAs(chat, /^anonymous/, 'Anything?');
    expect(here.site.asked).toHaveLength(1);
  },
);

test('what Ben types into a bar that had the focus before he came is out of Ada’s sight, though he clicked nowhere', async () => {
  const { page, chat } = await here.visit('/callback');
  await sign(page, 'ada');
  await page.evaluate(`Porchlight.setOpenStyle('dock')`);
  await chat.composer.click();
  await expect.poll(() => here.site.sessions).toEqual([adas]);
  const comeBackAs = async (user: string) => {
    await showTab(page, false);
    await sign(page);
    await sign(page, user);
    await watchFor(page, secret);
    const asked = page.waitForResponse(/\/token$/);
    await showTab(page, true);
    return asked;
  };
  await comeBackAs('ben');
  await page.evaluate(() => new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then))));
  await page.keyboard.type(secret);
  expect(await chat.composer.inputValue()).toBe(secret);
  await expect.poll(() => here.site.sessions).toEqual([adas, bens]);
  await page.locator('#field').click();
  await comeBackAs('ada');
  await expect.poll(() => chat.composer.inputValue()).toBe('');
  expect(await readSeen(page)).toBe(0);
  await here.askAs(chat, adas);
});

test.each(['/tag', '/call'])(
  'whom %s named before any session came is not a guest on a page from before',
  async (path) => {
    const before = await here.visit('/plain');
    await sign(before.page, 'ben');
    await here.context.route('**/porchlight/session', (route) => route.abort());
    const { page, chat } = await here.visit(path);
    await chat.open();
    await chat.ask(secret);
    await chat.waitForAnswer('sending');
    await page.close();
    await here.context.unroute('**/porchlight/session');
    await before.chat.open();
    await before.chat.panel.getByText('Your sign-in has ended').first().waitFor();
    expect(here.site.sessions).toEqual([]);
  },
);

test.each(['/tag', '/call'])(
  'on %s, where a service worker makes the pages, who signed out is gone from all tabs',
  async (path) => {
    const { page, chat } = await here.visit(path);
    await startWorker(page, '/worker.js');
    await sign(page, 'ada');
    await page.goto(here.site.url + path);
    await chat.open();
    await here.askAs(chat, adas, secret);
    const other = await here.visit(path);
    await other.chat.show();
    await expect.poll(() => other.chat.readQuestions()).toEqual([secret]);
    await sign(page);
    await page.goto(here.site.url + path);
    await chat.show();
    await here.askAs(chat, /^anonymous/);
    expect(await chat.readQuestions()).toEqual(['Who am I?']);
    await expect.poll(() => readWords(other.page)).not.toContain(secret);
  },
);

test('where a service worker makes the pages, who signs in again is no guest, though the site’s clock is behind', async () => {
  here.site.today.behindMs = 60_000;
  const { page, chat } = await here.visit('/tag');
  await startWorker(page, '/worker.js');
  await sign(page, 'ada');
  await page.goto(`${here.site.url}/tag`);
  await here.askAs(chat, adas, secret);
  await sign(page);
  await page.goto(`${here.site.url}/tag?out`);
  await chat.launcher.waitFor();
  // Tokens have whole seconds.
  await page.waitForTimeout(1_500);
  await sign(page, 'ada');
  await page.goto(`${here.site.url}/tag?in`);
  await here.askAs(chat, adas);
});

test.each(['no', 'a'])(
  'with %s service worker, Back to a page from before somebody signed in signs nobody out',
  async (which) => {
    const { page } = await here.visit('/tag');
    if (which === 'a') await startWorker(page, '/picture-worker.js');
    here.site.today.isCached = true;
    await page.goto(`${here.site.url}/tag?before`);
    await sign(page, 'ada');
    await page.goto(`${here.site.url}/tag?in`);
    const other = await here.visit('/tag?other');
    await here.askAs(other.chat, adas, secret);
    await page.bringToFront();
    await page.goBack();
    await page.waitForFunction(() => location.search === '?before' && document.readyState === 'complete');
    await page.waitForTimeout(500);
    await other.page.bringToFront();
    expect(await other.chat.readQuestions()).toEqual([secret]);
    await here.askAs(other.chat, adas);
  },
);

test.each([
  ['/tag', 'typed', 'closed'],
  ['/tag', 'sent', 'open'],
  ['/call', 'typed', 'open'],
  ['/call', 'sent', 'closed'],
])(
  'what a guest on %s has %s before a session came is not Ben’s draft, where Ada signed in between, the chat %s',
  async (path, how, panel) => {
    const { page, chat } = await here.visit(path);
    const gate = createGate();
    here.site.today.sessionGate = gate;
    await chat.open();
    await chat.composer.fill(secret);
    if (how === 'sent') await chat.composer.press('Enter');
    await expect.poll(() => page.evaluate(() => JSON.stringify(sessionStorage))).toContain(secret);
    if (panel === 'closed') {
      await chat.composer.press('Escape');
      await chat.panel.waitFor({ state: 'detached' });
    }
    await sign(page, 'ada');
    await page.goto(here.site.url + path);
    await expect.poll(() => page.evaluate(() => localStorage.porchlight)).toContain('"who"');
    await sign(page);
    await page.goto(`${here.site.url}${path}?out`);
    await expect.poll(() => page.evaluate(() => localStorage.porchlight)).not.toContain('"who"');
    gate.open();
    here.site.today.sessionGate = undefined;
    await sign(page, 'ben');
    await page.goto(`${here.site.url}${path}?in`);
    await chat.show();
    await chat.panel.getByText('Hello there.').waitFor();
    expect(await chat.composer.inputValue()).toBe('');
    await here.askAs(chat, bens);
    expect(await chat.readQuestions()).toEqual(['Who am I?']);
  },
);

const startWorker = (page: Page, file: string) =>
  page.evaluate(async (url) => {
    await navigator.serviceWorker.register(url);
    await navigator.serviceWorker.ready;
  }, file);

const readWords = (page: Page) =>
  page.evaluate(() => document.querySelector('porchlight-chat')!.shadowRoot!.textContent);
