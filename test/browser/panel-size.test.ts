/** The larger window: a visitor's choice, which lasts. */
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { type Chat, visit } from '../support/browser.ts';
import { startFakeHelper, toPage } from '../support/fakehelper.ts';
import { longAnswer } from '../support/longanswer.ts';
import { useStage } from '../support/stage.ts';

const stage = useStage(() =>
  startFakeHelper({
    answer: (question) => ({
      pieces:
        question === 'Slow?'
          ? Array.from({ length: 200 }, (_, index) => `Paragraph ${index} has some words.\n\n`)
          : [question === 'Short?' ? 'Yes.' : longAnswer],
    }),
    betweenMs: 20,
    pages: (path, url) => {
      const link = '<a href="#left" style="position: fixed; inset: 0 0 50%">A link of the page</a>';
      if (path === '/dock') return { html: `${toPage(url, 'dock')}${link}` };
      if (path === '/zoomed') return { html: `${toPage(url)}<style>:root { zoom: 1.5 }</style>` };
      return path === '/' ? { html: toPage(url) } : undefined;
    },
  }),
);
const viewport = { width: 1280, height: 800 };
const at = (path: string) => `${stage.server.here}${path}`;

test('the window grows and shrinks by one button, stays where it was read, and is as it was left', async () => {
  const { context, page, chat } = await visit(stage.browser, at('/'), { viewport, reducedMotion: 'reduce' });
  await chat.open();
  await chat.ask('Everything?');
  await chat.waitForAnswer('completed');
  const list = chat.inside('.messages');
  await list.evaluate((one) => one.scrollTo(0, one.scrollHeight));
  const larger = chat.button('Larger window');
  const width = async () => (await chat.panel.boundingBox())?.width;
  expect([await width(), await larger.getAttribute('aria-pressed')]).toEqual([400, 'false']);
  await larger.click();
  expect([await width(), await larger.getAttribute('aria-pressed')]).toEqual([760, 'true']);
  const box = (await chat.panel.boundingBox())!;
  expect([box.y >= 0, box.x + box.width <= viewport.width]).toEqual([true, true]);
  const fromEnd = () => list.evaluate((one) => one.scrollHeight - one.clientHeight - one.scrollTop);
  await expect.poll(fromEnd).toBeLessThan(2);
  await page.reload();
  await chat.panel.waitFor();
  expect(await width()).toBe(760);
  await larger.focus();
  await page.keyboard.press('Enter');
  await expect.poll(width).toBe(400);
  expect(
    await larger.evaluate((one) => one === (one.getRootNode() as ShadowRoot).activeElement),
    'the focus stays',
  ).toBe(true);
  await page.reload();
  await chat.panel.waitFor();
  expect(await width()).toBe(400);
  await context.close();
});

/** More than a window holds. */
async function askThree(chat: Chat): Promise<void> {
  for (const question of ['One?', 'Two?', 'Three?']) {
    await chat.ask(question);
    await chat.answers.last().and(chat.inside('[data-status="completed"]')).waitFor();
    await chat.send.waitFor();
  }
}

/** The block at the upper edge of what is read. */
const readPlace = (list: Locator) =>
  list.evaluate((one) => {
    const edge = one.getBoundingClientRect().top;
    const blocks = [...one.querySelectorAll('p, li, pre, tr, h3, h4')];
    const index = blocks.findIndex((block) => block.getBoundingClientRect().bottom > edge);
    return `${index} ${blocks[index]?.textContent?.slice(0, 40)}`;
  });

test.each([1_400, 700, 250])('who reads %i px above the end stays at the same words', async (px) => {
  const { context, chat, page } = await visit(stage.browser, at('/'), { viewport, reducedMotion: 'reduce' });
  await chat.open();
  await askThree(chat);
  const list = chat.inside('.messages');
  await list.hover();
  await page.mouse.wheel(0, -px);
  const fromEnd = () => list.evaluate((one) => one.scrollHeight - one.clientHeight - one.scrollTop);
  await expect.poll(fromEnd).toBe(px);
  // With it comes what keeps the place.
  await chat.inside('[part~="newest"]').waitFor();
  const place = await readPlace(list);
  const larger = chat.button('Larger window');
  const drawn = () =>
    page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)))');
  await larger.click();
  await drawn();
  // So near the end the larger window has no room for it at its upper edge.
  if (px > 1_000) await expect.poll(() => readPlace(list)).toBe(place);
  await larger.click();
  await expect.poll(() => readPlace(list)).toBe(place);
  await context.close();
});

