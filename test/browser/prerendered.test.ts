/** A page that the browser reads before anybody goes there: the chat begins when somebody does. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findChat } from '../support/browser.ts';
import { startFakeHelper, toPage } from '../support/fakehelper.ts';
import { useStage } from '../support/stage.ts';

const stage = useStage(() =>
  startFakeHelper({
    answer: (question) => ({ pieces: [`An answer to ${question}`] }),
    pages: (path, helper) =>
      path.startsWith('/page') || path === '/auto'
        ? { html: toPage(helper, 'normal', path === '/auto' ? 'data-auto-open="1"' : '') }
        : undefined,
  }),
);

/** With a browser that is driven none is prerendered: it is told so, until `arrive`. */
async function prerender(page: Page, path: string) {
  await page.addInitScript(() => {
    Object.defineProperty(document, 'prerendering', { configurable: true, value: true });
  });
  const files: string[] = [];
  page.on('request', (request) => {
    const name = /porchlight\/(.*)$/.exec(request.url())?.[1];
    if (name) files.push(name);
  });
  await page.goto(stage.server.here + path);
  await page.locator('porchlight-chat').waitFor({ state: 'attached' });
  await page.waitForLoadState('networkidle');
  const arrive = () =>
    page.evaluate(() => {
      Object.defineProperty(document, 'prerendering', { value: false });
      document.dispatchEvent(new Event('prerenderingchange'));
    });
  return { files, arrive };
}

test('who was in the middle of a chat goes on with it once there, and what was sent meanwhile is asked', async () => {
  const context = await stage.browser.newContext();
  const first = await context.newPage();
  const chat = findChat(first);
  await first.goto(`${stage.server.here}/page`);
  const next = await context.newPage();
  const { files, arrive } = await prerender(next, '/page?next');
  await chat.open();
  await chat.ask('Before?');
  await chat.waitForAnswer('completed');
  await first.route('**/turns/*', () => {});
  await chat.ask('On its way?');
  await chat.waitForAnswer('sending');
  await first.close();
  expect(files.filter((name) => !name.includes('loader'))).toEqual([]);
  await arrive();
  const there = findChat(next);
  await there.panel.waitFor();
  await expect.poll(there.readQuestions).toEqual(['Before?', 'On its way?']);
  await there.waitForAnswer('completed');
  expect(stage.server.asked.filter((text) => text === 'On its way?')).toHaveLength(1);
  await context.close();
});

test('what opens by itself does so for somebody, and stores nothing before', async () => {
  const context = await stage.browser.newContext();
  const page = await context.newPage();
  await page.clock.install();
  const { arrive } = await prerender(page, '/auto');
  await page.clock.runFor(5_000);
  const chat = findChat(page);
  expect(await chat.panel.count()).toBe(0);
  expect(await page.evaluate(() => localStorage.length)).toBe(0);
  await arrive();
  // Its file is on its way.
  await expect
    .poll(async () => {
      await page.clock.runFor(1_000);
      return chat.panel.count();
    })
    .toBe(1);
  await context.close();
});
