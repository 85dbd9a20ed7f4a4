/** Tool servers of an agent: real ones of each kind, what is offered of them and to whom. */

import { afterEach, beforeEach, expect, test } from 'vitest';
import { callTool, say, startProvider } from '../support/agentprovider.ts';
import { type ShopAgent, startShopAgent, target } from '../support/agentservice.ts';
import { createGate } from '../support/gate.ts';
import { startReceiver } from '../support/receiver.ts';
import { listen, startToolServer, toTool } from '../support/toolserver.ts';

let provider: Awaited<ReturnType<typeof startProvider>>;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let agent: ShopAgent;
let shelf: Awaited<ReturnType<typeof startToolServer>>;

const tools = [
  toTool('count', { title: 'Count things', annotations: { readOnlyHint: true } }),
  toTool('throw_away'),
  toTool('order_status'),
];
const start = (kind: Parameters<typeof startToolServer>[0]) =>
  startToolServer(kind, tools, (name, { of }) =>
    name === 'throw_away'
      ? { content: [{ type: 'text', text: 'It is stuck.' }], isError: true }
      : {
          content: [
            { type: 'text', text: `4 of ${of}` },
            { type: 'image', data: 'aaaa', mimeType: 'image/png' },
          ],
        },
  );

beforeEach(async () => {
  provider = await startProvider();
  receiver = await startReceiver();
  shelf = await start('modern');
  agent = await startShopAgent({
    provider: { host: provider.host, key: 'provider-secret', model: 'small' },
    extraKeys: [
      { key: 'member-key', role: 'member' },
      { key: 'moderator-key', role: 'moderator' },
    ],
    webhook: { url: receiver.url, secret: 'secret', events: connectorEvents },
  });
});
afterEach(async () => {
  await agent.close();
  await shelf.close();
  await provider.close();
  await receiver.close();
});

const connectorEvents = ['connector.created', 'connector.updated', 'connector.deleted'] as const;
const visitor = { member_id: 'ada' };
const call = (method: string, path = '', body: object = {}, key = target.apiKey) =>
  agent.clientOf(key).call(method, `/v1/bot/tool${path}`, body);
const settings = () => ({ server_label: 'The Shelf', server_url: shelf.url, transport: 'http' });
const create = async (more: object = {}) => {
  const { status, body } = await call('POST', '', { ...settings(), ...more });
  expect(status).toBe(201);
  return body.tool;
};
const ask = (input: object = {}, key = target.apiKey) =>
  agent.clientOf(key).chat('Please look', { reasoning_mode: 'agent', ...input });
const offered = async (input: object = {}): Promise<string[]> => {
  const before = provider.requests.length;
  await ask(input);
  const { tools: shown = [] } = provider.requests[before]!.body;
  return shown.map((tool: { function: { name: string } }) => tool.function.name);
};
const shelfs = ['count', 'throw_away', 'the_shelf_order_status'];
const offeredOfShelf = async (input?: object) =>
  (await offered(input)).filter((name) => shelfs.includes(name));
/** What a tool tells the model. */
const run = async (name: string, parameters: object, input: object = {}) => {
  provider.scripts.push({ deltas: [callTool(name, parameters)] }, { deltas: [say('Done.')] });
  await ask(input);
  const { role, content } = provider.requests.at(-1)!.body.messages.at(-1);
  expect(role).toBe('tool');
  return JSON.parse(content);
};

