/** When something goes wrong the visitor reads so, loses nothing, and never asks twice. */
import type { Route } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { findChat, visit } from '../support/browser.ts';
import { startFakeHelper, toPage } from '../support/fakehelper.ts';
import { useStage, useVisitor } from '../support/stage.ts';

const stage = useStage(() =>
  startFakeHelper({
    answer: (question, times) => {
      if (question === 'Fail for good?')
        return { pieces: ['Half of'], end: { failed: { code: 'agent-refused', retryable: false } } };
      return question === 'Fail once?' && times === 0
        ? { pieces: ['Half of an'], end: { failed: { code: 'agent-unavailable', retryable: true } } }
        : { pieces: ['The whole ', 'answer.'] };
    },
    pages: (path, url) => {
      if (path === '/') return { html: toPage(url) };
      // Nothing of a helper there, and a page that stands for everything.
      if (path === '/nowhere') return { html: toPage(url, 'normal', 'data-helper="/no/helper"') };
      if (path === '/spa') return { html: toPage(url, 'normal', 'data-helper="/app"') };
      return path.startsWith('/app/') ? { html: '<h1>An app</h1>' } : undefined;
    },
  }),
);
const scene = useVisitor(stage, ({ here }) => `${here}/`);
let askedBefore: number;
beforeEach(() => {
  askedBefore = stage.server.asked.length;
});

const readAsked = () => stage.server.asked.slice(askedBefore);

/** Answers the next question with this instead of the stage.server. */
async function answerOnce(response: { status: number; contentType: string; body: string }): Promise<void> {
  await scene.page.route(
    `${stage.server.url}/conversations/*/turns/*`,
    (route) =>
      route.request().method() === 'PUT'
        ? route.fulfill({ ...response, headers: { 'access-control-allow-origin': '*' } })
        : route.fallback(),
    { times: 1 },
  );
}

function toProblem(status: number, problem: object) {
  return { status, contentType: 'application/problem+json', body: JSON.stringify(problem) };
}

test('an answer that fails keeps what was said, is marked failed, and a click asks once more', async () => {
  await scene.chat.ask('Fail once?');
  const failed = await scene.chat.waitForAnswer('failed');
  expect(await scene.chat.readBody(failed)).toBe('Half of an');
  await failed.getByText('This answer is incomplete.').waitFor();
  await scene.chat.button('Try again').click();
  expect(await scene.chat.readBody(await scene.chat.waitForAnswer('completed'))).toBe('The whole answer.');
  expect(await scene.chat.readQuestions()).toEqual(['Fail once?']);
  expect(await scene.chat.readAnswers()).toEqual(['The whole answer.']);
  await scene.page.reload();
  await scene.chat.waitForAnswer('completed');
  expect(await scene.chat.readAnswers()).toEqual(['The whole answer.']);
});

