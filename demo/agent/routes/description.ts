/** The description of the API as OpenAPI, made from the routes that are served; and what is served no more. */

import { type JsonSchema, toJsonSchema } from '@valibot/to-json-schema';
import type { Hono } from 'hono';
import type * as v from 'valibot';
import type { AccessEnv } from '../access.ts';
import { AgentError } from '../errors.ts';
import { schemaOf } from '../input.ts';

const version = '1.0.0';

/** What was removed from the API, and what took its place. */
const removed: readonly [path: string, instead: string][] = [
  ['/v1/bot/heartbeat/*', 'Use /v1/bot/tasks/ instead.'],
  ['/v1/bot/trigger', 'Nothing replaced it.'],
  ['/v1/listings', 'Nothing replaced it.'],
  ['/v1/listings/*', 'Nothing replaced it.'],
  ['/v1/admin/listings', 'Nothing replaced it.'],
  ['/v1/admin/listings/*', 'Nothing replaced it.'],
];

/** Its secret stands in the address. */
const keyless = '/v1/bot/workflow/incoming/';

/** Last of all routes: it describes those before it. */
export function routeDescription(app: Hono<AccessEnv>) {
  const paths = toPaths(app);
  app.get('/v1/openapi.json', (c) => {
    return c.json({
      openapi: '3.1.0',
      info: { title: 'Agent API', version },
      servers: [{ url: new URL(c.req.url).origin }],
      security: [{ key: [] }],
      components: {
        securitySchemes: {
          key: { type: 'http', scheme: 'bearer', description: 'An API key of the project.' },
        },
        schemas: { Error: errorSchema },
      },
      paths,
    });
  });
  for (const [path, instead] of removed)
    app.all(path, () => {
      throw new AgentError(404, 'endpoint_removed', `This endpoint was removed. ${instead}`);
    });
}

const errorSchema = {
  type: 'object',
  required: ['success', 'error'],
  properties: {
    success: { type: 'boolean', const: false },
    error: {
      type: 'object',
      required: ['message', 'code'],
      properties: { message: { type: 'string' }, code: { type: 'string' } },
    },
  },
};

function toPaths(app: Hono<AccessEnv>) {
  const paths: Record<string, Record<string, object>> = {
    '/v1/openapi.json': { get: toOperation('get', []) },
  };
  for (const { path, method, handler } of app.routes) {
    if (!path.startsWith('/v1/') || path.includes('*') || method === 'ALL') continue;
    const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
    const described = path.replace(/:(\w+)/g, '{$1}');
    paths[described] ??= {};
    // A route stands here twice: with the check of what it takes, and with what it does.
    paths[described][method.toLowerCase()] ??= {
      ...toOperation(method.toLowerCase(), names, schemaOf(handler)),
      ...(path.startsWith(keyless) ? { security: [] } : {}),
    };
  }
  return paths;
}

const anything = { type: 'object' } as const;

/** Query and JSON body are read as one object, on every method: of a GET it is described as its query. */
function toOperation(method: string, names: readonly string[], taken?: v.GenericSchema) {
  const schema = taken ? toSchema(taken) : anything;
  const inPath = names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
  const { properties = {}, required = [] } = schema as JsonSchema;
  const inQuery = Object.entries(properties).map(([name, described]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema: described,
  }));
  return {
    parameters: [...inPath, ...(method === 'get' ? inQuery : [])],
    ...(method === 'get' ? {} : { requestBody: { content: { 'application/json': { schema } } } }),
    responses: {
      '2XX': { description: 'Done.', content: { 'application/json': { schema: anything } } },
      '4XX': {
        description: 'Refused: the code says why.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  };
}

/** As it is sent. What JSON Schema has no word for, such as a check across fields, is left out. */
function toSchema(schema: v.GenericSchema): JsonSchema {
  const { $schema: _, ...described } = toJsonSchema(schema, { typeMode: 'input', errorMode: 'ignore' });
  return described;
}