test.each([
  ['while an answer is written', 'Slow?', { width: 640, height: 700 }, { width: 320, height: 350 }],
  ['while an answer is written', 'Slow?', { width: 1280, height: 800 }, { width: 320, height: 256 }],
  ['once it has ended', 'Everything?', { width: 640, height: 700 }, { width: 320, height: 350 }],
])('who is at the end stays there in a much smaller window, %s', async (_, question, from, to) => {
  const { context, chat, page } = await visit(stage.browser, at('/'), {
    viewport: from,
    reducedMotion: 'reduce',
  });
  await chat.open();
  await askThree(chat);
  await chat.ask(question);
  if (question === 'Slow?') await chat.waitForWords(120);
  else await chat.answers.last().and(chat.inside('[data-status="completed"]')).waitFor();
  const list = chat.inside('.messages');
  const fromEnd = () => list.evaluate((one) => one.scrollHeight - one.clientHeight - one.scrollTop);
  await expect.poll(fromEnd).toBeLessThan(2);
  await page.setViewportSize(to);
  await page.waitForTimeout(400);
  await expect.poll(fromEnd).toBeLessThan(2);
  expect(await chat.inside('.newest').count()).toBe(0);
  await context.close();
});

test('who reads up in an answer that grows is not moved by a composer that grows', async () => {
  const { context, chat, page } = await visit(stage.browser, at('/'), { viewport, reducedMotion: 'reduce' });
  await chat.open();
  await chat.ask('Slow?');
  await chat.waitForWords(120);
  const list = chat.inside('.messages');
  await list.hover();
  await page.mouse.wheel(0, -300);
  await page.waitForTimeout(300);
  const top = () => list.evaluate((one) => one.scrollTop);
  const before = await top();
  await page.waitForTimeout(800);
  await chat.composer.fill('A draft\nof three\nlines');
  await page.waitForTimeout(200);
  expect(await top()).toBe(before);
  await context.close();
});

test('where it would change nothing the button is not there', async () => {
  const phone = await visit(stage.browser, at('/'), { viewport: { width: 390, height: 844 } });
  await phone.chat.open();
  expect(await phone.chat.button('Larger window').isVisible()).toBe(false);
  await phone.context.close();
  const dock = await visit(stage.browser, at('/dock'), { viewport });
  await dock.chat.ask('Everything?');
  await dock.chat.waitForAnswer('completed');
  expect(await dock.chat.button('Larger window').count()).toBe(0);
  await dock.context.close();
});

test('the open dock is as tall as what is in it, up to the height of the window', async () => {
  const { context, chat } = await visit(stage.browser, at('/dock'), { viewport, reducedMotion: 'reduce' });
  await chat.ask('Short?');
  await chat.waitForAnswer('completed');
  const list = chat.inside('.messages');
  const short = (await chat.dock.boundingBox())!;
  expect(short.height).toBeLessThan(400);
  const answer = (await chat.answers.last().boundingBox())!;
  expect(answer.y + answer.height, 'nothing is cut').toBeLessThan(short.y + short.height);
  await chat.ask('Everything?');
  await chat.answers.nth(1).and(chat.inside('[data-status="completed"]')).waitFor();
  const long = (await chat.dock.boundingBox())!;
  expect([long.height, long.y + long.height]).toEqual([viewport.height - 32, viewport.height - 16]);
  expect(await list.evaluate((one) => one.scrollHeight > one.clientHeight)).toBe(true);
  await context.close();
});

test.each(['Conversations', 'New conversation'])(
  'the second click of a double click on %s hits nothing of the page, where the dock is lower by then',
  async (name) => {
    const { context, chat, page } = await visit(stage.browser, at('/dock'), {
      viewport,
      reducedMotion: 'reduce',
    });
    await chat.ask('Everything?');
    await chat.waitForAnswer('completed');
    const button = chat.dock.getByRole('button', { name, exact: true });
    const before = (await button.boundingBox())!;
    await button.dblclick({ delay: 20 });
    await page.waitForTimeout(600);
    const header = chat.inside('[part="header"]');
    expect((await header.boundingBox())!.y, 'it is lower').toBeGreaterThan(before.y + 50);
    expect(new URL(page.url()).hash).toBe('');
    // Only for a moment.
    await page.mouse.click(before.x + 5, before.y + 5);
    await expect.poll(() => new URL(page.url()).hash).toBe('#left');
    await context.close();
  },
);

test('who reads in a page that is zoomed stays at the same words in another width', async () => {
  const { context, chat, page } = await visit(stage.browser, at('/zoomed'), {
    viewport: { width: 1100, height: 800 },
    reducedMotion: 'reduce',
  });
  await chat.open();
  await askThree(chat);
  const list = chat.inside('.messages');
  await list.hover();
  await page.mouse.wheel(0, -1_500);
  await chat.button('To the newest message').waitFor();
  await page.waitForTimeout(200);
  const place = await readPlace(list);
  await page.setViewportSize({ width: 420, height: 800 });
  await expect.poll(() => readPlace(list)).toBe(place);
  await page.setViewportSize({ width: 1100, height: 800 });
  await expect.poll(() => readPlace(list)).toBe(place);
  await context.close();
});
