/** What a page can have the chat do, what it hears of it, and what its tag says in the agent's place. */
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TurnRequest } from '../../server-helper/protocol/wire.ts';
import type { PorchlightApi } from '../../widget/public.ts';
import { type Chat, findChat, visit } from '../support/browser.ts';
import { startFakeHelper, toPage } from '../support/fakehelper.ts';
import { createGate } from '../support/gate.ts';
import { useStage } from '../support/stage.ts';

declare const Porchlight: PorchlightApi;

let gate = createGate();
const pause = {
  kind: 'approval',
  tool: { name: 'refund', title: 'Refund', description: '', parameters: {} },
  expiresAt: '2099-01-01T00:00:00Z',
} as const;
const tags: Record<string, string> = {
  '/plain': '',
  '/dock': `data-placeholder="Ask Wren"`,
  '/words': `data-title="Wren" data-placeholder="Ask Wren" data-greetings='["Good day."]' data-starters='["Where are you?"]'`,
  '/wrong': `data-starters="Where are you?" data-greetings='{}'`,
  '/empty': `data-title="" data-placeholder="" data-greetings="" data-starters="" data-words="" data-metadata=""`,
  '/hidden': 'data-launcher="hidden"',
  '/visible': 'data-launcher="visible"',
  '/metadata': `data-metadata='{"product":"skylark"}'`,
  '/auto': 'data-auto-open="1"',
  '/never': 'data-auto-open="soon"',
};
const stage = useStage(() =>
  startFakeHelper({
    starters: ['Opening hours?'],
    beforePiece: () => gate.opened,
    answer: (question, times) => ({
      pieces: question.startsWith('Slow') ? ['One ', 'two ', 'three.'] : [`An answer to ${question}`],
      ...(/fail/i.test(question) && { end: { failed: { code: 'agent-refused', retryable: false } } }),
      ...(/tired/i.test(question) &&
        times === 0 && { end: { failed: { code: 'agent-timeout', retryable: true } } }),
      ...(/wait/i.test(question) && { end: { paused: pause } }),
    }),
    pages: (path, url) => {
      if (tags[path] === undefined) return undefined;
      return { html: toPage(url, path === '/dock' ? 'dock' : 'normal', tags[path]) };
    },
  }),
);
let page: Page;
let chat: Chat;
let errors: string[];
let asked: TurnRequest[];

async function come(path: string, options?: Parameters<typeof visit>[2]): Promise<void> {
  const scene = await visit(stage.browser, 'about:blank', options);
  page = scene.page;
  chat = findChat(page);
  errors = [];
  asked = [];
  page.on('console', (line) => line.type() === 'error' && errors.push(line.text()));
  page.on('request', (request) => {
    if (request.method() === 'PUT') asked.push(request.postDataJSON() as TurnRequest);
  });
  await page.goto(`${stage.server.here}${path}`);
  await page.waitForFunction('window.Porchlight?.open');
}
beforeEach(() => {
  gate = createGate();
});
afterEach(() => page.context().close());

/** What the page hears from now on, by `on` and as an event of the element. */
async function listen(...names: string[]): Promise<() => Promise<unknown[]>> {
  await page.evaluate((names) => {
    const scope = window as unknown as { heard: unknown[] };
    scope.heard = [];
    for (const name of names) {
      Porchlight.on(name as 'unread', (detail) => scope.heard.push([name, detail]));
      document
        .querySelector('porchlight-chat')
        ?.addEventListener(`porchlight:${name}`, (event) =>
          scope.heard.push([event.type, (event as CustomEvent).detail]),
        );
    }
  }, names);
  return () => page.evaluate(() => (window as unknown as { heard: unknown[] }).heard);
}

