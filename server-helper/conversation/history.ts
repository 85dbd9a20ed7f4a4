/** A conversation as its visitor reads it: the agent's record, told apart into turns, with what never reached it. Pure. */
import type { RecordedMessage } from '../agent/conversation.ts';
import { type Message, toAgentMessageId } from '../protocol/wire.ts';
import { type TurnRecord, toBegun } from '../store/store.ts';
import {
  alignRecord,
  clockSkewMs,
  type Exchange,
  hasSaid,
  isAnswerOf,
  isSinceDecision,
  pickAnswer,
  readPlaces,
  wasSilent,
} from './alignment.ts';
import { lateMs, mayBeWrittenLate, readEarlier, type TakenBack, wasRefused } from './earlier.ts';
import { beginAlike, toWhole, toWords } from './words.ts';

/** Milliseconds since 1970. The page holds what was said from `from` (inclusive) to `until` (exclusive). */
export type Span = { from: number; until: number };

/** What belongs together: a question and its answer. */
export type Entry = {
  at: number;
  messages: Message[];
  /** Where it begins and ends in the page of the record; 0 for what is not in it. */
  begins: number;
  ends: number;
  turn: TurnRecord | undefined;
  /** The record has its answer, under the id that the agent named, whole, and behind nothing that was asked later. */
  isHeld: boolean;
};

/**
 * @param recorded a page of the agent's record, oldest first
 * @param turns the conversation's turns, oldest first
 * @param toSpan the page's, from the oldest entry of the record
 */
export function toEntries(
  recorded: readonly RecordedMessage[],
  turns: readonly TurnRecord[],
  toSpan: (oldest: Entry | undefined) => Span,
): Entry[] {
  const order = readPlaces(recorded, turns);
  const exchanges = alignRecord(recorded, turns, order);
  const left = new Set(turns);
  for (const { turn } of exchanges) if (turn) left.delete(turn);
  const missing = findMissing(exchanges, turns);
  const takenBack = turns.flatMap(({ earlier }) => readEarlier(earlier).takenBack);
  const entries: Entry[] = [];
  /** Turns whose questions stand without an answer so far, or on another page. */
  const open = new Set([...left].map(({ id }) => id));
  const indices = new Map(recorded.map(({ id }, index) => [id, index]));
  let at = 0;
  for (const exchange of exchanges) {
    const { question, answers } = exchange;
    const turn = exchange.turn ?? findLate(exchange, left);
    if (turn) left.delete(turn);
    at = turn?.at ?? question?.at ?? answers[0]?.at ?? at;
    const isGone = !turn && takenBack.some((taken) => isTakenBack(exchange, taken));
    // What belongs to nobody while a turn that was cut off misses its own may be that: it is not called whole.
    const status = [...left].some(isCutOff) ? 'stopped' : 'completed';
    const picked = pickAnswer(answers, turn, missing);
    const answer = isAnybodys(picked, turn, { missing, takenBack, open }) ? undefined : picked;
    if (turn && !answers.some((one) => isSinceDecision(turn, one))) open.add(turn.id);
    const messages = isGone ? [] : toTurnMessages(question, answer, turn, at, status);
    const places = (question ? [question, ...answers] : answers).map(({ id }) => indices.get(id) ?? 0);
    entries.push({
      at,
      messages,
      begins: Math.min(...places),
      ends: Math.max(...places) + 1,
      turn,
      isHeld: isHeld(turn, answer) && order.isInPlace(turn),
    });
  }
  // Behind what was asked later it would be cut off with that, where that is taken back: it stays here too.
  const isBehindLater = ({ at: asked, ends }: Entry) =>
    entries.some((other) => other.at > asked && other.begins < ends);
  for (const entry of entries) entry.isHeld &&= !isBehindLater(entry);
  entries.sort(byTime);
  const span = toSpan(entries[0]);
  for (const turn of left) {
    // A completed turn that the record does not hold on this page is on another one, unless it never held it.
    const isElsewhere = turn.status === 'completed' && turn.answer === undefined;
    if (isElsewhere || turn.at < span.from || turn.at >= span.until) continue;
    entries.push({
      at: turn.at,
      messages: toTurnMessages(undefined, undefined, turn, turn.at),
      begins: 0,
      ends: 0,
      turn,
      isHeld: false,
    });
  }
  return hideReplaced(hideTold(entries, span), turns).sort(byTime);
}

/** Begun after this page's time, and kept here: the page before has told it from the store. */
function hideTold(entries: readonly Entry[], { until }: Span): Entry[] {
  const isTold = ({ turn }: Entry) =>
    turn !== undefined && turn.at >= until && (turn.status !== 'completed' || turn.answer !== undefined);
  return entries.map((entry) => (isTold(entry) ? { ...entry, messages: [] } : entry));
}

/** What a running question takes the place of is still being taken back at the agent: its readers need not wait for that. */
function hideReplaced(entries: readonly Entry[], turns: readonly TurnRecord[]): Entry[] {
  const running = turns.find(({ status }) => status === 'running');
  const { replaces } = readEarlier(running?.earlier);
  const from = turns.find(({ id }) => id === replaces)?.at ?? Number.POSITIVE_INFINITY;
  return entries.map((entry) =>
    entry.at >= from && entry.turn?.id !== running?.id ? { ...entry, messages: [] } : entry,
  );
}

