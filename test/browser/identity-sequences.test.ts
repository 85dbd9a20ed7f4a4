/** Promise 8 in a real browser: visits in several tabs in which the visitor changes, watched frame by frame. */
import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import type { PorchlightApi } from '../../widget/public.ts';
import { goOffline } from '../support/browser.ts';
import { createGate } from '../support/gate.ts';
import { readSeen, showTab, sign, watchFor } from '../support/identity-site.ts';
import { adas, bens, secret, setUpVisits } from '../support/identity-visits.ts';

const here = setUpVisits();
const { visit, chatAsAda, askAs } = here;

function identify(page: Page, token?: string): Promise<void> {
  return page.evaluate((value) => {
    (window as unknown as { Porchlight: { identify(token?: string): void } }).Porchlight.identify(value);
  }, token);
}

function readStorage(page: Page): Promise<string> {
  return page.evaluate(() => JSON.stringify({ ...localStorage }));
}

function readTabStorage(page: Page): Promise<string> {
  return page.evaluate(() => JSON.stringify({ ...sessionStorage }));
}

test('a tab that was left as Ada asks who is there when its chat is opened again, and Ben sees nothing of hers', async () => {
  const { page, chat } = await chatAsAda('/callback');
  await chat.launcher.click();
  const { page: other } = await visit('/callback');
  await sign(other);
  await sign(other, 'ben');
  await other.reload();
  await watchFor(page, secret);
  await chat.open();
  await askAs(chat, bens);
  expect(await readSeen(page)).toBe(0);
});

test('an open chat is out of sight from the moment its tab is left until it is known that the same visitor is back', async () => {
  const { page, chat } = await chatAsAda('/callback');
  await chat.composer.fill('half a question');
  await showTab(page, false);
  await watchFor(page, secret);
  await showTab(page, true);
  await expect.poll(() => readSeen(page)).toBeGreaterThan(0);
  expect(await chat.composer.inputValue()).toBe('half a question');
  expect(here.site.sessions).toEqual([adas]);

  await showTab(page, false);
  await sign(page, 'ben');
  await watchFor(page, secret);
  await showTab(page, true);
  await expect.poll(() => chat.composer.inputValue()).toBe('');
  await askAs(chat, bens);
  expect(await readSeen(page)).toBe(0);
});

/** What the composer holds after some Undo and Redo. */
async function undoAndRedo(page: Page, composer: { inputValue(): Promise<string> }): Promise<string[]> {
  const values: string[] = [];
  for (const keys of ['Control+z', 'Control+z', 'Control+Shift+z', 'Control+Shift+z', 'Control+Shift+z']) {
    await page.keyboard.press(keys);
    values.push(await composer.inputValue());
  }
  return values;
}

test('what Ada typed is brought back by no Undo and Redo once she has signed out', async () => {
  const { page, chat } = await chatAsAda('/call');
  const readFocus = () => chat.composer.evaluate((field) => field.matches(':focus'));
  await chat.composer.click();
  await page.keyboard.type('adas words');
  await identify(page);
  await expect.poll(() => chat.composer.inputValue()).toBe('');
  expect(await readFocus(), 'the focus stays').toBe(true);
  expect((await undoAndRedo(page, chat.composer)).join('')).toBe('');
  await page.keyboard.type('Who am I?');
  await page.keyboard.press('Enter');
  await expect.poll(() => here.site.asked.at(-1)).toBe('anonymous:1: Who am I?');
});

test('what Ada typed is brought back by no Undo and Redo while it is not known who is back, and by herself as it was', async () => {
  const { page, chat } = await chatAsAda('/callback');
  await chat.composer.click();
  await page.keyboard.type('adas words');
  const gate = createGate();
  here.site.today.tokenGate = gate;
  await showTab(page, false);
  await showTab(page, true);
  await expect.poll(() => chat.composer.inputValue()).toBe('');
  expect((await undoAndRedo(page, chat.composer)).join('')).toBe('');
  gate.open();
  await expect.poll(() => chat.composer.inputValue()).toBe('adas words');
});

test('a page that comes back from the browser’s memory of pages asks anew, and shows nothing of before', async () => {
  const { page, chat } = await chatAsAda('/callback');
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })));
  await sign(page);
  await watchFor(page, secret);
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
  await chat.panel.getByText('Hello there.').waitFor();
  await askAs(chat, 'anonymous:1');
  expect(await readSeen(page)).toBe(0);
});

test('on a site that says it by the tag, a page without a token signs Ada out in every tab and in what is kept', async () => {
  const { page, chat } = await chatAsAda('/tag');
  const { page: other, chat: otherChat } = await visit('/plain');
  await sign(other);
  await watchFor(page, secret);
  await other.goto(`${here.site.url}/tag`);
  await chat.panel.waitFor({ state: 'detached' });
  expect(await readStorage(other)).not.toContain(secret);
  const seen = await readSeen(page);
  await chat.open();
  // Of the two tabs either may have been the first to open a session; they go on as one guest.
  await askAs(chat, /^anonymous/);
  expect(await readSeen(page)).toBe(seen);
  await otherChat.show();
  expect(await otherChat.panel.textContent()).not.toContain(secret);
});

