/** Clause 26: signed events of the agent. */
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { secrets, until } from '../support/helper-process.ts';
import { type Rig, startRig } from '../support/rig.ts';

type Vector = {
  id: string;
  note: string;
  secret: string;
  secrets?: string[];
  body_b64?: string;
  body_gen?: [string, number];
  headers: Record<string, string | string[]>;
  expect: 'accept' | 'accept-signature' | 'reject' | 'duplicate';
};
const { vectors } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../vectors/webhook-vectors.json'), 'utf8'),
) as { vectors: Vector[] };

const maxBytes = 1024 * 1024;
const first = vectors[0]?.secret ?? '';
const previous = vectors.flatMap(({ secrets }) => secrets ?? []).find((secret) => secret !== first) ?? '';

let rig: Rig;
let rotating: Rig;
beforeAll(async () => {
  rig = await startRig({ movableClock: true, env: { PORCHLIGHT_WEBHOOK_SECRET: first } });
  rotating = await startRig({
    env: { PORCHLIGHT_WEBHOOK_SECRET: `${secrets.webhookSecret}, ${first},${previous}` },
  });
});
afterAll(async () => {
  await rig.close();
  await rotating.close();
});

const sign = (body: string | Uint8Array, secret = first) =>
  createHmac('sha256', secret).update(body).digest('hex');

async function deliver(body: string | Uint8Array, headers: Headers | Record<string, string>, to = rig) {
  const all = new Headers(headers);
  all.set('content-type', 'application/json');
  const response = await to.helper.fetch('/webhooks/agent', {
    method: 'POST',
    headers: all,
    body: Buffer.from(body),
  });
  return { status: response.status, text: await response.text() };
}

function readBody({ body_b64 = '', body_gen }: Vector): Buffer {
  if (!body_gen) return Buffer.from(body_b64, 'base64');
  const [byte, count] = body_gen;
  return Buffer.alloc(count, Buffer.from(byte, 'hex'));
}
function readHeaders({ headers }: Vector): Headers {
  const all = new Headers();
  for (const [name, value] of Object.entries(headers))
    for (const one of [value].flat()) all.append(name, one);
  return all;
}
function isObject(body: Buffer): boolean {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

test.each(vectors)('clause 26: $id, $note', async (vector) => {
  const body = readBody(vector);
  const { status } = await deliver(body, readHeaders(vector), vector.secrets ? rotating : rig);
  const expected = vector.expect === 'reject' ? 401 : isObject(body) ? 204 : 400;
  expect(status).toBe(expected);
});

test('clause 26: any JSON object with a good signature is 2xx, a repeat too', async () => {
  for (const body of ['{}', '{"event":7}', '{"event":"never.heard.of"}', '{"a":{"b":[1]}}', ' { } '])
    for (let times = 0; times < 2; times += 1)
      expect((await deliver(body, { 'x-service-signature': sign(body) })).status).toBe(204);
  const body = '{"event":"subscriber.joined"}';
  const headers = { 'x-service-signature': sign(body), 'x-service-delivery': 'delivery-1' };
  expect((await deliver(body, headers)).status).toBe(204);
  expect((await deliver(body, headers)).status).toBe(204);
});

test('clause 26: of several secrets each one signs', async () => {
  const body = '{"event":"memory.created"}';
  for (const secret of [secrets.webhookSecret, first, previous])
    expect((await deliver(body, { 'x-service-signature': sign(body, secret) }, rotating)).status).toBe(204);
});

test('clause 26: a signature over the re-serialised body is taken, as the hosted service makes it', async () => {
  const signature = sign('{"event":"memory.created","n":1}');
  expect(
    (await deliver('{ "event": "memory.created",\n "n": 1 }', { 'x-service-signature': signature })).status,
  ).toBe(204);
});

test('clause 26: a valid signature over what is no JSON object is 400', async () => {
  for (const body of ['', 'x', '{', '[]', 'null', '"x"', '1'])
    expect([body, (await deliver(body, { 'x-service-signature': sign(body) })).status]).toEqual([body, 400]);
});

test('clause 26: every bad signature is the identical 401', async () => {
  const body = '{"event":"memory.created"}';
  const good = sign(body);
  const bad = [
    undefined,
    '',
    'x',
    good.slice(1),
    `${good}0`,
    `${good}zz`,
    `sha1=${good}`,
    `${good},${good}`,
    sign(body, 'x'),
    'z'.repeat(64),
    `v1,${good}`,
  ];
  const replies = await Promise.all([
    ...bad.map((signature) =>
      deliver(body, signature === undefined ? {} : { 'x-service-signature': signature }),
    ),
    deliver('no json', { 'x-service-signature': good }),
    deliver('', {}),
  ]);
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([401]));
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
});

test('clause 26: over 1 MiB is 413, whatever the signature; 1 MiB is not', async () => {
  const pad = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`;
  const large = pad(maxBytes + 1);
  expect((await deliver(large, { 'x-service-signature': sign(large) })).status).toBe(413);
  expect((await deliver(large, {})).status).toBe(413);
  const whole = pad(maxBytes);
  expect((await deliver(whole, { 'x-service-signature': sign(whole) })).status).toBe(204);
});

test('clause 26: a stalled body ends within 30 s', async () => {
  const { hostname, port } = new URL(rig.helper.base);
  const socket = connect(Number(port), hostname);
  let received = '';
  let over = false;
  socket.on('data', (bytes) => {
    received += bytes.toString();
  });
  socket.on('close', () => {
    over = true;
  });
  socket.on('error', () => {});
  socket.write(
    `POST ${rig.helper.basePath}/webhooks/agent HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"eve`,
  );
  const isOver = () => over || /^HTTP\/1\.1 4\d\d/.test(received);
  await rig.helper.advanceUntil(isOver, 'the stalled request is answered', 30_000);
  socket.destroy();
  await until(() => over, 'the socket closes');
  expect((await rig.helper.fetch('/healthz')).status).toBe(200);
});
