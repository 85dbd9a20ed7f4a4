/** Acceptance 8: the whole chat under the strictest policy that the README's line allows. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChat, launchBrowser } from '../support/browser.ts';
import { type Demo, startDemo } from '../support/demo.ts';
import { type FakeHelper, startFakeHelper, toPage } from '../support/fakehelper.ts';

/** Everything that an answer can be made of. */
const answer = [
  '# Title\n\nText with `code`, **bold**, a [link](https://one.example/) and ![image](https://two.example/i.png).\n\n',
  '| a | b |\n|:-:|--:|\n| 1 | 2 |\n\n- [x] done\n\n```js\nlet a = 1;\n```\n\n> quoted\n',
];

function toPolicy(helperOrigin: string): string {
  return [
    "default-src 'none'",
    `script-src ${helperOrigin}`,
    `connect-src ${helperOrigin}`,
    `img-src ${helperOrigin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

let demo: Demo;
let helper: FakeHelper;
let browser: Browser;
beforeAll(async () => {
  helper = await startFakeHelper({
    answer: () => ({ pieces: answer }),
    pages: (path, url) => {
      const style = /^\/(normal|dock)$/.exec(path)?.[1] as 'normal' | 'dock' | undefined;
      if (!style) return undefined;
      const headers = { 'content-security-policy': toPolicy(new URL(url).origin) };
      return { html: toPage(url, style).replace(/<link[^>]*>/, ''), headers };
    },
  });
  [demo, browser] = await Promise.all([startDemo(), launchBrowser()]);
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
  await helper?.stop();
});

/** A page that notes each violation of its policy, and the chat on it. */
async function visitStrictly(url: string) {
  const context = await browser.newContext();
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => void errors.push(error.message));
  await page.addInitScript(() => {
    const violations: string[] = [];
    Object.assign(window, { violations });
    addEventListener('securitypolicyviolation', (event) => {
      violations.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sample}`);
    });
  });
  await page.goto(url);
  const readViolations = () =>
    page.evaluate(() => (window as unknown as { violations: string[] }).violations);
  return { context, page, chat: findChat(page), errors, readViolations };
}

describe.each(['normal', 'dock'])('in %s style', (style) => {
  test('clause 29: the chat works on a page of another origin whose policy allows the helper alone, without a violation', async () => {
    const { context, page, chat, errors, readViolations } = await visitStrictly(
      `${helper.elsewhere}/${style}`,
    );
    if (style === 'normal') await chat.open();
    await chat.ask('Show me everything');
    const shown = await chat.waitForAnswer('completed');
    for (const name of ['h1', 'table', 'pre', 'blockquote', 'input', 'a'])
      expect(await shown.locator(`[part~="body"] ${name}`).count()).toBeGreaterThan(0);
    await shown.getByRole('button', { name: 'Copy code' }).click();
    await chat.button('Conversations').click();
    await chat.button('Back to the conversation').click();
    await page.reload();
    await chat.waitForAnswer('completed');
    // It is styled, though the policy allows no style at all.
    expect(await chat.panel.evaluate((panel) => getComputedStyle(panel).display)).toBe('flex');
    expect(await readViolations()).toEqual([]);
    expect(errors).toEqual([]);
    await context.close();
  });
});

test('clause 29: the shop page with the strict policy answers, asks for approval and shows it again, without a violation', async () => {
  const { context, page, chat, errors, readViolations } = await visitStrictly(`${demo.url}/strict.html`);
  await chat.open();
  await chat.ask('How long does shipping to Canada take?');
  expect(await chat.readBody(await chat.waitForAnswer('completed'))).toContain('6 to 9 business days');
  await chat.ask('What is the status of order LF-10234? ada@larkfield.example');
  await chat.waitForAnswer('paused');
  await chat.button('Allow').press('Enter');
  await chat.waitForAnswer('completed');
  await page.reload();
  await chat.waitForAnswer('completed');
  expect(await readViolations()).toEqual([]);
  expect(errors).toEqual([]);
  await context.close();
});
