/** A question or a decision that was on its way when its page went, on a bad network: shown, asked once, or a draft again. */
import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import type { ConversationReply } from '../../server-helper/protocol/wire.ts';
import { findChat } from '../support/browser.ts';
import { english } from '../support/english.ts';
import { startFakeHelper, toPage } from '../support/fakehelper.ts';
import { createGate } from '../support/gate.ts';
import { useStage, useVisitor } from '../support/stage.ts';

const pause = {
  kind: 'approval' as const,
  tool: { name: 'order_status', title: 'Order status', description: 'Looks it up.', parameters: {} },
  expiresAt: new Date(Date.now() + 600_000).toISOString(),
};
const stage = useStage(() =>
  startFakeHelper({
    answer: (question, times) =>
      question === 'Wait'
        ? { pieces: ['One moment.'], end: { paused: pause } }
        : question.startsWith('Fail') && times === 0
          ? { pieces: [''], end: { failed: { code: 'agent-timeout', retryable: true } } }
          : { pieces: [`To ${question}`] },
    pages: (path, url) => (/^\/(one|two)?$/.test(path) ? { html: toPage(url, 'dock') } : undefined),
  }),
);
const scene = useVisitor(stage, ({ here }) => `${here}/`);

const turns = /\/turns\/[\w-]+$/;
const cut = (route: Route) => route.abort('connectionreset');
const walk = (page: Page, to: string) => page.goto(`${stage.server.here}${to}`);
const draft = () => scene.chat.composer.inputValue();
/** Answers what goes to these addresses once the gate is open. */
async function hold(page: Page, pattern: RegExp, method?: string) {
  const gate = createGate();
  await page.route(pattern, async (route) => {
    if (method === undefined || route.request().method() === method) await gate.opened;
    await route.continue().catch(() => {});
  });
  return gate;
}
/** Asks `First`, which stays on its way, and goes to another page. */
async function leaveWithFirst() {
  const { page, chat } = scene;
  await chat.ask('Before');
  await chat.waitForAnswer('completed');
  await page.route(turns, (route) => (route.request().method() === 'PUT' ? cut(route) : route.continue()));
  await chat.ask('First');
  await chat.waitForAnswer('sending');
}

test('a second question sent before the session is there waits for the first, and a reload makes a draft of it', async () => {
  const { page, chat } = scene;
  await leaveWithFirst();
  const sessions = await hold(page, /\/session$/);
  await walk(page, '/two');
  await chat.ask('Second');
  sessions.open();
  await expect.poll(chat.readQuestions).toEqual(['Before', 'First', 'Second']);
  await page.reload();
  await expect.poll(draft).toBe('Second');
  await page.unroute(turns);
  await expect.poll(chat.readAnswers).toEqual(['To Before', 'To First']);
});

test('what is asked again as its page goes stands once on the next one, and its former answer goes', async () => {
  const { page, chat } = scene;
  await chat.ask('Before');
  await chat.waitForAnswer('completed');
  await chat.ask('Once more');
  await chat.waitForAnswer('completed');
  const questions = await hold(page, turns, 'PUT');
  await chat.button('Answer again').click();
  await chat.waitForAnswer('sending');
  await walk(page, '/two');
  await chat.waitForAnswer('sending');
  expect(await chat.readQuestions()).toEqual(['Before', 'Once more']);
  questions.open();
  await chat.waitForAnswer('completed');
  expect(await chat.readQuestions()).toEqual(['Before', 'Once more']);
});

test('on a network that is only slow both are asked, one after the other', async () => {
  const { page, chat } = scene;
  await leaveWithFirst();
  const before = stage.server.asked.length;
  const sessions = await hold(page, /\/session$/);
  await walk(page, '/two');
  await chat.ask('Second');
  await page.unroute(turns);
  sessions.open();
  await expect.poll(chat.readAnswers).toEqual(['To Before', 'To First', 'To Second']);
  expect(stage.server.asked.slice(before)).toEqual(['First', 'Second']);
});

test.each([['a new conversation is begun', async () => scene.chat.button('New conversation').click()]])(
  'a question on its way is shown while its conversation loads, and is a draft again when %s',
  async (_, leave) => {
    const { page, chat } = scene;
    await leaveWithFirst();
    const conversation = await hold(page, /\/conversations\/[\w-]+$/, 'GET');
    await walk(page, '/two');
    await expect.poll(chat.readQuestions).toEqual(['First']);
    await leave();
    await expect.poll(draft).toBe('First');
    conversation.open();
  },
);