test('the open style changes in mid-answer, and back, with all that stands there', async () => {
  await come('/plain');
  await chat.open();
  await chat.ask('Slow?');
  await chat.waitForWords(1);
  await chat.composer.fill('Half a thought');
  const isWriting = () => chat.composer.evaluate((field) => field.matches(':focus'));
  expect(await isWriting()).toBe(true);
  await page.evaluate(() => Porchlight.setOpenStyle('dock'));
  await chat.dock.waitFor();
  await expect.poll(isWriting).toBe(true);
  expect(await chat.launcher.count()).toBe(0);
  expect(await chat.composer.inputValue()).toBe('Half a thought');
  expect(await chat.readQuestions()).toEqual(['Slow?']);
  await page.evaluate(() => Porchlight.setOpenStyle('normal'));
  await chat.launcher.waitFor();
  expect(await chat.dock.count()).toBe(0);
  await expect.poll(isWriting).toBe(true);
  gate.open();
  const answer = await chat.waitForAnswer('completed');
  expect(await chat.readBody(answer)).toBe('One two three.');
  expect(await chat.composer.inputValue()).toBe('Half a thought');
  const room = () => page.evaluate(() => document.body.style.paddingBottom);
  await expect.poll(room).toBe('');
  expect(asked).toHaveLength(1);
});

test('a closed dock that becomes a button leaves the focus on it', async () => {
  await come('/plain');
  await page.evaluate(() => Porchlight.setOpenStyle('dock'));
  await chat.composer.focus();
  await page.evaluate(() => Porchlight.setOpenStyle('normal'));
  await expect.poll(() => chat.launcher.evaluate((button) => button.matches(':focus'))).toBe(true);
});

test('a dock whose piece cannot be loaded takes nothing out of sight', async () => {
  await come('/plain');
  await chat.open();
  await chat.ask('Well?');
  await chat.waitForAnswer('completed');
  await page.route('**/widget/dock-*.js', (route) => route.abort());
  await page.evaluate(() => Porchlight.setOpenStyle('dock'));
  await expect.poll(() => errors.join()).toContain('a file of the widget is missing');
  expect(await chat.readQuestions()).toEqual(['Well?']);
  expect(await chat.launcher.isVisible()).toBe(true);
});

