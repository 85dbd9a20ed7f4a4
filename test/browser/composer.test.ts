/** Clause 27: what the keys of the composer do, and when the stop button is there. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startFakeHelper, toPage } from '../support/fakehelper.ts';
import { useStage, useVisitor } from '../support/stage.ts';

/** Long enough for a question that should not have been sent to be seen. */
const quietMs = 250;

const stage = useStage(() =>
  startFakeHelper({
    betweenMs: 400,
    answer: (question) => ({ pieces: question === 'Is it dry?' ? ['One ', 'answer.'] : ['One answer.'] }),
    pages: (path, url) => (path === '/' ? { html: toPage(url) } : undefined),
  }),
);
const scene = useVisitor(stage, ({ here }) => `${here}/`);

test('clause 27: Enter sends the question and empties the composer', async () => {
  await scene.chat.composer.pressSequentially('Is it warm?');
  await scene.page.keyboard.press('Enter');
  await scene.chat.waitForAnswer('completed');
  expect(await scene.chat.readQuestions()).toEqual(['Is it warm?']);
  expect(await scene.chat.composer.inputValue()).toBe('');
});

test('clause 27: Shift+Enter breaks the line and sends nothing', async () => {
  await scene.chat.composer.pressSequentially('One');
  await scene.page.keyboard.press('Shift+Enter');
  await scene.chat.composer.pressSequentially('two');
  expect(await scene.chat.composer.inputValue()).toBe('One\ntwo');
  expect(await scene.chat.messages.count()).toBe(0);
  await scene.page.keyboard.press('Enter');
  await scene.chat.waitForAnswer('completed');
  expect(await scene.chat.readQuestions()).toEqual(['One\ntwo']);
});

test('clause 27: an Enter that ends an input method\u2019s composition neither sends nor breaks the line', async () => {
  await scene.chat.composer.focus();
  const input = await scene.context.newCDPSession(scene.page);
  await input.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 });
  await scene.page.evaluate(() => {
    const seen: boolean[] = [];
    Object.assign(window, { seen });
    addEventListener('keydown', (event) => seen.push(event.isComposing), true);
  });
  const key = { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 229 };
  await input.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...key });
  await input.send('Input.dispatchKeyEvent', { type: 'keyUp', ...key });
  await input.send('Input.insertText', { text: '日本' });
  expect(await scene.page.evaluate(() => (window as unknown as { seen: boolean[] }).seen)).toEqual([true]);
  await scene.page.waitForTimeout(quietMs);
  expect(await scene.chat.messages.count()).toBe(0);
  expect(await scene.chat.composer.inputValue()).toBe('日本');
  await scene.page.keyboard.press('Enter');
  await scene.chat.waitForAnswer('completed');
  expect(await scene.chat.readQuestions()).toEqual(['日本']);
});

test('clause 27: an Enter that Safari tells of after the composition has ended does not send either', async () => {
  await scene.chat.composer.fill('日本');
  const wasTaken = await scene.chat.composer.evaluate((field) => {
    const event = new KeyboardEvent('keydown', {
      key: 'Enter',
      keyCode: 229,
      bubbles: true,
      composed: true,
      cancelable: true,
    });
    return !field.dispatchEvent(event);
  });
  expect(wasTaken).toBe(false);
  await scene.page.waitForTimeout(quietMs);
  expect(await scene.chat.messages.count()).toBe(0);
});

test('clause 27: the stop button is there while a turn runs, and only then', async () => {
  expect(await scene.chat.stop.count()).toBe(0);
  await scene.chat.ask('Is it dry?');
  await scene.chat.stop.waitFor();
  expect(await scene.chat.send.count()).toBe(0);
  await scene.chat.waitForAnswer('completed');
  await scene.chat.send.waitFor();
  expect(await scene.chat.stop.count()).toBe(0);
});

test('a key held down on a control that gives the focus to the composer sends no draft', async () => {
  const { page, chat } = scene;
  /** A system repeats a key only after a while: by then the composer has the focus. */
  const hold = async () => {
    await page.keyboard.down('Enter');
    await chat.composer.waitFor();
    await expect.poll(() => chat.composer.evaluate((field) => field.matches(':focus'))).toBe(true);
    for (let times = 0; times < 5; times += 1) await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
  };
  await chat.composer.fill('Half a');
  await chat.button('New conversation').focus();
  await hold();
  await page.keyboard.press('Escape');
  await chat.panel.waitFor({ state: 'detached' });
  await chat.launcher.focus();
  await hold();
  await page.waitForTimeout(quietMs);
  expect(await chat.messages.count()).toBe(0);
  expect(await chat.composer.inputValue()).toBe('Half a');
});

