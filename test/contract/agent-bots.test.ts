/** Agents and what they are set to, row by row of the API document. */
import { readdirSync, readFileSync } from 'node:fs';
import { SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { say, startProvider } from '../support/agentprovider.ts';
import { type ShopAgent, startShopAgent } from '../support/agentservice.ts';

const secret = 'c3'.repeat(32);
const question = 'How long does shipping to Canada take?';
let agent: ShopAgent;
beforeEach(async () => {
  agent = await startShopAgent({
    ssoSecret: secret,
    memberEmails: ['staff@shop.example'],
    extraKeys: [{ key: 'member-key', role: 'member' }],
  });
});
afterEach(() => agent.close());

const update = (input: object) => agent.client.call('PUT', '/v1/bot/update', input);
const read = async () => (await agent.client.call('GET', '/v1/bot/read')).body.bot;
const join = async (email: string) => {
  const iat = agent.clock.now / 1000;
  const token = await new SignJWT({ email, iat, exp: iat + 600 })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode(secret));
  return (await agent.client.call('POST', '/v1/bot/widget/sso', { token })).body.member_id as string;
};
const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [
  status,
  body.error?.code,
];

describe('an agent', () => {
  test('is made with a name alone, read, listed and deleted (S5, S142, S147)', async () => {
    const made = await agent.client.call('POST', '/v1/bot/create', { name: 'Second', temperature: 0.2 });
    expect(made.status).toBe(201);
    expect(made.body.bot).toMatchObject({
      name: 'Second',
      temperature: 0.2,
      reasoning_type: 'auto',
      top: 5,
      memory: true,
      require_login: false,
      status: 1,
      credits: 100_000,
    });
    const { uuid } = made.body.bot;
    expect(made.body.bot.id).toBe(uuid);
    for (const path of ['/v1/bot/readall', '/v1/bots']) {
      const { body } = await agent.client.call('GET', path, { per_page: 1 });
      expect(body.bots.map((bot: { uuid: string }) => bot.uuid)).toEqual([uuid]);
      expect(body.pagination).toEqual({ page: 1, per_page: 1, total: 2, total_pages: 2 });
    }
    expect((await agent.client.chat('Hello', { bot_id: uuid })).status).toBe(200);
    expect((await agent.client.call('DELETE', '/v1/bot/delete', { bot_id: uuid })).body.success).toBe(true);
    expect(codeOf(await agent.client.chat('Hello', { bot_id: uuid }))).toEqual([404, 'bot_not_found']);
    expect(codeOf(await agent.client.call('DELETE', '/v1/bot/delete'))).toEqual([400, 'default_bot']);
    expect((await agent.client.call('POST', '/v1/bot/create', {})).status).toBe(400);
  });

  test('answers an update with what was sent, and changes nothing else (S147)', async () => {
    const before = await read();
    const { body } = await update({
      instruction: 'Be brief.',
      branding: { placeholder: 'Ask' },
      memory: 0,
      status: 'inactive',
    });
    expect(Object.keys(body).sort()).toEqual(
      ['branding', 'id', 'instruction', 'memory', 'status', 'updated_at'].sort(),
    );
    expect(body).toMatchObject({ instruction: 'Be brief.', memory: false, status: 0 });
    const after = await read();
    expect(after).toEqual({
      ...before,
      instruction: 'Be brief.',
      branding: { ...before.branding, placeholder: 'Ask' },
      memory: false,
      status: 0,
      updated_at: after.updated_at,
    });
    await update({ max_reply_tokens: 5 });
    expect((await update({ max_reply_tokens: null })).body.max_reply_tokens).toBeNull();
  });

  test('ignores fields that were removed (S57, S58, S59)', async () => {
    const gone = { inter_agent_communication: true, workspace_scope: 'all' };
    const made = await agent.client.call('POST', '/v1/bot/create', { name: 'Second', ...gone });
    const changed = await update({ name: 'First', ...gone });
    expect([made.status, changed.status]).toEqual([201, 200]);
    expect(JSON.stringify([made.body, changed.body, await read()])).not.toMatch(
      /inter_agent_communication|workspace_scope/,
    );
  });

  test.each([
    ['temperature', 1.1],
    ['temperature', '0.5'],
    ['top', 51],
    ['name', ''],
    ['chat_mode', 'talk'],
    ['status', 2],
    ['max_reply_tokens', 0],
    ['instruction', 'x'.repeat(20_001)],
    ['branding', { accent_color: 'red;' }],
  ])('refuses a wrong %s by name, never with its value (S194, S207)', async (name, value) => {
    const { status, body } = await update({ [name]: value });
    expect([status, body.error.code]).toEqual([400, 'invalid_parameters']);
    expect(body.error.message).toMatch(new RegExp(`^${name}`));
  });

  test('reset deletes its sources and nothing else', async () => {
    await agent.client.chat(question, { chat_id: 'kept' });
    expect((await agent.client.call('POST', '/v1/bot/reset')).body.success).toBe(true);
    expect((await agent.client.call('GET', '/v1/bot/source/readall')).body.pagination.total).toBe(0);
    expect((await agent.client.call('GET', '/v1/bot/chat/read', { chat_id: 'kept' })).body.total).toBe(2);
  });

  test('that is switched off answers nobody', async () => {
    await update({ status: 0 });
    expect(codeOf(await agent.client.chat(question))).toEqual([403, 'bot_inactive']);
  });

  test('with require_login answers the signed-in alone, and the builder (S182)', async () => {
    await update({ require_login: true });
    const member_id = await join('ada@shop.example');
    const visitor = { purpose: 'service' };
    expect(codeOf(await agent.client.chat(question, visitor))).toEqual([403, 'login_required']);
    expect(codeOf(await agent.client.chat(question, { ...visitor, member_id: 'made-up' }))).toEqual([
      403,
      'login_required',
    ]);
    expect((await agent.client.chat(question, { ...visitor, member_id })).status).toBe(200);
    expect((await agent.client.chat(question)).status).toBe(200);
  });

  test('with a rate of its own refuses one end user, not the next', async () => {
    await update({ ratelimit_requests: 2, ratelimit_seconds: 30, ratelimit_message: 'Slow down, please.' });
    const ask = (chat_id: string) => agent.client.chat('Hello', { chat_id, purpose: 'service' });
    expect([(await ask('a')).status, (await ask('a')).status]).toEqual([200, 200]);
    const third = await ask('a');
    expect(codeOf(third)).toEqual([429, 'bot_rate_limited']);
    expect(third.body.error.message).toBe('Slow down, please.');
    expect(third.headers.get('retry-after')).toBe('30');
    expect((await ask('b')).status).toBe(200);
    agent.clock.now += 30_000;
    expect((await ask('a')).status).toBe(200);
  });

  test('says its own sentence where the sources hold nothing', async () => {
    await update({ no_answer_reply: 'Call us on 555 0100.' });
    const { body } = await agent.client.chat('Who won the football in 1966?');
    expect(body.chat.reply).toBe('Call us on 555 0100.');
  });

  test('its chat_mode is where the builder’s conversations begin, a visitor’s begin in ask (S56, S60, S77)', async () => {
    await update({ chat_mode: 'plan' });
    const modeOf = async (chat_id: string, input: object) => {
      await agent.client.chat('Hello', { chat_id, ...input });
      const { body } = await agent.client.call('GET', '/v1/bot/chat/readall');
      return body.chats.find((one: { chat_id: string }) => one.chat_id === chat_id).chat_mode;
    };
    expect(await modeOf('builder', {})).toBe('plan');
    expect(await modeOf('visit', { purpose: 'service' })).toBe('ask');
    expect(await modeOf('member', { member_id: 'somebody' })).toBe('ask');
  });

  test('edit and plan are for the builder and for members of the project (S78, S79, S114)', async () => {
    const [staff, ada] = [await join('staff@shop.example'), await join('ada@shop.example')];
    const asEdit = (member_id: string) => agent.client.chat('Hello', { member_id, chat_mode: 'edit' });
    expect((await asEdit(staff)).status).toBe(200);
    expect(codeOf(await asEdit(ada))).toEqual([403, 'mode_not_allowed']);
    for (const [chat_id, member_id, expected] of [
      ['of staff', staff, 200],
      ['of ada', ada, 403],
    ] as const) {
      await agent.client.chat('Hello', { chat_id, member_id });
      const { status } = await agent.client.call('PUT', '/v1/bot/chat/mode', { chat_id, chat_mode: 'plan' });
      expect(status).toBe(expected);
    }
  });

  test('a parameter without effect is named in the notes (S105, S106, S113)', async () => {
    const overrides = { model: 'other', temperature: 0, instruction: 'Rhyme.' };
    const { body } = await agent.client.chat(question, overrides);
    expect(body.chat.notes).toEqual([
      'model: no effect, no language model answers.',
      'instruction: no effect, no language model answers.',
      'temperature: no effect, no language model answers.',
    ]);
    const asMember = await agent.clientOf('member-key').chat(question, overrides);
    expect(asMember.body.chat.notes).toContain("instruction: ignored, the key is a member's.");
    expect((await agent.client.chat(question)).body.chat.notes).toEqual([]);
    expect(codeOf(await agent.client.chat(question, { provider_key: 'mine' }))).toEqual([
      400,
      'invalid_parameters',
    ]);
  });
});

