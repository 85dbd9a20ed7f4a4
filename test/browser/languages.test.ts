/** The chat in the visitor's language: what it says, the direction it runs in, and its change while it is used. */
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import type { PorchlightApi } from '../../widget/public.ts';
import { type Chat, findChat } from '../support/browser.ts';
import { startFakeHelper, toPage } from '../support/fakehelper.ts';
import { createGate } from '../support/gate.ts';
import { useStage } from '../support/stage.ts';

declare const Porchlight: PorchlightApi;

const tags: Record<string, [style: 'normal' | 'dock', attributes: string, lang: string]> = {
  '/en': ['normal', '', 'en'],
  '/german-page': ['normal', '', 'de-AT'],
  '/german-tag': ['normal', 'data-language="de"', 'en'],
  '/english-tag': ['normal', 'data-language="en-GB"', 'de'],
  '/dutch-tag': ['normal', 'data-language="nl"', 'en'],
  '/dutch-page': ['normal', '', 'nl'],
  '/own-words': ['normal', `data-words='{"newConversation":"Start over","copyAnswer":"Take it"}'`, 'en'],
  '/own-german-words': ['normal', `data-words='{"newConversation":"Von vorn"}'`, 'de'],
  '/wrong-words': ['normal', `data-words='{"newConversation":"","send":"Ask"}'`, 'en'],
  '/listed-words': ['normal', `data-words='["Ask"]'`, 'en'],
  '/wrong-language': ['normal', `data-words='{"language":"pt_BR"}'`, 'en'],
  '/hebrew-words': ['normal', `data-words='{"language":"he-IL","newConversation":"שיחה חדשה"}'`, 'he'],
  '/arabic': ['normal', '', 'ar'],
  '/arabic-dock': ['dock', '', 'ar-EG'],
};
const stage = useStage(() =>
  startFakeHelper({
    answer: (question) => ({ pieces: [`\`\`\`\nnpm start\n\`\`\`\n\nAn answer to ${question}`] }),
    pages: (path, url) => {
      const [style, attributes, lang] = tags[path] ?? [];
      if (lang === undefined) return undefined;
      return { html: toPage(url, style, attributes).replace('<html lang="en">', `<html lang="${lang}">`) };
    },
  }),
);
let page: Page;
let chat: Chat;
let errors: string[];
async function come(path: string, prepare: () => Promise<unknown> = async () => {}): Promise<void> {
  page = await stage.browser.newPage();
  chat = findChat(page);
  errors = [];
  page.on('console', (line) => line.type() === 'error' && errors.push(line.text()));
  await prepare();
  await page.goto(`${stage.server.here}${path}`);
  await chat.launcher.or(chat.dock).waitFor();
}
afterEach(() => page.close());
const readLanguage = () =>
  chat.panel.evaluate((panel: HTMLElement) => [panel.lang, getComputedStyle(panel).direction]);

describe('the chat speaks', () => {
  test.each([
    ['/en', 'en', 'New conversation'],
    ['/german-page', 'de', 'Neue Unterhaltung'],
    ['/german-tag', 'de', 'Neue Unterhaltung'],
    ['/english-tag', 'en', 'New conversation'],
    ['/dutch-page', 'en', 'New conversation'],
    ['/arabic', 'ar', 'محادثة جديدة'],
  ])('on %s %s', async (path, language, name) => {
    await come(path);
    await chat.open();
    await chat.button(name).waitFor();
    expect((await readLanguage())[0]).toBe(language);
    expect(errors).toEqual([]);
  });
});

test('a language that it does not speak is told to the site owner', async () => {
  await come('/dutch-tag');
  await chat.open();
  await chat.button('New conversation').waitFor();
  expect(errors).toEqual(['Porchlight: data-language nl is not spoken here']);
});

test('the site’s own words run from right to left where their language does', async () => {
  await come('/hebrew-words');
  await chat.open();
  await chat.button('שיחה חדשה').waitFor();
  expect(await readLanguage()).toEqual(['he-IL', 'rtl']);
});

