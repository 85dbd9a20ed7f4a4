/** A turn that waits for the visitor: the approval card and the question card of the demo. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Chat, findChat, launchBrowser, visit } from '../support/browser.ts';
import { type Demo, startDemo } from '../support/demo.ts';

let demo: Demo;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let chat: Chat;
beforeAll(async () => {
  [demo, browser] = await Promise.all([startDemo(), launchBrowser()]);
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
});
beforeEach(async () => {
  ({ context, page, chat } = await visit(browser, `${demo.url}/`));
  await chat.open();
});
afterEach(() => context?.close());

async function askForTheOrder() {
  await chat.ask('What is the status of order LF-10234?');
  return chat.waitForAnswer('paused');
}

test('an approval card says what is to be done with which values, and approving completes the answer', async () => {
  const resumedBefore = demo.events('chat.resumed').length;
  const paused = await askForTheOrder();
  const card = paused.getByRole('region', { name: 'May the agent do this?' });
  const words = await card.textContent();
  expect(words).toContain('Order status');
  expect(words).toContain('LF-10234');
  expect(demo.events('chat.resumed')).toHaveLength(resumedBefore);
  await chat.button('Allow').click();
  const answer = await chat.waitForAnswer('completed');
  expect(await chat.readBody(answer)).toContain('Order LF-10234 is shipped.');
  expect(await card.count()).toBe(0);
  expect(await chat.answers.count()).toBe(1);
});

test('denying ends the turn without the tool being run', async () => {
  await askForTheOrder();
  await chat.button('Do not allow').click();
  const answer = await chat.waitForAnswer('completed');
  expect(await chat.readBody(answer)).toBe('All right, I did not look up the order.');
});

test('a card that waits is there again after a reload, and in a second tab, and is decided once', async () => {
  await askForTheOrder();
  await page.reload();
  const second = await context.newPage();
  const other = findChat(second);
  await second.goto(`${demo.url}/about.html`);
  await chat.waitForAnswer('paused');
  await other.waitForAnswer('paused');
  const resumedBefore = demo.events('chat.resumed').length;
  await chat.button('Allow').click();
  const answers = [await chat.waitForAnswer('completed'), await other.waitForAnswer('completed')];
  for (const answer of answers) expect(await chat.readBody(answer)).toContain('is shipped.');
  expect(demo.events('chat.resumed')).toHaveLength(resumedBefore + 1);
});

test('a question of the agent is answered by choosing one of its options', async () => {
  await chat.ask('How long does it take?');
  const paused = await chat.waitForAnswer('paused');
  const card = paused.getByRole('form', { name: 'The agent asks' });
  await card.getByText('Which of these do you mean?').waitFor();
  await card.getByRole('button', { name: 'Shipping', exact: true }).click();
  const answer = await chat.waitForAnswer('completed');
  expect(await chat.readBody(answer)).toContain('business days');
  expect(await card.count()).toBe(0);
});