test('what is typed while another window makes the chat look up who is there stays as it was typed', async () => {
  const { page, chat } = await chatAsAda('/callback');
  const { page: other } = await visit('/callback');
  await page.bringToFront();
  await chat.composer.click();
  // A slow site: some of it is typed while nobody knows.
  await page.route('**/token', async (route) => {
    await page.waitForTimeout(100);
    await route.continue();
  });
  const text = 'Does the tent keep the rain out in autumn?';
  const typing = page.keyboard.type(text, { delay: 30 });
  for (let times = 0; times < 4; times += 1) {
    await page.waitForTimeout(200);
    // A page of the site says that it asks by a function, and is not shown itself.
    await other.evaluate(() => {
      const { Porchlight } = window as unknown as { Porchlight: { identify(ask: unknown): void } };
      Porchlight.identify(async () => (await (await fetch('/token')).json()).token);
    });
  }
  await typing;
  await expect.poll(() => chat.composer.inputValue()).toBe(text);
});

test('a tab whose tag still says Ada asks nothing as her once Ben has signed in elsewhere, and says what to do', async () => {
  const { page, chat } = await chatAsAda('/tag');
  const { page: other, chat: bensChat } = await visit('/plain');
  await sign(other, 'ben');
  await other.goto(`${here.site.url}/tag`);
  await chat.panel.waitFor({ state: 'detached' });
  await watchFor(page, secret);
  await chat.open();
  await chat.panel.getByText('Reload the page to go on').first().waitFor();
  expect(await readSeen(page)).toBe(0);
  await bensChat.show();
  await askAs(bensChat, bens);
  expect(here.site.asked.filter((line) => line.startsWith(adas))).toHaveLength(1);
  await page.reload();
  // Whether it is open still is the other tab's to say, too.
  await chat.show();
  await expect.poll(() => chat.readQuestions()).toEqual(['Who am I?']);
});

test('a second tab of Ada’s takes nothing from the first: no session, no place, no draft', async () => {
  const { page, chat } = await chatAsAda('/tag');
  await chat.composer.fill('half a question');
  await visit('/tag').then(({ chat: second }) => second.waitForAnswer('completed'));
  await showTab(page, false);
  await showTab(page, true);
  expect(await chat.composer.inputValue()).toBe('half a question');
  await expect.poll(() => chat.readQuestions()).toEqual([secret]);
  expect(here.site.sessions).toEqual([adas, adas]);
});

test.each(['logout', 'identify'])('%s() in one tab signs out in every tab', async (method) => {
  const { page, chat } = await chatAsAda('/call');
  const { page: other } = await visit('/call');
  await watchFor(page, secret);
  await other.evaluate((name) => {
    (window as unknown as { Porchlight: Record<string, () => void> }).Porchlight[name]!();
  }, method);
  await chat.panel.waitFor({ state: 'detached' });
  expect(await readStorage(page)).not.toContain(secret);
  const seen = await readSeen(page);
  await chat.open();
  await askAs(chat, /^anonymous/);
  expect(await readSeen(page)).toBe(seen);
});

test.each(['send', 'prefill', 'openConversation'])(
  'what the page calls for Ada by %s is nothing of Ben’s, who signs in with it',
  async (method) => {
    const { page, chat } = await chatAsAda('/call');
    const token = await sign(page, 'ben');
    const id = await page.evaluate(
      () => JSON.stringify({ ...sessionStorage }).match(/conversationId\W+([\w-]{36})/)?.[1],
    );
    await page.evaluate(
      ([name, value, token]) => {
        const { Porchlight } = window as unknown as { Porchlight: Record<string, (value?: string) => void> };
        Porchlight[name as string]!(value);
        Porchlight.identify!(token);
      },
      [method, method === 'openConversation' ? id : 'Where is my order?', token],
    );
    await askAs(chat, bens);
    await expect.poll(chat.readQuestions).toEqual(['Who am I?']);
    expect(await chat.composer.inputValue()).toBe('');
    expect(here.site.asked).not.toContain(`${bens}: Where is my order?`);
  },
);

test('what the page says for Ada to the agent is not sent with Ben’s question, nor what it said just before he signed in', async () => {
  const { page, chat } = await chatAsAda('/call');
  const token = await sign(page, 'ben');
  const sent: unknown[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PUT') sent.push(request.postDataJSON().page?.context);
  });
  const setContext = (context: object) =>
    page.evaluate((context) => {
      (window as unknown as { Porchlight: PorchlightApi }).Porchlight.setContext(
        context as Record<string, unknown>,
      );
    }, context);
  await setContext({ cart: 'Ada’s' });
  await expect
    .poll(() =>
      page.evaluate(() => performance.getEntriesByType('resource').some(({ name }) => /site-/.test(name))),
    )
    .toBe(true);
  await askAs(chat, adas);
  await page.evaluate((token) => {
    const { Porchlight } = window as unknown as { Porchlight: PorchlightApi };
    Porchlight.setContext({ cart: 'still Ada’s' });
    Porchlight.identify(token);
  }, token);
  await askAs(chat, bens);
  await setContext({ cart: 'Ben’s' });
  await askAs(chat, bens);
  expect(sent).toEqual([{ cart: 'Ada’s' }, undefined, { cart: 'Ben’s' }]);
});

