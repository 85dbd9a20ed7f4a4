/** The nine statistics of the local agent service, counted from what was done in it, row by row of the API document. */

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type ShopAgent, startShopAgent } from '../support/agentservice.ts';

const names = [
  'performance',
  'behavior',
  'votes',
  'summary',
  'dashboard',
  'tools',
  'workflows',
  'errors',
  'reasoning-summary',
];
const question = 'How long does shipping to Canada take?';
const order = 'Where is order LF-10234?';
const minute = 60_000;
let agent: ShopAgent;
/** How long each pause between two words takes; Infinity: until the turn is cancelled. */
let wordMs: number;

beforeEach(async () => {
  wordMs = 1;
  agent = await startShopAgent({
    extraKeys: [
      { key: 'moderator-key', role: 'moderator' },
      { key: 'member-key', role: 'member' },
      { key: 'other-key', role: 'owner', projectId: 'other' },
    ],
    wordsPerSecond: 10,
    sleep: async (_ms, signal) => {
      if (wordMs === Number.POSITIVE_INFINITY)
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      else agent.clock.now += wordMs;
    },
  });
});
afterEach(() => agent.close());

const call = (name: string, input: object = {}, key?: string | null) =>
  agent.client.call('GET', `/v1/bot/stats/${name}`, input, key);
const read = async (name: string, input: object = {}) => {
  const { status, body } = await call(name, input);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body;
};
const iso = (ms: number) => new Date(ms).toISOString();
/** Asks, and tells how long it took by the service's clock. */
async function ask(message: string, input: object = {}) {
  const begunAt = agent.clock.now;
  const { status, body } = await agent.client.chat(message, input);
  return { status, body, chat: body.chat, begunAt, ms: agent.clock.now - begunAt };
}
const decide = (chat: { user: { chat_id: string }; executionId: string }, denied: boolean) =>
  agent.client.call('POST', '/v1/bot/chat/execute-tool', {
    chat_id: chat.user.chat_id,
    execution_data: { executionId: chat.executionId, denied },
  });

test('where nothing has happened all is 0 and empty (S15)', async () => {
  expect(Object.fromEntries(await Promise.all(names.map(async (name) => [name, await read(name)])))).toEqual({
    performance: {
      average_response_time: 0,
      p95_response_time: 0,
      p99_response_time: 0,
      success_rate: 0,
      throughput: 0,
    },
    behavior: { average_session_length: 0, messages_per_session: 0, return_rate: 0, peak_usage_hours: [] },
    votes: { total_upvotes: 0, total_downvotes: 0, vote_ratio: 0, votes_by_date: [] },
    summary: { total_messages: 0, total_chats: 0, total_users: 0, average_response_time: 0 },
    dashboard: {
      overview: {
        total_messages: 0,
        total_chats: 0,
        total_users: 0,
        total_sources: 1,
        total_subscribers: 0,
        credits: expect.any(Number),
      },
      recent_activity: [{ type: 'source', title: expect.any(String), at: iso(agent.clock.now) }],
      trends: { messages: [], chats: [] },
    },
    tools: { total_tool_calls: 0, tools_by_usage: [], average_execution_time: 0 },
    workflows: { total_workflows: 0, completion_rate: 0, common_patterns: [] },
    errors: { total_errors: 0, error_rate: 0, errors_by_type: [], recent_errors: [] },
    'reasoning-summary': {
      reasoning_types_used: { standard: 0, agent: 0 },
      average_reasoning_steps: 0,
      average_reasoning_time: 0,
      reasoning_tokens_used: 0,
    },
  });
});

