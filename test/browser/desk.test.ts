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
  settings: 'Settings',
  agents: 'Agents',
  keys: 'Keys and plan',
};
let browser: Awaited<ReturnType<typeof launchBrowser>>;
let mailServer: Awaited<ReturnType<typeof startMailServer>>;
let agent: StartedAgent;

async function call(method: string, path: string, input: object = {}) {
  const all = { project_id: agent.projectId, bot_id: agent.botId, ...input };
  const isRead = method === 'GET';
  const response = await fetch(`${agent.url}${path}${isRead ? `?${new URLSearchParams(all)}` : ''}`, {
    method,
    headers: { authorization: 'Bearer owner-key', 'content-type': 'application/json' },
    body: isRead ? null : JSON.stringify(all),
  });
  if (!response.ok) throw new Error(await response.text());
  // biome-ignore lint/suspicious/noExplicitAny: what it answers is read where it is looked at.
  return (await response.json()) as any;
}

beforeAll(async () => {
  browser = await launchBrowser();
  mailServer = await startMailServer();
  agent = await startAgent(
    {
      AGENT_DB: ':memory:',
      AGENT_API_KEY: 'owner-key',
      AGENT_KEYS: 'member:member-key,moderator:moderator-key,admin:admin-key',
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

async function enter(options: object = {}, key = 'owner-key') {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const told: string[] = [];
  page.on('console', (message) => told.push(message.text()));
  page.on('pageerror', (error) => told.push(error.message));
  await page.goto(`${agent.url}/desk`);
  await page.getByLabel('API key').fill(key);
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
/** What waits for `held` goes on once it is released. */
function hold() {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { held, release };
}
const notice = (page: Page) => page.getByRole('status').first();
const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text }).first();

describe.each(['light', 'dark'] as const)('%s', (colorScheme) => {
  test.each([1280, 390])('axe finds nothing in any area, %d pixels wide', async (width) => {
    const { page, told, close } = await enter({ colorScheme, viewport: { width, height: 844 } });
    for (const [name, title] of Object.entries(areas)) {
      await page.goto(`${agent.url}/desk#/${name}`);
      await page.getByRole('heading', { name: title, level: 1 }).waitFor();
      await expect
        .poll(() => page.getByText('Loading', { exact: true }).count(), { timeout: 15_000 })
        .toBe(0);
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
    await page.locator('dialog summary').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.type('In April.');
    await press(page, 'button', 'Send');
    await page.getByRole('dialog').getByText('The reply was sent.').waitFor();
    await page.keyboard.press('Escape');
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

  test('who is quicker than the next frame is not put back', async () => {
    const { page, close } = await enter();
    await page.clock.install();
    await press(page, 'link', 'E-mails');
    await page.getByRole('button', { name: 'Herons', exact: true }).waitFor();
    await page.clock.pauseAt(Date.now() + 60_000);
    await press(page, 'button', 'Herons');
    await page.getByRole('dialog').waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Close');
    await page.clock.runFor(1_000);
    expect(await focused()).toBe('Close');
    await close();
  });

  test('a workflow is made, run, changed, and its steps are read', async () => {
    const { page, close } = await enter();
    await press(page, 'link', 'Workflows');
    await page.getByText('New workflow').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.type('On paper');
    await page.getByLabel('Content').focus();
    await page.keyboard.type('Of {{resource_id}}');
    await press(page, 'button', 'Add a condition');
    await page.getByLabel('Of what it is told').focus();
    await page.keyboard.type('kind');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.type('heron');
    await press(page, 'button', 'Create');
    await row(page, 'On paper').waitFor();
    const read = async () => {
      const { workflows } = await call('GET', '/v1/bot/workflow/readall');
      return workflows.find(({ name }: { name: string }) => name.startsWith('On paper'));
    };
    expect(await read()).toMatchObject({
      trigger_type: 'event',
      trigger_event: 'chat.ended',
      conditions: [{ field: 'kind', operator: 'equals', value: 'heron' }],
      actions: [{ type: 'add_memory', content: 'Of {{resource_id}}' }],
    });
    await press(page, 'button', 'On paper');
    const panel = page.getByRole('dialog');
    await panel.getByText('kind is heron').waitFor();
    await panel.getByText('Change', { exact: true }).focus();
    await page.keyboard.press('Enter');
    await panel.getByLabel('Begins with').selectOption('a time');
    await panel.getByLabel('How often').selectOption('Each day');
    await press(page, 'button', 'Take away condition 1');
    await press(page, 'button', 'Add an action');
    await panel.locator('select[name$=type]').last().selectOption('Call an address');
    await panel.getByLabel('Address', { exact: true }).fill('https://site.example/hook');
    await panel.getByLabel(/^Headers/).fill('X-Kind: heron');
    await panel.getByLabel(/^JSON/).fill('{"of": broken}');
    await press(page, 'button', 'Save');
    await panel
      .getByRole('status')
      .getByText(/^JSON: /)
      .waitFor();
    await panel.getByLabel(/^JSON/).fill('{"of": "{{event}}"}');
    await press(page, 'button', 'Save');
    await panel.getByRole('status').getByText('Saved.').waitFor();
    const { timeZone } = await page.evaluate(() => Intl.DateTimeFormat().resolvedOptions());
    expect(await read()).toMatchObject({
      trigger_config: { schedule_type: 'daily', schedule_config: { time: '09:00' }, timezone: timeZone },
      conditions: [],
      actions: [
        { type: 'add_memory', content: 'Of {{resource_id}}' },
        {
          type: 'call_url',
          url: 'https://site.example/hook',
          method: 'POST',
          headers: { 'X-Kind': 'heron' },
          body: { of: '{{event}}' },
        },
      ],
    });
    await press(page, 'button', 'Close');
    await press(page, 'button', 'Run Note now');
    await press(page, 'button', 'Note');
    await page.getByRole('table', { name: 'Runs of Note' }).getByText('add_memory: success').waitFor();
    await close();
  });

  test('a task is made and changed, of each kind of schedule', async () => {
    const { page, close } = await enter();
    await press(page, 'link', 'Tasks');
    await page.getByText('New task').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Count the herons.');
    await press(page, 'button', 'Create');
    await row(page, 'Count the herons.').getByText('Mondays at 09:00').waitFor();
    await press(page, 'button', 'Count the herons.');
    const panel = page.getByRole('dialog');
    await panel.getByText('Change', { exact: true }).click();
    const { timeZone: timezone } = await page.evaluate(() => Intl.DateTimeFormat().resolvedOptions());
    const kinds = {
      Once: { schedule_type: 'once', schedule_config: { scheduled_at: '2099-04-01T09:30' } },
      'Every so many minutes': { schedule_type: 'interval', schedule_config: { interval_minutes: 90 } },
      'Each day': { schedule_type: 'daily', schedule_config: { time: '09:00' } },
      'Each week': { schedule_type: 'weekly', schedule_config: { day: 7, time: '09:00' } },
      'Each month': { schedule_type: 'monthly', schedule_config: { day_of_month: 31, time: '09:00' } },
      'By a cron pattern': { schedule_type: 'cron', schedule_config: { cron: '0 9 * * 1' } },
    };
    for (const [label, schedule] of Object.entries(kinds)) {
      await panel.getByLabel('How often').selectOption(label);
      if (label === 'Once') await panel.getByLabel('At', { exact: true }).fill('2099-04-01T09:30');
      if (label === 'Every so many minutes') await panel.getByLabel('Minutes', { exact: true }).fill('90');
      if (label === 'Each week') await panel.locator('select[name=day]').selectOption('Sunday');
      if (label === 'Each month') await panel.getByLabel(/^On day/).fill('31');
      await press(page, 'button', 'Save');
      await expect
        .poll(async () => {
          const { tasks } = await call('GET', '/v1/bot/tasks/readall');
          return tasks.find(({ name }: { name: string }) => name === 'Count the herons.');
        })
        .toMatchObject({ ...schedule, timezone, active_hours_start: null, max_executions: null });
      await panel.getByText('Change', { exact: true }).click();
    }
    await press(page, 'button', 'Close');
    await press(page, 'button', 'Delete Count the herons.');
    await press(page, 'button', 'Yes: Delete Count the herons.');
    await expect.poll(() => row(page, 'Count the herons.').count()).toBe(0);
    await close();
  });

  test('an agent is made, chosen and deleted', async () => {
    const { page, close } = await enter();
    await press(page, 'link', 'Agents');
    await page.getByText('New agent').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Owl');
    await press(page, 'button', 'Create');
    await press(page, 'button', 'Owl');
    const chosen = () =>
      page.locator('header select').evaluate((one: HTMLSelectElement) => one.selectedOptions[0]?.text);
    expect(await chosen()).toBe('Owl');
    await press(page, 'button', 'Delete Owl with all that it has');
    await press(page, 'button', 'Yes: Delete Owl with all that it has');
    await expect.poll(() => row(page, 'Owl').count()).toBe(0);
    expect(await chosen()).not.toBe('Owl');
    await close();
  });

  test('a key is made, shown once, and deleted', async () => {
    const { page, close } = await enter();
    await press(page, 'link', 'Keys and plan');
    await page.getByText('New key').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Till');
    await press(page, 'button', 'Create');
    const made = page.getByText('The new key, which is not shown again:');
    expect(await made.locator('code').textContent()).toMatch(/^\S{20,}$/);
    // Until somebody says that they have it.
    await press(page, 'link', 'Settings');
    await press(page, 'link', 'Keys and plan');
    await row(page, 'Till').waitFor();
    await press(page, 'button', 'Done');
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
    await notice(page).getByText('The task has run: its log says how.').waitFor();
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
  await expect.poll(() => entered.page.title()).toBe('Desk');
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
  page.on('dialog', (dialog) => dialog.accept());
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

test('the chat is seen as it would be, answers, and does not take the focus', async () => {
  const { page, told, close } = await enter();
  await page.goto(`${agent.url}/desk#/settings`);
  const preview = page.frameLocator('iframe[title="The chat"]');
  const composer = preview.getByRole('textbox');
  await composer.waitFor();
  const starters = page.getByLabel('Starters, one a line');
  const saved = await page.getByLabel('Tagline').inputValue();
  await starters.fill('');
  await starters.pressSequentially('When does a heron nest?');
  await page.getByLabel('Tagline').fill('');
  await page.getByLabel('Tagline').pressSequentially('All about birds');
  await preview.getByText('All about birds').waitFor();
  await expect
    .poll(() => page.evaluate(() => (document.activeElement as HTMLInputElement).name))
    .toBe('tagline');
  await preview.getByRole('button', { name: 'When does a heron nest?' }).click();
  await preview.getByText('A heron nests in April.').first().waitFor();
  await page.getByLabel('Preview as a').selectOption('dock');
  await preview.getByRole('textbox').waitFor();
  expect(told).toEqual([]);
  // Nothing of it is saved.
  const { bot } = await call('GET', '/v1/bot/read');
  expect(bot.branding.tagline).toBe(saved);
  await page.getByRole('link', { name: 'Tasks' }).click();
  await page.getByRole('link', { name: 'Settings' }).click();
  expect(await page.getByLabel('Tagline').inputValue()).toBe('All about birds');
  await page.getByRole('button', { name: 'Undo what is not saved' }).click();
  expect(await page.getByLabel('Tagline').inputValue()).toBe(saved);
  await close();
});

test('an answer is read as the visitor saw it, with what it cites', async () => {
  const { page, close } = await enter();
  await page.goto(`${agent.url}/desk#/conversations`);
  await page.getByRole('button', { name: 'When does a heron nest?' }).first().click();
  const panel = page.getByRole('dialog');
  await panel.getByRole('list', { name: 'Sources' }).getByText('Herons').first().waitFor();
  await close();
});

test('of what is changed stays as it was what nobody touched, also the second time', async () => {
  const conditions = [
    { field: 'note', operator: 'not_equals', value: '' },
    { field: 'kind', operator: 'equals', value: null },
    { field: 'tags', operator: 'equals', value: ['a', 'b'] },
    { field: 'id', operator: 'exists' },
  ];
  const actions = [
    { type: 'call_url', url: 'https://site.example/', method: 'PUT', headers: { 'X-A': '1' }, body: 'plain' },
    { type: 'add_memory', title: 'Old', content: 'Two\nlines', tags: ['a', 'b'] },
  ];
  const made = { name: 'Keeps', trigger_type: 'manual', conditions, actions };
  const { workflow } = await call('POST', '/v1/bot/workflow/create', made);
  const at = '2031-07-01T13:00:00Z';
  const { task } = await call('POST', '/v1/bot/tasks/create', {
    name: 'Keeps',
    prompt: 'Once',
    schedule_type: 'once',
    schedule_config: { scheduled_at: at },
    timezone: 'America/New_York',
  });
  const { page, close } = await enter();
  const panel = page.getByRole('dialog');
  const change = async (label: string, value: string) => {
    await panel.getByText('Change', { exact: true }).click();
    await panel.getByLabel(label, { exact: true }).last().fill(value);
    await panel.getByRole('button', { name: 'Save' }).click();
    await panel.getByRole('button', { name: 'Save' }).waitFor({ state: 'hidden' });
    await page.waitForLoadState('networkidle');
  };
  await page.goto(`${agent.url}/desk#/workflows`);
  await page.getByRole('button', { name: 'Keeps', exact: true }).click();
  await change('Title (may be empty)', 'New');
  await change('Name', 'Keeps all');
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('SUMMARY');
  const read = await call('GET', '/v1/bot/workflow/read', { workflow_id: workflow.uuid });
  expect(read.workflow).toMatchObject({ name: 'Keeps all', conditions });
  expect(read.workflow.actions).toEqual([actions[0], { ...actions[1], title: 'New' }]);
  await page.getByRole('button', { name: 'Close' }).click();

  await page.goto(`${agent.url}/desk#/tasks`);
  await page.getByRole('button', { name: 'Keeps', exact: true }).click();
  await panel.getByText('Change', { exact: true }).click();
  expect(await panel.getByLabel('At', { exact: true }).inputValue()).toBe('2031-07-01T09:00');
  await panel.getByText('Change', { exact: true }).click();
  await change('Name', 'Keeps its time');
  const kept = await call('GET', '/v1/bot/tasks/read', { task_id: task.uuid });
  expect(kept.task).toMatchObject({ name: 'Keeps its time', schedule_config: { scheduled_at: at } });
  await call('POST', '/v1/bot/tasks/disable', { task_id: task.uuid });
  await close();
});

test('what is written in a panel is not thrown away unasked', async () => {
  await call('POST', '/v1/bot/tasks/create', { prompt: 'Written', enabled: false });
  const { page, close } = await enter();
  await page.goto(`${agent.url}/desk#/tasks`);
  await page.getByRole('button', { name: 'Written', exact: true }).click();
  const panel = page.getByRole('dialog');
  await panel.getByText('Change', { exact: true }).click();
  await panel.getByLabel('Name', { exact: true }).fill('Half written');
  // So soon after it was opened a press beside it is none.
  await page.waitForTimeout(600);
  for (const leave of [
    () => page.keyboard.press('Escape'),
    () => page.mouse.click(5, 400),
    () => panel.getByRole('button', { name: 'Close' }).click(),
  ]) {
    await leave();
    await panel.getByText('Throw away what is not saved?').waitFor();
    await panel.getByRole('button', { name: 'No' }).click();
  }
  for (let n = 0; n < 5; n += 1) await page.keyboard.press('Escape');
  await panel.getByText('Throw away what is not saved?').waitFor();
  await page.keyboard.press('Escape');
  expect(await panel.getByLabel('Name', { exact: true }).inputValue()).toBe('Half written');
  // Back, which is asked about by the browser.
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.message());
    return asked.length < 3 ? dialog.dismiss() : dialog.accept();
  });
  await page.goBack();
  await expect.poll(() => asked.length).toBe(1);
  expect(await panel.getByLabel('Name', { exact: true }).inputValue()).toBe('Half written');
  await page.keyboard.press('Escape');
  await panel.getByRole('button', { name: 'Yes' }).click();
  await panel.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Written', exact: true }).click();
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'hidden' });
  await close();
});

test('what is written in an area is not left unasked', async () => {
  const { page, close } = await enter();
  await page.goto(`${agent.url}/desk#/sources`);
  await page.getByText('New text').click();
  await page.getByLabel('Title').fill('Half written');
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.message());
    return asked.length === 1 ? dialog.dismiss() : dialog.accept();
  });
  await page.getByRole('link', { name: 'People' }).click();
  await expect.poll(() => asked.length).toBe(1);
  await page.getByRole('heading', { name: 'Sources', level: 1 }).waitFor();
  expect(await page.getByLabel('Title').inputValue()).toBe('Half written');
  await page.getByRole('link', { name: 'People' }).click();
  await page.getByRole('heading', { name: 'People', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'Tasks' }).click();
  await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor();
  expect(asked).toEqual(Array(2).fill('Throw away what is written here and not saved?'));
  await close();
});

test.each([
  ['overview', '**/v1/bot/stats/votes*'],
  ['settings', '**/v1/bot/read*'],
  ['emails', '**/v1/bot/email/address*'],
  ['workflows', '**/v1/bot/workflow/catalog*'],
])('what %s could not load is said, and asked for again', async (area, calls) => {
  const { page, close } = await enter();
  await page.route(calls, (route) => route.fulfill({ status: 500, json: {} }));
  await page.goto(`${agent.url}/desk#/${area}`);
  if (area === 'overview') await page.reload();
  const again = page.getByRole('button', { name: 'Try again' });
  await again.first().waitFor();
  await page.unroute(calls);
  await again.first().click();
  await again.first().waitFor({ state: 'hidden' });
  await close();
});

test('a preview that could not read its agent says so, and begins again', async () => {
  const { page, close } = await enter();
  await page.goto(`${agent.url}/desk#/settings`);
  const preview = page.frameLocator('iframe[title="The chat"]');
  await preview.getByRole('textbox').waitFor();
  await page.route('**/v1/bot/read*', (route) => route.fulfill({ status: 500, json: {} }));
  await page.getByLabel('Tagline').fill('Anew');
  await page.getByText('The agent could not be read: this is not how its chat looks.').waitFor();
  await page.unroute('**/v1/bot/read*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await preview.getByText('Anew').waitFor();
  await page.route('**/v1/bot/read*', (route) => route.fulfill({ status: 500, json: {} }));
  await page.getByLabel('Tagline').fill('Again');
  await page.getByText('The agent could not be read').waitFor();
  await page.unroute('**/v1/bot/read*');
  await page.getByLabel('Tagline').fill('And again');
  await preview.getByText('And again').waitFor();
  expect(await page.getByText('The agent could not be read').count()).toBe(0);
  await close();
});

test('an answer that is not whole says why', async () => {
  const { page, close } = await enter();
  await page.route('**/v1/bot/chat/read?*', async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    const reasons = ['paused', 'cancelled', 'error'];
    body.conversation = reasons.map((finish_reason) => ({
      ...body.conversation.at(-1),
      uuid: finish_reason,
      content: '',
      finish_reason,
    }));
    await route.fulfill({ response, json: body });
  });
  await page.goto(`${agent.url}/desk#/conversations`);
  await page.getByRole('button', { name: 'When does a heron nest?' }).first().click();
  for (const said of ['It waits for the visitor’s word.', 'It was stopped here.', 'It failed here.'])
    await page.getByText(said).waitFor();
  await close();
});

test('a day without messages stands in the chart, up to today and as far back as is asked', async () => {
  const { page, close } = await enter();
  const toDay = (ago: number) => new Date(Date.now() - ago * 24 * 3_600_000).toISOString().slice(0, 10);
  await page.route('**/v1/bot/stats/dashboard?*', async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    body.trends.messages = [
      { date: toDay(250), count: 5 },
      { date: toDay(4), count: 2 },
      { date: toDay(1), count: 3 },
    ].slice(route.request().url().includes('from=') ? 1 : 0);
    await route.fulfill({ response, json: body });
  });
  await page.reload();
  const told = async () => (await page.getByRole('img', { name: /^Messages/ }).getAttribute('aria-label'))!;
  const days = (await told()).replace('Messages a day: ', '').split(', ');
  expect(days).toHaveLength(30);
  expect(days.slice(-5)).toEqual([2, 0, 0, 3, 0].map((count, index) => `${toDay(4 - index)} ${count}`));
  await page.getByLabel('Period').selectOption('All time');
  await expect.poll(told).toContain(`Messages in 3 days: ${toDay(250)} 5, `);
  const all = (await told()).replace('Messages in 3 days: ', '').split(', ');
  expect(all.reduce((sum, one) => sum + Number(one.split(' ')[1]), 0)).toBe(10);
  await close();
});

test('a key that is shown is shown to nobody who comes after, and leaving asks before it is thrown away', async () => {
  const { page, close } = await enter();
  await page.goto(`${agent.url}/desk#/keys`);
  await page.getByText('New key').click();
  await page.getByLabel('Name').fill('Secret');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText('The new key, which is not shown again:').waitFor();
  const answers = [false, true];
  page.on('dialog', (dialog) => (answers.shift() ? dialog.accept() : dialog.dismiss()));
  await page.getByRole('button', { name: 'Leave' }).click();
  await expect.poll(() => answers.length).toBe(1);
  await page.getByText('The new key, which is not shown again:').waitFor();
  await page.getByRole('button', { name: 'Leave' }).click();
  await page.getByLabel('API key').fill(' admin-key ');
  await page.keyboard.press('Enter');
  await row(page, 'Secret').waitFor();
  expect(await page.getByText('The new key').count()).toBe(0);
  await close();
});

test('a replaced key is not asked about again', async () => {
  await call('POST', '/v1/keys', { name: 'Turned', role: 'member' });
  const { page, close } = await enter();
  await page.goto(`${agent.url}/desk#/keys`);
  await page.getByRole('button', { name: 'Replace Turned' }).click();
  await page.getByRole('button', { name: 'Yes: Replace Turned' }).click();
  await page.getByText('The new key, which is not shown again:').waitFor();
  await page.getByRole('button', { name: 'Replace Turned', exact: true }).waitFor();
  await close();
});

test('a condition that is taken away counts as written, and a selection that ends beside a panel closes nothing', async () => {
  const conditions = [{ field: 'note', operator: 'exists', value: '' }];
  const actions = [{ type: 'add_memory', content: 'A note.' }];
  await call('POST', '/v1/bot/workflow/create', {
    name: 'Drag',
    trigger_type: 'manual',
    conditions,
    actions,
  });
  const { page, close } = await enter();
  await page.goto(`${agent.url}/desk#/workflows`);
  await page.getByRole('button', { name: 'Drag', exact: true }).click();
  const panel = page.getByRole('dialog');
  const { x, y } = (await panel.getByText('Only if', { exact: true }).boundingBox())!;
  await page.mouse.move(x + 20, y + 5);
  await page.mouse.down();
  await page.mouse.move(10, y + 5, { steps: 5 });
  await page.mouse.up();
  await panel.getByText('Change', { exact: true }).click();
  await panel.getByRole('button', { name: 'Take away condition 1' }).click();
  await page.keyboard.press('Escape');
  await panel.getByText('Throw away what is not saved?').waitFor();
  await panel.getByRole('button', { name: 'No' }).click();
  await panel.getByRole('button', { name: 'Save' }).click();
  await panel.getByText('Saved.').waitFor();
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'hidden' });
  await close();
});

