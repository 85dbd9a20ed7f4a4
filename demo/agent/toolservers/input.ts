/** What the routes of tool servers take. */

import * as v from 'valibot';
import { AgentError } from '../errors.ts';
import { flag, toSent } from '../input.ts';
import { approvals, type ToolServer, type ToolServerFilter, transports } from '../store/toolservers.ts';
import { toolAccess } from '../tools.ts';

const maxHeaders = 50;
/** Stands for the value of a header. */
const hidden = '***';

const text = (most: number) => v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(most));
const address = v.pipe(
  text(500),
  v.check((value) => {
    if (!URL.canParse(value)) return false;
    const { protocol, username, password } = new URL(value);
    return /^https?:$/.test(protocol) && username === '' && password === '';
  }, 'an address that begins with http:// or https://, without a name or password, is needed'),
);
const headers = v.pipe(
  v.unknown(),
  v.check((value) => !Array.isArray(value), 'an object is needed'),
  v.record(text(200), v.pipe(v.string(), v.maxLength(4_000))),
  v.check((value) => Object.keys(value).length <= maxHeaders, `at most ${maxHeaders} are taken`),
  v.check(isHeaders, 'names and values of HTTP headers are needed'),
  v.check(
    (value) =>
      !Object.keys(value).some((name) => /^(host|content-length|transfer-encoding|connection)$/i.test(name)),
    'headers of the connection itself are not taken',
  ),
);
const access = v.picklist(toolAccess);
export const settings = {
  server_label: text(255),
  server_url: address,
  transport: v.picklist(transports),
  require_approval: v.optional(v.picklist(approvals)),
  headers: v.nullish(headers),
  type: v.optional(v.literal('mcp')),
  access: v.optional(access),
};
const filter = v.pipe(
  v.unknown(),
  v.check((value) => !Array.isArray(value)),
  v.object({
    is_enabled: v.optional(flag),
    transport: v.optional(v.picklist(transports)),
    server_label: v.optional(v.string()),
  }),
);
export const decisions = v.pipe(
  v.array(
    v.object({
      name: v.string(),
      is_active: v.optional(flag),
      access: v.optional(access),
      approval: v.optional(v.picklist(['auto', 'always'])),
    }),
  ),
  v.minLength(1),
  v.maxLength(100),
);

/** A record that is sent back keeps its secrets, but at another place: they were not meant for that one. */
export function readHeaders(
  server: ToolServer,
  sent: Record<string, string> | null | undefined,
  url: string,
): Record<string, string> {
  const isElsewhere = new URL(url).origin !== new URL(server.server_url).origin;
  const wanted = sent === undefined ? toHidden(server.headers) : (sent ?? {});
  return Object.fromEntries(
    Object.entries(wanted).map(([name, value]) => {
      if (value !== hidden) return [name, value];
      const known = Object.hasOwn(server.headers, name) ? server.headers[name] : undefined;
      if (known === undefined || isElsewhere)
        throw new AgentError(400, 'invalid_parameters', `headers.${name}: its value is needed anew.`);
      return [name, known];
    }),
  );
}

export const toHidden = (headers: Record<string, string>) =>
  Object.fromEntries(Object.keys(headers).map((name) => [name, hidden]));

function isHeaders(value: Record<string, string>): boolean {
  try {
    return new Headers(value) !== null;
  } catch {
    return false;
  }
}

export function readFilter(value: string | undefined): ToolServerFilter {
  if (value === undefined || value === '') return {};
  let json: unknown;
  try {
    json = JSON.parse(value);
  } catch {
    json = undefined;
  }
  const { success, output } = v.safeParse(filter, json);
  if (!success)
    throw new AgentError(400, 'invalid_parameters', 'filter: a JSON object with known values is needed.');
  return toSent(output);
}