test('how long turns took: mean, percentiles by nearest rank, how many ended well, how many a second (S45, S46, S47, S48, S49, S97)', async () => {
  const took = [];
  for (const slowness of [5, 1, 3]) {
    wordMs = slowness;
    took.push(await ask(question));
    agent.clock.now += 10_000;
  }
  const failed = await ask(question, { provider_host: 'http://127.0.0.1:9', model: 'm' });
  expect(failed.status).toBeGreaterThanOrEqual(500);
  const times = [...took, failed].map(({ ms }) => ms);
  const { begunAt } = took[0]!;
  const seconds = (agent.clock.now - begunAt) / 1000;
  const slowest = Math.max(...times);
  expect(await read('performance')).toEqual({
    average_response_time: times.reduce((sum, ms) => sum + ms, 0) / 4,
    p95_response_time: slowest,
    p99_response_time: slowest,
    success_rate: 75,
    throughput: 4 / seconds,
  });
  const later = await read('performance', { from: iso(took[1]!.begunAt), to: iso(took[2]!.begunAt - 1) });
  expect(later).toEqual({
    average_response_time: took[1]!.ms,
    p95_response_time: took[1]!.ms,
    p99_response_time: took[1]!.ms,
    success_rate: 100,
    throughput: 1 / ((took[2]!.begunAt - 1 - took[1]!.begunAt) / 1000),
  });
});

test('of twenty turns the slowest but one is the 95th of a hundred', async () => {
  const times: number[] = [];
  for (let slowness = 1; slowness <= 20; slowness += 1) {
    wordMs = slowness;
    times.push((await ask(question)).ms);
  }
  times.sort((one, other) => one - other);
  expect(await read('performance')).toMatchObject({
    p95_response_time: times[18],
    p99_response_time: times[19],
  });
});

test('a time without a zone is of UTC, wherever the service runs', async () => {
  vi.stubEnv('TZ', 'America/New_York');
  try {
    await ask(question);
    agent.clock.now += minute;
    const { begunAt } = await ask(question);
    const from = iso(begunAt).replace('Z', '');
    expect(await read('summary', { from })).toMatchObject({ total_messages: 2 });
  } finally {
    vi.unstubAllEnvs();
  }
});

test('throughput is of the time that is asked for, up to now', async () => {
  const { begunAt } = await ask(question);
  agent.clock.now += 30 * minute;
  const seconds = (agent.clock.now - (begunAt - 60 * minute)) / 1000;
  const { throughput } = await read('performance', {
    from: iso(begunAt - 60 * minute),
    to: iso(agent.clock.now + 600 * minute),
  });
  expect(throughput).toBeCloseTo(1 / seconds, 12);
});

test('the time in which a turn waits for a decision does not count, and it is one turn', async () => {
  const paused = await ask(order);
  agent.clock.now += 5 * minute;
  const { average_response_time } = await read('performance');
  expect(average_response_time).toBe(paused.ms);
  const decidedAt = agent.clock.now;
  expect((await decide(paused.body.chat, false)).status).toBe(200);
  const ms = paused.ms + agent.clock.now - decidedAt;
  expect(await read('performance')).toMatchObject({ average_response_time: ms, success_rate: 100 });
  expect((await read('summary')).average_response_time).toBe(ms);
});

test('a turn that was cancelled ended without an error', async () => {
  const { chat_id } = (await ask(question)).chat.user;
  wordMs = Number.POSITIVE_INFINITY;
  const frames = agent.client.stream('POST', '/v1/bot/chat', { message: question, chat_id, stream: true });
  await frames.next();
  const { status } = await agent.client.call('POST', '/v1/bot/chat/cancel', { chat_id });
  expect(status).toBe(200);
  for await (const frame of frames) if (frame.event === 'done') expect(frame.data.chat.cancelled).toBe(true);
  expect(await read('performance')).toMatchObject({ success_rate: 100 });
  expect(await read('errors')).toMatchObject({ total_errors: 0, error_rate: 0 });
});

