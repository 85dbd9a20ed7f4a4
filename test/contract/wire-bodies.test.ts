/** Clause 23: what a request's body may be. */
import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { useRig } from '../support/rig.ts';
import { callHelper, toTurnPath } from '../support/visitor.ts';

const { rig, visitor } = await useRig();

const turn = () => toTurnPath(randomUUID(), randomUUID());
const bodies: [method: string, path: () => string, body: object][] = [
  ['PUT', turn, { text: 'Hi' }],
  ['POST', () => '/session', {}],
];
const types = [
  'text/plain',
  'application/json; charset=iso-8859-1',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'application/jsonp',
  '',
];
test.each(types)('clause 23: content-type %j is 415', async (type) => {
  for (const [method, path, body] of bodies) {
    const { status, json } = await visitor.call(method, path(), JSON.stringify(body), {
      'content-type': type,
    });
    expect([method, status, json.code]).toEqual([method, 415, 'unsupported-media-type']);
  }
});

test.each(['application/json', 'application/json;charset=utf-8', 'Application/JSON; charset="UTF-8"'])(
  'clause 23: content-type %j is taken',
  async (type) => {
    for (const [method, path, body] of bodies) {
      const { status } = await visitor.call(method, path(), JSON.stringify(body), { 'content-type': type });
      expect([method, status]).toEqual([method, 200]);
    }
  },
);

test('clause 23: a content-encoding is 415, though the body would be read', async () => {
  const response = await rig.helper.fetch('/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: gzipSync('{}'),
  });
  expect(response.status).toBe(415);
});

test('clause 23: bytes that are no UTF-8 are refused', async () => {
  const response = await rig.helper.fetch(turn(), {
    method: 'PUT',
    headers: visitor.headers({ 'content-type': 'application/json' }),
    body: Buffer.concat([Buffer.from('{"text":"'), Buffer.of(0xff, 0xfe), Buffer.from('"}')]),
  });
  expect([400, 415]).toContain(response.status);
});

test('clause 23: over 256 KB is 413, announced or not, and asks nothing', async () => {
  const before = rig.agent.calls.length;
  const body = JSON.stringify({ text: 'x'.repeat(256 * 1024) });
  for (const [method, path] of bodies) {
    const { status, json } = await callHelper(rig.helper, method, path(), body, visitor.headers());
    expect([method, status, json.code]).toEqual([method, 413, 'too-large']);
  }
  const unannounced = await rig.helper.fetch(turn(), {
    method: 'PUT',
    headers: visitor.headers({ 'content-type': 'application/json' }),
    body: new Blob([body]).stream(),
    duplex: 'half',
  } as RequestInit);
  expect(unannounced.status).toBe(413);
  expect(rig.agent.calls.length).toBe(before);
});
