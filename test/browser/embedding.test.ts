/** Pages as they are: swapped bodies, modules, hotkeys, plain http, long addresses, a helper that is gone. */
import type { Browser, BrowserContext, Frame, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Chat, findChat, launchBrowser, triesImportsAgain } from '../support/browser.ts';
import { type FakeHelper, startFakeHelper, toPage } from '../support/fakehelper.ts';
import { createGate } from '../support/gate.ts';

type Api = { open(): void; hide(): void; destroy(): void; on(event: string, listener: () => void): void };
type Scope = { Porchlight: Api; happened: string[] };

let helper: FakeHelper;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let chat: Chat;
let told: string[];
beforeAll(async () => {
  helper = await startFakeHelper({
    answer: () => ({ pieces: ['An answer.'] }),
    pages: (path, url) => {
      const tag = `<script src="${url}/widget/loader.js" data-bot-id="vesper"></script>`;
      const html = (head: string, body = '') =>
        `<!doctype html><html lang="en"><head><link rel="icon" href="data:,">${head}</head><body><input id="field">${body}`;
      const pages: Record<string, string> = {
        '/normal': toPage(url),
        '/dock': toPage(url, 'dock'),
        '/sidepanel': toPage(url, 'sidepanel'),
        '/asking': toPage(
          url,
          'dock',
          `data-starters='${JSON.stringify(Array.from({ length: 6 }, (_, at) => `What do you say to somebody who asks the long question ${at}?`))}'`,
        ),
        '/twice': html(tag + tag),
        '/body': html('', tag),
        '/module': html(tag.replace('<script', '<script type="module"')),
        '/import': html(`<script type="module">import '${url}/widget/loader.js';</script>`),
        '/relative': html(tag.replace(url, 'porchlight').replace('data-', 'data-helper="porchlight" data-')),
        '/moved': html(`${tag}<style>body { transform: translateY(300px); filter: blur(0) }</style>`),
        '/turned': html(`${tag}<style>html { direction: rtl }</style>`),
        '/nameless': html(tag.replace(/ data-bot-id="\w+"/, '')),
        '/wrong': html(tag.replace('data-', 'data-helper="http://" data-')),
        '/named': html('', `<section id="Porchlight"></section>${tag}`),
        // What Prototype.js and MooTools make of the page.
        '/old-library': html(
          `<script>Array.from = (list) => [].slice.call(list);
             Element.prototype.remove = function () { this.parentNode.removeChild(this); };
             const bind = Function.prototype.bind;
             Function.prototype.bind = function (self, ...given) {
               return given.length > 0 ? () => this.apply(self, given) : bind.call(this, self);
             };</script>${tag}`,
        ),
        // What a page with a map, or an address of its own, calls its variables, and a form.
        '/variables': html(
          `<script>const URL = '/api'; var origin = { lat: 44.5 };</script>${tag}`,
          '<form name="title"></form>',
        ),
        // MooTools 1.2 to 1.4 have an Event of their own.
        '/own-event': html(
          `<script>Event = function () { throw new Error('no event of mine'); };</script>${tag.replace('data-', 'data-open-style="dock" data-')}`,
        ),
        // What a script against copying makes of the page.
        '/guarded': html(
          `<script>onmousedown = ({ target }) => /^(TEXTAREA|INPUT|SELECT)$/.test(target.tagName);
             document.onselectstart = document.oncontextmenu = () => false;
             addEventListener('touchstart', (event) => event.preventDefault(), { passive: false });</script>${tag}`,
        ),
        '/frame': html('', `<iframe srcdoc='${html(tag)}' width="600" height="600"></iframe>`),
        '/with-frame': html(tag, '<iframe src="/normal" width="600" height="600"></iframe>'),
        '/early': html(
          `<script>happened = []; Porchlight = [null, ['nonsense'], ['on', 'ready', () => happened.push('ready')],
             ['on', 'open', () => { throw new Error('the page’s own') }], ['on', 'open', () => happened.push('open')]]</script>${tag}`,
        ),
      };
      return pages[path] ? { html: pages[path] } : undefined;
    },
  });
  browser = await launchBrowser();
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await helper?.stop();
});
beforeEach(async () => {
  context = await browser.newContext();
  page = await context.newPage();
  chat = findChat(page);
  told = [];
  page.on('console', (message) => void told.push(`${message.type()}: ${message.text()}`));
});
afterEach(() => context?.close());

