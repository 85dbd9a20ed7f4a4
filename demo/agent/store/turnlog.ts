/** Each turn in the database with how long it took and how it ended, and each call of a tool: what the statistics count. */

import { type Db, insertRow } from '../db.ts';
import type { FinishReason } from './messages.ts';

export interface BegunTurn {
  message_id: string;
  bot_id: string;
  chat: number;
  reasoning_type: 'standard' | 'agent';
}

/** What a part of a turn adds: the part before a pause, or the one after it. */
export interface EndedPart {
  ended: FinishReason;
  reasoning_type: 'standard' | 'agent';
  /** Without the time in which it waited for a decision. */
  duration_ms: number;
  steps: number;
  reasoning_tokens: number;
  error?: { code: string; message: string };
}

export interface ToolCall {
  bot_id: string;
  chat: number;
  execution_id: string;
  name: string;
  ok: boolean;
  duration_ms: number;
}

export function createTurnLog(db: Db, now: () => number) {
  return {
    /** Also of a turn that goes on after a pause. */
    begin(turn: BegunTurn) {
      const goesOn = db
        .prepare('UPDATE turns SET ended = NULL WHERE message_id = ?')
        .run(turn.message_id).changes;
      if (goesOn === 0) insertRow(db, 'turns', { ...turn, started_at: now() });
    },

    end(message_id: string, { error, ...part }: EndedPart) {
      db.prepare(
        `UPDATE turns SET ended = ?, reasoning_type = ?, duration_ms = duration_ms + ?, steps = steps + ?,
           reasoning_tokens = reasoning_tokens + ?, error_code = ?, error_message = ? WHERE message_id = ?`,
      ).run(
        part.ended,
        part.reasoning_type,
        part.duration_ms,
        part.steps,
        part.reasoning_tokens,
        error?.code ?? null,
        error?.message ?? null,
        message_id,
      );
    },

    ranTool(call: ToolCall) {
      insertRow(db, 'tool_calls', { ...call, ok: call.ok ? 1 : 0, created_at: now() });
    },

    /** After a stop: what a kill has cut off did not end well. */
    failUnfinished() {
      db.prepare(
        `UPDATE turns SET ended = 'error', error_code = 'interrupted',
           error_message = 'The service was stopped.' WHERE ended IS NULL`,
      ).run();
    },
  };
}

export type TurnLog = ReturnType<typeof createTurnLog>;
