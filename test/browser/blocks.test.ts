/** Code and tables in an answer: what is wider than the chat scrolls by itself, and code says what it is. */
import { expect, test } from 'vitest';
import { startFakeHelper, toPage } from '../support/fakehelper.ts';
import { createGate } from '../support/gate.ts';
import { useStage, useVisitor } from '../support/stage.ts';

const longLine = `const message = '${'a long line of code '.repeat(20)}';`;
const answers: Record<string, string[]> = {
  table: [
    `Our sizes:\n\n|${' a column that is wide |'.repeat(12)}\n|${'---|'.repeat(12)}\n|${' cell |'.repeat(12)}\n\nThat is all.`,
  ],
  'small table': ['| one | two |\n|---|---|\n| 1 | ~~2~~ |'],
  code: [`\`\`\`js title="x"\n${longLine}\n\`\`\`\n\nAnd:\n\n\`\`\`\nnpm start\n\`\`\``],
  'growing code': [`\`\`\`py\n${longLine}\n`, 'x = 1\n', '```'],
};
let gate = createGate();
gate.open();
const stage = useStage(() =>
  startFakeHelper({
    answer: (question) => ({ pieces: answers[question] ?? ['?'] }),
    beforePiece: (index) => (index === 1 ? gate.opened : Promise.resolve()),
    pages: (path, url) => (path === '/' ? { html: toPage(url) } : undefined),
  }),
);
const scene = useVisitor(stage, ({ here }) => `${here}/`, {
  permissions: ['clipboard-read', 'clipboard-write'],
});

async function ask(question: string) {
  await scene.chat.ask(question);
  return scene.chat.waitForAnswer('completed');
}

test('a wide table scrolls in its own box, by keyboard too, and the words around it stay', async () => {
  const answer = await ask('table');
  const box = answer.locator('.scroll');
  const isWide = (element: HTMLElement) => element.scrollWidth > element.clientWidth;
  expect(await box.evaluate(isWide)).toBe(true);
  expect(await answer.locator('[part~="body"]').evaluate(isWide)).toBe(false);
  const words = answer.getByText('That is all.');
  const before = await words.boundingBox();
  await box.focus();
  await scene.page.keyboard.press('ArrowRight');
  await expect.poll(() => box.evaluate((element) => element.scrollLeft)).toBeGreaterThan(0);
  expect(await words.boundingBox()).toEqual(before);
});

test('a table that fits is no stop of the keyboard', async () => {
  const answer = await ask('small table');
  expect(await answer.locator('.scroll').getAttribute('tabindex')).toBeNull();
});

test('a table is read out without its lines', async () => {
  await ask('small table');
  await expect.poll(() => scene.chat.announcer.textContent()).toBe('Answer: one two 1 2');
});

test('code names its language, which is not copied with it', async () => {
  const answer = await ask('code');
  const name = answer
    .locator('code')
    .first()
    .evaluate((code) => getComputedStyle(code, '::before').content);
  expect(await name).toBe('"js"');
  await answer.getByRole('button', { name: 'Copy code' }).first().click();
  await answer.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await scene.page.evaluate(() => navigator.clipboard.readText())).toBe(longLine);
});

test('long lines of code are wrapped when the visitor wants it, and are long again', async () => {
  const answer = await ask('code');
  const wrap = answer.getByRole('button', { name: 'Wrap long lines' });
  await wrap.waitFor();
  // The other block has short lines.
  expect(await wrap.count()).toBe(1);
  const code = answer.locator('pre').first();
  const isWide = () => code.evaluate((element) => element.scrollWidth > element.clientWidth);
  expect(await isWide()).toBe(true);
  await wrap.click();
  expect([await wrap.getAttribute('aria-pressed'), await isWide()]).toEqual(['true', false]);
  await wrap.press('Enter');
  expect([await wrap.getAttribute('aria-pressed'), await isWide()]).toEqual(['false', true]);
  await scene.page.waitForTimeout(100);
  expect(await wrap.evaluate((button) => button.matches(':focus')), 'the focus stays').toBe(true);
});

test('what is wrapped while it is written stays so', async () => {
  gate = createGate();
  await scene.chat.ask('growing code');
  const wrap = scene.chat.answers.getByRole('button', { name: 'Wrap long lines' });
  await wrap.click();
  gate.open();
  const answer = await scene.chat.waitForAnswer('completed');
  expect(await answer.locator('code').innerText()).toContain('x = 1');
  expect(await wrap.getAttribute('aria-pressed')).toBe('true');
  expect(await answer.locator('pre').getAttribute('class')).toBe('wrapped');
});