test('what is wrong in folded settings is unfolded', async () => {
  const { page, close } = await enter();
  await page.goto(`${agent.url}/desk#/settings`);
  await page.getByText('More', { exact: true }).click();
  await page.getByLabel('Passages it reads for an answer').fill('0');
  await page.getByText('More', { exact: true }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByLabel('Passages it reads for an answer').waitFor();
  await close();
});

test('what could not be loaded is said, and who manages is no moderator for it', async () => {
  const { page, close } = await enter();
  await page.route('**/v1/plan?*', (route) =>
    route.fulfill({ status: 429, json: { success: false, error: { code: 'x', message: 'Too many.' } } }),
  );
  await page.goto(`${agent.url}/desk#/keys`);
  await page.reload();
  await page.getByText('Too many.').waitFor();
  await page.unroute('**/v1/plan?*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('New key').waitFor();
  await close();
});

test('a key that was made covers nothing, and is put away', async () => {
  const { page, close } = await enter();
  await page.goto(`${agent.url}/desk#/keys`);
  await page.getByText('New key').click();
  await page.getByLabel('Name').fill('Late');
  await page.route('**/v1/keys', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 500));
    await route.continue();
  });
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('link', { name: 'Tasks' }).click();
  await page.waitForLoadState('networkidle');
  await page.getByRole('link', { name: 'Keys and plan' }).click();
  await page.getByText('The new key, which is not shown again:').waitFor();
  await page.getByRole('button', { name: 'Delete Late' }).click();
  await page.getByRole('button', { name: 'Yes: Delete Late' }).click();
  const said = page.getByText('The key was deleted.');
  await said.waitFor();
  const isSeen = await said.evaluate((element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return document.elementFromPoint(x + width / 2, y + height / 2) === element;
  });
  expect(isSeen).toBe(true);
  await page.getByRole('button', { name: 'Done' }).click();
  expect(await page.getByText('The new key').count()).toBe(0);
  await close();
});

