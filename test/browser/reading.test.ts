/** Who reads is not moved: not by an answer that grows, not by older messages, not by another tab. */
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { type Chat, findChat, launchBrowser, visit } from '../support/browser.ts';
import { startFakeHelper, toPage } from '../support/fakehelper.ts';
import { createGate } from '../support/gate.ts';
import { useStage, useVisitor } from '../support/stage.ts';

const long = Array.from({ length: 40 }, (_, index) => `Paragraph ${index + 1} of many.`).join('\n\n');
const code = `\`\`\`\nconst line = '${'a long line of code '.repeat(12)}';\n\`\`\``;
let gate = createGate();
const stage = useStage(() =>
  startFakeHelper({
    pageSize: 20,
    answer: (question) => {
      if (question === 'Slowly?') return { pieces: [long, ...Array(30).fill('\n\nAnd one more.')] };
      if (question === 'Code?') return { pieces: [`${long}\n\n${code}`, `\n\n${long}`] };
      return { pieces: question === 'Select?' ? ['Some words to select, ', 'and more.'] : [long] };
    },
    beforePiece: (index) => (index === 1 ? gate.opened : new Promise((resolve) => setTimeout(resolve, 30))),
    pages: (path, url) => (path === '/' ? { html: toPage(url) } : undefined),
  }),
);
const scene = useVisitor(stage, ({ here }) => `${here}/`, { reducedMotion: 'reduce' });

const list = (chat: Chat) => chat.inside('[role="log"]');
const readTop = (chat: Chat) => list(chat).evaluate((area) => area.scrollTop);
const isAtEnd = (chat: Chat) =>
  list(chat).evaluate((area) => area.scrollHeight - area.scrollTop - area.clientHeight < 2);

/** The answer has begun, its rest waits for the gate. */
async function askSlowly({ chat }: { chat: Chat }) {
  gate = createGate();
  await chat.ask('Slowly?');
  await chat.answers.getByText('Paragraph 40 of many.').waitFor();
  await expect.poll(() => isAtEnd(chat)).toBe(true);
}

/** More than a page of messages, of which the last page is shown. */
async function fillPages({ page, chat }: { page: Page; chat: Chat }) {
  for (let count = 0; count < 12; count += 1) {
    await chat.ask(`Question ${count}`);
    await chat.answers.nth(count).and(chat.inside('[data-status="completed"]')).waitFor();
    await chat.send.waitFor();
  }
  await page.reload();
  await chat.messages.nth(19).waitFor();
}

const ups: [name: string, up: (page: Page, chat: Chat) => Promise<void>][] = [
  ['one small turn of the wheel', (page) => page.mouse.wheel(0, -12)],
  [
    'the arrow key',
    async (page, chat) => {
      await list(chat).focus();
      await page.keyboard.press('ArrowUp');
    },
  ],
  [
    'the scrollbar',
    (_, chat) =>
      list(chat).evaluate((area) => {
        area.scrollTop -= 5;
      }),
  ],
];

test.each(ups)('an answer that grows does not drag back who scrolled up with %s', async (_, up) => {
  const { page, chat } = scene;
  await askSlowly(scene);
  const end = await readTop(chat);
  await list(chat).hover();
  await up(page, chat);
  await expect.poll(() => readTop(chat)).toBeLessThan(end);
  gate.open();
  await chat.waitForAnswer('completed');
  expect(await readTop(chat)).toBeLessThan(end);
});

test('an answer that grows is followed again from the very end on', async () => {
  const { page, chat } = scene;
  await askSlowly(scene);
  await list(chat).hover();
  await page.mouse.wheel(0, -200);
  await expect.poll(() => isAtEnd(chat)).toBe(false);
  await page.mouse.wheel(0, 400);
  await expect.poll(() => isAtEnd(chat)).toBe(true);
  gate.open();
  await chat.waitForAnswer('completed');
  await expect.poll(() => isAtEnd(chat)).toBe(true);
});

test('who writes several lines sees the end of the answer still, and is moved nowhere further up', async () => {
  const { page, chat } = scene;
  await askSlowly(scene);
  for (let line = 1; line < 6; line += 1) {
    await chat.composer.pressSequentially(`Line ${line}`, { delay: 20 });
    await page.keyboard.press('Shift+Enter');
  }
  await chat.composer.pressSequentially('The last', { delay: 20 });
  expect(await chat.composer.evaluate((field) => field.clientHeight)).toBe(144);
  await expect.poll(() => isAtEnd(chat)).toBe(true);
  gate.open();
  await chat.waitForAnswer('completed');
  await expect.poll(() => isAtEnd(chat)).toBe(true);
  await list(chat).hover();
  await page.mouse.wheel(0, -60);
  await expect.poll(() => isAtEnd(chat)).toBe(false);
  const top = await readTop(chat);
  await chat.composer.pressSequentially(' line', { delay: 20 });
  expect(await readTop(chat)).toBe(top);
});