describe('a chat call', () => {
  test('is held to the sources, the length and the mode that it names (S104, S109, S112)', async () => {
    const other = await agent.client.call('POST', '/v1/bot/source/create', { type: 'text', source: 'Yaks.' });
    await agent.service.idle();
    const { uuid } = other.body.source;
    const limited = await agent.client.chat(question, { source_ids: [uuid] });
    expect(limited.body.chat.reply).not.toContain('5 to 8 business days');
    expect(limited.body.chat.sources).toEqual([]);
    const short = await agent.client.chat(question, { max_reply_tokens: 3 });
    expect(short.body.chat.reply.length).toBeLessThanOrEqual(13);
    const modes = [];
    for (const reasoning_mode of ['auto', 'standard', 'agent']) {
      const { body } = await agent.client.chat(question, { reasoning_mode });
      modes.push(body.chat.agent.reasoning_type);
    }
    expect(modes).toEqual(['standard', 'standard', 'agent']);
  });

  test.each([
    ['top', 0],
    ['temperature', 2],
    ['max_reply_tokens', 1.5],
    ['reasoning_mode', 'deep'],
    ['chat_mode', 'talk'],
    ['stream', 'perhaps'],
    ['source_ids', 'one'],
    ['message', ''],
  ])('with a wrong %s is refused by its name (S105, S194)', async (name, value) => {
    const { status, body } = await agent.client.chat(question, { [name]: value });
    expect([status, body.error.code]).toEqual([400, 'invalid_parameters']);
    expect(body.error.message).toMatch(new RegExp(`^${name}`));
  });

  test('ids are only strings: what looks like SQL or a path is not found', async () => {
    for (const bot_id of ["' OR 1=1 --", '../../etc/passwd', '%00', '\u0000', 'ünïcode'])
      expect((await agent.client.chat(question, { bot_id })).status).toBe(404);
    for (const bot_id of ['', 'x'.repeat(201), 7])
      expect((await agent.client.chat(question, { bot_id })).status).toBe(400);
  });
});