test('an answer that failed for good offers no second try, and is still marked failed after a reload', async () => {
  await scene.chat.ask('Fail for good?');
  const failed = await scene.chat.waitForAnswer('failed');
  expect(await failed.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  await scene.page.reload();
  expect(await scene.chat.readBody(await scene.chat.waitForAnswer('failed'))).toBe('Half of');
});

test('a question asked offline waits, says so, and is sent once when the network is back', async () => {
  await scene.chat.ask('Before?');
  await scene.chat.waitForAnswer('completed');
  await scene.context.setOffline(true);
  await scene.chat.ask('Are you there?');
  const waiting = await scene.chat.waitForAnswer('sending');
  await waiting.getByText('You are offline.').waitFor();
  expect(readAsked()).toEqual(['Before?']);
  await scene.context.setOffline(false);
  await scene.chat.waitForAnswer('completed');
  expect(readAsked()).toEqual(['Before?', 'Are you there?']);
  expect(await scene.chat.readAnswers()).toEqual(['The whole answer.', 'The whole answer.']);
});

test('a question asked offline is sent once, though the page was reloaded before the network was back', async () => {
  await scene.chat.ask('Before?');
  await scene.chat.waitForAnswer('completed');
  await scene.page.route(`${stage.server.url}/conversations/**`, (route) =>
    route.abort('internetdisconnected'),
  );
  await scene.chat.ask('Still there?');
  await scene.chat.waitForAnswer('sending');
  await scene.page.unroute(`${stage.server.url}/conversations/**`);
  await scene.page.reload();
  await scene.chat.answers.nth(1).waitFor();
  await scene.chat.waitForAnswer('completed');
  expect(readAsked()).toEqual(['Before?', 'Still there?']);
  expect(await scene.chat.readQuestions()).toEqual(['Before?', 'Still there?']);
});

test('a session whose hour is over is renewed once, without a word to the visitor', async () => {
  await scene.chat.ask('Before?');
  await scene.chat.waitForAnswer('completed');
  const sessionsBefore = stage.server.requests.filter((request) => request.endsWith('/session')).length;
  await answerOnce(toProblem(401, { status: 401, code: 'session-expired' }));
  await scene.chat.ask('Who am I?');
  await scene.chat.answers.nth(1).waitFor();
  await scene.chat.waitForAnswer('completed');
  expect(stage.server.requests.filter((request) => request.endsWith('/session'))).toHaveLength(
    sessionsBefore + 1,
  );
  expect(readAsked()).toEqual(['Before?', 'Who am I?']);
  expect(await scene.chat.inside('.failed').count()).toBe(0);
});

test('too many questions: the widget counts the wait down, and then a click asks', async () => {
  await answerOnce(toProblem(429, { status: 429, code: 'rate-limited', retryAfterMs: 1500 }));
  await scene.chat.ask('May I?');
  const failed = await scene.chat.waitForAnswer('failed');
  await failed.getByText('Too many questions at once.').waitFor();
  const retry = failed.getByRole('button', { name: /^Try again/ });
  expect(await retry.isDisabled()).toBe(true);
  expect(await retry.textContent()).toMatch(/^Try again in [12] s$/);
  await scene.chat.button('Try again').click();
  await scene.chat.waitForAnswer('completed');
  expect(readAsked()).toEqual(['May I?']);
});

test('the page of a captive portal is never shown as an answer, and the question can be asked again', async () => {
  await answerOnce({ status: 200, contentType: 'text/html', body: '<h1>Accept our terms</h1>' });
  await scene.chat.ask('Is this you?');
  const failed = await scene.chat.waitForAnswer('failed');
  expect(await scene.chat.readBody(failed)).toBe('');
  expect(await scene.chat.panel.textContent()).not.toContain('Accept our terms');
  await scene.chat.button('Try again').click();
  await scene.chat.waitForAnswer('completed');
  expect(readAsked()).toEqual(['Is this you?']);
  expect(await scene.chat.readQuestions()).toEqual(['Is this you?']);
});

test.each([
  ['there is no helper where the tag says', '/nowhere', undefined],
  ['a page answers where the tag says that the helper is', '/spa', undefined],
  [
    'the helper does not know the page’s origin',
    '/',
    (route: Route) =>
      route.fulfill({ status: 403, headers: { 'access-control-allow-origin': 'https://other.example' } }),
  ],
  ['something before the helper refuses', '/', (route: Route) => route.fulfill({ status: 403, body: 'No.' })],
  ['the helper does not run', '/', (route: Route) => route.abort('connectionrefused')],
] as const)(
  'when %s the chat is said to be out of reach, and the console says where to look',
  async (_, path, session) => {
    // From another origin, so that the browser itself refuses what does not allow it.
    const origin = stage.server.elsewhere;
    const page = await scene.context.newPage();
    const chat = findChat(page);
    const lines: string[] = [];
    page.on('console', (line) => {
      if (line.text().startsWith('Porchlight:')) lines.push(line.text());
    });
    if (session) await page.route('**/session', session);
    await page.goto(origin + path);
    await chat.open();
    await chat.panel.getByText('The chat cannot be reached right now.').first().waitFor();
    expect(await chat.panel.textContent()).not.toContain('offline');
    await chat.button('Try again').click();
    await chat.button('Try again').waitFor();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(`page ${origin}: no answer.`);
  },
);

test('a start that failed is tried again by a click, and the greeting comes', async () => {
  const { context, page, chat } = await visit(stage.browser, `${stage.server.here}/`);
  // One that is out of reach is looked for without a click.
  const refuse = { status: 500, json: { code: 'internal' } };
  await page.route('**/session', (route) => route.fulfill(refuse), { times: 1 });
  await chat.open();
  await chat.button('Try again').click();
  await chat.panel.getByText('Hello.').waitFor();
  expect(await chat.button('Try again').count()).toBe(0);
  await context.close();
});

test('a question that a silent helper does not take ends with a way to ask again, and is asked once', async () => {
  const { page, chat } = scene;
  await page.clock.install();
  await page.route(`${stage.server.url}/conversations/**`, (route) => route.abort('connectionrefused'));
  await chat.ask('Anybody?');
  await chat.panel.getByText('The chat cannot be reached. Trying again.').first().waitFor();
  for (let tries = 0; tries < 8; tries += 1) await page.clock.runFor(20_000);
  await chat.waitForAnswer('failed');
  await page.unroute(`${stage.server.url}/conversations/**`);
  await chat.button('Try again').click();
  await chat.waitForAnswer('completed');
  expect(readAsked()).toEqual(['Anybody?']);
});