test('what the page says for Ada before she has asked anything is not sent with Ben’s first question', async () => {
  const { page: other } = await visit('/plain');
  await sign(other, 'ada');
  const { page, chat } = await visit('/call');
  const token = await sign(page, 'ben');
  await page.evaluate(() => {
    (window as unknown as { Porchlight: PorchlightApi }).Porchlight.setContext({ cart: 'Ada’s' });
  });
  await chat.open();
  await expect.poll(() => here.site.sessions).toEqual([adas]);
  await page.evaluate((token) => {
    (window as unknown as { Porchlight: PorchlightApi }).Porchlight.identify(token);
  }, token);
  const put = page.waitForRequest((request) => request.method() === 'PUT');
  await askAs(chat, bens);
  expect((await put).postDataJSON().page?.context).toBeUndefined();
});

test.each([
  ['goes to another address', '/two'],
  ['has an address that is long', `/call/${'y'.repeat(700)}`],
])(
  'what the page says for Ada waits with no question until Ben is there, on a page that %s',
  async (_, to) => {
    const { page, chat } = await chatAsAda('/call');
    const token = await sign(page, 'ben');
    const go = () => page.evaluate((to) => history.pushState(null, '', to), to);
    if (to !== '/two') await go();
    await page.evaluate(() => {
      (window as unknown as { Porchlight: PorchlightApi }).Porchlight.setContext({ cart: 'Ada’s' });
    });
    const askedWith = async (send: () => Promise<unknown>) => {
      const put = page.waitForRequest((request) => request.method() === 'PUT');
      await send();
      return (await put).postDataJSON().page?.context;
    };
    expect(await askedWith(() => askAs(chat, adas))).toEqual({ cart: 'Ada’s' });
    await page.evaluate((token) => {
      const scope = window as unknown as { Porchlight: PorchlightApi; giveToken(): void };
      scope.Porchlight.identify(
        () =>
          new Promise<string>((resolve) => {
            scope.giveToken = () => resolve(token);
          }),
      );
    }, token);
    const asked = await askedWith(async () => {
      await chat.composer.fill('Who am I?');
      await chat.composer.press('Enter');
      await expect.poll(() => chat.composer.inputValue()).toBe('');
      if (to === '/two') await go();
      await page.evaluate(() => (window as unknown as { giveToken(): void }).giveToken());
    });
    expect(asked).toBeUndefined();
  },
);

test('a guest’s question on its way when a new conversation is begun is asked though the guest signs in', async () => {
  const { page, chat } = await visit('/plain');
  await chat.open();
  await askAs(chat, 'anonymous:1');
  let isHeld = true;
  const held: Route[] = [];
  await page.route('**/turns/**', (route) => {
    if (!isHeld || route.request().method() !== 'PUT') return route.continue();
    held.push(route);
    return undefined;
  });
  await chat.ask('the guest’s question');
  await chat.waitForAnswer('sending');
  // One that is given up before it has left would never be seen here.
  await expect.poll(() => held.length).toBe(1);
  await chat.button('New conversation').click();
  await expect.poll(chat.readQuestions).toEqual([]);
  // As it was asked, and on its way to the conversation that was left.
  await expect.poll(() => held.length).toBe(2);
  await identify(page, await sign(page, 'ada'));
  isHeld = false;
  for (const route of held) await route.abort().catch(() => {});
  await expect.poll(() => here.site.asked.at(-1)).toBe(`${adas}: the guest’s question`);
});

test.each(['/call', '/tag', '/callback'])(
  'a draft of Ada’s is hers after a reload of %s, and nobody else’s',
  async (path) => {
    const { page, chat } = await chatAsAda(path);
    await chat.composer.fill('half a question');
    await page.reload();
    await expect.poll(() => chat.composer.inputValue()).toBe('half a question');
    const { page: other } = await visit(path);
    await sign(other);
    await sign(other, 'ben');
    await other.reload();
    await page.reload();
    await askAs(chat, bens);
    expect(await chat.composer.inputValue()).toBe('');
    expect(await readTabStorage(page)).not.toContain('half a question');
  },
);

test.each(['/call', '/tag'])(
  'a sign-out with the chat closed leaves nothing of Ada’s in the tab of %s',
  async (path) => {
    const { page, chat } = await chatAsAda(path);
    await chat.composer.fill('half a question');
    await chat.launcher.click();
    expect(await readTabStorage(page)).toContain('half a question');
    await sign(page);
    await page.reload();
    await expect.poll(() => readTabStorage(page)).not.toContain('half a question');
  },
);

test.each(['/call', '/tag', '/callback'])(
  'an answer that Ada has not read is not counted for who is there after her (%s)',
  async (path) => {
    const { page, chat } = await chatAsAda(path);
    await page.route('**/turns/**', async (route) => {
      await page.evaluate(() => (window as unknown as { Porchlight: { close(): void } }).Porchlight.close());
      await route.continue();
    });
    await chat.ask('And when?');
    const mark = chat.launcher.locator('[part~="unread"]');
    await expect.poll(() => mark.count()).toBe(1);
    const { page: other } = await visit(path);
    await sign(other);
    await other.reload();
    await expect.poll(() => mark.count()).toBe(0);
    expect(await chat.launcher.getAttribute('aria-label')).toBe('Open chat');
  },
);

