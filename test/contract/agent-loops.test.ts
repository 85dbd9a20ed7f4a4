/** What a workflow does comes back to no workflow, whichever way it goes, and holds nobody up. */

import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHttpTool } from '../../demo/agent/tools.ts';
import { createWatch } from '../../demo/agent/watch.ts';
import { asWorkflow, toOriginHeaders } from '../../demo/agent/workflows/origin.ts';
import { type ShopAgent, startShopAgent } from '../support/agentservice.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

let receiver: Receiver;
let agent: ShopAgent | undefined;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  await agent?.close();
  agent = undefined;
  await receiver.close();
});

const workflow = async (input: object) => {
  const { body } = await agent!.client.call('POST', '/v1/bot/workflow/create', { name: 'Go on', ...input });
  return body.workflow.uuid as string;
};
const run = async (workflow_id: string, payload: object = {}) =>
  (await agent!.client.call('POST', '/v1/bot/workflow/run', { workflow_id, payload })).body.result;

test('what is told of its doing is known again', async () => {
  agent = await startShopAgent({ webhook: { url: receiver.url, secret: 's' } });
  await receiver.count(1);
  const uuid = await workflow({
    trigger_type: 'manual',
    actions: [{ type: 'add_memory', content: 'A heron nests.' }],
  });
  await run(uuid);
  const [own, its] = await receiver.count(2);
  expect(own!.headers['x-service-workflow']).toBeUndefined();
  expect(its!.headers['x-service-workflow']).toBe('1');
});

test('so is what a tool is called for', async () => {
  const tool = createHttpTool({
    name: 'look',
    title: 'Look',
    description: '',
    url: receiver.url,
    approval: 'auto',
    parameters: {},
  });
  const { signal } = new AbortController();
  await asWorkflow(() => tool.run({}, signal));
  await tool.run({}, signal);
  expect(receiver.received.map(({ headers }) => headers['x-service-workflow'])).toEqual(['1', undefined]);
});

test('a message that no chat call takes is not asked', async () => {
  agent = await startShopAgent();
  const uuid = await workflow({
    trigger_type: 'manual',
    actions: [{ type: 'start_chat', message: '{{text}}' }],
  });
  const { actions } = await run(uuid, { text: 'shipping canada '.repeat(30_000) });
  expect(actions[0]).toMatchObject({ status: 'error', error: 'too_large' });
});

test('of a question as long as may be its beginning and its end are read', async () => {
  agent = await startShopAgent();
  const words = Array.from({ length: 11_000 }, (_, n) => `word${n.toString(36)}`).join(' ');
  for (const [long, is] of [
    [`${words.slice(0, 99_000)} What is the warranty on a Larkfield tarpaulin?`, 'at the end'],
    [`What is the warranty on a Larkfield tarpaulin? ${'shipping canada '.repeat(6_000)}`, 'before'],
    [`What is the warranty on a Larkfield tarpaulin? ${'x'.repeat(90_000)}`, 'one word'],
  ] as const) {
    const { status } = await agent.client.chat(long);
    expect([is, status]).toEqual([is, 200]);
  }
});

test('a workflow of one slot that was taken keeps its run when it is renamed', async () => {
  agent = await startShopAgent({ privateHosts: [`127.0.0.1:${receiver.port}`] });
  let release = () => {};
  receiver.held = new Promise((resolve) => {
    release = () => resolve();
  });
  const call = [{ type: 'call_url', url: receiver.url }];
  const others = { trigger_type: 'event', trigger_event: 'memory.created', actions: call };
  for (let n = 0; n < 16; n += 1) await workflow({ ...others, name: `Other ${n}` });
  await agent.client.call('POST', '/v1/bot/source/create', { type: 'text', source: 'A heron nests.' });
  await receiver.count(16);
  const scheduled_at = new Date(agent.clock.now + 60_000).toISOString();
  const trigger_config = { schedule_type: 'once', schedule_config: { scheduled_at } };
  const uuid = await workflow({ trigger_type: 'schedule', trigger_config, actions: call });
  agent.clock.now += 60_000;
  await agent.client.call('GET', '/v1/bot/read');
  const update = { workflow_id: uuid, name: 'Renamed' };
  const { body } = await agent.client.call('PUT', '/v1/bot/workflow/update', update);
  expect(body.workflow).toMatchObject({ name: 'Renamed', is_active: false });
  expect(receiver.received).toHaveLength(16);
  release();
  expect((await receiver.count(17)).at(-1)!.body).toMatchObject({ workflow_id: uuid });
});

test('a watch goes on after a fault, does nothing as the workflow that woke it, and stops', async () => {
  const faults: unknown[] = [];
  const headers: object[] = [];
  let looks = 0;
  const fault = new Error('database is locked');
  const watch = createWatch({
    look() {
      looks += 1;
      headers.push(toOriginHeaders());
      if (looks === 1) throw fault;
      return looks === 2 ? 0 : undefined;
    },
    report: (thrown) => faults.push(thrown),
    now: () => 0,
    maxIdleMs: 5,
  });
  asWorkflow(() => watch.wake());
  expect(faults).toEqual([fault]);
  await expect.poll(() => looks).toBe(3);
  watch.wake();
  expect(looks).toBe(4);
  watch.stop();
  watch.wake();
  expect(looks).toBe(4);
  expect(headers).toEqual([{}, {}, {}, {}]);
});
