/** Accessibility by axe-core, over what a visitor meets, in each style, both schemes, forced colours and from right to left. */
import axe from 'axe-core';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { ar } from '../../widget/strings/ar.ts';
import type { Strings } from '../../widget/strings/en.ts';
import { visit } from '../support/browser.ts';
import { english } from '../support/english.ts';
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
      const [, style, language] = /^\/(normal|dock|inline)(?:\/(ar))?$/.exec(path) ?? [];
      if (style !== 'inline')
        return style === undefined
          ? undefined
          : { html: toPage(url, style as 'normal', language ? `data-language="${language}"` : '') };
      const page = toPage(url).replace(/<script[^>]*><\/script>/, '');
      const box = `<script async src="${url}/widget/inline.js"></script><porchlight-chat bot-id="vesper" language="${language ?? 'en'}"></porchlight-chat>`;
      return { html: page.replace('</main>', `${box}</main>`) };
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

const looks: [name: string, options: BrowserContextOptions, path: string, strings: Strings][] = [
  ['light', { colorScheme: 'light' }, '', english],
  ['dark', { colorScheme: 'dark' }, '', english],
  ['forced colours', { forcedColors: 'active' }, '', english],
  ['from right to left', {}, '/ar', ar],
];

describe.each(['normal', 'dock', 'inline'])('axe-core finds nothing in %s style', (style) => {
  test.each(looks)('%s', async (_, options, path, t) => {
    const { context, page, chat } = await visit(stage.browser, `${stage.server.here}/${style}${path}`, {
      reducedMotion: 'reduce',
      ...options,
    });
    const isClean = async (state: string) =>
      expect([state, ...(await readViolations(page))]).toEqual([state]);
    if (style === 'normal') {
      await chat.launcher.waitFor();
      await isClean('closed');
      await chat.open();
    } else await (style === 'dock' ? chat.dock : chat.panel).waitFor();
    await isClean('empty');
    await chat.ask('Everything?');
    await chat.waitForAnswer('completed');
    await chat.button(t.copy).first().waitFor();
    await isClean('an answer with everything in it');
    await chat.send.waitFor();
    await chat.ask('Fail?');
    await chat.waitForAnswer('failed');
    await isClean('a failure');
    await chat.ask('Everything?');
    await chat.waitForAnswer('completed');
    await chat.button(t.change).click();
    await chat.panel.or(chat.dock).getByText(t.changing).first().waitFor();
    await isClean('a question that is changed');
    await chat.inside('.hint').getByRole('button', { name: t.cancel }).click();
    await chat.ask('May you?');
    await chat.waitForAnswer('paused');
    await isClean('a card');
    await chat.button(t.history).click();
    const row = (key: 'renameTitle' | 'removeTitle') =>
      chat.button(t[key].replace('{title}', 'Everything?')).first();
    await row('renameTitle').click();
    await isClean('a title that is changed');
    await page.keyboard.press('Escape');
    await row('removeTitle').click();
    await isClean('a deletion');
    await page.keyboard.press('Escape');
    await chat.panel.getByText(t.myData, { exact: true }).click();
    await chat.button(t.erase).waitFor();
    await isClean('the list, and what the visitor can do with all of it');
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
