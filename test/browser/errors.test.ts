/** When something goes wrong the visitor reads so, loses nothing, and never asks twice. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Chat, launchBrowser, visit } from '../support/browser.ts';
import { type FakeHelper, startFakeHelper, toPage } from '../support/fakehelper.ts';

let helper: FakeHelper;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let chat: Chat;
let askedBefore: number;
beforeAll(async () => {
  helper = await startFakeHelper({
    answer: (question, times) => {
      if (question === 'Fail for good?')
        return { pieces: ['Half of'], end: { failed: { code: 'agent-refused', retryable: false } } };
      return question === 'Fail once?' && times === 0
        ? { pieces: ['Half of an'], end: { failed: { code: 'agent-unavailable', retryable: true } } }
        : { pieces: ['The whole ', 'answer.'] };
    },
    pages: (path, url) => (path === '/' ? { html: toPage(url) } : undefined),
  });
  browser = await launchBrowser();
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await helper?.stop();
});
beforeEach(async () => {
  askedBefore = helper.asked.length;
  ({ context, page, chat } = await visit(browser, `${helper.here}/`));
  await chat.open();
});
afterEach(() => context?.close());

const readAsked = () => helper.asked.slice(askedBefore);

/** Answers the next question with this instead of the helper. */
async function answerOnce(response: { status: number; contentType: string; body: string }): Promise<void> {
  await page.route(
    `${helper.url}/conversations/*/turns/*`,
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
  await chat.ask('Fail once?');
  const failed = await chat.waitForAnswer('failed');
  expect(await chat.readBody(failed)).toBe('Half of an');
  await failed.getByText('This answer is incomplete.').waitFor();
  await chat.button('Try again').click();
  expect(await chat.readBody(await chat.waitForAnswer('completed'))).toBe('The whole answer.');
  expect(await chat.readQuestions()).toEqual(['Fail once?']);
  expect(await chat.readAnswers()).toEqual(['The whole answer.']);
  await page.reload();
  await chat.waitForAnswer('completed');
  expect(await chat.readAnswers()).toEqual(['The whole answer.']);
});

test('an answer that failed for good offers no second try, and is still marked failed after a reload', async () => {
  await chat.ask('Fail for good?');
  const failed = await chat.waitForAnswer('failed');
  expect(await failed.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  await page.reload();
  expect(await chat.readBody(await chat.waitForAnswer('failed'))).toBe('Half of');
});

test('a question asked offline waits, says so, and is sent once when the network is back', async () => {
  await chat.ask('Before?');
  await chat.waitForAnswer('completed');
  await context.setOffline(true);
  await chat.ask('Are you there?');
  const waiting = await chat.waitForAnswer('sending');
  await waiting.getByText('You are offline.').waitFor();
  expect(readAsked()).toEqual(['Before?']);
  await context.setOffline(false);
  await chat.waitForAnswer('completed');
  expect(readAsked()).toEqual(['Before?', 'Are you there?']);
  expect(await chat.readAnswers()).toEqual(['The whole answer.', 'The whole answer.']);
});

test('a question asked offline is sent once, though the page was reloaded before the network was back', async () => {
  await chat.ask('Before?');
  await chat.waitForAnswer('completed');
  await page.route(`${helper.url}/conversations/**`, (route) => route.abort('internetdisconnected'));
  await chat.ask('Still there?');
  await chat.waitForAnswer('sending');
  await page.unroute(`${helper.url}/conversations/**`);
  await page.reload();
  await chat.answers.nth(1).waitFor();
  await chat.waitForAnswer('completed');
  expect(readAsked()).toEqual(['Before?', 'Still there?']);
  expect(await chat.readQuestions()).toEqual(['Before?', 'Still there?']);
});

test('a session whose hour is over is renewed once, without a word to the visitor', async () => {
  await chat.ask('Before?');
  await chat.waitForAnswer('completed');
  const sessionsBefore = helper.requests.filter((request) => request.endsWith('/session')).length;
  await answerOnce(toProblem(401, { status: 401, code: 'session-expired' }));
  await chat.ask('Who am I?');
  await chat.answers.nth(1).waitFor();
  await chat.waitForAnswer('completed');
  expect(helper.requests.filter((request) => request.endsWith('/session'))).toHaveLength(sessionsBefore + 1);
  expect(readAsked()).toEqual(['Before?', 'Who am I?']);
  expect(await chat.inside('.failed').count()).toBe(0);
});

test('too many questions: the widget counts the wait down, and then a click asks', async () => {
  await answerOnce(toProblem(429, { status: 429, code: 'rate-limited', retryAfterMs: 1500 }));
  await chat.ask('May I?');
  const failed = await chat.waitForAnswer('failed');
  await failed.getByText('Too many questions at once.').waitFor();
  const retry = failed.getByRole('button', { name: /^Try again/ });
  expect(await retry.isDisabled()).toBe(true);
  expect(await retry.textContent()).toMatch(/^Try again in [12] s$/);
  await chat.button('Try again').click();
  await chat.waitForAnswer('completed');
  expect(readAsked()).toEqual(['May I?']);
});

test('the page of a captive portal is never shown as an answer, and the question can be asked again', async () => {
  await answerOnce({ status: 200, contentType: 'text/html', body: '<h1>Accept our terms</h1>' });
  await chat.ask('Is this you?');
  const failed = await chat.waitForAnswer('failed');
  expect(await chat.readBody(failed)).toBe('');
  expect(await chat.panel.textContent()).not.toContain('Accept our terms');
  await chat.button('Try again').click();
  await chat.waitForAnswer('completed');
  expect(readAsked()).toEqual(['Is this you?']);
  expect(await chat.readQuestions()).toEqual(['Is this you?']);
});