test('a conversation that cannot be loaded beside a question on its way is said so, and loaded by a click', async () => {
  const { page, chat } = scene;
  await leaveWithFirst();
  await page.route(/\/conversations\/[\w-]+$/, cut);
  await walk(page, '/two');
  // Before that the page that is left might yet have asked it.
  await page.unroute(turns);
  await chat.waitForAnswer('completed');
  await chat.panel.locator('p').getByText(english['resume-failed']).waitFor();
  await page.unroute(/\/conversations\/[\w-]+$/);
  await chat.button('Try again').click();
  await expect.poll(chat.readQuestions).toEqual(['Before', 'First']);
});

test('a question on its way goes with its conversation when a new one is begun, and is asked once', async () => {
  const { page, chat } = scene;
  await chat.ask('An earlier one');
  await chat.waitForAnswer('completed');
  const before = stage.server.asked.length;
  const slow = await hold(page, turns, 'PUT');
  await chat.ask('First');
  await chat.waitForAnswer('sending');
  await chat.button('New conversation').click();
  await expect.poll(chat.readQuestions).toEqual([]);
  slow.open();
  await expect.poll(() => stage.server.asked.slice(before)).toEqual(['First']);
  expect(await draft()).toBe('');
  await chat.ask('Second');
  await chat.waitForAnswer('completed');
  await chat.button('Conversations').click();
  await chat.panel.getByRole('button', { name: /^An earlier one/ }).click();
  await expect.poll(chat.readQuestions).toEqual(['An earlier one', 'First']);
  expect(stage.server.asked.slice(before)).toEqual(['First', 'Second']);
});

test('a question that arrives in its conversation while that is shown again is shown there, and answered', async () => {
  const { page, chat } = scene;
  await chat.ask('One from before');
  await chat.waitForAnswer('completed');
  await chat.button('New conversation').click();
  await chat.ask('Another');
  await chat.waitForAnswer('completed');
  const slow = await hold(page, turns, 'PUT');
  await chat.ask('First');
  await chat.waitForAnswer('sending');
  for (const title of [/^One from before/, /^Another/]) {
    await chat.button('Conversations').click();
    await chat.panel.getByRole('button', { name: title }).click();
    await chat.messages.first().waitFor();
  }
  await expect.poll(chat.readQuestions).toEqual(['Another']);
  slow.open();
  await expect.poll(chat.readQuestions).toEqual(['Another', 'First']);
  await expect.poll(chat.readAnswers).toEqual(['To Another', 'To First']);
});

test.each([
  ['the next page is opened', () => walk(scene.page, '/two')],
  ['another one is begun', () => scene.chat.button('New conversation').click()],
])('a question on its way when a new conversation is begun is asked though %s', async (_, leave) => {
  const { page, chat } = scene;
  await chat.ask('An earlier one');
  await chat.waitForAnswer('completed');
  const before = stage.server.asked.length;
  const slow = await hold(page, turns, 'PUT');
  await chat.ask('First');
  await chat.waitForAnswer('sending');
  await chat.button('New conversation').click();
  await expect.poll(chat.readQuestions).toEqual([]);
  await leave();
  slow.open();
  await chat.composer.focus();
  await expect.poll(() => stage.server.asked.slice(before)).toEqual(['First']);
  expect(await draft()).toBe('');
});

test('a question that does not arrive where it was asked is a draft on the next page, though the chat was closed', async () => {
  const { page, chat } = scene;
  await chat.ask('An earlier one');
  await chat.waitForAnswer('completed');
  const slow = createGate();
  const refusing = createGate();
  let times = 0;
  await page.route(turns, async (route) => {
    if (route.request().method() !== 'PUT') return route.continue();
    times += 1;
    // The first never arrives; the second is refused once the chat is closed.
    await (times === 1 ? slow : refusing).opened;
    await route.fulfill({ status: 403, json: { code: 'not-allowed' } }).catch(() => {});
  });
  await chat.ask('First');
  await chat.waitForAnswer('sending');
  await chat.button('New conversation').click();
  await expect.poll(() => times).toBe(2);
  await chat.composer.press('Escape');
  refusing.open();
  slow.open();
  await expect
    .poll(() => page.evaluate(() => Object.values({ ...sessionStorage }).join()))
    .toContain('"draft":"First"');
  await walk(page, '/two');
  await chat.composer.focus();
  await expect.poll(draft).toBe('First');
});

