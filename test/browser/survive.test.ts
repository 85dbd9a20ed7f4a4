/** Acceptance 3: an answer outlives the page it was asked on, is the same in every tab, and is stopped in all of them. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Chat, findChat, goOffline, launchBrowser } from '../support/browser.ts';
import { type Demo, startDemo } from '../support/demo.ts';
import { createGate } from '../support/gate.ts';

const question = 'How long does shipping to Canada take?';
/** Four dozen words at this pace take about four seconds. */
const wordsPerSecond = 12;

let demo: Demo;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let chat: Chat;
let startedBefore: number;
beforeAll(async () => {
  [demo, browser] = await Promise.all([startDemo({ wordsPerSecond }), launchBrowser()]);
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
});
beforeEach(async () => {
  startedBefore = demo.events('chat.started').length;
  context = await browser.newContext();
  page = await context.newPage();
  chat = findChat(page);
  await page.goto(`${demo.url}/`);
  await chat.open();
  await chat.ask(question);
  await chat.waitForWords(4);
});
afterEach(() => context?.close());

/** What the agent was asked since the test began: its conversations, one entry a question. */
function readAsked(): string[] {
  return demo
    .events('chat.started')
    .slice(startedBefore)
    .map(({ chat_id }) => chat_id!);
}

async function expectTheRecord(shown: Chat): Promise<void> {
  const answer = await shown.waitForAnswer('completed');
  const asked = readAsked();
  expect(asked).toHaveLength(1);
  const record = await demo.readRecord(asked[0]!);
  expect(record.map(({ role }) => role)).toEqual(['user', 'system']);
  expect(await shown.readBody(answer)).toBe(record[1]!.content);
  expect(await shown.readQuestions()).toEqual([question]);
  expect(await shown.answers.count()).toBe(1);
}

test('clause 27: after a walk to another page the running answer is shown there without a click, and completes once', async () => {
  await page.getByRole('link', { name: 'Returns' }).first().press('Enter');
  await page.waitForURL('**/returns.html');
  await chat.waitForAnswer('writing');
  expect(await chat.stop.isVisible()).toBe(true);
  await expectTheRecord(chat);
});

test('an answer goes on through two reloads, shows no word twice, and is in the end what the agent recorded', async () => {
  await page.reload();
  await chat.waitForAnswer('writing');
  await chat.waitForWords(5);
  await page.reload();
  await expectTheRecord(chat);
  await page.reload();
  await expectTheRecord(chat);
});

test('a network that goes away in mid-answer and comes back costs no word and no second question', async () => {
  await goOffline(page);
  await page.waitForTimeout(300);
  await context.setOffline(false);
  await expectTheRecord(chat);
});

test('a second tab shows the running turn of the first, and what is asked in either appears in the other', async () => {
  const second = await context.newPage();
  const other = findChat(second);
  await second.goto(`${demo.url}/about.html`);
  await other.waitForAnswer('writing');
  await expectTheRecord(other);
  await expectTheRecord(chat);

  await chat.ask('Is the Skylark 2 tent in stock?');
  await other.answers.nth(1).waitFor();
  await other.waitForAnswer('completed');
  await chat.waitForAnswer('completed');
  expect(await other.readQuestions()).toEqual([question, 'Is the Skylark 2 tent in stock?']);
  expect(await other.readAnswers()).toEqual(await chat.readAnswers());
  expect(readAsked()).toHaveLength(2);
});

