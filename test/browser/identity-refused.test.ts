/** A visitor whose token the helper does not take: a guest in all tabs, and still nobody else’s. */
import { describe, expect, test } from 'vitest';
import { readSeen, sign, watchFor } from '../support/identity-site.ts';
import { adas, secret, setUpVisits } from '../support/identity-visits.ts';

const here = setUpVisits();
const { visit, askAs } = here;

test.each(['/tag', '/call', '/callback'])(
  'a token of %s that is refused at the first use makes a guest, who is told so and stays over a reload',
  async (path) => {
    const { page, chat } = await visit('/plain');
    await sign(page, 'ada');
    here.site.today.tokenIs = 'refused';
    await page.goto(here.site.url + path);
    await chat.open();
    await chat.panel
      .getByText('Your sign-in could not be checked. You are chatting as a guest.')
      .first()
      .waitFor();
    await askAs(chat, 'anonymous:1');
    await page.reload();
    await expect.poll(() => chat.readQuestions()).toEqual(['Who am I?']);
    await askAs(chat, 'anonymous:1', 'And now?');
  },
);

describe.each(['/tag', '/call', '/callback'])('on %s, with a token that is refused', (path) => {
  const visitAsAda = async () => {
    const { page } = await visit('/plain');
    await sign(page, 'ada');
    here.site.today.tokenIs = 'refused';
    await page.close();
    const tab = await visit(path);
    await askAs(tab.chat, 'anonymous:1', secret);
    return tab;
  };

  test('a second tab leaves the first its chat, its draft and its session', async () => {
    const { page, chat } = await visitAsAda();
    await chat.composer.fill('half a question');
    const { page: other, chat: second } = await visit(path);
    await second.show();
    await expect.poll(() => second.readQuestions()).toEqual([secret]);
    await askAs(second, 'anonymous:1', 'From the second');
    await other.reload();
    await expect.poll(() => second.readQuestions()).toHaveLength(2);
    await page.bringToFront();
    await expect.poll(() => chat.composer.inputValue()).toBe('half a question');
    await expect.poll(() => chat.readQuestions()).toEqual([secret, 'From the second']);
    const sessions = here.site.sessions.length;
    await page.waitForTimeout(500);
    expect(here.site.sessions).toHaveLength(sessions);
    expect(new Set(here.site.sessions)).toEqual(new Set(['anonymous:1']));
    await chat.composer.press('Enter');
    await chat.waitForAnswer('completed');
    expect(here.site.asked.at(-1)).toBe('anonymous:1: half a question');
  });

  test('once a fresh token is taken in a second tab, the first has the same visitor, or says to reload', async () => {
    const { page } = await visit('/plain');
    await sign(page, 'ada');
    await page.close();
    const { page: first, chat } = await visit(path);
    here.site.endTokens();
    if (path === '/callback') here.site.today.tokenIs = 'refused';
    await askAs(chat, 'anonymous:1', 'As a guest');
    await chat.composer.fill('half a question');
    here.site.today.tokenIs = 'good';
    const { page: other, chat: second } = await visit(path);
    await second.show();
    await expect.poll(() => second.readQuestions()).toEqual(['As a guest']);
    await askAs(second, adas, 'As Ada');
    await first.bringToFront();
    expect(await chat.composer.inputValue()).toBe('half a question');
    await chat.composer.press('Enter');
    if (path === '/callback') await chat.waitForAnswer('completed');
    else {
      await chat.panel.getByText('Reload the page to go on').first().waitFor();
      await first.reload();
      await expect.poll(() => chat.composer.inputValue()).toBe('half a question');
      await chat.composer.press('Enter');
      await chat.waitForAnswer('completed');
    }
    await expect.poll(() => here.site.asked.at(-1)).toBe(`${adas}: half a question`);
    await other.reload();
    await expect.poll(() => second.readQuestions()).toEqual(['As a guest', 'As Ada', 'half a question']);
    expect(here.site.sessions).not.toContain('anonymous:2');
  });

  test('after a sign-out elsewhere nobody sees what she wrote', async () => {
    const { page, chat } = await visitAsAda();
    const { page: other } = await visit(path);
    await sign(other);
    await other.reload();
    await expect.poll(() => chat.readQuestions()).toEqual([]);
    await watchFor(page, secret);
    await page.bringToFront();
    await chat.show();
    await askAs(chat, /anonymous:(?!1\b)\d/, 'And now?');
    expect(await chat.readQuestions()).toEqual(['And now?']);
    expect(await readSeen(page)).toBe(0);
  });
});