test('sessions end after half an hour of silence, and people come back (S50, S51, S52, S53, S98)', async () => {
  agent.clock.now = Date.parse('2031-03-01T12:00:00Z');
  await ask(question, { chat_id: 'one', member_id: 'ada' });
  agent.clock.now = Date.parse('2031-03-01T12:20:00Z');
  await ask(question, { chat_id: 'one', member_id: 'ada' });
  agent.clock.now = Date.parse('2031-03-01T15:00:00Z');
  await ask(question, { chat_id: 'two', member_id: 'ada' });
  agent.clock.now = Date.parse('2031-03-02T12:10:00Z');
  await ask(question, { chat_id: 'three' });
  agent.clock.now = Date.parse('2031-03-03T03:00:00Z');
  await ask(question, { chat_id: 'four' });
  const { average_session_length, ...rest } = await read('behavior');
  expect(rest).toEqual({
    messages_per_session: 10 / 4,
    return_rate: (1 / 3) * 100,
    peak_usage_hours: [12, 3, 15],
  });
  expect(average_session_length).toBeGreaterThan(20 / 4);
  expect(average_session_length).toBeLessThan(20 / 4 + 0.1);
  expect(await read('behavior', { from: '2031-03-02', to: '2031-03-02' })).toMatchObject({
    messages_per_session: 2,
    return_rate: 0,
    peak_usage_hours: [12],
  });
  expect(await read('summary')).toMatchObject({ total_messages: 10, total_chats: 4, total_users: 3 });
  expect(await read('summary', { from: '2031-03-01T12:10:00Z', to: '2031-03-01T13:00:00Z' })).toMatchObject({
    total_messages: 2,
    total_chats: 1,
    total_users: 1,
  });
});

test('the three busiest hours, whatever the fourth had, and the twenty last conversations', async () => {
  // Once at 12, twice at 13, thrice at 14, four times at 15.
  for (const hour of [12, 13, 13, 14, 14, 14, 15, 15, 15, 15]) {
    agent.clock.now = Math.max(agent.clock.now, Date.parse(`2031-03-01T${hour}:00:00Z`));
    await ask(question);
  }
  expect((await read('behavior')).peak_usage_hours).toEqual([15, 14, 13]);
  for (let n = 0; n < 15; n += 1) await ask(question);
  expect((await read('dashboard')).recent_activity).toHaveLength(20);
});

test('votes by the day on which they were given', async () => {
  const answers: { uuid: string }[] = [];
  for (const chat_id of ['a', 'b', 'c']) answers.push((await ask(question, { chat_id })).chat.agent);
  const vote = (index: number, type: string, voter_id = 'v') =>
    agent.client.call('PUT', '/v1/bot/chat/message/vote', {
      chat_id: 'abc'[index],
      message_id: answers[index]!.uuid,
      voter_id,
      type,
    });
  await vote(0, 'upvote');
  await vote(0, 'downvote', 'w');
  await vote(1, 'upvote');
  agent.clock.now = Date.parse('2031-03-04T00:00:00Z');
  await vote(1, 'downvote');
  await vote(2, 'upvote');
  await vote(2, 'none');
  expect(await read('votes')).toEqual({
    total_upvotes: 1,
    total_downvotes: 2,
    vote_ratio: 1 / 3,
    votes_by_date: [
      { date: '2031-03-01', upvotes: 1, downvotes: 1 },
      { date: '2031-03-04', upvotes: 0, downvotes: 1 },
    ],
  });
  expect((await read('votes', { to: '2031-03-01' })).votes_by_date).toHaveLength(1);
});

test('the dashboard: what there is, what happened last, and what each day had', async () => {
  await ask(question, { chat_id: 'a' });
  agent.clock.now = Date.parse('2031-03-05T09:00:00Z');
  const before = (await agent.client.call('GET', '/v1/bot/read')).body.bot.credits;
  await ask('Is there a larger tent?', { chat_id: 'b' });
  await ask(question, { chat_id: 'a' });
  const { overview, recent_activity, trends } = await read('dashboard');
  expect(overview).toMatchObject({ total_messages: 6, total_chats: 2, total_users: 2, credits: before - 2 });
  expect(recent_activity.map(({ type, title }: { type: string; title: string }) => [type, title])).toEqual([
    ['chat', 'Is there a larger tent?'],
    ['chat', question],
    ['source', expect.any(String)],
  ]);
  expect(trends).toEqual({
    messages: [
      { date: '2031-03-01', count: 2 },
      { date: '2031-03-05', count: 4 },
    ],
    chats: [
      { date: '2031-03-01', count: 1 },
      { date: '2031-03-05', count: 1 },
    ],
  });
});

