/** Clause 28: a page with the tag on it costs its visitor nothing before the chat is used. */
import type { Browser, BrowserContext, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findChat, launchBrowser } from '../support/browser.ts';
import { type FakeHelper, startFakeHelper, toPage } from '../support/fakehelper.ts';

/** Long enough for what a script does after the page has loaded. */
const quietMs = 300;

let helper: FakeHelper;
let browser: Browser;
beforeAll(async () => {
  helper = await startFakeHelper({
    answer: () => ({ pieces: ['An answer.'] }),
    // A proxy in between may be late, too.
    closingMs: 100,
    pages: (path, url) => {
      if (path === '/normal') return { html: toPage(url) };
      return path === '/dock' ? { html: toPage(url, 'dock') } : undefined;
    },
  });
  browser = await launchBrowser();
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await helper?.stop();
});

/** Names of everything that the browser keeps of this site. */
async function readKept(context: BrowserContext, page: Page): Promise<string[]> {
  const ofPage = await page.evaluate(async () => [
    ...Object.keys(localStorage),
    ...Object.keys(sessionStorage),
    ...(await indexedDB.databases()).map(({ name }) => String(name)),
    ...(await caches.keys()),
    ...(await navigator.serviceWorker.getRegistrations()).map(({ scope }) => scope),
  ]);
  return [...ofPage, ...(await context.cookies()).map(({ name }) => name)];
}

/** Opens the page and gives what was asked of the helper once nothing more is. */
async function load(path: string) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const fetched: string[] = [];
  page.on('request', (request) => {
    if (request.url().startsWith(helper.url)) fetched.push(request.url().slice(helper.url.length));
  });
  await page.goto(helper.here + path, { waitUntil: 'networkidle' });
  return { context, page, chat: findChat(page), fetched };
}

test('clause 28: in normal style only the loader is fetched and nothing is kept before the launcher is used', async () => {
  const { context, page, chat, fetched } = await load('/normal');
  await chat.launcher.waitFor();
  await page.mouse.move(200, 200);
  await page.mouse.wheel(0, 200);
  await page.waitForTimeout(quietMs);
  expect(fetched.map((path) => path.replace(/^\/widget\/loader[\w-]*\.js$/, 'loader'))).toEqual(['loader']);
  expect(await readKept(context, page)).toEqual([]);

  await chat.open();
  await chat.ask('Hello');
  await chat.waitForAnswer('completed');
  expect(fetched.filter((path) => path === '/session')).toHaveLength(1);
  expect(await context.cookies()).toEqual([]);
  await context.close();
});

test('clause 28: in dock style only files are fetched and nothing is kept before the dock is used', async () => {
  const { context, page, chat, fetched } = await load('/dock');
  await chat.dock.waitFor();
  await page.waitForTimeout(quietMs);
  for (const path of fetched) expect(path).toMatch(/^\/widget\/[\w-]+\.js$/);
  expect(await readKept(context, page)).toEqual([]);

  await chat.ask('Hello');
  await chat.waitForAnswer('completed');
  expect(fetched.filter((path) => path === '/session')).toHaveLength(1);
  expect(await context.cookies()).toEqual([]);
  await context.close();
});

test('the page keeps the focus, its size and its globals when the widget arrives', async () => {
  const { context, page } = await load('/normal');
  const after = await page.evaluate(() => ({
    focused: document.activeElement?.localName,
    height: document.documentElement.scrollHeight <= innerHeight,
    width: document.documentElement.scrollWidth <= innerWidth,
    styles:
      document.querySelectorAll('style, link[rel="stylesheet"]').length + document.adoptedStyleSheets.length,
    global: typeof (window as { Porchlight?: object }).Porchlight,
  }));
  expect(after).toEqual({ focused: 'body', height: true, width: true, styles: 0, global: 'object' });
  await context.close();
});

test('who counts the requests of a page that fail counts none of an answer that is whole', async () => {
  const { context, page, chat } = await load('/normal');
  const ended: string[] = [];
  const note = (how: string) => (request: Request) =>
    request.url().includes('/turns/') && ended.push(`${request.method()} ${how}`);
  page.on('requestfinished', note('finished'));
  page.on('requestfailed', note('failed'));
  await chat.open();
  for (const count of [1, 2, 3]) {
    await chat.ask('A question?');
    await expect.poll(() => ended).toEqual(Array.from({ length: count }, () => 'PUT finished'));
  }
  await context.close();
});
