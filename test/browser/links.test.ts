/** Clause 31: a link in an answer says where it leads. */
import { beforeAll, expect, test } from 'vitest';
import { type Chat, visit } from '../support/browser.ts';
import { startFakeHelper, toPage } from '../support/fakehelper.ts';
import { useStage } from '../support/stage.ts';

const stage = useStage(() =>
  startFakeHelper({
    answer: (question) => ({ pieces: [question] }),
    pages: (path, url) => (path === '/' ? { html: toPage(url) } : undefined),
  }),
);
let chat: Chat;
beforeAll(async () => {
  ({ chat } = await visit(stage.browser, `${stage.server.here}/`));
  await chat.open();
});

/** The link of an answer that is this markdown. */
async function readLink(markdown: string) {
  const count = await chat.answers.count();
  await chat.ask(markdown);
  const answer = chat.answers.nth(count);
  await answer.and(chat.inside('[data-status="completed"]')).waitFor();
  const link = answer.locator('[part~="body"] a').first();
  return link.evaluate((element: HTMLAnchorElement) => ({
    text: element.textContent,
    title: element.title,
    href: element.getAttribute('href'),
    target: element.target,
    rel: element.rel,
  }));
}

test('clause 31: a link opens in a new tab that knows nothing of this one, and its title names the host', async () => {
  expect(await readLink('[our page](https://one.example/path?a=b#c)')).toEqual({
    text: 'our page',
    title: 'one.example',
    href: 'https://one.example/path?a=b#c',
    target: '_blank',
    rel: 'noopener noreferrer nofollow',
  });
});

test.each([
  ['names another host', '[https://bank.example/](https://evil.example/)', 'evil.example'],
  ['hides a user before the host', '[bank](https://bank.example@evil.example/)', 'evil.example'],
  ['has a title of its own', '[bank](https://evil.example/ "bank.example")', 'evil.example'],
  [
    'is written in letters of another script',
    '[p\u0430ypal.example](https://p\u0430ypal.example/)',
    'xn--pypal-4ve.example',
  ],
  ['turns its own text around', '[\u202emoc.elpmaxe](https://evil.example/)', 'evil.example'],
  ['stands behind an image', '![a picture](https://evil.example/a.png)', 'evil.example'],
])('clause 31: a link that %s shows the host that it leads to', async (_, markdown, host) => {
  const link = await readLink(markdown);
  expect(new URL(link.href!).host).toBe(host);
  expect(new URL(link.href!).username).toBe('');
  expect(`${link.text} ${link.title}`).toContain(host);
  expect(`${link.text} ${link.title}`).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
});

test.each([
  '[x](/account)',
  '[x](../a)',
  '[x](#top)',
  '[x](//evil.example/)',
  '[x](javascript:alert(1))',
  '[x](data:text/html,x)',
])('clause 31: the link of %s is inert', async (markdown) => {
  expect((await readLink(markdown)).href).toBeNull();
});

test.each([
  ['[write](mailto:a@one.example)', 'mailto:a@one.example', 'a@one.example'],
  ['[call](tel:+15550100)', 'tel:+15550100', '+15550100'],
])('a link for mail or telephone stays one and says to whom: %s', async (markdown, href, to) => {
  const link = await readLink(markdown);
  expect(link.href).toBe(href);
  expect(`${link.text} ${link.title}`).toContain(to);
});