test('what was given back stays a draft on every page, says that it was not sent, and goes once it is', async () => {
  const { page, chat } = scene;
  const sessions = await hold(page, /\/session$/);
  await chat.ask('First');
  await chat.waitForAnswer('sending');
  await walk(page, '/two');
  await chat.composer.focus();
  sessions.open();
  await expect.poll(draft).toBe('First');
  await expect.poll(() => chat.announcer.textContent()).toContain(english['not-sent']);
  await chat.composer.press('End');
  await chat.composer.pressSequentially(' of all');
  await expect.poll(() => chat.panel.getByText(english['not-sent']).count()).toBe(0);
  await walk(page, '/one');
  await chat.composer.focus();
  await expect.poll(draft).toBe('First of all');
  await chat.composer.press('Enter');
  await chat.waitForAnswer('completed');
  await walk(page, '/two');
  await expect.poll(chat.readQuestions).toEqual(['First of all']);
  expect(await draft()).toBe('');
});

test('of two questions held on two pages one after the other the first is a draft again', async () => {
  const { page, chat } = scene;
  await page.route(/\/session$/, cut);
  await chat.ask('First');
  await chat.waitForAnswer('sending');
  await walk(page, '/two');
  await chat.ask('Second');
  await page.unroute(/\/session$/);
  await expect.poll(chat.readAnswers).toEqual(['To Second']);
  expect(await draft()).toBe('First');
});

const decision = /\/decision$/;

test('a decision whose reply is lost is followed, and is not said to be missing', async () => {
  const { page, chat } = scene;
  await chat.ask('Wait');
  await chat.waitForAnswer('paused');
  await page.route(decision, async (route) => {
    await route.fetch();
    await cut(route);
  });
  await chat.button('Allow').press('Enter');
  await chat.waitForAnswer('completed');
  expect(await chat.panel.getByText(english['decision-failed']).count()).toBe(0);
});

test('a decision that did not arrive is said so, and the card waits on', async () => {
  const { page, chat } = scene;
  await chat.ask('Wait');
  await chat.waitForAnswer('paused');
  await page.route(decision, cut);
  await chat.button('Allow').press('Enter');
  await chat.panel.locator('p').getByText(english['decision-failed']).waitFor();
  await page.unroute(decision);
  await chat.waitForAnswer('paused');
  await chat.button('Allow').press('Enter');
  await chat.waitForAnswer('completed');
});

test('a decision that lands after its page has gone takes the card away from the next one', async () => {
  const { page, chat } = scene;
  await chat.ask('Wait');
  await chat.waitForAnswer('paused');
  const gate = createGate();
  let sent: Promise<unknown> | undefined;
  await page.route(decision, async (route) => {
    const { url, headers, body } = {
      url: route.request().url(),
      headers: route.request().headers(),
      body: route.request().postData(),
    };
    sent = gate.opened.then(() => fetch(url, { method: 'POST', headers, body }));
    await sent;
  });
  await chat.button('Allow').press('Enter');
  await expect.poll(() => sent !== undefined).toBe(true);
  await walk(page, '/two');
  await chat.waitForAnswer('paused');
  gate.open();
  await chat.waitForAnswer('completed');
});

test('a question that arrived while its page went away leaves the chat free once its answer is there', async () => {
  const { page, chat, context } = scene;
  await page.route(turns, async (route) => {
    await route.fetch().catch(() => {});
    await cut(route);
  });
  await chat.ask('First');
  await expect.poll(() => stage.server.asked.at(-1)).toBe('First');
  await page.close();
  const next = await context.newPage();
  await next.goto(`${stage.server.here}/two`);
  const there = findChat(next);
  await expect.poll(there.readAnswers).toEqual(['To First']);
  expect(await there.stop.count()).toBe(0);
  await there.ask('Second');
  await expect.poll(there.readAnswers).toEqual(['To First', 'To Second']);
});

