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

test('it is not there unless it is asked for', async () => {
  const other = await startAgent({ AGENT_DB: ':memory:', PORT: '0' }, { log() {}, print() {} });
  expect((await fetch(`${other.url}/desk`)).status).toBe(404);
  await other.close();
  await expect(
    startAgent({ AGENT_DB: ':memory:', AGENT_DESK: 'yes' }, { log() {}, print() {} }),
  ).rejects.toThrow(/^AGENT_DESK: /);
});