test.each(['modern', 'sessions', 'sse'] as const)(
  'a tool server of the kind %s is asked for its tools, and its tools run (S14, S150)',
  async (kind) => {
    await shelf.close();
    shelf = await start(kind);
    const tool = await create({ transport: kind === 'sse' ? 'sse' : 'http' });
    expect(tool).toMatchObject({
      id: expect.any(String),
      server_label: 'The Shelf',
      server_url: shelf.url,
      require_approval: 'never',
      headers: {},
      is_enabled: true,
      type: 'mcp',
      access: 'public_safe',
      last_error: null,
      refreshed_at: '2031-03-01T12:00:00.000Z',
      tools: [
        { name: 'count', title: 'Count things', approval: 'auto', is_active: true, access: 'public_safe' },
        { name: 'throw_away', description: 'What throw_away says.', approval: 'always' },
        { name: 'order_status', schema: { type: 'object', properties: { of: { type: 'string' } } } },
      ],
    });
    expect(await run('count', { of: 'tents' }, visitor)).toBe('4 of tents\n[image]');
    expect(await run('throw_away', {}, visitor)).toEqual({ error: 'It is stuck.' });
    expect(shelf.callsOf('count')).toHaveLength(1);
    // Nothing is left behind at the server.
    await expect.poll(() => shelf.sessions.size).toBe(0);
  },
);

test('what is structured reaches the model as it is', async () => {
  await shelf.close();
  shelf = await startToolServer('modern', [toTool('left_over')], () => ({
    content: [{ type: 'text', text: 'four' }],
    structuredContent: { left: 4 },
  }));
  await create();
  expect(await run('left_over', {}, visitor)).toEqual({ left: 4 });
});

test('a tool is offered under its own name, or with its server’s where that is taken', async () => {
  await create();
  expect(await offeredOfShelf(visitor)).toEqual(shelfs);
  // The site's own, which asks somebody first.
  expect((await offered(visitor)).filter((name) => name === 'order_status')).toHaveLength(1);
  await run('the_shelf_order_status', { of: 'x' }, visitor);
  expect(shelf.callsOf('order_status')).toHaveLength(1);
  await create();
  const twice = await offered(visitor);
  expect(twice).toEqual(expect.arrayContaining(['the_shelf_count', 'the_shelf_order_status_2']));
  expect(new Set(twice).size).toBe(twice.length);
});

test('with the service’s own no more is offered than two fifths of the model’s context, and the log says what is left out', async () => {
  const events: object[] = [];
  const small = await startShopAgent({
    log: (event) => void events.push(event),
    contextTokens: 8_000,
    provider: { host: provider.host, key: 'provider-secret', model: 'small' },
  });
  const inputSchema = { type: 'object' as const, title: 'x'.repeat(3_600) };
  const long = await startToolServer(
    'modern',
    [...'abcd'].map((name) => toTool(name, { inputSchema })).concat(toTool('short')),
    () => ({ content: [] }),
  );
  const { status } = await small.client.call('POST', '/v1/bot/tool', {
    ...{ server_label: 'Long', server_url: long.url, transport: 'http' },
  });
  expect(status).toBe(201);
  await small.client.chat('Please look', { reasoning_mode: 'agent' });
  const names = provider.requests
    .at(-1)!
    .body.tools.map((tool: { function: { name: string } }) => tool.function.name);
  expect(names.filter((name: string) => /^[a-d]$|^short$/.test(name))).toEqual(['a', 'b', 'short']);
  expect(events).toContainEqual(expect.objectContaining({ event: 'tools.left_out', tools: 2 }));
  await small.close();
  await long.close();
});

test.each([400, 413, 422])(
  'a host that does not take a server’s schema (%d) answers without the tools of servers, and the log says so',
  async (status) => {
    const odd = { type: 'object' as const, properties: { of: { type: 'array' } } };
    const server = await startToolServer('modern', [toTool('odd', { inputSchema: odd })], () => ({
      content: [],
    }));
    await create({ server_label: 'Odd', server_url: server.url });
    provider.scripts.push({ status }, { deltas: [say('All the same.')] });
    const { body } = await ask(visitor);
    expect(body.chat.reply).toBe('All the same.');
    const [first, second] = provider.requests
      .slice(-2)
      .map((request) => request.body.tools.map((tool: { function: { name: string } }) => tool.function.name));
    expect(first).toContain('odd');
    expect(second).not.toContain('odd');
    expect(second).toContain('order_status');
    expect(agent.service.events).toContainEqual(expect.objectContaining({ event: 'tools.refused' }));
    // Refused for something else, it is told as before.
    const countRefused = () => agent.service.events.filter(({ event }) => event === 'tools.refused').length;
    const refused = countRefused();
    provider.scripts.push({ status }, { status });
    expect((await ask(visitor)).body.error.code).toBe('provider_error');
    expect(countRefused()).toBe(refused);
    await server.close();
  },
);

