/** Turns that wait for a decision, in the database. */

import { randomUUID } from 'node:crypto';
import type { Db } from '../db.ts';
import { AgentError } from '../errors.ts';
import type { ToolOrigin, ToolParameters } from '../tools.ts';

export const pauseTtlMs = 15 * 60_000;

export interface ExecutedTool {
  executionId: string;
  name: string;
  parameters: ToolParameters;
  status: 'done' | 'failed' | 'denied';
}

/** What a turn needs to go on after the decision. */
export interface PauseRecord {
  messageId: string;
  userMessageId: string;
  originalQuery: string;
  /** What was said before the pause; the answer goes on after it. */
  content: string;
  tool: {
    name: string;
    title: string;
    description: string;
    parameters: ToolParameters;
    reasoning: string;
    /** True for `ask_user`, which nothing runs: the visitor answers. */
    builtIn: boolean;
    /** Whose it is; absent: the site's. */
    server?: ToolOrigin;
  };
  executedTools: ExecutedTool[];
  creditsUsed: number;
  /** The answerer's own; opaque to everybody else. */
  state: unknown;
  /** The chat call's parameters that still hold; never a provider's key. */
  call: unknown;
}

export interface Pause extends PauseRecord {
  executionId: string;
  chat: number;
  expiresAt: number;
}

/** Of a pause that was decided: what a kill may cut off. */
export interface DecidedPause {
  messageId: string;
  /** Of the tool that was to run here. */
  title?: string;
}

/** What is over needs no record: it holds all that a model was told. */
export function createPauseStore(db: Db, now: () => number) {
  return {
    create(chat: number, record: PauseRecord): Pause {
      const at = now();
      const executionId = `exec_${at}_${randomUUID()}`;
      const expiresAt = at + pauseTtlMs;
      db.prepare("UPDATE pauses SET record = '{}' WHERE expires_at <= ? AND record <> '{}'").run(at);
      db.prepare(
        "INSERT INTO pauses (execution_id, chat, state, expires_at, record) VALUES (?, ?, 'waiting', ?, ?)",
      ).run(executionId, chat, expiresAt, JSON.stringify(record));
      return { ...record, executionId, chat, expiresAt };
    },

    /**
     * Takes the pause for one decision, atomically. 404, 409 `already_decided`, 409 `approval_expired`.
     * `check` throws where the decision does not fit: the pause then goes on waiting.
     * @param runs the tool runs here
     */
    take(chat: number, executionId: string, runs: boolean, check: (pause: Pause) => void): Pause {
      const row = db
        .prepare('SELECT * FROM pauses WHERE execution_id = ? AND chat = ?')
        .get(executionId, chat) as { state: string; expires_at: number; record: string } | undefined;
      if (!row) throw new AgentError(404, 'execution_not_found', 'This conversation has no such execution.');
      if (row.state === 'superseded')
        throw new AgentError(409, 'approval_expired', 'The conversation went on without this approval.');
      if (row.state === 'waiting' && row.expires_at <= now())
        throw new AgentError(409, 'approval_expired', 'This approval expired after 15 minutes.');
      const pause: Pause = {
        ...(JSON.parse(row.record) as PauseRecord),
        executionId,
        chat,
        expiresAt: row.expires_at,
      };
      if (row.state === 'waiting') check(pause);
      const { messageId, tool } = pause;
      const decided: DecidedPause = {
        messageId,
        ...(runs && tool && !tool.builtIn ? { title: tool.title || tool.name } : {}),
      };
      const { changes } = db
        .prepare("UPDATE pauses SET state = 'used', record = ? WHERE execution_id = ? AND state = 'waiting'")
        .run(JSON.stringify(decided), executionId);
      if (changes === 0) throw new AgentError(409, 'already_decided', 'This execution was already decided.');
      // What came after an earlier decision of the conversation is over: it led here.
      db.prepare(
        "UPDATE pauses SET record = '{}' WHERE chat = ? AND state = 'used' AND execution_id <> ?",
      ).run(chat, executionId);
      return pause;
    },

    /** After a stop: those whose turns go on nowhere, perhaps, unless their conversation waits again. Told once. */
    takeDecided(): (DecidedPause & { chat: number })[] {
      const rows = db
        .prepare(
          `SELECT chat, record FROM pauses AS decided WHERE record <> '{}' AND state = 'used'
           AND NOT EXISTS (SELECT 1 FROM pauses WHERE chat = decided.chat AND state = 'waiting' AND record <> '{}')`,
        )
        .all() as { chat: number; record: string }[];
      db.prepare("UPDATE pauses SET record = '{}' WHERE record <> '{}' AND state = 'used'").run();
      return rows.map(({ chat, record }) => ({ chat, ...(JSON.parse(record) as DecidedPause) }));
    },

    /** A new turn of the conversation: nobody waits for its earlier pauses any more. */
    supersede(chat: number) {
      db.prepare(
        "UPDATE pauses SET state = 'superseded', record = '{}' WHERE chat = ? AND state = 'waiting'",
      ).run(chat);
    },
  };
}

export type PauseStore = ReturnType<typeof createPauseStore>;