const visit = async (path: string) => {
  await page.goto(helper.here + path);
  if (path !== '/import') await (path === '/dock' ? chat.dock : chat.launcher.first()).waitFor();
};
const chatWorks = async () => {
  if (!(await chat.panel.isVisible())) await chat.open();
  await chat.ask('Does it work?');
  await chat.waitForAnswer('completed');
};
const countWidgets = () => page.locator('porchlight-chat').count();

test('a chat is a window or a dock, and of an older style a window (S229, S230)', async () => {
  await visit('/dock');
  expect([await chat.dock.count(), await chat.launcher.count()]).toEqual([1, 0]);
  for (const path of ['/normal', '/sidepanel']) {
    await visit(path);
    expect([path, await chat.dock.count(), await chat.launcher.count()]).toEqual([path, 0, 1]);
    await chatWorks();
  }
});

test('a page that swaps its body, or empties its root, keeps the chat, and its script may run again', async () => {
  await visit('/body');
  await chatWorks();
  await page.evaluate(() => {
    const { src } = document.querySelector('script')!;
    document.documentElement.replaceChild(document.createElement('body'), document.body);
    for (const one of document.querySelectorAll('porchlight-chat')) one.remove();
    (window as unknown as { src: string }).src = src;
  });
  await chat.panel.waitFor();
  await page.evaluate(() => {
    const { src } = window as unknown as { src: string };
    const again = document.body.appendChild(document.createElement('script'));
    again.dataset.botId = 'vesper';
    again.src = src;
    return new Promise((resolve) => again.addEventListener('load', resolve));
  });
  expect(await countWidgets()).toBe(1);
  expect(await chat.readAnswers()).toEqual(['An answer.']);
  await chatWorks();
  expect(told).toEqual([]);
});

test('a page with an old library, which replaces what browsers have, has a chat', async () => {
  await visit('/old-library');
  await chatWorks();
  await page.reload();
  await chat.show();
  await expect.poll(() => chat.readAnswers()).toEqual(['An answer.']);
  expect(told).toEqual([]);
});

test('a page whose variables and forms have names of the browser’s has a chat', async () => {
  await visit('/variables');
  await chatWorks();
  expect(told).toEqual([]);
});

test('on a page that lets nobody select or copy, the chat can be written in and its answers copied', async () => {
  await visit('/guarded');
  await page.evaluate(() => (window as unknown as Scope).Porchlight.open());
  await chat.panel.waitFor();
  await page.locator('#field').focus();
  await chat.composer.click();
  await page.keyboard.type('Written with the mouse');
  await page.keyboard.press('Enter');
  const answer = await chat.waitForAnswer('completed');
  expect(await chat.readQuestions()).toEqual(['Written with the mouse']);
  const box = (await answer.locator('[part~="body"]').boundingBox())!;
  await page.mouse.move(box.x + 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 2, box.y + box.height / 2, { steps: 5 });
  await page.mouse.up();
  const selected = await page.evaluate(() => {
    const root = document.querySelector('porchlight-chat')!.shadowRoot as unknown as {
      getSelection?(): Selection;
    };
    return String(root.getSelection?.() ?? getSelection());
  });
  expect(selected).toContain('An answer');
});

test('the tag twice in a head is one widget', async () => {
  await visit('/twice');
  expect(await countWidgets()).toBe(1);
  await chatWorks();
});

test('a tag of type module works, and a bare import says what is missing', async () => {
  await visit('/module');
  await chatWorks();
  await visit('/import');
  await expect.poll(() => told.join()).toContain('error: Porchlight: add data-bot-id to its script tag');
});