test('what tools give is cut to what the model’s context leaves, however often they are called', async () => {
  const talker = await startToolServer(
    'modern',
    [toTool('talk', { annotations: { readOnlyHint: true } })],
    () => ({ content: [{ type: 'text', text: 'x'.repeat(20_000) }] }),
  );
  await call('POST', '', { ...settings(), server_label: 'Talker', server_url: talker.url });
  const before = provider.requests.length;
  for (let n = 0; n < 4; n += 1) provider.scripts.push({ deltas: [callTool('talk', {})] });
  provider.scripts.push({ deltas: [callTool('count', {})] }, { deltas: [say('Done.')] });
  await ask();
  const sent = provider.requests.slice(before).map(({ body }) => body);
  expect(sent).toHaveLength(6);
  for (const { messages, tools: shown } of sent)
    expect(JSON.stringify([messages, shown]).length / 4).toBeLessThan(8_192);
  const results = sent.at(-1)!.messages.filter(({ role }: { role: string }) => role === 'tool');
  expect(results.map(({ content }: { content: string }) => content.length > 1_000)).toEqual([
    ...[true, true, true, true, false],
  ]);
  expect(results[0].content).toMatch(/\(cut here: it goes on\)$/);
  await talker.close();
});

test.each([
  ['one long call a round', 8, 1, 4_500],
  ['many short calls a round', 11, 32, 10],
])(
  'nor does what the model asks for go past it: %s',
  async (_, rounds, calls, chars) => {
    const face = await startToolServer(
      'modern',
      [toTool('face', { annotations: { readOnlyHint: true } })],
      () => ({
        content: [{ type: 'text', text: '\u{1F600}'.repeat(2_000) }],
      }),
    );
    await call('POST', '', { ...settings(), server_label: 'Face', server_url: face.url });
    const before = provider.requests.length;
    for (let n = 0; n < rounds; n += 1) {
      const deltas = Array.from({ length: calls }, (_, index) => {
        const [one] = callTool('face', { of: `${n} `.padEnd(chars, 'y') }).tool_calls as object[];
        return { tool_calls: [{ ...one, index, id: `call_${n}_${index}` }] };
      });
      provider.scripts.push({ deltas });
    }
    provider.scripts.push({ deltas: [say('Done.')] });
    expect((await ask()).status).toBe(200);
    const sent = provider.requests.slice(before).map(({ body }) => body);
    expect(sent).toHaveLength(rounds + 1);
    for (const { messages, tools: shown } of sent) {
      const text = JSON.stringify([messages, shown]);
      expect(text.length / 4).toBeLessThan(8_192);
      // Half a character is none, and hosts refuse it.
      expect(text).not.toMatch(/\\ud[89a-f]/i);
      for (const { tool_calls = [] } of messages)
        for (const one of tool_calls) expect(JSON.parse(one.function.arguments)).toBeTypeOf('object');
    }
    await face.close();
  },
  60_000,
);

test('what is for staff alone is offered to them alone, on the server or on one tool (S166, S170)', async () => {
  const { id } = await create();
  await call('PUT', `/${id}/configure`, { tools: [{ name: 'count', access: 'staff_only' }] });
  for (const input of [visitor, { purpose: 'service' }])
    expect(await offeredOfShelf(input)).toEqual(['throw_away', 'the_shelf_order_status']);
  expect(await offeredOfShelf()).toEqual(shelfs);
  await call('PUT', `/${id}`, { access: 'staff_only' });
  expect(await offeredOfShelf(visitor)).toEqual([]);
  expect(await offeredOfShelf()).toEqual(shelfs);
});

