/** Back, with the browser's own memory of pages: nobody's words are in the frame that it shows before any script runs. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findChat } from '../support/browser.ts';
import { createGate } from '../support/gate.ts';
import { sign } from '../support/identity-site.ts';
import { adas, bens, secret, setUpVisits } from '../support/identity-visits.ts';

const here = setUpVisits({ keepsPages: true });

const goBack = (page: Page) => page.evaluate(() => history.back()).catch(() => {});
/** What is asked while the browser changes the page is asked again. */
const isAsBefore = async (page: Page) => {
  const read = () => page.evaluate(() => 'before' in window).catch(() => undefined);
  await expect.poll(read).toBeDefined();
  return (await read()) === true;
};

/** To a page without the chat. @returns whether Back then shows the page as it was kept */
async function leaveAndComeBack(
  page: Page,
  meanwhile: () => Promise<unknown> = async () => {},
): Promise<boolean> {
  await page.evaluate(() => Object.assign(window, { before: true }));
  await page.goto(`${here.site.url}/bare`);
  await meanwhile();
  await goBack(page);
  await page.locator('porchlight-chat').waitFor({ state: 'attached' });
  return isAsBefore(page);
}

test('a page on which somebody who signed in has the chat open is not kept: Back asks for it anew', async () => {
  const { page, chat } = await here.chatAsAda('/callback');
  expect(await leaveAndComeBack(page, () => sign(page, 'ben'))).toBe(false);
  await expect.poll(() => here.site.sessions.at(-1)).toBe(bens);
  await chat.launcher.waitFor();
  await chat.show();
  expect(await chat.readQuestions()).toEqual([]);
});

/** Some keep no page at all, or none with an open channel to its other tabs. */
async function keepsPages(): Promise<boolean> {
  const page = await here.context.newPage();
  await page.goto(`${here.site.url}/bare`);
  await page.evaluate(() => Object.assign(window, { before: new BroadcastChannel('a probe') }));
  await page.goto(`${here.site.url}/bare?next`);
  await goBack(page);
  await expect.poll(() => page.evaluate(() => location.search).catch(() => 'on its way')).toBe('');
  return isAsBefore(page);
}

test('with the chat closed it is kept, and so is a guest\u2019s', async () => {
  const isKept = await keepsPages();
  const { page } = await here.chatAsAda('/callback');
  expect(here.site.sessions.at(-1)).toBe(adas);
  await page.evaluate(() => (window as unknown as { Porchlight: { close(): void } }).Porchlight.close());
  expect(await leaveAndComeBack(page)).toBe(isKept);
  const guest = await here.visit('/plain');
  await guest.chat.open();
  expect(await leaveAndComeBack(guest.page)).toBe(isKept);
});

test('where the page says that somebody is there it is not kept while the session is still opening', async () => {
  const { page } = await here.visit('/plain');
  await sign(page, 'ada');
  await page.goto(`${here.site.url}/callback`);
  const gate = createGate();
  here.site.today.sessionGate = gate;
  const chat = findChat(page);
  await chat.open();
  await chat.ask(secret);
  await chat.waitForAnswer('sending');
  expect(await leaveAndComeBack(page, () => sign(page, 'ben'))).toBe(false);
  gate.open();
});

/** A guest has asked on a page, walks to another one with the chat, and does something there. @returns once Back shows the first, as it was kept where the browser does that */
async function walkAndComeBack(there: (chat: ReturnType<typeof findChat>, page: Page) => Promise<unknown>) {
  const { page, chat } = await here.visit('/plain');
  await chat.show();
  await here.askAs(chat, /^anonymous/, 'First?');
  await page.goto(`${here.site.url}/plain?two`);
  await chat.panel.waitFor();
  await expect.poll(chat.readQuestions).toEqual(['First?']);
  await there(chat, page);
  await goBack(page);
  await expect.poll(() => page.evaluate(() => location.search).catch(() => 'on its way')).toBe('');
  return { page, chat };
}

test.each(['in the same conversation', 'in a new one'])(
  'what was asked on a page that is left by Back before the helper took it is asked, once, and shown on the page that was kept: %s',
  async (where) => {
    const isHeld = { now: true };
    await here.context.route('**/turns/*', (route) => (isHeld.now ? undefined : route.continue()));
    isHeld.now = false;
    const back = await walkAndComeBack(async (chat) => {
      if (where === 'in a new one') await chat.button('New conversation').click();
      isHeld.now = true;
      await chat.ask('Second?');
      await chat.waitForAnswer('sending');
      isHeld.now = false;
    });
    const earlier = where === 'in a new one' ? [] : ['First?'];
    await expect.poll(back.chat.readQuestions).toEqual([...earlier, 'Second?']);
    await back.chat.waitForAnswer('completed');
    expect(here.site.asked.filter((line) => line.endsWith('Second?'))).toHaveLength(1);
    await here.askAs(back.chat, /^anonymous/, 'Third?');
    await back.page.reload();
    await expect.poll(back.chat.readQuestions).toEqual([...earlier, 'Second?', 'Third?']);
  },
);

test('a kept page has the draft of the page that was left', async () => {
  const { chat } = await walkAndComeBack(async (there, page) => {
    await there.composer.fill('Half a question');
    await expect.poll(() => page.evaluate(() => JSON.stringify(sessionStorage))).toContain('Half a question');
  });
  await expect.poll(() => chat.composer.inputValue()).toBe('Half a question');
});

test('a draft that was written on after is not there twice, and one that was sent or deleted meanwhile not again', async () => {
  const { page, chat } = await here.visit('/plain');
  await chat.show();
  await here.askAs(chat, /^anonymous/, 'First?');
  const readKept = () =>
    page.evaluate(() => {
      const name = Object.keys(sessionStorage).find((one) => one.startsWith('porchlight-tab '));
      return JSON.parse(sessionStorage.getItem(name!)!).draft;
    });
  const write = async (text: string) => {
    await chat.composer.fill(text);
    // It is kept once it is drawn, which takes a busy machine a moment.
    await expect.poll(readKept).toBe(text);
  };
  await write('Half a question');
  for (const [path, before, next] of [
    ['two', 'Half a question', 'Half a quest, or a whole one'],
    ['three', 'Half a quest, or a whole one', ''],
  ] as const) {
    await page.goto(`${here.site.url}/plain?${path}`);
    await expect.poll(() => chat.composer.inputValue()).toBe(before);
    await write(next);
    await goBack(page);
    await expect.poll(() => page.evaluate(() => location.search).catch(() => 'on its way')).toBe('');
    await expect.poll(() => chat.composer.inputValue()).toBe(next);
  }
  await here.askAs(chat, /^anonymous/, 'Second?');
});

test('the chat of a kept page is closed where that of the page that was left was', async () => {
  const { chat } = await walkAndComeBack(async (there) => {
    await there.button('Close chat').click();
    await expect.poll(() => there.panel.count()).toBe(0);
  });
  await expect.poll(() => chat.panel.count()).toBe(0);
});
