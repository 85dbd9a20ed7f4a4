/** What can be done with an answer, in the shop with its real agent: it lasts over a reload, and nothing moves for it. */
import { expect, test } from 'vitest';
import { findChat } from '../support/browser.ts';
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
  expect(await chat.composer.inputValue()).toBe('How long does shipping to Canada take?');
  await chat.ask('How long does shipping to Norway take?');
  await expect.poll(() => chat.readQuestions()).toEqual(['How long does shipping to Norway take?']);
  const answer = await chat.waitForAnswer('completed');
  const former = answer.locator('details');
  const summary = former.locator('summary');
  await page.setViewportSize({ width: 1280, height: 420 });
  await summary.scrollIntoViewIfNeeded();
  const readTop = async () => (await summary.boundingBox())?.y;
  const top = await readTop();
  await summary.click();
  await page.waitForTimeout(200);
  expect(await readTop(), 'what is opened does not move').toBe(top);
  expect(await former.innerText()).toContain('How long does shipping to Canada take?');
  expect(await former.innerText()).toContain('6 to 9 business days');
  await page.reload();
  await chat.waitForAnswer('completed');
  expect(await chat.readQuestions()).toEqual(['How long does shipping to Norway take?']);
});

test('the answer before cites what it cited', async () => {
  const { chat } = scene;
  await chat.ask('Do you repair tents?');
  const readCited = async (part: string) => {
    const links = (await chat.waitForAnswer('completed')).locator(`${part} sup a`);
    await links.first().waitFor({ state: 'attached' });
    return links.evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href));
  };
  const cited = await readCited('.body');
  await chat.button('Change your question').click();
  await chat.ask('How long does shipping to Canada take?');
  await expect.poll(() => chat.readQuestions()).toEqual(['How long does shipping to Canada take?']);
  expect(await readCited('[part~="body"]')).not.toEqual(cited);
  expect(await readCited('.former')).toEqual(cited);
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
  await answer.locator('[part~="sources"]').waitFor();
  const before = await answer.boundingBox();
  give();
  await chat.button('Copy the answer').waitFor();
  expect(await answer.boundingBox()).toEqual(before);
});

test('answered again in one tab, a question stands once in the other', async () => {
  const { chat, context } = scene;
  const question = 'How long does shipping to Canada take?';
  await chat.ask('Do you repair tents?');
  await chat.waitForAnswer('completed');
  await chat.ask(question);
  await chat.waitForAnswer('completed');
  const page = await context.newPage();
  const other = findChat(page);
  await page.goto(stage.server.url);
  await other.waitForAnswer('completed');
  let most = 0;
  await page.exposeFunction('seen', (count: number) => {
    most = Math.max(most, count);
  });
  await page.evaluate(() => {
    const list = document.querySelector('porchlight-chat')!.shadowRoot!.querySelector('.messages')!;
    const tell = () =>
      (window as never as { seen(n: number): void }).seen(list.querySelectorAll('.visitor').length);
    new MutationObserver(tell).observe(list, { childList: true });
  });
  await chat.button('Answer again').click();
  await chat.panel.locator('details.former').waitFor();
  await other.waitForAnswer('completed');
  expect(await other.readQuestions()).toEqual(['Do you repair tents?', question]);
  expect(most).toBeLessThanOrEqual(2);
});