test('a tool that is closed to visitors meanwhile does not run for one', async () => {
  const { id } = await create({ require_approval: 'always' });
  provider.scripts.push({ deltas: [callTool('count', { of: 'x' })] }, { deltas: [say('Done.')] });
  const { body } = await ask({ ...visitor, chat_id: 'of-ada' });
  await call('PUT', `/${id}`, { access: 'staff_only' });
  await approve('of-ada', body.chat.executionId);
  expect(lastTold()).toContain('gone');
  expect(shelf.callsOf('count')).toHaveLength(0);
});

const approve = (chat_id: string, executionId: string) =>
  agent.client.call('POST', '/v1/bot/chat/execute-tool', { chat_id, execution_data: { executionId } });
const answer = (chat_id: string, executionId: string) =>
  agent.client.call('POST', '/v1/bot/chat/execute-tool', {
    chat_id,
    execution_data: { executionId, parameters: { answers: ['That'] } },
  });
const callAll = (asked: { name: string; values: object }[]) => ({
  tool_calls: asked.map(({ name, values }, index) => ({
    ...{ index, id: `c${index}`, type: 'function' },
    function: { name, arguments: JSON.stringify(values) },
  })),
});
const lastTold = () => provider.requests.at(-1)!.body.messages.at(-1).content;

test.each([
  ['never', ['done', 'done']],
  ['always', ['paused', 'paused']],
  ['tool-specific', ['done', 'paused']],
] as const)(
  'with approval %s a tool that reads and one that does not are %s',
  async (require_approval, ends) => {
    await create({ require_approval });
    for (const [index, name] of ['count', 'throw_away'].entries()) {
      provider.scripts.push({ deltas: [callTool(name, { of: 'x' })] }, { deltas: [say('Done.')] });
      const { chat } = (await ask({ ...visitor, chat_id: name })).body;
      expect(chat.requiresApproval === true ? 'paused' : 'done').toBe(ends[index]);
      provider.scripts.length = 0;
      if (ends[index] === 'done') continue;
      expect(chat.tool).toMatchObject({
        name,
        title: name === 'count' ? 'Count things' : name,
        description: `What ${name} says.`,
        server_label: 'The Shelf',
        parameters: { of: 'x' },
      });
      provider.scripts.push({ deltas: [say('Done.')] });
      await approve(name, chat.executionId);
      expect(shelf.callsOf(name)).toHaveLength(1);
    }
  },
);

test('what was approved runs at the server that it was shown for, or nowhere', async () => {
  const { id } = await create({ require_approval: 'always' });
  const other = await start('modern');
  const { body } = await call('POST', '', { ...settings(), server_label: 'Other', server_url: other.url });
  provider.scripts.push({ deltas: [callTool('count', { of: 'x' })] }, { deltas: [say('Done.')] });
  const { chat } = (await ask({ ...visitor, chat_id: 'of-ada' })).body;
  expect(chat.tool.server_label).toBe('The Shelf');
  // Now the other's is called so.
  await call('DELETE', `/${id}`);
  expect(body.tool.tools).toHaveLength(3);
  await approve('of-ada', chat.executionId);
  expect(lastTold()).toContain('gone');
  expect([shelf.callsOf('count'), other.callsOf('count')]).toEqual([[], []]);
  await other.close();
});

test('what was approved runs though it is called otherwise by now', async () => {
  const first = await create();
  const other = await start('modern');
  const settings = { server_label: 'Other', server_url: other.url, require_approval: 'always' };
  await create(settings);
  const [call1, call2] = [callTool('other_count', { of: 'x' }), { deltas: [say('Done.')] }];
  provider.scripts.push({ deltas: [call1] }, call2);
  const { chat } = (await ask({ ...visitor, chat_id: 'of-ada' })).body;
  await call('PUT', `/${first.id}`, { is_enabled: false });
  await approve('of-ada', chat.executionId);
  expect(other.callsOf('count')).toHaveLength(1);
  await other.close();
});

