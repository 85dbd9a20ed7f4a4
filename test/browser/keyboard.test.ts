/** The chat without a pointer, on a phone, and without motion. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser, visit } from '../support/browser.ts';
import { type Demo, startDemo } from '../support/demo.ts';
import { type FakeHelper, startFakeHelper, toPage } from '../support/fakehelper.ts';

const question = 'How long does shipping to Canada take?';
/** More stops than the shop's pages and the panel have together. */
const mostStops = 120;

let demo: Demo;
let helper: FakeHelper;
let browser: Browser;
beforeAll(async () => {
  helper = await startFakeHelper({
    betweenMs: 400,
    answer: () => ({ pieces: ['', 'An ', 'answer.'] }),
    pages: (path, url) => (path === '/' ? { html: toPage(url) } : undefined),
  });
  [demo, browser] = await Promise.all([startDemo(), launchBrowser()]);
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
  await helper?.stop();
});

/** What has the focus in the widget: its part, else its words; undefined when the page has it. */
function readFocus(page: Page): Promise<string | undefined> {
  return page.evaluate(() => {
    const focused = document.querySelector('porchlight-chat')?.shadowRoot?.activeElement;
    return (
      focused?.getAttribute('part') ??
      focused?.getAttribute('aria-label') ??
      focused?.textContent ??
      undefined
    );
  });
}

async function pressUntil(page: Page, key: string, wanted: (focus: string | undefined) => boolean) {
  for (let stops = 0; stops < mostStops; stops += 1) {
    await page.keyboard.press(key);
    const focus = await readFocus(page);
    if (wanted(focus)) return focus;
  }
  throw new Error(`After ${mostStops} times ${key} the focus was still elsewhere.`);
}

test('with the keyboard alone a visitor reaches the launcher, asks, is told the answer, opens a source and leaves', async () => {
  const { context, page, chat } = await visit(browser, `${demo.url}/`);
  await chat.launcher.waitFor();
  await pressUntil(page, 'Tab', (focus) => focus === 'launcher');
  await page.keyboard.press('Enter');
  await chat.panel.waitFor();
  await expect.poll(() => readFocus(page)).toBe('composer');
  await page.keyboard.type(question);
  await page.keyboard.press('Enter');
  const answer = await chat.waitForAnswer('completed');
  await expect.poll(() => chat.announcer.textContent()).toContain('6 to 9 business days');
  expect(await chat.announcer.getAttribute('aria-live')).toBe('polite');
  expect(await readFocus(page)).toBe('composer');

  const source = await answer.getByRole('navigation').getByRole('link').last().textContent();
  await pressUntil(page, 'Shift+Tab', (focus) => focus === source);
  const opening = context.waitForEvent('page');
  await page.keyboard.press('Enter');
  expect(new URL((await opening).url() || demo.url).origin).toBe(demo.url);
  await page.bringToFront();
  await page.keyboard.press('Escape');
  await chat.panel.waitFor({ state: 'detached' });
  expect(await readFocus(page)).toBe('launcher');
  await context.close();
});

test('on a phone the panel is the whole screen, keeps the focus inside, and nothing is too small to touch', async () => {
  const viewport = { width: 390, height: 844 };
  const { context, page, chat } = await visit(browser, `${demo.url}/`, {
    viewport,
    hasTouch: true,
    isMobile: true,
    reducedMotion: 'reduce',
  });
  await chat.launcher.tap();
  await chat.panel.waitFor();
  expect(await chat.panel.boundingBox()).toEqual({ x: 0, y: 0, ...viewport });
  expect(await chat.panel.getAttribute('aria-modal')).toBe('true');
  await chat.ask(question);
  await chat.waitForAnswer('completed');
  for (const key of ['Tab', 'Shift+Tab'])
    for (let stops = 0; stops < 14; stops += 1) {
      await page.keyboard.press(key);
      expect(await readFocus(page)).not.toBe(undefined);
      expect(await readFocus(page)).not.toBe('launcher');
    }
  await chat.inside('.acts .icon').first().waitFor();
  const buttons = await chat.inside('.header button:visible, .acts .icon:visible').all();
  expect(buttons.length).toBeGreaterThan(5);
  for (const button of buttons) {
    const box = await button.boundingBox();
    expect(Math.min(box!.width, box!.height)).toBeGreaterThanOrEqual(44);
  }
  // Under 16 px a phone would zoom into the field.
  expect(await chat.composer.evaluate((field) => getComputedStyle(field).fontSize)).toBe('16px');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(viewport.width);
  await page.keyboard.press('Escape');
  await chat.panel.waitFor({ state: 'detached' });
  expect(await readFocus(page)).toBe('launcher');
  await context.close();
});

test('on a phone the open dock is the whole screen', async () => {
  const viewport = { width: 390, height: 844 };
  const { context, chat } = await visit(browser, `${demo.url}/dock.html`, {
    viewport,
    reducedMotion: 'reduce',
  });
  await chat.ask(question);
  await chat.waitForAnswer('completed');
  expect(await chat.dock.boundingBox()).toEqual({ x: 0, y: 0, ...viewport });
  const composer = await chat.composer.boundingBox();
  expect(composer!.y + composer!.height).toBeLessThanOrEqual(viewport.height);
  await context.close();
});

test.each([
  ['reduce', 'nothing moves'],
  ['no-preference', 'the waiting dots do'],
] as const)('with prefers-reduced-motion: %s %s while an answer is waited for', async (reducedMotion, _) => {
  const { context, page, chat } = await visit(browser, `${helper.here}/`, { reducedMotion });
  await chat.open();
  await chat.ask('Anything?');
  await chat.inside('.dots').waitFor();
  const moving = await page.evaluate(() => {
    const all = document.querySelector('porchlight-chat')!.shadowRoot!.querySelectorAll('*');
    return [...all].flatMap((element) => element.getAnimations()).length;
  });
  if (reducedMotion === 'reduce') expect(moving).toBe(0);
  else expect(moving).toBeGreaterThan(0);
  await chat.waitForAnswer('completed');
  await context.close();
});
