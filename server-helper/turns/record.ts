/** Finds a turn's answer in the agent's record, which is the truth once a stream has broken off. Pure. */
import type { RecordedMessage } from '../agent/conversation.ts';
import type { TurnRecord } from '../store/store.ts';

/** The agent's clock and ours may differ by this much. */
const clockSkewMs = 60_000;

/**
 * The answer to `question`, if the record's last question is that one and has been answered.
 *
 * @param arrived whether the agent is known to have taken the question; if not, an older equal one must not pass for it
 * @param others the conversation's other turns: an answer that is theirs is not this turn's
 */
export function findReply(
  messages: readonly RecordedMessage[],
  turn: Pick<TurnRecord, 'id' | 'question' | 'at'>,
  arrived: boolean,
  others: readonly Pick<TurnRecord, 'id' | 'agentMessageId'>[],
): RecordedMessage | undefined {
  const asked = messages.findLastIndex((message) => message.role === 'visitor');
  const question = messages[asked];
  if (!question || question.text !== turn.question) return undefined;
  if (!arrived && (question.at === undefined || question.at < turn.at - clockSkewMs)) return undefined;
  const reply = messages
    .slice(asked + 1)
    .findLast((message) => message.role === 'agent' && !message.unfinished);
  const taken = others.some((other) => other.id !== turn.id && other.agentMessageId === reply?.id);
  return reply && reply.text !== '' && !taken ? reply : undefined;
}

/**
 * The record's id of the question that a turn asked; undefined when the record does not hold it for sure, since what
 * follows it is about to be deleted.
 */
export function findQuestionId(
  messages: readonly RecordedMessage[],
  turn: Pick<TurnRecord, 'id' | 'question' | 'at' | 'agentMessageId'>,
  others: readonly Pick<TurnRecord, 'id' | 'agentMessageId'>[],
): string | undefined {
  const answered = messages.findIndex((message) => message.id === turn.agentMessageId);
  const before = answered > 0 ? messages[answered - 1] : undefined;
  if (before?.role === 'visitor') return before.id;
  const asked = messages.findLastIndex((message) => message.role === 'visitor');
  const question = messages[asked];
  if (!question || question.text !== turn.question) return undefined;
  if (question.at !== undefined && question.at < turn.at - clockSkewMs) return undefined;
  const replies = messages.slice(asked + 1);
  const isOthers = others.some(
    (other) => other.id !== turn.id && replies.some((reply) => reply.id === other.agentMessageId),
  );
  return isOthers ? undefined : question.id;
}
