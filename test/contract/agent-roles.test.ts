/** Which role each route of the local agent service needs at least: every route that is described, and no other. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ShopAgent, startShopAgent } from '../support/agentservice.ts';

const roles = ['member', 'moderator', 'admin', 'owner'] as const;
type Role = (typeof roles)[number];

/** An admin may all that an owner may, but for owners' keys. */
const least: Record<Exclude<Role, 'owner'>, string> = {
  member: `
    GET /v1/openapi.json
    POST /v1/bot/chat
    POST /v1/bot/chat/execute-tool
    POST /v1/bot/chat/cancel
    GET /v1/bot/chat/subscribe
    GET /v1/bot/chat/stream-status
    GET /v1/bot/chat/active-streams
    GET /v1/bot/chat/read
    GET /v1/bot/chat/readall
    DELETE /v1/bot/chat/delete
    PUT /v1/bot/chat/rename
    PUT /v1/bot/chat/mode
    PUT /v1/bot/chat/message/vote
    GET /v1/bot/chat/message/vote-status
    DELETE /v1/bot/chat/message/delete
    GET /v1/bot/chat/scheduled-tasks
    GET /v1/bot/read
    GET /v1/bot/readall
    GET /v1/bots
    GET /v1/bot/source/read
    GET /v1/bot/source/readall
    POST /v1/bot/search
    GET /v1/bot/workspace/readall
    GET /v1/bot/workspace/files
    GET /v1/bot/workspace/file
    GET /v1/bot/workspace/file/versions
    GET /v1/bot/workspace/download
    POST /v1/bot/widget/sso`,
  moderator: `
    GET /v1/bot/subscriber/readall
    GET /v1/bot/memory/readall
    GET /v1/bot/memory/count
    DELETE /v1/bot/memory/{memory_id}
    GET /v1/bot/tasks/read
    GET /v1/bot/tasks/readall
    POST /v1/bot/tasks/trigger
    GET /v1/bot/tasks/logs
    GET /v1/bot/tasks/stats
    GET /v1/bot/tool
    GET /v1/bot/tool/{id}
    POST /v1/bot/tool/{id}/refresh
    POST /v1/bot/tool/{id}/test
    GET /v1/bot/workflow/catalog
    GET /v1/bot/workflow/readall
    GET /v1/bot/workflow/read
    POST /v1/bot/workflow/run
    GET /v1/bot/workflow/logs
    GET /v1/bot/email/address
    PUT /v1/bot/email/settings
    GET /v1/bot/email/readall
    GET /v1/bot/email/read
    POST /v1/bot/email/reply
    DELETE /v1/bot/email/delete
    GET /v1/bot/email/stats
    POST /v1/bot/crm/fields
    PUT /v1/bot/crm/fields/{field_id}
    POST /v1/bot/crm/pipelines/stages
    GET /v1/bot/stats/performance
    GET /v1/bot/stats/behavior
    GET /v1/bot/stats/votes
    GET /v1/bot/stats/summary
    GET /v1/bot/stats/dashboard
    GET /v1/bot/stats/tools
    GET /v1/bot/stats/errors
    GET /v1/bot/stats/workflows
    GET /v1/bot/stats/reasoning-summary`,
  admin: `
    POST /v1/bot/create
    PUT /v1/bot/update
    POST /v1/bot/reset
    DELETE /v1/bot/delete
    POST /v1/bot/source/create
    PUT /v1/bot/source/update
    DELETE /v1/bot/source/delete
    POST /v1/bot/workspace/create
    DELETE /v1/bot/workspace/delete
    POST /v1/bot/workspace/file
    PUT /v1/bot/workspace/file
    DELETE /v1/bot/workspace/file
    PUT /v1/bot/workspace/file/rename
    GET /v1/keys
    POST /v1/keys
    POST /v1/keys/{id}/rotate
    DELETE /v1/keys/{id}
    GET /v1/plan
    GET /v1/webhooks/deliveries
    POST /v1/webhooks/deliveries/{id}/resend
    POST /v1/bot/tasks/create
    PUT /v1/bot/tasks/update
    POST /v1/bot/tasks/enable
    POST /v1/bot/tasks/disable
    DELETE /v1/bot/tasks/delete
    PUT /v1/bot/chat/scheduled-tasks/toggle
    DELETE /v1/bot/tasks/logs/delete
    POST /v1/bot/tool
    PUT /v1/bot/tool/{id}
    DELETE /v1/bot/tool/{id}
    PUT /v1/bot/tool/{id}/configure
    POST /v1/bot/tool/{id}/toggle
    POST /v1/bot/workflow/create
    PUT /v1/bot/workflow/update
    DELETE /v1/bot/workflow/delete`,
};
const routes = Object.entries(least).flatMap(([role, lines]) =>
  lines
    .trim()
    .split(/\n\s*/)
    .map((route) => ({ role: role as Role, route })),
);
/** Its secret stands in its address. */
const keyless = 'POST /v1/bot/workflow/incoming/{workflow_id}/{secret}';

