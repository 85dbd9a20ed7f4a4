/** The recipes of docs/site-owners.md, docs/identity.md and docs/operation.md, each on a page of its own, do what they say. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { visit } from '../support/browser.ts';
import { startFakeHelper, toPage } from '../support/fakehelper.ts';
import { createGate } from '../support/gate.ts';
import { useStage } from '../support/stage.ts';

const guides = ['docs/site-owners.md', 'docs/identity.md', 'docs/operation.md']
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n');
const snippets = [...guides.matchAll(/^```(html|js)\n([\s\S]*?)^```$/gm)].map(([, language, text]) => ({
  language,
  text: text!,
}));
const find = (words: string) => snippets.find(({ text }) => text.includes(words))!;
const pages: Record<string, string> = {
  '/button': 'Ask us',
  '/link': "['send'",
  '/look': '<style>',
  '/token': '/api/chat-token',
  '/challenge': 'cf-turnstile',
  '/manager': "createElement('script')",
};

/** A tag manager makes scripts of its own, with the address and the text of what it is given, and nothing else. */
const toManaged = (
  given: string,
) => `<!doctype html><html lang="en"><title>A page</title><link rel="icon" href="data:,"><body><script>
  const given = ${JSON.stringify(given).replaceAll('</', '<\\/')};
  for (const { src, text } of new DOMParser().parseFromString(given, 'text/html').scripts) {
    const made = document.createElement('script');
    Object.assign(made, src ? { src } : { text });
    document.body.append(made);
  }</script>`;

const stage = useStage(() =>
  startFakeHelper({
    answer: (question) => ({ pieces: [`An answer to ${question}`] }),
    pages: (path, helper) => {
      const words = pages[path];
      if (words === undefined) return undefined;
      const { language, text } = find(words);
      const own = text.includes('loader.js') ? '' : toPage(helper).match(/<script async.*?<\/script>/)![0];
      if (path === '/manager') return { html: toManaged(text) };
      const said = language === 'js' ? `<script>${text}</script>` : text.replace('/contact.html', '#');
      return {
        html: `<!doctype html><html lang="en"><title>A page</title><link rel="icon" href="data:,"><body>${own}${said}`,
      };
    },
  }),
);
const come = async (path: string) => {
  const { page, chat } = await visit(stage.browser, 'about:blank');
  await page.goto(`${stage.server.here}${path}`);
  return { page, chat };
};

test('a button of the page’s own opens the chat, which has none', async () => {
  const { page, chat } = await come('/button');
  await page.getByRole('button', { name: 'Ask us' }).click();
  await chat.panel.waitFor();
  expect(await chat.launcher.count()).toBe(0);
});

test('a click before the loader has come opens the chat once it is there', async () => {
  const { page, chat } = await visit(stage.browser, 'about:blank');
  const gate = createGate();
  await page.route('**/widget/loader*.js', async (route) => {
    await gate.opened;
    await route.continue();
  });
  await page.goto(`${stage.server.here}/button`, { waitUntil: 'commit' });
  await page.getByRole('button', { name: 'Ask us' }).click();
  gate.open();
  await chat.panel.waitFor();
  await page.close();
});

test('a link asks', async () => {
  const { page, chat } = await come('/link');
  await page.getByRole('link').click();
  await chat.waitForAnswer('completed');
  expect(await chat.readQuestions()).toEqual(['How long does shipping take?']);
});

test('the site’s colours, letters and room are the chat’s', async () => {
  const { page, chat } = await come('/look');
  const launcher = chat.launcher;
  await launcher.waitFor();
  const look = await launcher.evaluate((button) => {
    const { bottom, right } = button.getBoundingClientRect();
    return [getComputedStyle(button).backgroundColor, innerHeight - bottom, innerWidth - right];
  });
  expect(look).toEqual(['rgb(122, 62, 157)', 32, 32]);
  await chat.open();
  expect(await chat.panel.evaluate((panel) => getComputedStyle(panel).fontFamily)).toBe('Georgia, serif');
  await page.close();
});

test('a page’s function is asked for a token when the chat is opened, and not before', async () => {
  const { page, chat } = await come('/token');
  const asked: string[] = [];
  await page.route('**/api/chat-token', (route) => {
    asked.push(route.request().url());
    return route.fulfill({ json: { token: null } });
  });
  await chat.launcher.waitFor();
  expect(asked).toEqual([]);
  await chat.open();
  await expect.poll(() => asked.length).toBe(1);
});

/** Refuses so many responses to a challenge. @returns all that were said */
async function refuseFirst(page: Page, count: number): Promise<readonly string[]> {
  const said: string[] = [];
  await page.route('**/turns/*', (route) => {
    if (route.request().method() !== 'PUT') return route.continue();
    said.push(route.request().postDataJSON().page?.context?.challenge);
    return said.length <= count
      ? route.fulfill({ status: 403, json: { code: 'challenge-failed', retryable: true } })
      : route.continue();
  });
  return said;
}

test('what Turnstile gives the page goes with the question, and where it is spent another is got and sent', async () => {
  const { page, chat } = await visit(stage.browser, 'about:blank');
  await page.route('https://challenges.cloudflare.com/**', (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      body: `let at = 0;
        const [{ dataset }] = document.querySelectorAll('.cf-turnstile');
        const give = () => window[dataset.callback]((window.given = 'response-' + ++at));
        window.turnstile = { reset: give };
        give();`,
    }),
  );
  // As ones that have been good once, or were asked before there was one.
  const said = await refuseFirst(page, 2);
  const readGiven = () => page.evaluate(() => (window as unknown as { given: string }).given);
  await page.goto(`${stage.server.here}/challenge`);
  await chat.open();
  await chat.ask('Do you ship?');
  for (const times of [1, 2]) {
    await expect.poll(() => said.length).toBe(times);
    await expect.poll(readGiven).not.toBe(said.at(-1));
    const given = await readGiven();
    if (times === 2) await page.reload();
    await chat.button('Try again').click();
    await expect.poll(() => said[times]).toMatch(/^response-/);
    expect(times === 2 ? said[2] : given).toBe(said[times]);
  }
  await chat.waitForAnswer('completed');
  expect(said).toHaveLength(3);
  expect(said[1]).not.toBe(said[0]);
});

test('what the page says by then is sent from another page too', async () => {
  const { page, chat } = await visit(stage.browser, 'about:blank');
  const said = await refuseFirst(page, 1);
  await page.route('**/api/chat-token', (route) => route.fulfill({ json: { token: null } }));
  const say = (challenge: string) =>
    page.evaluate((value) => window.Porchlight?.push?.(['setContext', { challenge: value }]), challenge);
  await page.goto(`${stage.server.here}/look`);
  await chat.open();
  await say('of before');
  await chat.ask('Do you ship?');
  await chat.button('Try again').waitFor();
  await page.goto(`${stage.server.here}/token`);
  await chat.show();
  await say('of now');
  await chat.button('Try again').click();
  await chat.waitForAnswer('completed');
  expect(said).toEqual(['of before', 'of now']);
});

test('from a tag manager the tag keeps what it says', async () => {
  const { page, chat } = await come('/manager');
  await chat.dock.waitFor();
  await chat.ask('Anything?');
  await chat.waitForAnswer('completed');
  expect(await page.evaluate(() => Object.keys(sessionStorage).join())).not.toContain('undefined');
});
