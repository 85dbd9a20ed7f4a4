/** `<porchlight-chat>` that a page has written into its own layout: by the script, and by a page's own bundle. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { type findChat, visit, watchGone } from '../support/browser.ts';
import { startFakeHelper } from '../support/fakehelper.ts';
import { createGate } from '../support/gate.ts';
import { useStage } from '../support/stage.ts';

const turbo = readFileSync('node_modules/@hotwired/turbo/dist/turbo.es2017-umd.js', 'utf8');

/** What stands in the page, by test. */
let body = '';
/** Turbo is in one test alone. */
const head =
  '<meta name="turbo-refresh-method" content="morph"><meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><title>Help</title>';

const stage = useStage(() =>
  startFakeHelper({
    answer: (question) => ({ pieces: [`An answer to ${question}`] }),
    starters: ['Well?'],
    pages: (path, helper) =>
      path === '/'
        ? {
            html: `<!doctype html><html lang="en"><head>${head}<script async src="${helper}/widget/inline.js"></script></head><body>${body}</body></html>`,
          }
        : undefined,
  }),
);
let page: Page;
let chat: ReturnType<typeof findChat>;
let errors: string[];
let asked: string[];

beforeEach(async () => {
  const scene = await visit(stage.browser, 'about:blank', { viewport: { width: 1000, height: 700 } });
  page = scene.page;
  chat = scene.chat;
  errors = [];
  asked = [];
  page.on('console', (line) => line.type() === 'error' && errors.push(line.text()));
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  return () => page.context().close();
});

const open = async (html: string) => {
  body = html;
  await page.goto(`${stage.server.here}/`);
};
const box = '<porchlight-chat bot-id="vesper" title="Ask us"></porchlight-chat>';
const element = () => page.locator('porchlight-chat');
const app = () => asked.filter((path) => path.includes('/app-'));

test('it fills its box, takes no focus, cannot be closed, and answers', async () => {
  await open(`<input id="own" autofocus><main style="width:640px;height:480px">
    <porchlight-chat bot-id="vesper" data-title="Ask us" style="height:100%"></porchlight-chat></main>`);
  await chat.composer.waitFor();
  expect(await chat.panel.boundingBox()).toEqual(await page.locator('main').boundingBox());
  await chat.panel.getByRole('heading', { name: 'Ask us' }).waitFor();
  expect(await page.evaluate('document.activeElement.id')).toBe('own');
  expect(await page.getByRole('button', { name: 'Close chat' }).count()).toBe(0);
  expect(await chat.launcher.count()).toBe(0);
  await chat.ask('Anything?');
  await element().getByRole('article').getByText('An answer to Anything?').waitFor();
  await page.keyboard.press('Escape');
  await page.evaluate('document.querySelector("porchlight-chat").chat.close()');
  await element().getByRole('article').getByText('An answer to Anything?').waitFor();
  expect(errors).toEqual([]);
});

test('what was written while its box was hidden is there, in all its lines, once it is shown', async () => {
  await open(
    `<button onclick="tab.hidden = !tab.hidden">Tab</button><div id="tab" style="width:360px;height:500px">${box}</div>`,
  );
  const readHeight = () => chat.composer.evaluate((field) => field.clientHeight);
  const tab = page.getByRole('button', { name: 'Tab' });
  await chat.composer.waitFor();
  await tab.click();
  await page.evaluate(`document.querySelector('porchlight-chat').chat.prefill('One\\nTwo\\nThree')`);
  await tab.click();
  await expect.poll(readHeight).toBe(72);
  await chat.composer.fill('It is a sentence of more than one line, but in a narrow box alone.');
  await expect.poll(readHeight).toBe(48);
  await page.evaluate(`document.querySelector('#tab').style.width = '900px'`);
  await expect.poll(readHeight).toBe(24);
});