test('a moderator is offered nothing that is refused', async () => {
  const { page, told, close } = await enter({}, 'moderator-key');
  expect(await page.getByRole('navigation').getByRole('link').allTextContents()).toEqual([
    'Overview',
    'Conversations',
    'Sources',
    'People',
    'Tasks',
    'E-mails',
    'Workflows',
  ]);
  for (const area of ['sources', 'tasks', 'workflows']) {
    await page.goto(`${agent.url}/desk#/${area}`);
    await page.getByRole('table').waitFor();
    expect(await page.locator('main summary').count()).toBe(0);
    // The API lets moderators run a task and a workflow.
    const offered = await page.locator('main .actions button').allTextContents();
    expect(offered.filter((text) => area === 'sources' || text !== 'Run')).toEqual([]);
  }
  await page.goto(`${agent.url}/desk#/keys`);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  expect(told.filter((line) => !line.includes('403'))).toEqual([]);
  await close();
});

test('a double click on Delete deletes nothing, on a phone either', async () => {
  for (const name of ['Clicked', 'Tapped']) await call('POST', '/v1/bot/create', { name });
  for (const [width, name] of [
    [1280, 'Clicked'],
    [390, 'Tapped'],
  ] as const) {
    const { page, close } = await enter({ viewport: { width, height: 844 }, hasTouch: true });
    await page.goto(`${agent.url}/desk#/agents`);
    const wanted = page.getByRole('button', { name: `Delete ${name} with all that it has`, exact: true });
    const { x, y, width: wide, height } = (await wanted.boundingBox())!;
    const [at, down] = [x + wide / 2, y + height / 2];
    await (name === 'Clicked' ? page.mouse.dblclick(at, down) : page.touchscreen.tap(at, down));
    if (name === 'Tapped') await page.touchscreen.tap(at, down);
    await page.waitForTimeout(300);
    expect(await row(page, name).count()).toBe(1);
    // Once it was read, a press is an answer.
    await ((await wanted.isVisible()) ? wanted.click() : undefined);
    await page.getByRole('button', { name: `Yes: Delete ${name} with all that it has` }).click();
    await expect.poll(() => row(page, name).count()).toBe(0);
    await close();
  }
});

