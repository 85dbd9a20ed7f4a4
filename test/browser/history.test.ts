/** Clause 32: a long conversation after a reload, with the built helper and the agent's own record. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, findChat, launchBrowser } from '../support/browser.ts';
import { type Demo, startDemo } from '../support/demo.ts';
import { toPage } from '../support/fakehelper.ts';

const cli = fileURLToPath(new URL('../../dist/server-helper/cli.js', import.meta.url));
const questions = Array.from({ length: 12 }, (_, index) => `Thanks ${index + 1}`);

let demo: Demo;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let chat: Chat;
let stopHelper: (() => Promise<void>) | undefined;
beforeAll(async () => {
  [demo, browser] = await Promise.all([startDemo(), launchBrowser()]);
  const helper = await startUnlimitedHelper(demo);
  stopHelper = helper.stop;
  context = await browser.newContext();
  const home = `${new URL(helper.url).origin}/`;
  await context.route(home, (route) => route.fulfill({ contentType: 'text/html', body: toPage(helper.url) }));
  page = await context.newPage();
  chat = findChat(page);
  await page.goto(home);
  await chat.open();
  for (const [index, question] of questions.entries()) {
    await chat.ask(question);
    await chat.answers.nth(index).and(chat.inside('[data-status="completed"]')).waitFor();
    await chat.send.waitFor();
  }
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await stopHelper?.();
  await demo?.stop();
});

/** Two dozen messages in a row are more than a visitor may ask of the demo. */
async function startUnlimitedHelper({ agent }: Demo): Promise<{ url: string; stop: () => Promise<void> }> {
  const helper = spawn(process.execPath, [cli, 'serve'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      PORT: '0',
      PORCHLIGHT_AGENT_URL: agent.url,
      PORCHLIGHT_API_KEY: agent.apiKey,
      PORCHLIGHT_PROJECT_ID: agent.projectId,
      PORCHLIGHT_BOT_ID: agent.botId,
      PORCHLIGHT_STORE: 'memory',
      PORCHLIGHT_LIMITS: 'off',
    },
  });
  const url = await new Promise<string>((resolve, reject) => {
    helper.once('exit', (code) => reject(new Error(`The helper ended with ${code} before it was ready.`)));
    createInterface(helper.stdout).on('line', (line) => {
      const found = /"url":"([^"]+)"/.exec(line)?.[1];
      if (found) resolve(found);
    });
  });
  const stop = async () => {
    if (helper.exitCode === null && helper.kill('SIGKILL')) await once(helper, 'exit');
  };
  return { url, stop };
}

test('clause 32: after a reload the newest 20 messages are shown, and older ones on scrolling up, in order and once', async () => {
  await page.reload();
  await chat.messages.nth(19).waitFor();
  const newest = await chat.readQuestions();
  expect(newest).toEqual(questions.slice(-newest.length));
  expect(newest.length).toBeGreaterThanOrEqual(10);
  expect(newest.length).toBeLessThan(questions.length);

  const list = chat.inside('.messages');
  const inView = chat.questions.first();
  await list.evaluate((area) => {
    area.scrollTop = 0;
  });
  await expect.poll(() => chat.readQuestions()).toEqual(questions);
  expect(await chat.messages.count()).toBe(2 * questions.length);
  expect(await inView.count()).toBe(1);
});

test('what was in view stays in view when older messages come in above it', async () => {
  await page.reload();
  await chat.messages.nth(19).waitFor();
  const first = (await chat.readQuestions())[0]!;
  const list = chat.inside('.messages');
  await list.evaluate((area) => {
    area.scrollTop = 0;
  });
  await expect.poll(() => chat.readQuestions()).toEqual(questions);
  const question = chat.questions.filter({ hasText: new RegExp(`^${first}$`) });
  const isInView = async () => {
    const [box, area] = [await question.boundingBox(), await list.boundingBox()];
    return box!.y + box!.height > area!.y && box!.y < area!.y + area!.height;
  };
  await expect.poll(isInView).toBe(true);
});

test('the list of conversations opens one, and deletes it for good only after a second click', async () => {
  await chat.button('New conversation').click();
  await chat.ask('Cheers');
  await chat.waitForAnswer('completed');
  await chat.button('Conversations').click();
  const rows = chat.panel.getByRole('listitem');
  await expect.poll(() => rows.count()).toBe(2);
  await chat.button(/^Thanks 1/).click();
  await expect.poll(async () => (await chat.readQuestions()).at(-1)).toBe(questions.at(-1));

  await chat.button('Conversations').click();
  await chat.button('Delete “Cheers”').click();
  expect(await rows.count()).toBe(2);
  await chat.button('Delete for good?').click();
  await expect.poll(() => rows.count()).toBe(1);
  await page.reload();
  await chat.button('Conversations').click();
  await expect.poll(() => rows.count()).toBe(1);
  expect(demo.events('chat.deleted')).toHaveLength(1);
});