describe('people', () => {
  test('who signs in is a subscriber, listed newest first (S11, S146, S149, S178, S179)', async () => {
    await join('ada@shop.example');
    const member_id = await join('ben@shop.example');
    await join('ADA@shop.example');
    const { body } = await agent.client.call('GET', '/v1/bot/subscriber/readall');
    expect(body.subscribers).toMatchObject([{ email: 'ben@shop.example' }, { email: 'ADA@shop.example' }]);
    expect(body.subscribers[0]).toEqual({
      id: expect.any(Number),
      email: 'ben@shop.example',
      name: null,
      subscribed_at: new Date(agent.clock.now).toISOString(),
      type: 'subscriber',
      member_id,
    });
    expect(body.pagination.total).toBe(2);
    const ofProject = await agent.client.call('GET', '/v1/bot/subscriber/readall', { bot_id: undefined });
    expect(ofProject.body.subscribers).toEqual(body.subscribers);
  });

  test('what a signed-in visitor asks to be remembered is used, read, counted and erased (S181)', async () => {
    const member_id = await join('ada@shop.example');
    const as = { member_id, purpose: 'service' };
    await agent.client.chat('Remember that I wear size 41.', as);
    await agent.client.chat('Remember: my tent is a Fell 2', as);
    const { body: told } = await agent.client.chat('What do you remember about me?', as);
    expect(told.chat.reply).toContain('I wear size 41.');
    expect(told.chat.reply).toContain('my tent is a Fell 2');
    const all = await agent.client.call('GET', '/v1/bot/memory/readall', { user_uuid: member_id });
    expect(all.body.total).toBe(2);
    expect(all.body.pagination.per_page).toBe(50);
    expect(all.body.memories[0]).toMatchObject({
      type: 'semantic',
      content: 'my tent is a Fell 2',
      is_active: true,
      user: { uuid: member_id, email: 'ada@shop.example', name: null },
    });
    const count = async () =>
      (await agent.client.call('GET', '/v1/bot/memory/count', { user_uuid: member_id })).body.count;
    expect(await count()).toBe(2);
    expect((await agent.client.call('GET', '/v1/bot/memory/count')).status).toBe(400);
    const { uuid } = all.body.memories[0];
    expect((await agent.client.call('DELETE', `/v1/bot/memory/${uuid}`)).body.success).toBe(true);
    expect(await count()).toBe(1);
    expect(codeOf(await agent.client.call('DELETE', `/v1/bot/memory/${uuid}`))).toEqual([
      404,
      'memory_not_found',
    ]);
    const episodic = await agent.client.call('GET', '/v1/bot/memory/readall', { type: 'episodic' });
    expect(episodic.body.total).toBe(0);
  });

  test('a guest is never remembered, nor anybody while memory is off (S110)', async () => {
    const member_id = await join('ada@shop.example');
    await agent.client.chat('Remember that I wear size 41.', { purpose: 'service' });
    await agent.client.chat('Remember that I wear size 41.', { purpose: 'service', member_id: 'made-up' });
    await agent.client.chat('Remember that I wear size 41.', {
      purpose: 'service',
      member_id,
      memory: false,
    });
    expect((await agent.client.call('GET', '/v1/bot/memory/readall')).body.total).toBe(0);
  });
});

