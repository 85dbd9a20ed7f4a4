/** Acceptance 1: the demo started as a user starts it, and a question answered from the shop's pages. */
import { describe, expect, test } from 'vitest';
import { findChat } from '../support/browser.ts';
import { startDemo } from '../support/demo.ts';
import { useStage } from '../support/stage.ts';

const question = 'How long does shipping to Canada take?';

const stage = useStage(startDemo);

describe.each([
  { style: 'normal', path: '/' },
  { style: 'dock', path: '/dock.html' },
])('the shop in $style style', ({ style, path }) => {
  test('answers a question in the words of the shipping page, and cites that page', async () => {
    const page = await stage.browser.newPage();
    const chat = findChat(page);
    await page.goto(stage.server.url + path);
    if (style === 'normal') await chat.open();
    await chat.ask(question);
    const answer = await chat.waitForAnswer('completed');

    const words = await chat.readBody(answer);
    expect(words).toContain('Standard shipping to Canada takes 6 to 9 business days');
    expect(words).toContain('[1]');
    const source = answer.getByRole('navigation', { name: 'Sources' }).getByRole('link').first();
    expect(new URL((await source.getAttribute('href'))!).pathname).toBe('/shipping.html');

    const shipping = await stage.browser.newPage();
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
