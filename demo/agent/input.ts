/** The input of a request: its query and its JSON body as one object, checked against a schema. */

import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import * as v from 'valibot';
import { AgentError } from './errors.ts';
import { withoutZero } from './text.ts';

const id = v.pipe(v.string(), v.minLength(1), v.maxLength(200));

/** Every request names its target. */
export const projectTarget = { project_id: id };
export const target = { ...projectTarget, bot_id: id };
export const chatId = id;
export const messageId = id;

/** A boolean, also as 1 and 0, and as it reads in a query string. */
export const flag = v.union([
  v.boolean(),
  v.pipe(
    v.picklist(['true', 'false', '1', '0', 1, 0]),
    v.transform((value) => value === 'true' || value === '1' || value === 1),
  ),
]);

export const paging = {
  page: v.optional(v.union([v.string(), v.number()])),
  per_page: v.optional(v.union([v.string(), v.number()])),
};

export const texts = v.pipe(v.array(v.pipe(v.string(), v.maxLength(200))), v.maxLength(100));

type Sent<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> };

/** Those fields that were sent: what was not is not to be changed. */
export const toSent = <T extends object>(fields: T): Sent<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Sent<T>;

const taken = new WeakMap<object, v.GenericSchema>();

/** What a route takes; undefined for a handler that is none of `takes`. */
export function schemaOf(handler: object): v.GenericSchema | undefined {
  return taken.get(handler);
}

/** Puts the input on the context as `input`. 400 `invalid_parameters`, naming the first field that is wrong, never its value. */
export function takes<const Entries extends v.ObjectEntries>(entries: Entries) {
  const schema = v.object(entries);
  type Input = v.InferOutput<typeof schema>;
  const handler = createMiddleware<{ Variables: { input: Input } }>(async (c, next) => {
    const query = Object.entries(c.req.query()).map(([name, value]) => [name, withoutZero(value)]);
    const input = { ...Object.fromEntries(query), ...(await readBody(c)) };
    const result = v.safeParse(schema, input, { abortEarly: true });
    if (!result.success) {
      const issue = result.issues[0];
      const path = v.getDotPath(issue) ?? 'body';
      // The library's own messages repeat the value.
      const isOwn = issue.kind !== 'schema' && !issue.message.startsWith('Invalid ');
      const wanted = issue.type === 'integer' ? 'a whole number' : (issue.expected ?? 'another value');
      const reason = isOwn ? issue.message : `${wanted} is needed`;
      throw new AgentError(400, 'invalid_parameters', `${path}: ${reason}.`);
    }
    c.set('input', result.output);
    await next();
  });
  taken.set(handler, schema);
  return handler;
}

/** What a Node server gives along with a request. */
export interface NodeEnv {
  incoming?: AsyncIterable<Uint8Array>;
}

const maxGetBytes = 1024 * 1024;

/** A web Request has no body on GET; Node's own has what was sent. */
async function readGetText(incoming: NodeEnv['incoming']): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of incoming ?? []) {
    length += chunk.byteLength;
    if (length > maxGetBytes)
      throw new AgentError(413, 'payload_too_large', `The body is larger than ${maxGetBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** To read millions of them would hold everybody up for seconds, however small each is. */
const mostParts = 100_000;

const [quote, comma, bracket, brace] = [0x22, 0x2c, 0x5b, 0x7b];

/** Counts what begins or divides objects and lists of a JSON text, outside of its strings. */
function hasMoreParts(text: string, most: number): boolean {
  let parts = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = toEndOfString(text, at);
    else if ((code === comma || code === bracket || code === brace) && ++parts > most) return true;
  }
  return false;
}

function toEndOfString(text: string, begin: number): number {
  for (let at = begin + 1; ; at += 1) {
    at = text.indexOf('"', at);
    if (at < 0) return text.length;
    let backslashes = 0;
    while (text.charAt(at - 1 - backslashes) === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
}

/** {} where there is none. 400 where it is no JSON object. */
export async function readBody(c: Context): Promise<Record<string, unknown>> {
  const text =
    c.req.method === 'GET' ? await readGetText((c.env as NodeEnv | undefined)?.incoming) : await c.req.text();
  if (text.trim() === '') return {};
  if (hasMoreParts(text, mostParts))
    throw new AgentError(413, 'payload_too_large', `The body has more than ${mostParts} values.`);
  let body: unknown;
  try {
    body = JSON.parse(text, text.includes('\\u0000') ? (_name, value) => withoutZero(value) : undefined);
  } catch {
    throw new AgentError(400, 'invalid_parameters', 'The body is no JSON.');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new AgentError(400, 'invalid_parameters', 'The body must be a JSON object.');
  return body as Record<string, unknown>;
}
