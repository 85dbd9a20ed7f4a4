/** A conversation as its visitor reads it: the agent's record, told apart into turns, with what never reached it. Pure. */
import type { RecordedMessage } from '../agent/conversation.ts';
import { type Message, toAgentMessageId } from '../protocol/wire.ts';
import type { TurnRecord } from '../store/store.ts';
import { alignRecord } from './alignment.ts';

/** Milliseconds since 1970. The page holds what was said from `from` (inclusive) to `until` (exclusive). */
export type Span = { from: number; until: number };

type Entry = { at: number; messages: Message[] };

/**
 * @param recorded a page of the agent's record, oldest first
 * @param turns all turns of the conversation, oldest first
 */
export function toMessages(
  recorded: readonly RecordedMessage[],
  turns: readonly TurnRecord[],
  span: Span,
): Message[] {
  const left = new Set(turns);
  const entries: Entry[] = [];
  let at = 0;
  for (const { question, answers, turn } of alignRecord(recorded, turns)) {
    if (turn) left.delete(turn);
    at = turn?.at ?? question?.at ?? answers[0]?.at ?? at;
    entries.push({ at, messages: toTurnMessages(question, answers, turn, at) });
  }
  for (const turn of left) {
    // A completed turn that the record does not hold on this page is on another one, unless it never held it.
    const isElsewhere = turn.status === 'completed' && turn.answer === undefined;
    if (isElsewhere || turn.at < span.from || turn.at >= span.until) continue;
    entries.push({ at: turn.at, messages: toTurnMessages(undefined, [], turn, turn.at) });
  }
  return entries.sort((a, b) => a.at - b.at).flatMap((entry) => entry.messages);
}

function toTurnMessages(
  question: RecordedMessage | undefined,
  answers: readonly RecordedMessage[],
  turn: TurnRecord | undefined,
  at: number,
): Message[] {
  const turnId = turn?.id ?? question?.id ?? answers[0]?.id ?? '';
  const messages: Message[] = [];
  const asked = question?.text ?? turn?.question;
  if (asked !== undefined && asked !== '')
    messages.push({
      id: turnId,
      turnId,
      role: 'visitor',
      text: asked,
      status: 'completed',
      at: new Date(at).toISOString(),
    });
  // A turn that still runs tells its answer itself.
  if (turn?.status === 'running' || turn?.status === 'paused') return messages;
  const recorded = answers.at(-1);
  const kept = turn?.answer ?? '';
  const text = recorded && recorded.text.length >= kept.length ? recorded.text : kept;
  if (!recorded && !turn) return messages;
  const answer: Message = {
    id: turn ? toAgentMessageId(turn.id) : (recorded?.id ?? turnId),
    turnId,
    role: 'agent',
    text,
    status: turn?.status ?? 'completed',
    at: new Date(turn?.endedAt ?? recorded?.at ?? at).toISOString(),
  };
  if (recorded?.sources.length) answer.sources = recorded.sources;
  if (turn?.vote) answer.vote = turn.vote;
  if (turn?.status === 'failed' && turn.code) answer.code = turn.code;
  messages.push(answer);
  return messages;
}