test('keys that were made are shown, each until somebody says that they have it', async () => {
  const { page, close } = await enter();
  await page.goto(`${agent.url}/desk#/keys`);
  const made = page.getByText('The new key, which is not shown again:');
  for (const name of ['First', 'Second']) {
    await page.getByText('New key', { exact: true }).click();
    await page.getByLabel('Name').fill(name);
    await page.getByRole('button', { name: 'Create' }).click();
    await row(page, name).waitFor();
  }
  expect(await made.count()).toBe(2);
  const second = await made.nth(1).locator('code').textContent();
  await page.getByRole('button', { name: 'Done' }).first().click();
  await page.getByRole('link', { name: 'Agents' }).click();
  await page.goBack();
  await made.waitFor();
  expect(await made.locator('code').allTextContents()).toEqual([second]);
  await close();
});

test('what is refused for a moment comes by itself, and entering asks for nothing twice', async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  let isRefused = true;
  await page.route('**/v1/bot/stats/votes?*', (route) => {
    const answer = { status: 429, headers: { 'retry-after': '1' }, json: { error: 'Too many requests.' } };
    const before = isRefused;
    isRefused = false;
    return before ? route.fulfill(answer) : route.continue();
  });
  await page.goto(`${agent.url}/desk/`);
  await page.getByLabel('API key').fill('owner-key');
  await page.keyboard.press('Enter');
  await page.getByText('Too many requests.').waitFor();
  await page.getByText('Upvotes').first().waitFor();
  expect(await page.getByText('Too many requests.').count()).toBe(0);
  expect(asked.filter((path) => path === '/v1/bots' || path === '/v1/plan').sort()).toEqual([
    '/v1/bots',
    '/v1/plan',
  ]);
  await context.close();
});

test('what was saved stands there at once, whatever becomes of reading it again', async () => {
  await call('POST', '/v1/bot/tasks/create', { prompt: 'The first prompt', name: 'Saved', enabled: false });
  const { page, close } = await enter();
  await page.goto(`${agent.url}/desk#/tasks`);
  await page.getByRole('button', { name: 'Saved', exact: true }).click();
  const panel = page.getByRole('dialog');
  for (const path of ['**/v1/bot/tasks/readall?*', '**/v1/bot/read?*'])
    await page.route(path, (route) => route.fulfill({ status: 500, json: {} }));
  await panel.getByText('Change', { exact: true }).click();
  await panel.getByLabel('What the agent is asked').fill('Another prompt');
  await panel.getByRole('button', { name: 'Save', exact: true }).click();
  await panel.getByText('Saved.').waitFor();
  expect(await panel.locator('.said').textContent()).toBe('Another prompt');
  await panel.getByText('Change', { exact: true }).click();
  expect(await panel.getByLabel('What the agent is asked').inputValue()).toBe('Another prompt');
  await page.keyboard.press('Escape');
  await page.unroute('**/v1/bot/read?*');
  await page.getByRole('link', { name: 'Settings' }).click();
  const tagline = page.getByLabel('Tagline');
  await tagline.waitFor();
  await page.route('**/v1/bot/read?*', (route) => route.fulfill({ status: 500, json: {} }));
  await tagline.fill('Here since today');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved.').waitFor();
  expect(await tagline.inputValue()).toBe('Here since today');
  await close();
});

test('what is written while it is sent stays, and blanks are no name', async () => {
  const { page, close } = await enter();
  await page.goto(`${agent.url}/desk#/agents`);
  await page.getByText('New agent', { exact: true }).click();
  const name = page.getByLabel('Name', { exact: true });
  await name.fill('   ');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText('Name: more than blanks is needed.').waitFor();
  const { held, release } = hold();
  await page.route('**/v1/bot/create', async (route) => {
    await held;
    await route.continue();
  });
  await name.fill('Sent');
  await page.getByRole('button', { name: 'Create' }).click();
  await name.fill('Sent, and more');
  release();
  await row(page, 'Sent').waitFor();
  expect(await name.inputValue()).toBe('Sent, and more');
  page.on('dialog', (dialog) => dialog.accept());
  await page.getByRole('link', { name: 'Tasks' }).click();
  await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor();
  await close();
});

