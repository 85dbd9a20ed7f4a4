/** Eleven kinds of pages: the chat looks the same on each, and each is the same before, during and after it. */
import type { Frame } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { startFakeHelper, toPage } from '../support/fakehelper.ts';
import { createGate } from '../support/gate.ts';
import { useStage } from '../support/stage.ts';

type OpenStyle = 'normal' | 'dock';
type Host = {
  css?: string;
  html?: string;
  isQuirky?: true;
  headers?: (helper: string) => Record<string, string>;
};

const hosts: Record<string, Host> = {
  'that sets nothing': {},
  'with a reset by !important': {
    css: '*, ::before, ::after { margin: 0 !important; padding: 0 !important; border: 0 !important; font: 20px/3 serif !important; color: red !important; background: none !important; box-sizing: content-box !important; max-width: 50% !important; display: inline !important; list-style: none !important }',
  },
  'of font-size: 62.5%': { css: 'html { font-size: 62.5% } body { font-size: 1.6rem }' },
  'without a doctype': { css: 'body { color: white; line-height: 3 }', isQuirky: true },
  'that unsets everything': { css: '*, porchlight-chat { all: unset }' },
  'with transforms on the body': {
    css: 'body { transform: translate(30px, 10px) scale(0.9); filter: saturate(0.9); perspective: 400px }',
  },
  'that is a grid shell': {
    css: 'html, body { height: 100%; margin: 0; overflow: hidden } html > * { min-width: 0 } body { display: grid; grid-template: auto 1fr / 200px 1fr } main { overflow: auto; grid-area: 1 / 2 / 3 / 3 }',
  },
  'in a frame': {},
  'that reads from right to left': { html: 'dir="rtl"' },
  'with Trusted Types and a strict policy': {
    headers: (helper) => ({
      'content-security-policy': `default-src 'none'; script-src ${helper}; connect-src ${helper}; require-trusted-types-for 'script'; trusted-types 'none'`,
    }),
  },
  'with the variables of shadcn': {
    css: ':root { --background: 222 84% 5%; --foreground: 210 40% 98%; --primary: 210 40% 98%; --border: 217 33% 18%; --input: 217 33% 18%; --ring: 213 27% 84%; --radius: 0.5rem; --accent: 217 33% 18% } *, ::before, ::after { box-sizing: border-box; border: 0 solid hsl(var(--border)) } body { background: hsl(var(--background)); color: hsl(var(--foreground)) } button { background: none; font: inherit }',
  },
};
const names = Object.keys(hosts);

const stage = useStage(() =>
  startFakeHelper({
    answer: () => ({
      pieces: ['An answer with `code` and\n\n- a list\n- of two\n\n| a | table |\n| - | - |\n| of | two |\n'],
    }),
    pages: (path, helper) => {
      const [, style, index, inside] = /^\/(normal|dock)\/(\d+)(\/inside)?$/.exec(path) ?? [];
      const name = names[Number(index)];
      if (!style || !name) return undefined;
      const { css = '', html = '', isQuirky, headers } = hosts[name]!;
      if (name === 'in a frame' && !inside)
        return {
          html: `<!doctype html><html lang="en"><title>A page</title><body style="margin: 0"><iframe src="${path}/inside" style="border: 0; width: 100vw; height: 100vh; display: block"></iframe>`,
        };
      return {
        html: toPage(helper, style as OpenStyle)
          .replace(/<link[^>]*>/, '')
          .replace('<!doctype html>', isQuirky ? '' : '<!doctype html>')
          .replace('<html', `<html ${html}`)
          .replace('</head>', css ? `<style>${css}</style></head>` : '</head>')
          .replace('</main>', '<p><a href="#">A link</a> <button>A button</button></p></main>'),
        ...(headers && { headers: headers(new URL(helper).origin) }),
      };
    },
  }),
);

/** All that the page's own elements are drawn by. */
const readHost = (frame: Frame) =>
  frame.evaluate(() =>
    [...document.querySelectorAll('*')]
      .filter(({ localName }) => localName !== 'porchlight-chat')
      .map((element) => {
        const style = getComputedStyle(element);
        const { x, y, width, height } = element.getBoundingClientRect();
        return {
          name: element.localName,
          attributes: element.getAttributeNames().map((name) => `${name}=${element.getAttribute(name)}`),
          box: [x, y, width, height],
          style: Object.fromEntries([...style].map((name) => [name, style.getPropertyValue(name)])),
        };
      }),
  );

