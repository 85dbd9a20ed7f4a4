/** A page whose own rules would break anything that they reach. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser, visit } from '../support/browser.ts';
import { type Demo, startDemo } from '../support/demo.ts';

const viewport = { width: 1280, height: 800 };

let demo: Demo;
let browser: Browser;
beforeAll(async () => {
  [demo, browser] = await Promise.all([startDemo(), launchBrowser()]);
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
});

test('on a hostile page the launcher is where it belongs, as large as it should be, and on top of everything', async () => {
  const { context, page, chat } = await visit(browser, `${demo.url}/hostile.html`, { viewport });
  expect(await chat.launcher.boundingBox()).toEqual({ x: 1204, y: 724, width: 56, height: 56 });
  const onTop = await page.evaluate(() => document.elementFromPoint(1232, 752)?.localName);
  expect(onTop).toBe('porchlight-chat');
  const look = await chat.launcher.evaluate((launcher) => {
    const { opacity, visibility, transform, filter, animationName } = getComputedStyle(
      launcher.getRootNode() instanceof ShadowRoot ? (launcher.getRootNode() as ShadowRoot).host : launcher,
    );
    return { opacity, visibility, transform, filter, animationName };
  });
  expect(look).toEqual({
    opacity: '1',
    visibility: 'visible',
    transform: 'none',
    filter: 'none',
    animationName: 'none',
  });
  await context.close();
});

test('on a hostile page the panel looks as it does on a friendly one, and a question is answered in it', async () => {
  const looks: object[] = [];
  for (const path of ['/', '/hostile.html']) {
    const { context, chat } = await visit(browser, demo.url + path, { viewport, reducedMotion: 'reduce' });
    await chat.open();
    await chat.ask('How long does shipping to Canada take?');
    const answer = await chat.waitForAnswer('completed');
    expect(await chat.readBody(answer)).toContain('6 to 9 business days');
    await chat.launcher.hover();
    const looksOf = (part: string) =>
      chat
        .inside(part)
        .last()
        .evaluate((element) => {
          const names = [
            ['font-family', 'font-size', 'font-style', 'line-height', 'letter-spacing', 'word-spacing'],
            ['text-transform', 'text-align', 'color', 'cursor', 'user-select', 'float', 'visibility'],
            ['width', 'opacity', 'filter', 'zoom', 'white-space', 'direction'],
          ].flat();
          const style = getComputedStyle(element);
          return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(name)]));
        });
    looks.push({
      panel: await chat.panel.boundingBox(),
      answer: await answer.boundingBox(),
      send: await chat.send.boundingBox(),
      styles: await Promise.all(
        ['.panel', '.header h2', '.agent p', '.agent a', '[part~="composer"]', '[part~="send"]'].map(looksOf),
      ),
    });
    await context.close();
  }
  expect(looks[1]).toEqual(looks[0]);
});
