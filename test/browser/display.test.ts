/** What the page makes of an answer before it is shown: no frame and no voice has what it takes out. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startFakeHelper, toPage } from '../support/fakehelper.ts';
import { useStage, useVisitor } from '../support/stage.ts';

const script = `<script>
  (window.Porchlight ||= []).push(['onBeforeDisplay', ({ text }) =>
    text.includes('not for you') ? null : text.replace(/order \\w*/g, '**an order**')]);
</script>`;
const stage = useStage(() =>
  startFakeHelper({
    answer: (question) => ({
      pieces: question === 'Hide?' ? ['This is ', 'not for you.'] : ['It is order zq', 'xj of yours', '.'],
    }),
    pages: (path, url) =>
      path === '/' ? { html: toPage(url).replace('<title>', `${script}<title>`) } : undefined,
  }),
);
const scene = useVisitor(stage, ({ here }) => `${here}/`);

/** Whether these words were ever drawn since. */
async function watch(page: Page, words: string): Promise<() => Promise<boolean>> {
  await page.addInitScript((words) => {
    const scope = window as unknown as { wasSeen: boolean };
    scope.wasSeen = false;
    const look = () => {
      if (document.querySelector('porchlight-chat')?.shadowRoot?.textContent?.includes(words))
        scope.wasSeen = true;
      requestAnimationFrame(look);
    };
    look();
  }, words);
  await page.reload();
  return () => page.evaluate(() => (window as unknown as { wasSeen: boolean }).wasSeen);
}

test('an answer is rewritten as it comes, in history and where it is read out', async () => {
  const { chat, page } = scene;
  // No number, which the time below the answer may have in it.
  const wasSeen = await watch(page, 'zq');
  await chat.ask('Where is it?');
  const answer = await chat.waitForAnswer('completed');
  expect(await chat.readBody(answer)).toBe('It is an order of yours.');
  expect(await answer.locator('strong').innerText()).toBe('an order');
  await expect.poll(() => chat.announcer.innerText()).toBe('Answer: It is an order of yours.');
  expect(await wasSeen()).toBe(false);
  await page.reload();
  expect(await chat.readBody(await chat.waitForAnswer('completed'))).toBe('It is an order of yours.');
  expect(await wasSeen()).toBe(false);
});

test('an answer that the page hides leaves the question alone, and is not read out', async () => {
  const { chat, page } = scene;
  await chat.ask('Hide?');
  await expect.poll(() => chat.stop.count()).toBe(0);
  expect([await chat.answers.count(), await chat.readQuestions()]).toEqual([0, ['Hide?']]);
  expect((await chat.announcer.innerText()).trim()).toBe('');
  const wasSeen = await watch(page, 'not for');
  await expect.poll(() => chat.readQuestions()).toEqual(['Hide?']);
  await chat.ask('Where is it?');
  await chat.waitForAnswer('completed');
  expect(await chat.answers.count()).toBe(1);
  expect(await wasSeen()).toBe(false);
});

test('without the file that it needs an answer is shown as it is, and that is told', async () => {
  const { chat, page } = scene;
  const errors: string[] = [];
  page.on('console', (line) => void (line.type() === 'error' && errors.push(line.text())));
  await page.route('**/rare-*.js', (route) => route.abort());
  await page.reload();
  await chat.ask('Where is it?');
  expect(await chat.readBody(await chat.waitForAnswer('completed'))).toBe('It is order zqxj of yours.');
  expect(errors.join()).toContain('a file of the widget is missing');
});