const byTime = (a: Entry, b: Entry) => a.at - b.at;

/** The turns whose own place in the record does not hold, or not yet whole, what they are known to have said. */
function findMissing(exchanges: readonly Exchange[], turns: readonly TurnRecord[]): TurnRecord[] {
  const found = new Set(
    exchanges.flatMap(({ turn, answers }) =>
      turn && answers.some((one) => isAnswerOf(turn, one) && isWhole(turn, one) && isSinceDecision(turn, one))
        ? [turn.id]
        : [],
    ),
  );
  return turns.filter(({ id }) => !found.has(id));
}

function isWhole(
  { agentMessageId, answer = '' }: Pick<TurnRecord, 'agentMessageId' | 'answer'>,
  { id, text }: RecordedMessage,
): boolean {
  return id === agentMessageId || text.trim().length >= answer.trim().length;
}

/**
 * Of a turn that was cut off before a word of it was heard: another such turn before it, or whose question stands open
 * before it, may have said this, and the agent written it down late.
 */
function isAnybodys(
  answer: RecordedMessage | undefined,
  turn: TurnRecord | undefined,
  {
    missing,
    takenBack,
    open,
  }: { missing: readonly TurnRecord[]; takenBack: readonly TakenBack[]; open: ReadonlySet<string> },
): boolean {
  if (!answer || !turn || !isCutOff(turn) || isAnswerOf(turn, answer)) return false;
  // What was deleted was said before, and may be written down again.
  const mayBeOf = (old: TakenBack) => {
    const { at, endedAt = at, answer: words, since = [] } = old;
    if (old.id === turn.id || old.isUntaken) return false;
    if (old.agentMessageId !== undefined) return old.agentMessageId === answer.id;
    if (endedAt < toBegun(turn) - lateMs) return false;
    return (
      (since.at(-1) ?? words).trim() === '' || [words, ...since].some((text) => beginAlike({ text }, answer))
    );
  };
  if (takenBack.some(mayBeOf)) return true;
  return missing.some(
    (other) =>
      (other.at < turn.at || open.has(other.id)) &&
      isCutOff(other) &&
      wasSilent(other) &&
      !wasRefused(other) &&
      mayBeWrittenLate(other, turn),
  );
}

/** Asked only of what is still kept here: an answer that is not has been found held before. */
function isHeld(turn: TurnRecord | undefined, shown: RecordedMessage | undefined): turn is TurnRecord {
  if (turn?.answer === undefined) return false;
  return (
    shown !== undefined &&
    shown.id === turn.agentMessageId &&
    toWords(shown.text).length >= toWords(turn.answer).length
  );
}

/** An agent may write down what was stopped or broke off after what was asked next. */
function findLate(exchange: Exchange, left: ReadonlySet<TurnRecord>): TurnRecord | undefined {
  // By its id it is known whose it is, wherever it stands and whatever stands behind it.
  const known = [...left].find((turn) => exchange.answers.some(({ id }) => id === turn.agentMessageId));
  if (known) return known;
  // One that completed is on another page, unless this is what it said.
  const mayBe = (turn: TurnRecord) => isCutOff(turn) || hasSaid(turn, exchange.answers);
  const own = [...left].filter((turn) => mayBe(turn) && isLateOf(exchange, turn));
  return own.find((turn) => hasSaid(turn, exchange.answers)) ?? own[0];
}

function isCutOff({ status, agentMessageId }: TurnRecord): boolean {
  return agentMessageId === undefined && (status === 'stopped' || status === 'failed');
}

/** Written down after it was taken back: under its question, or alone. */
function isTakenBack(exchange: Exchange, taken: TakenBack): boolean {
  if (exchange.question) return isLateOf(exchange, taken);
  const { agentMessageId, answer: words, since = [] } = taken;
  return exchange.answers.some(
    (one) => one.id === agentMessageId || [words, ...since].some((text) => beginAlike({ text }, one)),
  );
}

function isLateOf({ question }: Exchange, turn: TurnRecord | TakenBack) {
  const begun = toBegun(turn) - clockSkewMs;
  return turn.question !== '' && question?.text === turn.question && (question.at ?? begun) >= begun;
}

function toTurnMessages(
  question: RecordedMessage | undefined,
  recorded: RecordedMessage | undefined,
  turn: TurnRecord | undefined,
  at: number,
  statusOfUnknown: 'completed' | 'stopped' = 'completed',
): Message[] {
  const turnId = turn?.id ?? question?.id ?? recorded?.id ?? '';
  const messages: Message[] = [];
  // As it was asked, whatever question the record has before its answer.
  const asked = turn?.question || question?.text;
  if (asked)
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
  const text = toWhole(recorded?.text, turn?.answer) ?? '';
  if (!recorded && !turn) return messages;
  const answer: Message = {
    id: turn ? toAgentMessageId(turn.id) : (recorded?.id ?? turnId),
    turnId,
    role: 'agent',
    text,
    status: turn?.status ?? statusOfUnknown,
    at: new Date(turn?.endedAt ?? recorded?.at ?? at).toISOString(),
  };
  if (recorded?.sources.length) answer.sources = recorded.sources;
  if (turn?.vote) answer.vote = turn.vote;
  if (turn?.status === 'failed' && turn.code) answer.code = turn.code;
  messages.push(answer);
  return messages;
}