test('what was asked for beside what waited runs at its own server, or nowhere', async () => {
  const first = await create();
  const other = await start('modern');
  await create({ server_label: 'Other', server_url: other.url });
  const asked = [
    { name: 'ask_user', values: { questions: [{ question: 'Which?' }] } },
    { name: 'count', values: { of: 'for the first alone' } },
  ];
  provider.scripts.push({ deltas: [callAll(asked)] }, { deltas: [say('Done.')] });
  const { chat } = (await ask({ ...visitor, chat_id: 'of-ada' })).body;
  await call('PUT', `/${first.id}`, { is_enabled: false });
  await answer('of-ada', chat.executionId);
  expect(lastTold()).toBe('This tool is gone.');
  expect([shelf.callsOf('count'), other.callsOf('count')]).toEqual([[], []]);
  await other.close();
});

test('what nobody offered is no tool behind a pause either, though a server of such a tool has come since', async () => {
  const asked = [
    { name: 'ask_user', values: { questions: [{ question: 'Which?' }] } },
    { name: 'count', values: { of: 'made up' } },
  ];
  provider.scripts.push({ deltas: [callAll(asked)] }, { deltas: [say('Done.')] });
  const { chat } = (await ask({ ...visitor, chat_id: 'of-ada' })).body;
  await create();
  await answer('of-ada', chat.executionId);
  expect(lastTold()).toContain('There is no such tool');
  expect(shelf.callsOf('count')).toHaveLength(0);
});

test('a server that is somewhere else by now is not called in a turn that was offered the one before', async () => {
  const other = await start('modern');
  const moving = await startToolServer('modern', tools, async () => {
    await call('PUT', `/${id}`, { server_url: other.url });
    return { content: [{ type: 'text', text: 'Once.' }] };
  });
  const { id } = await create({ server_label: 'Moving', server_url: moving.url });
  for (let n = 0; n < 2; n += 1) provider.scripts.push({ deltas: [callTool('count', { of: 'x' })] });
  provider.scripts.push({ deltas: [say('Done.')] });
  await ask(visitor);
  expect(lastTold()).toContain('gone');
  expect([moving.callsOf('count').length, other.callsOf('count').length]).toEqual([1, 0]);
  await moving.close();
  await other.close();
});

test('a tool that needs approval by now does not run without, in the turn that was offered it either', async () => {
  const raising = await startToolServer('modern', tools, async () => {
    await call('PUT', `/${id}`, { require_approval: 'always' });
    return { content: [{ type: 'text', text: 'Once.' }] };
  });
  const { id } = await create({ server_label: 'Raising', server_url: raising.url });
  for (let n = 0; n < 2; n += 1) provider.scripts.push({ deltas: [callTool('count', { of: 'x' })] });
  provider.scripts.push({ deltas: [say('Done.')] });
  const { body } = await ask(visitor);
  const told = provider.requests.at(-1)!.body.messages.at(-1).content;
  expect([raising.callsOf('count').length, told]).toEqual([
    1,
    expect.stringContaining('needs approval by now'),
  ]);
  expect(body.chat.reply).toBe('Done.');
  await raising.close();
});

test('a tool is switched off and on, and a server too', async () => {
  const { id } = await create();
  expect((await call('POST', `/${id}/toggle`, { tool_name: 'count', is_active: false })).status).toBe(200);
  expect(await offeredOfShelf(visitor)).toEqual(['throw_away', 'the_shelf_order_status']);
  await call('POST', `/${id}/toggle`, { tool_name: 'count', active: 1 });
  expect(await offeredOfShelf(visitor)).toEqual(shelfs);
  await call('PUT', `/${id}`, { is_enabled: false });
  expect(await offeredOfShelf(visitor)).toEqual([]);
  const unknown = await call('POST', `/${id}/toggle`, { tool_name: 'nothing', is_active: true });
  expect([unknown.status, unknown.body.error.code]).toEqual([404, 'tool_not_found']);
  expect((await call('POST', `/${id}/toggle`, { tool_name: 'count' })).status).toBe(400);
});