test('the same visitor said again, with fresh tokens, changes nothing: not the draft, not the focus, no session', async () => {
  const { page, chat } = await chatAsAda('/call');
  await chat.composer.fill('half a question');
  await page.locator('#field').focus();
  for (let times = 0; times < 10; times += 1) await identify(page, await sign(page, 'ada'));
  expect(await chat.composer.inputValue()).toBe('half a question');
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('field');
  await expect.poll(() => chat.readQuestions()).toEqual([secret]);
  expect(here.site.sessions).toEqual([adas]);
  await identify(page, await sign(page, 'ben'));
  await expect.poll(() => chat.composer.inputValue()).toBe('');
  await askAs(chat, bens);
});

test('a page that says late who is there finds the customer’s place, and what was typed meanwhile', async () => {
  const { page, chat } = await chatAsAda('/call');
  await chat.launcher.click();
  await page.goto(`${here.site.url}/plain`);
  await chat.open();
  await chat.composer.fill('and one more thing');
  await identify(page, await sign(page, 'ada'));
  await expect.poll(() => chat.readQuestions()).toEqual([secret]);
  expect(await chat.composer.inputValue()).toBe('and one more thing');
  expect(here.site.sessions).toEqual([adas, adas]);
});

test('what a guest said goes along at sign-in, with the draft', async () => {
  const { page, chat } = await visit('/call');
  await chat.open();
  await askAs(chat, 'anonymous:1', 'Do you ship?');
  await chat.composer.fill('half a question');
  await identify(page, await sign(page, 'ada'));
  await expect.poll(() => here.site.sessions).toEqual(['anonymous:1', adas]);
  await expect.poll(() => chat.readQuestions()).toEqual(['Do you ship?']);
  expect(await chat.composer.inputValue()).toBe('half a question');
  await askAs(chat, adas);
});

test('the focus on a message goes to the composer when its guest signs in, and Escape still closes the chat', async () => {
  const { page, chat } = await visit('/call');
  await chat.open();
  await askAs(chat, 'anonymous:1', 'Do you ship?');
  await chat.button('Copy the answer').focus();
  await identify(page, await sign(page, 'ada'));
  await expect.poll(() => here.site.sessions).toEqual(['anonymous:1', adas]);
  await expect.poll(() => chat.readQuestions()).toEqual(['Do you ship?']);
  await expect.poll(() => chat.composer.evaluate((field) => field.matches(':focus'))).toBe(true);
  await page.keyboard.press('Escape');
  await chat.panel.waitFor({ state: 'detached' });
});

test('the focus goes to the composer though what keeps it is still on its way when its guest signs in', async () => {
  const { page, chat } = await visit('/call');
  await chat.open();
  await askAs(chat, 'anonymous:1', 'Do you ship?');
  const gate = createGate();
  await page.route('**/kept-focus-*.js', async (route) => {
    await gate.opened;
    await route.continue();
  });
  const copy = await chat.button('Copy the answer').elementHandle();
  await copy!.focus();
  await identify(page, await sign(page, 'ada'));
  await expect.poll(() => copy!.evaluate((one) => one.isConnected)).toBe(false);
  gate.open();
  await expect.poll(() => chat.composer.evaluate((field) => field.matches(':focus'))).toBe(true);
});

test('nobody’s address is kept or told to other tabs, and an undelivered question goes with its visitor', async () => {
  const { page, chat } = await chatAsAda('/call');
  const { page: other } = await visit('/call');
  await other.evaluate(() => {
    const scope = window as unknown as { told: string };
    scope.told = '';
    new BroadcastChannel('porchlight').onmessage = ({ data }) => {
      scope.told += JSON.stringify(data);
    };
  });
  await goOffline(page);
  await chat.ask('an undelivered question');
  expect(await readStorage(page)).toContain('an undelivered question');
  expect(await readStorage(page)).not.toContain('shop.example');
  await identify(page);
  expect(await readStorage(page)).not.toContain('undelivered');
  await here.context.setOffline(false);
  await expect
    .poll(() => other.evaluate(() => (window as unknown as { told: string }).told))
    .toContain('identity');
  expect(await other.evaluate(() => (window as unknown as { told: string }).told)).not.toContain(
    'shop.example',
  );
});

test('a question sent before the session has answered goes into the conversation that was there', async () => {
  const { page, chat } = await chatAsAda('/tag');
  await chat.launcher.click();
  await page.reload();
  here.site.today.sessionGate = createGate();
  await chat.open();
  await chat.ask('and another one');
  await expect.poll(() => chat.readQuestions()).toEqual(['and another one']);
  here.site.today.sessionGate.open();
  await expect.poll(() => chat.readQuestions()).toEqual([secret, 'and another one']);
  await chat.waitForAnswer('completed');
  expect(here.site.asked).toEqual([`${adas}: ${secret}`, `${adas}: and another one`]);
});

test('a chat that was closed while its question waits stays closed, and the focus where the visitor is', async () => {
  const { page, chat } = await visit('/plain');
  here.site.today.sessionGate = createGate();
  await chat.open();
  await chat.ask('Anything?');
  await chat.launcher.click();
  await chat.panel.waitFor({ state: 'detached' });
  await page.locator('#field').focus();
  here.site.today.sessionGate.open();
  await expect.poll(() => here.site.asked).toEqual(['anonymous:1: Anything?']);
  await page.keyboard.type('my address');
  expect(await page.locator('#field').inputValue()).toBe('my address');
  expect(await chat.panel.count()).toBe(0);
  await chat.open();
  await chat.waitForAnswer('completed');
});

