/** Mails that nobody means well with: each is taken or refused as said here, and the service goes on. */

import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ShopAgent, startShopAgent } from '../support/agentservice.ts';
import { sendMail, startMailServer } from '../support/mail.ts';

const mib = 1024 * 1024;
let server: Awaited<ReturnType<typeof startMailServer>>;
let agent: ShopAgent;
let port: number;

beforeAll(async () => {
  server = await startMailServer();
  agent = await startShopAgent({ email: { smtpUrl: server.url } });
  port = await agent.service.listenForMail(0, '127.0.0.1');
});
afterAll(async () => {
  await agent.close();
  await server.close();
});

const from = 'From: Eve <eve@site.example>\nSubject: S\n';
const multipart = (boundary: string) => `Content-Type: multipart/mixed; boundary="${boundary}"\n`;
const nested = (depth: number) => {
  let text = 'Content-Type: text/plain\n\nInnermost.';
  for (let level = 0; level < depth; level += 1)
    text = `${multipart(`b${level}`)}\n--b${level}\n${text}\n--b${level}--`;
  return from + text;
};
const enclosed = (depth: number) => {
  let text = `${from}\nInnermost.`;
  for (let level = 0; level < depth; level += 1) text = `${from}Content-Type: message/rfc822\n\n${text}`;
  return text;
};
const html = (text: string) => `${from}Content-Type: text/html\n\n${text}`;
const plain = (text: string, headers = '') => `${from}${headers}\n${text}`;
const lines = (count: number, line: string) => `${line}\n`.repeat(count);
const attachment = (bytes: Buffer) =>
  `${from}${multipart('b')}\n--b\n\nText.\n--b\nContent-Type: application/gzip\nContent-Transfer-Encoding: base64\n\n${bytes.toString('base64').replace(/.{76}/g, '$&\n')}\n--b--`;

const taken = /^250/;
const tooLarge = /^552/;
const unreadable = /^554/;
type Case = [name: string, reply: RegExp, data: string | Buffer, kept?: object];

const cases: Case[] = [
  ['nothing', taken, '', { from_address: 'mallory@site.example', subject: '', text_body: '' }],
  ['headers alone', taken, from, { text_body: '' }],
  ['a body alone', taken, '\nHello', { from_address: 'mallory@site.example', text_body: 'Hello' }],
  ['a From without address', taken, 'From: Eve\n\nx', { from_address: 'mallory@site.example' }],
  [
    'a From of a group',
    taken,
    'From: All: a@site.example, b@site.example;\n\nx',
    { from_address: 'a@site.example' },
  ],
  ['a From of thousands', taken, `From: ${'eve@site.example, '.repeat(5_000)}eve@site.example\n\nx`],
  ['two From', taken, 'From: a@site.example\nFrom: b@site.example\n\nx', {}],
  [
    'line ends hidden in names',
    taken,
    'From: =?utf-8?q?Eve=0D=0ABcc:_x@site.example?= <eve@site.example>\nSubject: =?utf-8?q?a=0D=0Ab?=\n\nx',
    { from_address: 'eve@site.example', subject: 'a b' },
  ],
  ['an address with a line end', taken, 'From: "eve@site.example\\\nBcc:"@x <e\tve@site.example>\n\nx'],
  [
    'an unknown charset',
    taken,
    plain('abc', 'Content-Type: text/plain; charset=klingon-8\n'),
    { text_body: 'abc' },
  ],
  ['base64 cut off', taken, plain('V2llIGdyb8Of', 'Content-Transfer-Encoding: base64\n')],
  ['base64 that is none', taken, plain('%%%%', 'Content-Transfer-Encoding: base64\n')],
  ['quoted-printable cut off', taken, plain('a=C3', 'Content-Transfer-Encoding: quoted-printable\n')],
  ['parts without an end', taken, `${from}${multipart('b')}\n--b\n\nText.`, { text_body: 'Text.' }],
  ['parts that never begin', taken, `${from}${multipart('b')}\nText.`],
  ['an empty boundary', taken, `${from}Content-Type: multipart/mixed; boundary=""\n\n--\nText.`],
  ['parts in parts', taken, nested(40), { text_body: 'Innermost.' }],
  ['parts in parts without end', taken, nested(500), { text_body: 'Innermost.' }],
  [
    'ten thousand parts',
    unreadable,
    `${from}${multipart('b')}\n${lines(10_000, '--b\nContent-Type: text/plain\n\nx')}--b--`,
  ],
  ['mails in mails', taken, enclosed(30)],
  ['one header of 300 kB', unreadable, plain('x', `X-Long: ${'y'.repeat(300_000)}\n`)],
  ['a hundred thousand headers', unreadable, plain('x', lines(100_000, 'X-One: y'))],
  [
    'a subject of words',
    taken,
    `From: eve@site.example\nSubject: ${'=?utf-8?q?=C3=BC?= '.repeat(5_000)}\n\nx`,
  ],
  ['thousands of references', taken, plain('x', `References: ${'<a@b> '.repeat(20_000)}\n`)],
  [
    'a line of 5 MB',
    taken,
    plain('x'.repeat(5 * mib)),
    { text_body: expect.stringMatching(/^x{100000}\n\[The rest is cut\.\]$/) },
  ],
  ['nearly 10 MB', taken, plain(lines(100_000, 'y'.repeat(98)))],
  ['more than 10 MB', tooLarge, plain(lines(110_000, 'y'.repeat(98)))],
  ['a bomb in a file', taken, attachment(gzipSync(Buffer.alloc(200 * mib))), { text_body: 'Text.' }],
  ['elements in elements', taken, html(`${'<div>'.repeat(90_000)}Deep.`), { text_body: 'Deep.' }],
  ['elements that never end', taken, html('<'.repeat(mib))],
  ['attributes without end', taken, html(`<p ${'a="b" '.repeat(60_000)}>Text.</p>`), { text_body: 'Text.' }],
  ['a comment that never ends', taken, html(`<p>Text.</p><!-- ${'-'.repeat(mib)}`), { text_body: 'Text.' }],
  ['a script', taken, html('<p>Text.</p><script>x</script><img src=x onerror=y>'), { text_body: 'Text.' }],
  [
    'zeros',
    taken,
    Buffer.concat([Buffer.from(`${from.replaceAll('\n', '\r\n')}\r\na\0b`)]),
    { text_body: 'a\uFFFDb' },
  ],
  [
    'bytes that are no UTF-8',
    taken,
    Buffer.concat([
      Buffer.from(`${from.replaceAll('\n', '\r\n')}\r\n`),
      Buffer.from([0xff, 0xc3, 0x28, 0x61]),
    ]),
  ],
  ['a day that is none', taken, plain('x', 'Date: 35 Foo 99999999\n'), { text_body: 'x' }],
  ['hops without end', taken, plain('x', lines(2_000, 'Received: from a by b; x')), { text_body: 'x' }],
];