describe('the page', () => {
  const call = (...calls: [string, ...unknown[]][]) =>
    page.evaluate(
      (list) => (Porchlight as unknown as { push(...all: unknown[]): void }).push(...list),
      calls,
    );

  test('asks for the visitor, before the chat was ever used, once and in sight', async () => {
    await come('/plain');
    await call(['hide'], ['send', ' Opening hours? ']);
    await chat.waitForAnswer('completed');
    expect(await chat.readQuestions()).toEqual(['Opening hours?']);
    await call(['send', '  ']);
    await expect.poll(() => errors).toEqual(['Porchlight: send takes 1 to 32000 characters']);
    expect(asked.map(({ text }) => text)).toEqual(['Opening hours?']);
    errors.length = 0;
    await call(['send', undefined], ['prefill', undefined], ['addMessage', { text: 'Hi' }]);
    await expect
      .poll(() => errors.toSorted())
      .toEqual([
        'Porchlight: addMessage takes a string',
        'Porchlight: prefill takes a string',
        'Porchlight: send takes 1 to 32000 characters',
      ]);
    expect(asked).toHaveLength(1);
    expect(await chat.composer.inputValue()).toBe('');
  });

  test('asks nothing beside an answer that is being written: it waits in the composer', async () => {
    await come('/plain');
    await chat.open();
    await chat.ask('Slow?');
    await chat.waitForWords(1);
    await chat.composer.fill('Mine.');
    await call(['send', 'Another?']);
    await expect.poll(() => chat.composer.inputValue()).toBe('Mine.\nAnother?');
    gate.open();
    await chat.waitForAnswer('completed');
    expect(asked).toHaveLength(1);
  });

  test('puts words into the composer, in either style, and asks nothing by it', async () => {
    await come('/plain');
    await call(['prefill', 'I would like']);
    await expect.poll(() => chat.composer.inputValue()).toBe('I would like');
    await call(['prefill', 'I would like']);
    await call(['setOpenStyle', 'dock']);
    await chat.dock.waitFor();
    await call(['prefill', 'to know']);
    await expect.poll(() => chat.composer.inputValue()).toBe('I would like\nto know');
    expect(asked).toEqual([]);
  });

  test('does not double what stands in the composer when that is drawn anew at the same moment', async () => {
    await come('/plain');
    await call(['prefill', 'I would like']);
    await expect.poll(() => chat.composer.inputValue()).toBe('I would like');
    await page.evaluate(() => {
      const { shadowRoot } = document.querySelector('porchlight-chat')!;
      new MutationObserver((_, observer) => {
        if (!shadowRoot!.querySelector('.dock textarea')) return;
        observer.disconnect();
        Porchlight.prefill('to know');
      }).observe(shadowRoot!, { childList: true, subtree: true });
      Porchlight.setOpenStyle('dock');
    });
    await expect.poll(() => chat.composer.inputValue()).toContain('to know');
    await page.waitForTimeout(200);
    expect(await chat.composer.inputValue()).toBe('I would like\nto know');
  });

  test('begins a new conversation and opens an earlier one', async () => {
    await come('/plain');
    const heard = await listen('messageSent');
    await call(['newConversation']);
    await chat.open();
    await chat.ask('First?');
    await chat.waitForAnswer('completed');
    const id = ((await heard()) as [string, { conversationId: string }][])[0]![1].conversationId;
    await call(['newConversation']);
    await expect.poll(chat.readQuestions).toEqual([]);
    await chat.ask('Second?');
    await chat.waitForAnswer('completed');
    await page.reload();
    await call(['newConversation']);
    await expect.poll(chat.readQuestions).toEqual([]);
    await call(['openConversation', id]);
    await expect.poll(chat.readQuestions).toEqual(['First?']);
    await call(['openConversation', 'first']);
    await expect.poll(() => errors).toEqual(['Porchlight: openConversation takes the id of a conversation']);
  });

  test.each(['newConversation', 'openConversation'] as const)(
    'asks in the conversation that %s led to just before, however slow the session is',
    async (method) => {
      await come('/plain');
      const ids: string[] = [];
      page.on('request', (request) => {
        if (request.method() === 'PUT') ids.push(request.url().split('/conversations/')[1]!.split('/')[0]!);
      });
      await chat.open();
      await chat.ask('First?');
      await chat.waitForAnswer('completed');
      await chat.button('New conversation').click();
      await chat.ask('Second?');
      await chat.waitForAnswer('completed');
      await chat.button('Close chat').click();
      await page.route('**/session', async (route) => {
        await new Promise((resolve) => setTimeout(resolve, 700));
        await route.continue();
      });
      await page.reload();
      await page.waitForFunction('window.Porchlight?.open');
      const isNew = method === 'newConversation';
      await call(isNew ? [method] : [method, ids[0]!], ['send', 'Third?']);
      const asked = isNew ? ['Third?'] : ['First?', 'Third?'];
      await expect.poll(() => ids.length).toBe(3);
      await expect.poll(chat.readQuestions).toEqual(asked);
      await chat.waitForAnswer('completed');
      expect(ids[2] === ids[0]).toBe(!isNew);
      expect(ids[2]).not.toBe(ids[1]);
      await page.reload();
      await expect.poll(chat.readQuestions).toEqual(asked);
    },
  );

  test('what a visitor asks before it is known who is there comes after what the page has had done', async () => {
    await come('/plain');
    await chat.open();
    await chat.ask('First?');
    await chat.waitForAnswer('completed');
    await chat.button('Close chat').click();
    let give = () => {};
    const slow = new Promise<void>((resolve) => {
      give = resolve;
    });
    await page.route('**/session', async (route) => {
      await slow;
      await route.continue();
    });
    await page.reload();
    await page.waitForFunction('window.Porchlight?.open');
    await call(['newConversation'], ['open']);
    await chat.ask('Second?');
    await chat.waitForAnswer('sending');
    give();
    await chat.waitForAnswer('completed');
    expect(await chat.readQuestions()).toEqual(['Second?']);
  });

  test('a question of before a reload arrives though a new conversation is begun before it is known who is there', async () => {
    await come('/plain');
    await chat.open();
    await chat.ask('First?');
    await chat.waitForAnswer('completed');
    let isHeld = true;
    await page.route('**/turns/**', (route) => (isHeld ? undefined : route.continue()));
    await chat.ask('Second?');
    await chat.waitForAnswer('sending');
    let give = () => {};
    const slow = new Promise<void>((resolve) => {
      give = resolve;
    });
    await page.route('**/session', async (route) => {
      await slow;
      await route.continue();
    });
    await page.reload();
    await chat.panel.waitFor();
    await chat.button('New conversation').click();
    isHeld = false;
    asked = [];
    give();
    await expect.poll(() => asked.map(({ text }) => text)).toEqual(['Second?']);
    expect(await chat.readQuestions()).toEqual([]);
  });

  test('gives the agent what the page knows, with each question, until it takes that back', async () => {
    await come('/plain');
    await call(['setContext', { product: 'Lark', inCart: [1, 2] }]);
    await chat.open();
    await chat.ask('Is it warm?');
    await chat.waitForAnswer('completed');
    await call(['setContext', 'Lark']);
    await call(['setContext', { far: 'x'.repeat(3_000) }]);
    await chat.ask('And dry?');
    await expect.poll(() => chat.inside('[data-role=agent][data-status=completed]').count()).toBe(2);
    await call(['setContext', null]);
    await chat.ask('And light?');
    await expect.poll(() => chat.inside('[data-role=agent][data-status=completed]').count()).toBe(3);
    const context = { product: 'Lark', inCart: [1, 2] };
    expect(asked.map(({ page }) => page?.context)).toEqual([context, context, undefined]);
    expect(asked.every(({ page }) => page?.url === `${stage.server.here}/plain`)).toBe(true);
    const wrong = 'Porchlight: setContext takes an object of at most 3000 bytes of JSON';
    expect(errors).toEqual([wrong, wrong]);
  });

  test('what is asked while the file for the page’s own calls is late comes after them', async () => {
    const file = createGate();
    await come('/plain');
    await page.route('**/widget/site-*.js', async (route) => {
      await file.opened;
      await route.continue();
    });
    await call(['setContext', { product: 'Lark' }], ['open']);
    await chat.ask('Is it warm?');
    await chat.waitForAnswer('sending');
    file.open();
    await chat.waitForAnswer('completed');
    expect(asked.map(({ page }) => page?.context)).toEqual([{ product: 'Lark' }]);
  });

  test('a file for the page’s own calls that never comes holds no question up', async () => {
    await come('/plain');
    await page.route('**/widget/site-*.js', () => {});
    await call(['setContext', { product: 'Lark' }], ['open']);
    await chat.ask('Is it warm?');
    await chat.waitForAnswer('completed');
    expect(asked.map(({ page }) => page?.context)).toEqual([undefined]);
  });

  test.each([
    ['send', 'Is it warm?'],
    ['prefill', 'Is it'],
  ] as const)(
    'what the page would %s while the file for its calls cannot be loaded is the visitor’s to send',
    async (method, text) => {
      await come('/plain');
      await page.route('**/widget/site-*.js', (route) => route.abort());
      await chat.open();
      await chat.composer.press('Escape');
      await chat.panel.waitFor({ state: 'hidden' });
      await call([method, text]);
      await expect.poll(() => chat.composer.inputValue()).toBe(text);
      await chat.panel.getByText('This was not sent yet.').first().waitFor();
      await chat.composer.press('Enter');
      await chat.waitForAnswer('completed');
      expect(asked.map((question) => question.text)).toEqual([text]);
    },
  );

  describe('while the file for the page’s own calls is late', () => {
    let file: ReturnType<typeof createGate>;
    beforeEach(async () => {
      file = createGate();
      await come('/plain');
      await page.route('**/widget/site-*.js', async (route) => {
        await file.opened;
        await route.continue();
      });
    });

    test('a question that was sent before is stopped at the helper', async () => {
      await page.route('**/turns/*', (route) =>
        route.request().method() === 'PUT' ? undefined : route.continue(),
      );
      await chat.open();
      await chat.ask('Costly?');
      await expect.poll(() => asked.length).toBe(1);
      await call(['setContext', { product: 'Lark' }]);
      const told = page.waitForRequest((request) => request.method() === 'DELETE');
      await chat.stop.click();
      expect((await told).url()).toContain('/turns/');
      await chat.waitForAnswer('stopped');
      expect(await chat.composer.inputValue()).toBe('');
    });

    test('a question that failed is tried again after them', async () => {
      await chat.open();
      await chat.ask('Tired?');
      await chat.waitForAnswer('failed');
      await call(['setContext', { product: 'Lark' }]);
      await chat.button('Try again').click();
      await chat.waitForAnswer('sending');
      file.open();
      await chat.waitForAnswer('completed');
      expect(asked.map(({ page }) => page?.context)).toEqual([undefined, { product: 'Lark' }]);
      expect(await chat.readQuestions()).toEqual(['Tired?']);
    });

    test('nothing that was asked meanwhile is taken away by what comes too late', async () => {
      await chat.open();
      await chat.ask('Earlier?');
      await chat.waitForAnswer('completed');
      await call(['newConversation'], ['prefill', 'Done']);
      await chat.ask('Mine?');
      await expect.poll(() => asked.length, { timeout: 10_000 }).toBe(2);
      await chat.answers.nth(1).getByText('An answer to Mine?').waitFor();
      file.open();
      await expect.poll(() => chat.composer.inputValue()).toBe('Done');
      expect(await chat.readQuestions()).toEqual(['Earlier?', 'Mine?']);
    });

    test('nor by a call after it for which the same file is waited for anew', async () => {
      await chat.open();
      await chat.ask('Earlier?');
      await chat.waitForAnswer('completed');
      await call(['newConversation']);
      await chat.ask('Mine?');
      await expect.poll(() => asked.length, { timeout: 10_000 }).toBe(2);
      await chat.answers.nth(1).getByText('An answer to Mine?').waitFor();
      await call(['prefill', 'Done']);
      file.open();
      await expect.poll(() => chat.composer.inputValue()).toBe('Done');
      expect(await chat.readQuestions()).toEqual(['Earlier?', 'Mine?']);
    });
  });

  test('its tag says what the page knows too, until the page says otherwise', async () => {
    await come('/metadata');
    await chat.open();
    await chat.ask('Is it warm?');
    await chat.waitForAnswer('completed');
    await call(['setContext', { product: 'lark' }]);
    await chat.ask('And dry?');
    await expect.poll(() => asked.length).toBe(2);
    expect(asked.map(({ page }) => page?.context)).toEqual([{ product: 'skylark' }, { product: 'lark' }]);
    expect(errors).toEqual([]);
  });

  test('asks nothing that waited for half a minute: the visitor may be another by then', async () => {
    await come('/plain');
    await page.clock.install();
    const gate = createGate();
    await page.route('**/widget/app-*.js', async (route) => {
      await gate.opened;
      await route.continue();
    });
    await call(['send', 'Where is my order?']);
    await page.clock.fastForward(31_000);
    gate.open();
    await chat.open();
    await chat.ask('Hello?');
    await chat.waitForAnswer('completed');
    expect(await chat.readQuestions()).toEqual(['Hello?']);
  });
});

