/** When something goes wrong the visitor reads so, loses nothing, and never asks twice. */
import type { Route } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { findChat, goOffline, visit } from '../support/browser.ts';
import { startFakeHelper, toPage } from '../support/fakehelper.ts';
import { createGate } from '../support/gate.ts';
import { showTab } from '../support/identity-site.ts';
import { useStage, useVisitor } from '../support/stage.ts';

const stage = useStage(() =>
  startFakeHelper({
    answer: (question, times) => {
      if (question === 'Fail for good?')
        return { pieces: ['Half of'], end: { failed: { code: 'agent-refused', retryable: false } } };
      return /^Fail (once|first)/.test(question) && times === 0
        ? { pieces: ['Half of an'], end: { failed: { code: 'agent-unavailable', retryable: true } } }
        : { pieces: ['The whole ', 'answer.'] };
    },
    pages: (path, url) => {
      if (path === '/') return { html: toPage(url) };
      // Nothing of a helper there, and a page that stands for everything.
      if (path === '/nowhere') return { html: toPage(url, 'normal', 'data-helper="/no/helper"') };
      if (path === '/spa') return { html: toPage(url, 'normal', 'data-helper="/app"') };
      return path.startsWith('/app/') ? { html: '<h1>An app</h1>' } : undefined;
    },
  }),
);
const scene = useVisitor(stage, ({ here }) => `${here}/`);
let askedBefore: number;
beforeEach(() => {
  askedBefore = stage.server.asked.length;
});

const readAsked = () => stage.server.asked.slice(askedBefore);

/** Answers the next question with this instead of the stage.server. */
async function answerOnce(response: { status: number; contentType: string; body: string }): Promise<void> {
  await scene.page.route(
    `${stage.server.url}/conversations/*/turns/*`,
    (route) =>
      route.request().method() === 'PUT'
        ? route.fulfill({ ...response, headers: { 'access-control-allow-origin': '*' } })
        : route.fallback(),
    { times: 1 },
  );
}

function toProblem(status: number, problem: object) {
  return { status, contentType: 'application/problem+json', body: JSON.stringify(problem) };
}

test('an answer that fails keeps what was said, is marked failed, and a click asks once more', async () => {
  await scene.chat.ask('Fail once?');
  const failed = await scene.chat.waitForAnswer('failed');
  expect(await scene.chat.readBody(failed)).toBe('Half of an');
  await failed.getByText('This answer is incomplete.').waitFor();
  await scene.chat.button('Try again').click();
  expect(await scene.chat.readBody(await scene.chat.waitForAnswer('completed'))).toBe('The whole answer.');
  expect(await scene.chat.readQuestions()).toEqual(['Fail once?']);
  expect(await scene.chat.readAnswers()).toEqual(['The whole answer.']);
  await scene.page.reload();
  await scene.chat.waitForAnswer('completed');
  expect(await scene.chat.readAnswers()).toEqual(['The whole answer.']);
});

