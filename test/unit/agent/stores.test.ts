/** What the tables keep to: orders, bounds that pass with time, what happens the second time. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, expect, test } from 'vitest';
import { type Db, openDatabase } from '../../../demo/agent/db.ts';
import { createEventLog } from '../../../demo/agent/events.ts';
import { createDeliveryStore } from '../../../demo/agent/store/deliveries.ts';
import { createEmailStore, type NewEmail } from '../../../demo/agent/store/emails.ts';
import { createKeyStore } from '../../../demo/agent/store/keys.ts';
import { createMemoryStore } from '../../../demo/agent/store/memories.ts';
import { createSubscriberStore } from '../../../demo/agent/store/subscribers.ts';
import { createTaskStore } from '../../../demo/agent/store/tasks.ts';
import { hourMs } from '../../../demo/agent/time.ts';
import { createDeliverer } from '../../../demo/agent/webhooks/delivery.ts';

let db: Db;
let time: number;
const now = () => time;
beforeEach(() => {
  time = 1_000;
  db = openDatabase(':memory:');
  db.exec(`INSERT INTO projects (id) VALUES ('p');
    INSERT INTO bots (uuid, project_id, credits, created_at) VALUES ('b', 'p', 1, 1)`);
  return () => db.close();
});
const page = { page: 1, perPage: 10 };

test('a configured key belongs to the project that is configured now', () => {
  const keys = createKeyStore(db, now);
  keys.install([{ key: 'k', role: 'owner', projectId: 'p' }]);
  keys.install([{ key: 'k', role: 'admin', projectId: 'q' }]);
  expect(keys.readCaller('k')).toMatchObject({ projectId: 'q', role: 'admin' });
});

test('of what is remembered of a person the latest five hundred are kept', () => {
  db.exec(`INSERT INTO accounts (uuid, project_id, subject, email, name, created_at)
    VALUES ('ada', 'p', 'ada', 'a@x', 'Ada', 1), ('eve', 'p', 'eve', 'e@x', 'Eve', 1)`);
  const memories = createMemoryStore(db, now);
  memories.add('b', 'eve', 'hers', 'semantic');
  for (let n = 0; n < 503; n += 1) memories.add('b', 'ada', `${n}`, 'semantic');
  expect(memories.count('b', 'ada')).toBe(500);
  expect(memories.list('b', { page: 500, perPage: 1 }, 'ada')[0]!.content).toBe('3');
  expect(memories.count('b', 'eve')).toBe(1);
});

test('the webhook that waits longest is sent first', () => {
  const deliveries = createDeliveryStore(db, now);
  for (const event of ['a', 'b', 'c']) {
    deliveries.add('p', event, 'http://x', '{}', false);
    time += 1;
  }
  const [first] = deliveries.due(1, []);
  expect(first!.event).toBe('a');
  deliveries.note(first!, { status: 500, error: 'no' }, time + 100);
  time += 1_000;
  expect(deliveries.due(10, []).map(({ event }) => event)).toEqual(['b', 'c', 'a']);
});

test('one that is sent again has all its attempts before it', () => {
  const deliveries = createDeliveryStore(db, now);
  deliveries.add('p', 'a', 'http://x', '{}', false);
  for (let attempt = 0; attempt < 8; attempt += 1)
    deliveries.note(deliveries.due(1, [])[0]!, { status: 500, error: 'no' }, attempt < 7 ? time : null);
  const [failed] = deliveries.list('p', 'failed', page).deliveries;
  expect(failed!.attempts).toBe(8);
  deliveries.renew(failed!);
  expect(deliveries.due(1, [])[0]).toMatchObject({ attempts: 0, status: 'pending' });
});

test('when it was delivered stays, though it was sent again and failed', () => {
  const deliveries = createDeliveryStore(db, now);
  deliveries.add('p', 'a', 'http://x', '{}', false);
  deliveries.note(deliveries.due(1, [])[0]!, { status: 204, error: null }, null);
  const [delivered] = deliveries.list('p', 'delivered', page).deliveries;
  time += 5;
  deliveries.renew(delivered!);
  deliveries.note(deliveries.due(1, [])[0]!, { status: 500, error: 'no' }, null);
  expect(deliveries.list('p', 'failed', page).deliveries).toMatchObject([{ delivered_at: 1_000 }]);
});

test('of webhooks that are over the old ones are forgotten, and none that waits', () => {
  const deliveries = createDeliveryStore(db, now);
  for (const event of ['over', 'waits']) deliveries.add('p', event, 'http://x', '{}', false);
  deliveries.note(deliveries.due(1, [])[0]!, { status: 204, error: null }, null);
  time += 1;
  deliveries.forgetBefore(time);
  expect(deliveries.list('p', undefined, page).deliveries.map(({ event }) => event)).toEqual(['waits']);
});

test('an attempt that the end of the service cuts off does not count', async () => {
  const deliveries = createDeliveryStore(db, now);
  const server = createServer(() => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  deliveries.add('p', 'a', url, '{}', false);
  const deliverer = createDeliverer(
    deliveries,
    { url, secret: 's' },
    { now, events: createEventLog(now, () => {}) },
  );
  const asked = once(server, 'request');
  deliverer.wake();
  await asked;
  await deliverer.close();
  server.closeAllConnections();
  server.close();
  expect(deliveries.list('p', undefined, page).deliveries).toMatchObject([
    { attempts: 0, status: 'pending' },
  ]);
});

const mail = (more: Partial<NewEmail> = {}): NewEmail => ({
  bot_id: 'b',
  direction: 'inbound',
  from_address: 'ada@site.example',
  to_address: 'b@agent.example',
  subject: 'Herons',
  text_body: 'When do they nest?',
  status: 'received',
  in_reply_to: null,
  message_id: null,
  thread: '',
  auto_submitted: null,
  ...more,
});
const fresh = { name: null, startsNothing: true, toAnswer: true, toAnnounce: false };

test('what was sent to an address counts for as long as is asked, by who wrote it', () => {
  const emails = createEmailStore(db, now, () => {});
  const sent = { direction: 'outbound', to_address: 'ada@site.example', status: 'sent' } as const;
  emails.receive(mail({ ...sent, auto_submitted: 'auto-replied' }), fresh);
  emails.receive(mail({ ...sent, auto_submitted: 'auto-generated' }), fresh);
  emails.receive(mail({ ...sent, to_address: 'bea@site.example', auto_submitted: 'auto-replied' }), fresh);
  const count = () => emails.countTo('b', 'ada@site.example', 'auto-replied', time - hourMs);
  expect(count()).toBe(1);
  time += hourMs - 1;
  expect(count()).toBe(1);
  time += 1;
  expect(count()).toBe(0);
});

test('what somebody answers by hand the agent answers no more', () => {
  const emails = createEmailStore(db, now, () => {});
  const asked = emails.receive(mail(), fresh);
  emails.receive(mail({ from_address: 'bea@site.example' }), fresh);
  expect(emails.toDo(10, []).map(({ from_address }) => from_address)).toHaveLength(2);
  const { direction: _, status: _status, ...reply } = mail({ in_reply_to: asked.uuid });
  emails.begin(reply, 'reply-1');
  expect(emails.toDo(10, []).map(({ from_address }) => from_address)).toEqual(['bea@site.example']);
});

test('what somebody answered while the agent waited is not tried again', () => {
  const emails = createEmailStore(db, now, () => {});
  const [free, answered] = [
    emails.receive(mail(), fresh),
    emails.receive(mail({ status: 'replied' }), fresh),
  ];
  for (const one of [free, answered]) {
    emails.settle(one);
    emails.unclaim(one);
  }
  expect(emails.toDo(10, []).map(({ uuid }) => uuid)).toEqual([free.uuid]);
});

test('a mail belongs to the last of those that it names', () => {
  const emails = createEmailStore(db, now, () => {});
  for (const id of ['<1@x>', '<2@x>', '<3@x>']) emails.receive(mail({ message_id: id, subject: id }), fresh);
  expect(emails.findByMessage('b', ['<1@x>', '<2@x>', '<unknown@x>'])!.subject).toBe('<2@x>');
  expect(emails.findByMessage('b', ['<unknown@x>'])).toBeUndefined();
  expect(emails.findByMessage('other', ['<1@x>'])).toBeUndefined();
});

test('a name that is known stays, whatever a mail says', () => {
  const subscribers = createSubscriberStore(db, now, () => {});
  const email = 'ada@site.example';
  for (const name of [null, 'Ada', 'Somebody else']) subscribers.saveLead('b', { email, name }, 'c');
  for (const name of ['Yet another', null]) subscribers.joinByEmail('b', { email, name });
  subscribers.saveLead('b', { email, name: 'A third' }, 'c');
  const { subscribers: all } = subscribers.list('p', 'b', page);
  expect(all.map(({ name, type }) => [name, type])).toEqual([['Ada', 'subscriber']]);
  // Nobody names another who came by himself.
  subscribers.joinByEmail('b', { email: 'wren@site.example', name: null });
  subscribers.saveLead('b', { email: 'wren@site.example', name: 'Eve' }, 'c');
  expect(subscribers.list('p', 'b', page).subscribers.map(({ name }) => name)).toContain(null);
});

test('a task without a conversation is found by that of its own name', () => {
  const tasks = createTaskStore(db, now);
  const settings = {
    name: 'T',
    description: null,
    prompt: 'Hello',
    schedule_type: 'daily',
    schedule_config: { time: '10:00' },
    timezone: 'UTC',
    enabled: true,
    chat_mode: 'ask',
    active_hours_start: null,
    active_hours_end: null,
    max_executions: null,
    max_consecutive_errors: 3,
    anchor_at: 1,
    next_run_at: 2,
  } as const;
  const own = tasks.create('b', { ...settings, chat_id: null } as never);
  const other = tasks.create('b', { ...settings, chat_id: 'desk' } as never);
  expect(tasks.ofChat('b', own.uuid).map(({ uuid }) => uuid)).toEqual([own.uuid]);
  expect(tasks.ofChat('b', 'desk').map(({ uuid }) => uuid)).toEqual([other.uuid]);
  expect(tasks.ofChat('b', 'nothing')).toEqual([]);
});
