/** A mail server and a receiver of webhooks that never come to an end are given up. */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openDatabase } from '../../../demo/agent/db.ts';
import { createMailer } from '../../../demo/agent/email/mailer.ts';
import { createEventLog } from '../../../demo/agent/events.ts';
import { createDeliveryStore } from '../../../demo/agent/store/deliveries.ts';
import { createDeliverer } from '../../../demo/agent/webhooks/delivery.ts';

const events = createEventLog(Date.now, () => {});
let server: Server;
let sockets: Socket[];
let heard: string;
/** Says what it is given, once it is connected to, and nothing more. */
const listen = async (greeting: string) => {
  heard = '';
  sockets = [];
  server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      heard += chunk;
    });
    socket.write(greeting);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
};
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => {
  vi.useRealTimers();
  for (const socket of sockets) socket.destroy();
  server.close();
});
const hear = async (wanted: string) => {
  while (!heard.includes(wanted)) await new Promise((resolve) => setImmediate(resolve));
};

test('a mail server, after half a minute', async () => {
  const mailer = createMailer(`smtp://${await listen('220 here\r\n')}`, events);
  const mail = { from: { name: '', address: 'a@site.example' }, to: 'b@site.example', subject: '', text: '' };
  const sent = mailer.send({ ...mail, messageId: '<a@b>' });
  const outcome = vi.fn();
  sent.then(outcome, outcome);
  await hear('EHLO');
  await vi.advanceTimersByTimeAsync(29_900);
  expect(outcome).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(200);
  expect(outcome).toHaveBeenCalledWith(expect.objectContaining({ status: 502, code: 'smtp_failed' }));
  mailer.close();
});

test('a mail server, three seconds after the service is to stop', async () => {
  const mailer = createMailer(`smtp://${await listen('220 here\r\n')}`, events);
  const mail = { from: { name: '', address: 'a@site.example' }, to: 'b@site.example', subject: '', text: '' };
  const outcome = vi.fn();
  mailer.send({ ...mail, messageId: '<a@b>' }).then(outcome, outcome);
  await hear('EHLO');
  mailer.close();
  await vi.advanceTimersByTimeAsync(2_900);
  expect(outcome).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(200);
  expect(outcome).toHaveBeenCalledWith(expect.objectContaining({ code: 'smtp_failed' }));
  // Nor does one that is begun after it take longer.
  heard = '';
  const late = vi.fn();
  mailer.send({ ...mail, messageId: '<c@b>' }).then(late, late);
  await hear('EHLO');
  await vi.advanceTimersByTimeAsync(3_100);
  expect(late).toHaveBeenCalledWith(expect.objectContaining({ code: 'smtp_failed' }));
});

test('a receiver of webhooks, after ten seconds', async () => {
  const db = openDatabase(':memory:');
  db.exec(`INSERT INTO projects (id) VALUES ('p')`);
  const deliveries = createDeliveryStore(db, Date.now);
  const noted = vi.spyOn(deliveries, 'note');
  const url = `http://${await listen('')}/`;
  const deliverer = createDeliverer(deliveries, { url, secret: 's' }, { now: Date.now, events });
  deliveries.add('p', 'memory.created', url, '{}', false);
  deliverer.wake();
  await hear('POST');
  await vi.advanceTimersByTimeAsync(9_900);
  expect(noted).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(200);
  expect(noted.mock.calls[0]![1]).toEqual({ status: null, error: 'The receiver did not answer in time.' });
  const closed = deliverer.close();
  await vi.advanceTimersByTimeAsync(60_000);
  await closed;
});