test('what is written in a change stays, whatever becomes of the task and while it is sent', async () => {
  const { task } = await call('POST', '/v1/bot/tasks/create', { prompt: 'Changing', enabled: false });
  const { page, close } = await enter();
  await page.goto(`${agent.url}/desk#/tasks`);
  let release = () => {};
  let held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/tasks\/(trigger|update)/, async (route) => {
    await held;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Run Changing now' }).click();
  await page.getByRole('button', { name: 'Changing', exact: true }).click();
  const panel = page.getByRole('dialog');
  await panel.getByText('Change', { exact: true }).click();
  const prompt = panel.getByLabel('What the agent is asked');
  await prompt.fill('Written while it ran');
  release();
  await expect
    .poll(async () => (await call('GET', '/v1/bot/tasks/read', { task_id: task.uuid })).task.execution_count)
    .toBe(1);
  await panel.getByText('The task has run').waitFor();
  expect(await prompt.inputValue()).toBe('Written while it ran');
  held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await panel.getByRole('button', { name: 'Save', exact: true }).click();
  await prompt.fill('Written while it was sent');
  release();
  await panel.getByText('Saved.').waitFor();
  expect(await prompt.inputValue()).toBe('Written while it was sent');
  // Then it is saved as it stands, and nothing is asked about any more.
  await panel.getByRole('button', { name: 'Save', exact: true }).click();
  await expect.poll(() => panel.locator('.said').textContent()).toBe('Written while it was sent');
  await panel.getByRole('button', { name: 'Close' }).click();
  await panel.waitFor({ state: 'hidden' });
  await close();
});

test('a double click closes a panel, opens one and puts a key away, and does nothing else', async () => {
  await call('POST', '/v1/bot/tasks/create', { prompt: 'Pressed', enabled: false });
  const { page, close } = await enter();
  await page.goto(`${agent.url}/desk#/tasks`);
  const panel = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Pressed', exact: true }).dblclick();
  await page.waitForTimeout(200);
  await panel.waitFor();
  await panel.getByRole('button', { name: 'Close' }).dblclick();
  await page.waitForTimeout(200);
  await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor();
  const ran: string[] = [];
  page.on('request', (request) => request.url().includes('trigger') && ran.push(request.url()));
  await page.getByRole('button', { name: 'Run Pressed now' }).dblclick();
  await page.getByText('The task has run').waitFor();
  await page.waitForTimeout(200);
  expect(ran).toHaveLength(1);
  await page.goto(`${agent.url}/desk#/keys`);
  for (const name of ['Third', 'Fourth']) {
    await page.getByText('New key', { exact: true }).click();
    await page.getByLabel('Name').fill(name);
    await page.getByRole('button', { name: 'Create' }).click();
    await row(page, name).waitFor();
    // Where it is seen, and where one is.
    await expect.poll(() => page.evaluate(() => document.activeElement?.className)).toBe('made');
  }
  await page.getByRole('button', { name: 'Done' }).first().dblclick();
  expect(await page.getByText('The new key, which is not shown again:').count()).toBe(1);
  await close();
});

test('who types elsewhere while something is removed goes on typing there', async () => {
  await call('POST', '/v1/bot/source/create', { type: 'text', title: 'Removed', source: 'A text.' });
  const { page, close } = await enter();
  await page.goto(`${agent.url}/desk#/sources`);
  const { held, release } = hold();
  await page.route('**/v1/bot/source/delete?*', async (route) => {
    await held;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Delete Removed' }).click();
  await page.getByRole('button', { name: 'Yes: Delete Removed' }).click();
  await page.getByText('New text', { exact: true }).click();
  await page.getByLabel('Title').first().pressSequentially('A title ');
  release();
  await expect.poll(() => row(page, 'Removed').count()).toBe(0);
  await page.keyboard.type('that I type');
  expect(await page.getByLabel('Title').first().inputValue()).toBe('A title that I type');
  await close();
});

test('blanks for a name can be undone, and what answers no JSON is said', async () => {
  const { page, close } = await enter();
  await page.goto(`${agent.url}/desk#/settings`);
  const name = page.getByLabel('Name', { exact: true });
  const before = await name.inputValue();
  await name.fill('  ');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Name: more than blanks is needed.').waitFor();
  await page.getByRole('button', { name: 'Undo what is not saved' }).click();
  expect(await name.inputValue()).toBe(before);
  await page.getByLabel('Tagline').fill('After it');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved.').waitFor();
  await page.route('**/v1/bot/tasks/readall?*', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<p>Sign in</p>' }),
  );
  await page.getByRole('link', { name: 'Tasks' }).click();
  await page.getByText('nothing that can be read').waitFor();
  await close();
});

test('half a limit is not saved, and what was wrong is said no longer than it is', async () => {
  const { page, close } = await enter();
  await page.goto(`${agent.url}/desk#/settings`);
  const name = page.getByLabel('Name', { exact: true });
  const before = await name.inputValue();
  await name.fill(' ');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const wrong = page.getByText('Name: more than blanks is needed.');
  await wrong.waitFor();
  await name.fill(before);
  expect(await wrong.count()).toBe(0);
  await page.getByText('More', { exact: true }).click();
  const [often, seconds] = [
    page.getByLabel('A visitor may ask so often'),
    page.getByLabel('in so many seconds'),
  ];
  await often.fill('10');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  expect(await seconds.evaluate((field: HTMLInputElement) => field.validity.valueMissing)).toBe(true);
  await often.fill('');
  await seconds.fill('60');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  expect(await often.evaluate((field: HTMLInputElement) => field.validity.valueMissing)).toBe(true);
  await seconds.fill('');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved.').waitFor();
  await close();
});

test('one who stays in a panel is where they were, and the deletion of an agent is no bad news', async () => {
  await call('POST', '/v1/bot/tasks/create', { prompt: 'Staying', enabled: false });
  const { bot } = await call('POST', '/v1/bot/create', { name: 'Leaving' });
  const { page, close } = await enter();
  await page.goto(`${agent.url}/desk#/tasks`);
  await page.getByRole('button', { name: 'Staying', exact: true }).click();
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.message());
    return dialog.dismiss();
  });
  const panel = page.getByRole('dialog');
  await panel.getByText('Change', { exact: true }).click();
  await panel.getByLabel('Name', { exact: true }).fill('Half written');
  await press(page, 'button', 'Close');
  await press(page, 'button', 'No');
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Close');
  await page.keyboard.press('Escape');
  await panel.getByRole('button', { name: 'Yes' }).click();
  await page.goto(`${agent.url}/desk#/agents`);
  await panel.waitFor({ state: 'detached' });
  expect(asked).toEqual([]);
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Leaving', exact: true }).click();
  const wanted = `Delete ${bot.name} with all that it has`;
  await page.getByRole('button', { name: wanted }).click();
  await page.getByRole('button', { name: `Yes: ${wanted}` }).click();
  await page.getByText('The agent was deleted.').waitFor();
  await expect.poll(() => page.locator('header select').inputValue()).not.toBe(bot.uuid);
  expect(await page.getByText('is gone').count()).toBe(0);
  await close();
});

test('a key that is made below many others is seen', async () => {
  for (let n = 0; n < 20; n += 1) await call('POST', '/v1/keys', { name: `Many ${n}`, role: 'member' });
  for (const viewport of [
    { width: 1280, height: 800 },
    { width: 390, height: 844 },
  ]) {
    const { page, close } = await enter({ viewport });
    await page.goto(`${agent.url}/desk#/keys`);
    await page.getByText('New key', { exact: true }).click();
    await page.getByLabel('Name').fill('Below');
    await page.getByRole('button', { name: 'Create' }).click();
    const key = page.locator('.made code');
    await row(page, 'Below').waitFor();
    await key.waitFor();
    const isSeen = () =>
      key.evaluate((element) => {
        const { x, y, width, height } = element.getBoundingClientRect();
        return element.closest('.made')!.contains(document.elementFromPoint(x + width / 2, y + height / 2));
      });
    await expect.poll(isSeen).toBe(true);
    await close();
  }
  const { data } = await call('GET', '/v1/keys', { per_page: 100 });
  for (const { id, name } of data.keys)
    if (/^(Many|Below)/.test(name)) await call('DELETE', `/v1/keys/${id}`);
});

test('settings of an agent that is deleted are asked about no more', async () => {
  const { bot } = await call('POST', '/v1/bot/create', { name: 'Passing' });
  const { page, close } = await enter();
  await page.goto(`${agent.url}/desk#/agents`);
  await page.getByRole('button', { name: 'Passing', exact: true }).click();
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Half written');
  await page.getByRole('link', { name: 'Agents' }).click();
  await page.getByRole('button', { name: `Delete ${bot.name} with all that it has` }).click();
  await page.getByRole('button', { name: `Yes: Delete ${bot.name} with all that it has` }).click();
  await expect.poll(() => row(page, 'Passing').count()).toBe(0);
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.message());
    return dialog.accept();
  });
  await page.getByRole('button', { name: 'Leave' }).click();
  await page.getByLabel('API key').waitFor();
  expect(asked).toEqual([]);
  await close();
});

test('settings that are not saved are nobody’s who comes after', async () => {
  const { page, close } = await enter();
  await page.goto(`${agent.url}/desk#/settings`);
  const tagline = page.getByLabel('Tagline');
  const before = await tagline.inputValue();
  await tagline.fill('Half written');
  page.on('dialog', (dialog) => dialog.accept());
  await page.getByRole('button', { name: 'Leave' }).click();
  await page.getByLabel('API key').fill('admin-key');
  await page.keyboard.press('Enter');
  await tagline.waitFor();
  expect(await tagline.inputValue()).toBe(before);
  await close();
});

