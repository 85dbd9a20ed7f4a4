/** What is sent to the agent service, and what it says of what it cannot take. */

import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ShopAgent, startShopAgent } from '../support/agentservice.ts';

let agent: ShopAgent;
beforeEach(async () => {
  agent = await startShopAgent();
});
afterEach(() => agent.close());

test('nothing behind a zero byte is lost', async () => {
  const { call, chat } = agent.client;
  const chat_id = 'c1\0z';
  const answer = await chat('Hello\0 there', { chat_id });
  const read = async (id: string) =>
    (await call('GET', '/v1/bot/chat/read', { chat_id: id })).body.conversation;
  const told = answer.body.chat.user.chat_id;
  expect((await read(told))[0]).toMatchObject({ content: 'Hello\uFFFD there', chat_id: told });
  expect(await read(chat_id)).toEqual(await read(told));
  expect((await call('GET', '/v1/bot/chat/read', { chat_id: 'c1' })).status).toBe(404);

  await call('POST', '/v1/bot/source/create', {
    type: 'text',
    source: 'Bananas are yellow.\0Apples are red and round.',
  });
  await agent.service.idle();
  const { body } = await call('POST', '/v1/bot/search', { keywords: 'apples red' });
  expect(JSON.stringify(body)).toContain('Apples are red');
  const { status } = await call('POST', '/v1/bot/tasks/create', { prompt: 'Say\0 hello', name: '\0' });
  expect(status).toBe(201);
  expect((await call('GET', '/v1/bot/tasks/readall')).body.tasks[0]).toMatchObject({
    prompt: 'Say\uFFFD hello',
    name: '\uFFFD',
  });
});

test.each([
  ['max_executions', -5],
  ['max_executions', 1.25],
  ['max_consecutive_errors', 4567],
  ['name', 'x'.repeat(4567)],
  ['schedule_type', 'x4567'],
  ['schedule_config', [4567]],
  ['schedule_config', 4567],
  ['active_hours_start', '45:67'],
])('what is wrong is named and not repeated: %s', async (name, value) => {
  const { status, body } = await agent.client.call('POST', '/v1/bot/tasks/create', {
    prompt: 'Hello',
    [name]: value,
  });
  expect([status, body.code]).toEqual([400, 'invalid_parameters']);
  expect(body.error).toMatch(new RegExp(`^${name}: .+ (is|are) needed\\.$`));
  expect(body.error).not.toMatch(/-5|1\.25|4567|45:67/);
});

test('a config of a kind that is not named makes no task of another kind', async () => {
  const { status, body } = await agent.client.call('POST', '/v1/bot/tasks/create', {
    prompt: 'Hello',
    schedule_config: { cron: '0 9 * * *' },
  });
  expect([status, body.error]).toEqual([400, 'schedule_type: schedule_config.cron needs it.']);
});
