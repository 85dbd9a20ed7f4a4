/** Whose text is it: the agent's record told apart into exchanges, and which turn each belongs to. Pure. */
import type { RecordedMessage } from '../agent/conversation.ts';
import { type TurnRecord, toBegun } from '../store/store.ts';
import { readEarlier, readSaidBefore } from './earlier.ts';
import { inOurWords } from './our-words.ts';
import { findPlaces, type Places } from './reuniting.ts';
import { beginAlike, readWords, type Text, toWords } from './words.ts';

/** One question in the record and what the agent said to it. */
export type Exchange = {
  question: RecordedMessage | undefined;
  answers: readonly RecordedMessage[];
  turn: AlignedTurn | undefined;
  /** The turn is no guess: its answer may be taken from here, and what follows may be deleted. */
  isSure: boolean;
};

export type AlignedTurn = Pick<
  TurnRecord,
  'id' | 'at' | 'question' | 'answer' | 'agentMessageId' | 'status' | 'earlier'
> & { endedAt?: number | undefined };

/** The agent's clock and ours may differ by this much. */
export const clockSkewMs = 60_000;

/**
 * @param told a page of the agent's record, oldest first
 * @param turns all turns of the conversation, oldest first
 * @param places as `readPlaces` gives them, for who needs them too
 */
export function alignRecord<T extends AlignedTurn>(
  told: readonly RecordedMessage[],
  turns: readonly T[],
  { reunited } = readPlaces(told, turns),
): (Exchange & { turn: T | undefined })[] {
  const exchanges = toExchanges<T>(reunited);
  const ids = new Set(told.map(({ id }) => id));
  // An answer that we know by its id divides the record: what stands before it was asked before.
  let firstExchange = 0;
  let firstTurn = 0;
  for (const [index, exchange] of exchanges.entries()) {
    const at = turns.findIndex(
      ({ agentMessageId }, turn) =>
        turn >= firstTurn &&
        agentMessageId !== undefined &&
        exchange.answers.some(({ id }) => id === agentMessageId),
    );
    if (at < 0) continue;
    exchange.turn = turns[at];
    exchange.isSure = true;
    alignByWords(exchanges.slice(firstExchange, index), turns.slice(firstTurn, at), ids);
    firstExchange = index + 1;
    firstTurn = at + 1;
  }
  alignByWords(exchanges.slice(firstExchange), turns.slice(firstTurn), ids);
  return exchanges;
}

/** Which question each known answer stands under, whatever letters the agent writes questions down with. */
export function readPlaces(told: readonly RecordedMessage[], turns: readonly AlignedTurn[]): Places {
  return findPlaces(inOurWords(told, turns), turns);
}

function toExchanges<T>(recorded: readonly RecordedMessage[]): (Exchange & { turn: T | undefined })[] {
  const exchanges: (Exchange & { turn: T | undefined; answers: RecordedMessage[] })[] = [];
  for (const message of recorded) {
    const last = exchanges.at(-1);
    if (message.role === 'agent' && last) last.answers.push(message);
    else
      exchanges.push({
        question: message.role === 'visitor' ? message : undefined,
        answers: message.role === 'agent' ? [message] : [],
        turn: undefined,
        isSure: false,
      });
  }
  return exchanges;
}

/**
 * Between two answers that are known: equal words, in the same order. An agent may name its message by one id in its
 * reply and by another in its record.
 *
 * @param ids of all that is recorded here
 */
function alignByWords<T extends AlignedTurn>(
  exchanges: readonly (Exchange & { turn: T | undefined })[],
  turns: readonly T[],
  ids: ReadonlySet<string>,
): void {
  const unknown = turns.filter(
    ({ agentMessageId, question }) => !(agentMessageId && ids.has(agentMessageId)) && question !== '',
  );
  for (const words of new Set(unknown.map(({ question }) => question))) {
    const asked = exchanges.filter(({ question }) => question?.text === words);
    const asking = unknown.filter(({ question }) => question === words);
    let last = asking.length;
    for (let left = asked.length; left > 0 && last > 0; left -= 1) {
      const exchange = asked[left - 1] as Exchange & { turn: T | undefined };
      // What was asked long before a turn began is none of its, unless it is what it said: a clock may have been set back.
      const isBegun = (one: T) =>
        toBegun(one) <= (exchange.question?.at ?? one.at) + clockSkewMs ||
        (asked.length === asking.length && hasSaid(one, exchange.answers));
      // As many turns as there are exchanges still before this one must be left for them.
      const choices = asking.slice(Math.max(0, Math.min(left, last) - 1), last).filter(isBegun);
      if (choices.length === 0) continue;
      const said = new Map(choices.map((one) => [one, hasSaid(one, exchange.answers)]));
      const turn = choices.reduce((best, one) => (isCloser(one, best, exchange, said) ? one : best));
      last = asking.indexOf(turn);
      exchange.turn = turn;
      // Of one that we know by another id, nothing is deleted at the agent, but for a question without an answer yet.
      const isKnownElse = turn.agentMessageId !== undefined && exchange.answers.length > 0;
      exchange.isSure = !isKnownElse && isSure(exchange, turn, asking, asked.length);
    }
  }
}