test('a tag without data-bot-id is told to the site owner', async () => {
  await visit('/nameless');
  expect(told.join()).toContain('error: Porchlight: add data-bot-id to its script tag');
});

test('a data-helper that is no address is told to the site owner, and the script’s own is taken', async () => {
  await visit('/wrong');
  expect(told).toEqual(['error: Porchlight: data-helper is no address']);
  await chatWorks();
});

test('a page with an element called Porchlight has its chat', async () => {
  await visit('/named');
  await chatWorks();
});

test.each([
  [
    'another root',
    () => {
      const root = document.createElement('html');
      root.innerHTML = '<head></head><body>Swapped.</body>';
      document.documentElement.replaceWith(root);
    },
  ],
  [
    'document.open()',
    () => {
      document.open();
      document.write('<html><body>Written.</body></html>');
      document.close();
    },
  ],
])('a page that is replaced by %s keeps the chat', async (_, replace) => {
  await visit('/normal');
  await chatWorks();
  await page.evaluate(replace);
  await chat.panel.waitFor();
  expect(await countWidgets()).toBe(1);
  await chatWorks();
});

test('the room for the dock is there in a body that was swapped in, and the old one has its own again', async () => {
  await visit('/dock');
  const readRoom = () => page.evaluate(() => document.body.style.paddingBottom);
  await expect.poll(readRoom).not.toBe('');
  const before = await page.evaluateHandle(() => document.body);
  await page.evaluate(() => document.body.replaceWith(document.createElement('body')));
  await expect.poll(readRoom).not.toBe('');
  expect(await before.evaluate((body) => body.style.paddingBottom)).toBe('');
});

test('addresses in the tag are read when the page is, wherever it wanders before the first click', async () => {
  await visit('/relative');
  await page.evaluate(() => history.pushState({}, '', '/elsewhere/deep/down'));
  await chatWorks();
});

test('a body with transform and filter does not move the launcher', async () => {
  await page.setViewportSize({ width: 800, height: 600 });
  await visit('/moved');
  expect(await chat.launcher.boundingBox()).toEqual({ x: 724, y: 524, width: 56, height: 56 });
});

test('what is typed in the chat is no hotkey of the page', async () => {
  await visit('/normal');
  await page.evaluate(() => {
    const scope = window as unknown as { heard: string[] };
    scope.heard = [];
    for (const type of ['keydown', 'keypress', 'keyup'] as const)
      addEventListener(type, (event) => {
        scope.heard.push(event.key);
        event.preventDefault();
      });
  });
  await chat.open();
  await chat.composer.pressSequentially('s/?');
  expect(await chat.composer.inputValue()).toBe('s/?');
  expect(await page.evaluate(() => (window as unknown as { heard: string[] }).heard)).toEqual([]);
});

test('open() from the page takes no focus out of a field of the page', async () => {
  await visit('/body');
  await page.locator('#field').pressSequentially('ab');
  await page.evaluate(() => (window as unknown as Scope).Porchlight.open());
  await chat.panel.waitFor();
  await page.keyboard.type('cd');
  expect(await page.locator('#field').inputValue()).toBe('abcd');
});

test.each(['open', 'closed'] as const)(
  'open() from the page takes no focus out of a field of the page in a shadow root that is %s',
  async (mode) => {
    await visit('/normal');
    const field = await page.evaluateHandle((how) => {
      const host = document.body.appendChild(document.createElement('x-field'));
      const input = host.attachShadow({ mode: how }).appendChild(document.createElement('input'));
      input.focus();
      return input;
    }, mode);
    await page.keyboard.type('ab');
    await page.evaluate(() => (window as unknown as Scope).Porchlight.open());
    await chat.panel.waitFor();
    await page.keyboard.type('cd');
    expect(await field.evaluate((input) => input.value)).toBe('abcd');
  },
);