test('what went well is said where it was done, and nowhere else', async () => {
  await call('POST', '/v1/bot/tasks/create', { prompt: 'Elsewhere', enabled: false });
  const { page, close } = await enter();
  await page.goto(`${agent.url}/desk#/tasks`);
  const { held, release } = hold();
  await page.route('**/v1/bot/tasks/enable', async (route) => {
    await held;
    await route.continue();
  });
  const enabled = page.waitForResponse('**/v1/bot/tasks/enable');
  await page.getByRole('button', { name: 'Switch on Elsewhere' }).click();
  await page.getByRole('link', { name: 'Agents' }).click();
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
  release();
  await enabled;
  await page.waitForTimeout(200);
  expect(await page.getByText('The task is on.').count()).toBe(0);
  await close();
});

test('an agent that is not among the newest hundred stays on the desk', async () => {
  const { page, close } = await enter();
  await page.route('**/v1/bots?*', async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    body.bots = body.bots.filter(({ id }: { id: string }) => id !== agent.botId);
    await route.fulfill({ response, json: body });
  });
  await page.reload();
  const choice = page.locator('header select');
  await expect.poll(() => choice.inputValue()).toBe(agent.botId);
  expect(await page.getByText('is gone').count()).toBe(0);
  await close();
});

test('a page that does not come is not said to be there, and why stands where it was asked for', async () => {
  for (let n = 0; n < 25; n += 1)
    await call('POST', '/v1/bot/tasks/create', { prompt: `Page filler ${n}`, enabled: false });
  const { page, close } = await enter();
  await page.goto(`${agent.url}/desk#/tasks`);
  await page.getByText(/^Page 1 of /).waitFor();
  let isBroken = true;
  await page.route('**/v1/bot/tasks/readall*', (route) =>
    isBroken ? route.fulfill({ status: 500, json: { error: 'Broken.', code: 'x' } }) : route.continue(),
  );
  await page.getByRole('button', { name: 'Older' }).click();
  const again = page.getByRole('button', { name: 'Try again' });
  await again.waitFor();
  expect(await page.getByText(/^Page 1 of /).count()).toBe(1);
  const [place, button] = await Promise.all([page.locator('.pages').boundingBox(), again.boundingBox()]);
  expect(Math.abs(place!.y - button!.y)).toBeLessThan(100);
  isBroken = false;
  await again.click();
  await page.getByText(/^Page 2 of /).waitFor();
  // Nor back.
  isBroken = true;
  await page.getByRole('button', { name: 'Newer' }).click();
  await again.waitFor();
  const [back, beside] = await Promise.all([page.locator('.pages').boundingBox(), again.boundingBox()]);
  expect(Math.abs(back!.y - beside!.y)).toBeLessThan(100);
  isBroken = false;
  await again.click();
  await page.getByText(/^Page 1 of /).waitFor();
  await close();
});

test('what was saved is said no longer than it is, nor over what is not', async () => {
  const { page, close } = await enter();
  await page.goto(`${agent.url}/desk#/settings`);
  const save = page.getByRole('button', { name: 'Save', exact: true });
  await page.getByLabel('Tagline').fill('Saved once');
  await save.click();
  await expect.poll(() => notice(page).textContent()).toBe('Saved.');
  await page.getByLabel('Tagline').fill('And then not');
  await expect.poll(() => page.getByText('Saved.', { exact: true }).count()).toBe(0);
  await save.click();
  await expect.poll(() => notice(page).textContent()).toBe('Saved.');
  await page.locator('summary', { hasText: 'More' }).click();
  await page.getByLabel('Passages it reads').evaluate((field: HTMLInputElement) => {
    field.value = '0';
  });
  await save.click();
  await expect.poll(() => page.getByText('Saved.', { exact: true }).count()).toBe(0);
  await close();
});

test.each([1280, 390])(
  'what a form in a panel came to is seen where it was sent, %d pixels wide',
  async (width) => {
    await call('POST', '/v1/bot/tasks/create', { prompt: `Told in a panel ${width}`, enabled: false });
    const { page, close } = await enter({ viewport: { width, height: 800 } });
    await page.goto(`${agent.url}/desk#/tasks`);
    await page.getByRole('button', { name: `Told in a panel ${width}`, exact: true }).click();
    const panel = page.getByRole('dialog');
    await panel.getByText('Change', { exact: true }).click();
    await panel.getByLabel('Time zone').fill('Mars/X');
    await panel.getByRole('button', { name: 'Save', exact: true }).click();
    const told = panel.getByRole('status');
    await expect.poll(() => told.textContent()).toContain('timezone');
    const isSeen = await told.evaluate((element) => {
      const { left, top, width: wide, height } = element.getBoundingClientRect();
      const found = document.elementFromPoint(left + wide / 2, top + height / 2);
      return found === element && height > 10;
    });
    expect(isSeen).toBe(true);
    await close();
  },
);

test('what runs for long is waited for, and then told of as what it is', async () => {
  await call('POST', '/v1/bot/tasks/create', { prompt: 'Runs long', enabled: false });
  const { page, close } = await enter();
  // Ten minutes pass at once; a minute would be waited for.
  await page.evaluate(() => {
    const after = AbortSignal.timeout.bind(AbortSignal);
    AbortSignal.timeout = (ms) => after(ms === 600_000 ? 300 : ms);
  });
  await page.goto(`${agent.url}/desk#/tasks`);
  const { held, release } = hold();
  await page.route('**/v1/bot/tasks/trigger', async (route) => {
    await held;
    await route.abort().catch(() => {});
  });
  await page.getByRole('button', { name: 'Run Runs long now' }).click();
  await expect.poll(() => notice(page).textContent()).toMatch(/^There is no answer yet\./);
  release();
  await close();
});

test('in a panel the focus stays in it, and what is gone with a key is asked about no more', async () => {
  await call('POST', '/v1/bot/tasks/create', { prompt: 'Keeps the focus', enabled: false });
  const { data } = await call('POST', '/v1/keys', { name: 'Of an owner', role: 'owner' });
  const { page, close } = await enter({}, data.key);
  await page.goto(`${agent.url}/desk#/tasks`);
  await page.route('**/v1/bot/tasks/logs*', (route) => route.fulfill({ status: 500, json: {} }));
  await page.getByRole('button', { name: 'Keeps the focus', exact: true }).click();
  const panel = page.getByRole('dialog').first();
  await panel.getByRole('button', { name: 'Try again' }).click();
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Keeps the focus');
  await panel.getByText('Change', { exact: true }).click();
  await panel.getByLabel('Name', { exact: true }).fill('Half written');
  await call('DELETE', `/v1/keys/${data.id}`);
  await panel.getByRole('button', { name: 'Save', exact: true }).click();
  const again = page.getByRole('dialog', { name: 'Enter again' });
  await again.getByLabel('API key').fill('moderator-key');
  await page.keyboard.press('Enter');
  await again.waitFor({ state: 'detached' });
  await expect.poll(() => panel.getByLabel('Name', { exact: true }).count()).toBe(0);
  await panel.getByRole('button', { name: 'Close', exact: true }).click();
  await panel.waitFor({ state: 'detached' });
  await close();
});

test('blanks alone are no words of the agent', async () => {
  const { page, close } = await enter();
  await page.goto(`${agent.url}/desk#/settings`);
  await page.locator('summary', { hasText: 'More' }).click();
  const field = page.getByLabel('What it says where it knows no answer');
  for (const [text, expected] of [
    ['I do not know.', 'I do not know.'],
    ['  ', null],
  ] as const) {
    await field.fill(text);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(() => notice(page).textContent()).toBe('Saved.');
    const { bot } = await call('GET', '/v1/bot/read');
    expect(bot.no_answer_reply ?? null).toBe(expected);
  }
  await close();
});