test('where bars take room, all of a draft that has not its greatest height is seen', async () => {
  const browser = await launchBrowser({ showsBars: true });
  onTestFinished(() => browser.close());
  const { chat } = await visit(browser, `${stage.server.here}/`);
  await chat.open();
  const draft =
    'I ordered a lantern last week and the parcel has not arrived yet could you please tell me where it is and whether I can still change the address';
  const hidden: string[] = [];
  for (const [index, letter] of [...draft].entries()) {
    await chat.composer.pressSequentially(letter);
    const isHidden = await chat.composer.evaluate((field) => field.scrollHeight > field.clientHeight);
    if (isHidden) hidden.push(draft.slice(0, index + 1));
  }
  expect(hidden).toEqual([]);
  // This browser shows the bar of one that is higher.
  await chat.composer.fill(draft.repeat(4));
  expect(
    await chat.composer.evaluate((field) => field.getBoundingClientRect().width - field.clientWidth),
  ).toBeGreaterThan(0);
});

test('who reads further up has a way back to the end, which tells of what came there and adds no height', async () => {
  const { page, chat } = scene;
  await askSlowly(scene);
  const newest = chat.panel.getByRole('button', { name: /To the newest message$/ });
  expect(await newest.count()).toBe(0);
  await list(chat).hover();
  const height = await list(chat).evaluate((area) => area.scrollHeight);
  await page.mouse.wheel(0, -300);
  await newest.waitFor();
  expect(await list(chat).evaluate((area) => area.scrollHeight)).toBe(height);
  const top = await readTop(chat);
  gate.open();
  await chat.waitForAnswer('completed');
  await expect.poll(() => newest.innerText()).toBe('New answers: 1');
  expect(await readTop(chat)).toBe(top);
  await newest.click();
  await expect.poll(() => isAtEnd(chat)).toBe(true);
  await expect.poll(() => newest.count()).toBe(0);
  expect(await list(chat).evaluate((area) => area.matches(':focus'))).toBe(true);
});

test('a question comes to the top, and its answer grows under it without moving it', async () => {
  const { chat } = scene;
  await chat.ask('Filling?');
  await chat.waitForAnswer('completed');
  gate = createGate();
  await chat.ask('Select?');
  await chat.answers.getByText('Some words to select,').waitFor();
  const readPlace = async () => {
    const area = (await list(chat).boundingBox())!;
    const box = (await chat.questions.getByText('Select?').boundingBox())!;
    return box.y - area.y;
  };
  const place = await readPlace();
  expect(place).toBeGreaterThanOrEqual(0);
  expect(place).toBeLessThan(20);
  gate.open();
  await chat.answers.getByText('Some words to select, and more.').waitFor();
  expect(await readPlace()).toBe(place);
});

test('the first question is at the top too where nothing can be stored', async () => {
  const page = await scene.context.newPage();
  await page.addInitScript(() => {
    Storage.prototype.setItem = () => {
      throw new Error('full');
    };
  });
  const chat = findChat(page);
  await page.goto(`${stage.server.here}/`);
  await chat.show();
  gate = createGate();
  gate.open();
  await chat.ask('Select?');
  await chat.waitForAnswer('completed');
  await chat.panel.getByText('This browser does not keep the conversation').first().waitFor();
  const area = (await list(chat).boundingBox())!;
  expect((await chat.questions.first().boundingBox())!.y).toBeGreaterThanOrEqual(area.y);
});

test('who has scrolled up is not dragged along by a list that becomes taller, and is back at the same words', async () => {
  const { page, chat } = scene;
  await page.setViewportSize({ width: 1280, height: 500 });
  await askSlowly(scene);
  await list(chat).hover();
  await page.mouse.wheel(0, -140);
  const newest = chat.panel.getByRole('button', { name: /To the newest message$/ });
  await newest.waitFor();
  const top = await readTop(chat);
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.waitForTimeout(200);
  gate.open();
  await chat.waitForAnswer('completed');
  expect(await isAtEnd(chat)).toBe(false);
  expect(await newest.count()).toBe(1);
  await page.setViewportSize({ width: 1280, height: 500 });
  await expect.poll(() => readTop(chat)).toBe(top);
});

test('what scrolls sideways over code leaves the end followed', async () => {
  const { chat } = scene;
  gate = createGate();
  await chat.ask('Code?');
  const turn = { deltaX: 30, deltaY: -1, bubbles: true, composed: true };
  await chat.answers.locator('pre').dispatchEvent('wheel', turn);
  gate.open();
  await chat.waitForAnswer('completed');
  await expect.poll(() => isAtEnd(chat)).toBe(true);
});

test('a new conversation, begun by one who read at the very top, has no way to the newest message', async () => {
  const { page, chat } = scene;
  gate = createGate();
  gate.open();
  await chat.ask('Long?');
  await chat.waitForAnswer('completed');
  await list(chat).focus();
  await page.keyboard.press('Home');
  const newest = chat.panel.getByRole('button', { name: /To the newest message$/ });
  await newest.waitFor();
  await expect.poll(() => readTop(chat)).toBe(0);
  await chat.button('New conversation').click();
  await chat.panel.getByText('Hello.').waitFor();
  expect(await newest.count()).toBe(0);
});

