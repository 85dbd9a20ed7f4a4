/** What a visitor sends while there is no session, or stops before the helper has it: said as it is, and never lost. */
import type { Route } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { states } from '../../widget/states.ts';
import { findChat } from '../support/browser.ts';
import { english } from '../support/english.ts';
import { startFakeHelper, toPage, toSignedIn } from '../support/fakehelper.ts';
import { createGate } from '../support/gate.ts';
import { useStage, useVisitor } from '../support/stage.ts';

let gate = createGate();
const stage = useStage(() =>
  startFakeHelper({
    answer: (question) => ({
      pieces: question === 'Slowly?' ? ['One, ', 'two.'] : [`An answer to ${question}`],
    }),
    beforePiece: () => gate.opened,
    pages: (path, url) => (path === '/' ? { html: toPage(url, 'dock') } : undefined),
  }),
);
const scene = useVisitor(stage, ({ here }) => `${here}/`);

type Api = { identify(token?: string): void };
const say = (page: typeof scene.page, token?: string) =>
  page.evaluate((value) => (window as unknown as { Porchlight: Api }).Porchlight.identify(value), token);
const toJwt = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.e30`;

describe('a question that the helper gives no session for is said not to be sent, once, and a click sends it', () => {
  test.each([
    [403, 'origin-refused'],
    [400, 'bad-request'],
    [500, 'internal'],
    [401, 'unauthenticated'],
    [502, 'agent-refused'],
  ] as const)('%i %s', async (status, code) => {
    const { page, chat } = scene;
    const refuse = (route: Route) => route.fulfill({ status, json: { status, code } });
    await page.route('**/session', refuse);
    await chat.ask('Is anybody there?');
    const failed = await chat.waitForAnswer('failed');
    await failed.getByText(english[code]).waitFor();
    expect(await chat.panel.getByText(english.thinking).count()).toBe(0);
    expect(await chat.panel.locator('p').getByText(english[code]).count()).toBe(1);
    await expect.poll(async () => (await chat.announcer.textContent())?.trim()).toBe(english[code]);
    await page.unroute('**/session', refuse);
    const retry = chat.button('Try again');
    expect(await retry.count()).toBe(states[code].way === 'retry' ? 1 : 0);
    if (!(await retry.count())) return;
    await retry.click();
    await chat.waitForAnswer('completed');
    expect(await chat.readQuestions()).toEqual(['Is anybody there?']);
  });
});

test('what was refused for want of a sign-in is a draft once there is one', async () => {
  const { page, chat } = scene;
  const asked = createGate();
  const refuse = async (route: Route) => {
    await asked.opened;
    await route.fulfill({ status: 401, json: { code: 'sign-in-required' } });
  };
  await page.route('**/session', refuse);
  await chat.ask('Where is my order?');
  await chat.waitForAnswer('sending');
  asked.open();
  const failed = await chat.waitForAnswer('failed');
  await failed.getByText(english['sign-in-required']).waitFor();
  await page.unroute('**/session', refuse);
  await say(page, toJwt({ external_id: 'ada' }));
  await expect.poll(() => chat.composer.inputValue()).toBe('Where is my order?');
  expect(await chat.readQuestions()).toEqual([]);
  await expect.poll(() => chat.announcer.textContent()).toBe(english['not-sent']);
  await chat.composer.press('Enter');
  await chat.waitForAnswer('completed');
});

test('why a question was refused is read out, and that it was not sent', async () => {
  const { page, chat } = scene;
  await page.route('**/turns/*', (route) => route.fulfill({ status: 502, json: { code: 'agent-refused' } }));
  await chat.ask('Is anybody there?');
  await chat.inside('p').getByText(english['not-sent']).waitFor();
  await expect
    .poll(() => chat.announcer.textContent())
    .toBe(`${english['not-sent']} ${english['agent-refused']}`);
});

test.each([
  ['is loaded anew', 'First?'],
  ['asks it again and is loaded anew', ''],
])(
  'a question that got no session, where one has come since, is not lost with a page that %s',
  async (how, draft) => {
    const { page, chat } = scene;
    const refuse = (route: Route) => route.fulfill({ status: 500, json: { code: 'internal' } });
    await page.route('**/session', refuse);
    await chat.ask('First?');
    await chat.waitForAnswer('failed');
    await page.unroute('**/session', refuse);
    await page.locator('body').click({ position: { x: 5, y: 5 } });
    await chat.composer.focus();
    await expect.poll(() => page.evaluate(() => localStorage.porchlight ?? '')).toContain('"session"');
    if (how !== 'is loaded anew') {
      await chat.button('Try again').click();
      await chat.waitForAnswer('completed');
      expect(await chat.readQuestions()).toEqual(['First?']);
    }
    await page.reload();
    await chat.composer.waitFor();
    await page.waitForTimeout(500);
    expect(await chat.composer.inputValue()).toBe(draft);
  },
);

test('a session that comes later makes a draft of what was refused, once another is asked', async () => {
  const { page, chat } = scene;
  await page.route('**/session', (route) => route.fulfill({ status: 500, json: { code: 'internal' } }));
  await chat.ask('First?');
  await chat.waitForAnswer('failed');
  await chat.button('New conversation').click();
  expect(await chat.readQuestions()).toEqual(['First?']);
  await page.unroute('**/session');
  const before = stage.server.asked.length;
  await chat.ask('Second?');
  await chat.waitForAnswer('completed');
  expect(await chat.readQuestions()).toEqual(['Second?']);
  expect(stage.server.asked.slice(before)).toEqual(['Second?']);
  await expect.poll(() => chat.composer.inputValue()).toBe('First?');
  await page.locator('porchlight-chat .hint').getByText(english['not-sent']).waitFor();
  await page.reload();
  await expect.poll(() => chat.composer.inputValue()).toBe('First?');
});

test('what was refused stays with its way out while nothing else is asked, though there is a session now', async () => {
  const { page, chat } = scene;
  await page.route('**/session', (route) => route.fulfill({ status: 500, json: { code: 'internal' } }));
  await chat.ask('First?');
  await chat.waitForAnswer('failed');
  await page.unroute('**/session');
  await say(page, toJwt({ external_id: 'ada' }));
  await expect.poll(() => page.evaluate(() => localStorage.porchlight)).toContain('"who"');
  await page.waitForTimeout(300);
  expect(await chat.readQuestions()).toEqual(['First?']);
  expect(await chat.button('Try again').count()).toBe(1);
  await chat.ask('Second?');
  await chat.waitForAnswer('completed');
  expect(await chat.readQuestions()).toEqual(['Second?']);
  await expect.poll(() => chat.composer.inputValue()).toBe('First?');
});

test('Stop shows that it is under way; that it failed is not said any more once the answer has ended', async () => {
  const { page, chat } = scene;
  gate = createGate();
  const answer = createGate();
  const refuse = async (route: Route) => {
    if (route.request().method() !== 'DELETE') return route.fallback();
    await answer.opened;
    await route.fulfill({ status: 500, json: {} });
  };
  await page.route('**/turns/*', refuse);
  await chat.ask('Slowly?');
  await chat.waitForAnswer('writing');
  await chat.stop.click();
  await expect.poll(() => chat.stop.getAttribute('aria-disabled')).toBe('true');
  answer.open();
  const said = chat.panel.locator('p').getByText(english['stop-failed']);
  await said.waitFor();
  expect(await chat.stop.getAttribute('aria-disabled')).toBe('false');
  gate.open();
  await chat.waitForAnswer('completed');
  await expect.poll(() => said.count()).toBe(0);
});

test.each(['typed', 'sent and stopped'])(
  'what was %s while the helper is out of reach is a draft after a reload',
  async (how) => {
    const { page, chat } = scene;
    const refuse = (route: Route) => route.abort('connectionrefused');
    await page.route('**/session', refuse);
    await chat.composer.fill('A long question');
    if (how !== 'typed') {
      await chat.composer.press('Enter');
      await chat.waitForAnswer('sending');
      await chat.stop.click();
    }
    await expect.poll(() => chat.composer.inputValue()).toBe('A long question');
    await page.reload();
    // A request that is under way as the last route goes is lost: the app is there first.
    await chat.composer.waitFor();
    await page.unroute('**/session', refuse);
    await chat.composer.click();
    await expect.poll(() => chat.composer.inputValue()).toBe('A long question');
    await chat.composer.press('Enter');
    await chat.waitForAnswer('completed');
    await page.reload();
    await chat.waitForAnswer('completed');
    expect(await chat.composer.inputValue()).toBe('');
  },
);

test('in a closed dock that nobody may write in it is said why, to eyes and ears', async () => {
  const { page, chat } = scene;
  await page.route('**/session', (route) =>
    route.fulfill({ status: 401, json: { status: 401, code: 'sign-in-required' } }),
  );
  await chat.composer.click();
  await chat.dock.locator('p').getByText(english['sign-in-required']).waitFor();
  await expect.poll(() => chat.announcer.textContent()).toBe(english['sign-in-required']);
  expect(await chat.panel.count()).toBe(0);
});

test('what goes wrong while the dock is closed is said there', async () => {
  const { page, chat } = scene;
  gate = createGate();
  await page.route('**/turns/*', (route) =>
    route.request().method() === 'DELETE' ? route.fulfill({ status: 500, json: {} }) : route.fallback(),
  );
  await chat.ask('Slowly?');
  await chat.waitForAnswer('writing');
  await page.keyboard.press('Escape');
  await expect.poll(() => chat.panel.count()).toBe(0);
  await chat.composer.fill('And now?');
  await chat.composer.press('Enter');
  await expect.poll(() => chat.announcer.textContent()).toBe(english['answer-first']);
  await chat.stop.click();
  await chat.dock.locator('p').getByText(english['stop-failed']).waitFor();
  await expect.poll(() => chat.announcer.textContent()).toContain(english['stop-failed']);
  gate.open();
});

test.each([
  [403, 'unreachable'],
  [405, 'unreachable'],
  [413, 'too-large'],
  [500, 'unreachable'],
  [502, 'unreachable'],
] as const)('a page of something in between, with a %i, is read as %s', async (status, code) => {
  const { page, chat } = scene;
  await page.clock.install();
  await page.route('**/turns/*', (route) =>
    route.fulfill({ status, contentType: 'text/html', body: '<h1>Refused</h1>' }),
  );
  await chat.ask('Is anybody there?');
  for (let seconds = 0; seconds < 90; seconds += 1) await page.clock.runFor(1_000);
  const failed = await chat.waitForAnswer('failed');
  await failed.getByText(english[code]).waitFor();
  expect(await chat.readQuestions()).toEqual(['Is anybody there?']);
});

test.each([
  ['/session', 'application/json', '{"message":"Bad gateway"}'],
  ['/session', 'text/html', '<h1>Bad gateway</h1>'],
  ['/turns/*', 'application/json', '{"message":"Bad gateway"}'],
  ['/turns/*', 'text/html', '<h1>Bad gateway</h1>'],
])(
  'a gateway answers %s with a 502 of its own as %s, and the question is sent by itself once it does not',
  async (path, contentType, body) => {
    const { page, chat } = scene;
    await page.route(`**${path}`, (route) => route.fulfill({ status: 502, contentType, body }));
    await chat.ask('Is anybody there?');
    await chat.answers.getByText(english['waiting-unreachable']).waitFor();
    await page.unroute(`**${path}`);
    await chat.waitForAnswer('completed');
  },
);

test('too many sessions at once: the wait is counted down', async () => {
  const { page, chat } = scene;
  await page.clock.install();
  await page.route('**/session', (route) =>
    route.fulfill({ status: 429, json: { code: 'rate-limited', retryAfterMs: 8_000 } }),
  );
  await chat.ask('May I?');
  await chat.button('Try again in 00:08').waitFor();
  await page.unroute('**/session');
  await page.clock.runFor(9_000);
  await chat.button('Try again').click();
  await chat.waitForAnswer('completed');
});

test('a question that waits for a helper out of reach says that it waits', async () => {
  const { page, chat } = scene;
  await page.route('**/session', (route) => route.abort('connectionrefused'));
  await chat.ask('Anybody?');
  await chat.answers.getByText(english['waiting-unreachable']).waitFor();
  await page.unroute('**/session');
  await chat.waitForAnswer('completed');
});

/** For each token a session of the one it names. */
const admit = (route: Route) => {
  const { ssoToken } = route.request().postDataJSON() as { ssoToken?: string };
  if (!ssoToken) return route.fallback();
  const { email } = JSON.parse(Buffer.from(ssoToken.split('.')[1]!, 'base64url').toString());
  return route.fulfill({ json: toSignedIn(toJwt({ sub: `email:${email}` }), `Ask ${email}`) });
};

/** Ada has asked here. @returns another tab */
async function askAsAda(): Promise<typeof scene.page> {
  const { page, context, chat } = scene;
  await context.route('**/session', admit);
  await say(page, toJwt({ email: 'ada@shop.test' }));
  await chat.ask('As Ada?');
  await chat.waitForAnswer('completed');
  const other = await context.newPage();
  await other.goto(`${stage.server.here}/`);
  await findChat(other).dock.waitFor();
  return other;
}

test('after a sign-out in another tab the next question in the dock is asked, as whoever is there now', async () => {
  const { page, chat } = scene;
  const other = await askAsAda();
  await say(other);
  await chat.answers.first().waitFor({ state: 'detached' });
  // The focus is in the composer still, so that no click and no focus begins anything.
  await page.keyboard.type('As a guest?');
  await page.keyboard.press('Enter');
  await chat.waitForAnswer('completed');
  expect(await chat.readQuestions()).toEqual(['As a guest?']);
});

test('where another tab has signed somebody else in, a question is said not to be sent, and only a reload is offered', async () => {
  const { chat } = scene;
  const other = await askAsAda();
  await say(other, toJwt({ email: 'ben@shop.test' }));
  await chat.answers.first().waitFor({ state: 'detached' });
  if (!(await chat.panel.isVisible())) await chat.composer.click();
  await chat.ask('As whom?');
  const failed = await chat.waitForAnswer('failed');
  await failed.getByText(english['sso-token-expired']).waitFor();
  expect(await chat.button('Try again').count()).toBe(0);
  expect(await chat.readQuestions()).toEqual(['As whom?']);
});

test('Stop holds at once for a question that the helper has not taken yet, and its late answer is never shown', async () => {
  const { page, chat } = scene;
  const gate = createGate();
  let isTaken = false;
  const stops: string[] = [];
  await page.route('**/turns/*', async (route) => {
    const method = route.request().method();
    if (method === 'DELETE') stops.push(isTaken ? 'after' : 'before');
    if (method === 'PUT') await gate.opened;
    return route.fallback();
  });
  await chat.ask('Too late?');
  await chat.stop.click();
  const stopped = await chat.waitForAnswer('stopped');
  await stopped.getByText(english['stopped-empty']).waitFor();
  await expect.poll(() => stops).toEqual(['before']);
  isTaken = true;
  gate.open();
  await expect.poll(() => stops).toEqual(['before', 'after']);
  await chat.ask('And this?');
  await chat.waitForAnswer('completed');
  expect(await chat.readAnswers()).toEqual(['', 'An answer to And this?']);
});

test('a refused question whose conversation is left before the session is there is a draft, and is not sent', async () => {
  const { page, chat } = scene;
  await chat.ask('First');
  await chat.waitForAnswer('completed');
  await page.route('**/turns/*', (route) =>
    route.request().method() === 'PUT'
      ? route.fulfill({ status: 429, json: { code: 'rate-limited', retryAfterMs: 600_000 } })
      : route.fallback(),
  );
  await chat.ask('Refused');
  await chat.waitForAnswer('failed');
  await page.unroute('**/turns/*');
  const gate = createGate();
  await page.route('**/session', async (route) => {
    await gate.opened;
    await route.fallback();
  });
  let sent = 0;
  page.on('request', (request) => {
    if (request.method() === 'PUT') sent += 1;
  });
  await page.reload();
  await chat.button('New conversation').click();
  gate.open();
  await expect.poll(() => chat.composer.inputValue()).toBe('Refused');
  await page.waitForTimeout(500);
  expect(sent).toBe(0);
});
