/** docs/openapi.json is what the schemas make, and what the helper answers is what it says. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { makeOpenApi, routes } from '../support/openapi.ts';
import { makePause, pauseWith, resumeWith } from '../support/pause.ts';
import { useRig } from '../support/rig.ts';
import { makeQuestion, makeSsoToken, toTurnPath } from '../support/visitor.ts';
import { events, replies } from '../support/wire-schemas.ts';

const file = 'docs/openapi.json';
const { rig, visitor } = await useRig({ env: { PORCHLIGHT_ATTACHMENTS: 'on' } });

test('the file is made of the schemas; `npm run openapi` writes it anew', async () => {
  const made = `${JSON.stringify(makeOpenApi(packageJson.version), null, 2)}\n`;
  await expect(made).toMatchFileSnapshot(`../../${file}`);
});

test('it has each route of the helper, and no other', () => {
  const own = readFileSync('server-helper/handler.ts', 'utf8').matchAll(
    /api\.(get|post|put|patch|delete)\(\s*'([^']+)'/g,
  );
  expect(Object.keys(routes).toSorted()).toEqual(
    [...own].map(([, method = '', path]) => `${method.toUpperCase()} ${path}`).toSorted(),
  );
});

test('each reference leads to a schema', () => {
  const text = readFileSync(file, 'utf8');
  const { components } = JSON.parse(text) as { components: { schemas: object } };
  const named = [...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name!);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => !(name in components.schemas))).toEqual([]);
});

const holds = (schema: v.GenericSchema, value: unknown) => v.safeParse(schema, value).issues ?? [];

test('what a whole visit is answered and told has the shapes that it describes', async () => {
  const call = (method: string, path: string, body?: object) => visitor.call<unknown>(method, path, body);
  const seen = new Set<string>();
  const expectShape = (name: keyof typeof replies, value: unknown) => {
    seen.add(name);
    expect(holds(replies[name], value), name).toEqual([]);
  };
  for (const body of [{}, { ssoToken: makeSsoToken({ name: 'Ada' }) }]) {
    const response = await rig.helper.fetch('/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expectShape('Session', await response.json());
  }
  const pause = makePause({ name: 'order_status', parameters: { orderNumber: 'LF-1' } });
  rig.agent.nextChat((answer) => {
    answer.open();
    answer.event('reasoning', { text: 'Hm.' });
    answer.event('tool', { name: 'search', status: 'running' });
    answer.event('sources', {
      sources: [{ citation_number: 1, source_id: 's', title: 'T', url: 'https://a.example/' }],
    });
    answer.event('delta', { text: 'Well.' });
    answer.done('Well.');
  });
  const first = await visitor.chat();
  rig.agent.nextChat(pauseWith(pause));
  const [turnId, path] = [randomUUID(), `/conversations/${first.conversationId}`];
  const paused = await (await visitor.ask(first.conversationId, turnId, makeQuestion())).whole();
  expectShape('Conversation', (await call('GET', path)).json);
  rig.agent.nextResume(resumeWith('On its way.'));
  const decided = await call('POST', `${toTurnPath(first.conversationId, turnId)}/decision`, {
    decision: 'approve',
  });
  expect(decided.status).toBe(202);
  const resumed = await (await visitor.attach(first.conversationId, turnId)).whole();
  rig.agent.nextChat((answer) => answer.refuse(500));
  const failed = await (await visitor.ask(first.conversationId, randomUUID(), makeQuestion())).whole();
  const told = [first.stream, paused, resumed, failed].flatMap((stream) => stream.events);
  for (const { kind, data } of told) {
    seen.add(kind);
    expect(holds(events[kind], data), kind).toEqual([]);
  }
  const file = await rig.helper.fetch(`${path}/attachments?name=note.txt`, {
    method: 'POST',
    headers: visitor.headers(),
    body: 'My order is LF-1.',
  });
  expect(file.status).toBe(201);
  expectShape('Attachment', await file.json());
  expectShape('ConversationList', (await call('GET', '/conversations')).json);
  expectShape('VisitorExport', (await call('GET', '/visitor')).json);
  expectShape('Problem', (await call('GET', `/conversations/${randomUUID()}`)).json);
  expectShape('Alive', await (await rig.helper.fetch('/healthz')).json());
  expectShape('Ready', await (await rig.helper.fetch('/readyz')).json());
  expect([...Object.keys(replies), ...Object.keys(events)].filter((name) => !seen.has(name))).toEqual([
    'turn-stopped',
  ]);
});
