/** Two tabs of one visitor, each with its own conversation and its own undelivered question. */
import { expect, test } from 'vitest';
import { type Chat, findChat } from '../support/browser.ts';
import { startFakeHelper, toPage } from '../support/fakehelper.ts';
import { useStage, useVisitor } from '../support/stage.ts';

const stage = useStage(() =>
  startFakeHelper({
    betweenMs: 60,
    answer: (question) => ({
      pieces: question.startsWith('Long')
        ? Array.from({ length: 60 }, (_, word) => `word${word} `)
        : [`An answer to ${question}`],
    }),
    pages: (path, url) => (path.startsWith('/page') ? { html: toPage(url) } : undefined),
  }),
);
const scene = useVisitor(stage, ({ here }) => `${here}/page`);
const isApi = (url: URL) => /porchlight\/(session|conversations)/.test(url.pathname);

/** Both tabs show a conversation of one answer, and the chat is open in both. */
async function openTwo(): Promise<{ chat: Chat; other: Chat }> {
  const { chat, context } = scene;
  await chat.ask('First?');
  await chat.waitForAnswer('completed');
  const page = await context.newPage();
  await page.goto(`${stage.server.here}/page`);
  const other = findChat(page);
  await other.waitForAnswer('completed');
  return { chat, other };
}

test('both ask while the helper is out of reach, one walks to another page: both questions are asked', async () => {
  const { chat, other } = await openTwo();
  const before = stage.server.asked.length;
  await scene.context.route(isApi, (route) => route.abort());
  await chat.ask('Mine?');
  await chat.panel.getByText('Trying again').first().waitFor();
  await other.ask('The other one?');
  await other.panel.getByText('Trying again').first().waitFor();
  await scene.page.goto(`${stage.server.here}/page2`);
  // The page itself is there, and nothing else yet.
  await chat.panel.waitFor();
  await scene.context.unroute(isApi);
  await expect
    .poll(() => stage.server.asked.slice(before).sort(), { timeout: 25_000 })
    .toEqual(['Mine?', 'The other one?']);
});

test('a refused question stays in its tab over a reload, whatever the other tab asks meanwhile', async () => {
  const { chat, other } = await openTwo();
  await scene.page.route('**/turns/*', (route) =>
    route.fulfill({ status: 429, json: { code: 'rate-limited', retryAfterMs: 20_000 } }),
  );
  await chat.ask('Well thought out?');
  await chat.waitForAnswer('failed');
  await other.ask('Short?');
  await other.waitForAnswer('completed');
  await scene.page.reload();
  await chat.waitForAnswer('failed');
  expect(await chat.readQuestions()).toContain('Well thought out?');
});

test('a refused question is given back in no other tab of the same conversation', async () => {
  const { chat, other } = await openTwo();
  const [, page] = scene.context.pages();
  await page!.route('**/turns/*', (route) =>
    route.fulfill({ status: 429, json: { code: 'rate-limited', retryAfterMs: 20_000 } }),
  );
  await other.ask('Well thought out?');
  await other.waitForAnswer('failed');
  await chat.ask('Short?');
  await expect.poll(chat.readQuestions).toEqual(['First?', 'Short?']);
  await chat.waitForAnswer('completed');
  // It has had time to come.
  await scene.page.waitForTimeout(300);
  expect(await chat.composer.inputValue()).toBe('');
  expect(await other.readQuestions()).toContain('Well thought out?');
});

test('a reload in the middle of an answer shows that conversation, not the one begun in the other tab', async () => {
  const { chat, other } = await openTwo();
  await chat.ask('Long?');
  await chat.waitForWords(5);
  await other.button('New conversation').click();
  await other.ask('Other?');
  await other.waitForAnswer('completed');
  await scene.page.reload();
  await chat.waitForWords(5);
  expect(await chat.readQuestions()).toEqual(['First?', 'Long?']);
  await other.messages.first().waitFor();
  expect(await other.readQuestions()).toEqual(['Other?']);
});

test('a turn that another device has taken back takes its conversation with it nowhere', async () => {
  const { page, chat } = scene;
  await chat.ask('First?');
  await chat.waitForAnswer('completed');
  await page.route('**/turns/*', (route) => {
    const turnId = route.request().url().split('/').at(-1);
    return route.request().method() === 'PUT'
      ? route.fulfill({
          contentType: 'text/event-stream',
          body: `id: 1\nevent: turn-started\ndata: ${JSON.stringify({ turnId })}\n\n`,
        })
      : route.fulfill({ status: 404, json: { code: 'not-found' } });
  });
  await chat.ask('Second?');
  await expect.poll(chat.readQuestions).toEqual(['First?']);
  expect(await chat.panel.innerText()).not.toContain('no longer there');
  await page.unroute('**/turns/*');
  await chat.ask('Third?');
  await chat.waitForAnswer('completed');
  await expect.poll(chat.readQuestions).toEqual(['First?', 'Third?']);
});
