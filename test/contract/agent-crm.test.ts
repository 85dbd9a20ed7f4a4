/** Custom fields and pipeline stages of the local agent service, row by row of the API document. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startAgent } from '../../demo/agent/start.ts';
import { type ShopAgent, startShopAgent } from '../support/agentservice.ts';

let agent: ShopAgent;
const keys = [
  { key: 'moderator-key', role: 'moderator' as const },
  { key: 'member-key', role: 'member' as const },
  { key: 'other-key', role: 'owner' as const, projectId: 'other' },
];
afterEach(() => agent.close());

const call = (method: string, path: string, input: object = {}, key?: string | null) =>
  agent.client.call(method, `/v1/bot/crm/${path}`, input, key);
const makeField = async (input: object) => (await call('POST', 'fields', input)).body.field;
const makeStage = async (input: object) => (await call('POST', 'pipelines/stages', input)).body.stage;

describe('while it is on', () => {
  beforeEach(async () => {
    agent = await startShopAgent({ extraKeys: keys });
  });

  test('a field has exactly its keys (S36, S37, S38, S39, S40, S91, S92)', async () => {
    const { status, body } = await call('POST', 'fields', {
      label: ' Größe & Farbe? ',
      options: ['S', 'M'],
      is_required: 1,
    });
    expect([status, body]).toEqual([
      201,
      {
        field: {
          uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
          label: ' Größe & Farbe? ',
          field_key: 'gr_e_farbe',
          options: ['S', 'M'],
          required: true,
        },
      },
    ]);
    expect(await makeField({ label: 'Plain' })).toMatchObject({ options: [], required: false });
    expect(await makeField({ label: 'Both', required: false, is_required: true })).toMatchObject({
      required: false,
    });
  });

  test('its key is the agent’s own, and made of something', async () => {
    const made = [];
    for (const label of ['Size', 'size', 'SIZE!', '¿?', '→'])
      made.push((await makeField({ label })).field_key);
    expect(made).toEqual(['size', 'size_2', 'size_3', 'field', 'field_2']);
    const many = await Promise.all(Array.from({ length: 5 }, () => makeField({ label: 'At once' })));
    expect(new Set(many.map(({ field_key }) => field_key)).size).toBe(5);
  });

  test('what is sent of it changes, its key stays (S93, S94)', async () => {
    const field = await makeField({ label: 'Size', options: ['S'], required: true });
    const change = async (input: object) => (await call('PUT', `fields/${field.uuid}`, input)).body;
    expect(await change({ label: 'Colour' })).toEqual({ field: { ...field, label: 'Colour' } });
    expect(await change({ options: [], is_required: false })).toEqual({
      field: { ...field, label: 'Colour', options: [], required: false },
    });
    expect((await change({ required: true, is_required: false })).field.required).toBe(true);
    const { status, body } = await call('PUT', 'fields/none', { label: 'x' });
    expect([status, body.code]).toEqual([404, 'field_not_found']);
  });

  test('a stage has exactly its keys, and its place in its pipeline (S41, S42, S43, S44, S95, S96)', async () => {
    const { status, body } = await call('POST', 'pipelines/stages', { name: 'New', probability: 10 });
    expect([status, body]).toEqual([
      201,
      {
        stage: {
          uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
          name: 'New',
          probability: 10,
          sort_order: 1,
        },
      },
    ]);
    expect(await makeStage({ name: 'Won', pipeline_id: 'default' })).toMatchObject({
      probability: 0,
      sort_order: 2,
    });
    expect(await makeStage({ name: 'New', pipeline_id: 'other' })).toMatchObject({ sort_order: 1 });
    for (const sort_order of [2, 3])
      expect(await makeStage({ name: 'More', pipeline_id: 'other' })).toMatchObject({ sort_order });
    expect(await makeStage({ name: 'Lost', pipeline_id: 'default' })).toMatchObject({ sort_order: 3 });
  });

  test('each refusal has the shape of these endpoints (S101, S165, S194, S195, S196, S197, S202)', async () => {
    const codeOf = ({ status, body }: Awaited<ReturnType<typeof call>>) => {
      expect(Object.keys(body).sort()).toEqual(['code', 'error']);
      return [status, body.code];
    };
    for (const [method, path, input] of [
      ['POST', 'fields', { label: 'x' }],
      ['PUT', 'fields/none', { label: 'x' }],
      ['POST', 'pipelines/stages', { name: 'x' }],
    ] as const) {
      expect(codeOf(await call(method, path, input, null))).toEqual([401, 'invalid_api_key']);
      expect(codeOf(await call(method, path, input, 'other-key'))).toEqual([403, 'forbidden']);
      expect(codeOf(await call(method, path, input, 'member-key'))).toEqual([403, 'forbidden']);
      expect(codeOf(await call(method, path, { ...input, bot_id: 'none' }))).toEqual([404, 'bot_not_found']);
      expect((await call(method, path, input, 'moderator-key')).status).not.toBe(403);
    }
    for (const [path, input, field] of [
      ['fields', {}, 'label'],
      ['fields', { label: 'x'.repeat(101) }, 'label'],
      ['fields', { label: 'x', options: 'S' }, 'options'],
      ['fields', { label: 'x', options: [''] }, 'options'],
      ['fields', { label: 'x', required: 'maybe' }, 'required'],
      ['pipelines/stages', { name: '' }, 'name'],
      ['pipelines/stages', { name: 'x', probability: 101 }, 'probability'],
      ['pipelines/stages', { name: 'x', probability: 1.5 }, 'probability'],
    ] as const) {
      const answer = await call('POST', path, input);
      expect(codeOf(answer)).toEqual([400, 'invalid_parameters']);
      expect(answer.body.error).toMatch(new RegExp(`^${field}`));
    }
  });
});

test('switched off it says so, after the key and before all else (S102)', async () => {
  agent = await startShopAgent({ crm: false });
  for (const [method, path] of [
    ['POST', 'fields'],
    ['PUT', 'fields/none'],
    ['POST', 'pipelines/stages'],
  ] as const) {
    const { status, body } = await call(method, path);
    expect([status, body]).toEqual([410, { error: expect.any(String), code: 'crm_retired' }]);
    expect((await call(method, path, {}, null)).status).toBe(401);
  }
  const failed = await startAgent(
    { AGENT_DB: ':memory:', PORT: '0', AGENT_CRM: 'no' },
    { log() {}, print() {} },
  ).catch((error: Error) => error.message);
  expect(failed).toBe('AGENT_CRM: on or off');
});
