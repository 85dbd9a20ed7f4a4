/** The larger window: a visitor's choice, which lasts. */
import { expect, test } from 'vitest';
import { visit } from '../support/browser.ts';
import { startFakeHelper, toPage } from '../support/fakehelper.ts';
import { longAnswer } from '../support/longanswer.ts';
import { useStage } from '../support/stage.ts';

const stage = useStage(() =>
  startFakeHelper({
    answer: () => ({ pieces: [longAnswer] }),
    pages: (path, url) => {
      if (path === '/dock') return { html: toPage(url, 'dock') };
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

test('who reads further up stays at the same words', async () => {
  const { context, chat, page } = await visit(stage.browser, at('/'), { viewport, reducedMotion: 'reduce' });
  await chat.open();
  for (const question of ['One?', 'Two?', 'Three?']) {
    await chat.ask(question);
    await chat.answers.last().and(chat.inside('[data-status="completed"]')).waitFor();
    await chat.send.waitFor();
  }
  const list = chat.inside('.messages');
  await list.hover();
  await page.mouse.wheel(0, -1_500);
  /** The turn at the upper edge, and how much of it is above. */
  const readPlace = () =>
    list.evaluate((one) => {
      const edge = one.getBoundingClientRect().top;
      const index = [...one.children].findIndex((child) => child.getBoundingClientRect().bottom > edge);
      const { top, height } = one.children[index]!.getBoundingClientRect();
      return [index, Math.round(((edge - top) / height) * 20)];
    });
  const fromEnd = () => list.evaluate((one) => one.scrollHeight - one.clientHeight - one.scrollTop);
  await expect.poll(fromEnd).toBeGreaterThan(1_000);
  const place = await readPlace();
  await chat.button('Larger window').click();
  await expect.poll(readPlace).toEqual(place);
  await chat.button('Larger window').click();
  await expect.poll(readPlace).toEqual(place);
  await page.setViewportSize({ width: 470, height: 800 });
  await expect.poll(readPlace).toEqual(place);
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
