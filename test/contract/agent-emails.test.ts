/** E-mail of the local agent service: what comes in over SMTP, what goes out, threads, and what is never answered. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startAgent } from '../../demo/agent/start.ts';
import { startInbox } from '../../demo/site/inbox.ts';
import { runAgent } from '../support/agentprocess.ts';
import { createGate, type ShopAgent, startShopAgent } from '../support/agentservice.ts';
import { headerOf, headersOf, sendMail, startMailServer } from '../support/mail.ts';
import { findPort } from '../support/port.mjs';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const question = 'How long does shipping to Canada take?';
const own = 'juniper@agent.localhost';
let server: Awaited<ReturnType<typeof startMailServer>>;
let agent: ShopAgent;
let port: number;

const start = async (options: object = {}) => {
  server = await startMailServer();
  agent = await startShopAgent({
    extraKeys: [
      { key: 'moderator-key', role: 'moderator' },
      { key: 'member-key', role: 'member' },
    ],
    email: { smtpUrl: server.url, owner: 'owner@shop.example' },
    ...options,
  });
  port = await agent.service.listenForMail(0, '127.0.0.1');
};
afterEach(async () => {
  await agent.close();
  await server.close();
});

const call = (method: string, what: string, input: object = {}, key?: string | null) =>
  agent.client.call(method, `/v1/bot/email/${what}`, input, key);
const set = (input: object) => call('PUT', 'settings', input);
const mail = (
  text: string,
  headers = 'From: Ada <ada@site.example>\nSubject: Tents\nMessage-ID: <1@site.example>',
) => ({
  data: `${headers}\n\n${text}`,
});
/** @returns the reply to the last command */
const deliver = async (sent: Parameters<typeof sendMail>[1]) => (await sendMail(port, sent)).at(-1)!;
const emails = async (input: object = {}) => (await call('GET', 'readall', input)).body.emails;
const newest = async () => (await emails({ direction: 'inbound' }))[0];
/** What is not to happen has had time to. */
const settled = async () => {
  await new Promise((resolve) => setTimeout(resolve, 300));
};

describe('what comes in', () => {
  beforeEach(() => start());

  test('is readable as soon as it is taken (S18, S151)', async () => {
    expect((await call('GET', 'address')).body).toEqual({
      address: own,
      settings: { email_enabled: true, email_auto_reply: false, email_notifications: false },
    });
    expect(await deliver(mail(question))).toMatch(/^250/);
    const { body } = await call('GET', 'readall');
    expect(body).toEqual({
      total: 1,
      emails: [
        {
          uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
          direction: 'inbound',
          from_address: 'ada@site.example',
          to_address: own,
          subject: 'Tents',
          text_body: question,
          status: 'received',
          in_reply_to: null,
          created_at: '2031-03-01T12:00:00.000Z',
          updated_at: '2031-03-01T12:00:00.000Z',
        },
      ],
      pagination: { page: 1, per_page: 50, total: 1, total_pages: 1 },
    });
    const [email] = body.emails;
    expect((await call('GET', 'read', { email_id: email.uuid })).body).toEqual({ email });
    expect(await emails({ direction: 'outbound' })).toEqual([]);
    expect(await emails({ status: 'replied' })).toEqual([]);
    expect((await call('DELETE', 'delete', { email_id: email.uuid })).body.success).toBe(true);
    const gone = await call('GET', 'read', { email_id: email.uuid });
    expect([gone.status, gone.body.error.code]).toEqual([404, 'email_not_found']);
  });

  test('is refused at its address where there is no such mailbox, or where mail is off', async () => {
    for (const to of ['nobody@agent.localhost', 'juniper@elsewhere.example', 'juniper'])
      expect(await deliver({ to, ...mail('x') })).toMatch(/^(550|501)/);
    await set({ email_enabled: false });
    expect(await deliver(mail('x'))).toMatch(/^550/);
    await set({ email_enabled: 1 });
    expect(await deliver({ to: 'JUNIPER@Agent.Localhost', ...mail('x') })).toMatch(/^250/);
  });

  test.each([
    [
      'words and quoted-printable',
      'From: =?utf-8?q?J=C3=BCrgen?= <j@site.example>\nSubject: =?utf-8?b?R3LDvMOfZQ==?= =?iso-8859-1?q?_aus_K=F6ln?=\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable',
      'Wie gro=DF ist das Zelt? Es ist sehr =\nlang.',
      'Grüße aus Köln',
      'Wie groß ist das Zelt? Es ist sehr lang.',
    ],
    [
      'base64',
      'From: j@site.example\nSubject: S\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64',
      'V2llIGdyb8OfPw==',
      'S',
      'Wie groß?',
    ],
    [
      'several parts',
      'From: j@site.example\nSubject: S\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b',
      '--b\nContent-Type: multipart/alternative; boundary=c\n\n--c\nContent-Type: text/plain\n\nPlain.\n--c\nContent-Type: text/html\n\n<b>Rich.</b>\n--c--\n--b\nContent-Type: application/pdf\nContent-Disposition: attachment; filename=a.pdf\nContent-Transfer-Encoding: base64\n\nAAAA\n--b--',
      'S',
      'Plain.',
    ],
    [
      'HTML alone',
      'From: j@site.example\nSubject: S\nContent-Type: text/html; charset=utf-8',
      '<html><head><style>p { color: red }</style></head><body><p>Hello &amp; welcome.</p><script>x()</script><ul><li>One</li></ul></body></html>',
      'S',
      'Hello & welcome.\nOne',
    ],
  ])('%s are stored as text', async (_, headers, text, subject, expected) => {
    expect(await deliver(mail(text, headers))).toMatch(/^250/);
    expect(await newest()).toMatchObject({ subject, text_body: expected });
  });

  test('who writes for the first time is a subscriber, and workflows hear of the mail', async () => {
    const receiver: Receiver = await startReceiver();
    await agent.close();
    await server.close();
    await start({
      privateHosts: [`127.0.0.1:${receiver.port}`],
      webhook: { url: receiver.url, secret: 's' },
    });
    await receiver.count(1);
    await agent.client.call('POST', '/v1/bot/workflow/create', {
      name: 'Mail',
      trigger_type: 'event',
      trigger_event: 'email.received',
      actions: [{ type: 'call_url', url: receiver.url }],
    });
    await deliver(mail('x'));
    await deliver(mail('y'));
    await receiver.count(4);
    const people = (await agent.client.call('GET', '/v1/bot/subscriber/readall')).body.subscribers;
    expect(people).toMatchObject([{ email: 'ada@site.example', name: 'Ada' }]);
    const told = receiver.received.slice(1).map(({ body }) => body);
    expect(told.filter(({ event }) => event === 'subscriber.joined')).toMatchObject([
      { resource_id: String(people[0].id), email: 'ada@site.example', name: 'Ada' },
    ]);
    expect(
      told.filter(({ event }) => event === 'email.received').map(({ resource_id }) => resource_id),
    ).toEqual((await emails()).map(({ uuid }: { uuid: string }) => uuid).reverse());
    expect(told.find(({ event }) => event === 'email.received')).toEqual({
      event: 'email.received',
      resource_id: expect.any(String),
      name: 'Ada',
      email: 'ada@site.example',
      bot: { id: 'juniper', name: 'Juniper' },
    });
    await receiver.close();
  });
});

