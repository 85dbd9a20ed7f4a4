/** What is loaded when: an opened chat without what reads answers, which comes while the first question is on its way. */
import { expect, test } from 'vitest';
import { goOffline, triesImportsAgain } from '../support/browser.ts';
import { english } from '../support/english.ts';
import { startFakeHelper, toPage } from '../support/fakehelper.ts';
import { createGate } from '../support/gate.ts';
import { useStage, useVisitor } from '../support/stage.ts';

const stage = useStage(() =>
  startFakeHelper({
    answer: (question) => ({ pieces: [`**To** ${question}\n\nand more`] }),
    pages: (path, url) => (path === '/' ? { html: toPage(url) } : undefined),
  }),
);
const scene = useVisitor(stage, ({ here }) => `${here}/`);
const reader = /\/widget\/answer-[\w-]+\.js$/;

test('what reads markdown is loaded with the first question, and not before', async () => {
  const { page, chat } = scene;
  const loaded: string[] = [];
  page.on('request', (request) => reader.test(request.url()) && loaded.push(request.url()));
  await chat.show();
  await chat.composer.fill('Wait');
  expect(loaded).toEqual([]);
  await chat.composer.press('Enter');
  const answer = await chat.waitForAnswer('completed');
  await answer.locator('strong').waitFor();
  expect(loaded).toHaveLength(1);
});

test('where it cannot be loaded the words stand as they were written, the visitor is told, and the next answer tries again', async () => {
  const { page, chat } = scene;
  await page.route(reader, (route) => route.abort('connectionreset'));
  await chat.show();
  await chat.ask('First');
  const answer = await chat.waitForAnswer('completed');
  const body = answer.locator('[part~="body"]');
  await expect.poll(() => body.textContent()).toBe('**To** First\n\nand more');
  expect(await body.evaluate((element) => getComputedStyle(element).whiteSpaceCollapse)).toBe('preserve');
  const notice = chat.inside('.failed');
  await expect.poll(() => notice.allTextContents()).toEqual([english['part-failed']]);
  await expect.poll(() => chat.announcer.textContent()).toContain(english['part-failed']);
  await chat.ask('Second');
  await expect.poll(() => chat.answers.count()).toBe(2);
  await chat.waitForAnswer('completed');
  // Once, at the end.
  await expect.poll(() => notice.allTextContents()).toEqual([english['part-failed']]);
  await page.unroute(reader);
  await chat.ask('Third');
  if (!(await triesImportsAgain(page))) await page.reload();
  await answer.locator('strong').waitFor();
  await expect.poll(() => chat.answers.locator('strong').count()).toBe(3);
  expect(await notice.count()).toBe(0);
});

test('where it is late the words are there as they were written until it comes', async () => {
  const { page, chat } = scene;
  const gate = createGate();
  await page.route(reader, async (route) => {
    await gate.opened;
    await route.continue();
  });
  await chat.show();
  await chat.ask('First');
  const answer = await chat.waitForAnswer('completed');
  await expect.poll(() => answer.locator('[part~="body"]').textContent()).toBe('**To** First\n\nand more');
  gate.open();
  await answer.locator('strong').waitFor();
});

test('not loaded for a first question without a connection, it is with its answer', async () => {
  const { page, context, chat } = scene;
  await chat.show();
  await chat.composer.fill('First');
  await goOffline(page);
  await chat.composer.press('Enter');
  await chat.waitForAnswer('sending');
  await page.waitForTimeout(300);
  await context.setOffline(false);
  const answer = await chat.waitForAnswer('completed');
  await answer.locator('strong').waitFor();
});
