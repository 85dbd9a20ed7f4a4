/** What tool servers offer, as a language model is offered it. */

import { createHash } from 'node:crypto';
import { estimateTokens } from '../answer/tokens.ts';
import type { Parts } from '../parts.ts';
import type { Bot } from '../store/bots.ts';
import type { Persona } from '../store/chats.ts';
import { placeOf, type ServerTool, type ToolServer } from '../store/toolservers.ts';
import type { Tool } from '../tools.ts';

/** Hosts of models take 128 in all. */
const mostOffered = 100;
/** Of the model's context, of all tools: the rest is for what is said. */
const mostShare = 0.4;
/** What hosts of models take as a name. */
const maxNameChars = 64;

type OfferingParts = Pick<Parts, 'toolServers' | 'toolServerClient' | 'config' | 'events'>;

/** Those that the model's context has room for. @param others tools that are offered besides */
export function toServerTools(
  { toolServers, toolServerClient, config, events }: OfferingParts,
  bot: Bot,
  persona: Persona,
  others: readonly Tool[],
): Tool[] {
  const names = new Set(others.map(({ name }) => name));
  const offered: { server: ToolServer; tool: ServerTool }[] = [];
  const toTokens = (name: string, description: string, schema: object) =>
    estimateTokens(JSON.stringify([name, description, schema]));
  let left = config.contextTokens * mostShare;
  for (const { name, description, parameters } of others) left -= toTokens(name, description, parameters);
  let leftOut = 0;
  for (const server of toolServers.enabled(bot.uuid)) {
    if (offered.length === mostOffered) break;
    for (const tool of server.tools.filter(isFor(server, persona))) {
      const { name, description, schema } = tool;
      const tokens = toTokens(name, description, schema);
      if (tokens > left || offered.length === mostOffered) leftOut += 1;
      else {
        left -= tokens;
        offered.push({ server, tool });
      }
    }
  }
  if (leftOut > 0) events.record('tools.left_out', { bot_id: bot.uuid, tools: leftOut });
  return offered.map(({ server, tool }) => {
    const { uuid } = server;
    const name = toFreeName(server.server_label, tool.name, names);
    names.add(name);
    const approval = toApproval(server, tool);
    const id = toIdentity(server, tool);
    return {
      name,
      title: tool.title,
      description: tool.description,
      approval,
      parameters: tool.schema,
      access: tool.access,
      server: { id, label: server.server_label },
      async run(parameters, signal) {
        // Its owner may have decided otherwise since it was offered.
        const current = toolServers.find(bot.uuid, uuid);
        const found = current?.is_enabled && current.tools.find(isCalled(tool.name));
        if (!found || !isFor(current, persona)(found) || toIdentity(current, found) !== id)
          return { ok: false, result: { error: 'This tool is gone.', code: 'tool_not_found' } };
        if (approval === 'auto' && toApproval(current, found) === 'always')
          return { ok: false, result: { error: 'This tool needs approval by now.', code: 'not_approved' } };
        return toolServerClient.call(current, tool.name, parameters, signal);
      },
    };
  });
}

/** What is approved holds for this tool at this place as it was described, and for nothing else of its name. */
const toIdentity = (server: ToolServer, { name, title, description, schema }: ServerTool) =>
  createHash('sha256')
    .update(JSON.stringify([server.uuid, placeOf(server), name, title, description, schema]))
    .digest('base64url');

const isCalled = (wanted: string) => (tool: ServerTool) => tool.name === wanted;

const isFor = (server: Pick<ToolServer, 'access'>, persona: Persona) => (tool: ServerTool) =>
  tool.is_active &&
  (persona === 'builder' || (server.access === 'public_safe' && tool.access === 'public_safe'));

function toApproval({ require_approval }: Pick<ToolServer, 'require_approval'>, tool: ServerTool) {
  if (require_approval === 'tool-specific') return tool.approval;
  return require_approval === 'always' ? 'always' : 'auto';
}

/** Its own, or with the server's before it where that is taken. */
function toFreeName(label: string, own: string, taken: ReadonlySet<string>): string {
  const name = toName(own);
  if (!taken.has(name)) return name;
  const long = toName(`${label.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '_')}_${own}`);
  let free = long;
  for (let count = 2; taken.has(free); count += 1)
    free = `${long.slice(0, maxNameChars - 1 - String(count).length)}_${count}`;
  return free;
}

const toName = (text: string) => text.replaceAll(/[^\w-]/g, '_').slice(0, maxNameChars);
