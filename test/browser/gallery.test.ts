/** The demo's page on which every state of the chat stands: each is there, and axe-core finds nothing in any. */
import axe from 'axe-core';
import type { BrowserContextOptions } from 'playwright-core';
import { expect, test } from 'vitest';
import { toScenes } from '../../demo/site/gallery.ts';
import { startDemo } from '../support/demo.ts';
import { english } from '../support/english.ts';
import { useStage } from '../support/stage.ts';

const stage = useStage(startDemo);

/** By which each is known; the one in Arabic by its answer. */
const signs: Record<string, string> = {
  empty: 'Which tents are in stock?',
  thinking: english.thinking,
  working: 'Order status',
  writing: 'Let it dry before it is packed.',
  completed: 'Care guide',
  arabic: 'يزن 2.1 كغ.',
  approval: 'Allow',
  question: 'Fieldhouse 4',
  stopped: 'The Skylark 2 weighs',
  'stopped-empty': english['stopped-empty'],
  failed: 'Try again',
  limited: 'Try again in',
  refused: english['sign-in-required'],
  origin: english['origin-refused'],
  list: 'Shipping to Canada',
  modes: 'Thorough',
  plan: 'Read every note of this year',
};

test.each<[string, BrowserContextOptions]>([
  ['light', { viewport: { width: 1280, height: 800 } }],
  ['dark, on a phone', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' }],
  ['forced colours', { viewport: { width: 1280, height: 800 }, forcedColors: 'active' }],
])('%s', async (_, options) => {
  const context = await stage.browser.newContext({ ...options, reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto(`${stage.server.url}/gallery.html`);
  for (const name of Object.keys(toScenes()))
    await page
      .locator(`#${name} porchlight-chat`)
      .getByText(signs[name]!)
      .first()
      // What may be chosen is drawn only while it is.
      .waitFor({ state: name === 'modes' ? 'attached' : 'visible' });
  // Under 16 px a phone would zoom into the field.
  const sizes = await page.evaluate(() =>
    [...document.querySelectorAll('porchlight-chat')].flatMap(({ shadowRoot }) =>
      [...shadowRoot!.querySelectorAll('input:not([type=checkbox]), textarea, select')].map(
        (field) => `${field.outerHTML.slice(0, 60)} ${getComputedStyle(field).fontSize}`,
      ),
    ),
  );
  expect(sizes.length).toBeGreaterThan(Object.keys(signs).length);
  if (page.viewportSize()!.width < 480) expect(sizes.filter((line) => !line.endsWith(' 16px'))).toEqual([]);
  await page.evaluate(axe.source);
  const violations = await page.evaluate(async () => {
    const { run } = (window as unknown as { axe: typeof axe }).axe;
    const found = await run(document);
    return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  });
  expect(violations).toEqual([]);
  await context.close();
});
