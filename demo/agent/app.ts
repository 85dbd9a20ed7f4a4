/** The routes of the agent service, behind the check of keys and of sizes. */

import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { type AccessEnv, createAccess } from './access.ts';
import { AgentError, toAgentError, toErrorBody } from './errors.ts';
import type { Parts } from './parts.ts';
import { routeBots } from './routes/bots.ts';
import { routeChat } from './routes/chat.ts';
import { routeConversations } from './routes/conversations.ts';
import { routeCrm } from './routes/crm.ts';
import { routeDescription } from './routes/description.ts';
import { routeDesk } from './routes/desk.ts';
import { routeEmails } from './routes/emails.ts';
import { routeExecute } from './routes/execute.ts';
import { routeFiles } from './routes/files.ts';
import { routeKeys } from './routes/keys.ts';
import { routeMessages } from './routes/messages.ts';
import { routePeople } from './routes/people.ts';
import { routeRunning } from './routes/running.ts';
import { routeSources } from './routes/sources.ts';
import { routeSso } from './routes/sso.ts';
import { routeStats } from './routes/stats.ts';
import { routeTaskLogs } from './routes/tasklogs.ts';
import { routeTasks } from './routes/tasks.ts';
import { routeToolServers } from './routes/toolservers.ts';
import { routeWebhooks } from './routes/webhooks.ts';
import { routeIncoming, routeWorkflows } from './routes/workflows.ts';
import { routeWorkspaces } from './routes/workspaces.ts';
import { asWorkflow, originHeader } from './workflows/origin.ts';

const maxBodyBytes = 1024 * 1024;
const maxChatBytes = 16 * 1024 * 1024;

async function skipBody({ body }: Request) {
  if (!body || body.locked) return;
  let skipped = 0;
  for await (const chunk of body) {
    skipped += chunk.byteLength;
    if (skipped > 4 * maxChatBytes) return;
  }
}

/** @param clockwork what looks whether something is due */
export function createApp(parts: Parts, clockwork: readonly (() => void)[]): Hono<AccessEnv> {
  const app = new Hono<AccessEnv>();

  app.onError((thrown, c) => {
    const error = toAgentError(thrown);
    if (error !== thrown)
      parts.events.record('request.failed', { path: c.req.path, cause: thrown.stack ?? thrown.message });
    for (const [name, value] of Object.entries(error.headers)) c.header(name, value);
    return c.json(toErrorBody(error, c.req.path), error.status);
  });
  app.notFound((c) => {
    const error = new AgentError(404, 'not_found', `No ${c.req.method} ${c.req.path} here.`);
    return c.json(toErrorBody(error, c.req.path), 404);
  });

  routeDesk(app, parts);
  app.get('/healthz', (c) => c.json({ ok: true, answerer: parts.answerers.choose().model }));
  const limitBody = (maxSize: number) =>
    bodyLimit({
      maxSize,
      onError: async (c) => {
        // A client that is still sending hears nothing before it has sent all, within reason.
        await skipBody(c.req.raw);
        throw new AgentError(413, 'payload_too_large', `The body is larger than ${maxSize} bytes.`);
      },
    });
  const [limitAny, limitChat] = [limitBody(maxBodyBytes), limitBody(maxChatBytes)];
  app.use('/v1/bot/workflow/incoming/*', limitAny);
  routeIncoming(app, parts);
  app.use('/v1/*', createAccess(parts));
  app.use('/v1/*', (c, next) => (c.req.path === '/v1/bot/chat' ? limitChat : limitAny)(c, next));
  app.use('/v1/*', (c, next) => {
    for (const look of clockwork) look();
    return c.req.header(originHeader) === undefined ? next() : asWorkflow(next);
  });

  routeChat(app, parts);
  routeExecute(app, parts);
  routeRunning(app, parts);
  routeConversations(app, parts);
  routeMessages(app, parts);
  routeBots(app, parts);
  routeSources(app, parts);
  routeWorkspaces(app, parts);
  routeFiles(app, parts);
  routeSso(app, parts);
  routePeople(app, parts);
  routeKeys(app, parts);
  routeWebhooks(app, parts);
  routeTasks(app, parts);
  routeToolServers(app, parts);
  routeWorkflows(app, parts);
  routeEmails(app, parts);
  routeCrm(app, parts);
  routeTaskLogs(app, parts);
  routeStats(app, parts);
  routeDescription(app);
  return app;
}