test('stop in one tab stops the answer in both, and at the agent within a second', async () => {
  const second = await context.newPage();
  const other = findChat(second);
  await second.goto(`${demo.url}/`);
  await other.waitForAnswer('writing');
  const cancelledBefore = demo.events('chat.cancelled').length;
  await other.stop.click();
  await expect
    .poll(() => demo.events('chat.cancelled').length, { timeout: 1_000, interval: 20 })
    .toBe(cancelledBefore + 1);
  const stopped = [await other.waitForAnswer('stopped'), await chat.waitForAnswer('stopped')];
  const [asked] = readAsked();
  expect(demo.events('chat.cancelled').at(-1)!.chat_id).toBe(asked);
  const [, said] = await demo.readRecord(asked!);
  // The agent may have said a word more than had arrived here.
  for (const answer of stopped) expect(said!.content).toContain(await chat.readBody(answer));
  expect(await other.readAnswers()).toEqual(await chat.readAnswers());
  for (const tab of [chat, other]) {
    expect(await tab.stop.count()).toBe(0);
    expect(await tab.send.isVisible()).toBe(true);
  }
  await chat.ask('Hello');
  await chat.waitForAnswer('completed');
});

test('on a page that was loaded before an upgrade the chat of the new version answers', async () => {
  const old = await context.newPage();
  await old.route('**/widget/loader.js', async (route) => {
    const response = await route.fetch();
    await route.fulfill({
      response,
      body: (await response.text()).replace(/app-[\w-]{6}\.js/, 'app-000000.js'),
    });
  });
  const faults: Error[] = [];
  old.on('pageerror', (fault) => faults.push(fault));
  await old.goto(`${demo.url}/`);
  const chat = findChat(old);
  await chat.show();
  await chat.ask('Hello');
  await chat.waitForAnswer('completed');
  expect(faults).toEqual([]);
});

/** A second page that nobody sees, with the turns that it follows, and what lets it be seen. */
async function openUnseen() {
  const hidden = await context.newPage();
  const followed: string[] = [];
  hidden.on(
    'request',
    (request) => void (/\/turns\//.test(request.url()) && followed.push(request.method())),
  );
  await hidden.addInitScript(() => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => !('isSeen' in window) });
  });
  await hidden.goto(`${demo.url}/`);
  const show = () =>
    hidden.evaluate(() => {
      Object.assign(window, { isSeen: true });
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    });
  return { page: hidden, other: findChat(hidden), followed, show };
}

test('a tab that nobody sees holds no connection for the answer, and goes on with it once it is seen', async () => {
  const { other, followed, show } = await openUnseen();
  await other.waitForAnswer('writing');
  await chat.waitForWords(20);
  expect(followed).toEqual([]);
  await show();
  await other.waitForWords(20);
  await expectTheRecord(other);
  await expectTheRecord(chat);
  expect(followed).toEqual(['GET']);
});

test('a tab that is seen before the network is back goes on with the answer by itself', async () => {
  const { page: hidden, other, show } = await openUnseen();
  await other.waitForAnswer('writing');
  await goOffline(hidden);
  await show();
  await other.panel
    .locator('p', { hasText: 'Connection lost. Trying again.' })
    .waitFor({ state: 'attached' });
  await context.setOffline(false);
  await expectTheRecord(other);
});

test('a tab that is seen and left for a new conversation before it could be read asks there', async () => {
  const { other, show, page: unseen } = await openUnseen();
  await other.waitForAnswer('writing');
  const gate = createGate();
  await unseen.route('**/conversations/*', async (route) => {
    await gate.opened;
    await route.continue();
  });
  await show();
  await other.button('New conversation').click();
  gate.open();
  await other.ask('Hello');
  expect(await other.readBody(await other.waitForAnswer('completed'))).not.toBe('');
});

test('what was asked, stopped and answered again meanwhile is read at once when it is seen', async () => {
  const { other, followed, show } = await openUnseen();
  await other.waitForAnswer('writing');
  await chat.stop.click();
  await chat.waitForAnswer('stopped');
  await chat.button('Answer again').click();
  await chat.waitForWords(4);
  await chat.stop.click();
  await chat.waitForAnswer('stopped');
  await show();
  const read = await other.readBody(await other.waitForAnswer('stopped'));
  // The agent may have written down what it said after the last word that was relayed.
  expect(read.startsWith((await chat.readAnswers()).at(-1)!)).toBe(true);
  expect(await other.answers.count()).toBe(1);
  expect(await other.readQuestions()).toEqual([question]);
  expect(followed).toEqual([]);
});
