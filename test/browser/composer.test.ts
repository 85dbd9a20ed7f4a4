/** Clause 27: what the keys of the composer do, and when the stop button is there. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Chat, launchBrowser, visit } from '../support/browser.ts';
import { type FakeHelper, startFakeHelper, toPage } from '../support/fakehelper.ts';

/** Long enough for a question that should not have been sent to be seen. */
const quietMs = 250;

let helper: FakeHelper;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let chat: Chat;
beforeAll(async () => {
  helper = await startFakeHelper({
    betweenMs: 400,
    answer: (question) => ({ pieces: question === 'Is it dry?' ? ['One ', 'answer.'] : ['One answer.'] }),
    pages: (path, url) => (path === '/' ? { html: toPage(url) } : undefined),
  });
  browser = await launchBrowser();
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await helper?.stop();
});
beforeEach(async () => {
  ({ context, page, chat } = await visit(browser, `${helper.here}/`));
  await chat.open();
});
afterEach(() => context?.close());

test('clause 27: Enter sends the question and empties the composer', async () => {
  await chat.composer.pressSequentially('Is it warm?');
  await page.keyboard.press('Enter');
  await chat.waitForAnswer('completed');
  expect(await chat.readQuestions()).toEqual(['Is it warm?']);
  expect(await chat.composer.inputValue()).toBe('');
});

test('clause 27: Shift+Enter breaks the line and sends nothing', async () => {
  await chat.composer.pressSequentially('One');
  await page.keyboard.press('Shift+Enter');
  await chat.composer.pressSequentially('two');
  expect(await chat.composer.inputValue()).toBe('One\ntwo');
  expect(await chat.messages.count()).toBe(0);
  await page.keyboard.press('Enter');
  await chat.waitForAnswer('completed');
  expect(await chat.readQuestions()).toEqual(['One\ntwo']);
});

test('clause 27: an Enter that ends an input method\u2019s composition neither sends nor breaks the line', async () => {
  await chat.composer.focus();
  const input = await context.newCDPSession(page);
  await input.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 });
  await page.evaluate(() => {
    const seen: boolean[] = [];
    Object.assign(window, { seen });
    addEventListener('keydown', (event) => seen.push(event.isComposing), true);
  });
  const key = { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 229 };
  await input.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...key });
  await input.send('Input.dispatchKeyEvent', { type: 'keyUp', ...key });
  await input.send('Input.insertText', { text: '日本' });
  expect(await page.evaluate(() => (window as unknown as { seen: boolean[] }).seen)).toEqual([true]);
  await page.waitForTimeout(quietMs);
  expect(await chat.messages.count()).toBe(0);
  expect(await chat.composer.inputValue()).toBe('日本');
  await page.keyboard.press('Enter');
  await chat.waitForAnswer('completed');
  expect(await chat.readQuestions()).toEqual(['日本']);
});

test('clause 27: an Enter that Safari tells of after the composition has ended does not send either', async () => {
  await chat.composer.fill('日本');
  const wasTaken = await chat.composer.evaluate((field) => {
    const event = new KeyboardEvent('keydown', {
      key: 'Enter',
      keyCode: 229,
      bubbles: true,
      composed: true,
      cancelable: true,
    });
    return !field.dispatchEvent(event);
  });
  expect(wasTaken).toBe(false);
  await page.waitForTimeout(quietMs);
  expect(await chat.messages.count()).toBe(0);
});

test('clause 27: the stop button is there while a turn runs, and only then', async () => {
  expect(await chat.stop.count()).toBe(0);
  await chat.ask('Is it dry?');
  await chat.stop.waitFor();
  expect(await chat.send.count()).toBe(0);
  await chat.waitForAnswer('completed');
  await chat.send.waitFor();
  expect(await chat.stop.count()).toBe(0);
});

test('clause 27: Escape closes the panel and gives the focus back to the launcher', async () => {
  expect(await readFocusedPart(page)).toBe('composer');
  await page.keyboard.press('Escape');
  await chat.panel.waitFor({ state: 'detached' });
  expect(await readFocusedPart(page)).toBe('launcher');
  expect(await chat.launcher.getAttribute('aria-expanded')).toBe('false');
  await page.keyboard.press('Enter');
  await chat.panel.waitFor();
});

test('an Enter in an empty composer, or twice in a row, asks nothing more than was written', async () => {
  const before = helper.asked.length;
  await chat.composer.press('Enter');
  await chat.composer.fill('   ');
  await chat.composer.press('Enter');
  await chat.composer.fill('Only once?');
  await chat.composer.evaluate((field) => {
    for (let times = 0; times < 2; times += 1)
      field.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, composed: true, cancelable: true }),
      );
  });
  await chat.waitForAnswer('completed');
  expect(helper.asked.slice(before)).toEqual(['Only once?']);
});

function readFocusedPart(of: Page): Promise<string | null | undefined> {
  return of.evaluate(() =>
    document.querySelector('porchlight-chat')?.shadowRoot?.activeElement?.getAttribute('part'),
  );
}
