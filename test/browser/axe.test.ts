/** Accessibility by axe-core, over what a visitor meets: an answer with everything in it, a card, a failure, the list. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { visit } from '../support/browser.ts';
import { startFakeHelper, toPage } from '../support/fakehelper.ts';
import { longAnswer } from '../support/longanswer.ts';
import { useStage } from '../support/stage.ts';

const sources = [{ number: 1, id: 's', title: 'Care', url: 'https://one.example/care', type: 'page' }];
const wideRow = `|${' a column that is wide |'.repeat(12)}`;
/** Headings that are empty or leave levels out, and a table wider than any chat. */
const oddAnswer = `#### Small\n\n#\n\n###### Smaller\n\n${wideRow}\n|${'---|'.repeat(12)}\n${wideRow}`;

const stage = useStage(() =>
  startFakeHelper({
    answer: (question) => {
      if (question === 'Fail?')
        return { pieces: ['Half'], end: { failed: { code: 'agent-unavailable', retryable: true } } };
      if (question === 'Odd?') return { pieces: [oddAnswer], sources };
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
  }),
);

/** What axe has against the widget as it is now; the whole page is looked at where the rules are about pages. */
async function readViolations(page: Page, where: 'widget' | 'page' = 'widget'): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  return page.evaluate(async (whole) => {
    const { run } = (window as unknown as { axe: typeof axe }).axe;
    const { violations } = await run(whole ? document : { include: ['porchlight-chat'] });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    );
  }, where === 'page');
}

describe.each(['normal', 'dock'])('axe-core finds nothing in %s style', (style) => {
  test.each(['light', 'dark'] as const)('with the %s scheme', async (colorScheme) => {
    const { context, page, chat } = await visit(stage.browser, `${stage.server.here}/${style}`, {
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
    await chat.button('Copy code').first().waitFor();
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

describe.each(['normal', 'dock'])('the whole page with the chat in %s style', (style) => {
  test('has no content outside of landmarks, no two landmarks alike, and nothing that scrolls out of reach', async () => {
    const { context, page, chat } = await visit(stage.browser, `${stage.server.here}/${style}`, {
      reducedMotion: 'reduce',
    });
    if (style === 'dock') {
      await chat.dock.waitFor();
      expect(await readViolations(page, 'page')).toEqual([]);
    } else await chat.open();
    for (const question of ['Everything?', 'Odd?', 'Odd?', 'May you?']) {
      await chat.send.waitFor();
      await chat.ask(question);
      await chat.answers
        .last()
        .and(chat.inside(':not([data-status="writing"], [data-status="sending"])'))
        .waitFor();
    }
    await chat.button('Allow').waitFor();
    expect(await readViolations(page, 'page')).toEqual([]);
    await context.close();
  });
});
