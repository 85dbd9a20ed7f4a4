/** Acceptance 1: the demo started as a user starts it, and a question answered from the shop's pages. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChat, launchBrowser } from '../support/browser.ts';
import { type Demo, startDemo } from '../support/demo.ts';

const question = 'How long does shipping to Canada take?';

let demo: Demo;
let browser: Browser;
beforeAll(async () => {
  [demo, browser] = await Promise.all([startDemo(), launchBrowser()]);
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
});

describe.each([
  { style: 'normal', path: '/' },
  { style: 'dock', path: '/dock.html' },
])('the shop in $style style', ({ style, path }) => {
  test('answers a question in the words of the shipping page, and cites that page', async () => {
    const page = await browser.newPage();
    const chat = findChat(page);
    await page.goto(demo.url + path);
    if (style === 'normal') await chat.open();
    await chat.ask(question);
    const answer = await chat.waitForAnswer('completed');

    const words = await chat.readBody(answer);
    expect(words).toContain('Standard shipping to Canada takes 6 to 9 business days');
    expect(words).toContain('[1]');
    const source = answer.getByRole('navigation', { name: 'Sources' }).getByRole('link').first();
    expect(new URL((await source.getAttribute('href'))!).pathname).toBe('/shipping.html');

    const shipping = await browser.newPage();
    await shipping.goto((await source.getAttribute('href'))!);
    const text = (await shipping.locator('main').allInnerTexts()).join().replace(/\s+/g, ' ');
    for (const sentence of words
      .replace(/\s+/g, ' ')
      .split(/ \[\d\]/, 1)[0]!
      .split(/(?<=\.) /))
      expect(text).toContain(sentence);
    expect(await chat.readQuestions()).toEqual([question]);
    await shipping.close();
    await page.close();
  });
});