/** Of the right form, and of nothing that is there: whoever may do it is told so. */
const given: Record<string, object> = {
  'POST /v1/bot/chat/execute-tool': { chat_id: 'x', execution_data: { executionId: 'exec_1_a' } },
  'PUT /v1/bot/chat/mode': { chat_id: 'x', chat_mode: 'ask' },
  'PUT /v1/bot/chat/rename': { chat_id: 'x', title: 'x' },
  'PUT /v1/bot/chat/message/vote': { chat_id: 'x', message_id: 'x', voter_type: 'member', type: 'upvote' },
  'GET /v1/bot/chat/message/vote-status': { voter_type: 'member' },
  'POST /v1/bot/source/create': { type: 'text', source: 'Text.' },
  'POST /v1/keys': { role: 'member' },
  'POST /v1/bot/tasks/create': { schedule_type: 'interval', schedule_config: { interval_minutes: 60 } },
  'POST /v1/bot/tool': { server_url: 'https://tools.example/mcp', transport: 'http' },
  'PUT /v1/bot/tool/{id}/configure': { tools: [{ name: 'x', is_active: true }] },
  'POST /v1/bot/tool/{id}/toggle': { is_active: true },
  'DELETE /v1/bot/tasks/logs/delete': { run_id: '1' },
  'POST /v1/bot/workflow/create': { trigger_type: 'manual', actions: [{ type: 'start_chat', message: 'x' }] },
};
const filler = Object.fromEntries(
  [
    ...[
      'chat_id',
      'message_id',
      'voter_id',
      'user_uuid',
      'source_id',
      'workspace_uuid',
      'file_uuid',
      'run_id',
    ],
    ...[
      'task_id',
      'workflow_id',
      'email_id',
      'file_path',
      'old_path',
      'new_path',
      'content',
      'message',
      'name',
    ],
    ...['prompt', 'keywords', 'token', 'label', 'server_label', 'tool_name'],
  ].map((name) => [name, 'x']),
);

let agent: ShopAgent;
// biome-ignore lint/suspicious/noExplicitAny: a description of many shapes.
let paths: Record<string, Record<string, any>>;
beforeAll(async () => {
  agent = await startShopAgent({
    extraKeys: roles.filter((role) => role !== 'owner').map((role) => ({ key: `${role}-key`, role })),
    wordsPerSecond: 0,
  });
  ({ paths } = (await agent.client.call('GET', '/v1/openapi.json')).body);
});
afterAll(() => agent.close());

test('every route is here, and each is there', () => {
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect([...routes.map(({ route }) => route), keyless].sort()).toEqual(described.sort());
});

test.each(routes)('$route is refused to all below a $role', async ({ role, route }) => {
  const [method = '', path = ''] = route.split(' ');
  const described = paths[path]![method.toLowerCase()];
  const schema = described.requestBody?.content['application/json'].schema;
  const needed: string[] = schema
    ? (schema.required ?? [])
    : described.parameters
        .filter((one: { required: boolean }) => one.required)
        .map((one: { name: string }) => one.name);
  const input = {
    ...Object.fromEntries(needed.flatMap((name) => (name in filler ? [[name, filler[name]]] : []))),
    ...given[route],
  };
  for (const one of roles) {
    const key = one === 'owner' ? 'owner-key' : `${one}-key`;
    const { status, body } = await agent.client.call(method, path.replace(/\{\w+\}/g, 'x'), input, key);
    const isRefused = status === 403 && (body.error?.code ?? body.code) === 'forbidden';
    expect([one, isRefused, status]).toEqual([one, roles.indexOf(one) < roles.indexOf(role), status]);
    expect([one, status]).not.toEqual([one, 401]);
  }
});
