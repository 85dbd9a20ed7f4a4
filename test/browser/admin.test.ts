/** The owner's page in a real browser: its own policy lets it be seen, anyone can read it, and it fits a phone. */
import axe from 'axe-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../server-helper/store/memory.ts';
import { hourMs } from '../../server-helper/store/store.ts';
import { launchBrowser } from '../support/browser.ts';
import { startListening } from '../support/helper-inside.ts';

const adminPassword = 'owner-of-the-shop';
let browser: Awaited<ReturnType<typeof launchBrowser>>;
let site: Awaited<ReturnType<typeof startListening>>;
beforeAll(async () => {
  browser = await launchBrowser();
  const store = createMemoryStore();
  site = await startListening({ store, adminPassword });
  const hour = Math.floor(Date.now() / hourMs);
  const tallies = Array.from({ length: 300 }, (_, ago) => ({
    hour: hour - ago * 2,
    name: ['end:completed', 'end:stopped', 'end:failed', 'failure:agent-unavailable', 'word:1'][ago % 5]!,
    count: 1 + (ago % 7),
  }));
  await store.addTallies(site.botId, tallies, 0);
});
afterAll(async () => {
  await site?.close();
  await browser?.close();
});

describe.each(['light', 'dark'] as const)('%s', (colorScheme) => {
  test.each([1280, 390])('%d pixels wide', async (width) => {
    const httpCredentials = { username: 'owner', password: adminPassword };
    const context = await browser.newContext({
      httpCredentials,
      colorScheme,
      viewport: { width, height: 800 },
    });
    const page = await context.newPage();
    const told: string[] = [];
    page.on('console', (message) => told.push(message.text()));
    await page.goto(`${site.url}/porchlight/admin`);
    await page.getByText('Numbers').first().click();
    expect(await page.getByRole('row').count()).toBeGreaterThan(28);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    expect(await page.evaluate(() => getComputedStyle(document.querySelector('figure')!).borderRadius)).toBe(
      '10px',
    );
    expect(told).toEqual([]);
    // By the debugger, which its policy does not hold.
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate(() =>
      (window as unknown as { axe: typeof axe }).axe.run(document, {}),
    );
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    await context.close();
  });
});