type Operation = {
  parameters: { name: string; in: string }[];
  requestBody?: { content: { 'application/json': { schema: { properties?: object } } } };
};

describe('the description', () => {
  test('is OpenAPI at version 1.0.0 and names every path that is served (S218, S219)', async () => {
    const { body } = await agent.client.call('GET', '/v1/openapi.json');
    expect(body.openapi).toMatch(/^3\./);
    expect(body.info.version).toBe('1.0.0');
    for (const path of ['/v1/bot/chat', '/v1/keys/{id}/rotate', '/v1/bots', '/v1/openapi.json'])
      expect(body.paths[path]).toBeDefined();
    for (const [path, operations] of Object.entries(body.paths as Record<string, object>))
      for (const method of Object.keys(operations)) {
        const { status, body: answer } = await agent.client.call(
          method.toUpperCase(),
          path.replace(/\{\w+\}/g, 'x'),
        );
        expect([path, status === 404 && answer.error.code === 'not_found']).toEqual([path, false]);
      }
    expect((await agent.client.call('GET', '/v1/openapi.json', {}, null)).status).toBe(401);
  });

  test('holds all that the helper calls', async () => {
    const { body } = await agent.client.call('GET', '/v1/openapi.json');
    const folder = 'server-helper/agent';
    const code = readdirSync(folder).map((name) => readFileSync(`${folder}/${name}`, 'utf8'));
    const called = code.flatMap((text) =>
      [...text.matchAll(/'(GET|POST|PUT|DELETE)',\s*'(\/v1\/[^']+)'/g)].map(([, method = '', path = '']) => ({
        method: method.toLowerCase(),
        path,
      })),
    );
    expect(called.length).toBeGreaterThan(10);
    expect(called.filter(({ method, path }) => !body.paths[path]?.[method])).toEqual([]);
  });

  const incoming = '/v1/bot/workflow/incoming/';
  test('says of every operation what it takes, as its query or its body', async () => {
    const { body } = await agent.client.call('GET', '/v1/openapi.json');
    const operations = Object.entries(body.paths as Record<string, Record<string, Operation>>).flatMap(
      ([path, methods]) => Object.entries(methods).map(([method, one]) => ({ path, method, ...one })),
    );
    for (const { path, method, parameters, requestBody } of operations) {
      if (path === '/v1/openapi.json') continue;
      if (path.startsWith(incoming)) continue;
      const query = parameters.filter((one) => one.in === 'query');
      const schema = requestBody?.content['application/json'].schema;
      const names = method === 'get' ? query.map(({ name }) => name) : Object.keys(schema?.properties ?? {});
      expect([path, names]).toEqual([path, expect.arrayContaining(['project_id'])]);
    }
    // Whatever comes in is taken, without a key.
    expect(operations.find(({ path }) => path.startsWith(incoming))).toMatchObject({ security: [] });
    const chat = body.paths['/v1/bot/chat'].post.requestBody.content['application/json'].schema;
    expect(chat.required).toEqual(['project_id', 'bot_id', 'message']);
    expect(chat.properties.chat_mode).toEqual({ enum: ['ask', 'edit', 'plan'], type: 'string' });
    expect(body.paths['/v1/bot/chat/read'].get.parameters).toContainEqual({
      name: 'chat_id',
      in: 'query',
      required: true,
      schema: { type: 'string', minLength: 1, maxLength: 200 },
    });
  });

  test.each([
    ['GET', '/v1/bot/heartbeat/readall', 'tasks'],
    ['POST', '/v1/bot/trigger', 'Nothing'],
    ['GET', '/v1/listings', 'Nothing'],
    ['GET', '/v1/admin/listings/1', 'Nothing'],
  ])(
    '%s %s was removed, and says what replaced it (S17, S140, S154, S155, S156, S193, S228)',
    async (method, path, said) => {
      const { status, body } = await agent.client.call(method, path);
      expect([status, body.error.code]).toEqual([404, 'endpoint_removed']);
      expect(body.error.message).toContain(said);
    },
  );

  test('nothing of what was retired is left, as a path or as a tool (S220, S221, S222, S226, S227)', async () => {
    const retired =
      /calendar|booking|follow.?up|message_agent|inter_agent|interface|bridge|template|platform|workforce|marketplace/i;
    const { body } = await agent.client.call('GET', '/v1/openapi.json');
    const paths = Object.keys(body.paths);
    expect(paths.length).toBeGreaterThan(50);
    expect(paths.filter((path) => retired.test(path))).toEqual([]);
    const provider = await startProvider();
    const asking = await startShopAgent({ provider: { host: provider.host, model: 'm' } });
    provider.scripts.push({ deltas: [say('5 days.')] });
    await asking.client.chat('How long does shipping to Canada take?');
    const offered: string[] = provider.requests[0]!.body.tools.map(
      (tool: { function: { name: string } }) => tool.function.name,
    );
    await asking.close();
    await provider.close();
    expect(offered).toContain('stock');
    expect(offered.filter((name) => retired.test(name))).toEqual([]);
  });

  test('failures under crm, tasks and stats have the endpoint-level shape (S101, S200, S201)', async () => {
    for (const path of ['/v1/bot/crm/nothing', '/v1/bot/tasks/nothing', '/v1/bot/stats/nothing']) {
      expect((await agent.client.call('GET', path)).body).toEqual({
        error: expect.any(String),
        code: 'not_found',
      });
      expect((await agent.client.call('GET', path, {}, 'wrong')).body.code).toBe('invalid_api_key');
    }
    expect((await agent.client.call('GET', '/v1/nothing')).body).toMatchObject({
      success: false,
      error: { code: 'not_found' },
    });
  });

  test.each([
    ['2.5', 1],
    ['0', 1],
    ['-1', 1],
    ['two', 1],
    ['2', 2],
    ['9999999', 1_000_000],
  ])('page %s counts as %i (S89, S90)', async (page, expected) => {
    const { body } = await agent.client.call('GET', '/v1/bots', { page });
    expect(body.pagination.page).toBe(expected);
  });
});

test('of two SSO secrets, as while one is changed, a token may be signed with each', async () => {
  await agent.close();
  const old = 'd4'.repeat(32);
  agent = await startShopAgent({ ssoSecret: `${secret}, ${old}` });
  const call = async (key: string) => {
    const iat = agent.clock.now / 1000;
    const token = await new SignJWT({ email: 'ada@shop.example', iat, exp: iat + 600 })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(key));
    return (await agent.client.call('POST', '/v1/bot/widget/sso', { token })).status;
  };
  expect([await call(secret), await call(old), await call('e5'.repeat(32))]).toEqual([200, 200, 400]);
});

test('a site that knows no name may say so by null', async () => {
  const iat = agent.clock.now / 1000;
  const token = await new SignJWT({ email: 'ada@shop.example', name: null, iat, exp: iat + 600 })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode(secret));
  expect((await agent.client.call('POST', '/v1/bot/widget/sso', { token })).status).toBe(200);
});