test('tools that ran, most used first', async () => {
  for (const number of ['LF-10234', 'LF-10234', 'LF-55555']) {
    const { chat } = await ask(`Where is order ${number}?`);
    expect((await decide(chat, false)).status).toBe(200);
  }
  await decide((await ask(order)).chat, true);
  for (let n = 0; n < 4; n += 1) await ask('Is the Fell 2 in stock?', { reasoning_mode: 'agent' });
  const { tools_by_usage, ...totals } = await read('tools');
  expect(tools_by_usage).toEqual([
    { tool_name: 'stock', usage_count: 4, success_rate: 100 },
    { tool_name: 'order_status', usage_count: 3, success_rate: (2 / 3) * 100 },
  ]);
  expect(totals).toEqual({ total_tool_calls: 7, average_execution_time: expect.any(Number) });
});

test('what went wrong, by its code, and where', async () => {
  await ask(question, { chat_id: 'well' });
  const { body } = await ask(question, { chat_id: 'ill', provider_host: 'http://127.0.0.1:9', model: 'm' });
  expect(await read('errors')).toEqual({
    total_errors: 1,
    error_rate: 50,
    errors_by_type: [{ error_type: body.error.code, count: 1, percentage: 100 }],
    recent_errors: [
      {
        error_type: body.error.code,
        message: body.error.message,
        chat_id: 'ill',
        at: iso(agent.clock.now),
      },
    ],
  });
});

test('of more errors than are shown the newest, the newest first', async () => {
  const chats = Array.from({ length: 21 }, (_, n) => `ill-${n}`);
  for (const chat_id of chats) {
    agent.clock.now += minute;
    await ask(question, { chat_id, provider_host: 'http://127.0.0.1:9', model: 'm' });
  }
  const { recent_errors } = await read('errors');
  expect(recent_errors.map(({ chat_id }: { chat_id: string }) => chat_id)).toEqual(chats.slice(1).reverse());
}, 60_000);

test('how it reasoned', async () => {
  const standard = await ask(question, { reasoning_mode: 'standard' });
  const reasoned = await ask('Is the Fell 2 in stock?', { reasoning_mode: 'agent' });
  expect(standard.chat.agent.reasoning_type).toBe('standard');
  expect(await read('reasoning-summary')).toEqual({
    reasoning_types_used: { standard: 1, agent: 1 },
    average_reasoning_steps: 2,
    average_reasoning_time: reasoned.ms,
    reasoning_tokens_used: expect.any(Number),
  });
});

test('a deleted conversation is counted no more', async () => {
  const { chat_id } = (await ask(order)).chat.user;
  expect(await read('summary')).toMatchObject({ total_messages: 2, total_users: 1 });
  await agent.client.call('DELETE', '/v1/bot/chat/delete', { chat_id });
  for (const [name, field] of [
    ['summary', 'total_messages'],
    ['summary', 'total_users'],
    ['performance', 'throughput'],
    ['behavior', 'messages_per_session'],
  ] as const)
    expect((await read(name))[field]).toBe(0);
});

describe('who may, and what it takes', () => {
  test.each(names)('%s is for staff, in the endpoint-level shape', async (name) => {
    expect((await call(name, {}, 'moderator-key')).status).toBe(200);
    for (const [key, input, expected] of [
      [null, {}, [401, 'invalid_api_key']],
      ['member-key', {}, [403, 'forbidden']],
      ['other-key', {}, [403, 'forbidden']],
      ['owner-key', { bot_id: 'another' }, [404, 'bot_not_found']],
      ['owner-key', { from: 'yesterday' }, [400, 'invalid_parameters']],
    ] as const) {
      const { status, body } = await call(name, input, key);
      expect([status, body]).toEqual([expected[0], { error: expect.any(String), code: expected[1] }]);
    }
  });

  test.each(['', '2031', '1', '2031-02-30', '2031-13-01', '2031-03-01T25:00Z', 'null', "2031-03-01' OR 1"])(
    'no time is %j',
    async (from) => {
      const { status, body } = await call('summary', { from });
      expect([status, body.code]).toEqual([400, 'invalid_parameters']);
      expect(body.error).toMatch(/^from: /);
    },
  );

  test.each(['2031-03-01', '2031-03-01T12:00Z', '2031-03-01T14:00:00.000+02:00', '2031-03-01T12:00:00'])(
    'a time is %j',
    async (to) => {
      expect((await call('summary', { to })).status).toBe(200);
    },
  );
});