test('what the owner decided about a tool holds when the server says anew what it has', async () => {
  const { id } = await create({ require_approval: 'tool-specific' });
  const decided = { name: 'count', approval: 'always', access: 'staff_only', is_active: false };
  await call('PUT', `/${id}/configure`, { tools: [decided] });
  tools[1]!.annotations = { readOnlyHint: true };
  try {
    const { body } = await call('POST', `/${id}/refresh`, {}, 'moderator-key');
    expect(body).toEqual({ success: true, message: expect.any(String), tools_count: 3 });
  } finally {
    delete tools[1]!.annotations;
  }
  const { tool } = (await call('GET', `/${id}`)).body;
  expect(tool.tools[0]).toMatchObject(decided);
  // Nobody decided about this one: its server's word stands.
  expect(tool.tools[1]).toMatchObject({ name: 'throw_away', approval: 'auto' });
  const all = [{ name: 'count' }, { name: 'nothing', is_active: false }];
  expect((await call('PUT', `/${id}/configure`, { tools: all })).status).toBe(404);
});

test('of a server that has moved nothing is offered before it has said what it has', async () => {
  const gate = createGate();
  const slow = await listen(async (_request, response) => {
    await gate.opened;
    response.destroy();
  });
  const { id } = await create();
  expect(await offeredOfShelf()).toContain('count');
  const moving = call('PUT', `/${id}`, { server_url: slow.url });
  await expect.poll(async () => (await call('GET', `/${id}`)).body.tool.server_url).toBe(slow.url);
  expect((await call('GET', `/${id}`)).body.tool.tools).toEqual([]);
  expect(await offeredOfShelf()).toEqual([]);
  gate.open();
  await moving;
  await call('PUT', `/${id}`, { server_url: shelf.url });
  expect(await offeredOfShelf()).toContain('count');
  // Nor of one that is asked otherwise.
  await call('PUT', `/${id}`, { transport: 'sse' });
  expect(await offeredOfShelf()).toEqual([]);
  await slow.close();
});

test('what the owner decided holds for a tool that is not offered for a while, or from elsewhere', async () => {
  const { id } = await create();
  const decided = [
    { name: 'count', access: 'staff_only' },
    { name: 'throw_away', is_active: false },
  ];
  await call('PUT', `/${id}/configure`, { tools: decided });
  const count = tools.shift()!;
  try {
    await call('POST', `/${id}/refresh`);
    expect(await offeredOfShelf()).toEqual(['the_shelf_order_status']);
  } finally {
    tools.unshift(count);
  }
  await call('POST', `/${id}/refresh`);
  expect(await offeredOfShelf(visitor)).toEqual(['the_shelf_order_status']);
  expect(await offeredOfShelf()).toEqual(['count', 'the_shelf_order_status']);
  await call('PUT', `/${id}`, { server_url: 'http://127.0.0.1:9/' });
  await call('PUT', `/${id}`, { server_url: shelf.url });
  expect(await offeredOfShelf(visitor)).toEqual(['the_shelf_order_status']);
});

test.each([
  [
    'another tool of nearly that name',
    async (id: string) => {
      await call('POST', `/${id}/toggle`, { tool_name: 'order.show', is_active: false });
    },
  ],
  [
    'the tool as it is described by now',
    async (id: string) => {
      tools[3] = { ...tools[3]!, description: 'Shows all orders.' };
      await call('POST', `/${id}/refresh`);
    },
  ],
] as const)('an approval is not one for %s', async (_, change) => {
  const before = [...tools];
  tools.push(toTool('order.show'), toTool('order show'));
  try {
    const { id } = await create({ require_approval: 'always' });
    provider.scripts.push({ deltas: [callTool('order_show', { of: 'x' })] }, { deltas: [say('Done.')] });
    const { chat } = (await ask({ ...visitor, chat_id: 'of-ada' })).body;
    expect(chat.tool.title).toBe('order.show');
    await change(id);
    await approve('of-ada', chat.executionId);
    expect(lastTold()).toContain('gone');
    expect([...shelf.callsOf('order.show'), ...shelf.callsOf('order show')]).toEqual([]);
  } finally {
    tools.splice(0, tools.length, ...before);
  }
});

