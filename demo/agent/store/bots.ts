/** Projects, API keys and bots in the database. */

import { createHash } from 'node:crypto';
import type { Db } from '../db.ts';
import type { AgentConfig, BotBranding, OwnerRole } from '../options.ts';

export interface Bot {
  uuid: string;
  projectId: string;
  name: string;
  instruction: string;
  branding: BotBranding;
  credits: number;
  createdAt: number;
}

export interface Caller {
  /** Names the key in the rate limit; it is not the key. */
  keyHash: string;
  projectId: string;
  ownerRole: OwnerRole;
  /** Owners and admins. */
  runsProject: boolean;
}

interface BotRow {
  uuid: string;
  project_id: string;
  name: string;
  instruction: string;
  branding: string;
  credits: number;
  created_at: number;
}

export function createBotStore(db: Db) {
  return {
    /** Makes the database say what the configuration says: keys no longer configured are gone. */
    install(config: AgentConfig, defaults: { name: string; instruction: string; branding: BotBranding }) {
      const keys = [{ key: config.apiKey, role: 'owner' as OwnerRole }, ...config.extraKeys];
      const addProject = db.prepare('INSERT INTO projects (id) VALUES (?) ON CONFLICT DO NOTHING');
      const addKey = db.prepare('INSERT INTO api_keys (hash, project_id, owner_role) VALUES (?, ?, ?)');
      db.transaction(() => {
        addProject.run(config.projectId);
        db.prepare('DELETE FROM api_keys').run();
        for (const { key, role, ...rest } of keys) {
          const projectId = ('projectId' in rest ? rest.projectId : undefined) ?? config.projectId;
          addProject.run(projectId);
          addKey.run(toHash(key), projectId, role);
        }
        db.prepare(
          `INSERT INTO bots (uuid, project_id, name, instruction, branding, credits, created_at)
           VALUES (?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (uuid) DO UPDATE SET project_id = excluded.project_id, name = excluded.name,
             instruction = excluded.instruction, branding = excluded.branding`,
        ).run(
          config.botId,
          config.projectId,
          defaults.name,
          defaults.instruction,
          JSON.stringify(defaults.branding),
          config.credits,
          config.now(),
        );
      })();
    },

    readCaller(key: string): Caller | undefined {
      const hash = toHash(key);
      const row = db.prepare('SELECT project_id, owner_role FROM api_keys WHERE hash = ?').get(hash) as
        | { project_id: string; owner_role: OwnerRole }
        | undefined;
      return (
        row && {
          keyHash: hash,
          projectId: row.project_id,
          ownerRole: row.owner_role,
          runsProject: row.owner_role !== 'member',
        }
      );
    },

    find(projectId: string, uuid: string): Bot | undefined {
      const row = db.prepare('SELECT * FROM bots WHERE project_id = ? AND uuid = ?').get(projectId, uuid);
      return row === undefined ? undefined : toBot(row as BotRow);
    },

    credits(uuid: string): number {
      const row = db.prepare('SELECT credits FROM bots WHERE uuid = ?').get(uuid);
      return (row as { credits: number }).credits;
    },

    charge(uuid: string, credits: number) {
      db.prepare('UPDATE bots SET credits = max(0, credits - ?) WHERE uuid = ?').run(credits, uuid);
    },
  };
}

export type BotStore = ReturnType<typeof createBotStore>;

function toHash(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

function toBot(row: BotRow): Bot {
  return {
    uuid: row.uuid,
    projectId: row.project_id,
    name: row.name,
    instruction: row.instruction,
    branding: JSON.parse(row.branding) as BotBranding,
    credits: row.credits,
    createdAt: row.created_at,
  };
}
