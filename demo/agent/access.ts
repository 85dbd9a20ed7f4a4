/** Access: the API key of a request, its project, the bot that the request names, and what the key's owner may do. */

import { createMiddleware } from 'hono/factory';
import { AgentError } from './errors.ts';
import type { Parts } from './parts.ts';
import { createRateLimit } from './ratelimit.ts';
import type { Bot } from './store/bots.ts';
import type { Caller } from './store/keys.ts';

export interface AccessEnv {
  Variables: { caller: Caller };
}

/** 401 without a known key; counts the request and puts the rate headers on every answer. */
export function createAccess({ keys, config }: Pick<Parts, 'keys' | 'config'>) {
  const count = createRateLimit(config.limits, keys.days, config.now);
  return createMiddleware<AccessEnv>(async (c, next) => {
    const key = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
    const caller = key === undefined ? undefined : keys.readCaller(key);
    if (!caller)
      throw new AgentError(401, 'invalid_api_key', 'The API key is missing or invalid.', {
        'WWW-Authenticate': 'Bearer',
      });
    const { allowed, headers } = count(caller.keyId);
    for (const [name, value] of Object.entries(headers)) c.header(name, value);
    if (!allowed) throw new AgentError(429, 'rate_limited', 'Too many requests.', headers);
    c.set('caller', caller);
    await next();
  });
}

/** 403 for another project than the key's. */
export function requireProject(caller: Caller, { project_id }: { project_id: string }) {
  if (project_id !== caller.projectId)
    throw new AgentError(403, 'forbidden', 'This API key belongs to another project.');
}

/** 403 for another project, 404 for a bot that this one does not have. */
export function requireBot(
  { bots }: Pick<Parts, 'bots'>,
  caller: Caller,
  input: { project_id: string; bot_id: string },
): Bot {
  requireProject(caller, input);
  const bot = bots.find(input.project_id, input.bot_id);
  if (!bot) throw new AgentError(404, 'bot_not_found', 'This project has no such bot.');
  return bot;
}

/** 403 but for owners and admins: to make, change and delete what the project has. */
export function requireManager(caller: Caller) {
  if (!caller.manages)
    throw new AgentError(403, 'forbidden', 'This is for the owners and admins of the project.');
}

/** 403 but for owners, admins and moderators: to see what concerns its people. */
export function requireStaff(caller: Caller) {
  if (!caller.isStaff)
    throw new AgentError(403, 'forbidden', 'This is for owners, admins and moderators of the project.');
}
