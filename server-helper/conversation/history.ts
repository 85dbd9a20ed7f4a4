/** A conversation as its visitor reads it: the agent's record, told apart into turns, with what never reached it. Pure. */
import type { RecordedMessage } from '../agent/conversation.ts';
import { type Message, toAgentMessageId } from '../protocol/wire.ts';
import type { TurnRecord } from '../store/store.ts';

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
  for (let index = 0; index < recorded.length; ) {
    const first = recorded[index] as RecordedMessage;
    const question = first.role === 'visitor' ? first : undefined;
    let end = question ? index + 1 : index;
    while (end < recorded.length && recorded[end]?.role === 'agent') end += 1;
    const answers = recorded.slice(question ? index + 1 : index, end);
    const turn = findTurn(question, answers, left);
    if (turn) left.delete(turn);
    at = turn?.at ?? first.at ?? at;
    entries.push({ at, messages: toTurnMessages(question, answers, turn, at) });
    index = Math.max(end, index + 1);
  }
  for (const turn of left) {
    // A completed turn that the record does not hold on this page is on another one, unless it never held it.
    const isElsewhere = turn.status === 'completed' && turn.answer === undefined;
    if (isElsewhere || turn.at < span.from || turn.at >= span.until) continue;
    entries.push({ at: turn.at, messages: toTurnMessages(undefined, [], turn, turn.at) });
  }
  return entries.sort((a, b) => a.at - b.at).flatMap((entry) => entry.messages);
}

function findTurn(
  question: RecordedMessage | undefined,
  answers: readonly RecordedMessage[],
  left: ReadonlySet<TurnRecord>,
): TurnRecord | undefined {
  const ids = new Set(answers.map((answer) => answer.id));
  for (const turn of left) if (turn.agentMessageId !== undefined && ids.has(turn.agentMessageId)) return turn;
  for (const turn of left)
    if (turn.agentMessageId === undefined && question && turn.question === question.text) return turn;
  return undefined;
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
