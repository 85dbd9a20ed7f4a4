/** Follows a turn into its entry: events change a plain value, and each frame shows the latest. */
import type { TurnRequest } from '../../server-helper/protocol/wire.ts';
import { toReach, toWidgetError, type WidgetCode, type WidgetError } from '../errors.ts';
import type { SessionKeeper } from '../transport/session.ts';
import { followTurn } from '../transport/turn-stream.ts';
import type { Entry } from './entries.ts';
import { createAnswer, reduceAnswer } from './turn.ts';

export type Following = {
  sessions: SessionKeeper;
  conversationId: string;
  /** Absent: the helper has the turn, and it is only followed. */
  question: TurnRequest | undefined;
  signal: AbortSignal;
  /** Calls back once before the next frame. */
  onNextFrame: (draw: () => void) => void;
  onAccepted: () => void;
  onLost: (lost: WidgetCode | undefined) => void;
};

/**
 * Resolves when the turn has ended on screen; `gone` when history has the answer. A refusal is shown in the entry.
 *
 * @returns the error that ended it, if one did
 */
export async function followEntry(
  entry: Entry,
  following: Following,
): Promise<'ended' | 'gone' | WidgetError> {
  const { sessions, conversationId, question, signal, onNextFrame, onLost } = following;
  let answer = entry.answer.value ?? createAnswer(entry.turnId, 'writing');
  let drawing = false;
  // Who decided before the stream of the pause was closed has it followed anew: that one tells what comes.
  const isMine = () => !signal.aborted && entry.followedBy === following;
  const draw = () => {
    drawing = false;
    if (isMine() && !entry.isDropped) entry.answer.value = answer;
  };
  entry.followedBy = following;
  if (question) entry.lastEventId = undefined;
  try {
    return await followTurn(
      sessions,
      { conversationId, turnId: entry.turnId },
      {
        question,
        seen: entry,
        signal,
        onLost: (code) => onLost(toReach(code)),
        onEvent: (event) => {
          answer = reduceAnswer(answer, event);
        },
        onRead: () => {
          if (drawing) return;
          drawing = true;
          onNextFrame(draw);
        },
        onAccepted: () => {
          entry.known = true;
          following.onAccepted();
        },
      },
    );
  } catch (error) {
    const known = toWidgetError(error);
    answer = { ...answer, status: 'failed', code: known.code, retryAfterMs: known.retryAfterMs };
    return known;
  } finally {
    draw();
    if (isMine()) entry.followedBy = undefined;
  }
}
