/** Accessibility by axe-core, over what a visitor meets: an answer with everything in it, a card, a failure, the list. */
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser, visit } from '../support/browser.ts';
import { type FakeHelper, startFakeHelper, toPage } from '../support/fakehelper.ts';
import { longAnswer } from '../support/longanswer.ts';

let helper: FakeHelper;
let browser: Browser;
beforeAll(async () => {
  helper = await startFakeHelper({
    answer: (question) => {
      if (question === 'Fail?')
        return { pieces: ['Half'], end: { failed: { code: 'agent-unavailable', retryable: true } } };
      if (question !== 'May you?') return { pieces: [longAnswer] };
      const tool = {
        name: 'order_status',
        title: 'Order status',
        description: 'Looks an order up',
        parameters: { orderNumber: 'LF-1' },
      };
      return { pieces: [], end: { paused: { kind: 'approval', tool, expiresAt: '2099-01-01T00:00:00Z' } } };
    },
    pages: (path, url) => {
      const style = /^\/(normal|dock)$/.exec(path)?.[1] as 'normal' | 'dock' | undefined;
      return style && { html: toPage(url, style) };
    },
  });
  browser = await launchBrowser();
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await helper?.stop();
});

/** What axe has against the widget as it is now. */
async function readViolations(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { run } = (window as unknown as { axe: typeof axe }).axe;
    const { violations } = await run({ include: ['porchlight-chat'] });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    );
  });
}

describe.each(['normal', 'dock'])('axe-core finds nothing in %s style', (style) => {
  test.each(['light', 'dark'] as const)('with the %s scheme', async (colorScheme) => {
    const { context, page, chat } = await visit(browser, `${helper.here}/${style}`, {
      colorScheme,
      reducedMotion: 'reduce',
    });
    if (style === 'normal') {
      await chat.launcher.waitFor();
      expect(await readViolations(page)).toEqual([]);
      await chat.open();
    } else {
      await chat.dock.waitFor();
      expect(await readViolations(page)).toEqual([]);
    }
    await chat.ask('Everything?');
    await chat.waitForAnswer('completed');
    expect(await readViolations(page)).toEqual([]);
    await chat.send.waitFor();
    await chat.ask('Fail?');
    await chat.waitForAnswer('failed');
    await chat.send.waitFor();
    await chat.ask('May you?');
    await chat.waitForAnswer('paused');
    expect(await readViolations(page)).toEqual([]);
    await chat.button('Conversations').click();
    await chat
      .button(/^Everything/)
      .first()
      .waitFor();
    expect(await readViolations(page)).toEqual([]);
    await context.close();
  });
});
