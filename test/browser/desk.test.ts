/** The owner's desk in a real browser: by keyboard alone, in light and dark, on a phone and beside the shop. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type StartedAgent, startAgent } from '../../demo/agent/start.ts';
import { launchBrowser } from '../support/browser.ts';
import { sendMail, startMailServer } from '../support/mail.ts';

const areas = {
  overview: 'Overview',
  conversations: 'Conversations',
  sources: 'Sources',
  people: 'People',
  tasks: 'Tasks',
  emails: 'E-mails',
  workflows: 'Workflows',
  deliveries: 'Webhooks',
  keys: 'Keys',
  settings: 'Settings',
};
let browser: Awaited<ReturnType<typeof launchBrowser>>;
let mailServer: Awaited<ReturnType<typeof startMailServer>>;
let agent: StartedAgent;

async function call(method: string, path: string, input: object = {}) {
  const response = await fetch(`${agent.url}${path}`, {
    method,
    headers: { authorization: 'Bearer owner-key', 'content-type': 'application/json' },
    body: JSON.stringify({ project_id: agent.projectId, bot_id: agent.botId, ...input }),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

beforeAll(async () => {
  browser = await launchBrowser();
  mailServer = await startMailServer();
  agent = await startAgent(
    {
      AGENT_DB: ':memory:',
      AGENT_API_KEY: 'owner-key',
      AGENT_KEYS: 'member:member-key',
      AGENT_DESK: 'on',
      AGENT_SMTP_PORT: '0',
      AGENT_SMTP_URL: mailServer.url,
      AGENT_WEBHOOK_URL: 'http://127.0.0.1:9/',
      AGENT_WEBHOOK_SECRET: 's',
      AGENT_WORDS_PER_SECOND: '0',
      PORT: '0',
    },
    { log() {}, print() {} },
  );
  await call('POST', '/v1/bot/source/create', {
    type: 'text',
    title: 'Herons',
    source: 'A heron nests in April.',
  });
  await call('POST', '/v1/bot/chat', {
    message: 'When does a heron nest?',
    purpose: 'service',
    chat_id: 'c',
  });
  await call('POST', '/v1/bot/tasks/create', { prompt: 'When does a heron nest?', name: 'Weekly' });
  await call('POST', '/v1/bot/workflow/create', {
    name: 'Note',
    trigger_type: 'webhook',
    actions: [{ type: 'add_memory', content: 'A note.' }],
  });
  const data = 'From: Ada <ada@site.example>\nSubject: Herons\n\nWhen does a heron nest?';
  await sendMail(agent.mailPort!, { to: 'juniper@agent.localhost', data });
});
afterAll(async () => {
  await agent?.close();
  await mailServer?.close();
  await browser?.close();
});

async function enter(options: object = {}) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const told: string[] = [];
  page.on('console', (message) => told.push(message.text()));
  page.on('pageerror', (error) => told.push(error.message));
  await page.goto(`${agent.url}/desk`);
  await page.getByLabel('API key').fill('owner-key');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  return { page, told, close: () => context.close() };
}

/** By the debugger, which the page's policy does not hold. */
async function findViolations(page: Page) {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() =>
    (window as unknown as { axe: typeof axe }).axe.run(document, {}),
  );
  return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
}

/** Goes on with Tab until it stands there, as somebody without a mouse would, and presses. */
async function press(page: Page, role: 'button' | 'link', name: string, key = 'Enter') {
  const wanted = page.getByRole(role, { name, exact: true });
  await wanted.waitFor();
  for (let steps = 0; steps < 80; steps += 1) {
    if (await wanted.evaluate((element) => element === document.activeElement))
      return page.keyboard.press(key);
    await page.keyboard.press('Tab');
  }
  throw new Error(`${name} cannot be reached with Tab.`);
}
const notice = (page: Page) => page.getByRole('status').first();
const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text }).first();