test.each(cases)('%s', async (_, reply, data, kept) => {
  const replies = await sendMail(port, { from: 'mallory@site.example', data });
  expect(replies.at(-1)).toMatch(reply);
  const { body } = await agent.client.call('GET', '/v1/bot/email/readall', { per_page: 1 });
  expect(body.emails[0]?.text_body.length ?? 0).toBeLessThan(101_000);
  if (kept) expect(body.emails[0]).toMatchObject(kept);
});

test('one mail has twenty recipients at most', async () => {
  const to: string[] = [];
  for (let made = 0; made < 21; made += 1) {
    const { body } = await agent.client.call('POST', '/v1/bot/create', { name: `A${made}` });
    to.push(`${body.bot.uuid}@agent.localhost`);
  }
  const replies = await sendMail(port, { to, data: plain('x') });
  expect(replies.slice(2).map((reply) => reply.slice(0, 3))).toEqual([...Array(20).fill('250'), '452']);
});

test('a mail ends where SMTP says, and holds no second one', async () => {
  const count = async () => (await agent.client.call('GET', '/v1/bot/email/readall')).body.total;
  const before = await count();
  for (const end of ['\n.\n', '\r.\r', '\n.\r\n', '\r\n.\n']) {
    const smuggled = `MAIL FROM:<boss@site.example>\r\nRCPT TO:<juniper@agent.localhost>\r\nDATA\r\nFrom: boss@site.example\r\n\r\nPay.`;
    await sendMail(port, {
      from: 'mallory@site.example',
      data: Buffer.from(`${from.replaceAll('\n', '\r\n')}\r\nHello.${end}${smuggled}`),
    });
  }
  expect(await count()).toBe(before + 4);
  const { emails } = (await agent.client.call('GET', '/v1/bot/email/readall', { per_page: 4 })).body;
  for (const email of emails) expect(email.from_address).toBe('eve@site.example');
});

test('an agent that answers is answered by none of them', async () => {
  await agent.client.call('PUT', '/v1/bot/email/settings', { email_auto_reply: true });
  const own = 'juniper@agent.localhost';
  const auto = 'Auto-Submitted: auto-replied\n';
  for (const data of [
    `From: ${own}\n\nx`,
    plain('x', auto),
    plain('x', 'Precedence: bulk\n'),
    'From: Eve\n\nx',
  ])
    expect((await sendMail(port, { from: '', data })).at(-1)).toMatch(taken);
  // One that is answered, and is last.
  await sendMail(port, {
    from: 'ada@site.example',
    data: 'From: ada@site.example\n\nHow long does shipping to Canada take?',
  });
  await server.count(1);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(server.taken.map(({ to }) => to)).toEqual([['ada@site.example']]);
});