test('what is read does not move by a pixel when older messages come in above it', async () => {
  const { page, chat } = scene;
  await fillPages(scene);
  const first = (await chat.readQuestions())[0]!;
  const read = chat.questions.getByText(first, { exact: true });
  let answerOlder = () => {};
  const asked = new Promise<void>((resolve) => {
    void page.route('**/conversations/*cursor*', (route) => {
      answerOlder = () => void route.fallback();
      resolve();
    });
  });
  await list(chat).evaluate((area) => {
    area.scrollTop = 60;
  });
  await asked;
  // The visitor reads on while they are fetched.
  await list(chat).evaluate((area) => {
    area.scrollTop = 90;
  });
  const before = (await read.boundingBox())!.y;
  answerOlder();
  await expect.poll(() => chat.messages.count()).toBe(24);
  expect((await read.boundingBox())!.y).toBeCloseTo(before, 0);
  expect(await readTop(chat)).toBeGreaterThan(500);
});

test('older messages that come in are no new answers, and what goes away at that leaves the focus on the list', async () => {
  const { page, chat } = scene;
  await fillPages(scene);
  const newest = chat.panel.getByRole('button', { name: /To the newest message$/ });
  const hasFocus = () => list(chat).evaluate((area) => area.matches(':focus'));
  await list(chat).focus();
  await page.keyboard.press('PageUp');
  await newest.waitFor();
  // On the way to older ones, which its coming into sight has loaded.
  await page.keyboard.press('Tab');
  await expect.poll(() => chat.messages.count()).toBe(24);
  await expect.poll(hasFocus).toBe(true);
  expect(await newest.getAttribute('aria-label')).toBe('To the newest message');
  await newest.focus();
  await page.keyboard.press('End');
  await newest.waitFor({ state: 'detached' });
  await expect.poll(hasFocus).toBe(true);
  await page.keyboard.press('Escape');
  await chat.panel.waitFor({ state: 'detached' });
});

test('news from another tab adds to what was loaded, and neither drops nor moves any of it', async () => {
  const { context, chat } = scene;
  await fillPages(scene);
  await list(chat).evaluate((area) => {
    area.scrollTop = 0;
  });
  await expect.poll(() => chat.messages.count()).toBe(24);
  await list(chat).evaluate((area) => {
    area.scrollTop = 800;
  });
  await expect.poll(() => readTop(chat)).toBe(800);
  const other = await context.newPage();
  const second = findChat(other);
  await other.goto(`${stage.server.here}/`);
  await second.messages.nth(19).waitFor();
  await second.ask('From the other tab');
  await second.waitForAnswer('completed');
  await expect.poll(() => chat.messages.count()).toBe(26);
  expect((await chat.readQuestions())[0]).toBe('Question 0');
  expect(await readTop(chat)).toBe(800);
});

test('words selected in an answer stay selected while more is written', async () => {
  const { page, chat } = scene;
  gate = createGate();
  await chat.ask('Select?');
  await chat.answers.getByText('Some words to select,').hover();
  // What keeps a selection comes with the first pointer over an answer.
  await page.waitForFunction(() =>
    performance.getEntriesByType('resource').some(({ name }) => name.includes('/selection-')),
  );
  const selected = () => page.evaluate(() => String(getSelection()));
  await chat.answers.getByText('Some words to select,').dblclick({ position: { x: 5, y: 8 } });
  expect((await selected()).trim()).toBe('Some');
  gate.open();
  await chat.waitForAnswer('completed');
  expect((await selected()).trim()).toBe('Some');
});

test('nothing is measured while an answer is written', async () => {
  const { page, chat } = scene;
  await askSlowly(scene);
  await page.evaluate(() => {
    const measured: string[] = [];
    Object.assign(window, { measured });
    const watch = (prototype: object, name: string) => {
      const { get, value } = Object.getOwnPropertyDescriptor(prototype, name)!;
      const note = function (this: Element, ...values: unknown[]) {
        measured.push(name);
        return (get ?? value).apply(this, values);
      };
      Object.defineProperty(prototype, name, get ? { get: note, configurable: true } : { value: note });
    };
    for (const name of [
      'scrollHeight',
      'scrollWidth',
      'clientHeight',
      'clientWidth',
      'getBoundingClientRect',
    ])
      watch(Element.prototype, name);
    for (const name of ['offsetHeight', 'offsetTop', 'innerText']) watch(HTMLElement.prototype, name);
    const root = document.querySelector('porchlight-chat')!.shadowRoot!;
    new MutationObserver((_, observer) => {
      if (root.querySelectorAll('.agent .body p').length < 60) return;
      observer.disconnect();
      Object.assign(window, { whileWritten: [...measured] });
    }).observe(root, { subtree: true, childList: true });
  });
  gate.open();
  await chat.waitForAnswer('completed');
  expect(await page.evaluate(() => (window as unknown as { whileWritten: string[] }).whileWritten)).toEqual(
    [],
  );
});
