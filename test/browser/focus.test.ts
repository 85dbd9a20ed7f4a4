/** The focus never falls to the page, and no click is taken for one that was meant for something else. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findChat } from '../support/browser.ts';
import { startFakeHelper, toPage, toSignedIn } from '../support/fakehelper.ts';
import { createGate } from '../support/gate.ts';
import { useStage, useVisitor } from '../support/stage.ts';

const starter = 'What can you do?';
let gate = createGate();
const stage = useStage(() =>
  startFakeHelper({
    starters: [starter],
    answer: (question) => {
      if (question === 'Fail?')
        return { pieces: [], end: { failed: { code: 'agent-unavailable', retryable: true } } };
      if (question === 'Slowly?') return { pieces: ['One ', 'answer.'] };
      if (question !== 'May you?') return { pieces: ['An answer.'] };
      const tool = { name: 'order_status', title: 'Order status', description: '', parameters: {} };
      return { pieces: [], end: { paused: { kind: 'approval', tool, expiresAt: '2099-01-01T00:00:00Z' } } };
    },
    beforePiece: () => gate.opened,
    pages: (path, url) => {
      if (path === '/') return { html: toPage(url) };
      const link = '<a href="#product" style="position:fixed;inset:0">A product</a>';
      return path === '/dock'
        ? { html: toPage(url, 'dock').replace('</main>', `${link}</main>`) }
        : undefined;
    },
  }),
);
const scene = useVisitor(stage, ({ here }) => `${here}/`);

/** What has the focus in the chat: its part, else its name; undefined when the page has it. */
function readFocus(page: Page): Promise<string | undefined> {
  return page.evaluate(() => {
    const focused = document.querySelector('porchlight-chat')?.shadowRoot?.activeElement;
    return (
      focused?.getAttribute('part') ??
      focused?.getAttribute('aria-label') ??
      focused?.textContent ??
      undefined
    );
  });
}

test('what has the focus goes away by itself: the focus stays in the chat, and Escape closes it', async () => {
  const { page, chat } = scene;
  await page.route('**/conversations', (route) => route.abort());
  await chat.button('Conversations').click();
  await chat.button('Try again').focus();
  await page.unroute('**/conversations');
  await chat.button('Back to the conversation').evaluate((button) => (button as HTMLElement).click());
  await expect.poll(() => readFocus(page)).toBe('composer');
  await page.keyboard.press('Escape');
  await chat.panel.waitFor({ state: 'detached' });
});

test('what goes away before the file is there that keeps the focus leaves it in the chat', async () => {
  const { page, chat } = scene;
  const file = createGate();
  await page.route('**/widget/kept-focus-*.js', async (route) => {
    await file.opened;
    await route.continue();
  });
  await page.route('**/conversations', (route) => route.abort());
  await chat.button('Conversations').click();
  await chat.button('Try again').focus();
  await chat.button('Back to the conversation').evaluate((button) => (button as HTMLElement).click());
  await chat.button('Try again').waitFor({ state: 'detached' });
  file.open();
  await expect.poll(() => readFocus(page)).toBe('composer');
});

test('another tab asks, and takes away what has the focus under the last answer: the focus stays in the chat', async () => {
  const { page, context, chat } = scene;
  // As in a browser, where a page in the background has no focus.
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setFocusEmulationEnabled', { enabled: false });
  await chat.ask('One?');
  await chat.waitForAnswer('completed');
  await chat.button('Answer again').focus();
  const other = await context.newPage();
  await other.goto(`${stage.server.here}/`);
  const second = findChat(other);
  await second.show();
  await second.ask('Two?');
  await second.waitForAnswer('completed');
  await page.bringToFront();
  await chat.answers.nth(1).waitFor();
  await expect.poll(() => readFocus(page)).toBe('composer');
});

describe('Escape still closes the chat, since the focus is in it, after', () => {
  const acts: [name: string, act: () => Promise<unknown>, focus: string | RegExp][] = [
    [
      'a starter',
      async () => {
        await scene.chat.button(starter).press('Enter');
        await scene.chat.waitForAnswer('completed');
      },
      'composer',
    ],
    [
      'Allow',
      async () => {
        await scene.chat.ask('May you?');
        await scene.chat.button('Allow').press('Enter');
        await scene.chat.waitForAnswer('completed');
      },
      'composer',
    ],
    [
      'Try again',
      async () => {
        await scene.chat.ask('Fail?');
        await scene.chat.button('Try again').press('Enter');
        await expect.poll(() => stage.server.asked.filter((one) => one === 'Fail?').length).toBe(2);
        await scene.chat.waitForAnswer('failed');
      },
      'composer',
    ],
    [
      'Stop',
      async () => {
        gate = createGate();
        await scene.chat.ask('Slowly?');
        await scene.chat.waitForWords(1);
        await scene.chat.stop.press('Enter');
        gate.open();
        await scene.chat.send.waitFor();
      },
      'send',
    ],
    [
      'Delete',
      async () => {
        await scene.chat.ask('Delete me');
        await scene.chat.waitForAnswer('completed');
        await scene.chat.button('Conversations').click();
        const rows = scene.chat.panel.getByRole('listitem');
        await rows.first().waitFor();
        const before = await rows.count();
        await scene.chat.button('Delete “Delete me”').first().press('Enter');
        await scene.chat.button('Delete for good?').press('Enter');
        await expect.poll(() => rows.count()).toBe(before - 1);
      },
      /./,
    ],
    [
      'opening a conversation of the list',
      async () => {
        await scene.chat.ask('Open me');
        await scene.chat.waitForAnswer('completed');
        await scene.chat.button('New conversation').click();
        await scene.chat.button('Conversations').click();
        await scene.chat
          .button(/^Open me/)
          .first()
          .press('Enter');
        await scene.chat.waitForAnswer('completed');
      },
      'composer',
    ],
  ];

  test.each(acts)('%s', async (_, act, focus) => {
    await act();
    const { page, chat } = scene;
    await expect.poll(() => readFocus(page)).toMatch(focus);
    await page.keyboard.press('Escape');
    await chat.panel.waitFor({ state: 'detached' });
    expect(await readFocus(page)).toBe('launcher');
  });
});