describe('what goes out', () => {
  beforeEach(() => start());

  test('of a long thread its beginning and its end are named', async () => {
    const ids = Array.from({ length: 30 }, (_, n) => `<${n}@a>`);
    const references = ids.join(' ');
    await deliver(mail('x', `From: ada@site.example\nMessage-ID: <30@a>\nReferences: ${references}`));
    await call('POST', 'reply', { email_id: (await newest()).uuid, content: 'y' });
    const [taken] = await server.count(1);
    const told = headerOf(taken!, 'references')!.split(' ');
    expect(told).toEqual([ids[0], ...ids.slice(12), '<30@a>']);
  });

  test('a reply, in the thread of what it answers', async () => {
    await deliver(
      mail(
        'x',
        'From: Ada <ada@site.example>\nSubject: RE: re: Tents\nMessage-ID: <2@site.example>\nReferences: <0@a> <1@a>',
      ),
    );
    const { uuid: email_id } = await newest();
    const { status, body } = await call('POST', 'reply', { email_id, content: 'It takes a week.\nGrüße' });
    expect([status, body.email]).toEqual([
      201,
      {
        uuid: expect.any(String),
        direction: 'outbound',
        from_address: own,
        to_address: 'ada@site.example',
        subject: 'Re: Tents',
        text_body: 'It takes a week.\nGrüße',
        status: 'sent',
        in_reply_to: email_id,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ]);
    const [taken] = await server.count(1);
    expect([taken!.from, taken!.to]).toEqual([own, ['ada@site.example']]);
    const header = (name: string) => headerOf(taken!, name);
    expect(header('from')).toBe(`Juniper <${own}>`);
    expect(header('to')).toBe('ada@site.example');
    expect(header('subject')).toBe('Re: Tents');
    expect(header('in-reply-to')).toBe('<2@site.example>');
    expect(header('references')).toBe('<0@a> <1@a> <2@site.example>');
    expect(header('auto-submitted')).toBeUndefined();
    expect((await newest()).status).toBe('replied');

    // And the answer to that is known to be one.
    await deliver(
      mail('z', `From: ada@site.example\nSubject: Re: Tents\nIn-Reply-To: ${header('message-id')}`),
    );
    expect((await newest()).in_reply_to).toBe(body.email.uuid);
    const again = await call('POST', 'reply', { email_id: body.email.uuid, content: 'x' });
    expect([again.status, again.body.error.message.split(':')[0]]).toEqual([400, 'email_id']);
  });

  test('no line end in a subject makes a header', async () => {
    await deliver(
      mail('x', 'From: ada@site.example\nSubject: =?utf-8?q?Hi=0D=0ABcc:_eve@site.example=0D=0A=0D=0ABody?='),
    );
    const { uuid: email_id, subject } = await newest();
    expect(subject).toBe('Hi Bcc: eve@site.example Body');
    await call('POST', 'reply', { email_id, content: 'x' });
    const [taken] = await server.count(1);
    expect(taken!.to).toEqual(['ada@site.example']);
    expect(headersOf(taken!).map(([name]) => name)).not.toContain('bcc');
    expect(headerOf(taken!, 'subject')).toBe('Re: Hi Bcc: eve@site.example Body');
  });

  test('a server that refuses or is down: the e-mail is kept as failed', async () => {
    await deliver(mail('x'));
    const { uuid: email_id } = await newest();
    server.refusing.isOn = true;
    const refused = await call('POST', 'reply', { email_id, content: 'One' });
    await server.close();
    const down = await call('POST', 'reply', { email_id, content: 'Two' });
    for (const { status, body } of [refused, down])
      expect([status, body.error.code]).toEqual([502, 'smtp_failed']);
    expect(
      (await emails({ status: 'failed' })).map(({ text_body }: { text_body: string }) => text_body),
    ).toEqual(['Two', 'One']);
    expect((await newest()).status).toBe('received');
    const { stats } = (await call('GET', 'stats', { includeTimeSeries: true })).body;
    expect(stats).toEqual({
      total: 3,
      inbound: 1,
      outbound: 2,
      replied: 0,
      failed: 2,
      time_series: [{ date: '2031-03-01', inbound: 1, outbound: 2 }],
    });
    agent.clock.now += 8 * 24 * 3_600_000;
    expect((await call('GET', 'stats', { timeRange: '7d' })).body.stats).toMatchObject({
      total: 0,
      time_series: [],
    });
  });

  test('an action of a workflow: to one address, and to no list of them', async () => {
    const { body } = await agent.client.call('POST', '/v1/bot/workflow/create', {
      name: 'Mail',
      trigger_type: 'manual',
      actions: [{ type: 'send_email', to: '{{to}}', subject: 'Hello {{name}}', body: 'Dear {{name}}' }],
    });
    const run = async (to: string) =>
      (
        await agent.client.call('POST', '/v1/bot/workflow/run', {
          workflow_id: body.workflow.uuid,
          payload: { to, name: 'Eve\r\nBcc: x@site.example' },
        })
      ).body.result.actions[0];
    for (const to of ['', 'a@site.example, b@site.example', 'Eve <eve@site.example>', 'a@b\nc: d'])
      expect(await run(to)).toMatchObject({ status: 'error', error: 'invalid_address' });
    const { output } = await run('eve@site.example');
    const [taken] = await server.count(1);
    expect([taken!.to, headerOf(taken!, 'subject')]).toEqual([
      ['eve@site.example'],
      'Hello Eve Bcc: x@site.example',
    ]);
    expect((await call('GET', 'read', { email_id: output.email_id })).body.email).toMatchObject({
      direction: 'outbound',
      status: 'sent',
      in_reply_to: null,
    });
  });
});

describe('what the agent does about it by itself', () => {
  beforeEach(() => start());

  test('it answers, in the conversation of the sender', async () => {
    await set({ email_auto_reply: true });
    await deliver(mail(`${question}\n\nOn Monday, Juniper wrote:\n> When do herons nest?`));
    const [taken] = await server.count(1);
    expect(headerOf(taken!, 'auto-submitted')).toBe('auto-replied');
    expect(headerOf(taken!, 'in-reply-to')).toBe('<1@site.example>');
    expect(taken!.raw).toContain('5 to 8 business days');
    await expect.poll(async () => (await newest()).status).toBe('replied');
    const [reply] = await emails({ direction: 'outbound' });
    expect(reply).toMatchObject({ in_reply_to: (await newest()).uuid, status: 'sent', subject: 'Re: Tents' });
    const { conversation } = (
      await agent.client.call('GET', '/v1/bot/chat/read', { chat_id: 'email:ada@site.example' })
    ).body;
    const [asked, answered] = conversation;
    expect(asked.content).toBe(question);
    expect(reply.text_body.split('\n\n')).toEqual([
      answered.content,
      expect.stringMatching(/^\[1\] Shipping: http:.*\/shipping\.html$/),
    ]);
  });

  test.each([
    ['an answering machine', 'Auto-Submitted: auto-replied', 'ada@site.example', 'ada@site.example'],
    ['a machine', 'Auto-Submitted: auto-generated; x=y', 'ada@site.example', 'ada@site.example'],
    ['a list', 'Precedence: list', 'ada@site.example', 'ada@site.example'],
    ['bulk', 'Precedence: Bulk', 'ada@site.example', 'ada@site.example'],
    ['junk', 'Precedence: junk', 'ada@site.example', 'ada@site.example'],
    ['a list by its headers', 'List-Id: <herons.site.example>', 'ada@site.example', 'ada@site.example'],
    ['who wants none', 'X-Auto-Response-Suppress: All', 'ada@site.example', 'ada@site.example'],
    ['itself', 'X-Y: z', own, 'ada@site.example'],
    ['a mail server about a mail', 'X-Y: z', 'mailer-daemon@site.example', ''],
    [
      'a report',
      'Content-Type: multipart/report; boundary=b',
      'mailer-daemon@site.example',
      'x@site.example',
    ],
  ])('it does not answer %s', async (_, header, from, envelope) => {
    await set({ email_auto_reply: true });
    expect(
      await deliver({ from: envelope, ...mail(question, `From: ${from}\nSubject: Tents\n${header}`) }),
    ).toMatch(/^250/);
    await deliver({ ...mail(question, 'From: bea@site.example\nSubject: Tents\nAuto-Submitted: no') });
    await server.count(1);
    await settled();
    expect(server.taken.map(({ to }) => to)).toEqual([['bea@site.example']]);
  });

  test('two machines that answer each other come to an end', async () => {
    await set({ email_auto_reply: true });
    for (let n = 0; n < 14; n += 1) await deliver(mail(question));
    await server.count(10);
    await settled();
    expect(server.taken).toHaveLength(10);
    agent.clock.now += 3_600_000;
    await deliver(mail(question));
    await server.count(11);
  });

  test('neither its owner nor a workflow hears of bounces and answering machines', async () => {
    await set({ email_notifications: true, email_auto_reply: true });
    const { body } = await agent.client.call('POST', '/v1/bot/workflow/create', {
      name: 'Thank',
      trigger_type: 'event',
      trigger_event: 'email.received',
      actions: [{ type: 'send_email', to: '{{email}}', subject: 'Thank you', body: 'We have it.' }],
    });
    const auto = 'From: ada@site.example\nSubject: Away\nAuto-Submitted: auto-replied';
    await deliver({ ...mail('x', auto) });
    await deliver({ from: '', ...mail('x', 'From: mailer-daemon@site.example\nSubject: Failed') });
    await deliver({ ...mail(question, 'From: bea@site.example\nSubject: Tents') });
    await server.count(3);
    await settled();
    expect(server.taken.map(({ to }) => to[0]).sort()).toEqual([
      'bea@site.example',
      'bea@site.example',
      'owner@shop.example',
    ]);
    const thanks = server.taken.find((taken) => headerOf(taken, 'subject') === 'Thank you')!;
    expect(headerOf(thanks, 'auto-submitted')).toBe('auto-generated');
    const logs = await agent.client.call('GET', '/v1/bot/workflow/logs', { workflow_id: body.workflow.uuid });
    expect(logs.body.total).toBe(1);
    // Machines are no people.
    const { subscribers } = (await agent.client.call('GET', '/v1/bot/subscriber/readall')).body;
    expect(subscribers.map(({ email: address }: { email: string }) => address)).toEqual(['bea@site.example']);
  });

  test('a workflow writes to an address of its payload ten times an hour at most', async () => {
    const { body } = await agent.client.call('POST', '/v1/bot/workflow/create', {
      name: 'Thank',
      trigger_type: 'manual',
      actions: [{ type: 'send_email', to: '{{to}}', subject: 'Thank you', body: 'We have it.' }],
    });
    const run = async (to: string) =>
      (
        await agent.client.call('POST', '/v1/bot/workflow/run', {
          workflow_id: body.workflow.uuid,
          payload: { to },
        })
      ).body.result.actions[0].error;
    for (let n = 0; n < 10; n += 1)
      expect(await run(n % 2 ? 'ada@site.example' : 'Ada@Site.Example')).toBeNull();
    expect(await run('ADA@site.example')).toBe('too_many_emails');
    expect(await run('bea@site.example')).toBeNull();
  });

  test('a workflow writes to an address of its own sixty times an hour at most', async () => {
    const { body } = await agent.client.call('POST', '/v1/bot/workflow/create', {
      name: 'Tell the desk',
      trigger_type: 'manual',
      actions: [{ type: 'send_email', to: 'desk@site.example', subject: '{{long}}', body: 'One more.' }],
    });
    const payload = { long: 'ä'.repeat(2_000) };
    const call = { workflow_id: body.workflow.uuid, payload };
    const errors = [];
    for (let n = 0; n < 61; n += 1)
      errors.push(
        (await agent.client.call('POST', '/v1/bot/workflow/run', call)).body.result.actions[0].error,
      );
    expect(errors.filter((error) => error === null)).toHaveLength(60);
    expect(errors.at(-1)).toBe('too_many_emails');
    const [email] = await emails({ direction: 'outbound' });
    expect(email.subject).toBe('ä'.repeat(1_000));
  });

  test('what a workflow and somebody wrote by hand leaves the agent its answers', async () => {
    await set({ email_auto_reply: true });
    await agent.client.call('POST', '/v1/bot/workflow/create', {
      name: 'Thank',
      trigger_type: 'event',
      trigger_event: 'email.received',
      actions: [{ type: 'send_email', to: '{{email}}', subject: 'Thank you', body: 'We have it.' }],
    });
    for (let n = 1; n <= 4; n += 1) {
      await deliver(mail(question));
      await server.count(2 * n);
    }
    const { uuid } = await newest();
    for (let n = 0; n < 6; n += 1) await call('POST', 'reply', { email_id: uuid, content: 'By hand.' });
    await deliver(mail(question));
    const taken = await server.count(4 * 2 + 6 + 2);
    expect(taken.filter((one) => headerOf(one, 'auto-submitted') === 'auto-replied')).toHaveLength(5);
  });

  test('of mail that it takes no more it answers none, whoever waits', async () => {
    await agent.close();
    await server.close();
    const gate = createGate();
    await start({ wordsPerSecond: 1, sleep: gate.sleep });
    await set({ email_auto_reply: true });
    await deliver(mail(question));
    await expect.poll(() => agent.service.events.some(({ event }) => event === 'chat.started')).toBe(true);
    await deliver(mail(question));
    await set({ email_enabled: false });
    gate.open();
    await server.count(1);
    await settled();
    expect(server.taken).toHaveLength(1);
  });

  test('its owner is told of no mail of their own, and of sixty an hour at most', async () => {
    await set({ email_notifications: true });
    await deliver(mail(question, 'From: Owner@shop.example\nSubject: Mine'));
    for (let n = 0; n < 61; n += 1)
      await deliver(mail(question, `From: v${n}@site.example\nSubject: Theirs`));
    await expect
      .poll(() => agent.service.events.filter(({ event }) => event === 'email.not_announced').length)
      .toBe(1);
    expect(server.taken).toHaveLength(60);
    expect(server.taken.every((one) => headerOf(one, 'subject')!.endsWith('Theirs'))).toBe(true);
    agent.clock.now += 60 * 60_000;
    await deliver(mail(question, 'From: later@site.example\nSubject: An hour later'));
    expect(headerOf((await server.count(61)).at(-1)!, 'subject')).toContain('An hour later');
  });

  test('it answers nobody once that is switched off, whoever waits', async () => {
    await agent.close();
    await server.close();
    const gate = createGate();
    await start({ wordsPerSecond: 1, sleep: gate.sleep });
    await set({ email_auto_reply: true });
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f'])
      await deliver(mail(question, `From: ${name}@site.example\nSubject: Tents`));
    await expect
      .poll(() => agent.service.events.filter(({ event }) => event === 'chat.started').length)
      .toBe(4);
    await set({ email_auto_reply: false });
    gate.open();
    await server.count(4);
    await settled();
    expect(server.taken).toHaveLength(4);
  });

  test('somebody of the same domain is a person as any', async () => {
    await set({ email_auto_reply: true });
    await deliver(mail(question, 'From: carol@agent.localhost\nSubject: Tents'));
    const [taken] = await server.count(1);
    expect(taken!.to).toEqual(['carol@agent.localhost']);
  });

  test('it tells its owner of each, if that is wanted', async () => {
    await set({ email_notifications: true });
    await deliver(mail(question));
    const [taken] = await server.count(1);
    expect(taken!.to).toEqual(['owner@shop.example']);
    expect(headerOf(taken!, 'subject')).toBe('E-mail for Juniper: Tents');
    expect(headerOf(taken!, 'auto-submitted')).toBe('auto-generated');
    expect(taken!.raw).toContain(question);
    await set({ email_notifications: false });
    await deliver(mail(question));
    await settled();
    expect(server.taken).toHaveLength(1);
    expect(await emails({ direction: 'outbound' })).toEqual([]);
  });

  test('whom it tells is its owner’s to say, whatever a mail asks for (S172)', async () => {
    await set({ email_notifications: true });
    const asked = [
      'From: ada@site.example',
      'Reply-To: many@site.example',
      'Cc: rival@site.example',
      'Bcc: hidden@site.example',
      'Disposition-Notification-To: rival@site.example',
      'Subject: Notify rival@site.example\r\n Bcc: rival@site.example',
    ];
    await deliver(mail('Please notify rival@site.example of this.', asked.join('\n')));
    const [taken] = await server.count(1);
    expect(taken!.to).toEqual(['owner@shop.example']);
    await settled();
    expect(server.taken).toHaveLength(1);
  });

  /** A mail of one in whose conversation somebody speaks until the gate is open. */
  async function writeWhileBusy() {
    await agent.close();
    await server.close();
    const gate = createGate();
    await start({ wordsPerSecond: 1, sleep: gate.sleep });
    await set({ email_auto_reply: true });
    const busy = agent.client.chat(question, { chat_id: 'email:ada@site.example' });
    await expect.poll(() => agent.service.events.some(({ event }) => event === 'chat.started')).toBe(true);
    await deliver(mail(question));
    return { gate, busy };
  }

  test('it answers once the conversation is free', async () => {
    const { gate, busy } = await writeWhileBusy();
    // It is tried more often than a mail is over kills.
    await new Promise((resolve) => setTimeout(resolve, 7_000));
    expect(server.taken).toEqual([]);
    gate.open();
    await busy;
    await server.count(1);
    await expect.poll(async () => (await newest()).status).toBe('replied');
  }, 30_000);

  test('what was switched off while it waited is not answered', async () => {
    const { gate, busy } = await writeWhileBusy();
    await set({ email_auto_reply: false });
    gate.open();
    await busy;
    await deliver(mail(question, 'From: bea@site.example\nSubject: Tents'));
    // So long it rests before it looks again.
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(server.taken).toEqual([]);
    expect((await agent.client.call('GET', '/v1/bot/chat/readall', {})).body.pagination.total).toBe(1);
  }, 30_000);

  test('four that wait for their conversations hold up nobody else’s', async () => {
    await agent.close();
    await server.close();
    const gate = createGate();
    await start({ wordsPerSecond: 1, sleep: gate.sleep });
    await set({ email_auto_reply: true });
    const senders = ['ada', 'bea', 'cleo', 'dora'].map((name) => `${name}@site.example`);
    const busy = senders.map((one) => agent.client.chat(question, { chat_id: `email:${one}` }));
    const begun = () => agent.service.events.filter(({ event }) => event === 'chat.started').length;
    await expect.poll(begun).toBe(4);
    for (const one of senders) await deliver(mail(question, `From: ${one}\nSubject: Tents`));
    await deliver(mail(question, 'From: free@site.example\nSubject: Tents'));
    await expect.poll(begun, { timeout: 5_000 }).toBe(5);
    expect(agent.service.events.some(({ event }) => event === 'email.not_answered')).toBe(false);
    gate.open();
    await Promise.all(busy);
    await server.count(5);
  }, 30_000);

  test('a conversation that is busy for ten minutes it waits for no longer', async () => {
    const { gate, busy } = await writeWhileBusy();
    const refused = () =>
      agent.service.events.filter(({ event }) => event === 'email.not_answered').map(({ code }) => code);
    agent.clock.now += 9 * 60_000;
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(refused()).toEqual([]);
    agent.clock.now += 2 * 60_000;
    await expect.poll(refused, { timeout: 5_000 }).toEqual(['chat_busy']);
    gate.open();
    await busy;
    await deliver(mail(question, 'From: bea@site.example\nSubject: Tents'));
    await server.count(1);
    // So long it rests before it looks again.
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(server.taken.map(({ to }) => to)).toEqual([['bea@site.example']]);
  }, 30_000);

  test('a question that would wait for somebody is not answered, and its conversation waits for nobody', async () => {
    await set({ email_auto_reply: true });
    await deliver(mail('Where is my order LF-10234?'));
    const read = async () =>
      (await agent.client.call('GET', '/v1/bot/chat/read', { chat_id: 'email:ada@site.example' })).body
        .conversation ?? [];
    await expect
      .poll(() => agent.service.events.find(({ event }) => event === 'email.not_answered'))
      .toMatchObject({ code: 'approval_required' });
    expect((await read()).at(-1)).toMatchObject({ isToolExecuting: false });
    expect(server.taken).toEqual([]);
  });

  test.each([
    [
      'an address in small letters',
      'dear customer service,\n\nHow long does shipping to Canada take?',
      'Tents',
    ],
    ['an address in words', 'Dear Juniper,\n\nHow long does shipping to Canada take?\n\nBest,\nAda', 'Tents'],
    ['nothing but its subject', 'Sent from my iPhone', 'How long does shipping to Canada take?'],
    ['a word about its subject', 'See subject.', 'How long does shipping to Canada take?'],
    ['a closing after few words', 'How long to Canada?\n\nThanks,\nAda', 'Shipping'],
  ])('a mail with %s is answered', async (_, text, subject) => {
    await set({ email_auto_reply: true });
    await deliver(mail(text, `From: ada@site.example\nSubject: ${subject}`));
    const [taken] = await server.count(1);
    expect(taken!.raw).toContain('5 to 8 business days');
  });

  test('thanks for an answer are no question about its subject', async () => {
    await set({ email_auto_reply: true });
    await deliver(mail('Thank you!\nAda', 'From: ada@site.example\nSubject: Re: How long to Canada?'));
    const [taken] = await server.count(1);
    expect(taken!.raw).toContain('You are welcome.');
  });

  test('an answer that was cancelled is not sent', async () => {
    await agent.close();
    await server.close();
    const gate = createGate();
    await start({ wordsPerSecond: 1, sleep: gate.sleep });
    await set({ email_auto_reply: true });
    await deliver(mail(question));
    const chat_id = 'email:ada@site.example';
    await expect
      .poll(async () => (await agent.client.call('GET', '/v1/bot/chat/active-streams')).body.streams.length)
      .toBe(1);
    await agent.client.call('POST', '/v1/bot/chat/cancel', { chat_id });
    await expect
      .poll(() => agent.service.events.find(({ event }) => event === 'email.not_answered'))
      .toMatchObject({ code: 'cancelled' });
    expect(server.taken).toEqual([]);
  });

  test('one sender is one conversation, however the address is written', async () => {
    await set({ email_auto_reply: true });
    for (const from of ['Ada@site.example', 'ada@SITE.example'])
      await deliver(mail(question, `From: ${from}\nSubject: Tents`));
    await server.count(2);
    const { body } = await agent.client.call('GET', '/v1/bot/chat/read', {
      chat_id: 'email:ada@site.example',
    });
    expect(body.total).toBe(4);
  });

  test('without credits it answers nobody, and keeps the mail', async () => {
    await agent.close();
    await server.close();
    await start({ credits: 0 });
    await set({ email_auto_reply: true });
    await deliver(mail(question));
    await expect
      .poll(() => agent.service.events.find(({ event }) => event === 'email.not_answered'))
      .toMatchObject({ code: 'credits_exhausted' });
    expect((await newest()).status).toBe('received');
  });
});

describe('who may', () => {
  beforeEach(() => start());

  test('owners, admins and moderators, and nobody else', async () => {
    await deliver(mail('x'));
    const { uuid: email_id } = await newest();
    const calls: [string, string, object][] = [
      ['GET', 'address', {}],
      ['PUT', 'settings', { email_auto_reply: false }],
      ['GET', 'readall', {}],
      ['GET', 'read', { email_id }],
      ['POST', 'reply', { email_id, content: 'x' }],
      ['GET', 'stats', {}],
      ['DELETE', 'delete', { email_id }],
    ];
    for (const [method, what, input] of calls) {
      const refused = await call(method, what, input, 'member-key');
      expect([what, refused.status, refused.body.error.code]).toEqual([what, 403, 'forbidden']);
    }
    for (const [method, what, input] of calls)
      expect([what, (await call(method, what, input, 'moderator-key')).status]).toEqual([
        what,
        what === 'reply' ? 201 : 200,
      ]);
  });

  test.each([
    ['PUT', 'settings', { email_enabled: 'maybe' }, 'email_enabled'],
    ['GET', 'readall', { direction: 'sideways' }, 'direction'],
    ['GET', 'readall', { status: 'lost' }, 'status'],
    ['GET', 'stats', { timeRange: '1d' }, 'timeRange'],
    ['POST', 'reply', { email_id: 'x', content: '' }, 'content'],
    ['POST', 'reply', { email_id: 'x', content: ' \n' }, 'content'],
    ['POST', 'reply', { email_id: 'x', content: 'x'.repeat(50_001) }, 'content'],
    ['GET', 'read', {}, 'email_id'],
  ])('%s %s %j is refused by the name of the field', async (method, what, input, field) => {
    const { status, body } = await call(method, what, input);
    expect([status, body.error.code, body.error.message.split(':')[0]]).toEqual([
      400,
      'invalid_parameters',
      field,
    ]);
  });
});

test('a mail server that hangs holds up no stop, and nothing is begun after it', async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    socket.write('220 here\r\n');
  });
  await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve));
  const smtpUrl = `smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const own = await startShopAgent({ email: { smtpUrl, owner: 'owner@shop.example' } });
  const port = await own.service.listenForMail(0, '127.0.0.1');
  await own.client.call('PUT', '/v1/bot/email/settings', {
    email_auto_reply: true,
    email_notifications: true,
  });
  await sendMail(port, { to: 'juniper@agent.localhost', ...mail(question) });
  await expect.poll(() => sockets.length).toBe(1);
  await own.close();
  const told = own.service.events.map(({ event }) => event);
  expect(told.filter((event) => event === 'email.not_announced')).toHaveLength(1);
  expect(told).not.toContain('chat.started');
  for (const socket of sockets) socket.destroy();
  silent.close();
});

test("the demo's inbox writes to the agent, and shows what came back", async () => {
  const mailPort = await findPort();
  const inbox = await startInbox('127.0.0.1', { port: mailPort, address: own });
  server = await startMailServer();
  agent = await startShopAgent({ email: { smtpUrl: inbox.url } });
  await agent.service.listenForMail(mailPort, '127.0.0.1');
  await set({ email_auto_reply: true });
  await inbox.write({ from: 'ada@site.example', subject: 'Canada', text: question });
  await expect.poll(() => inbox.list().length).toBe(2);
  expect(inbox.list()).toMatchObject([
    { id: 2, to: 'ada@site.example', subject: 'Re: Canada', text: expect.stringContaining('5 to 8') },
    { id: 1, from: 'ada@site.example', to: own, subject: 'Canada', text: question },
  ]);
  await set({ email_enabled: false });
  await expect(inbox.write({ from: 'ada@site.example', subject: 'x', text: 'x' })).rejects.toThrow('550');
  expect(inbox.list()).toHaveLength(2);
  await inbox.close();
});

test('without a server to send it with, a reply says which variable is missing', async () => {
  await start({ email: {} });
  await deliver(mail('x'));
  const { uuid: email_id } = await newest();
  const { status, body } = await call('POST', 'reply', { email_id, content: 'x' });
  expect([status, body.error.code]).toEqual([400, 'smtp_not_configured']);
  expect(body.error.message).toContain('AGENT_SMTP_URL');
  expect(await emails({ direction: 'outbound' })).toEqual([]);
});

test('over a stop: an answer that was cut off is written again, and sent once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agent-'));
  const db = join(folder, 'agent.db');
  await start({ db, wordsPerSecond: 1 });
  await set({ email_auto_reply: true });
  await deliver(mail('Hello there'));
  await expect
    .poll(async () => (await agent.client.call('GET', '/v1/bot/chat/active-streams')).body.streams.length)
    .toBe(1);
  await agent.close();
  expect(server.taken).toEqual([]);
  await server.close();
  await start({ db, wordsPerSecond: 0 });
  await server.count(1);
  await settled();
  expect(server.taken).toHaveLength(1);
  await agent.close();
  rmSync(folder, { recursive: true });
});

test('statistics are of the days that are asked for', async () => {
  await start();
  await deliver(mail('x'));
  agent.clock.now += 60 * 24 * 60 * 60_000;
  const inbound = async (timeRange?: string) =>
    (await call('GET', 'stats', timeRange ? { timeRange } : {})).body.stats.inbound;
  expect([await inbound('7d'), await inbound('30d'), await inbound(), await inbound('90d')]).toEqual([
    0, 0, 0, 1,
  ]);
  agent.clock.now += 29 * 24 * 60 * 60_000;
  expect(await inbound('90d')).toBe(1);
  agent.clock.now += 2 * 24 * 60 * 60_000;
  expect(await inbound('90d')).toBe(0);
});

test('over a kill: an answer that was cut off is written again, and sent once', async () => {
  await start();
  const folder = mkdtempSync(join(tmpdir(), 'agent-'));
  const env = { AGENT_DB: join(folder, 'agent.db'), AGENT_SMTP_URL: server.url };
  const mailPort = await findPort();
  const slow = await runAgent({ ...env, AGENT_SMTP_PORT: String(mailPort), AGENT_WORDS_PER_SECOND: '1' });
  await slow.call('PUT', '/v1/bot/email/settings', { email_auto_reply: true });
  const sent = { to: 'b@agent.localhost', ...mail('Hello there') };
  expect((await sendMail(mailPort, sent)).at(-1)).toMatch(/^250/);
  const asked = async (call: typeof slow.call) =>
    (await call('GET', '/v1/bot/chat/read', { chat_id: 'email:ada@site.example' })).body.total ?? 0;
  await expect.poll(() => asked(slow.call)).toBeGreaterThan(0);
  await slow.kill();
  expect(server.taken).toEqual([]);
  const again = await runAgent({ ...env, AGENT_WORDS_PER_SECOND: '0' });
  await server.count(1);
  const read = async () => (await again.call('GET', '/v1/bot/email/readall')).body.emails;
  await expect.poll(async () => (await read()).at(-1).status).toBe('replied');
  await again.kill();
  const third = await runAgent({ ...env, AGENT_WORDS_PER_SECOND: '0' });
  await settled();
  expect(server.taken).toHaveLength(1);
  await third.kill();
  rmSync(folder, { recursive: true });
});

test('from an environment, and what is wrong in it is named', async () => {
  await start();
  const folder = mkdtempSync(join(tmpdir(), 'agent-'));
  const env = {
    AGENT_DB: join(folder, 'agent.db'),
    AGENT_BOT_ID: 'Shop.Agent_1',
    AGENT_API_KEY: 'k',
    PORT: '0',
    AGENT_SMTP_PORT: '0',
    AGENT_SMTP_URL: server.url,
    AGENT_EMAIL_DOMAIN: 'Mail.Shop.Example',
    AGENT_OWNER_EMAIL: 'owner@shop.example',
  };
  const quiet = { log() {}, print() {} };
  const started = await startAgent(env, quiet);
  const [, , accepted] = await sendMail(started.mailPort!, {
    to: 'shop-agent-1@mail.shop.example',
    ...mail('x'),
  });
  expect(accepted).toMatch(/^250/);
  await started.close();
  const noDatabase = join(folder, 'text.db');
  writeFileSync(noDatabase, 'This is no database. '.repeat(100));
  for (const [name, value] of [
    ['AGENT_DB', noDatabase],
    ['AGENT_DB', join(noDatabase, 'agent.db')],
    ['AGENT_CLOCK_OFFSET_SECONDS', '1e15'],
    ['AGENT_API_KEY', 'a b'],
    ['AGENT_KEYS', 'member:k'],
    ['AGENT_KEYS', 'member:m:p:q'],
    ['PORT', new URL(server.url).port],
    ['AGENT_KEYS', 'member:m,admin:m'],
    ['AGENT_SMTP_PORT', new URL(server.url).port],
    ['AGENT_SMTP_PORT', '70000'],
    ['AGENT_SMTP_PORT', 'smtp'],
    ['AGENT_SMTP_URL', 'http://mail.example'],
    ['AGENT_EMAIL_DOMAIN', 'a b'],
    ['AGENT_OWNER_EMAIL', 'owner'],
  ] as const)
    await expect(startAgent({ ...env, [name]: value }, quiet)).rejects.toThrow(new RegExp(`^${name}: `));
  for (const [missing, name] of [
    ['AGENT_WEBHOOK_URL', 'AGENT_WEBHOOK_EVENTS'],
    ['AGENT_WEBHOOK_URL', 'AGENT_WEBHOOK_RETRY_MS'],
    ['PROVIDER_HOST', 'PROVIDER_KEY'],
    ['PROVIDER_HOST', 'PROVIDER_MODEL'],
  ] as const)
    await expect(startAgent({ ...env, [name]: '1' }, quiet)).rejects.toThrow(
      `${missing}: needed with ${name}`,
    );
  for (const host of ['localhost:11434/v1', 'ftp://model.example'])
    await expect(startAgent({ ...env, PROVIDER_HOST: host, PROVIDER_MODEL: 'm' }, quiet)).rejects.toThrow(
      /^PROVIDER_HOST: /,
    );
  rmSync(folder, { recursive: true });
});