test('while a conversation with a question on its way loads there is nothing to stop, and what is sent waits', async () => {
  const { page, chat } = scene;
  await leaveWithFirst();
  const conversation = await hold(page, /\/conversations\/[\w-]+$/, 'GET');
  await walk(page, '/two');
  await expect.poll(chat.readQuestions).toEqual(['First']);
  expect(await chat.stop.count()).toBe(0);
  await chat.ask('Second');
  // Before, it might have arrived from the page that was left.
  await page.unroute(turns);
  conversation.open();
  await expect.poll(chat.readAnswers).toEqual(['To Before', 'To First', 'To Second']);
});

test('two tabs that take up one question both show its answer', async () => {
  const { page, context } = scene;
  await leaveWithFirst();
  await page.close();
  const before = stage.server.asked.length;
  const [quick, slow] = [await context.newPage(), await context.newPage()];
  const conversation = await hold(slow, /\/conversations\/[\w-]+$/, 'GET');
  await Promise.all([quick.goto(`${stage.server.here}/two`), slow.goto(`${stage.server.here}/one`)]);
  await expect.poll(findChat(quick).readAnswers).toEqual(['To Before', 'To First']);
  conversation.open();
  await expect.poll(findChat(slow).readAnswers).toEqual(['To Before', 'To First']);
  expect(stage.server.asked.slice(before)).toEqual(['First']);
  expect(await findChat(slow).stop.count()).toBe(0);
});

test('a decision without a reply is looked at a few times, and said once', async () => {
  const { page, chat } = scene;
  await chat.ask('Wait');
  await chat.waitForAnswer('paused');
  const gate = createGate();
  await page.route(decision, () => gate.opened);
  await chat.button('Allow').press('Enter');
  await page.waitForTimeout(300);
  const requests: string[] = [];
  page.on('request', (request) => turns.test(request.url()) && requests.push(request.url()));
  await walk(page, '/two');
  await chat.waitForAnswer('paused');
  await page.evaluate(() => {
    const { shadowRoot } = document.querySelector('porchlight-chat')!;
    const announcer = shadowRoot!.querySelector('[part~="announcer"]')!;
    const said: string[] = [];
    new MutationObserver(() => said.push(announcer.textContent ?? '')).observe(announcer, {
      childList: true,
      characterData: true,
      subtree: true,
    });
    Object.assign(window, { said });
  });
  await page.waitForTimeout(5_000);
  gate.open();
  expect(requests.length).toBeLessThanOrEqual(3);
  const said = await page.evaluate(() => (window as unknown as { said: string[] }).said);
  expect(said.filter((words) => words !== '').length).toBeLessThanOrEqual(1);
});

let fails = 0;
/** Presses "Try again" on an answer that failed; the conversation is read before it is asked anew. */
async function tryAgain() {
  const { page, chat } = scene;
  fails += 1;
  await chat.ask(`Fail ${fails}`);
  await chat.waitForAnswer('failed');
  const conversation = await hold(page, /\/conversations\/[\w-]+$/, 'GET');
  await chat.button('Try again').click();
  await chat.waitForAnswer('sending');
  return conversation;
}

test('while a failed answer is tried again, Stop is there and ends that, and nothing else is sent', async () => {
  const { page, chat } = scene;
  const before = stage.server.asked.length;
  const conversation = await tryAgain();
  await chat.ask('Second');
  expect(await chat.readQuestions()).toEqual([`Fail ${fails}`]);
  await chat.stop.click();
  await chat.waitForAnswer('failed');
  conversation.open();
  await page.waitForTimeout(300);
  expect(stage.server.asked.slice(before)).toEqual([`Fail ${fails}`]);
});

test('an answer that was completed after all is shown by "Try again", and not asked for anew', async () => {
  const { page, chat } = scene;
  const before = stage.server.asked.length;
  await chat.ask('Fail for long');
  await chat.waitForAnswer('failed');
  await page.route(/\/conversations\/[\w-]+$/, async (route) => {
    const response = await route.fetch();
    const reply = (await response.json()) as ConversationReply;
    const messages = reply.messages.map(({ code, ...message }) =>
      code ? { ...message, text: 'All of it', status: 'completed' } : message,
    );
    await route.fulfill({ response, json: { ...reply, messages } });
  });
  await chat.button('Try again').click();
  const answer = await chat.waitForAnswer('completed');
  await page.unroute(/\/conversations\/[\w-]+$/);
  expect(await answer.textContent()).toContain('All of it');
  await chat.ask('Second');
  await expect.poll(() => stage.server.asked.slice(before)).toEqual(['Fail for long', 'Second']);
});

