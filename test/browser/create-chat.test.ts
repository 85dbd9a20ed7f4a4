/** `createChat`: a chat, or several, that a page's own code starts. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { visit, watchGone } from '../support/browser.ts';
import { startFakeHelper } from '../support/fakehelper.ts';
import { useStage } from '../support/stage.ts';
import { makeSsoToken } from '../support/visitor.ts';

const stage = useStage(() =>
  startFakeHelper({
    answer: (question) => ({ pieces: [`An answer to ${question}`] }),
    pages: (path) =>
      path === '/'
        ? {
            html: `<!doctype html><title>Shop</title><script type="importmap">
              {"imports": {"porchlight/widget": "/embed.js"}}</script><main>A page.</main>`,
          }
        : undefined,
  }),
);
let page: Page;
let errors: string[];
let asked: string[];

/** Runs this as a module of the page; what it exports to `window` can be looked at. */
const run = (code: string) => page.addScriptTag({ type: 'module', content: code });
const guide = readFileSync('docs/site-owners.md', 'utf8');

beforeEach(async () => {
  const scene = await visit(stage.browser, 'about:blank');
  page = scene.page;
  errors = [];
  asked = [];
  page.on('console', (line) => line.type() === 'error' && errors.push(line.text()));
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.route('**/embed.js', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: readFileSync('dist/embed/index.js', 'utf8') }),
  );
  await page.goto(`${stage.server.here}/`);
  return () => page.context().close();
});

const chats = () => page.locator('porchlight-chat');

test('of two chats that both cover a small window each can be closed, and neither shows through the other', async () => {
  await page.setViewportSize({ width: 900, height: 700 });
  await run(`import { createChat } from 'porchlight/widget';
    const helper = '${new URL(stage.server.url).pathname}';
    window.one = createChat({ botId: 'one', helper, title: 'One' });
    window.two = createChat({ botId: 'two', helper, title: 'Two', position: 'bottom-left' });
    window.one.open();
    window.two.open();`);
  for (const index of [0, 1]) await chats().nth(index).getByRole('textbox').waitFor();
  await page.setViewportSize({ width: 450, height: 350 });
  /** Whose is what is drawn in the middle of the lower edge. */
  const readDrawn = () =>
    page.evaluate(() => {
      const all = [...document.querySelectorAll('porchlight-chat')];
      const drawn = [60, 225, 420].map((x) =>
        all.indexOf(document.elementFromPoint(x, 320) as (typeof all)[number]),
      );
      return [...new Set(drawn)].join();
    });
  // Each finds out by itself that the window is small.
  await page.locator('body[inert]').waitFor({ state: 'attached' });
  let first = Number.NaN;
  await expect
    .poll(async () => {
      const before = first;
      first = Number(await readDrawn());
      return first === before;
    })
    .toBe(true);
  expect(await page.locator('porchlight-chat[inert]').count()).toBe(0);
  expect([0, 1]).toContain(first);
  await chats().nth(first).getByRole('dialog').getByRole('button', { name: 'Close chat' }).click();
  await expect.poll(readDrawn).toBe(String(1 - first));
  // The keys are heard by the one that is left, and the page behind it by nobody.
  await expect.poll(() => page.evaluate(() => document.activeElement?.localName)).toBe('porchlight-chat');
  expect(await page.locator('body').getAttribute('inert')).toBe('');
  await page.keyboard.press('Escape');
  await expect.poll(() => page.locator('[inert]').count()).toBe(0);
  expect(await page.evaluate(() => document.documentElement.getAttribute('style'))).toBeNull();
  expect(errors).toEqual([]);
});

test('one that was destroyed is held by nothing of its page', async () => {
  await run(`import { createChat } from 'porchlight/widget';
    window.one = createChat({ botId: 'one', helper: '${new URL(stage.server.url).pathname}' });
    window.one.open();`);
  await chats().getByRole('textbox').waitFor();
  await page.evaluate(`gone = new WeakRef(document.querySelector('porchlight-chat'));
    one.destroy();
    delete window.one;`);
  await expect.poll(await watchGone(page)).toBe(true);
});

