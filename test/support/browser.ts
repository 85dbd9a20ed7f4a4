/** A real browser over the built bundle, and the chat on its pages as a black-box visitor finds it. */
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';
import { findChromium } from './chromium.ts';

const launchArgs = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Long enough for a busy machine of two cores; what is expected is waited for, never slept for. */
export const patienceMs = 15_000;

/**
 * @param keepsPages Back shows pages out of the browser's memory, as it does for people, where there is a whole one
 * @param showsBars scroll bars take room, as they do for who has a mouse
 */
export async function launchBrowser({ keepsPages = false, showsBars = false } = {}): Promise<Browser> {
  requireBuild();
  const { path, env } = await findChromium(keepsPages);
  const left = [keepsPages && '--disable-back-forward-cache', showsBars && '--hide-scrollbars'];
  return chromium.launch({
    executablePath: path,
    args: keepsPages ? [...launchArgs, '--enable-features=BackForwardCache'] : launchArgs,
    ignoreDefaultArgs: left.filter((one) => one !== false),
    env: { ...(process.env as Record<string, string>), ...env },
  });
}

/** These tests are about what is shipped. */
export function requireBuild(): void {
  if (!existsSync(new URL('../../dist/widget/loader.js', import.meta.url)))
    throw new Error('The widget is not built: run `npm run build` first.');
}

/** A visitor of its own: nothing is shared with another one. */
export async function visit(browser: Browser, url: string, options?: BrowserContextOptions) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const chat = findChat(page);
  await page.goto(url);
  return { context, page, chat };
}

/** Cuts the network, and waits until a request of the page's fails: Chromium lets a first one through now and then. */
export async function goOffline(page: Page): Promise<void> {
  await page.context().setOffline(true);
  await page.waitForFunction(`fetch('/').then(() => false, () => true)`);
}

/** @returns what collects the page's garbage and tells whether what `window.gone`, a WeakRef, was for has gone with it */
export async function watchGone(page: Page): Promise<() => Promise<boolean>> {
  const session = await page.context().newCDPSession(page);
  return async () => {
    await session.send('HeapProfiler.collectGarbage');
    return page.evaluate<boolean>('gone.deref() === undefined');
  };
}

export type AnswerStatus = 'sending' | 'writing' | 'completed' | 'paused' | 'stopped' | 'failed';

/** What a client that knows only the documented parts can find and do. */
export function findChat(page: Page) {
  page.setDefaultTimeout(patienceMs);
  const inside = (selector: string) => page.locator(`porchlight-chat ${selector}`);
  const part = (name: string) => inside(`[part~="${name}"]`);
  const answers = inside('[part~="message"][data-role="agent"]');
  const questions = inside('[part~="message"][data-role="visitor"]');
  const composer = part('composer');
  const toBody = (message: Locator) => message.locator('[part~="body"]');

  return {
    inside,
    launcher: part('launcher'),
    dock: part('dock'),
    panel: part('panel'),
    composer,
    send: part('send'),
    stop: part('stop'),
    announcer: part('announcer'),
    messages: part('message'),
    answers,
    questions,
    button: (name: string | RegExp) => part('panel').getByRole('button', { name, exact: true }),
    async open() {
      await part('launcher').click();
      await part('panel').waitFor();
    },
    /** Opens the chat, or leaves it open where a reload brings it back by itself: a click then would close it. */
    async show() {
      await page.evaluate(`(window.Porchlight ??= []).push(['open'])`);
      await part('panel').waitFor();
    },
    async ask(question: string) {
      await composer.fill(question);
      await composer.press('Enter');
    },
    /** Waits until the newest answer has this status. */
    async waitForAnswer(status: AnswerStatus): Promise<Locator> {
      const newest = answers.last();
      await newest.and(page.locator(`[data-status="${status}"]`)).waitFor();
      return newest;
    },
    /** Waits until the newest answer is being written and shows at least so many words. */
    async waitForWords(count: number): Promise<void> {
      const words = new RegExp(`(\\S+\\s+){${count}}`);
      await toBody(answers.last()).filter({ hasText: words }).waitFor();
    },
    /** Once what reads markdown is there, which may come after the end of the answer. */
    async readBody(message: Locator) {
      await message.locator('.body:not(.unread:empty)').first().waitFor({ state: 'attached' });
      return (await toBody(message).allInnerTexts()).join('').trim();
    },
    readAnswers: async () => (await toBody(answers).allInnerTexts()).map((text) => text.trim()),
    readQuestions: async () => (await toBody(questions).allInnerTexts()).map((text) => text.trim()),
  };
}

export type Chat = ReturnType<typeof findChat>;

/** Whether this browser tries an import again that has failed: Chromium up to 153 keeps a failure until the page goes. */
export async function triesImportsAgain(page: Page): Promise<boolean> {
  const file = '**/porchlight-probe.js';
  // As text: what is compiled for Node would import in another way.
  const load = (): Promise<boolean> =>
    page.evaluate(`import('/porchlight-probe.js').then(() => true, () => false)`);
  await page.route(file, (route) => route.abort());
  await load();
  await page.unroute(file);
  await page.route(file, (route) => route.fulfill({ contentType: 'text/javascript', body: '' }));
  return load();
}