test('what another device has asked since goes on, where "Try again" finds an answer that was completed', async () => {
  const { page, chat } = scene;
  await chat.ask('Fail for good');
  await chat.waitForAnswer('failed');
  const other = crypto.randomUUID();
  const gate = createGate();
  await page.route(new RegExp(`/turns/${other}$`), async (route) => {
    await gate.opened;
    await route.abort('connectionreset').catch(() => {});
  });
  await page.route(/\/conversations\/[\w-]+$/, async (route) => {
    const response = await route.fetch();
    const reply = (await response.json()) as ConversationReply;
    const messages = reply.messages.map(({ code, ...message }) =>
      code ? { ...message, text: 'All of it', status: 'completed' } : message,
    );
    const liveTurn = { turnId: other, status: 'running' };
    await route.fulfill({ response, json: { ...reply, messages, liveTurn } });
  });
  await chat.button('Try again').click();
  await chat.waitForAnswer('writing');
  await page.waitForTimeout(200);
  expect(await chat.stop.isVisible()).toBe(true);
  gate.open();
});

test('"Try again" while a question of another tab runs opens no second stream of its answer', async () => {
  const { page, chat } = scene;
  await chat.ask('Well?');
  await chat.waitForAnswer('completed');
  const other = crypto.randomUUID();
  const gate = createGate();
  let streams = 0;
  await page.route(/\/turns\/[\w-]+$/, async (route) => {
    if (route.request().method() === 'PUT')
      return route.fulfill({ status: 409, json: { code: 'turn-running' } });
    streams += 1;
    await gate.opened;
    await route.abort('connectionreset').catch(() => {});
  });
  await page.route(/\/conversations\/[\w-]+$/, async (route) => {
    const response = await route.fetch();
    const reply = (await response.json()) as ConversationReply;
    const asked = { ...reply.messages[0], id: other, turnId: other, text: 'Theirs?' };
    const messages = [...reply.messages, asked];
    await route.fulfill({ response, json: { ...reply, messages, liveTurn: { turnId: other } } });
  });
  const again = chat.panel.getByRole('button', { name: 'Try again' });
  for (let tries = 1; tries <= 4; tries += 1) {
    const read = page.waitForResponse((response) => /\/conversations\/[\w-]+$/.test(response.url()));
    if (tries === 1) await chat.ask('Mine?');
    else await again.press('Enter');
    await read;
    await again.waitFor();
    await expect.poll(() => streams).toBe(1);
  }
  gate.open();
});

test('a chat that is closed while a failed answer is tried again stays closed', async () => {
  const { page, chat } = scene;
  const before = stage.server.asked.length;
  const conversation = await tryAgain();
  await page.evaluate(() => (window as unknown as { Porchlight: { close(): void } }).Porchlight.close());
  await chat.panel.waitFor({ state: 'detached' });
  conversation.open();
  await expect.poll(() => stage.server.asked.length).toBe(before + 2);
  await page.waitForTimeout(200);
  expect(await chat.panel.count()).toBe(0);
});

test('what one visitor tries again is not asked as the next one', async () => {
  const { page, chat } = scene;
  const toJwt = (who: string) =>
    `e30.${Buffer.from(JSON.stringify({ external_id: who, exp: Date.now() / 1000 + 3_600 })).toString('base64url')}.e30`;
  const identify = (token: string, ms: number) =>
    page.evaluate(
      ([value, wait]) =>
        (
          window as unknown as { Porchlight: { identify(f: () => Promise<string>): void } }
        ).Porchlight.identify(
          () => new Promise((resolve) => setTimeout(() => resolve(value as string), wait as number)),
        ),
      [token, ms] as const,
    );
  await identify(toJwt('ada'), 0);
  const conversation = await tryAgain();
  const before = stage.server.asked.length;
  await identify(toJwt('ben'), 1_000);
  conversation.open();
  await expect.poll(chat.readQuestions).toEqual([]);
  await chat.ask('Mine');
  await expect.poll(() => stage.server.asked.at(-1)).toBe('Mine');
  expect(stage.server.asked.slice(before)).toEqual(['Mine']);
  expect(await chat.readQuestions()).toEqual(['Mine']);
});