describe('the page hears', () => {
  test('of a question and its answer, once by each way, until it ends that', async () => {
    await come('/plain');
    const heard = await listen('open', 'messageSent', 'answerCompleted', 'identityChanged', 'close');
    await page.evaluate(() => {
      const scope = window as unknown as { heard: unknown[] };
      Porchlight.on('open', () => scope.heard.push('never'))();
    });
    await chat.open();
    await chat.ask('Well?');
    await chat.waitForAnswer('completed');
    await page.evaluate(() => Porchlight.close());
    const told = (await heard()) as [string, Record<string, string> | null][];
    const names = ['open', 'identityChanged', 'messageSent', 'answerCompleted', 'close'];
    expect(told.map(([name]) => name).sort()).toEqual(
      names.flatMap((name) => [name, `porchlight:${name}`]).sort(),
    );
    const details = Object.fromEntries(told);
    expect(details.identityChanged).toEqual({ kind: 'anonymous' });
    expect(details.answerCompleted).toEqual(details.messageSent);
    expect(Object.keys(details.messageSent ?? {})).toEqual(['conversationId', 'turnId']);
  });

  test('of an answer that failed, with its code', async () => {
    await come('/plain');
    const heard = await listen('answerFailed', 'answerCompleted');
    await chat.open();
    await chat.ask('Fail?');
    await chat.waitForAnswer('failed');
    const told = (await heard()) as [string, { code: string }][];
    expect(told.map(([name, { code }]) => [name, code])).toEqual([
      ['answerFailed', 'agent-refused'],
      ['porchlight:answerFailed', 'agent-refused'],
    ]);
  });

  test('of answers that came while the chat was closed, which its button counts', async () => {
    await come('/plain');
    const heard = await listen('unread');
    await chat.open();
    await chat.ask('Slow?');
    await chat.waitForWords(1);
    await page.evaluate(() => Porchlight.close());
    gate.open();
    const mark = chat.launcher.locator('[part~="unread"]');
    await expect.poll(() => mark.textContent()).toBe('1');
    expect(await chat.launcher.getAttribute('aria-label')).toBe('Open chat. New answers: 1');
    await page.evaluate(() => Porchlight.setOpenStyle('dock'));
    await chat.dock.waitFor();
    await page.evaluate(() => Porchlight.setOpenStyle('normal'));
    await expect.poll(() => chat.launcher.getAttribute('aria-label')).toBe('Open chat. New answers: 1');
    await chat.open();
    expect(await mark.count()).toBe(0);
    expect(await chat.launcher.getAttribute('aria-label')).toBe('Close chat');
    expect(await heard()).toEqual([
      ['unread', { count: 1 }],
      ['porchlight:unread', { count: 1 }],
      ['unread', { count: 0 }],
      ['porchlight:unread', { count: 0 }],
    ]);
  });

  test('of answers that came while a dock was closed, which its way back counts', async () => {
    await come('/dock');
    await chat.ask('Slow?');
    await chat.waitForWords(1);
    await page.keyboard.press('Escape');
    await expect.poll(() => chat.panel.count()).toBe(0);
    gate.open();
    const mark = chat.dock.locator('[part~="unread"]');
    await expect.poll(() => mark.textContent()).toBe('1');
    await page.getByText('Back to the conversation. New answers: 1').waitFor({ state: 'attached' });
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    const back = chat.dock.getByRole('button', { name: 'Back to the conversation' });
    expect(await back.isVisible()).toBe(true);
    await back.click();
    await chat.panel.waitFor();
    expect(await mark.count()).toBe(0);
  });

  test.each(['Slow, and it fails?', 'Slow, and it waits?'])(
    'of news that came while the chat was closed, and is read out: %s',
    async (question) => {
      await come('/plain');
      const heard = await listen('unread');
      await chat.open();
      await chat.ask(question);
      await chat.waitForWords(1);
      await page.evaluate(() => Porchlight.close());
      gate.open();
      await expect.poll(() => chat.launcher.getAttribute('aria-label')).toBe('Open chat. New answers: 1');
      await expect.poll(() => page.getByRole('status').textContent()).toBe('Open chat. New answers: 1');
      expect((await heard())[0]).toEqual(['unread', { count: 1 }]);
      await chat.open();
      await expect.poll(() => chat.launcher.getAttribute('aria-label')).toBe('Close chat');
    },
  );

  test('of a token that is refused, and may give a fresh one', async () => {
    await come('/plain');
    const tokens: unknown[] = [];
    await page.route('**/porchlight/session', async (route) => {
      const { ssoToken } = route.request().postDataJSON() as { ssoToken?: string };
      tokens.push(ssoToken);
      if (ssoToken === 'old') return route.fulfill({ status: 401, json: { code: 'sso-token-invalid' } });
      return route.continue();
    });
    const heard = await listen('error');
    await page.evaluate(() => {
      Porchlight.on('error', ({ code }) => {
        if (code === 'sso-token-invalid') Porchlight.identify('fresh');
      });
      Porchlight.identify('old');
    });
    await chat.open();
    await expect.poll(() => tokens.at(-1)).toBe('fresh');
    const error = { code: 'sso-token-invalid', hint: 'the SSO token is not valid' };
    expect((await heard())[0]).toEqual(['error', error]);
  });

  test('that the chat cannot be used, and what to do', async () => {
    await come('/plain');
    await page.route('**/porchlight/session', (route) =>
      route.fulfill({ status: 403, json: { code: 'origin-refused' } }),
    );
    const heard = await listen('error');
    await chat.open();
    const error = { code: 'origin-refused', hint: 'this origin is not on its list' };
    await expect.poll(heard).toEqual([
      ['error', error],
      ['porchlight:error', error],
    ]);
  });
});