test('headers reach the server, and their values nobody', async () => {
  const { id, headers } = await create({ headers: { 'x-secret': 'shelf-secret', 'x-other': 'b' } });
  expect(headers).toEqual({ 'x-secret': '***', 'x-other': '***' });
  expect(shelf.asked.length).toBeGreaterThan(0);
  for (const { headers: sent } of shelf.asked) expect(sent['x-secret']).toBe('shelf-secret');
  const all = JSON.stringify([await call('GET'), await call('GET', `/${id}`)]);
  expect(all).not.toContain('shelf-secret');
  // A record that is sent back keeps them.
  await call('PUT', `/${id}`, { ...settings(), headers: { 'x-secret': '***' }, server_label: 'Renamed' });
  await run('count', { of: 'x' }, visitor);
  expect(shelf.asked.at(-1)!.headers).toMatchObject({ 'x-secret': 'shelf-secret' });
  expect(shelf.asked.at(-1)!.headers['x-other']).toBeUndefined();
  // To another server they go only if they are given for it.
  const other = await start('modern');
  for (const sent of [{}, { headers: { 'x-secret': '***' } }, { headers: { unknown: '***' } }]) {
    const { status, body } = await call('PUT', `/${id}`, { server_url: other.url, ...sent });
    expect([status, body.error.code]).toEqual([400, 'invalid_parameters']);
  }
  expect(other.asked).toEqual([]);
  const { body } = await call('PUT', `/${id}`, { server_url: other.url, headers: null });
  expect(body.tool).toMatchObject({ headers: {}, server_url: other.url });
  expect(body.tool.tools).toHaveLength(3);
  expect(other.asked.some(({ headers: sent }) => 'x-secret' in sent)).toBe(false);
  await other.close();
});

test('a server that cannot be reached is kept, and says why it offers nothing', async () => {
  await shelf.close();
  const tool = await create();
  expect(tool).toMatchObject({
    tools: [],
    last_error: 'The tool server could not be reached.',
    refreshed_at: null,
  });
  for (const action of ['refresh', 'test']) {
    const { status, body } = await call('POST', `/${tool.id}/${action}`);
    expect([status, body]).toEqual([
      200,
      { success: false, message: 'The tool server could not be reached.', tools_count: 0 },
    ]);
  }
  expect(await offeredOfShelf(visitor)).toEqual([]);
});

test('a server that is gone for a moment keeps its tools, and the turn goes on', async () => {
  const { id } = await create();
  await shelf.close();
  await call('POST', `/${id}/refresh`);
  const { tool } = (await call('GET', `/${id}`)).body;
  expect([tool.tools.length, tool.last_error]).toEqual([3, 'The tool server could not be reached.']);
  expect(await run('count', {}, visitor)).toEqual({ error: 'The tool server could not be reached.' });
});

test('tool servers are listed by page and filter, and tested without a trace', async () => {
  const { id } = await create();
  await create({ server_label: 'Second' });
  await call('PUT', `/${id}`, { is_enabled: false });
  const list = async (filter?: object) =>
    (
      await agent.client.call('GET', '/v1/bot/tool', {
        ...(filter ? { filter: JSON.stringify(filter) } : {}),
        per_page: 1,
      })
    ).body;
  expect(await list()).toMatchObject({
    tools: [{ server_label: 'Second' }],
    pagination: { page: 1, per_page: 1, total: 2, total_pages: 2 },
  });
  expect(await list({ is_enabled: false })).toMatchObject({ tools: [{ id }], pagination: { total: 1 } });
  expect(await list({ server_label: 'Second', transport: 'http' })).toMatchObject({
    pagination: { total: 1 },
  });
  expect(await list({ transport: 'sse' })).toMatchObject({ tools: [] });
  for (const filter of ['{', '[]', '{"transport":"tcp"}', '3'])
    expect((await call('GET', '', { filter })).status).toBe(400);
  const { body } = await call('POST', `/${id}/test`, {}, 'moderator-key');
  expect(body).toEqual({ success: true, message: expect.any(String), tools_count: 3 });
});