/** Leaves the tab, lets Ben sign in elsewhere where that is asked for, and comes back while the page looks up who is there. */
async function comeBackSlowly(page: Page, user?: string): Promise<{ answer(): void }> {
  await showTab(page, false);
  const { page: other } = await visit('/plain');
  if (user) await sign(other, user);
  await other.close();
  const gate = createGate();
  here.site.today.tokenGate = gate;
  await watchFor(page, secret);
  await showTab(page, true);
  return { answer: gate.open };
}

test('under the veil neither a draft nor the answer that was read out last can be read, selected or not', async () => {
  const { page, chat } = await chatAsAda('/callback');
  await chat.composer.fill(`${secret}, continued`);
  await chat.composer.selectText();
  const { answer } = await comeBackSlowly(page, 'ben');
  await expect.poll(() => chat.composer.inputValue()).toBe('');
  const tree = await page.locator('porchlight-chat').ariaSnapshot();
  expect(tree).not.toContain(secret);
  await chat.panel.getByText('checking who is signed in').first().waitFor();
  await chat.composer.pressSequentially('hello');
  answer();
  await chat.panel.getByText('Hello there.').waitFor();
  expect(await chat.composer.inputValue()).toBe('hello');
  expect(await readSeen(page)).toBe(0);
});

test('what Ben sends under the veil of Ada’s chat is asked as his', async () => {
  const { page, chat } = await chatAsAda('/callback');
  const { answer } = await comeBackSlowly(page, 'ben');
  await expect.poll(() => page.locator('porchlight-chat .veiled').count()).toBe(1);
  await chat.ask('And for me?');
  answer();
  await chat.waitForAnswer('completed');
  expect(here.site.asked.at(-1)).toBe(`${bens}: And for me?`);
  await expect.poll(() => chat.readQuestions()).toEqual(['And for me?']);
  expect(await readSeen(page)).toBe(0);
});

test('what Ben sends under the veil is asked though he looks into another tab before it lifts', async () => {
  const { page, chat } = await chatAsAda('/callback');
  const { answer } = await comeBackSlowly(page, 'ben');
  await expect.poll(() => page.locator('porchlight-chat .veiled').count()).toBe(1);
  await chat.ask('And for me?');
  await showTab(page, false);
  await showTab(page, true);
  answer();
  await expect.poll(() => here.site.asked.at(-1)).toBe(`${bens}: And for me?`);
  await expect.poll(() => chat.readQuestions()).toEqual(['And for me?']);
  expect(await readSeen(page)).toBe(0);
});

test.each(['/callback', '/tag'])(
  'who has looked into another tab writes on in the middle of the draft (%s)',
  async (path) => {
    const { page, chat } = await chatAsAda(path);
    await chat.composer.fill('My order  has not come');
    const place = () =>
      chat.composer.evaluate((field: HTMLTextAreaElement) => [field.selectionStart, field.selectionEnd]);
    await chat.composer.evaluate((field: HTMLTextAreaElement) => field.setSelectionRange(9, 9));
    for (const _ of [1, 2]) {
      await showTab(page, false);
      await expect.poll(() => chat.composer.inputValue()).toBe('');
      await showTab(page, true);
      await expect.poll(() => chat.composer.inputValue()).toBe('My order  has not come');
      expect(await place()).toEqual([9, 9]);
    }
    await page.keyboard.insertText('LF-10234');
    expect(await chat.composer.inputValue()).toBe('My order LF-10234 has not come');
  },
);

test('the same visitor finds the draft again, and behind it what was typed under the veil', async () => {
  const { page, chat } = await chatAsAda('/callback');
  await chat.composer.fill('half a question');
  const { answer } = await comeBackSlowly(page);
  await expect.poll(() => chat.composer.inputValue()).toBe('');
  await chat.composer.pressSequentially('and more');
  answer();
  await expect.poll(() => chat.composer.inputValue()).toBe('half a question and more');
  await expect.poll(() => chat.readQuestions()).toEqual([secret]);
});

test('what had the focus under the veil has it again after, and meanwhile Escape closes the chat', async () => {
  const { page, chat } = await chatAsAda('/callback');
  await chat.ask('https://shop.example/tents');
  await chat.waitForAnswer('completed');
  const link = chat.answers.last().getByRole('link').first();
  await link.focus();
  const { answer } = await comeBackSlowly(page);
  await page.evaluate(() => new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then))));
  expect(await page.evaluate(() => document.activeElement?.localName)).toBe('porchlight-chat');
  answer();
  await expect.poll(() => link.evaluate((one) => one.matches(':focus'))).toBe(true);
  await comeBackSlowly(page);
  await page.evaluate(() => new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then))));
  await page.keyboard.press('Escape');
  await chat.panel.waitFor({ state: 'detached' });
});