test('a page that keeps the focus in a dialog of its own lets the visitor write in the chat', async () => {
  await visit('/body');
  await page.evaluate(() => {
    const field = document.querySelector<HTMLElement>('#field')!;
    field.focus();
    for (const type of ['focusin', 'focusout'] as const)
      document.addEventListener(type, ({ target }) => {
        if (target !== field) field.focus();
      });
  });
  await chat.open();
  await chat.composer.click();
  await page.keyboard.type('hello');
  expect(await chat.composer.inputValue()).toBe('hello');
});

test('open() gives the focus to the dock when the visitor asked for it', async () => {
  await visit('/dock');
  await page.evaluate(() => {
    const button = document.body.appendChild(document.createElement('button'));
    button.textContent = 'Ask us';
    button.onclick = () => (window as unknown as Scope).Porchlight.open();
  });
  await page.getByRole('button', { name: 'Ask us' }).click();
  await expect.poll(() => page.evaluate(() => document.activeElement?.localName)).toBe('porchlight-chat');
});

test('a question is asked where the browser makes no UUIDs and has no channel between tabs', async () => {
  await page.addInitScript(() => {
    Reflect.deleteProperty(Crypto.prototype, 'randomUUID');
    window.BroadcastChannel = class {
      constructor() {
        throw new Error('forbidden');
      }
    } as never;
  });
  await visit('/normal');
  await chatWorks();
});

test('of the page’s address neither query nor fragment is sent or kept, however long', async () => {
  const bodies: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PUT') bodies.push(request.postData() ?? '');
  });
  await visit(`/normal?reset=secret&state=${'x'.repeat(5_000)}#secret`);
  await chatWorks();
  expect(JSON.parse(bodies[0]!).page.url).toBe(`${helper.here}/normal`);
});

test('a page and a frame of its own site have drafts of their own, over a reload too', async () => {
  await visit('/with-frame');
  const places = () => [page.mainFrame(), page.frames()[1]!];
  const composerIn = (frame: Frame) => frame.locator('porchlight-chat [part~="composer"]');
  const texts = ['In the page', 'In the frame'];
  for (const [at, frame] of places().entries()) {
    await frame.evaluate('Porchlight.open()');
    await composerIn(frame).fill(texts[at]!);
  }
  await expect.poll(() => page.evaluate(() => Object.values(sessionStorage).join())).toContain(texts[1]);
  await page.reload();
  for (const [at, frame] of places().entries())
    await expect.poll(() => composerIn(frame).inputValue()).toBe(texts[at]);
});

test('an app that does not come is told to the visitor at the launcher and to the site owner, and the next click tries again', async () => {
  await page.route('**/widget/app-*.js', (route) => route.fulfill({ status: 404 }));
  await visit('/normal');
  await chat.launcher.click();
  await chat.inside('[part~="error"]').waitFor();
  expect(told.join()).toContain(`error: Porchlight: ${helper.url} gave no app`);
  await page.unroute('**/widget/app-*.js');
  // As the sentence says.
  if (!(await triesImportsAgain(page))) await page.reload();
  await chatWorks();
  expect(await chat.inside('[part~="error"]').count()).toBe(0);
});

test('two clicks on a launcher that is still loading, and a double click later, open the chat', async () => {
  const gate = createGate();
  await page.route('**/widget/app-*.js', async (route) => {
    await gate.opened;
    await route.continue();
  });
  await visit('/normal');
  await chat.launcher.click();
  await chat.launcher.click();
  gate.open();
  await chat.panel.waitFor();
  await chat.launcher.click();
  await chat.panel.waitFor({ state: 'detached' });
  await chat.launcher.dblclick();
  await chat.panel.waitFor();
});

test('what a page queued wrongly, and a listener of its that throws, stop nothing; ready comes before the first intent', async () => {
  await visit('/early');
  await expect.poll(() => page.evaluate(() => (window as unknown as Scope).happened)).toEqual(['ready']);
  expect(told.filter((line) => line.startsWith('error: Porchlight:'))).toHaveLength(2);
  await chatWorks();
  expect(await page.evaluate(() => (window as unknown as Scope).happened)).toEqual(['ready', 'open']);
});

