/** A site that swaps its pages by script, with Turbo itself: each page's tag says who is there, in the head as in the body. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { readSeen, sign, watchFor } from '../support/identity-site.ts';
import { adas, secret, setUpVisits } from '../support/identity-visits.ts';

const here = setUpVisits();

async function walk(page: Page, path: string): Promise<void> {
  await page.evaluate(
    (to) => (window as unknown as { Turbo: { visit(to: string): void } }).Turbo.visit(to),
    path,
  );
  await page.getByRole('heading', { name: path }).waitFor();
}

/** The page is shown before its tag is run: until then nobody has said who is there. */
const tagHasRun = (subject: string) => expect.poll(() => here.site.sessions.at(-1)).toBe(subject);

test('a tag that Turbo tracks makes no visit a load of the whole page', async () => {
  const { page } = await here.visit('/turbo-head/tracked');
  await page.evaluate(() => Object.assign(window, { isSame: true }));
  await walk(page, '/turbo-head/tracked-too');
  await walk(page, '/turbo-head/tracked');
  expect(await page.evaluate(() => 'isSame' in window)).toBe(true);
});

describe.each(['head', 'body'])('with the tag in the %s', (place) => {
  const at = (name: string) => `/turbo-${place}/${name}`;

  test('a guest who signs in and out again by visits is nobody afterwards', async () => {
    const { page, chat } = await here.visit(at('first'));
    await here.askAs(chat, 'anonymous:1', 'Before');
    await sign(page, 'ada');
    await walk(page, at('second'));
    await tagHasRun(adas);
    await here.askAs(chat, adas, secret);
    await sign(page);
    await walk(page, at('third'));
    await expect.poll(() => chat.readQuestions()).not.toContain(secret);
    await watchFor(page, secret);
    await here.askAs(chat, /anonymous:(?!1\b)\d/, 'After');
    await sign(page, 'ada');
    await walk(page, at('fourth'));
    await tagHasRun(adas);
    await here.askAs(chat, adas, 'Again');
    await sign(page);
    await walk(page, at('third'));
    await expect.poll(() => chat.readQuestions()).not.toContain('Again');
    await here.askAs(chat, /anonymous:\d/, 'At last');
  });

  test('the agent is told of each page what its own tag says', async () => {
    const { page, chat } = await here.visit(at('product-1'));
    const told: unknown[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PUT')
        told.push(
          (request.postDataJSON() as { page?: { context?: { product?: string } } }).page?.context?.product,
        );
    });
    await here.askAs(chat, /anonymous/, 'One?');
    await walk(page, at('product-2'));
    await here.askAs(chat, /anonymous/, 'Two?');
    await walk(page, at('plain'));
    await here.askAs(chat, /anonymous/, 'None?');
    expect(told).toEqual([at('product-1'), at('product-2'), undefined]);
  });

  test('the old page that Back puts back brings nobody back, without the Navigation API too', async () => {
    const { page, chat } = await here.visit('/plain');
    await page.addInitScript(() => Object.defineProperty(window, 'navigation', { value: undefined }));
    await sign(page, 'ada');
    await page.goto(here.site.url + at('first'));
    await here.askAs(chat, adas, secret);
    await sign(page);
    await walk(page, at('second'));
    await expect.poll(() => chat.readQuestions()).not.toContain(secret);
    await here.askAs(chat, 'anonymous:1', 'After');
    await watchFor(page, secret);
    await page.goBack();
    await page.getByRole('heading', { name: at('first') }).waitFor();
    await here.askAs(chat, 'anonymous:1', 'And now?');
    expect(await readSeen(page)).toBe(0);
  });
});