type HostState = Awaited<ReturnType<typeof readHost>>;
/** The room that a dock takes makes the page longer, and nothing else of it other. */
const geometry =
  /width|height|size|origin|inset|^(top|right|bottom|left)$|padding-(bottom|block-end)|grid-template/;
const withoutRoom = (state: HostState) =>
  state.map(({ name, style }) => [
    name,
    Object.entries(style).filter(([property]) => !geometry.test(property)),
  ]);

/** A whole chat on one page: what the page was like at each time, and where the parts of the chat stood. */
async function chatOn(name: string, style: OpenStyle) {
  const context = await stage.browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  const mayStart = createGate();
  await page.route('**/widget/loader.js', async (route) => {
    await mayStart.opened;
    await route.continue();
  });
  const url = `${new URL(stage.server.here).origin}/${style}/${names.indexOf(name)}`;
  await page.goto(url, { waitUntil: 'commit' });
  await page.locator(name === 'in a frame' ? 'iframe' : 'main').waitFor({ state: 'attached' });
  const frame = page.frames().at(-1)!;
  await frame.locator('main').waitFor({ state: 'attached' });
  const part = (selector: string) => frame.locator(`porchlight-chat ${selector}`);
  const boxes: Record<string, number[]> = {};
  const measure = async (key: string, selector: string) => {
    const { x, y, width, height } = (await part(selector).last().boundingBox())!;
    boxes[key] = [x, y, width, height].map(Math.round);
  };
  const before = await readHost(frame);
  mayStart.open();
  const closedPart = style === 'dock' ? '[part~="dock"]' : '[part~="launcher"]';
  await part(closedPart).waitFor();
  await measure('closed', closedPart);
  if (style === 'normal') await part(closedPart).click();
  await part('[part~="composer"]').fill('Anything?');
  await part('[part~="composer"]').press('Enter');
  await part('[part~="message"][data-status="completed"]').last().waitFor();
  for (const selector of ['panel', 'header', 'message', 'body', 'composer', 'send'])
    await measure(selector, `[part~="${selector}"]`);
  await measure('code', 'code');
  await measure('item', 'li');
  await measure('cell', 'td');
  const cell = await part('td').evaluateAll(([first]) => getComputedStyle(first!).color);
  expect(cell).toBe(await part('li').evaluateAll(([first]) => getComputedStyle(first!).color));
  const during = await readHost(frame);
  await part('[part~="composer"]').press('Escape');
  await part('[part~="panel"]').waitFor({ state: 'detached' });
  const closed = await readHost(frame);
  await frame.evaluate('Porchlight.destroy()');
  const after = await readHost(frame);
  await context.close();
  return { before, during, closed, after, boxes };
}

describe.each<OpenStyle>(['normal', 'dock'])('in %s style', (style) => {
  let plain: Awaited<ReturnType<typeof chatOn>> | undefined;

  test.each(names)('on a page %s', async (name) => {
    plain ??= await chatOn('that sets nothing', style);
    const { before, during, closed, after, boxes } = await chatOn(name, style);
    expect(Object.keys(boxes)).toHaveLength(10);
    for (const [key, box] of Object.entries(boxes))
      for (const [at, length] of box.entries())
        expect(Math.abs(length - plain.boxes[key]![at]!), `${key} ${box} ${plain.boxes[key]}`).toBeLessThan(
          2,
        );
    expect(after).toEqual(before);
    if (style === 'normal') expect([during, closed]).toEqual([before, before]);
    else for (const state of [during, closed]) expect(withoutRoom(state)).toEqual(withoutRoom(before));
  });

  test('on paper the page is printed as if there were no chat', async () => {
    const context = await stage.browser.newContext();
    const page = await context.newPage();
    await page.goto(`${new URL(stage.server.here).origin}/${style}/0`);
    await page.locator('porchlight-chat [part~="composer"], porchlight-chat [part~="launcher"]').waitFor();
    await page.evaluate('Porchlight.open()');
    await page.locator('porchlight-chat [part~="panel"]').waitFor();
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('porchlight-chat').isVisible()).toBe(false);
    const printed = await page.evaluate(() =>
      document.querySelector('main')!.getBoundingClientRect().toJSON(),
    );
    await page.evaluate('Porchlight.destroy()');
    expect(
      await page.evaluate(() => document.querySelector('main')!.getBoundingClientRect().toJSON()),
    ).toEqual(printed);
    await context.close();
  });
});