test('a double click on Send asks once and stops nothing', async () => {
  const { chat } = scene;
  gate = createGate();
  await chat.composer.fill('Slowly?');
  await chat.send.dblclick();
  await chat.waitForWords(1);
  gate.open();
  await chat.waitForAnswer('completed');
  expect(await chat.readAnswers()).toEqual(['One answer.']);
});

test('a click meant for Stop does not send the draft when the answer ends under it', async () => {
  const { page, chat } = scene;
  gate = createGate();
  await chat.ask('Slowly?');
  await chat.waitForWords(1);
  await chat.composer.fill('A draft');
  const stop = (await chat.stop.boundingBox())!;
  await page.mouse.move(stop.x + 10, stop.y + 10);
  // The very moment in which the button becomes Send.
  await page.evaluate(() => {
    const button = document
      .querySelector('porchlight-chat')!
      .shadowRoot!.querySelector<HTMLElement>('.round')!;
    new MutationObserver((_, watch) => {
      watch.disconnect();
      button.dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 1 }));
    }).observe(button, { attributes: true, attributeFilter: ['part'] });
  });
  gate.open();
  await chat.waitForAnswer('completed');
  await chat.send.waitFor();
  expect(await chat.composer.inputValue()).toBe('A draft');
  expect(await chat.questions.count()).toBe(1);
});

test('a draft outlives the panel, and is the same visitor’s when it opens again', async () => {
  const { page, chat } = scene;
  await chat.composer.fill('Half a thought');
  await page.keyboard.press('Escape');
  await chat.panel.waitFor({ state: 'detached' });
  await chat.open();
  expect(await chat.composer.inputValue()).toBe('Half a thought');
});

test('a draft goes with its visitor', async () => {
  const { page, chat } = scene;
  await page.route('**/session', (route) => {
    const { ssoToken = '' } = route.request().postDataJSON() as { ssoToken?: string };
    const name = ssoToken.split('.')[0] ?? '';
    const claims = Buffer.from(JSON.stringify({ sub: `email:${name}` })).toString('base64url');
    return route.fulfill({
      json: {
        ...toSignedIn(`${claims}.${claims}.${claims}`, `Ask ${name}`),
        visitor: { kind: 'identified', name, member: false },
      },
    });
  });
  const signIn = (name: string) => {
    const claims = Buffer.from(JSON.stringify({ email: `${name}@shop.test` })).toString('base64url');
    return page.evaluate((token) => {
      (window as unknown as { Porchlight: { identify(token: string): void } }).Porchlight.identify(token);
    }, `${name}.${claims}.c`);
  };
  await signIn('Ada');
  await expect.poll(() => chat.composer.getAttribute('placeholder')).toBe('Ask Ada');
  await chat.composer.fill('Half a thought');
  await signIn('Ben');
  await expect.poll(() => chat.composer.getAttribute('placeholder')).toBe('Ask Ben');
  expect(await chat.composer.inputValue()).toBe('');
});

test('while a card waits, a question waits too, and Stop makes the way free', async () => {
  const { chat } = scene;
  await chat.ask('May you?');
  await chat.button('Allow').waitFor();
  await chat.ask('Something else?');
  await chat.panel.getByText('Decide, or stop it.').first().waitFor();
  await chat.button('Stop the answer').click();
  await chat.waitForAnswer('stopped');
  expect(await chat.composer.inputValue()).toBe('Something else?');
  await chat.composer.press('Enter');
  await chat.waitForAnswer('completed');
  expect(await chat.readQuestions()).toEqual(['May you?', 'Something else?']);
});

test.each(['/', '/dock'])(
  'a click on what is no control leaves the focus in the chat, and Escape closes it: %s',
  async (path) => {
    const { page, chat } = scene;
    await page.goto(stage.server.here + path);
    await chat.show();
    await chat.ask('One?');
    await chat.waitForAnswer('completed');
    await chat.inside('.header h2').click();
    expect(await page.evaluate(() => document.activeElement?.localName)).toBe('porchlight-chat');
    await page.keyboard.press('Escape');
    await chat.panel.waitFor({ state: 'detached' });
  },
);

test('in the dock the second click on a conversation of the list, which has gone, is not the page’s', async () => {
  const { page, chat } = scene;
  await page.goto(`${stage.server.here}/dock`);
  await chat.show();
  await chat.ask('Red?');
  await chat.waitForAnswer('completed');
  await chat.button('New conversation').click();
  await chat.button('Conversations').click();
  const row = chat.inside('.history li .open').first();
  await row.waitFor();
  await expect.poll(() => chat.inside('.settling').count()).toBe(0);
  const { x, y } = (await row.boundingBox())!;
  // As a hand does it, which does not look what is there by the second click.
  await page.mouse.dblclick(x + 40, y + 20, { delay: 40 });
  await expect.poll(async () => (await chat.readQuestions()).length).toBeGreaterThan(0);
  expect(new URL(page.url()).hash).toBe('');
});
