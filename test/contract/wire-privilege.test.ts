/** What a visitor may never choose: privileged fields are refused, and the helper's own go to the agent. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { secrets, target, visitorMark } from '../support/helper-process.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { makeQuestion, toTurnPath, type Visitor } from '../support/visitor.ts';

const workspace = '7c1f0a52-3b6e-4d18-9a40-5e2d8f6b1c07';
let rig: Rig;
let visitor: Visitor;
beforeAll(async () => {
  rig = await startRig({
    env: { PORCHLIGHT_WORKSPACE: workspace, PORCHLIGHT_REASONING_MODES: 'auto,standard' },
  });
  visitor = await rig.visit();
});
afterAll(() => rig.close());

const newTurn = () => toTurnPath(randomUUID(), randomUUID());
const lastChat = () => rig.agent.callsTo('POST /v1/bot/chat').at(-1);

const privileged = [
  'project_id',
  'bot_id',
  'model',
  'instruction',
  'provider_host',
  'provider_key',
  'purpose',
  'workspace_uuid',
  'max_reply_tokens',
  'temperature',
  'source_ids',
  'tags',
  'chat_mode',
  'memory',
  'chat_id',
  'top',
  'metadata',
  'stream',
  'reasoning_mode',
  'member_id',
  'execution_data',
  'message',
  'projectId',
  'botId',
  'providerHost',
  'providerKey',
  'workspaceUuid',
  'workspace',
  'maxReplyTokens',
  'sourceIds',
  'chatMode',
  'chatId',
  'memberId',
  'owner',
  'session',
  'Purpose',
  'purpose ',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'body',
  'extra',
  'options',
];
const values = ['"service"', '"x"', 'null', 'true', '0', '[]', '{}'];

describe('a privileged or unknown field of a turn is a 400, and nothing is asked', () => {
  async function refuse(body: string) {
    const before = rig.agent.calls.length;
    const { status, json, text } = await visitor.call('PUT', newTurn(), body);
    expect([body, status, json.code]).toEqual([body, 400, 'bad-request']);
    expect(text).not.toContain(visitorMark);
    expect(rig.agent.calls.length).toBe(before);
  }

  test.each(privileged)('%s, whatever its value', async (field) => {
    for (const value of values) await refuse(`{"text":"${visitorMark}","${field}":${value}}`);
  });

  test('__proto__, alone, with the fields inside, or in the page', async () => {
    for (const value of [...values, '{"purpose":"admin","model":"x"}'])
      await refuse(`{"text":"${visitorMark}","__proto__":${value}}`);
    await refuse(`{"text":"${visitorMark}","page":{"url":"https://shop.test/","__proto__":{"x":1}}}`);
    await refuse(`{"__proto__":{"text":"${visitorMark}"}}`);
  });

  test('duplicates and escaped spellings', async () => {
    await refuse(`{"text":"${visitorMark}","purpose":"service","purpose":"service"}`);
    await refuse(`{"purpose":"x","text":"${visitorMark}","text":"${visitorMark}"}`);
    await refuse(`{"text":"${visitorMark}","\\u0070urpose":"service"}`);
    await refuse(`{"text":"${visitorMark}","m\\u006fdel":"x","model":"y"}`);
  });

  test.each([
    'null',
    '[]',
    '"text"',
    '1',
    '{}',
    '',
    '{"text":null}',
    '{"text":""}',
    '{"text":" \\n"}',
    '{"text":1}',
    '{"text":["a"]}',
    '{"text":{"a":1}}',
    '{"text":"a"',
    "{'text':'a'}",
    '{"text":"a"}{"text":"b"}',
    '{"text":"a","reasoningMode":"stepwise"}',
    '{"text":"a","pasted":"b"}',
    '{"text":"a","replaces":"x"}',
  ])('a body such as %j', async (body) => {
    await refuse(body);
  });
});

test('a choice that the site owner does not allow is 403 not-allowed, and one that is allowed goes along', async () => {
  const before = rig.agent.calls.length;
  for (const more of [{ reasoningMode: 'agent' }, { attachments: [{ name: 'a.txt', data: 'YQ==' }] }]) {
    const { status, json } = await visitor.call('PUT', newTurn(), { text: 'Hi', ...more });
    expect([status, json.code]).toEqual([403, 'not-allowed']);
  }
  expect(rig.agent.calls.length).toBe(before);
  await (await visitor.ask(randomUUID(), randomUUID(), { text: 'Hi', reasoningMode: 'standard' })).whole();
  expect(lastChat()?.body.reasoning_mode).toBe('standard');
});

test('upstream every question has purpose "service", the pinned workspace, the configured ids, and only known fields', async () => {
  const ada = await rig.visit();
  for (const body of [
    { text: makeQuestion() },
    {
      text: makeQuestion(),
      reasoningMode: 'auto',
      pasted: ['long text'],
      page: { url: 'https://shop.test/tea' },
    },
  ])
    await (await ada.ask(randomUUID(), randomUUID(), body)).whole();
  const known = [
    'bot_id',
    'chat_id',
    'chat_mode',
    'member_id',
    'message',
    'metadata',
    'pasted',
    'project_id',
    'purpose',
    'reasoning_mode',
    'stream',
    'workspace_uuid',
  ];
  for (const { body, headers } of rig.agent.callsTo('POST /v1/bot/chat')) {
    expect(body).toMatchObject({
      purpose: 'service',
      workspace_uuid: workspace,
      project_id: target.projectId,
      bot_id: target.botId,
      stream: true,
      chat_mode: 'ask',
    });
    expect(known).toEqual(expect.arrayContaining(Object.keys(body)));
    expect(String(body.chat_id).length).toBeGreaterThanOrEqual(32);
    expect(headers.authorization).toBe(`Bearer ${secrets.apiKey}`);
    expect(JSON.stringify(headers)).not.toContain(ada.session);
  }
});