test('a workflow says in whose time it begins, and what it adds, to who may not change it too', async () => {
  await call('POST', '/v1/bot/workflow/create', {
    name: 'Each morning there',
    trigger_type: 'schedule',
    trigger_config: { schedule_type: 'daily', schedule_config: { time: '09:00' }, timezone: 'Asia/Tokyo' },
    actions: [{ type: 'add_memory', content: 'Good morning\r\nto all' }],
  });
  const { page, close } = await enter({ timezoneId: 'America/New_York' }, 'moderator-key');
  await page.goto(`${agent.url}/desk#/workflows`);
  expect(await row(page, 'Each morning there').textContent()).toContain('daily at 09:00Asia/Tokyo');
  await page.getByRole('button', { name: 'Each morning there', exact: true }).click();
  const said = await page.getByRole('dialog').textContent();
  expect(said).toContain('daily at 09:00Asia/Tokyo');
  expect(said).toContain('Good morning');
  await close();
  // What nobody touched keeps its line ends.
  const owner = await enter();
  await owner.page.goto(`${agent.url}/desk#/workflows`);
  await owner.page.getByRole('button', { name: 'Each morning there', exact: true }).click();
  await owner.page.locator('summary', { hasText: 'Change' }).click();
  await owner.page.getByRole('button', { name: 'Add an action' }).click();
  await owner.page.getByLabel('Content').last().fill('Another');
  await owner.page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect.poll(() => notice(owner.page).textContent()).toBe('Saved.');
  const { workflows } = await call('GET', '/v1/bot/workflow/readall', { per_page: 100 });
  const [saved] = workflows.filter(({ name }: { name: string }) => name === 'Each morning there');
  expect(saved.actions.map(({ content }: { content: string }) => content)).toEqual([
    'Good morning\r\nto all',
    'Another',
  ]);
  await owner.close();
});

test('what was typed stays while one looks at another kind of action, schedule or beginning', async () => {
  const { page, close } = await enter();
  await page.goto(`${agent.url}/desk#/workflows`);
  await page.getByText('New workflow', { exact: true }).click();
  const kind = page.getByRole('combobox', { name: 'Action', exact: true });
  await page.getByLabel('Content').fill('Half written');
  await kind.focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  expect(await kind.inputValue()).toBe('add_memory');
  expect(await page.getByLabel('Content').inputValue()).toBe('Half written');
  const begins = page.getByRole('combobox', { name: 'Begins with', exact: true });
  await begins.selectOption('schedule');
  const often = page.getByRole('combobox', { name: 'How often' });
  await often.selectOption('monthly');
  await page.getByLabel('At', { exact: true }).fill('07:07');
  await page.getByLabel('Time zone').fill('Asia/Tokyo');
  await often.selectOption('cron');
  await often.selectOption('monthly');
  await begins.selectOption('manual');
  await begins.selectOption('schedule');
  expect(await often.inputValue()).toBe('monthly');
  expect(await page.getByLabel('At', { exact: true }).inputValue()).toBe('07:07');
  expect(await page.getByLabel('Time zone').inputValue()).toBe('Asia/Tokyo');
  await page.getByLabel('Name', { exact: true }).fill('');
  await close();
});

test('nothing as JSON is something, and a header stands once', async () => {
  const action = { type: 'call_url', url: 'https://site.example/', body: null };
  await call('POST', '/v1/bot/workflow/create', {
    name: 'Sends null',
    trigger_type: 'manual',
    actions: [action],
  });
  const { page, close } = await enter();
  await page.goto(`${agent.url}/desk#/workflows`);
  await page.getByRole('button', { name: 'Sends null', exact: true }).click();
  await page.locator('summary', { hasText: 'Change' }).click();
  expect(await page.getByLabel(/^JSON/).inputValue()).toBe('null');
  await page.getByLabel(/^Headers/).fill('X-B: y\nx-b: z');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect.poll(() => notice(page).textContent()).toBe('Headers: x-b is there twice.');
  await close();
});

test('what is sent shows it, and its end is not said of another agent', async () => {
  const { bot } = await call('POST', '/v1/bot/create', { name: 'Another agent' });
  const { page, close } = await enter();
  await page.goto(`${agent.url}/desk#/settings`);
  const { held, release } = hold();
  await page.route('**/v1/bot/update', async (route) => {
    await held;
    await route.continue();
  });
  await page.getByLabel('Tagline').fill('Of the first');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.locator('[type=submit][aria-disabled=true]').waitFor();
  const agents = page.locator('header select');
  const first = await agents.inputValue();
  await agents.selectOption(bot.uuid);
  const saved = page.waitForResponse('**/v1/bot/update');
  release();
  await saved;
  await page.getByLabel('Tagline').fill('Of the other');
  expect(await page.getByText('Saved.').count()).toBe(0);
  await agents.selectOption(first);
  expect(await page.getByLabel('Tagline').inputValue()).toBe('Of the first');
  await page.getByLabel('Tagline').fill('');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved.').waitFor();
  await call('DELETE', '/v1/bot/delete', { bot_id: bot.uuid });
  await close();
});

test('what is written for an agent that goes meanwhile stays until another is chosen', async () => {
  const { bot } = await call('POST', '/v1/bot/create', { name: 'Going' });
  const { page, close } = await enter();
  const agents = page.locator('header select');
  const first = await agents.inputValue();
  await agents.selectOption(bot.uuid);
  await page.goto(`${agent.url}/desk#/sources`);
  await page.getByText('New text', { exact: true }).click();
  const text = page.locator('textarea:visible');
  await text.fill('Half written');
  await page.locator('form:has(textarea:visible) [name=title]').fill('A text');
  await call('DELETE', '/v1/bot/delete', { bot_id: bot.uuid });
  await page.locator('form:has(textarea:visible) [type=submit]').click();
  await page.getByText('This agent is gone.').waitFor();
  expect(await text.inputValue()).toBe('Half written');
  page.on('dialog', (dialog) => dialog.accept());
  await agents.selectOption(first);
  await row(page, 'Herons').waitFor();
  expect(await page.getByText('An agent that is gone').count()).toBe(0);
  await close();
});

test('a task that comes at the end of a day can be changed', async () => {
  await call('POST', '/v1/bot/tasks/create', {
    prompt: 'At midnight',
    name: 'Midnight',
    schedule_type: 'once',
    schedule_config: { scheduled_at: '2099-04-01T24:00' },
  });
  const { page, close } = await enter();
  await page.goto(`${agent.url}/desk#/tasks`);
  await page.getByRole('button', { name: 'Midnight', exact: true }).click();
  await page.getByText('Change', { exact: true }).click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.locator('[name=scheduled_at]').inputValue()).toBe('2099-04-02T00:00');
  await dialog.getByLabel('Name').fill('Midnight, renamed');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Saved.').waitFor();
  await close();
});

test('saving one field leaves the others as somebody else made them meanwhile', async () => {
  const { task } = await call('POST', '/v1/bot/tasks/create', {
    prompt: 'As it was',
    name: 'Shared',
    schedule_type: 'daily',
    schedule_config: { time: '10:00' },
  });
  const { workflow } = await call('POST', '/v1/bot/workflow/create', {
    name: 'Shared flow',
    trigger_type: 'manual',
    conditions: [{ field: 'a', operator: 'exists' }],
    actions: [{ type: 'add_memory', content: 'As it was.' }],
  });
  const { page, close } = await enter();
  await page.goto(`${agent.url}/desk#/tasks`);
  await page.getByRole('button', { name: 'Shared', exact: true }).click();
  await page.getByText('Change', { exact: true }).click();
  await call('PUT', '/v1/bot/tasks/update', {
    task_id: task.uuid,
    prompt: 'Another',
    schedule_config: { time: '22:00' },
  });
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Renamed task');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Saved.').waitFor();
  expect((await call('GET', '/v1/bot/tasks/read', { task_id: task.uuid })).task).toMatchObject({
    name: 'Renamed task',
    prompt: 'Another',
    schedule_config: { time: '22:00' },
  });
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('link', { name: 'Workflows' }).click();
  await page.getByRole('button', { name: 'Shared flow', exact: true }).click();
  await page.getByText('Change', { exact: true }).click();
  const other = {
    conditions: [],
    actions: [{ type: 'add_memory', content: 'Another.', title: 'Text', tags: [] }],
  };
  await call('PUT', '/v1/bot/workflow/update', { workflow_id: workflow.uuid, ...other });
  await dialog.getByLabel('Name').fill('Renamed flow');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Saved.').waitFor();
  const { workflow: saved } = await call('GET', '/v1/bot/workflow/read', { workflow_id: workflow.uuid });
  expect(saved).toMatchObject({ name: 'Renamed flow', ...other });
  await close();
});

