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