test('on /tag, once the hour and the token are over, a reload is all that is to be done, as it is said', async () => {
  const { page } = await visit('/plain');
  await sign(page, 'ada');
  await page.close();
  const { page: first, chat } = await visit('/tag');
  await askAs(chat, adas);
  here.site.endHour();
  here.site.endTokens();
  await chat.ask('Later?');
  await chat.panel.getByText('Reload the page to go on').first().waitFor();
  await first.reload();
  await expect.poll(() => here.site.asked.at(-1)).toBe(`${adas}: Later?`);
  await chat.waitForAnswer('completed');
  expect(await chat.readQuestions()).toEqual(['Who am I?', 'Later?']);
  expect(await chat.composer.inputValue()).toBe('');
  expect(await chat.panel.getByText('Reload the page').count()).toBe(0);
  await first.reload();
  await expect.poll(() => chat.readQuestions()).toEqual(['Who am I?', 'Later?']);
  expect(here.site.asked.filter((one) => one.endsWith('Later?'))).toHaveLength(1);
});

describe('on /callback, once the hour of a customer is over', () => {
  const visitAsAda = async () => {
    const { page } = await visit('/plain');
    await sign(page, 'ada');
    await page.close();
    const tab = await visit('/callback');
    await askAs(tab.chat, adas);
    here.site.endHour();
    return tab;
  };
  const end = 'Your sign-in has ended. You are chatting as a guest.';

  test('and her login with it, that is said, and what she sent comes back when she does, to nobody else', async () => {
    const { page, chat } = await visitAsAda();
    here.site.today.tokenIs = 'null';
    await chat.ask(secret);
    await chat.panel.getByText(end).first().waitFor();
    expect(await chat.readQuestions()).toEqual([]);
    await expect.poll(() => chat.announcer.textContent()).toContain(end);
    // Whoever goes on here is a guest, and finds nothing of hers.
    expect(await chat.composer.inputValue()).toBe('');
    await askAs(chat, 'anonymous:1', 'As a guest');
    here.site.today.tokenIs = 'good';
    await page.reload();
    await expect.poll(() => chat.composer.inputValue()).toBe(secret);
    expect(here.site.asked.join()).not.toContain(secret);
    await chat.composer.press('Enter');
    await expect.poll(() => here.site.asked.at(-1)).toBe(`${adas}: ${secret}`);
  });

  test('what she sent is not there for the next customer, nor for her after that one', async () => {
    const { page, chat } = await visitAsAda();
    here.site.today.tokenIs = 'null';
    await chat.ask(secret);
    await chat.panel.getByText(end).first().waitFor();
    here.site.today.tokenIs = 'good';
    await sign(page, 'ben');
    await page.reload();
    await chat.show();
    await askAs(chat, 'email:ben@shop.example', 'As Ben');
    expect(await chat.composer.inputValue()).toBe('');
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain(secret);
    await sign(page, 'ada');
    await page.reload();
    await chat.show();
    await askAs(chat, adas, 'Again');
    expect(await chat.composer.inputValue()).toBe('');
  });

  test('and her site does not say who she is, the question says that the chat is out of reach, not the visitor', async () => {
    const { chat } = await visitAsAda();
    here.site.today.tokenIs = 'broken';
    await chat.ask('And now?');
    await chat.answers.getByText('The chat cannot be reached. Trying again.').waitFor();
    here.site.today.tokenIs = 'good';
    await expect.poll(() => here.site.asked.at(-1), { timeout: 15_000 }).toBe(`${adas}: And now?`);
  });
});