test('Arabic runs from right to left, code and the words of others as they do', async () => {
  await come('/arabic');
  await chat.open();
  expect(await readLanguage()).toEqual(['ar', 'rtl']);
  // Its placeholder stands where what is written in Arabic does.
  const readField = () => chat.composer.evaluate((field) => getComputedStyle(field).direction);
  expect(await readField()).toBe('rtl');
  await chat.composer.fill('Well?');
  expect(await readField()).toBe('ltr');
  await chat.composer.press('Enter');
  const answer = await chat.waitForAnswer('completed');
  const code = answer.locator('pre');
  await code.waitFor();
  expect(await code.evaluate((element) => getComputedStyle(element).direction)).toBe('ltr');
  expect(
    await answer.locator('[part~="body"]').evaluate((element) => getComputedStyle(element).direction),
  ).toBe('ltr');
  // The close button is at the other end, and nothing sticks out.
  const [close, panel] = await Promise.all([
    chat.button('إغلاق الدردشة').boundingBox(),
    chat.panel.boundingBox(),
  ]);
  expect((close?.x ?? 0) - (panel?.x ?? 0)).toBeLessThan(60);
});

test('an Arabic dock says its own words before it is opened', async () => {
  await come('/arabic-dock');
  await expect.poll(() => chat.send.getAttribute('aria-label')).toBe('إرسال');
  expect(await chat.dock.evaluate((dock: HTMLElement) => getComputedStyle(dock).direction)).toBe('rtl');
});

test('the page changes the language while a draft is being written, and back', async () => {
  await come('/en');
  await chat.open();
  await chat.composer.fill('Half a thought');
  await page.evaluate(() => Porchlight.setLanguage('fr-CA'));
  await chat.button('Nouvelle conversation').waitFor();
  expect(await chat.composer.inputValue()).toBe('Half a thought');
  await expect.poll(() => chat.launcher.getAttribute('aria-label')).toBe('Fermer le chat');
  await page.evaluate(() => {
    Porchlight.setLanguage('es');
    Porchlight.setLanguage('constructor');
    Porchlight.setLanguage('en');
  });
  await chat.button('New conversation').waitFor();
  await page.waitForTimeout(300);
  expect(await readLanguage()).toEqual(['en', 'ltr']);
});

test('a language that is slow, or missing, does not keep the chat from opening', async () => {
  const gate = createGate();
  await come('/german-page', () =>
    page.route('**/widget/de-*.js', async (route) => {
      await gate.opened;
      await route.abort();
    }),
  );
  await chat.open();
  await chat.button('New conversation').waitFor();
  gate.open();
  await expect.poll(() => errors.join()).toContain('a file of the widget is missing');
  await chat.ask('Well?');
  await chat.waitForAnswer('completed');
});

test('the site’s own words stand for the chat’s, those of a part that comes later too, in any language', async () => {
  await come('/own-words');
  await chat.open();
  await chat.button('Start over').waitFor();
  await chat.ask('Well?');
  await chat.waitForAnswer('completed');
  await chat.button('Take it').waitFor();
  await chat.button('Copy code').waitFor();
  await page.evaluate(() => Porchlight.setLanguage('de'));
  await chat.button('Code kopieren').waitFor();
  expect(await chat.button('Start over').count()).toBe(1);
});

test('the site’s own words stand beside those of the page’s language, which may be missing', async () => {
  await come('/own-german-words', () => page.route('**/widget/de-*.js', (route) => route.abort()));
  await chat.open();
  await chat.button('Von vorn').waitFor();
  await chat.button('Conversations').waitFor();
});

test.each(['/wrong-words', '/listed-words', '/wrong-language'])(
  'words that are none are told to the site owner (%s)',
  async (path) => {
    await come(path);
    await chat.open();
    await chat.button(path === '/wrong-words' ? 'Ask' : 'Send').waitFor();
    expect(await chat.button('New conversation').count()).toBe(1);
    expect(errors).toEqual([
      'Porchlight: data-words is an object of strings, and its language a tag such as pt-BR',
    ]);
  },
);
