/** Finds a turn's answer and its question in the agent's record, which is the truth once a stream has broken off. Pure. */
import type { RecordedMessage } from '../agent/conversation.ts';
import {
  alignRecord,
  clockSkewMs,
  type Exchange,
  isSinceDecision,
  readSayings,
  toPieces,
  wasSilent,
} from '../conversation/alignment.ts';
import {
  isStanding,
  lateMs,
  mayBeWrittenLate,
  readEarlier,
  type TakenBack,
  wasRefused,
  wasUntaken,
} from '../conversation/earlier.ts';
import { beginAlike, beginsAs, readWords, toWords } from '../conversation/words.ts';
import { type TurnRecord, toBegun } from '../store/store.ts';

type Turn = Pick<
  TurnRecord,
  'id' | 'at' | 'question' | 'answer' | 'agentMessageId' | 'status' | 'code' | 'endedAt' | 'earlier'
>;

/** So much of an answer is no other one's beginning too. */
export const tellingChars = 40;

/**
 * The answer to a turn's question: its own, whole, and said since. When it cannot be told for sure there is none.
 *
 * @param turns all turns of the conversation, oldest first, this one among them with what it has said so far
 * @param arrived whether the agent is known to have taken the question
 */
export function findAnswer(
  messages: readonly RecordedMessage[],
  turns: readonly Turn[],
  turnId: string,
  arrived: boolean,
): RecordedMessage | undefined {
  const turn = turns.find(({ id }) => id === turnId);
  if (!turn) return undefined;
  const { ids, said, cuts = [], standing } = readEarlier(turn.earlier);
  const takenBack = readTakenBack(turns);
  const others = readOthers(turns, turn, takenBack);
  const recorded = others.filter((other) => isInRecord(takenBack)(other) && !wasUntaken(other));
  const asking = [...recorded, turn].sort((one, other) => one.at - other.at);
  const exchanges = alignRecord(messages, asking);
  const exchange = exchanges.find((one) => one.isSure && one.turn?.id === turnId);
  const late = others.filter((other) => mayBeWrittenLate(other, turn));
  const isOthers = (message: RecordedMessage) =>
    ids.includes(message.id) ||
    others.some(({ agentMessageId }) => agentMessageId === message.id) ||
    late.some((other) => readSayings(other).some((said) => beginAlike(said, message)));
  const heard = turn.answer ?? '';
  const last = exchange?.answers.at(-1);
  // What another turn said may have been written down behind the answer, which begins as it was heard.
  const answer =
    last && isOthers(last)
      ? exchange?.answers.findLast((one) => beginsAs(one, { text: heard }) && !isOthers(one))
      : last;
  if (!exchange || !answer || answer.unfinished || answer.text.trim() === '') return undefined;
  // Without a time an older equal question could pass for one that never arrived.
  if (exchange.question?.at === undefined && !arrived) return undefined;
  const isBefore = [said, ...toPieces(said, cuts)].some((text) => beginsAs({ text }, answer));
  if (isBefore || isStanding(answer, standing)) return undefined;
  // What was heard of this turn is how its answer begins, be it written down with what was said before the pause or not.
  const isOwn = [heard, ...toPieces(heard, cuts)].some((text) => beginsAs(answer, { text }));
  if (late.length > 0 && heard.trim() !== '' && !isOwn) return undefined;
  if (isOwn && heard.trim().length - said.trim().length >= tellingChars) return answer;
  // Over before a word of it was seen, and the agent had it: whatever comes now may be its own.
  const isSilent = (other: Turn) => {
    if (!wasSilent(other)) return false;
    const equal = exchanges.filter((one) => one !== exchange && one.question?.text === other.question);
    if (equal.some(({ answers }) => answers.length === 0)) return true;
    const mayHaveArrived = ['stopped', 'failed'].includes(other.status) && !wasRefused(other);
    // Of two that ask the same in the same words, the order in the record does not tell which is which.
    const isTold =
      other.question !== turn.question &&
      equal.some(
        (one) => one.turn?.id === other.id && one.answers.some((answer) => isSinceDecision(other, answer)),
      );
    return mayHaveArrived && !isTold;
  };
  return late.some(isSilent) ? undefined : answer;
}