test.each(['a draft', 'a question'])(
  '%s of Ada’s from before any session was open is out of sight when Ben comes back to the tab',
  async (what) => {
    const { page, chat } = await visit('/plain');
    await sign(page, 'ada');
    await page.goto(`${here.site.url}/callback`);
    here.site.today.sessionGate = createGate();
    await chat.open();
    await chat.composer.fill(secret);
    if (what === 'a question') await chat.composer.press('Enter');
    const { answer } = await comeBackSlowly(page, 'ben');
    await page.waitForTimeout(300);
    answer();
    here.site.today.sessionGate.open();
    await chat.panel.getByText('Hello there.').waitFor();
    expect(await readSeen(page)).toBe(0);
    await askAs(chat, bens);
    expect(here.site.asked).toHaveLength(1);
  },
);

test.each([undefined, 'ben'])(
  'in the first chat of a browser a change in another window is heard while the session opens; %s is there',
  async (next) => {
    const { page: other } = await visit('/callback');
    await sign(other, 'ada');
    const { page, chat } = await visit('/callback');
    here.site.today.sessionGate = createGate();
    await chat.open();
    await chat.composer.fill(secret);
    await sign(other, next);
    await other.evaluate(`Porchlight.identify(async () => (await (await fetch('/token')).json()).token)`);
    await expect.poll(() => chat.composer.inputValue()).toBe('');
    await watchFor(page, secret);
    here.site.today.sessionGate.open();
    await askAs(chat, next ? bens : 'anonymous');
    expect(await readSeen(page)).toBe(0);
    expect(here.site.asked).toHaveLength(1);
  },
);

test.each(['/tag', '/plain'])(
  'a question that waits for its session comes back as a draft after a reload on %s, and is not asked by itself',
  async (path) => {
    const { page, chat } = await visit('/plain');
    if (path === '/tag') await sign(page, 'ada');
    await page.goto(here.site.url + path);
    here.site.today.sessionGate = createGate();
    await chat.open();
    await chat.ask('a long question');
    await expect.poll(() => chat.readQuestions()).toEqual(['a long question']);
    await page.reload();
    await chat.panel.waitFor();
    here.site.today.sessionGate.open();
    await expect.poll(() => chat.composer.inputValue()).toBe('a long question');
    expect(await chat.readQuestions()).toEqual([]);
    expect(here.site.asked).toEqual([]);
    await chat.button('Send').click();
    await chat.waitForAnswer('completed');
    expect(here.site.asked).toEqual([`${path === '/tag' ? adas : 'anonymous:2'}: a long question`]);
    await page.reload();
    await chat.waitForAnswer('completed');
    expect(await chat.composer.inputValue()).toBe('');
  },
);

test.each([undefined, 'ada', 'ben'])(
  'a question that waits for the page’s own word comes back as a draft after a reload, to Ada alone; %s is there',
  async (next) => {
    const { page, chat } = await visit('/plain');
    await sign(page, 'ada');
    await page.goto(`${here.site.url}/callback`);
    await chat.open();
    await chat.panel.getByText('Hello there.').waitFor();
    here.site.today.tokenGate = createGate();
    await page.reload();
    await chat.ask(secret);
    await expect.poll(() => chat.readQuestions()).toEqual([secret]);
    await sign(page, next);
    await page.reload();
    here.site.today.tokenGate.open();
    await chat.panel.getByText('Hello there.').waitFor();
    if (next === 'ada') await expect.poll(() => chat.composer.inputValue()).toBe(secret);
    await page.waitForTimeout(300);
    expect(await chat.composer.inputValue()).toBe(next === 'ada' ? secret : '');
    expect(here.site.asked).toEqual([]);
    if (next !== 'ada')
      expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain(secret);
  },
);

test('a page that asks by a function is asked once after a reload, and what is typed meanwhile stays in sight', async () => {
  const { page, chat } = await chatAsAda('/callback');
  const asked: string[] = [];
  page.on('request', (request) => void (request.url().endsWith('/token') && asked.push(request.url())));
  // What the page itself told the other tabs is heard late.
  await page.route('**/seldom-*.js', async (route) => {
    await expect.poll(() => chat.composer.inputValue()).toBe('half a question');
    await route.continue();
  });
  here.site.today.tokenGate = createGate();
  const heard = page.waitForResponse('**/seldom-*.js');
  await page.reload();
  await chat.composer.fill('half a question');
  await heard;
  await page.waitForTimeout(300);
  expect(await chat.composer.inputValue()).toBe('half a question');
  here.site.today.tokenGate.open();
  await expect.poll(() => chat.readQuestions()).toEqual([secret]);
  expect(await chat.composer.inputValue()).toBe('half a question');
  expect(asked).toHaveLength(1);
});

test('a question that waits for its session as Ada is no draft of Ben’s after a reload', async () => {
  const { page, chat } = await visit('/plain');
  await sign(page, 'ada');
  await page.goto(`${here.site.url}/tag`);
  here.site.today.sessionGate = createGate();
  await chat.open();
  await chat.ask(secret);
  await expect.poll(() => chat.readQuestions()).toEqual([secret]);
  await sign(page, 'ben');
  await page.reload();
  here.site.today.sessionGate.open();
  await chat.show();
  await chat.panel.getByText('Hello there.').waitFor();
  await watchFor(page, secret);
  await askAs(chat, bens);
  expect(await readSeen(page)).toBe(0);
  expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain(secret);
});