test('the dock tells of its opening, and open() shows what was hidden', async () => {
  await visit('/dock');
  await page.evaluate(() => {
    const scope = window as unknown as Scope;
    scope.happened = [];
    scope.Porchlight.on('open', () => scope.happened.push('open'));
    scope.Porchlight.hide();
    scope.Porchlight.open();
  });
  await chat.panel.waitFor();
  expect(await page.evaluate(() => (window as unknown as Scope).happened)).toEqual(['open']);
});

test('on a page with an Event of its own the dock comes, and what was said is there after a reload', async () => {
  await page.goto(`${helper.here}/own-event`);
  await chat.dock.waitFor();
  await chat.ask('Does it work?');
  await chat.waitForAnswer('completed');
  await page.reload();
  await chat.waitForAnswer('completed');
});

test('where the browser is offline and the helper is not, all parts are loaded', async () => {
  await page.addInitScript(() => Object.defineProperty(Navigator.prototype, 'onLine', { get: () => false }));
  await visit('/dock');
  await chat.ask('Does it work?');
  await chat.waitForAnswer('completed');
  await chat.button('Conversations').click();
  await chat.inside('.history li').first().waitFor();
});

test.each(['null', '7', '{"chats":'])(
  'what is kept by the name and is none of it, %s, stops no chat',
  async (kept) => {
    await page.addInitScript((value) => localStorage.setItem('porchlight', value), kept);
    await visit('/normal');
    await chatWorks();
  },
);

test('a chat that is destroyed while it loads calls nobody and keeps nothing', async () => {
  const gate = createGate();
  await page.route('**/widget/app-*.js', async (route) => {
    await gate.opened;
    await route.continue();
  });
  await visit('/normal');
  await chat.launcher.click();
  const before = helper.requests.length;
  await page.evaluate(() => (window as unknown as Scope).Porchlight.destroy());
  const loaded = page.waitForResponse('**/widget/app-*.js');
  gate.open();
  await (await loaded).finished();
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  expect(helper.requests.slice(before).filter((one) => one.includes('/session'))).toEqual([]);
  expect(await page.evaluate(() => localStorage.length)).toBe(0);
  expect(await countWidgets()).toBe(0);
});

test.each([
  [320, 256],
  [375, 300],
  [568, 320],
])(
  'in a window of %i by %i the dock’s suggestions scroll, and Send stays in sight',
  async (width, height) => {
    await page.setViewportSize({ width, height });
    await page.goto(`${helper.here}/asking`);
    await chat.composer.click();
    const last = chat.dock.getByRole('button', { name: 'question 5?' });
    await last.waitFor();
    const send = await chat.send.boundingBox();
    expect(send!.y + send!.height).toBeLessThanOrEqual(height);
    await last.scrollIntoViewIfNeeded();
    const box = await last.boundingBox();
    expect(box!.y).toBeGreaterThanOrEqual(0);
    expect(box!.y + box!.height).toBeLessThanOrEqual(send!.y);
  },
);

test('an English chat reads from left to right on a page that a style alone turns', async () => {
  await page.goto(`${helper.here}/turned`);
  await chat.open();
  expect(await chat.panel.evaluate((panel) => getComputedStyle(panel).direction)).toBe('ltr');
});

test('in a frame that is written into its page the agent is told what the page says', async () => {
  await page.goto(`${helper.here}/frame`);
  const [, frame] = page.frames();
  const one = frame!.locator('porchlight-chat');
  await one.locator('[part~="launcher"]').waitFor();
  await frame!.evaluate(() =>
    (window as unknown as { Porchlight: unknown[] }).Porchlight.push(['setContext', { product: 'tent' }]),
  );
  const asked = page.waitForRequest((request) => request.method() === 'PUT');
  await one.locator('[part~="launcher"]').click();
  await one.locator('[part~="composer"]').fill('Does it work?');
  await one.locator('[part~="composer"]').press('Enter');
  expect((await asked).postDataJSON().page).toMatchObject({
    url: `${helper.here}/`,
    context: { product: 'tent' },
  });
});