test('an answer that failed for good offers no second try, and is still marked failed after a reload', async () => {
  await scene.chat.ask('Fail for good?');
  const failed = await scene.chat.waitForAnswer('failed');
  expect(await failed.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  await scene.page.reload();
  expect(await scene.chat.readBody(await scene.chat.waitForAnswer('failed'))).toBe('Half of');
});

test('a question asked offline waits, says so, and is sent once when the network is back', async () => {
  await scene.chat.ask('Before?');
  await scene.chat.waitForAnswer('completed');
  await goOffline(scene.page);
  await scene.chat.ask('Are you there?');
  const waiting = await scene.chat.waitForAnswer('sending');
  await waiting.getByText('You are offline.').waitFor();
  expect(readAsked()).toEqual(['Before?']);
  await scene.context.setOffline(false);
  await scene.chat.waitForAnswer('completed');
  expect(readAsked()).toEqual(['Before?', 'Are you there?']);
  expect(await scene.chat.readAnswers()).toEqual(['The whole answer.', 'The whole answer.']);
});

test('what a first click needs offline says that it is so, in one place, and comes by itself when the network is back', async () => {
  const { chat, page, context } = scene;
  await chat.ask('Fail first?');
  const failed = await chat.waitForAnswer('failed');
  await goOffline(page);
  await chat.button('Try again').click();
  await failed.getByText('You are offline.').waitFor();
  expect(await chat.button('Try again').count()).toBe(1);
  await chat.button('Conversations').click();
  await chat.panel.locator('[part~="error"]', { hasText: 'You are offline.' }).waitFor();
  expect(await chat.panel.getByText('could not be loaded').count()).toBe(0);
  await context.setOffline(false);
  await chat.panel.getByRole('button', { name: 'Fail first?' }).first().waitFor();
});

test('a question asked offline is sent once, though the page was reloaded before the network was back', async () => {
  await scene.chat.ask('Before?');
  await scene.chat.waitForAnswer('completed');
  await scene.page.route(`${stage.server.url}/conversations/**`, (route) =>
    route.abort('internetdisconnected'),
  );
  await scene.chat.ask('Still there?');
  await scene.chat.waitForAnswer('sending');
  await scene.page.unroute(`${stage.server.url}/conversations/**`);
  await scene.page.reload();
  await scene.chat.answers.nth(1).waitFor();
  await scene.chat.waitForAnswer('completed');
  expect(readAsked()).toEqual(['Before?', 'Still there?']);
  expect(await scene.chat.readQuestions()).toEqual(['Before?', 'Still there?']);
});

test.each(['', 'Before?'])(
  'after "%s" a question that is refused for good is a draft, over a reload too',
  async (before) => {
    if (before) {
      await scene.chat.ask(before);
      await scene.chat.waitForAnswer('completed');
    }
    await answerOnce(toProblem(403, { status: 403, code: 'not-allowed' }));
    await scene.chat.ask('Not this way?');
    const failed = await scene.chat.waitForAnswer('failed');
    await failed.getByText('This is not possible here.').waitFor();
    await expect.poll(() => scene.chat.composer.inputValue()).toBe('Not this way?');
    await scene.page.reload();
    await expect.poll(() => scene.chat.composer.inputValue()).toBe('Not this way?');
    if (before) await scene.chat.waitForAnswer('completed');
    await scene.chat.composer.press('Enter');
    await scene.chat.answers.nth(before ? 1 : 0).waitFor();
    await scene.chat.waitForAnswer('completed');
    expect(await scene.chat.panel.getByText('could not be loaded').count()).toBe(0);
    expect(readAsked()).toEqual([...(before ? [before] : []), 'Not this way?']);
  },
);

test('a question stopped before it has arrived leaves nothing that a reload looks for', async () => {
  const gate = createGate();
  await scene.page.route('**/turns/*', async (route) => {
    if (route.request().method() === 'PUT') await gate.opened;
    await route.fallback().catch(() => {});
  });
  await scene.chat.ask('Too slow?');
  await scene.chat.waitForAnswer('sending');
  await scene.chat.button('Stop the answer').click();
  await scene.chat.waitForAnswer('stopped');
  await scene.page.reload();
  await scene.chat.panel.getByText('Hello').waitFor();
  expect(await scene.chat.panel.getByText('could not be loaded').count()).toBe(0);
  gate.open();
});

test.each([
  ['stopped before it has arrived', undefined],
  ['refused for good', 'bad-request'],
])('a change of the only question that is %s leaves its conversation to a reload', async (_, code) => {
  await scene.chat.ask('Before?');
  await scene.chat.waitForAnswer('completed');
  const gate = createGate();
  await scene.page.route('**/turns/*', async (route) => {
    if (route.request().method() !== 'PUT') return route.fallback();
    if (code) return route.fulfill({ status: 400, json: { status: 400, code } });
    await gate.opened;
    await route.abort().catch(() => {});
  });
  await scene.chat.button('Change your question').click();
  await scene.chat.ask('Changed?');
  if (code) await scene.chat.panel.getByText('could not be sent').first().waitFor();
  else {
    await scene.chat.waitForAnswer('sending');
    await scene.chat.button('Stop the answer').click();
    await scene.chat.waitForAnswer('stopped');
  }
  await scene.page.reload();
  await scene.chat.waitForAnswer('completed');
  expect(await scene.chat.readQuestions()).toEqual(['Before?']);
  gate.open();
});

test('a question stopped after its conversation could not be loaded leaves that to a reload', async () => {
  await scene.chat.ask('Before?');
  await scene.chat.waitForAnswer('completed');
  const gate = createGate();
  const refuse = (route: Route) => route.fulfill(toProblem(500, { status: 500, code: 'internal' }));
  await scene.page.route('**/conversations/*', refuse);
  await scene.page.route('**/turns/*', async (route) => {
    if (route.request().method() !== 'PUT') return route.fallback();
    await gate.opened;
    await route.abort().catch(() => {});
  });
  await scene.page.reload();
  await scene.chat.panel.getByText('could not be loaded').first().waitFor();
  await scene.chat.ask('And now?');
  await scene.chat.waitForAnswer('sending');
  await scene.chat.button('Stop the answer').click();
  await scene.chat.waitForAnswer('stopped');
  await scene.page.unroute('**/conversations/*', refuse);
  await scene.page.reload();
  await scene.chat.waitForAnswer('completed');
  expect(await scene.chat.readQuestions()).toEqual(['Before?']);
  gate.open();
});

/** A first visit whose session comes once the gate opens. */
async function openBeforeSession() {
  const { page, chat } = scene;
  const gate = createGate();
  const wait = async (route: Route) => {
    await gate.opened;
    await route.fallback().catch(() => {});
  };
  await page.route('**/session', wait);
  await page.evaluate(() => localStorage.clear());
  await page.goto(`${stage.server.here}/?first`);
  await chat.open();
  return { gate, wait };
}

test.each(['typed', 'sent'])(
  'what was %s before a session came is there after a reload, though the chat was closed when it came',
  async (how) => {
    const { page, chat } = scene;
    const { gate, wait } = await openBeforeSession();
    await chat.composer.fill('A long question');
    if (how === 'sent') {
      await chat.composer.press('Enter');
      await chat.waitForAnswer('sending');
      await page.reload();
      await chat.panel.waitFor();
    }
    await chat.composer.press('Escape');
    await chat.panel.waitFor({ state: 'detached' });
    const answered = page.waitForResponse('**/session');
    gate.open();
    await answered;
    await expect.poll(() => page.evaluate(() => localStorage.porchlight ?? '')).toContain('"session"');
    await page.unroute('**/session', wait);
    await page.reload();
    await chat.show();
    await expect.poll(() => chat.composer.inputValue()).toBe('A long question');
  },
);

test('what was sent before a session came is kept at once when it comes', async () => {
  const { page, chat } = scene;
  const { gate } = await openBeforeSession();
  await chat.ask('A long question');
  await chat.waitForAnswer('sending');
  await page.reload();
  await chat.panel.waitFor();
  await page.evaluate(() => {
    const { setItem } = Storage.prototype;
    Storage.prototype.setItem = function (name: string, value: string) {
      setItem.call(this, name, value);
      if (!value.includes('"session"')) return;
      Storage.prototype.setItem = setItem;
      setTimeout(() => Object.assign(window, { kept: JSON.stringify({ ...sessionStorage }) }));
    };
  });
  gate.open();
  const readKept = () => page.evaluate(() => (window as { kept?: string }).kept);
  await expect.poll(readKept).toBeDefined();
  expect(await readKept()).toContain('A long question');
});

test('a question stopped while it is out of reach may be sent again, over a reload too', async () => {
  await scene.chat.ask('Before?');
  await scene.chat.waitForAnswer('completed');
  const conversations = `${stage.server.url}/conversations/**`;
  await scene.page.route(conversations, (route) => route.abort('internetdisconnected'));
  await scene.chat.ask('Still there?');
  const waiting = await scene.chat.waitForAnswer('sending');
  await waiting.getByText('The chat cannot be reached.').waitFor();
  await scene.chat.button('Stop the answer').click();
  await scene.chat.button('Try again').waitFor();
  await scene.page.unroute(conversations);
  await scene.page.reload();
  await scene.chat.button('Try again').click();
  await scene.chat.answers.nth(1).waitFor();
  await scene.chat.waitForAnswer('completed');
  expect(readAsked()).toEqual(['Before?', 'Still there?']);
});

test('a session whose hour is over is renewed once, without a word to the visitor', async () => {
  await scene.chat.ask('Before?');
  await scene.chat.waitForAnswer('completed');
  const sessionsBefore = stage.server.requests.filter((request) => request.endsWith('/session')).length;
  await answerOnce(toProblem(401, { status: 401, code: 'session-expired' }));
  await scene.chat.ask('Who am I?');
  await scene.chat.answers.nth(1).waitFor();
  await scene.chat.waitForAnswer('completed');
  expect(stage.server.requests.filter((request) => request.endsWith('/session'))).toHaveLength(
    sessionsBefore + 1,
  );
  expect(readAsked()).toEqual(['Before?', 'Who am I?']);
  expect(await scene.chat.inside('.failed').count()).toBe(0);
});

/** Of guests whom the helper has forgotten. */
let asked: string[] = [];
/**
 * As after a restart of a helper that keeps nothing: the guest of before is nobody it knows, nor what was said.
 * What it is asked from then on is noted.
 */
async function forgetGuest(sessionTakesMs = 0, sub = 'anonymous:two'): Promise<void> {
  const sessions = new Set<string>();
  const known = new Set<string>();
  const claims = Buffer.from(JSON.stringify({ sub })).toString('base64url');
  const headers = { 'access-control-allow-origin': '*' };
  for (const path of ['session', 'conversations/**'])
    await scene.context.unroute(`${stage.server.url}/${path}`);
  await scene.context.route(`${stage.server.url}/session`, async (route) => {
    const reply = await route.fetch();
    await new Promise((resolve) => setTimeout(resolve, sessionTakesMs));
    const session = `${claims}.${claims}.${claims}`;
    sessions.add(`Bearer ${session}`);
    await route.fulfill({ response: reply, json: { ...(await reply.json()), session } });
  });
  await scene.context.route(`${stage.server.url}/conversations/**`, async (route) => {
    const request = route.request();
    const id = new URL(request.url()).pathname.split('/')[3] ?? '';
    const { authorization = '' } = await request.allHeaders();
    if (request.method() !== 'OPTIONS' && !sessions.has(authorization))
      return route.fulfill({ ...toProblem(401, { status: 401, code: 'session-expired' }), headers });
    if (request.method() === 'PUT' && request.url().includes('/turns/')) {
      known.add(id);
      asked.push((request.postDataJSON() as { text: string }).text);
    } else if (request.method() !== 'OPTIONS' && !known.has(id))
      return route.fulfill({ ...toProblem(404, { status: 404, code: 'not-found' }), headers });
    return route.fallback();
  });
}
const isGone = 'The conversation could not be loaded. This conversation is no longer there.';

describe('a guest whose session nobody knows any more', () => {
  beforeEach(async () => {
    asked = [];
    await scene.chat.ask('Before?');
    await scene.chat.waitForAnswer('completed');
  });

  test('keeps the draft, and is told that the conversation is gone', async () => {
    await forgetGuest();
    await scene.chat.composer.fill('A draft of mine');
    await scene.chat.button('This answer helped').click();
    await scene.chat.inside('[part=error]').getByText(isGone).waitFor();
    await expect.poll(() => scene.chat.announcer.textContent()).toContain(isGone);
    expect(await scene.chat.composer.inputValue()).toBe('A draft of mine');
    expect(await scene.chat.readQuestions()).toEqual([]);
    await scene.page.reload();
    await expect.poll(() => scene.chat.composer.inputValue()).toBe('A draft of mine');
    await scene.chat.button('Send').click();
    await scene.chat.waitForAnswer('completed');
    expect(asked).toEqual(['A draft of mine']);
    expect(await scene.chat.inside('[part=error]').count()).toBe(0);
  });

  test('keeps the draft over a reload, and is told so then', async () => {
    await scene.chat.composer.fill('A draft of mine');
    await forgetGuest();
    await scene.page.reload();
    await scene.chat.inside('[part=error]').getByText(isGone).waitFor();
    await expect.poll(() => scene.chat.composer.inputValue()).toBe('A draft of mine');
  });

  test('is answered: the question is asked once, as the new guest, who is told that what was before is gone', async () => {
    await forgetGuest();
    await scene.chat.ask('Asked by whom?');
    await scene.chat.waitForAnswer('completed');
    expect(asked).toEqual(['Asked by whom?']);
    expect(await scene.chat.readQuestions()).toEqual(['Asked by whom?']);
    expect(await scene.chat.inside('[part=error]').innerText()).toBe(isGone);
  });

  test.each(['asks on', 'asks in a new conversation'])(
    '%s in a second tab, when the first knows already',
    async (how) => {
      const page = await scene.context.newPage();
      const second = findChat(page);
      await page.goto(`${stage.server.here}/`);
      await second.show();
      await second.waitForAnswer('completed');
      if (how !== 'asks on') await second.button('New conversation').click();
      await forgetGuest();
      await scene.chat.button('This answer helped').click();
      await scene.chat.inside('[part=error]').getByText(isGone).waitFor();
      await second.ask('Asked in the second?');
      await second.waitForAnswer('completed');
      expect(asked).toEqual(['Asked in the second?']);
      expect(await second.readQuestions()).toEqual(['Asked in the second?']);
      await page.close();
    },
  );

  test('has a question of a second tab asked there, and once, though the first comes to know at that moment', async () => {
    const page = await scene.context.newPage();
    const second = findChat(page);
    await page.goto(`${stage.server.here}/`);
    await second.show();
    await second.waitForAnswer('completed');
    await forgetGuest(600);
    await scene.chat.button('This answer helped').click();
    await page.waitForTimeout(300);
    await second.ask('Asked in the second?');
    await second.waitForAnswer('completed');
    await scene.chat.inside('[part=error]').getByText(isGone).waitFor();
    expect(asked).toEqual(['Asked in the second?']);
    expect(await second.readQuestions()).toEqual(['Asked in the second?']);
    await page.close();
  });

  test('is answered though the page was reloaded while the helper was away', async () => {
    // Until what is routed later is there, so that between the two no try reaches the helper.
    const away = /\/conversations\//;
    await scene.context.route(away, (route) => route.abort('connectionrefused'));
    await scene.chat.ask('Asked by whom?');
    await scene.chat.waitForAnswer('sending');
    await forgetGuest();
    await scene.context.unroute(away);
    await scene.page.reload();
    await scene.chat.waitForAnswer('completed');
    expect(asked).toEqual(['Asked by whom?']);
  });

  test.each(['seen again', 'seen after two losses', 'reloaded'])(
    'keeps the draft of a second tab, which is %s',
    async (how) => {
      const page = await scene.context.newPage();
      const second = findChat(page);
      await page.goto(`${stage.server.here}/`);
      await second.show();
      await second.composer.fill('A draft of the second');
      await showTab(page, false);
      await forgetGuest();
      await scene.chat.ask('Asked by whom?');
      await scene.chat.waitForAnswer('completed');
      if (how === 'seen after two losses') {
        await forgetGuest(0, 'anonymous:three');
        await scene.chat.button('This answer helped').click();
        await expect.poll(() => scene.chat.readQuestions()).toEqual([]);
      }
      if (how === 'reloaded') await page.reload();
      else await showTab(page, true);
      await expect.poll(() => second.composer.inputValue()).toBe('A draft of the second');
      await second.button('Send').click();
      await expect.poll(() => asked).toEqual(['Asked by whom?', 'A draft of the second']);
      await page.close();
    },
  );

  test('is told nothing untrue in a chat that had no conversation yet', async () => {
    await scene.chat.button('New conversation').click();
    await forgetGuest();
    await scene.chat.ask('The first?');
    await scene.chat.waitForAnswer('completed');
    expect(asked).toEqual(['The first?']);
    expect(await scene.chat.inside('[part=error]').count()).toBe(0);
  });
});

test('too many questions: the widget counts the wait down, and then a click asks', async () => {
  await answerOnce(toProblem(429, { status: 429, code: 'rate-limited', retryAfterMs: 1500 }));
  await scene.chat.ask('May I?');
  const failed = await scene.chat.waitForAnswer('failed');
  await failed.getByText('Too many questions right now.').waitFor();
  const retry = failed.getByRole('button', { name: /^Try again/ });
  expect(await retry.isDisabled()).toBe(true);
  expect(await retry.textContent()).toMatch(/^Try again in 00:0[12]$/);
  await scene.chat.button('Try again').click();
  await scene.chat.waitForAnswer('completed');
  expect(readAsked()).toEqual(['May I?']);
});

test('the page of a captive portal is never shown as an answer, and the question can be asked again', async () => {
  await answerOnce({ status: 200, contentType: 'text/html', body: '<h1>Accept our terms</h1>' });
  await scene.chat.ask('Is this you?');
  const failed = await scene.chat.waitForAnswer('failed');
  expect(await failed.locator('[part~="body"]').textContent()).toBe('');
  expect(await scene.chat.panel.textContent()).not.toContain('Accept our terms');
  await scene.chat.button('Try again').click();
  await scene.chat.waitForAnswer('completed');
  expect(readAsked()).toEqual(['Is this you?']);
  expect(await scene.chat.readQuestions()).toEqual(['Is this you?']);
});

test.each([
  ['there is no helper where the tag says', '/nowhere', undefined],
  ['a page answers where the tag says that the helper is', '/spa', undefined],
  [
    'the helper does not know the page’s origin',
    '/',
    (route: Route) =>
      route.fulfill({ status: 403, headers: { 'access-control-allow-origin': 'https://other.example' } }),
  ],
  ['something before the helper refuses', '/', (route: Route) => route.fulfill({ status: 403, body: 'No.' })],
  ['the helper does not run', '/', (route: Route) => route.abort('connectionrefused')],
] as const)(
  'when %s the chat is said to be out of reach, and the console says where to look',
  async (_, path, session) => {
    // From another origin, so that the browser itself refuses what does not allow it.
    const origin = stage.server.elsewhere;
    const page = await scene.context.newPage();
    const chat = findChat(page);
    const lines: string[] = [];
    page.on('console', (line) => {
      if (line.text().startsWith('Porchlight:')) lines.push(line.text());
    });
    if (session) await page.route('**/session', session);
    await page.goto(origin + path);
    await chat.open();
    await chat.panel.getByText('The chat cannot be reached right now.').first().waitFor();
    expect(await chat.panel.textContent()).not.toContain('offline');
    await chat.button('Try again').click();
    await chat.button('Try again').waitFor();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(`page ${origin}: no answer.`);
  },
);

test('a start that failed is tried again by a click, and the greeting comes', async () => {
  const { context, page, chat } = await visit(stage.browser, `${stage.server.here}/`);
  // One that is out of reach is looked for without a click.
  const refuse = { status: 500, json: { code: 'internal' } };
  await page.route('**/session', (route) => route.fulfill(refuse), { times: 1 });
  await chat.open();
  await chat.button('Try again').click();
  await chat.panel.getByText('Hello.').waitFor();
  expect(await chat.button('Try again').count()).toBe(0);
  await context.close();
});

test('a question that a silent helper does not take ends with a way to ask again, and is asked once', async () => {
  const { page, chat } = scene;
  await page.clock.install();
  await page.route(`${stage.server.url}/conversations/**`, (route) => route.abort('connectionrefused'));
  await chat.ask('Anybody?');
  await chat.panel.getByText('The chat cannot be reached. Trying again.').first().waitFor();
  for (let tries = 0; tries < 8; tries += 1) await page.clock.runFor(20_000);
  await chat.waitForAnswer('failed');
  await page.unroute(`${stage.server.url}/conversations/**`);
  await chat.button('Try again').click();
  await chat.waitForAnswer('completed');
  expect(readAsked()).toEqual(['Anybody?']);
});