test.each([
  ['what is sent', 'Enter', ''],
  ['what is taken away', 'input', 'Is it'],
] as const)('%s just before the chat is closed is no draft again', async (_, how, left) => {
  const { page, chat } = scene;
  await chat.composer.fill('Is it warm?');
  await expect
    .poll(() => page.evaluate(() => JSON.stringify({ ...sessionStorage })))
    .toContain('Is it warm?');
  // In one task, as on a slow phone.
  await chat.composer.evaluate((field: HTMLTextAreaElement, way) => {
    const press = (key: string) =>
      field.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, composed: true }));
    if (way === 'Enter') press('Enter');
    else {
      field.value = 'Is it';
      field.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    }
    (window as unknown as { Porchlight: { close(): void } }).Porchlight.close();
  }, how);
  await chat.panel.waitFor({ state: 'detached' });
  await chat.open();
  await chat.composer.waitFor();
  await page.waitForTimeout(quietMs);
  expect(await chat.composer.inputValue()).toBe(left);
});

test('clause 27: Escape closes the panel and gives the focus back to the launcher, which shows what it does', async () => {
  const readShape = () =>
    scene.chat.launcher.evaluate((launcher) => getComputedStyle(launcher, '::after').clipPath);
  const whileOpen = await readShape();
  expect(await readFocusedPart(scene.page)).toBe('composer');
  await scene.page.keyboard.press('Escape');
  await scene.chat.panel.waitFor({ state: 'detached' });
  expect(await readFocusedPart(scene.page)).toBe('launcher');
  expect(await readShape()).not.toBe(whileOpen);
  expect(await scene.chat.launcher.getAttribute('aria-expanded')).toBe('false');
  await scene.page.keyboard.press('Enter');
  await scene.chat.panel.waitFor();
});

test('an Enter in an empty composer, or twice in a row, asks nothing more than was written', async () => {
  const before = stage.server.asked.length;
  await scene.chat.composer.press('Enter');
  await scene.chat.composer.fill('   ');
  await scene.chat.composer.press('Enter');
  await scene.chat.composer.fill('Only once?');
  await scene.chat.composer.evaluate((field) => {
    for (let times = 0; times < 2; times += 1)
      field.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, composed: true, cancelable: true }),
      );
  });
  await scene.chat.waitForAnswer('completed');
  expect(stage.server.asked.slice(before)).toEqual(['Only once?']);
});

function readFocusedPart(of: Page): Promise<string | null | undefined> {
  return of.evaluate(() =>
    document.querySelector('porchlight-chat')?.shadowRoot?.activeElement?.getAttribute('part'),
  );
}

test.each([
  ['#ffffff', 'light'],
  ['#ffe066', 'light'],
  ['#111111', 'dark'],
  ['#2e5f51', 'light'],
  ['#2e5f51', 'dark'],
] as const)(
  'with the accent %s its edge can be seen when it has the focus, %s',
  async (accent, colorScheme) => {
    const { page, chat } = scene;
    await page.emulateMedia({ colorScheme });
    await page.addStyleTag({ content: `porchlight-chat { --porchlight-accent: ${accent} }` });
    await chat.composer.focus();
    const [edge, ground] = await chat.panel.evaluate((panel) => {
      const toRgb = (color: string) => {
        const pen = new OffscreenCanvas(1, 1).getContext('2d')!;
        pen.fillStyle = color;
        pen.fillRect(0, 0, 1, 1);
        return [...pen.getImageData(0, 0, 1, 1).data.slice(0, 3)];
      };
      const field = panel.querySelector('[part~="composer"]')!;
      const box = [field, field.closest('.composer')!].find(
        (one) => getComputedStyle(one).outlineStyle !== 'none',
      )!;
      return [getComputedStyle(box).outlineColor, getComputedStyle(panel).backgroundColor].map(toRgb);
    });
    // As WCAG reckons it; 3 is what an edge needs.
    const toLight = (rgb: readonly number[]) => {
      const [red, green, blue] = rgb
        .map((part) => part / 255)
        .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)) as [
        number,
        number,
        number,
      ];
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const [darker, lighter] = [toLight(edge!), toLight(ground!)].toSorted((one, other) => one - other);
    expect((lighter! + 0.05) / (darker! + 0.05)).toBeGreaterThanOrEqual(3);
  },
);