test('the guide’s lines are enough', async () => {
  const guide = readFileSync('docs/site-owners.md', 'utf8');
  const snippet = [...guide.matchAll(/^```html\n([\s\S]*?)^```$/gm)].find(([text]) =>
    text.includes('inline.js'),
  );
  await page.route(`${stage.server.here}/`, (route) =>
    route.fulfill({ contentType: 'text/html', body: `<!doctype html><title>Help</title>${snippet?.[1]}` }),
  );
  await page.goto(`${stage.server.here}/`);
  await chat.ask('Anything?');
  await element().getByRole('article').getByText('An answer to Anything?').waitFor();
  expect((await chat.panel.boundingBox())?.height).toBe(490);
});

test('in a small window it stays in its box', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(`<main style="height:400px">${box.replace('>', ' style="height:100%">')}</main>`);
  await chat.composer.waitFor();
  expect(await chat.panel.boundingBox()).toEqual(await page.locator('main').boundingBox());
});

test('a page that resets all that it can reaches only the size of it', async () => {
  await open(
    `<style>* { all: unset !important; letter-spacing: 9px !important; color: red !important } porchlight-chat { width: 500px !important }</style>${box}`,
  );
  await chat.composer.waitFor();
  expect(await chat.panel.boundingBox()).toMatchObject({ width: 500, height: 240 });
  const { letterSpacing, color } = await chat.composer.evaluate((field) => {
    const style = getComputedStyle(field);
    return { letterSpacing: style.letterSpacing, color: style.color };
  });
  expect([letterSpacing, color]).toEqual(['normal', 'rgb(28, 33, 30)']);
});

test('nothing is loaded before it comes near the window, and no window is opened for it on the next page', async () => {
  await open(`<div style="height:3000px"></div>${box}`);
  await expect.poll(() => page.evaluate('customElements.get("porchlight-chat") !== undefined')).toBe(true);
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)))');
  expect(app()).toEqual([]);
  expect(await page.evaluate('localStorage.length')).toBe(0);
  await element().scrollIntoViewIfNeeded();
  await chat.composer.waitFor();
  expect(await page.evaluate('localStorage.porchlight')).not.toContain('"open"');
});

test('moved, it goes on; taken off and put back, it begins anew where the conversation is', async () => {
  await open(`<aside style="width:400px"></aside><main style="width:600px">${box}</main>`);
  await chat.ask('First?');
  await element().getByRole('article').getByText('An answer to First?').waitFor();
  await chat.composer.fill('A draft');
  await page.evaluate('document.querySelector("aside").append(document.querySelector("porchlight-chat"))');
  expect(await chat.composer.inputValue()).toBe('A draft');
  await expect.poll(async () => (await chat.panel.boundingBox())?.width).toBe(400);
  await page.evaluate('window.kept = document.querySelector("porchlight-chat"); kept.remove()');
  await expect.poll(() => page.evaluate('kept.shadowRoot.childElementCount')).toBe(0);
  await page.evaluate('document.querySelector("main").append(kept)');
  await element().getByRole('article').getByText('An answer to First?').waitFor();
  expect(await chat.composer.inputValue()).toBe('A draft');
  expect(errors).toEqual([]);
});

test('its attributes are the tag’s: who is there, the language, the words', async () => {
  const tokens: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/session')) tokens.push(request.postDataJSON()?.ssoToken ?? 'none');
  });
  await open(
    `<porchlight-chat bot-id="vesper" user-token="token-of-ada" language="de" greetings='["Guten Tag."]'></porchlight-chat>`,
  );
  await element().getByText('Guten Tag.').waitFor();
  await element().getByRole('button', { name: 'Well?' }).waitFor();
  expect(tokens).toEqual(['token-of-ada']);
  await element().evaluate((own) => own.setAttribute('language', 'fr'));
  await element().getByRole('button', { name: 'Nouvelle conversation' }).waitFor();
  await element().evaluate((own) => own.setAttribute('user-token', 'token-of-ben'));
  await expect.poll(() => tokens.at(-1)).toBe('token-of-ben');
});