test('when the hour is over and the page’s token too, Ada stays Ada, and what she wrote stays', async () => {
  const { chat } = await chatAsAda('/tag');
  here.site.endHour();
  here.site.today.tokenIs = 'refused';
  await chat.ask('one more question');
  await chat.waitForAnswer('failed');
  await expect.poll(() => chat.readQuestions()).toEqual([secret, 'one more question']);
  await chat.panel.getByText('Reload the page to go on').first().waitFor();
  expect(here.site.sessions).toEqual([adas]);
});

test('a question of a guest whom the helper does not know any more is asked once, as the guest of now', async () => {
  const { chat } = await visit('/plain');
  await chat.open();
  await askAs(chat, 'anonymous:1');
  here.site.endHour();
  here.site.forgetGuests();
  await chat.ask('a long question, well thought out');
  await chat.waitForAnswer('completed');
  await expect
    .poll(() => here.site.asked.slice(1))
    .toEqual(['anonymous:2: a long question, well thought out']);
  expect(await chat.composer.inputValue()).toBe('');
});

test('two tabs of a guest whom the helper does not know any more, opened again at once, are one guest', async () => {
  const one = await visit('/plain');
  await one.chat.open();
  await askAs(one.chat, 'anonymous:1');
  const two = await visit('/plain');
  await two.chat.show();
  await two.chat.waitForAnswer('completed');
  here.site.forgetGuests();
  const gates = [createGate(), createGate()] as const;
  // Both ask before either has its answer. Two answers at one moment are one too many for localStorage.
  for (const [n, { page }] of [one, two].entries()) {
    here.site.today.sessionGate = gates[n];
    await page.reload();
    await expect.poll(() => here.site.atGate).toBe(n + 1);
  }
  gates[0].open();
  await askAs(one.chat, /^anonymous:/, 'One?');
  gates[1].open();
  await askAs(two.chat, /^anonymous:/, 'Two?');
  const [first, second] = here.site.asked.slice(-2).map((line) => line.split(': ')[0]);
  expect(second).toBe(first);
  for (const [{ page, chat }, question] of [
    [one, 'One?'],
    [two, 'Two?'],
  ] as const) {
    await page.reload();
    await expect.poll(() => chat.readQuestions()).toContain(question);
  }
});

test.each(['Back', 'Forward'])(
  'an old page that a script puts back at %s, its tag run again, makes nobody of Ben’s Ada',
  async (way) => {
    const { page, chat } = await chatAsAda('/tag');
    const runTag = (token: string) =>
      page.evaluate((value) => {
        const script = document.createElement('script');
        script.src = '/porchlight/widget/loader.js';
        Object.assign(script.dataset, { botId: 'vesper', userToken: value });
        return new Promise<void>((resolve) => {
          script.onload = () => resolve();
          document.body.append(script);
        });
      }, token);
    const old = await page.evaluate(
      () => document.querySelector<HTMLElement>('script[data-user-token]')!.dataset.userToken!,
    );
    await page.waitForTimeout(1_100);
    const fresh = await page.evaluate(async () => (await fetch('/sign?as=ben')).text());
    await page.evaluate(() => history.pushState({}, '', '/next'));
    await runTag(fresh);
    await chat.show();
    await askAs(chat, bens);
    await watchFor(page, secret);
    // At Forward nothing is beyond it.
    if (way === 'Back') {
      await page.evaluate(() => history.back());
      await page.waitForURL(/tag/);
    }
    await runTag(old);
    await chat.show();
    await chat.panel.getByText('Reload the page to go on').first().waitFor();
    expect(here.site.asked.filter((line) => line.startsWith(adas))).toHaveLength(1);
    expect(await readSeen(page)).toBe(0);
  },
);

test('a page whose function gives null has guests', async () => {
  here.site.today.tokenIs = 'null';
  const { chat } = await visit('/callback');
  await chat.open();
  await askAs(chat, 'anonymous:1');
});

test('a page whose function fails is asked again, its error is told, and Stop ends what waits for it', async () => {
  const { page, chat } = await visit('/callback');
  const errors: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())));
  here.site.today.tokenIs = 'broken';
  const hint = page.evaluate(
    () =>
      new Promise((resolve) => {
        const { Porchlight } = window as unknown as { Porchlight: PorchlightApi };
        Porchlight.on('error', (error) => resolve(error.hint));
      }),
  );
  await chat.open();
  await chat.panel.getByText('The chat cannot be reached right now').first().waitFor();
  expect(await hint).toBe('identify() got a function that failed');
  expect(errors.join()).toContain('Porchlight: identify() got a function that failed');
  // The helper was not asked.
  expect(errors.join()).not.toContain('no answer');
  await chat.ask('Is anybody there?');
  await chat.stop.click();
  await chat.waitForAnswer('stopped');
  here.site.today.tokenIs = 'good';
  await expect.poll(() => here.site.sessions).toEqual(['anonymous:1']);
  await askAs(chat, 'anonymous:1');
  expect(here.site.asked).toHaveLength(1);
});

test('a helper that gives no answer later is not told as the page’s function, which failed before', async () => {
  const { page, chat } = await visit('/callback');
  here.site.today.tokenIs = 'broken';
  await chat.open();
  await chat.panel.getByText('The chat cannot be reached right now').first().waitFor();
  await page.route('**/session', (route) => route.abort('connectionrefused'));
  const hint = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const { Porchlight } = window as unknown as { Porchlight: PorchlightApi };
        Porchlight.on('error', (error) => resolve(error.hint));
        Porchlight.identify(null);
      }),
  );
  expect(hint).toContain('no answer');
});

