/** How thoroughly the agent is to think, where the site lets the visitor choose, and what it may do for a project member. */
import { beforeEach, expect, test } from 'vitest';
import type { TurnEventData, TurnRequest } from '../../server-helper/protocol/wire.ts';
import { findChat } from '../support/browser.ts';
import { startFakeHelper, toPage } from '../support/fakehelper.ts';
import { createGate } from '../support/gate.ts';
import { type Scene, useStage, useVisitor } from '../support/stage.ts';

let allowed: string[] = [];
let mayDo: string[] = [];
let end: { paused: TurnEventData['turn-paused'] } | undefined;
beforeEach(() => {
  end = undefined;
  mayDo = ['ask'];
  allowed = ['standard', 'agent'];
});
const stage = useStage(() =>
  startFakeHelper({
    reasoningModes: () => allowed,
    chatModes: () => mayDo,
    answer: (question) => ({ pieces: [`An answer to ${question}`], ...(end && { end }) }),
    pages: (path, url) => (path === '/' ? { html: toPage(url) } : undefined),
  }),
);
const scene = useVisitor(stage, ({ here }) => `${here}/`);

const choice = ({ chat } = scene as Pick<Scene, 'chat'>) =>
  chat.panel.getByRole('combobox', { name: 'How to answer' });