function isCloser(
  one: AlignedTurn,
  other: AlignedTurn,
  { question, answers }: Exchange,
  said: ReadonlyMap<AlignedTurn, boolean>,
): boolean {
  const [mine, its] = [one, other].map((turn) => said.get(turn));
  if (mine !== its) return mine === true;
  // The same word for word, and not how it begins alone.
  const [isMine, isIts] = [one, other].map(
    ({ answer = '' }) => answer.trim() === answers.at(-1)?.text.trim(),
  );
  if (isMine !== isIts) return isMine === true;
  if (question?.at === undefined) return true;
  return Math.abs(question.at - toBegun(one)) <= Math.abs(question.at - toBegun(other));
}

type Saying = Pick<AlignedTurn, 'answer' | 'earlier'>;

/** What came since each decision: an agent may begin a message at any of them. */
export function toPieces(text: string, cuts: readonly number[]): string[] {
  return cuts.map((cut) => text.slice(cut).trimStart());
}

/** What was heard of a turn since each decision of its visitor, the last of them last. */
export function readSince({ answer = '', earlier }: Saying): readonly string[] {
  const { cuts = [], since } = readEarlier(earlier);
  return since ?? toPieces(answer, cuts.filter(Boolean));
}

const sayings = new WeakMap<Saying, readonly Text[]>();

/** What a turn said, as an agent may write it down: the whole, or what came since a decision alone. */
export function readSayings(turn: Saying): readonly Text[] {
  const read =
    sayings.get(turn) ??
    [turn.answer ?? '', ...readSince(turn)].filter((text) => text !== '').map((text) => ({ text }));
  sayings.set(turn, read);
  return read;
}

/** Not a word of it was heard, or none since its visitor decided: what it says may be anything. */
export function wasSilent(turn: Saying): boolean {
  return (readSince(turn).at(-1) ?? turn.answer ?? '').trim() === '';
}

/** Where nothing was heard of a turn since its visitor decided: the message is more than what it had said before. */
export function isSinceDecision(turn: Saying, message: RecordedMessage): boolean {
  if (!wasSilent(turn)) return true;
  const before = readSaidBefore(turn);
  return before === '' ? message.text.trim() !== '' : !toWords(before).includes(readWords(message));
}

/** What the turn streamed is how the recorded answer begins, or the other way round. */
export function hasSaid(turn: AlignedTurn, answers: readonly Text[]): boolean {
  const answer = answers.at(-1);
  return answer !== undefined && readSayings(turn).some((said) => beginAlike(said, answer));
}

/** The turn knows it by its id, or by its words. */
export function isAnswerOf(turn: AlignedTurn, message: RecordedMessage): boolean {
  return message.id === turn.agentMessageId || hasSaid(turn, [message]);
}

/** So much of the two is compared where white space may differ. */
const beginningChars = 2_000;

/** As `isAnswerOf`, however the agent writes the words down. */
function isOwn(turn: AlignedTurn, message: RecordedMessage): boolean {
  if (isAnswerOf(turn, message)) return true;
  const [said, text] = [turn.answer ?? '', message.text].map((one) => toWords(one.slice(0, beginningChars)));
  return !!said && !!text && (text.startsWith(said) || said.startsWith(text));
}

/**
 * Of the messages in a turn's place the one that is its answer: the one that it is known by, else the last that begins
 * as what was heard; where nothing was, the last that none of `others`, whose own place holds nothing, has said. An
 * agent may write down late what it said before.
 */
export function pickAnswer(
  answers: readonly RecordedMessage[],
  turn: AlignedTurn | undefined,
  others: readonly AlignedTurn[],
): RecordedMessage | undefined {
  const known = answers.find(({ id }) => id === turn?.agentMessageId);
  if (known || !turn) return known ?? answers.at(-1);
  if (turn.answer?.trim()) return answers.findLast((message) => isOwn(turn, message));
  return answers.findLast(
    (message) => !others.some((other) => other.id !== turn.id && isAnswerOf(other, message)),
  );
}

function isSure(
  { question, answers }: Exchange,
  turn: AlignedTurn,
  asking: readonly AlignedTurn[],
  asked: number,
): boolean {
  const isInTime = question?.at !== undefined && question.at >= toBegun(turn) - clockSkewMs;
  if (question?.at !== undefined && !isInTime) return false;
  if (asked === asking.length) return true;
  // One more than we know of: told twice, or of a turn whose record is gone; the newest is ours if it is new.
  if (asked > asking.length) return isInTime;
  // One did not reach the record. Which, only what was said can tell.
  return hasSaid(turn, answers) && !asking.some((one) => one !== turn && hasSaid(one, answers));
}
