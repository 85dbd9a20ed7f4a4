/** Acceptance 7: signing in keeps what a guest said, signing out shows nothing of it any more, in every tab. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Chat, findChat, launchBrowser, visit } from '../support/browser.ts';
import { type Demo, startDemo } from '../support/demo.ts';

const question = 'How long does shipping to Canada take?';
const answered = '6 to 9 business days';
/** Long enough for a widget that does not wait for the page to begin as a guest. */
const quietMs = 300;

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
  ({ context, page, chat } = await visit(browser, `${demo.url}/account.html`));
  await page.locator('#account[data-state="signed-out"]').waitFor();
});
afterEach(() => context?.close());

async function askAsGuest(): Promise<void> {
  await chat.open();
  await chat.ask(question);
  await chat.waitForAnswer('completed');
}

async function signIn(of: Page, email = 'ada@larkfield.example'): Promise<void> {
  const choice = of.locator(`#sign-in-form input[value="${email}"]`);
  await choice.setChecked(true, { force: true });
  await choice.press('Enter');
  await of.locator('#account[data-state="signed-in"]').waitFor();
}

async function signOut(of: Page): Promise<void> {
  await of.locator('#sign-out').press('Enter');
  await of.locator('#account[data-state="signed-out"]').waitFor();
}

/** All text of the widget, shown or hidden. */
function readWidget(of: Page): Promise<string> {
  return of.evaluate(() => document.querySelector('porchlight-chat')!.shadowRoot!.textContent ?? '');
}

/** What the widget keeps in the browser. */
function readKept(of: Page): Promise<{ conversationId?: string }> {
  return of.evaluate(() => Object.values<object>(JSON.parse(localStorage.porchlight).chats ?? {})[0] ?? {});
}

test('what a guest said is kept when the guest signs in, and is the customer’s from then on', async () => {
  await askAsGuest();
  await signIn(page);
  await chat.waitForAnswer('completed');
  await expect.poll(() => chat.readQuestions()).toEqual([question]);
  await page.reload();
  await chat.waitForAnswer('completed');
  expect(await chat.readBody(chat.answers.last())).toContain(answered);

  const elsewhere = await visit(browser, `${demo.url}/account.html`);
  await elsewhere.page.locator('#account[data-state="signed-out"]').waitFor();
  await signIn(elsewhere.page);
  await elsewhere.chat.open();
  await elsewhere.chat.button('Conversations').click();
  await elsewhere.chat.button(new RegExp(`^${question.replace('?', '\\?')}`)).click();
  await elsewhere.chat.waitForAnswer('completed');
  await elsewhere.context.close();
});

test('after a reload the customer’s conversation is there, though the page says late who is there', async () => {
  await askAsGuest();
  await signIn(page);
  await chat.waitForAnswer('completed');
  let sayWho = () => {};
  const held = new Promise<void>((resolve) => {
    sayWho = resolve;
  });
  await page.route('**/assets/chat.js', async (route) => {
    await held;
    await route.continue();
  });
  await page.reload({ waitUntil: 'commit' });
  await chat.launcher.waitFor();
  await page.waitForTimeout(quietMs);
  sayWho();
  expect(await chat.readBody(await chat.waitForAnswer('completed'))).toContain(answered);
});

test('after sign-out nothing of the customer’s conversation is shown, kept or listed', async () => {
  await askAsGuest();
  await signIn(page);
  await chat.waitForAnswer('completed');
  const { conversationId } = await readKept(page);
  expect(conversationId).toBeTruthy();
  await signOut(page);
  await expect.poll(() => readWidget(page)).not.toContain(answered);
  await expect.poll(async () => (await readKept(page)).conversationId).toBeUndefined();
  await page.reload();
  await page.locator('#account[data-state="signed-out"]').waitFor();
  await chat.show();
  await chat.button('Conversations').click();
  await chat.panel.getByText('No conversations yet.').waitFor();
  expect(await readWidget(page)).not.toContain(answered);
});

test('sign-out in one tab takes the conversation off the other tab too', async () => {
  await askAsGuest();
  await signIn(page);
  await chat.waitForAnswer('completed');
  const second = await context.newPage();
  const other = findChat(second);
  await second.goto(`${demo.url}/about.html`);
  await other.waitForAnswer('completed');
  expect(await readWidget(second)).toContain(answered);
  await signOut(page);
  await expect.poll(() => readWidget(second)).not.toContain(answered);
  await expect.poll(() => readWidget(page)).not.toContain(answered);
});

test('another customer on the same browser never sees a frame of the first one’s text', async () => {
  await askAsGuest();
  await signIn(page);
  await chat.waitForAnswer('completed');
  await signOut(page);
  await expect.poll(() => readWidget(page)).not.toContain(answered);
  await page.evaluate((words) => {
    const root = document.querySelector('porchlight-chat')!.shadowRoot!;
    const scope = window as unknown as { leaked: number };
    scope.leaked = 0;
    const look = () => {
      if (root.textContent?.includes(words)) scope.leaked += 1;
    };
    new MutationObserver(look).observe(root, { subtree: true, childList: true, characterData: true });
  }, answered);
  await signIn(page, 'ben@larkfield.example');
  await chat.show();
  await chat.ask('Hello');
  await chat.waitForAnswer('completed');
  await expect.poll(() => chat.readQuestions()).toEqual(['Hello']);
  expect(await page.evaluate(() => (window as unknown as { leaked: number }).leaked)).toBe(0);
});
