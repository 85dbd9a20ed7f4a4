/** What can be done with an answer, in the shop with its real agent: it lasts over a reload, and nothing moves for it. */
import { expect, test } from 'vitest';
import { startDemo } from '../support/demo.ts';
import { useStage, useVisitor } from '../support/stage.ts';

const stage = useStage(startDemo);
const scene = useVisitor(stage, ({ url }) => url);

test('a vote is kept, and can be taken back after a reload', async () => {
  const { chat, page } = scene;
  await chat.ask('How long does shipping to Canada take?');
  await chat.waitForAnswer('completed');
  const up = chat.button('This answer helped');
  const saved = page.waitForResponse((response) => response.url().endsWith('/vote'));
  await up.click();
  expect((await saved).status()).toBe(204);
  await page.reload();
  await chat.waitForAnswer('completed');
  await expect.poll(() => up.getAttribute('aria-pressed')).toBe('true');
  await up.click();
  await expect.poll(() => up.getAttribute('aria-pressed')).toBe('false');
});

test('a question that is changed takes the place of the former, here and in the records', async () => {
  const { chat, page } = scene;
  await chat.ask('How long does shipping to Canada take?');
  await chat.waitForAnswer('completed');
  await chat.button('Change your question').click();
  const field = chat.panel.getByRole('textbox', { name: 'Your question, changed' });
  await field.fill('How long does shipping to Norway take?');
  await field.press('Enter');
  await expect.poll(() => chat.readQuestions()).toEqual(['How long does shipping to Norway take?']);
  const answer = await chat.waitForAnswer('completed');
  const former = answer.locator('details');
  await former.locator('summary').click();
  expect(await former.innerText()).toContain('How long does shipping to Canada take?');
  expect(await former.innerText()).toContain('6 to 9 business days');
  await page.reload();
  await chat.waitForAnswer('completed');
  expect(await chat.readQuestions()).toEqual(['How long does shipping to Norway take?']);
});

test('what comes for an answer once it has ended moves nothing', async () => {
  const { chat, page } = scene;
  let give = () => {};
  const held = new Promise<void>((resolve) => {
    give = resolve;
  });
  await page.route('**/actions-*.js', async (route) => {
    await held;
    await route.continue();
  });
  await chat.ask('How long does shipping to Canada take?');
  const answer = await chat.waitForAnswer('completed');
  const before = await answer.boundingBox();
  give();
  await chat.button('Copy the answer').waitFor();
  expect(await answer.boundingBox()).toEqual(before);
});