test('owners and admins change tool servers, moderators read and refresh them, members do neither', async () => {
  const { id } = await create();
  const changes = [
    ['POST', '', settings()],
    ['PUT', `/${id}`, { is_enabled: true }],
    ['PUT', `/${id}/configure`, { tools: [{ name: 'count' }] }],
    ['POST', `/${id}/toggle`, { tool_name: 'count', is_active: true }],
    ['DELETE', `/${id}`, {}],
  ] as const;
  const reads = [
    ['GET', '', {}],
    ['GET', `/${id}`, {}],
    ['POST', `/${id}/refresh`, {}],
    ['POST', `/${id}/test`, {}],
  ] as const;
  for (const [method, path, body] of changes)
    for (const key of ['moderator-key', 'member-key'])
      expect((await call(method, path, body, key)).status, `${key} ${method} ${path}`).toBe(403);
  for (const [method, path, body] of reads)
    expect([
      (await call(method, path, body, 'moderator-key')).status,
      (await call(method, path, body, 'member-key')).status,
    ]).toEqual([200, 403]);
  const { body: made } = await agent.client.call('POST', '/v1/bot/create', { name: 'Second' });
  const elsewhere = await call('GET', `/${id}`, { bot_id: made.bot.uuid });
  expect([elsewhere.status, elsewhere.body.error.code]).toEqual([404, 'tool_not_found']);
});

test.each([
  [{ server_url: 'ftp://shelf.example' }],
  [{ server_url: 'shelf' }],
  [{ server_url: 'http://ada:secret@shelf.example' }],
  [{ server_url: `http://shelf.example/${'x'.repeat(500)}` }],
  [{ server_label: '' }],
  [{ server_label: 'x'.repeat(256) }],
  [{ transport: 'stdio' }],
  [{ require_approval: 'sometimes' }],
  [{ access: 'everybody' }],
  [{ type: 'other' }],
  [{ headers: { 'bad name': 'x' } }],
  [{ headers: { name: 'a\r\nb: c' } }],
  [{ headers: { name: 3 } }],
  [{ headers: { Host: 'x' } }],
  [{ headers: [] }],
])('%j is refused before anybody is asked', async (wrong) => {
  const { status, body } = await call('POST', '', { ...settings(), ...wrong });
  expect([status, body.error.code]).toEqual([400, 'invalid_parameters']);
  expect(body.error.message.startsWith(Object.keys(wrong)[0]!)).toBe(true);
  expect(shelf.asked).toEqual([]);
});

test('who is told hears of a tool server that is made, changed and deleted (S184, S185, S186)', async () => {
  const { id } = await create();
  await call('PUT', `/${id}`, { is_enabled: true });
  await call('PUT', `/${id}/configure`, { tools: [{ name: 'count', is_active: true }] });
  await call('POST', `/${id}/toggle`, { tool_name: 'count', is_active: true });
  await call('POST', `/${id}/refresh`);
  await call('DELETE', `/${id}`);
  await receiver.count(5);
  expect(receiver.received.map(({ body }) => [body.event, body.resource_id, body.name])).toEqual([
    ['connector.created', id, 'The Shelf'],
    ['connector.updated', id, 'The Shelf'],
    ['connector.updated', id, 'The Shelf'],
    ['connector.updated', id, 'The Shelf'],
    ['connector.deleted', id, 'The Shelf'],
  ]);
  expect((await call('GET', `/${id}`)).status).toBe(404);
});

test('an agent has fifty tool servers at most, and takes them with it', async () => {
  await shelf.close();
  const { body: made } = await agent.client.call('POST', '/v1/bot/create', { name: 'Second' });
  const bot_id = made.bot.uuid;
  for (let count = 0; count < 50; count += 1) await create({ bot_id });
  const { status, body } = await call('POST', '', { ...settings(), bot_id });
  expect([status, body.error.code]).toEqual([403, 'plan_limit_reached']);
  expect((await agent.client.call('DELETE', '/v1/bot/delete', { bot_id })).status).toBe(200);
});