test('the guide’s lines start a chat, and nothing else is loaded before it is opened', async () => {
  const snippet = [...guide.matchAll(/^```js\n([\s\S]*?)^```$/gm)].find(([text]) =>
    text.includes('createChat'),
  );
  await run(String(snippet?.[1]));
  await chats().getByRole('button', { name: 'Open chat' }).waitFor();
  expect(asked.filter((path) => path !== '/' && path !== '/embed.js')).toEqual([]);
  await chats().getByRole('button', { name: 'Open chat' }).click();
  await chats().getByRole('textbox').fill('Anything?');
  await chats().getByRole('textbox').press('Enter');
  await chats().getByRole('article').getByText('An answer to Anything?').waitFor();
  expect(await page.evaluate('window.Porchlight')).toBeUndefined();
  expect(errors).toEqual([]);
});

test('two bots have chats of their own beside each other, and each goes with its own destroy', async () => {
  await run(`import { createChat } from 'porchlight/widget';
    const helper = '${new URL(stage.server.url).pathname}';
    window.one = createChat({ botId: 'one', helper, title: 'One' });
    window.two = createChat({ botId: 'two', helper, title: 'Two', position: 'bottom-left', starters: ['Well?'] });
    window.heard = [];
    window.two.on('answerCompleted', () => window.heard.push('two'));
    window.one.on('answerCompleted', () => window.heard.push('one'));`);
  const [one, two] = [chats().nth(0), chats().nth(1)];
  for (const [chat, name] of [
    [one, 'One'],
    [two, 'Two'],
  ] as const) {
    await chat.getByRole('button', { name: 'Open chat' }).click();
    await chat.getByRole('heading', { name }).waitFor();
    await chat.getByRole('textbox').fill(`To ${name}?`);
    await chat.getByRole('textbox').press('Enter');
    await chat.getByRole('article').getByText(`An answer to To ${name}?`).waitFor();
  }
  await expect.poll(() => page.evaluate('window.heard')).toEqual(['one', 'two']);
  expect(await one.getByText('To Two?').count()).toBe(0);
  expect(await two.getByText('To One?').count()).toBe(0);
  await page.evaluate('window.one.destroy()');
  await expect.poll(() => chats().count()).toBe(1);
  await chats().getByRole('article').getByText('An answer to To Two?').waitFor();
  // Each has its place of its own after a reload.
  await page.reload();
  await run(`import { createChat } from 'porchlight/widget';
    const helper = '${new URL(stage.server.url).pathname}';
    for (const botId of ['one', 'two']) createChat({ botId, helper });`);
  await chats().nth(1).getByRole('article').getByText('An answer to To Two?').waitFor();
  await chats().nth(0).getByRole('article').getByText('An answer to To One?').waitFor();
  expect(errors).toEqual([]);
});

test('a chat that is not told who is there, as another of its page was, says so on the console', async () => {
  await run(`import { createChat } from 'porchlight/widget';
    const helper = '${new URL(stage.server.url).pathname}';
    window.one = createChat({ botId: 'one', helper });
    window.two = createChat({ botId: 'two', helper, position: 'bottom-left' });
    window.two.open();`);
  const two = chats().nth(1);
  await two.getByRole('textbox').fill('Hello?');
  await two.getByRole('textbox').press('Enter');
  await two.getByRole('article').getByText('An answer to Hello?').waitFor();
  await page.evaluate(`window.one.identify('${makeSsoToken()}'); window.one.open()`);
  await two.getByRole('dialog').waitFor({ state: 'detached' });
  await page.evaluate('window.two.open()');
  await two.getByText('Your sign-in has ended or changed.').first().waitFor();
  expect(errors).toEqual([expect.stringContaining('not given to each chat')]);
});

test('what is wrong is said with what to do', async () => {
  await run(`import { createChat } from 'porchlight/widget';
    window.said = [{ helper: '/porchlight' }, { botId: 'one' }, { botId: 'one', helper: 'https://' }].map((options) => {
      try { createChat(options); } catch (error) { return error.message; }
    });`);
  const helper = 'createChat: helper must be the address of the helper, such as /porchlight';
  await expect
    .poll(() => page.evaluate('window.said'))
    .toEqual(['createChat: botId is missing', helper, helper]);
  expect(await chats().count()).toBe(0);
});

test('outside of a browser it says where it belongs, and importing it does nothing', async () => {
  const { createChat } = (await import('../../widget/index.ts')) as typeof import('../../widget/index.ts');
  expect(() => createChat({ botId: 'one', helper: '/porchlight' })).toThrow('call it in the browser');
});
