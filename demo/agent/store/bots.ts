/** Agents in the database: what was set through the API, over what the configuration or the defaults say. */

import { randomUUID } from 'node:crypto';
import type { Db } from '../db.ts';
import { type Page, toOffset } from '../paging.ts';
import type { ChatMode } from './chats.ts';

export interface BotBranding {
  accent_color: string;
  background_color: string;
  theme: 'light' | 'dark';
  avatar: string | null;
  placeholder: string;
  tagline: string;
  message_greetings: string[];
  conversation_starters: string[];
  logo: string | null;
}

export interface BotSettings {
  name: string;
  /** null: the configured one. */
  model: string | null;
  instruction: string;
  reasoning_type: 'auto' | 'standard' | 'agent';
  max_reply_tokens: number | null;
  temperature: number;
  /** How many passages an answer may use. */
  top: number;
  memory: boolean;
  require_login: boolean;
  /** What the built-in answerer says when the sources hold nothing on the question. */
  no_answer_reply: string | null;
  /** Chat calls of one end user in so many seconds. */
  ratelimit_requests: number | null;
  ratelimit_seconds: number | null;
  ratelimit_message: string | null;
  /** In which conversations of the project's team begin; a visitor's begin in ask. */
  chat_mode: ChatMode;
  /** Whether mail to its address is taken. */
  email_enabled: boolean;
  email_auto_reply: boolean;
  /** Whether the owner is told of each mail. */
  email_notifications: boolean;
  branding: BotBranding;
  status: 0 | 1;
}

export type BotChanges = Partial<Omit<BotSettings, 'branding'>> & { branding?: Partial<BotBranding> };

export interface Bot extends BotSettings {
  uuid: string;
  projectId: string;
  credits: number;
  createdAt: number;
  updatedAt: number;
}

interface BotRow {
  uuid: string;
  project_id: string;
  settings: string;
  credits: number;
  created_at: number;
  updated_at: number;
}

const plain: BotSettings = {
  name: 'Agent',
  model: null,
  instruction: '',
  reasoning_type: 'auto',
  max_reply_tokens: null,
  temperature: 0.7,
  top: 5,
  memory: true,
  require_login: false,
  no_answer_reply: null,
  ratelimit_requests: null,
  ratelimit_seconds: null,
  ratelimit_message: null,
  chat_mode: 'ask',
  email_enabled: true,
  email_auto_reply: false,
  email_notifications: false,
  branding: {
    accent_color: '#2f5d50',
    background_color: '#ffffff',
    theme: 'light',
    avatar: null,
    placeholder: 'Ask a question',
    tagline: '',
    message_greetings: [],
    conversation_starters: [],
    logo: null,
  },
  status: 1,
};

/** @param configured the agent that the service starts with, and what is so while nobody has changed it */
export function createBotStore(
  db: Db,
  now: () => number,
  configured: { uuid: string; settings: BotChanges },
) {
  const toBot = (row: BotRow): Bot => {
    const base = row.uuid === configured.uuid ? configured.settings : {};
    const set = JSON.parse(row.settings) as BotChanges;
    return {
      ...plain,
      ...base,
      ...set,
      branding: { ...plain.branding, ...base.branding, ...set.branding },
      uuid: row.uuid,
      projectId: row.project_id,
      credits: row.credits,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
    };
  };
  const find = (projectId: string, uuid: string): Bot | undefined => {
    const row = db.prepare('SELECT * FROM bots WHERE project_id = ? AND uuid = ?').get(projectId, uuid);
    return row === undefined ? undefined : toBot(row as BotRow);
  };
  const get = (uuid: string): Bot | undefined => {
    const row = db.prepare('SELECT * FROM bots WHERE uuid = ?').get(uuid);
    return row === undefined ? undefined : toBot(row as BotRow);
  };
  const insert = (projectId: string, uuid: string, settings: BotChanges, credits: number) =>
    db
      .prepare(
        `INSERT INTO bots (uuid, project_id, settings, credits, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (uuid) DO NOTHING`,
      )
      .run(uuid, projectId, JSON.stringify(settings), credits, now(), now());
  const sum = (what: string, projectId: string): number => {
    const row = db.prepare(`SELECT coalesce(${what}, 0) AS value FROM bots WHERE project_id = ?`);
    return (row.get(projectId) as { value: number }).value;
  };

  return {
    find,
    /** Of whichever project. */
    get,
    /** Of whichever project, the first whose id fits. */
    ofMailbox(fits: (uuid: string) => boolean): Bot | undefined {
      const rows = db.prepare('SELECT uuid FROM bots').all() as { uuid: string }[];
      const found = rows.find(({ uuid }) => fits(uuid));
      return found && get(found.uuid);
    },

    /** Makes the configured agent, unless it is there: a restart changes nothing that was set. */
    install(projectId: string, credits: number) {
      insert(projectId, configured.uuid, {}, credits);
    },

    create(projectId: string, settings: BotChanges, credits: number): Bot {
      const uuid = randomUUID();
      insert(projectId, uuid, settings, credits);
      return find(projectId, uuid)!;
    },

    /** Branding is merged key by key. */
    update(bot: Bot, changes: BotChanges): Bot {
      const { settings } = db.prepare('SELECT settings FROM bots WHERE uuid = ?').get(bot.uuid) as BotRow;
      const before = JSON.parse(settings) as BotChanges;
      const branding = { ...before.branding, ...changes.branding };
      const next = { ...before, ...changes, ...(Object.keys(branding).length > 0 ? { branding } : {}) };
      db.prepare('UPDATE bots SET settings = ?, updated_at = ? WHERE uuid = ?').run(
        JSON.stringify(next),
        now(),
        bot.uuid,
      );
      return find(bot.projectId, bot.uuid)!;
    },

    /** With its sources, conversations, workspaces and subscribers. */
    delete(bot: Bot) {
      db.transaction(() => {
        for (const table of [
          'tasks',
          'workflows',
          'tool_servers',
          'emails',
          'sources',
          'chats',
          'workspaces',
          'subscribers',
          'memories',
          'crm_fields',
          'crm_stages',
        ])
          db.prepare(`DELETE FROM ${table} WHERE bot_id = ?`).run(bot.uuid);
        db.prepare('DELETE FROM bots WHERE uuid = ?').run(bot.uuid);
        // Another agent's conversations may have been pinned to one of its workspaces.
        db.prepare(
          'UPDATE chats SET workspace_uuid = NULL WHERE workspace_uuid NOT IN (SELECT uuid FROM workspaces)',
        ).run();
      })();
    },

    list(projectId: string, page: Page): { bots: Bot[]; total: number } {
      const rows = db
        .prepare(
          'SELECT * FROM bots WHERE project_id = ? ORDER BY created_at DESC, rowid DESC LIMIT ? OFFSET ?',
        )
        .all(projectId, page.perPage, toOffset(page)) as BotRow[];
      return { bots: rows.map(toBot), total: sum('count(*)', projectId) };
    },

    count: (projectId: string) => sum('count(*)', projectId),
    creditsOf: (projectId: string) => sum('sum(credits)', projectId),

    charge(uuid: string, credits: number) {
      db.prepare('UPDATE bots SET credits = max(0, credits - ?) WHERE uuid = ?').run(credits, uuid);
    },
  };
}

export type BotStore = ReturnType<typeof createBotStore>;
