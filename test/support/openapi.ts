/** The HTTP API of the helper as OpenAPI: made of the schemas that read its bodies, and of those that its replies are held to. */
import { toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { bodies } from '../../server-helper/protocol/check.ts';
import { type ProblemCode, problems } from '../../server-helper/protocol/wire.ts';
import { events, replies } from './wire-schemas.ts';

type ReplyName = keyof typeof replies;
type Route = {
  summary: string;
  body?: keyof typeof bodies;
  reply?: ReplyName | 'events' | 'text' | 'file' | 'page';
  /** Default 200; 204 where there is no reply. */
  status?: number;
  /** `session` unless said otherwise. */
  by?: 'nobody' | 'metrics' | 'owner' | 'signature';
  cursor?: true;
  /** The body is one, whatever it is. */
  file?: true;
  /** Besides those that any may give. */
  codes?: readonly ProblemCode[];
};

/** By `METHOD /path`, as the helper's own router has it. */
export const routes: Readonly<Record<string, Route>> = {
  'POST /session': {
    summary: 'Opens a session, or renews one',
    body: 'session',
    reply: 'Session',
    by: 'nobody',
    codes: ['sso-token-invalid', 'sso-token-expired', 'sign-in-required', 'session-expired'],
  },
  'GET /conversations': {
    summary: 'The visitor’s own, latest first',
    reply: 'ConversationList',
    cursor: true,
  },
  'GET /conversations/:id': {
    summary: 'Messages, and the turn that runs',
    reply: 'Conversation',
    cursor: true,
    codes: ['agent-unavailable', 'agent-timeout', 'agent-refused'],
  },
  'PATCH /conversations/:id': {
    summary: 'Renames, or sets the mode',
    body: 'change',
    codes: ['not-allowed', 'agent-unavailable', 'agent-timeout', 'agent-refused'],
  },
  'DELETE /conversations/:id': { summary: 'Deletes here and at the agent' },
  'PUT /conversations/:id/turns/:turnId': {
    summary: 'Asks; again, it attaches',
    body: 'turn',
    reply: 'events',
    codes: [
      'challenge-failed',
      'not-allowed',
      'turn-running',
      'turn-conflict',
      'agent-unavailable',
      'agent-timeout',
      'agent-refused',
    ],
  },
  'GET /conversations/:id/turns/:turnId': { summary: 'Attaches to a turn', reply: 'events' },
  'DELETE /conversations/:id/turns/:turnId': { summary: 'Stops a turn' },
  'POST /conversations/:id/turns/:turnId/decision': {
    summary: 'Decides a paused turn; then attach',
    body: 'decision',
    status: 202,
    codes: ['turn-conflict'],
  },
  'POST /conversations/:id/attachments': {
    summary: 'Takes a file, as it is, for a question to come; `?name=` says what it is called',
    file: true,
    reply: 'Attachment',
    status: 201,
    codes: ['not-allowed', 'too-large'],
  },
  'PUT /conversations/:id/messages/:messageId/vote': {
    summary: 'Votes on an answer',
    body: 'vote',
    codes: ['agent-unavailable', 'agent-timeout', 'agent-refused'],
  },
  'GET /visitor': { summary: 'All that is kept of the visitor', reply: 'VisitorExport' },
  'DELETE /visitor': { summary: 'Erases all of it' },
  'GET /widget/:file': { summary: 'A file of the widget', reply: 'file', by: 'nobody' },
  'GET /healthz': { summary: 'The process lives', reply: 'Alive', by: 'nobody' },
  'GET /readyz': {
    summary: 'It can serve; 503 with the same shape where it cannot',
    reply: 'Ready',
    by: 'nobody',
  },
  'GET /metrics': { summary: 'What is counted, for Prometheus', reply: 'text', by: 'metrics' },
  'GET /admin': { summary: 'The owner’s page', reply: 'page', by: 'owner' },
  'POST /webhooks/agent': { summary: 'A signed event of the agent', by: 'signature' },
};

const anySigned: readonly ProblemCode[] = ['unauthenticated', 'session-expired'];
const anyFromPage: readonly ProblemCode[] = [
  'bad-request',
  'origin-refused',
  'rate-limited',
  'shutting-down',
  'internal',
];
const anyWithBody: readonly ProblemCode[] = ['too-large', 'unsupported-media-type'];

const toSchema = (schema: v.GenericSchema) => {
  const { $schema: _, ...described } = toJsonSchema(schema, { typeMode: 'input', errorMode: 'ignore' });
  return described;
};
const refer = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: object) => ({ 'application/json': { schema } });
const toName = (body: string) => `${body[0]!.toUpperCase()}${body.slice(1)}Request`;