describe.each(['light', 'dark'] as const)('%s', (colorScheme) => {
  test.each([1280, 390])('axe finds nothing in any area, %d pixels wide', async (width) => {
    const { page, told, close } = await enter({ colorScheme, viewport: { width, height: 844 } });
    for (const [name, title] of Object.entries(areas)) {
      await page.goto(`${agent.url}/desk#/${name}`);
      await page.getByRole('heading', { name: title, level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      for (const summary of await page.locator('summary').all()) await summary.click();
      expect([name, await findViolations(page)]).toEqual([name, []]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    }
    expect(told).toEqual([]);
    await close();
  });
});

describe('by keyboard', () => {
  test('a conversation is read and closed, and the focus is where it was', async () => {
    const { page, close } = await enter();
    await press(page, 'link', 'Conversations');
    await press(page, 'button', 'When does a heron nest?');
    await page.getByText('A heron nests in April.').waitFor();
    await press(page, 'button', 'Close');
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toBe('When does a heron nest?');
    await close();
  });

  test('a source is added, read, and deleted once that is confirmed', async () => {
    const { page, close } = await enter();
    await press(page, 'link', 'Sources');
    await page.getByText('New text').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Owls');
    await page.keyboard.press('Tab');
    await page.keyboard.type('An owl sleeps by day.');
    await press(page, 'button', 'Create');
    await row(page, 'Owls').getByText('success').waitFor();
    expect(await notice(page).textContent()).toBe('The text was added.');
    await press(page, 'button', 'Delete Owls');
    await press(page, 'button', 'No');
    await press(page, 'button', 'Delete Owls');
    await press(page, 'button', 'Yes: Delete Owls');
    await expect.poll(() => row(page, 'Owls').count()).toBe(0);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
    await close();
  });

  test('a task is run, switched off and on', async () => {
    const { page, close } = await enter();
    await press(page, 'link', 'Tasks');
    await press(page, 'button', 'Run Weekly now');
    await row(page, 'Weekly').getByText('success').waitFor();
    await press(page, 'button', 'Switch off Weekly');
    await row(page, 'Weekly').getByText('never').waitFor();
    await press(page, 'button', 'Switch on Weekly');
    await press(page, 'button', 'Weekly');
    await page.getByRole('table', { name: 'Runs of Weekly' }).getByText('success').waitFor();
    await close();
  });

  test('a mail is read and answered', async () => {
    const { page, close } = await enter();
    await press(page, 'link', 'E-mails');
    await press(page, 'button', 'Herons');
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Herons');
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H2');
    await page.locator('summary').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.type('In April.');
    await press(page, 'button', 'Send');
    await row(page, 'from ada@site.example').getByText('replied').waitFor();
    const [taken] = await mailServer.count(1);
    expect(taken!.raw).toContain('In April.');
    await page.getByLabel('Answers by itself').focus();
    await page.keyboard.press('Space');
    await expect
      .poll(async () => {
        const query = new URLSearchParams({ project_id: agent.projectId, bot_id: agent.botId });
        const response = await fetch(`${agent.url}/v1/bot/email/address?${query}`, {
          headers: { authorization: 'Bearer owner-key' },
        });
        return ((await response.json()) as { settings: object }).settings;
      })
      .toMatchObject({ email_auto_reply: true });
    await close();
  });

  test('a workflow is made, run, and its steps are read', async () => {
    const { page, close } = await enter();
    await press(page, 'link', 'Workflows');
    await page.getByText('New workflow').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.type('On paper');
    await press(page, 'button', 'Create');
    await row(page, 'On paper').waitFor();
    await press(page, 'button', 'Run Note now');
    await press(page, 'button', 'Note');
    const runs = page.getByRole('table', { name: 'Runs of Note' });
    await runs.getByText('add_memory: success').waitFor();
    await close();
  });

  test('a key is made, shown once, and deleted', async () => {
    const { page, close } = await enter();
    await press(page, 'link', 'Keys');
    await page.getByText('New key').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Till');
    await press(page, 'button', 'Create');
    const made = page.getByText('The new key, which is not shown again:');
    expect(await made.locator('code').textContent()).toMatch(/^\S{20,}$/);
    await press(page, 'link', 'Settings');
    await press(page, 'link', 'Keys');
    await row(page, 'Till').waitFor();
    expect(await made.count()).toBe(0);
    await press(page, 'button', 'Delete Till');
    await press(page, 'button', 'Yes: Delete Till');
    await expect.poll(() => row(page, 'Till').count()).toBe(0);
    await close();
  });

  test('skipping to the content stays in the area', async () => {
    const { page, close } = await enter();
    await press(page, 'link', 'Settings');
    await page.getByLabel('Tagline').fill('Half written');
    await press(page, 'link', 'Skip to content');
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main');
    expect(await page.getByLabel('Tagline').inputValue()).toBe('Half written');
    await close();
  });

  test('an action keeps the focus', async () => {
    const { page, close } = await enter();
    await press(page, 'link', 'Tasks');
    await press(page, 'button', 'Run Weekly now');
    await notice(page).getByText('The task has run.').waitFor();
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(
      'Run Weekly now',
    );
    await close();
  });

  test('an agent gets another name, everywhere at once', async () => {
    const { page, close } = await enter();
    await press(page, 'link', 'Settings');
    await page.getByLabel('Name').focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('Heron');
    await press(page, 'button', 'Save');
    await expect.poll(() => page.getByLabel('Agent').locator('option').allTextContents()).toEqual(['Heron']);
    await close();
  });
});

test('a wrong key, and one of a member, do not open it; Leave forgets the key', async () => {
  const page = await browser.newPage();
  await page.goto(`${agent.url}/desk`);
  for (const [key, said] of [
    ['nobody', 'The API key is missing or invalid.'],
    ['member-key', 'This key is a member’s.'],
  ] as const) {
    await page.getByLabel('API key').fill(key);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: said }).waitFor();
  }
  await page.close();
  const entered = await enter();
  await entered.page.reload();
  await entered.page.getByRole('heading', { name: 'Overview' }).waitFor();
  await entered.page.getByRole('button', { name: 'Leave' }).click();
  await entered.page.getByLabel('API key').waitFor();
  expect(await entered.page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('owner-key');
  await entered.close();
});

test('the key that the desk is used with is replaced, shown, and goes on', async () => {
  const { data } = await call('POST', '/v1/keys', { name: 'Own', role: 'owner' });
  const page = await browser.newPage();
  await page.goto(`${agent.url}/desk#/keys`);
  await page.getByLabel('API key').fill(data.key);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Replace Own' }).click();
  await page.getByRole('button', { name: 'Yes: Replace Own' }).click();
  const made = page.getByText('The new key, which is not shown again:').locator('code');
  expect(await made.textContent()).not.toBe(data.key);
  await page.getByRole('link', { name: 'Sources' }).click();
  await row(page, 'Herons').waitFor();
  await call('DELETE', `/v1/keys/${data.id}`);
  await page.getByRole('link', { name: 'Tasks' }).click();
  await page.getByRole('alert').filter({ hasText: 'The key is not taken any more.' }).waitFor();
  await page.close();
});

test('pressed twice, it makes one', async () => {
  const { page, close } = await enter();
  await page.goto(`${agent.url}/desk#/keys`);
  await page.getByText('New key').click();
  await page.getByLabel('Name').fill('Double');
  await page.getByRole('button', { name: 'Create' }).dblclick();
  await row(page, 'Double').waitFor();
  await page.waitForLoadState('networkidle');
  expect(await page.getByRole('row').filter({ hasText: 'Double' }).count()).toBe(1);
  await close();
});

test('while the service does not answer, what was there stays, and the key too', async () => {
  const { page, close } = await enter();
  await page.goto(`${agent.url}/desk#/sources`);
  await row(page, 'Herons').waitFor();
  await page.getByText('New text').click();
  await page.getByLabel('Title').fill('Half written');
  await page.route('**/v1/**', (route) => route.fulfill({ status: 500, json: {} }));
  await page.getByRole('button', { name: 'Delete Herons' }).click();
  await page.getByRole('button', { name: 'Yes: Delete Herons' }).click();
  await page.getByText('The service answered 500.').first().waitFor();
  await row(page, 'Herons').waitFor();
  expect(await page.getByLabel('Title').inputValue()).toBe('Half written');
  await page.reload();
  const again = page.getByRole('button', { name: 'Try again' });
  await again.first().waitFor();
  await page.unroute('**/v1/**');
  await again.first().click();
  await row(page, 'Herons').waitFor();
  await close();
});

test('a page whose last row is deleted gives way to the one before, and a form stays as one turns', async () => {
  for (let n = 0; n < 20; n += 1)
    await call('POST', '/v1/bot/tasks/create', { prompt: `Task ${n}`, name: `Task ${n}`, enabled: false });
  const { page, close } = await enter();
  await page.goto(`${agent.url}/desk#/tasks`);
  await row(page, 'Task 19').waitFor();
  await page.getByText('New task').click();
  await page.getByLabel('What the agent is asked').fill('Half written');
  await page.getByRole('button', { name: 'Older' }).click();
  await row(page, 'Weekly').waitFor();
  expect(await page.getByLabel('What the agent is asked').inputValue()).toBe('Half written');
  await page.getByRole('button', { name: 'Delete Weekly' }).click();
  await page.getByRole('button', { name: 'Yes: Delete Weekly' }).click();
  await row(page, 'Task 0').waitFor();
  expect(await page.getByText('No tasks yet.').count()).toBe(0);
  await close();
});

test('of a long conversation the last words are shown first', async () => {
  for (let n = 0; n < 30; n += 1)
    await call('POST', '/v1/bot/chat', { message: `Question ${n}`, purpose: 'service', chat_id: 'long' });
  const { page, close } = await enter();
  await page.goto(`${agent.url}/desk#/conversations`);
  await page.getByRole('button', { name: 'Question 0', exact: true }).click();
  await page.getByText('Question 29', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Earlier' }).click();
  await page.locator('.said', { hasText: /^Question 1$/ }).waitFor();
  await close();
});

test('names of any length fit a phone', async () => {
  const name = 'x'.repeat(100);
  await call('POST', '/v1/bot/create', { name });
  await call('POST', '/v1/bot/workflow/create', {
    name: 'y'.repeat(200),
    trigger_type: 'manual',
    actions: [{ type: 'add_memory', content: 'A note.' }],
  });
  const { page, close } = await enter({ viewport: { width: 390, height: 844 } });
  await page.getByLabel('Agent').selectOption(agent.botId);
  await page.goto(`${agent.url}/desk#/workflows`);
  await page.getByRole('button', { name: 'y'.repeat(200), exact: true }).click();
  await page.getByRole('heading', { level: 2 }).waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  await close();
});

test('it is not there unless it is asked for', async () => {
  const other = await startAgent({ AGENT_DB: ':memory:', PORT: '0' }, { log() {}, print() {} });
  expect((await fetch(`${other.url}/desk`)).status).toBe(404);
  await other.close();
  await expect(
    startAgent({ AGENT_DB: ':memory:', AGENT_DESK: 'yes' }, { log() {}, print() {} }),
  ).rejects.toThrow(/^AGENT_DESK: /);
});
