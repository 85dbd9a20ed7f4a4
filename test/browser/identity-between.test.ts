/** A customer who signed in on a guest's browser and left again without opening the chat was there all the same. */
import { expect, test } from 'vitest';
import { sign } from '../support/identity-site.ts';
import { adas, bens, setUpVisits } from '../support/identity-visits.ts';

const here = setUpVisits();

test.each([
  ['/callback', 'closed'],
  ['/callback', 'dock'],
  ['/call', 'closed'],
  ['/tag', 'closed'],
])('on %s, with the chat %s, a guest’s words are not Ben’s where Ada signed in first', async (path, look) => {
  const { page, chat } = await here.visit(path);
  await chat.open();
  await here.askAs(chat, 'anonymous:1', 'Do you ship?');
  await page.keyboard.press('Escape');
  await sign(page, 'ada');
  const readTag = () => page.evaluate(() => JSON.parse(localStorage.porchlight).who);
  expect(await readTag()).toBeUndefined();
  await page.goto(here.site.url + path);
  if (look === 'dock') await page.evaluate(`Porchlight.setOpenStyle('dock')`);
  await expect.poll(readTag).toBeTypeOf('string');
  expect(here.site.sessions).toEqual(['anonymous:1']);
  await sign(page, 'ben');
  await page.goto(here.site.url + path);
  await chat.open();
  await here.askAs(chat, bens, 'Who am I?');
  expect(await chat.readQuestions()).toEqual(['Who am I?']);
});

test('on a site that says it by a function a guest’s words are still Ada’s, who signed in first', async () => {
  const { page, chat } = await here.visit('/callback');
  await chat.open();
  await here.askAs(chat, 'anonymous:1', 'Do you ship?');
  await page.keyboard.press('Escape');
  await sign(page, 'ada');
  await page.goto(`${here.site.url}/callback`);
  await chat.open();
  await here.askAs(chat, adas, 'Who am I?');
  expect(await chat.readQuestions()).toEqual(['Do you ship?', 'Who am I?']);
});
