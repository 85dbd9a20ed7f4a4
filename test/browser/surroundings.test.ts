/** The page around the chat: what of it reaches us, and what the chat borrows of it and gives back. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { TurnEventData } from '../../server-helper/protocol/wire.ts';
import { findChat, visit } from '../support/browser.ts';
import { startFakeHelper, toPage } from '../support/fakehelper.ts';
import { useStage } from '../support/stage.ts';

const toTall = (html: string) =>
  html.replace(
    '</main>',
    `${'<p>More words of the page.</p>'.repeat(80)}<p id="last"><a href="#">The last line.</a></p></main>`,
  );
const toLinks = (html: string) =>
  html.replace('</main>', `${'<p><a href="#">A link among words.</a></p>'.repeat(80)}</main>`);
const withStyle = (html: string, css: string) => html.replace('</head>', `<style>${css}</style></head>`);
const styles: Record<string, string> = {
  '/names':
    ':root, * { --accent: 210 40% 96%; --on-accent: 222 47% 11%; --dock-width: 3px; --ground: red; --fill: red; --ring: red; --ink: red }',
  '/light': ':root { --porchlight-accent: #ffd400 }',
  '/dark': ':root { --porchlight-accent: rgb(20 40 90) }',
  '/middle': ':root { --porchlight-accent: hsl(140 50% 42%) }',
  '/own':
    ':root { --porchlight-accent: #ffd400; --porchlight-on-accent: rgb(1, 2, 3); --porchlight-offset: 44px; --porchlight-radius: 3px }',
  '/zoom': ':root { zoom: 1.5 }',
};
const noForms = { 'content-security-policy': 'sandbox allow-scripts allow-same-origin' };
const asking = {
  kind: 'question' as const,
  expiresAt: '2099-01-01T00:00:00Z',
  tool: { name: 'ask_user', title: 'Ask', description: '', parameters: {} },
  questions: [{ question: 'Which one?', options: [] }],
} satisfies TurnEventData['turn-paused'];
const stage = useStage(() =>
  startFakeHelper({
    betweenMs: 30,
    answer: (question) => {
      if (question === 'Ask me.') return { pieces: [], end: { paused: asking } };
      return {
        pieces: question.startsWith('Slowly')
          ? ['To ', `${question} `, 'there ', 'are ', 'many ', 'words.']
          : ['An answer.'],
      };
    },
    pages: (path, url) => {
      if (path === '/no-forms') return { html: toPage(url), headers: noForms };
      if (path === '/dock') return { html: toTall(toPage(url, 'dock')) };
      if (path === '/dock-links') return { html: toLinks(toPage(url, 'dock')) };
      if (path === '/padded')
        return { html: withStyle(toLinks(toPage(url, 'dock')), 'html { scroll-padding-bottom: 40px }') };
      if (path === '/tall') return { html: toTall(toPage(url)) };
      const css = styles[path.replace('-dock', '')];
      return css
        ? { html: withStyle(toPage(url, path.endsWith('-dock') ? 'dock' : 'normal'), css) }
        : undefined;
    },
  }),
);

/** Contrast of an element's text on its ground (WCAG 2.2), as a canvas sees the two colours. */
function readContrast(element: Element): number {
  const toLuminance = (color: string) => {
    const canvas = document.createElement('canvas').getContext('2d')!;
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue] = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((byte) => {
      const channel = byte / 255;
      return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const { color, backgroundColor } = getComputedStyle(element);
  const [dark, light] = [toLuminance(color), toLuminance(backgroundColor)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

test.each(['/tall', '/dock'])('on %s a script that reads our sheets is told our properties', async (path) => {
  const { page, chat } = await visit(stage.browser, stage.server.here + path);
  await (path === '/dock' ? chat.dock.waitFor() : chat.open());
  const told = await page.evaluate(() => {
    const { styleSheets, adoptedStyleSheets } = document.querySelector('porchlight-chat')!.shadowRoot!;
    const toRules = (list: CSSRuleList): CSSStyleRule[] =>
      [...list].flatMap((rule) => [
        ...(rule instanceof CSSStyleRule ? [rule] : []),
        ...toRules((rule as CSSGroupingRule).cssRules ?? []),
      ]);
    const all = [...styleSheets, ...adoptedStyleSheets].flatMap((sheet) => toRules(sheet.cssRules));
    return all.flatMap(({ style }) =>
      [...style].filter((name) => name.startsWith('--')).map((name) => style.getPropertyValue(name).trim()),
    );
  });
  // Dark Reader writes them down anew: by `initial` the launcher and the window were out of sight.
  expect(told.length).toBeGreaterThan(10);
  expect(told.filter((value) => value === 'initial')).toEqual([]);
});

test.each(['/names', '/light', '/dark', '/middle'])(
  'on a page that sets %s, what stands on the accent can be read',
  async (path) => {
    const { context, chat } = await visit(stage.browser, stage.server.here + path);
    await chat.launcher.waitFor();
    expect(await chat.launcher.evaluate(readContrast)).toBeGreaterThanOrEqual(4.5);
    await chat.open();
    await chat.ask('Anything?');
    await chat.waitForAnswer('completed');
    const question = chat.questions.first().locator('[part~="body"]');
    expect(await question.evaluate(readContrast)).toBeGreaterThanOrEqual(4.5);
    await context.close();
  },
);

test('custom properties of the page’s own reach nothing in the chat', async () => {
  const { context, chat } = await visit(stage.browser, `${stage.server.here}/names-dock`);
  await chat.dock.waitFor();
  expect((await chat.dock.boundingBox())!.width).toBe(720);
  expect(await chat.dock.evaluate((dock) => getComputedStyle(dock).backgroundColor)).toBe(
    'rgb(255, 255, 255)',
  );
  await context.close();
});

test('the public properties set accent, ink, corners and distance', async () => {
  const { context, page, chat } = await visit(stage.browser, `${stage.server.here}/own`);
  await chat.launcher.waitFor();
  const { width, height } = page.viewportSize()!;
  const launcher = (await chat.launcher.boundingBox())!;
  expect([width - launcher.x - launcher.width, height - launcher.y - launcher.height]).toEqual([44, 44]);
  const readStyle = (element: Element) => {
    const { color, backgroundColor, borderRadius } = getComputedStyle(element);
    return [color, backgroundColor, borderRadius];
  };
  expect((await chat.launcher.evaluate(readStyle)).slice(0, 2)).toEqual(['rgb(1, 2, 3)', 'rgb(255, 212, 0)']);
  await chat.open();
  expect((await chat.panel.evaluate(readStyle))[2]).toBe('3px');
  await context.close();
});

describe('every part can be reached', () => {
  test.each([
    ['on a page zoomed by CSS', '/zoom', { width: 1280, height: 720 }],
    ['in a window 320 px high', '/tall', { width: 900, height: 320 }],
    ['in a window 240 px high', '/tall', { width: 600, height: 240 }],
    ['in the dock of a page zoomed by CSS', '/zoom-dock', { width: 1000, height: 600 }],
    ['in the dock of a window 320 px high', '/dock', { width: 900, height: 320 }],
  ])('%s', async (_, path, viewport) => {
    const { context, page, chat } = await visit(stage.browser, stage.server.here + path, {
      viewport,
      reducedMotion: 'reduce',
    });
    if (path.endsWith('dock')) await chat.dock.waitFor();
    else await chat.open();
    await chat.ask('Anything?');
    await chat.waitForAnswer('completed');
    const reached = await page.evaluate(() => {
      const root = document.querySelector('porchlight-chat')!.shadowRoot!;
      return ['.header h2', '.header button:last-child', '[part="composer"]', '.round'].map((selector) => {
        const element = root.querySelector(selector)!;
        const box = element.getBoundingClientRect();
        const at = root.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
        return element === at || element.contains(at);
      });
    });
    expect(reached).toEqual([true, true, true, true]);
    const list = (await chat.inside('[role="log"]').boundingBox())!;
    expect(list.height).toBeGreaterThan(50);
    await context.close();
  });
});

test('on a phone the page behind the chat is inert and does not scroll, and is given back exactly', async () => {
  const { context, page, chat } = await visit(stage.browser, `${stage.server.here}/tall`, {
    viewport: { width: 390, height: 844 },
    reducedMotion: 'reduce',
  });
  await chat.launcher.waitFor();
  await page.evaluate(() => {
    scrollTo(0, 300);
    document.body.insertAdjacentHTML('beforeend', '<div inert id="mine"></div>');
  });
  const readPage = () =>
    page.evaluate(() => ({
      html: (document.documentElement.cloneNode(false) as Element).outerHTML,
      body: [document.body, ...document.body.querySelectorAll(':scope > :not(porchlight-chat)')].map(
        (child) => (child.cloneNode(false) as Element).outerHTML,
      ),
      y: scrollY,
    }));
  const before = await readPage();
  await chat.open();
  await expect
    .poll(() => page.evaluate(() => document.querySelector('main')!.closest('[inert]') !== null))
    .toBe(true);
  await page.mouse.move(200, 400);
  await page.mouse.wheel(0, 500);
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
  expect(await page.evaluate(() => scrollY)).toBe(300);
  await page.keyboard.press('Escape');
  await chat.panel.waitFor({ state: 'detached' });
  expect(await readPage()).toEqual(before);
  await context.close();
});

const phone = { viewport: { width: 390, height: 844 }, reducedMotion: 'reduce' } as const;

test.each([2147483645, 2147483647])(
  'on a phone a wall of the page at %d is not seen above the chat, and can be had away after it',
  async (height) => {
    const { context, page, chat } = await visit(stage.browser, `${stage.server.here}/tall`, phone);
    const addWall = () =>
      page.evaluate((zIndex) => {
        const wall = document.createElement('div');
        wall.id = 'wall';
        wall.style.cssText = `position: fixed; inset: auto 0 0; height: 300px; background: #f00; z-index: ${zIndex}`;
        wall.innerHTML = '<button onclick="this.parentNode.remove()">Accept</button>';
        document.body.append(wall);
      }, height);
    await chat.open();
    await expect.poll(() => isInert(page)).toBe(true);
    const look = async () =>
      (await page.screenshot({ clip: { x: 0, y: 560, width: 390, height: 100 } })).toString('base64');
    const before = await look();
    await addWall();
    expect(await look()).toBe(before);
    await page.keyboard.press('Escape');
    await chat.panel.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Accept' }).click();
    expect(await page.locator('#wall').count()).toBe(0);
    expect(await page.locator('porchlight-chat').getAttribute('style')).toBeNull();
    await context.close();
  },
);

test('a page that cancels each touch which does not end on a control of its own takes none of the chat’s', async () => {
  const { context, page, chat } = await visit(stage.browser, `${stage.server.here}/tall`, {
    ...phone,
    hasTouch: true,
    isMobile: true,
  });
  await page.evaluate(() => {
    const cancel = (event: Event) =>
      (event.target as Element).closest('a, button, input, textarea') ?? event.preventDefault();
    document.addEventListener('touchend', cancel, { passive: false });
  });
  await chat.launcher.tap();
  // Elsewhere than the launcher and Send: of two taps in one place the second is nobody's.
  await chat.composer.tap();
  await chat.composer.fill('Hello');
  await chat.inside('[part~="send"]').tap();
  await chat.waitForAnswer('completed');
  await chat.panel.getByRole('button', { name: 'Close chat' }).tap();
  await chat.panel.waitFor({ state: 'detached' });
  await context.close();
});

const isInert = (page: Page) => page.evaluate(() => document.body.inert);
type Api = { hide(): void; toggle(): void };

test('on a phone what the page locks and lifts while the chat is open stays lifted', async () => {
  const { context, page, chat } = await visit(stage.browser, `${stage.server.here}/tall`, phone);
  await page.evaluate(() => document.documentElement.style.setProperty('overflow', 'hidden'));
  await chat.open();
  await expect.poll(() => isInert(page)).toBe(true);
  await page.evaluate(() => document.documentElement.style.removeProperty('overflow'));
  await page.keyboard.press('Escape');
  await chat.panel.waitFor({ state: 'detached' });
  expect(await page.evaluate(() => document.documentElement.style.overflow)).toBe('');
  await context.close();
});

test('on a phone a body that is swapped in is held too, and the one that leaves is set free', async () => {
  const { context, page, chat } = await visit(stage.browser, `${stage.server.here}/tall`, phone);
  await chat.open();
  await expect.poll(() => isInert(page)).toBe(true);
  await page.evaluate(() => {
    const left = document.body;
    Object.assign(window, { left });
    left.replaceWith(document.createElement('body'));
  });
  const isLeftInert = () => page.evaluate(() => (window as unknown as { left: HTMLElement }).left.inert);
  await expect.poll(() => isInert(page)).toBe(true);
  expect(await isLeftInert()).toBe(false);
  await page.keyboard.press('Escape');
  await chat.panel.waitFor({ state: 'detached' });
  expect([await isInert(page), await isLeftInert()]).toEqual([false, false]);
  await context.close();
});

test('on a phone a copy of the body that was made while it was held is free when it comes back later', async () => {
  const { context, page, chat } = await visit(stage.browser, `${stage.server.here}/tall`, phone);
  await chat.open();
  await expect.poll(() => isInert(page)).toBe(true);
  await page.evaluate(() => Object.assign(window, { copy: document.body.cloneNode(true) }));
  await page.keyboard.press('Escape');
  await chat.panel.waitFor({ state: 'detached' });
  await page.evaluate(() => document.body.replaceWith((window as unknown as { copy: HTMLElement }).copy));
  await expect.poll(() => isInert(page)).toBe(false);
  await chat.open();
  await expect.poll(() => isInert(page)).toBe(true);
  await page.evaluate(() => document.body.replaceWith(document.body.cloneNode(true)));
  await page.keyboard.press('Escape');
  await chat.panel.waitFor({ state: 'detached' });
  expect(await isInert(page)).toBe(false);
  await context.close();
});

test('in a small window a chat that a reload opens again has the focus, and Escape closes it', async () => {
  const { context, page, chat } = await visit(stage.browser, `${stage.server.here}/tall`, {
    viewport: { width: 320, height: 200 },
  });
  await chat.open();
  await page.reload();
  await chat.panel.waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.localName)).toBe('porchlight-chat');
  await page.keyboard.press('Escape');
  await chat.panel.waitFor({ state: 'detached' });
  await context.close();
});

test('on a phone that tells no page of Back the page that it has come to is shown, and the chat is a touch away', async () => {
  const { context, page, chat } = await visit(stage.browser, 'about:blank', phone);
  await page.addInitScript('delete window.CloseWatcher');
  for (const path of ['/tall', '/light']) await page.goto(stage.server.here + path);
  await chat.open();
  await chat.ask('Hi');
  await chat.waitForAnswer('completed');
  await page.goBack();
  expect(new URL(page.url()).pathname).toBe('/tall');
  await chat.launcher.waitFor();
  // It has had time to open.
  await page.waitForTimeout(500);
  expect(await chat.panel.count()).toBe(0);
  expect(await page.evaluate(() => document.body.inert)).toBe(false);
  await chat.open();
  await chat.waitForAnswer('completed');
  expect(await chat.readQuestions()).toEqual(['Hi']);
  await context.close();
});

test('a translator that replaces words in the chat as they come cuts no answer off, and no voice', async () => {
  const { context, page, chat } = await visit(stage.browser, `${stage.server.here}/tall`);
  await chat.open();
  await page.evaluate(() => {
    const root = document.querySelector('porchlight-chat')!.shadowRoot!;
    const translate = () => {
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      const words: Text[] = [];
      while (walker.nextNode()) words.push(walker.currentNode as Text);
      for (const text of words) {
        const { data, parentElement } = text;
        if (!data.trim() || parentElement!.closest('font, style, svg, .notranslate')) continue;
        const font = document.createElement('font');
        font.textContent = `«${data}»`;
        text.replaceWith(font);
      }
    };
    new MutationObserver(() => setTimeout(translate, 5)).observe(root, { subtree: true, childList: true });
  });
  for (const question of ['Slowly, one.', 'Slowly, two.']) {
    await chat.ask(question);
    const answer = await chat.waitForAnswer('completed');
    await expect.poll(() => chat.readBody(answer)).toBe(`«To ${question} there are many words.»`);
    await expect
      .poll(() => chat.announcer.textContent())
      .toBe(`Answer: To ${question} there are many words.`);
  }
  await context.close();
});

test('on a phone Back closes the chat, and the page and its history stay as they are', async () => {
  const { context, page, chat } = await visit(stage.browser, 'about:blank', phone);
  // What the system's Back does, which no page can press.
  await page.addInitScript(() => {
    const { CloseWatcher } = window as unknown as {
      CloseWatcher: new () => EventTarget & { requestClose(): void };
    };
    Object.assign(window, {
      CloseWatcher: class extends CloseWatcher {
        constructor() {
          super();
          // One that is closed already hears nothing more.
          const pressBack = () => this.requestClose();
          Object.assign(window, { pressBack });
          this.addEventListener('close', () => Object.assign(window, { pressBack: undefined }));
        }
      },
    });
  });
  await page.goto(`${stage.server.here}/tall`);
  const length = await page.evaluate(() => history.length);
  for (let times = 0; times < 2; times += 1) {
    await chat.open();
    await expect.poll(() => page.evaluate('document.body.inert')).toBe(true);
    await page.evaluate('pressBack()');
    await expect.poll(() => chat.panel.count()).toBe(0);
  }
  expect(await page.evaluate('[location.pathname, history.length]')).toEqual(['/tall', length]);
  // A key is for what has the focus: a title that is being changed, and not the chat.
  await chat.open();
  await chat.ask('Hi');
  await chat.waitForAnswer('completed');
  await chat.panel.getByRole('button', { name: 'Conversations' }).click();
  const rename = chat.panel.getByRole('button', { name: /^Rename/ }).first();
  await rename.click();
  await chat.panel.getByRole('textbox', { name: 'Title' }).waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => chat.panel.getByRole('textbox', { name: 'Title' }).count()).toBe(0);
  expect(await chat.panel.count()).toBe(1);
  await page.waitForFunction('window.pressBack');
  await page.evaluate('pressBack()');
  await expect.poll(() => chat.panel.count()).toBe(0);
  await context.close();
});

test('on a phone a tab that was opened by hand is not covered by the chat of another', async () => {
  const { context, chat } = await visit(stage.browser, `${stage.server.here}/tall`, phone);
  await chat.open();
  await chat.ask('Anything?');
  await chat.waitForAnswer('completed');
  // Its first page is the browser's own.
  const other = await context.newPage();
  await other.goto(`${stage.server.here}/tall`);
  await other.locator('porchlight-chat').waitFor({ state: 'attached' });
  await other.waitForTimeout(500);
  expect(await findChat(other).panel.count()).toBe(0);
  // What was said is there once it is opened.
  await findChat(other).open();
  await findChat(other).waitForAnswer('completed');
  await other.reload();
  await findChat(other).panel.waitFor();
  const list = findChat(other).inside('.messages');
  await expect.poll(() => list.evaluate((area) => area.matches(':focus'))).toBe(true);
  expect(await list.evaluate((area) => area.matches(':focus-visible'))).toBe(false);
  await context.close();
});

test('on a phone a page in a new tab is not covered by the chat of another', async () => {
  const { context, page, chat } = await visit(stage.browser, `${stage.server.here}/tall`, phone);
  await chat.open();
  await chat.ask('Anything?');
  await chat.waitForAnswer('completed');
  const opening = context.waitForEvent('page');
  await page.evaluate(() => open('/tall', '_blank', 'noopener'));
  const other = await opening;
  await other.locator('porchlight-chat').waitFor({ state: 'attached' });
  await other.waitForTimeout(500);
  expect(await findChat(other).panel.count()).toBe(0);
  expect(await isInert(other)).toBe(false);
  await context.close();
});

test('on a phone a chat that the next page hides leaves that page alone, and toggle() shows it', async () => {
  const { context, page, chat } = await visit(stage.browser, `${stage.server.here}/tall`, phone);
  await chat.open();
  await chat.ask('Anything?');
  await chat.waitForAnswer('completed');
  await page.addInitScript(() => {
    const scope = window as unknown as { Porchlight: unknown[] };
    scope.Porchlight ||= [];
    scope.Porchlight.push(['hide']);
  });
  await page.reload();
  await page.waitForTimeout(500);
  expect(await chat.panel.count()).toBe(0);
  expect(await isInert(page)).toBe(false);
  await page.evaluate(() => (window as unknown as { Porchlight: Api }).Porchlight.toggle());
  await chat.panel.waitFor();
  await context.close();
});

test.each(['/dock-links', '/padded'])('on %s what takes the focus stands above the dock', async (path) => {
  const { context, page, chat } = await visit(stage.browser, stage.server.here + path);
  await chat.dock.waitFor();
  await expect
    .poll(() => page.evaluate(() => document.documentElement.style.scrollPaddingBottom))
    .not.toBe('');
  const dock = (await chat.dock.boundingBox())!;
  const lowest = await page.evaluate(() =>
    Math.max(
      // Behind the last ones the page ends.
      ...[...document.querySelectorAll<HTMLElement>('main a')].slice(0, -4).map((link) => {
        link.focus();
        return link.getBoundingClientRect().bottom;
      }),
    ),
  );
  expect(lowest).toBeLessThanOrEqual(dock.y - (path === '/padded' ? 40 : 0));
  await page.evaluate('Porchlight.destroy()');
  expect(await page.evaluate(() => document.documentElement.getAttribute('style'))).toBeNull();
  await context.close();
});

test('the dock covers no line of the page for good, says how high it stands, and leaves nothing behind', async () => {
  const { context, page, chat } = await visit(stage.browser, `${stage.server.here}/dock`);
  await chat.dock.waitFor();
  const room = () =>
    page.evaluate(() =>
      Number.parseFloat(
        getComputedStyle(document.documentElement).getPropertyValue('--porchlight-dock-height'),
      ),
    );
  await expect.poll(room).toBeGreaterThan(60);
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  const last = (await page.locator('#last').boundingBox())!;
  const dock = (await chat.dock.boundingBox())!;
  expect(last.y + last.height).toBeLessThanOrEqual(dock.y);
  expect(await room()).toBeGreaterThanOrEqual(page.viewportSize()!.height - dock.y);
  await page.evaluate(() => {
    (window as unknown as { Porchlight: { destroy(): void } }).Porchlight.destroy();
  });
  expect(
    await page.evaluate(() =>
      [document.documentElement, document.body].map((one) => one.getAttribute('style')),
    ),
  ).toEqual([null, null]);
  await context.close();
});

test('with forced colours the composer shows that it has the focus', async () => {
  const { context, chat } = await visit(stage.browser, `${stage.server.here}/tall`, {
    forcedColors: 'active',
  });
  await chat.open();
  const outline = () => chat.inside('.composer').evaluate((box) => getComputedStyle(box).outlineStyle);
  await expect.poll(outline).toBe('solid');
  await chat.inside('.header button').last().focus();
  await expect.poll(outline).toBe('none');
  await context.close();
});

test('the widget’s words are marked as English, and those of others as their own', async () => {
  const { context, page, chat } = await visit(stage.browser, `${stage.server.here}/tall`);
  await chat.open();
  await chat.ask('שלום, מה שלומך?');
  await chat.waitForAnswer('completed');
  expect(await chat.panel.getAttribute('lang')).toBe('en');
  const question = chat.questions.first().locator('[part~="body"]');
  expect(await question.getAttribute('lang')).toBe('');
  expect(await question.evaluate((body) => getComputedStyle(body).direction)).toBe('rtl');
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('en');
  await context.close();
});

describe('in a document that may send no forms', () => {
  test.each(['Enter', 'the button'])(
    'the agent’s question is answered, and a title changed, by %s',
    async (way) => {
      const { page, chat, context } = await visit(stage.browser, `${stage.server.here}/no-forms`);
      const renames: unknown[] = [];
      await page.route('**/conversations/*', (route) => {
        if (route.request().method() !== 'PATCH') return route.fallback();
        renames.push(route.request().postDataJSON());
        return route.fulfill({ status: 204, headers: { 'access-control-allow-origin': '*' } });
      });
      await chat.open();
      await chat.ask('Ask me.');
      const own = chat.panel.getByRole('textbox', { name: 'Something else' });
      await own.fill('The green one');
      if (way === 'Enter') await own.press('Enter');
      else await chat.button('Send answer').press('Enter');
      await chat.waitForAnswer('completed');
      await chat.button('Conversations').click();
      await chat
        .button(/^Rename/)
        .first()
        .click();
      const title = chat.panel.getByRole('textbox', { name: 'Title' });
      await title.fill('Green');
      if (way === 'Enter') await title.press('Enter');
      else await chat.button('Save').click();
      await expect.poll(() => renames).toEqual([{ title: 'Green' }]);
      await context.close();
    },
  );
});
