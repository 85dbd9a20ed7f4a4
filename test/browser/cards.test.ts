/** `addMessage`: what a page says unasked, in cards above the closed chat. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { PorchlightApi } from '../../widget/public.ts';
import { type Chat, visit } from '../support/browser.ts';
import { startFakeHelper, toPage } from '../support/fakehelper.ts';
import { useStage } from '../support/stage.ts';

declare const Porchlight: PorchlightApi;

const stage = useStage(() =>
  startFakeHelper({
    answer: (question) => ({ pieces: [`An answer to ${question}`] }),
    starters: ['When are you open?'],
    pages: (path, url) => {
      if (path === '/dock') return { html: toPage(url, 'dock') };
      if (path === '/german') return { html: toPage(url, 'normal', 'data-language="de"') };
      return path === '/' ? { html: toPage(url) } : undefined;
    },
  }),
);

async function come(path = '/', options?: Parameters<typeof visit>[2]) {
  const asked: string[] = [];
  const scene = await visit(stage.browser, 'about:blank', options);
  scene.page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await scene.page.goto(`${stage.server.here}${path}`);
  await scene.page.waitForFunction('window.Porchlight?.open');
  return { ...scene, asked };
}
const say = (page: Page, text: string) => page.evaluate((words) => void Porchlight.addMessage(words), text);
const cards = (chat: Chat) => chat.inside('[part~="card"]');
const words = (chat: Chat) => cards(chat).evaluateAll((all) => all.map((one) => one.firstChild?.textContent));

test('a card is there before the app is, and opens the chat', async () => {
  const { page, chat, asked, context } = await come();
  await say(page, 'Free shipping <b>today</b>.');
  await say(page, 'Questions? Ask here.');
  await cards(chat).nth(1).waitFor();
  expect(await words(chat)).toEqual(['Free shipping <b>today</b>.', 'Questions? Ask here.']);
  expect(asked.filter((path) => /app-|session/.test(path))).toEqual([]);
  expect(await page.evaluate('localStorage.length')).toBe(0);
  const [card, launcher] = [await cards(chat).nth(1).boundingBox(), await chat.launcher.boundingBox()];
  expect(card!.y + card!.height).toBeLessThan(launcher!.y);
  await page.getByRole('button', { name: 'Questions? Ask here.' }).click();
  await chat.composer.waitFor();
  expect(await cards(chat).first().isVisible()).toBe(false);
  await chat.panel.getByRole('button', { name: 'Close chat' }).click();
  await cards(chat).first().waitFor();
  expect(await words(chat)).toEqual(['Free shipping <b>today</b>.']);
  await context.close();
});

test('cards go along with a launcher that the page has moved', async () => {
  const { page, chat, context } = await come();
  const css =
    'porchlight-chat::part(launcher) { bottom: 84px } porchlight-chat::part(cards) { bottom: 152px }';
  await page.addStyleTag({ content: css });
  await say(page, 'Questions? Ask here.');
  await cards(chat).first().waitFor();
  // It rises to where it stands.
  await expect
    .poll(async () => {
      const card = (await cards(chat).first().boundingBox())!;
      return (await chat.launcher.boundingBox())!.y - card.y - card.height;
    })
    .toBe(12);
  await context.close();
});

test('one that was put away stays away, and the focus goes on; one that may not be put away comes again', async () => {
  const { page, chat, context } = await come();
  const sayAll = () =>
    page.evaluate(() => {
      Porchlight.addMessage('One');
      Porchlight.addMessage('Two');
      Porchlight.addMessage('Three', { dismissible: false });
    });
  await sayAll();
  await cards(chat).nth(2).waitFor();
  const dismiss = page.getByRole('button', { name: 'Dismiss' });
  expect(await dismiss.count()).toBe(2);
  await dismiss.first().focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => words(chat)).toEqual(['Two', 'Three']);
  const focused = () =>
    page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.textContent || 'nothing');
  expect(await focused()).toBe('Two');
  await page.reload();
  await page.waitForFunction('window.Porchlight?.open');
  await sayAll();
  await cards(chat).nth(1).waitFor();
  expect(await words(chat)).toEqual(['Two', 'Three']);
  await context.close();
});

test('the page’s own act in place of opening, and its taking back, at once or later', async () => {
  const { page, chat, context } = await come();
  await page.evaluate(() => {
    Porchlight.addMessage('To the sale', {
      onClick: () => {
        document.title = 'clicked';
      },
    });
    Porchlight.addMessage('Never').dismiss();
    const later = Porchlight.addMessage('Later');
    Object.assign(window, { later });
  });
  await cards(chat).nth(1).waitFor();
  expect(await words(chat)).toEqual(['To the sale', 'Later']);
  await page.evaluate('later.dismiss()');
  await page.getByRole('button', { name: 'To the sale' }).click();
  expect(await page.title()).toBe('clicked');
  expect(await cards(chat).count()).toBe(0);
  expect(await chat.composer.count()).toBe(0);
  await context.close();
});

test('of many the last four are shown, and none while the chat is open', async () => {
  const { page, chat, context } = await come();
  for (const text of ['1', '2', '3', '4', '5', '6']) await say(page, text);
  await expect.poll(() => words(chat)).toEqual(['3', '4', '5', '6']);
  await chat.open();
  await say(page, '7');
  await expect.poll(() => words(chat)).toEqual(['4', '5', '6', '7']);
  expect(await cards(chat).last().isVisible()).toBe(false);
  await context.close();
});

test('over a dock they stand free of it', async () => {
  const { page, chat, context } = await come('/dock', { viewport: { width: 700, height: 600 } });
  await chat.dock.waitFor();
  await say(page, 'Questions? Ask here.');
  await cards(chat).first().waitFor();
  const isFree = async () => {
    const [card, dock] = [await cards(chat).first().boundingBox(), await chat.dock.boundingBox()];
    return card!.y + card!.height < dock!.y;
  };
  await expect.poll(isFree).toBe(true);
  await chat.composer.focus();
  await chat.dock.getByRole('button', { name: 'When are you open?' }).waitFor();
  await expect.poll(isFree).toBe(true);
  await context.close();
});

test('its word is in the page’s language', async () => {
  const { page, context } = await come('/german');
  await say(page, 'Fragen?');
  await page.getByRole('button', { name: 'Ausblenden' }).waitFor();
  await context.close();
});

test.each(['light', 'dark'] as const)('axe-core finds nothing, %s', async (colorScheme) => {
  const { page, chat, context } = await come('/', { colorScheme, reducedMotion: 'reduce' });
  await say(page, 'Questions? Ask here.');
  await cards(chat).first().waitFor();
  await page.evaluate(axe.source);
  const found = await page.evaluate(async () => {
    const { run } = (window as unknown as { axe: typeof axe }).axe;
    return (await run({ include: ['porchlight-chat'] })).violations.map(({ id }) => id);
  });
  expect(found).toEqual([]);
  await context.close();
});