function toReply({ reply, status }: Route) {
  if (reply === undefined) return { [status ?? 204]: { description: 'Done.' } };
  const content = {
    events: {
      'text/event-stream': {
        schema: { type: 'string', description: 'Events of the turn: see components.schemas.TurnEvents' },
      },
    },
    text: { 'text/plain': { schema: { type: 'string' } } },
    page: { 'text/html': { schema: { type: 'string' } } },
    file: { 'text/javascript': { schema: { type: 'string' } } },
  };
  const own = reply in content ? content[reply as keyof typeof content] : json(refer(reply));
  return { [status ?? 200]: { description: 'As described.', content: own } };
}

function toProblems(key: string, route: Route) {
  const { by, body, codes = [] } = route;
  const all = new Set<ProblemCode>([
    ...(by === undefined ? [...anyFromPage, ...anySigned] : []),
    ...(key === 'POST /session' ? anyFromPage : []),
    ...(key.includes(':id') || by === 'metrics' || by === 'owner' || key.includes(':file')
      ? (['not-found'] as const)
      : []),
    ...(by === 'signature'
      ? (['bad-request', 'unauthenticated', 'not-found', 'shutting-down', ...anyWithBody] as const)
      : []),
    ...(by === 'owner' ? (['rate-limited'] as const) : []),
    ...(by === 'metrics' ? (['unauthenticated'] as const) : []),
    ...(body ? anyWithBody : []),
    ...codes,
  ]);
  const statuses = new Set([...all].map((code) => problems[code].status));
  return Object.fromEntries(
    [...statuses].map((status) => [
      status,
      {
        description: [...all].filter((code) => problems[code].status === status).join(', '),
        content: { 'application/problem+json': { schema: refer('Problem') } },
      },
    ]),
  );
}

function toOperation(key: string, route: Route) {
  const names = [...key.matchAll(/:(\w+)/g)].map(([, name]) => name!);
  const parameters = [
    ...names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
    ...(route.cursor
      ? [
          {
            name: 'cursor',
            in: 'query',
            description: '`next` of the page before',
            schema: { type: 'string' },
          },
        ]
      : []),
    ...(route.file ? [{ name: 'name', in: 'query', required: true, schema: { type: 'string' } }] : []),
    ...(route.reply === 'events'
      ? [
          {
            name: 'Last-Event-ID',
            in: 'header',
            description: 'leaves out what was read before',
            schema: { type: 'integer' },
          },
        ]
      : []),
  ];
  const security = {
    nobody: [],
    metrics: [{ metrics: [] }],
    owner: [{ owner: [] }],
    signature: [],
    session: [{ session: [] }],
  };
  return {
    summary: route.summary,
    security: security[route.by ?? 'session'],
    ...(parameters.length > 0 && { parameters }),
    ...(route.file && {
      requestBody: { required: true, content: { 'application/octet-stream': { schema: {} } } },
    }),
    ...(route.body && { requestBody: { required: true, content: json(refer(toName(route.body))) } }),
    responses: { ...toReply(route), ...toProblems(key, route) },
  };
}

export function makeOpenApi(version: string) {
  const paths: Record<string, Record<string, object>> = {};
  for (const [key, route] of Object.entries(routes)) {
    const [method, path] = key.split(' ') as [string, string];
    const described = path.replace(/:(\w+)/g, '{$1}');
    paths[described] = { ...paths[described], [method.toLowerCase()]: toOperation(key, route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Porchlight helper',
      version,
      description: 'What the widget says to the helper. docs/http-api.md tells it in words.',
    },
    servers: [{ url: '/porchlight' }],
    paths,
    components: {
      securitySchemes: {
        session: { type: 'http', scheme: 'bearer', description: '`session` of POST /session' },
        metrics: { type: 'http', scheme: 'bearer', description: 'PORCHLIGHT_METRICS_TOKEN' },
        owner: {
          type: 'http',
          scheme: 'basic',
          description: 'PORCHLIGHT_ADMIN_PASSWORD; the name is not looked at',
        },
      },
      schemas: {
        ...Object.fromEntries(
          Object.entries(bodies).map(([name, schema]) => [toName(name), toSchema(schema)]),
        ),
        ...Object.fromEntries(Object.entries(replies).map(([name, schema]) => [name, toSchema(schema)])),
        TurnEvents: {
          type: 'object',
          description: 'By the name of the event, its data.',
          properties: Object.fromEntries(
            Object.entries(events).map(([name, schema]) => [name, toSchema(schema)]),
          ),
        },
      },
    },
  };
}
