/** How thoroughly the agent is to think, where the site lets the visitor choose. */
import { beforeEach, expect, test } from 'vitest';
import type { TurnRequest } from '../../server-helper/protocol/wire.ts';
import { startFakeHelper, toPage } from '../support/fakehelper.ts';
import { useStage, useVisitor } from '../support/stage.ts';

let allowed: string[] = [];
beforeEach(() => {
  allowed = ['standard', 'agent'];
});
const stage = useStage(() =>
  startFakeHelper({
    reasoningModes: () => allowed,
    answer: (question) => ({ pieces: [`An answer to ${question}`] }),
    pages: (path, url) => (path === '/' ? { html: toPage(url) } : undefined),
  }),
);
const scene = useVisitor(stage, ({ here }) => `${here}/`);

const choice = () => scene.chat.panel.getByRole('combobox', { name: 'How to answer' });

/** @returns the mode that went with it */
async function ask(question: string): Promise<string | undefined> {
  const put = scene.page.waitForRequest((request) => request.method() === 'PUT');
  await scene.chat.ask(question);
  await scene.chat.waitForAnswer('completed');
  return ((await put).postDataJSON() as TurnRequest).reasoningMode;
}

test('what is chosen goes with each question, and is kept over a reload and in the next conversation', async () => {
  await expect.poll(() => choice().locator('option').allTextContents()).toEqual(['Quick', 'Thorough']);
  expect(await ask('One?')).toBe('standard');
  await choice().selectOption('Thorough');
  expect(await ask('Two?')).toBe('agent');
  await scene.page.reload();
  await expect.poll(() => choice().inputValue()).toBe('agent');
  expect(await ask('Three?')).toBe('agent');
  await scene.chat.button('New conversation').click();
  expect(await ask('Four?')).toBe('agent');
});

test('one that is not offered any more is not asked for', async () => {
  await choice().selectOption('Thorough');
  allowed = ['auto', 'standard'];
  await scene.page.reload();
  await expect.poll(() => choice().inputValue()).toBe('auto');
  expect(await ask('One?')).toBe('auto');
  allowed = ['agent'];
  await scene.page.reload();
  await scene.chat.waitForAnswer('completed');
  expect(await choice().count()).toBe(0);
  expect(await ask('Two?')).toBe(undefined);
});