/** @returns the mode that went with it */
async function ask(question: string, { page, chat } = scene as Pick<Scene, 'page' | 'chat'>) {
  const put = page.waitForRequest((request) => request.method() === 'PUT');
  await chat.ask(question);
  await chat.waitForAnswer('completed');
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

test.each([
  ['chosen', 'agent', ['standard', 'auto']],
  ['only offered first', 'standard', ['auto', 'agent']],
])(
  'one that was %s and is not allowed any more is taken back at the first refusal',
  async (_, mode, then) => {
    const { page, chat } = scene;
    if (mode === 'agent') await choice().selectOption(mode);
    expect(await choice().inputValue()).toBe(mode);
    allowed = then;
    let refused = 0;
    await page.route('**/turns/*', (route) => {
      const { reasoningMode } = route.request().postDataJSON() as TurnRequest;
      if (reasoningMode && allowed.includes(reasoningMode)) return route.fallback();
      refused += 1;
      return route.fulfill({ status: 403, json: { status: 403, code: 'not-allowed' } });
    });
    await chat.ask('One?');
    await chat.panel.getByText('This is not possible here.').first().waitFor();
    await expect.poll(() => choice().inputValue()).toBe(allowed[0]);
    expect(await chat.composer.inputValue()).toBe('One?');
    await chat.composer.press('Enter');
    await chat.waitForAnswer('completed');
    expect(refused).toBe(1);
  },
);

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

test('what is shown is what is asked for, though another tab chose otherwise', async () => {
  const page = await scene.context.newPage();
  const second = { page, chat: findChat(page) };
  await page.goto(`${stage.server.here}/`);
  await expect.poll(() => choice(second).inputValue()).toBe('standard');
  await choice().selectOption('Thorough');
  expect(await ask('One?')).toBe('agent');
  expect(await ask('Two?', second)).toBe(await choice(second).inputValue());
});

test('a choice holds though the page clears what is stored', async () => {
  await choice().selectOption('Thorough');
  expect(await ask('One?')).toBe('agent');
  await scene.page.evaluate(() => localStorage.clear());
  expect(await ask('Two?')).toBe('agent');
  await choice().selectOption('Quick');
  expect(await ask('Three?')).toBe('standard');
});

test('what was chosen goes with a question that is sent before the session is there', async () => {
  await choice().selectOption('Thorough');
  expect(await ask('One?')).toBe('agent');
  const gate = createGate();
  await scene.page.route('**/session', async (route) => {
    await gate.opened;
    await route.continue();
  });
  await scene.page.reload();
  const mode = ask('Two?');
  await expect.poll(() => scene.chat.readQuestions()).toContain('Two?');
  gate.open();
  expect(await mode).toBe('agent');
});

/** @returns what the agent may do, as the question said it */
async function askInMode(question: string) {
  const put = scene.page.waitForRequest((request) => request.method() === 'PUT');
  await scene.chat.ask(question);
  return ((await put).postDataJSON() as TurnRequest).mode;
}
const may = () => scene.chat.panel.getByRole('combobox', { name: 'What the agent may do' });

test('a project member chooses what the agent may do in a conversation, from its first question on', async () => {
  const { page, chat } = scene;
  mayDo = ['ask', 'edit', 'plan'];
  await page.reload();
  await expect.poll(() => may().locator('option').allTextContents()).toEqual(['Ask', 'Edit', 'Plan']);
  expect(await may().inputValue()).toBe('ask');
  await may().selectOption('Plan');
  expect(await askInMode('Plan this?')).toBe('plan');
  await chat.waitForAnswer('completed');
  expect(await askInMode('And this?')).toBe('plan');
  await chat.waitForAnswer('completed');
  // It is the conversation's: read from it after a reload, and none of a new one's.
  await page.reload();
  await expect.poll(() => may().inputValue()).toBe('plan');
  await chat.button('New conversation').click();
  await expect.poll(() => may().inputValue()).toBe('ask');
  await may().selectOption('Edit');
  expect(await askInMode('Edit that?')).toBe('edit');
  await chat.waitForAnswer('completed');
  expect(await may().inputValue()).toBe('edit');
  await chat.button('Conversations').click();
  await chat.panel.getByText('Plan this?').click();
  await expect.poll(() => may().inputValue()).toBe('plan');
});

test('nobody else is offered that, and who is no member any more asks without', async () => {
  await expect.poll(() => choice().count()).toBe(1);
  expect(await may().count()).toBe(0);
  const { page, chat } = scene;
  mayDo = ['ask', 'edit', 'plan'];
  await page.reload();
  await may().selectOption('Edit');
  mayDo = ['ask'];
  await page.route('**/turns/*', (route) => {
    const { mode } = route.request().postDataJSON() as TurnRequest;
    if (mode === undefined) return route.fallback();
    return route.fulfill({ status: 403, json: { status: 403, code: 'not-allowed' } });
  });
  expect(await askInMode('One?')).toBe('edit');
  await chat.panel.getByText('This is not possible here.').first().waitFor();
  await expect.poll(() => may().count()).toBe(0);
  expect(await chat.composer.inputValue()).toBe('One?');
  await chat.composer.press('Enter');
  await chat.waitForAnswer('completed');
});

test('once a plan is accepted the next question is one to edit; one that is declined is planned on', async () => {
  const { page, chat } = scene;
  mayDo = ['ask', 'edit', 'plan'];
  const parameters = { title: 'Tidy up', steps: ['Read all notes', 'Write one'] };
  const tool = { name: 'accept_plan', title: 'Accept plan', description: 'For the model', parameters };
  await page.reload();
  await may().selectOption('Plan');
  for (const [button, mode] of [
    ['Decline', 'plan'],
    ['Accept', 'edit'],
  ] as const) {
    end = { paused: { kind: 'plan', tool, expiresAt: new Date(Date.now() + 60_000).toISOString() } };
    expect(await askInMode(`Plan until ${mode}?`)).toBe('plan');
    const card = chat.panel.getByRole('region', { name: 'Is this plan right?' });
    await expect.poll(() => card.getByRole('listitem').allTextContents()).toEqual(parameters.steps);
    await page.waitForTimeout(450);
    await card.getByRole('button', { name: button }).click();
    await chat.panel.getByText('Decided.').last().waitFor();
    await expect.poll(() => may().inputValue()).toBe(mode);
  }
  end = undefined;
  expect(await askInMode('Do it?')).toBe('edit');
});

test.each([
  ['whose reply is lost', 'Plan', 'edit'],
  ['before which something else was chosen', 'Ask', 'ask'],
])('a plan that is accepted by a decision %s', async (what, meanwhile, then) => {
  const { page, chat } = scene;
  mayDo = ['ask', 'edit', 'plan'];
  const parameters = { title: 'Tidy up', steps: ['Write one'] };
  const tool = { name: 'accept_plan', title: 'Plan', description: '', parameters };
  end = { paused: { kind: 'plan', tool, expiresAt: new Date(Date.now() + 60_000).toISOString() } };
  await page.reload();
  await may().selectOption('Plan');
  expect(await askInMode('Plan?')).toBe('plan');
  if (what.includes('lost'))
    await page.route('**/decision', async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });
  const accept = chat.button('Accept');
  await accept.waitFor();
  await may().selectOption(meanwhile);
  await page.waitForTimeout(450);
  await accept.click();
  await chat.panel.getByText('Decided.').last().waitFor();
  await expect.poll(() => may().inputValue()).toBe(then);
});

test.each(['normal', 'dock'])(
  'two choices leave room to write on a small screen, in the style %s',
  async (style) => {
    const { page, chat } = scene;
    mayDo = ['ask', 'edit', 'plan'];
    await page.setViewportSize({ width: 320, height: 640 });
    await page.goto(`${stage.server.here}/?data-open-style=${style}`);
    await may().selectOption('Plan');
    await choice().selectOption('Thorough');
    const { width } = (await chat.composer.boundingBox())!;
    expect(width).toBeGreaterThan(220);
    const boxes = await Promise.all([may(), choice(), chat.button('Send')].map((one) => one.boundingBox()));
    expect(new Set(boxes.map((box) => Math.round(box!.y + box!.height))).size).toBe(1);
  },
);