describe('the tag', () => {
  test('says what the agent would have said of itself', async () => {
    await come('/words');
    await chat.open();
    await chat.panel.getByRole('heading', { name: 'Wren' }).waitFor();
    await chat.panel.getByText('Good day.').waitFor();
    await expect.poll(() => chat.composer.getAttribute('placeholder')).toBe('Ask Wren');
    await chat.panel.getByRole('button', { name: 'Where are you?' }).click();
    await chat.waitForAnswer('completed');
    expect(errors).toEqual([]);
  });

  test('says nothing in an attribute that a template has left empty', async () => {
    await come('/empty');
    await chat.open();
    await chat.panel.getByRole('heading', { name: 'Vesper' }).waitFor();
    await expect.poll(() => chat.composer.getAttribute('placeholder')).toBe('Ask anything');
    await chat.panel.getByRole('button', { name: 'Opening hours?' }).waitFor();
    expect(errors).toEqual([]);
  });

  test('says in a dock that nobody has used yet what its composer is for', async () => {
    await come('/dock');
    await expect.poll(() => chat.composer.getAttribute('placeholder')).toBe('Ask Wren');
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
  });

  test('with words that cannot be read keeps to the agent’s, and says so', async () => {
    await come('/wrong');
    await chat.open();
    await chat.panel.getByRole('button', { name: 'Opening hours?' }).waitFor();
    await chat.panel.getByText('Hello.').waitFor();
    expect(errors.toSorted()).toEqual([
      'Porchlight: data-greetings is a JSON array of strings',
      'Porchlight: data-starters is not JSON',
    ]);
  });

  test('takes the button away for no other word than `hidden`', async () => {
    await come('/visible');
    await chat.open();
    expect(await chat.launcher.count()).toBe(1);
  });

  test('may leave the button to the page', async () => {
    await come('/hidden');
    await page.evaluate(() => {
      const button = document.createElement('button');
      button.textContent = 'Help';
      button.onclick = () => Porchlight.toggle();
      document.querySelector('main')?.append(button);
      button.focus();
    });
    await page.keyboard.press('Enter');
    await expect.poll(() => chat.composer.evaluate((field) => field.matches(':focus'))).toBe(true);
    expect(await chat.launcher.count()).toBe(0);
    await page.keyboard.press('Escape');
    await chat.panel.waitFor({ state: 'detached' });
    expect(await chat.launcher.count()).toBe(0);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Help');
  });

  test('may have the chat open by itself, for one who has not used it, without taking the focus', async () => {
    await come('/auto');
    await page.evaluate(() => {
      document.querySelector('main')?.insertAdjacentHTML('beforeend', '<button>Buy</button>');
      document.querySelector('button')?.focus();
    });
    await chat.panel.waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Buy');
    await chat.button('Close chat').click();
    await page.reload();
    await page.waitForTimeout(1_500);
    expect(await chat.panel.count()).toBe(0);
  });

  test.each([
    ['/auto', { viewport: { width: 390, height: 844 } }, []],
    ['/never', {}, ['Porchlight: data-auto-open takes seconds, 1 to 60']],
  ])('%s opens nothing on a phone, nor at a time that is none', async (path, options, lines) => {
    await come(path, options);
    await page.waitForTimeout(1_500);
    expect(await chat.panel.count()).toBe(0);
    expect(errors).toEqual(lines);
  });
});