test('`chat` has the methods, and its events are the element’s', async () => {
  await open(`<div style="height:3000px"></div>${box}`);
  await page.evaluate('customElements.whenDefined("porchlight-chat")');
  await page.evaluate(() => {
    const own = document.querySelector('porchlight-chat') as never as HTMLElement & {
      chat: { send(text: string): void; setOpenStyle(style: string): void };
    };
    own.addEventListener('porchlight:answerCompleted', () => {
      own.title = 'answered';
    });
    own.chat.send('By the page?');
    own.chat.setOpenStyle('normal');
  });
  await element().getByRole('article').getByText('An answer to By the page?').waitFor();
  await expect.poll(() => element().getAttribute('title')).toBe('answered');
  await expect.poll(() => errors).toEqual(['Porchlight: a box of the page stays one']);
});

test('beside a tag of the same page both are there, and the conversation is one', async () => {
  // A box that is there before the tag has run has the tag's chat open too.
  const gate = createGate();
  await page.route('**/widget/app-*', async (route) => {
    await gate.opened;
    await route.continue();
  });
  await open(`${box}<script async src="${stage.server.url}/widget/loader.js" data-bot-id="vesper"></script>`);
  const [inline, floating] = [element().first(), element().nth(1)];
  await floating.getByRole('button', { name: 'Open chat' }).waitFor();
  gate.open();
  await inline.getByRole('textbox').fill('Here?');
  await inline.getByRole('textbox').press('Enter');
  await inline.getByRole('article').getByText('An answer to Here?').waitFor();
  await floating.getByRole('button', { name: 'Open chat' }).click();
  await floating.getByRole('article').getByText('An answer to Here?').waitFor();
  expect(await floating.getByRole('dialog').count()).toBe(1);
  expect(errors).toEqual([]);
});

test('without a bot id the site owner is told, once the page has had time to say it', async () => {
  await open('<porchlight-chat></porchlight-chat>');
  await expect.poll(() => errors).toEqual(['Porchlight: add bot-id to porchlight-chat']);
  await page.evaluate(() => {
    const box = document.createElement('porchlight-chat');
    document.body.append(box);
    box.setAttribute('bot-id', 'vesper');
  });
  await chat.composer.waitFor();
  expect(errors).toHaveLength(1);
});

test('where Turbo makes a page match a new one, a box with the guide’s attribute stays as the chat has set it', async () => {
  const guide = readFileSync('docs/site-owners.md', 'utf8');
  const attribute = /`(data-turbo-[a-z]+)`/.exec(guide)?.[1];
  await page.route('**/turbo.js', (route) => route.fulfill({ contentType: 'text/javascript', body: turbo }));
  await open(`<script src="/turbo.js"></script>
    <porchlight-chat bot-id="vesper" id="chat" ${attribute} theme="dark" accent-color="#a00000" style="height:420px"></porchlight-chat>`);
  await chat.composer.waitFor();
  await chat.ask('Hello?');
  await chat.answers.getByText('An answer to Hello?').waitFor();
  const look = () => element().evaluate((box) => [box.dataset.theme, box.getAttribute('style')]);
  const before = await look();
  expect(before).toEqual(['dark', expect.stringContaining('#a00000')]);
  const isNew = page.evaluate(
    () => new Promise((resolve) => addEventListener('turbo:morph', () => resolve(true), { once: true })),
  );
  await page.evaluate(`Turbo.visit(location.href, { action: 'replace' })`);
  expect(await isNew).toBe(true);
  expect(await look()).toEqual(before);
  expect(await chat.answers.count()).toBe(1);
});

test('one that was taken off is held by nothing of its page', async () => {
  await open(box);
  await chat.ask('Anything?');
  await chat.waitForAnswer('completed');
  await page.evaluate(() => {
    const element = document.querySelector('porchlight-chat')!;
    Object.assign(window, { gone: new WeakRef(element) });
    element.remove();
  });
  await expect.poll(await watchGone(page)).toBe(true);
});