test.each(['a guest', 'Ada'])(
  'on a site with a function a question of %s that got no session is a draft on the next page',
  async (who) => {
    const { page, chat } = await visit('/callback');
    if (who === 'Ada') await sign(page, 'ada');
    else here.site.today.tokenIs = 'null';
    await page.route('**/session', (route) => route.fulfill({ status: 500, json: { code: 'internal' } }));
    await page.reload();
    await chat.open();
    await chat.ask('Where is my tent?');
    await chat.waitForAnswer('failed');
    await page.unroute('**/session');
    await page.goto(page.url().replace('/callback', '/callback?next'));
    await chat.show();
    await expect.poll(() => chat.composer.inputValue()).toBe('Where is my tent?');
    await sign(page, 'ben');
    here.site.today.tokenIs = 'good';
    await page.reload();
    await chat.show();
    await chat.composer.waitFor();
    await page.waitForTimeout(500);
    // What a guest has written is whoever's who signs in; a customer's is nobody else's.
    if (who === 'Ada') expect(await chat.composer.inputValue()).toBe('');
  },
);

test.each(['typed', 'asked'])(
  'what was %s while the page’s function failed is not Ben’s, who signs in in another tab',
  async (how) => {
    here.site.today.tokenIs = 'broken';
    const { page, chat } = await visit('/callback');
    await chat.open();
    await chat.panel.getByText('The chat cannot be reached right now').first().waitFor();
    await chat.composer.fill('Where is my tent?');
    if (how === 'asked') await chat.composer.press('Enter');
    await expect.poll(() => readTabStorage(page)).toContain('Where is my tent?');
    const { page: other, chat: otherChat } = await visit('/tag');
    await sign(other, 'ben');
    await other.reload();
    await otherChat.show();
    await askAs(otherChat, bens);
    // The first tab has heard of it by then.
    await page.waitForTimeout(1_500);
    here.site.today.tokenIs = 'good';
    await page.goto(page.url().replace('/callback', '/callback?next'));
    await chat.show();
    await expect.poll(() => here.site.sessions.filter((one) => one === bens).length).toBeGreaterThan(1);
    await page.waitForTimeout(500);
    expect(await chat.composer.inputValue()).toBe('');
  },
);

test('without a storage two tabs are two guests, and leave each other alone', async () => {
  await here.context.addInitScript(() => {
    Object.defineProperty(window, 'localStorage', {
      get() {
        throw new Error('blocked');
      },
    });
  });
  const { chat } = await visit('/call');
  await chat.open();
  await askAs(chat, 'anonymous:1');
  const { chat: second } = await visit('/call');
  await second.open();
  await askAs(second, 'anonymous:2');
  await expect.poll(() => chat.readQuestions()).toEqual(['Who am I?']);
});

test('a storage that takes all and keeps nothing is told, and its guest has one session', async () => {
  await here.context.addInitScript(() => {
    const { setItem } = Storage.prototype;
    Storage.prototype.setItem = function (...item) {
      if (this !== localStorage) setItem.apply(this, item);
    };
  });
  const { page, chat } = await visit('/call');
  await chat.open();
  await chat.panel.getByText('Hello there.').waitFor();
  await askAs(chat, 'anonymous:1');
  await chat.panel.getByText('This browser does not keep the conversation').first().waitFor();
  await showTab(page, false);
  await showTab(page, true);
  await page.waitForTimeout(300);
  expect(await chat.readQuestions()).toEqual(['Who am I?']);
  expect(here.site.sessions).toEqual(['anonymous:1']);
});

test('a question that was refused is sent again by a click alone, and the next page loads nothing for it', async () => {
  const { page, chat } = await chatAsAda('/tag');
  here.site.today.isLimited = true;
  await chat.ask('one more question');
  await chat.waitForAnswer('failed');
  await chat.launcher.click();
  here.site.today.isLimited = false;
  const fetched: string[] = [];
  page.on('request', (request) => void fetched.push(new URL(request.url()).pathname));
  await page.reload({ waitUntil: 'networkidle' });
  expect(fetched.filter((path) => !/\/widget\/(loader|seldom)|^\/tag$/.test(path))).toEqual([]);
  await chat.open();
  await chat.waitForAnswer('failed');
  expect(here.site.asked).toHaveLength(1);
  await chat.button('Try again').click();
  await chat.waitForAnswer('completed');
  expect(here.site.asked).toEqual([`${adas}: ${secret}`, `${adas}: one more question`]);
});

test('a question that was refused is a draft again once another is asked', async () => {
  const { page, chat } = await visit('/plain');
  await chat.open();
  await askAs(chat, 'anonymous:1');
  here.site.today.isLimited = true;
  await chat.ask('the first question');
  await chat.waitForAnswer('failed');
  here.site.today.isLimited = false;
  await chat.ask('the second question');
  await chat.waitForAnswer('completed');
  await expect.poll(() => chat.composer.inputValue()).toBe('the first question');
  expect(await chat.readQuestions()).toEqual(['Who am I?', 'the second question']);
  await chat.composer.press('Enter');
  await expect.poll(() => here.site.asked.at(-1)).toBe('anonymous:1: the first question');
  await page.close();
});
