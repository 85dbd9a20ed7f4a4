/** Tool servers in the database, with what each said it offers and what its owner decided about that. */

import { randomUUID } from 'node:crypto';
import { type Db, insertRow, updateRow } from '../db.ts';
import { type Page, toOffset } from '../paging.ts';
import type { Tell } from '../tell.ts';
import type { ToolAccess } from '../tools.ts';
import type { OfferedTool } from '../toolservers/said.ts';

export const transports = ['http', 'sse'] as const;
export const approvals = ['never', 'always', 'tool-specific'] as const;

/** What its owner sets. */
export interface ToolServerSettings {
  server_label: string;
  server_url: string;
  transport: (typeof transports)[number];
  require_approval: (typeof approvals)[number];
  /** Sent along with each call; never shown. */
  headers: Record<string, string>;
  is_enabled: boolean;
  access: ToolAccess;
}

/** What the owner decides about one of its tools. */
export interface ToolDecision {
  is_active: boolean;
  access: ToolAccess;
  approval: 'auto' | 'always';
}
/** By the names of tools. */
export type ToolDecisions = Readonly<Record<string, Partial<ToolDecision>>>;

export interface ServerTool extends Omit<OfferedTool, 'isReadOnly'>, ToolDecision {}

/** Times in ms since 1970. */
export interface ToolServer extends ToolServerSettings {
  id: number;
  uuid: string;
  bot_id: string;
  tools: ServerTool[];
  /** They hold when a tool that was not offered for a while is there again. */
  decisions: ToolDecisions;
  last_error: string | null;
  refreshed_at: number | null;
  created_at: number;
  updated_at: number;
}

export type ToolServerFilter = Partial<Pick<ToolServer, 'is_enabled' | 'transport' | 'server_label'>>;

/** Where it is, and by what it knows who asks: another answers otherwise. */
export const placeOf = ({ server_url, transport, headers }: ToolServer) =>
  JSON.stringify([server_url, transport, headers]);

export function createToolServerStore(db: Db, now: () => number, tell: Tell) {
  const select = (where: string, ...values: unknown[]): ToolServer[] =>
    db
      .prepare(`SELECT * FROM tool_servers WHERE ${where}`)
      .all(...values)
      .map(toToolServer);
  const total = (where: string, ...values: unknown[]): number => {
    const row = db.prepare(`SELECT count(*) AS total FROM tool_servers WHERE ${where}`).get(...values);
    return (row as { total: number }).total;
  };
  const get = (id: number): ToolServer | undefined => select('id = ?', id)[0];
  const announce = (event: 'created' | 'updated' | 'deleted', { bot_id, uuid, server_label }: ToolServer) =>
    tell(`connector.${event}`, bot_id, { id: uuid, name: server_label });
  const update = (id: number, changes: Changes) => updateRow(db, 'tool_servers', id, toRow(changes));

  return {
    find: (botId: string, uuid: string): ToolServer | undefined =>
      select('bot_id = ? AND uuid = ?', botId, uuid)[0],
    count: (botId: string) => total('bot_id = ?', botId),
    /** Oldest first: what is called the same keeps its name. */
    *enabled(botId: string): Generator<ToolServer> {
      const ids = db.prepare('SELECT id FROM tool_servers WHERE bot_id = ? AND is_enabled = 1 ORDER BY id');
      // Read one by one: what each offers may be long, and the first may be enough.
      for (const { id } of ids.all(botId) as { id: number }[]) {
        const server = get(id);
        if (server) yield server;
      }
    },

    /** Newest first. */
    list(botId: string, filter: ToolServerFilter, page: Page): { servers: ToolServer[]; total: number } {
      const wanted = Object.entries(toRow(filter));
      const where = ['bot_id = ?', ...wanted.map(([name]) => `${name} = ?`)].join(' AND ');
      const values = [botId, ...wanted.map(([, value]) => value)];
      const servers = select(
        `${where} ORDER BY id DESC LIMIT ? OFFSET ?`,
        ...values,
        page.perPage,
        toOffset(page),
      );
      return { servers, total: total(where, ...values) };
    },

    create(botId: string, settings: ToolServerSettings): ToolServer {
      const uuid = randomUUID();
      const at = now();
      return db.transaction(() => {
        const row = toRow({ ...settings, tools: [], decisions: {} });
        insertRow(db, 'tool_servers', { ...row, uuid, bot_id: botId, created_at: at, updated_at: at });
        const server = select('uuid = ?', uuid)[0]!;
        announce('created', server);
        return server;
      })();
    },

    change(id: number, changes: Partial<ToolServerSettings & Pick<ToolServer, 'decisions'>>): ToolServer {
      return db.transaction(() => {
        // Of a server that is elsewhere now nothing is offered until it said what it has.
        const before = get(id)!;
        const isElsewhere = placeOf({ ...before, ...changes }) !== placeOf(before);
        update(id, { ...changes, ...(isElsewhere ? { tools: [] } : {}), updated_at: now() });
        const server = get(id)!;
        announce('updated', server);
        return server;
      })();
    },

    /** What it offers now. Nothing is kept of one that is gone or elsewhere meanwhile. */
    keepTools(asked: ToolServer, tools: readonly OfferedTool[], last_error: string | null) {
      const server = get(asked.id);
      if (!server || placeOf(server) !== placeOf(asked)) return;
      update(server.id, { tools, last_error, refreshed_at: now() });
    },

    keepError(asked: ToolServer, last_error: string) {
      const server = get(asked.id);
      if (!server || placeOf(server) !== placeOf(asked)) return;
      update(server.id, { last_error });
    },

    delete(server: ToolServer) {
      db.transaction(() => {
        db.prepare('DELETE FROM tool_servers WHERE id = ?').run(server.id);
        announce('deleted', server);
      })();
    },
  };
}

export type ToolServerStore = ReturnType<typeof createToolServerStore>;

type Changes = Partial<Omit<ToolServer, 'tools'> & { tools: readonly OfferedTool[] }>;

/** Where nobody decided, what reads alone needs no approval. */
const toServerTool = (
  { isReadOnly, ...tool }: OfferedTool,
  decided: Partial<ToolDecision> = {},
): ServerTool => ({
  ...tool,
  is_active: true,
  access: 'public_safe',
  approval: isReadOnly ? 'auto' : 'always',
  ...decided,
});

const asJson = ['headers', 'tools', 'decisions'] as const;

function toRow({ is_enabled, ...changes }: Changes) {
  const texts = asJson.flatMap((name) =>
    changes[name] === undefined ? [] : [[name, JSON.stringify(changes[name])]],
  );
  return {
    ...changes,
    ...Object.fromEntries(texts),
    ...(is_enabled === undefined ? {} : { is_enabled: Number(is_enabled) }),
  } as Parameters<typeof updateRow>[3];
}

function toToolServer(row: unknown): ToolServer {
  const fields = row as Omit<ToolServer, (typeof asJson)[number] | 'is_enabled'> &
    Record<(typeof asJson)[number], string> & { is_enabled: number };
  const decisions = new Map(Object.entries(JSON.parse(fields.decisions) as ToolDecisions));
  const tools = JSON.parse(fields.tools) as OfferedTool[];
  return {
    ...fields,
    headers: JSON.parse(fields.headers) as Record<string, string>,
    tools: tools.map((tool) => toServerTool(tool, decisions.get(tool.name))),
    decisions: Object.fromEntries(decisions),
    is_enabled: fields.is_enabled === 1,
  };
}