/** Whether the record has the turn's question, or one in the same words that may be it. */
export function isAsked(
  messages: readonly RecordedMessage[],
  turns: readonly Turn[],
  turnId: string,
): boolean {
  const turn = turns.find(({ id }) => id === turnId);
  const words = toWords(turn?.question ?? '');
  return messages.some(
    ({ role, text, at }) =>
      role === 'visitor' &&
      toWords(text) === words &&
      (at === undefined || at >= (turn ? toBegun(turn) : 0) - clockSkewMs),
  );
}

function readOthers(turns: readonly Turn[], turn: Turn, takenBack = readTakenBack(turns)): Turn[] {
  return [...turns.filter((other) => other !== turn), ...takenBack.map(toTurn)];
}

/** By whichever turn it was: nobody else knows of it any more. */
function readTakenBack(turns: readonly Turn[]): TakenBack[] {
  return turns.flatMap(({ earlier }) => readEarlier(earlier).takenBack);
}

function toTurn({ wasFound: _, endedAt, agentMessageId, isUntaken, since, ...taken }: TakenBack): Turn {
  const earlier = JSON.stringify({ isUntaken, since });
  return { ...taken, endedAt, code: undefined, agentMessageId, earlier };
}

/** What was deleted from the record is no longer looked for in it. */
function isInRecord(takenBack: readonly TakenBack[]): (turn: Turn) => boolean {
  const deleted = new Set(takenBack.filter(({ wasFound }) => wasFound).map(({ id }) => id));
  return ({ id }) => !deleted.has(id);
}

/** Whether an earlier turn that was given up may still be speaking at the agent, so that a running reply may be its. */
export function maySpeakStill(turns: readonly Turn[], turnId: string): boolean {
  const turn = turns.find(({ id }) => id === turnId);
  // Taken back at another helper meanwhile: what runs there is that of the question in its place.
  if (!turn) return true;
  const others = readOthers(turns, turn);
  return others.some(
    (other) =>
      !['completed', 'paused'].includes(other.status) && !wasRefused(other) && mayBeWrittenLate(other, turn),
  );
}

/** What ended not long before a turn began, so that an agent may still tell it as its running reply. */
export type Lately = {
  /** The agent's ids of all other answers. */
  ids: readonly string[];
  /** The words of what was said; undefined where they are not kept here. */
  answers: readonly (string | undefined)[];
  questions: readonly string[];
};

export function readLately(turns: readonly Turn[], turnId: string): Lately {
  const turn = turns.find(({ id }) => id === turnId);
  if (!turn) return { ids: [], answers: [], questions: [] };
  const { ids } = readEarlier(turn.earlier);
  const others = readOthers(turns, turn);
  const ended = others.filter(
    (other) => other.status === 'completed' && (other.endedAt ?? other.at) >= toBegun(turn) - lateMs,
  );
  return {
    ids: [...ids, ...others.flatMap(({ agentMessageId }) => agentMessageId ?? [])],
    answers: ended.flatMap((one) =>
      one.answer === undefined ? [undefined] : readSayings(one).map(readWords),
    ),
    questions: ended.map(({ question }) => toWords(question)),
  };
}

/**
 * Where to cut the record to take a turn back with all that followed: the id of the first message to go, `nothing`
 * when the record holds none of it, undefined when it cannot be told for sure.
 *
 * @param isWhole nothing of the record stands before `messages`
 * @param turns all turns of the conversation, oldest first
 */
export function findCut(
  messages: readonly RecordedMessage[],
  isWhole: boolean,
  all: readonly Turn[],
  turnId: string,
): { messageId: string } | 'nothing' | undefined {
  // What the agent never had is not in its record.
  const turns = all.filter((turn) => turn.id === turnId || !wasUntaken(turn));
  const exchanges = alignRecord(messages, turns);
  const own = exchanges.find((one) => one.isSure && one.turn?.id === turnId);
  if (own?.question) return { messageId: own.question.id };
  if (!isWhole) return undefined;
  const from = turns.findIndex(({ id }) => id === turnId);
  const isEarlier = ({ isSure, turn }: Exchange) =>
    isSure && turn !== undefined && turns.findIndex(({ id }) => id === turn.id) < from;
  // What the agent says unasked stays, as does an answer that it wrote down after its question was taken back.
  const next = exchanges.slice(exchanges.findLastIndex(isEarlier) + 1).find(({ question }) => question);
  if (!next?.question) return 'nothing';
  return next.isSure ? { messageId: next.question.id } : undefined;
}