test('one key is tried at a time, and a wrong one throws out nobody', async () => {
  const { page, close } = await enter();
  await page.getByRole('button', { name: 'Leave' }).click();
  const { held, release } = hold();
  await page.route('**/v1/**', async (route) => {
    await held;
    await route.continue();
  });
  const field = page.getByLabel('API key');
  expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
  await field.fill('wrong-key');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Loading' }).waitFor();
  await field.fill('owner-key');
  await page.keyboard.press('Enter');
  release();
  await page.getByRole('alert').filter({ hasText: 'missing or invalid' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  expect(await page.evaluate(() => sessionStorage.getItem('desk-key'))).toBe('owner-key');
  await close();
});

test('the key that the desk is used with is not deleted there', async () => {
  const { data } = await call('POST', '/v1/keys', { name: 'In use', role: 'owner' });
  const { page, close } = await enter({}, data.key);
  await page.goto(`${agent.url}/desk#/keys`);
  await row(page, 'In use').getByText('in use here').waitFor();
  expect(await page.getByRole('button', { name: 'Delete In use' }).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Replace In use' }).count()).toBe(1);
  await close();
});

test('when the key is taken back, what is written waits until another is entered', async () => {
  const { data } = await call('POST', '/v1/keys', { name: 'Passing', role: 'owner' });
  const { page, close } = await enter({}, data.key);
  await page.goto(`${agent.url}/desk#/tasks`);
  await page.getByText('New task', { exact: true }).click();
  const prompt = page.getByLabel('What the agent is asked');
  await prompt.fill('Half written');
  await call('DELETE', `/v1/keys/${data.id}`);
  await page.getByRole('button', { name: 'Create' }).click();
  const again = page.getByRole('dialog', { name: 'Enter again' });
  await again.getByText('The key is not taken any more.').waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await again.getByLabel('API key').fill('nobody');
  await page.keyboard.press('Enter');
  await again.getByText('missing or invalid').waitFor();
  await again.getByLabel('API key').fill('owner-key');
  await page.keyboard.press('Enter');
  await again.waitFor({ state: 'detached' });
  expect(await prompt.inputValue()).toBe('Half written');
  await page.getByRole('button', { name: 'Create' }).click();
  await row(page, 'Half written').waitFor();
  await close();
});

test('a member’s key that is tried at the door takes nothing of what is written beneath it', async () => {
  const { data } = await call('POST', '/v1/keys', { name: 'Gone soon', role: 'owner' });
  const { page, close } = await enter({}, data.key);
  await page.goto(`${agent.url}/desk#/settings`);
  await page.getByLabel('Tagline').fill('Half written');
  await page.goto(`${agent.url}/desk#/tasks`);
  await page.getByText('New task', { exact: true }).click();
  const prompt = page.getByLabel('What the agent is asked');
  await prompt.fill('Half asked');
  await call('DELETE', `/v1/keys/${data.id}`);
  await page.getByRole('button', { name: 'Create' }).click();
  const again = page.getByRole('dialog', { name: 'Enter again' });
  await again.getByLabel('API key').fill('member-key');
  await page.keyboard.press('Enter');
  await again.getByText('This key is a member’s.').waitFor();
  await again.getByLabel('API key').fill('owner-key');
  await page.keyboard.press('Enter');
  await again.waitFor({ state: 'detached' });
  expect(await prompt.inputValue()).toBe('Half asked');
  await prompt.fill('');
  page.on('dialog', (dialog) => dialog.accept());
  await page.goto(`${agent.url}/desk#/settings`);
  await expect.poll(() => page.getByLabel('Tagline').inputValue()).toBe('Half written');
  await close();
});

test('while the key that is used here is replaced nothing is asked with the old one', async () => {
  const { data } = await call('POST', '/v1/keys', { name: 'Replaced slowly', role: 'owner' });
  const { page, close } = await enter({}, data.key);
  await page.goto(`${agent.url}/desk#/keys`);
  const { held, release } = hold();
  await page.route('**/rotate', async (route) => {
    const response = await route.fetch();
    await held;
    await route.fulfill({ response });
  });
  await page.getByRole('button', { name: 'Replace Replaced slowly' }).click();
  const sent = page.waitForRequest('**/rotate');
  await page.getByRole('button', { name: 'Yes: Replace Replaced slowly' }).click();
  await sent;
  await page.goto(`${agent.url}/desk#/tasks`);
  // Long enough for an answer to the old key.
  await page.waitForTimeout(500);
  release();
  await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor();
  await expect.poll(() => page.getByText('Loading', { exact: true }).count()).toBe(0);
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.goto(`${agent.url}/desk#/keys`);
  const shown = await page.locator('.made code').textContent();
  expect(await page.evaluate(() => sessionStorage.getItem('desk-key'))).toBe(shown);
  await close();
});

test('a switch shows what was saved, whatever becomes of reading it again', async () => {
  const { page, close } = await enter();
  await page.goto(`${agent.url}/desk#/emails`);
  const box = page.getByLabel('Answers by itself');
  const before = await box.isChecked();
  await page.route('**/v1/bot/email/address*', (route) => route.fulfill({ status: 500, json: {} }));
  await box.click();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  expect(await box.isChecked()).toBe(!before);
  await page.unroute('**/v1/bot/email/address*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('button', { name: 'Try again' }).waitFor({ state: 'detached' });
  await box.click();
  await expect.poll(() => box.isChecked()).toBe(before);
  await close();
});

test('the chat beside the settings throws nothing as its key is taken back', async () => {
  const { data } = await call('POST', '/v1/keys', { name: 'Goes', role: 'owner' });
  const { page, told, close } = await enter({}, data.key);
  await page.goto(`${agent.url}/desk#/settings`);
  await page.frameLocator('iframe[title="The chat"]').getByRole('textbox').waitFor();
  await call('DELETE', `/v1/keys/${data.id}`);
  await page.getByLabel('Tagline').fill('Of nobody');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const again = page.getByRole('dialog', { name: 'Enter again' });
  await again.getByLabel('API key').waitFor();
  // What is drafted reaches the chat a moment later.
  await page.waitForTimeout(1_000);
  expect(told.filter((text) => text.includes('apiKey'))).toEqual([]);
  await close();
});

test('the chat beside the settings works on the key that was entered last', async () => {
  const { data } = await call('POST', '/v1/keys', { name: 'Passing by', role: 'owner' });
  const { page, close } = await enter({}, data.key);
  await page.goto(`${agent.url}/desk#/settings`);
  const preview = page.frameLocator('iframe');
  await preview.getByRole('textbox').waitFor();
  await call('DELETE', `/v1/keys/${data.id}`);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const again = page.getByRole('dialog', { name: 'Enter again' });
  await again.getByLabel('API key').fill('owner-key');
  await page.keyboard.press('Enter');
  await again.waitFor({ state: 'detached' });
  await preview.getByRole('textbox').fill('When does a heron nest?');
  await preview.getByRole('textbox').press('Enter');
  await preview.getByText('A heron nests in April.').first().waitFor();
  await close();
});

test('what was written is not shown to one who may not save it, and leaving leaves nothing', async () => {
  const { data } = await call('POST', '/v1/keys', { name: 'Passing on', role: 'owner' });
  const { page, close } = await enter({}, data.key);
  await page.goto(`${agent.url}/desk#/settings`);
  await page.getByLabel('Tagline').fill('Half written');
  const preview = page.frameLocator('iframe');
  await preview.getByRole('textbox').fill('A draft in the chat');
  await call('DELETE', `/v1/keys/${data.id}`);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const again = page.getByRole('dialog', { name: 'Enter again' });
  await again.getByLabel('API key').fill('moderator-key');
  await page.keyboard.press('Enter');
  await again.waitFor({ state: 'detached' });
  await page.getByText('This key may not save what was written: it is gone.').waitFor();
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.message());
    return dialog.accept();
  });
  await page.getByRole('button', { name: 'Leave' }).click();
  await page.getByLabel('API key').waitFor();
  expect(asked).toEqual([]);
  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  expect(kept).not.toContain('porchlight');
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
