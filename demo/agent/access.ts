/** Access: the API key of a request, its project, and the bot that the request names. */

import { createMiddleware } from 'hono/factory';
import { AgentError } from './errors.ts';
import type { Parts } from './parts.ts';
import { createRateLimit } from './ratelimit.ts';
import type { Bot, Caller } from './store/bots.ts';

export interface AccessEnv {
  Variables: { caller: Caller };
}

/** 401 without a known key; counts the request and puts the rate headers on every answer. */
export function createAccess({ bots, config }: Pick<Parts, 'bots' | 'config'>) {
  const count = createRateLimit(config.plan, config.now);
  return createMiddleware<AccessEnv>(async (c, next) => {
    const key = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
    const caller = key === undefined ? undefined : bots.readCaller(key);
    if (!caller)
      throw new AgentError(401, 'invalid_api_key', 'The API key is missing or invalid.', {
        'WWW-Authenticate': 'Bearer',
      });
    const { allowed, headers } = count(caller.keyHash);
    for (const [name, value] of Object.entries(headers)) c.header(name, value);
    if (!allowed) throw new AgentError(429, 'rate_limited', 'Too many requests.', headers);
    c.set('caller', caller);
    await next();
  });
}

/** 403 for another project, 404 for a bot that this one does not have. */
export function requireBot(
  { bots }: Pick<Parts, 'bots'>,
  caller: Caller,
  { project_id, bot_id }: { project_id: string; bot_id: string },
): Bot {
  if (project_id !== caller.projectId)
    throw new AgentError(403, 'forbidden', 'This API key belongs to another project.');
  const bot = bots.find(project_id, bot_id);
  if (!bot) throw new AgentError(404, 'bot_not_found', 'This project has no such bot.');
  return bot;
}
