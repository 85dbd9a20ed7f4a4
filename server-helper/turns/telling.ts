/** How a turn ends, or pauses, and how that is told: by the last event of its log. */
import type { AgentReply } from '../agent/frame.ts';
import { type StoredPause, toPausedEvent } from '../conversation/pause.ts';
import type { HelperError } from '../errors.ts';
import { type Message, problems } from '../protocol/wire.ts';
import type { TurnLog } from './log.ts';

export type TurnEnd =
  | { status: 'completed'; message: Message; agentMessageId: string | undefined }
  | { status: 'stopped'; message: Message }
  | { status: 'paused'; stored: StoredPause; text: string }
  | { status: 'failed'; error: HelperError; text: string };

export function tellEnd(log: TurnLog, end: TurnEnd, usage: AgentReply['usage']): void {
  if (end.status === 'completed') {
    log.append('turn-completed', usage ? { message: end.message, usage } : { message: end.message });
  } else if (end.status === 'stopped') {
    log.append('turn-stopped', { message: end.message });
  } else if (end.status === 'paused') {
    log.append('turn-paused', toPausedEvent(end.stored));
  } else {
    const { code, retryAfterMs } = end.error;
    const failed = { code, retryable: problems[code].retryable };
    log.append('turn-failed', retryAfterMs === undefined ? failed : { ...failed, retryAfterMs });
  }
}
