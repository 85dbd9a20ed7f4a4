/** Acceptance 9: answers made of published attacks, in a real browser, live and again from history. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hookCanaries, installWatch, type Watch } from '../support/answerwatch.ts';
import { findChat, launchBrowser } from '../support/browser.ts';
import { type FakeHelper, startFakeHelper, toPage } from '../support/fakehelper.ts';
import { type HostileAnswer, hostileAnswers } from '../support/hostile-answers.ts';

/** Longer than the widget waits between two drawings, so that every piece is drawn. */
const betweenMs = 40;
/** Pages that are attacked at the same time. */
const pages = 2;

type Attacked = { watch: Watch; ran: string[] };

let helper: FakeHelper;
let browser: Browser;
beforeAll(async () => {
  helper = await startFakeHelper({
    betweenMs,
    answer: (question) => {
      const [file, index] = question.split(' ');
      return { pieces: hostileAnswers[file!]![Number(index)]!.pieces };
    },
    pages: (path, url) => (path === '/' ? { html: toPage(url) } : undefined),
  });
  browser = await launchBrowser();
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await helper?.stop();
});

/** Everything that went wrong; nothing, if the widget keeps its promise. */
async function attack(answers: readonly (HostileAnswer & { question: string })[]): Promise<string[]> {
  const context = await browser.newContext({ viewport: { width: 500, height: 400 } });
  const wrong: string[] = [];
  await context.addInitScript(hookCanaries);
  const page = await context.newPage();
  const chat = findChat(page);
  const home = `${helper.here}/`;
  context.on('request', (request) => {
    const url = request.url();
    if (url !== home && !url.startsWith(`${helper.url}/`) && url !== 'data:,') wrong.push(`calls ${url}`);
  });
  context.on('page', (opened) => void wrong.push(`opens ${opened.url()}`));
  page.on('pageerror', (error) => void wrong.push(`throws ${error.message}`));
  page.on('dialog', (dialog) => void wrong.push(`asks ${dialog.message()}`));

  await page.goto(home);
  await chat.open();
  await page.evaluate(installWatch);
  const globals = await page.evaluate(() => Object.keys(window).sort().join());
  await page.evaluate(async (all) => {
    const { watch } = window as unknown as Attacked;
    for (const { question, name, mustShow } of all) await watch.ask(question, name, mustShow);
  }, answers);
  const live = await page.evaluate(() => (window as unknown as Attacked).watch.readAll());
  const ofLive = await page.evaluate(() => {
    const { watch, ran } = window as unknown as Attacked;
    return [...watch.readFaults(), ...ran];
  });
  expect(await page.evaluate(() => Object.keys(window).sort().join())).toBe(globals);

  await page.reload();
  await chat.answers.nth(answers.length - 1).waitFor();
  await page.evaluate(installWatch);
  const readAgain = () => page.evaluate(() => (window as unknown as Attacked).watch.readAll());
  // What reads markdown, and rare character references, comes when it comes.
  const isRead = async () => (await readAgain()).every((html, index) => html === live[index]);
  await expect
    .poll(isRead)
    .toBe(true)
    .catch(() => {});
  const ofHistory = await page.evaluate(
    (names) => {
      const { watch, ran } = window as unknown as Attacked;
      watch.checkAll(names);
      return [...watch.readFaults(), ...ran];
    },
    answers.map(({ name }) => name),
  );
  const again = await readAgain();
  for (const [index, html] of again.entries())
    if (html !== live[index])
      wrong.push(`${answers[index]!.name}: live ${live[index]}, from history ${html}`);
  if (page.url() !== home) wrong.push(`leads to ${page.url()}`);
  await context.close();
  return [...wrong, ...ofLive, ...ofHistory];
}

test.each(Object.entries(hostileAnswers))(
  'clause 30: no answer of %s runs a script, calls a host or becomes more than markdown, live or from history',
  async (file, answers) => {
    const all = answers.map((answer, index) => ({ ...answer, question: `${file} ${index}` }));
    const size = Math.ceil(all.length / pages);
    const parts = Array.from({ length: pages }, (_, at) => all.slice(at * size, (at + 1) * size));
    const wrong = await Promise.all(parts.map(attack));
    expect(wrong.flat()).toEqual([]);
    expect(helper.asked.filter((question) => question.startsWith(`${file} `))).toHaveLength(answers.length);
  },
  60_000,
);
