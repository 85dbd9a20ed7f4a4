/** What a turn keeps of before: what stands in the agent's record, or may come to stand there, and is not its answer. */
import type { RecordedMessage } from '../agent/conversation.ts';
import { type TurnRecord, toBegun } from '../store/store.ts';

/** A turn that was taken back: of the store it is gone, and the agent may yet write it down. */
export type TakenBack = Pick<TurnRecord, 'id' | 'at' | 'question' | 'status'> & {
  answer: string;
  /** How what it said since each decision begins: an agent may write that down alone. */
  since?: readonly string[];
  endedAt?: number;
  /** The agent's id of its answer: with one, all of it was written down, and nothing is left to come. */
  agentMessageId?: string;
  /** Its question stood in the record and was deleted there. */
  wasFound: boolean;
  isUntaken?: true;
};

/** A message that stood in the record when the visitor decided, with what it is known by: it may grow into the answer. */
export type Standing = { id: string; chars: number; beginning: string };

/** What stands in the record, or may yet come to stand there, and is not the answer to this turn's question. */
export type Earlier = {
  /** Messages that were there before the question. */
  ids: readonly string[];
  takenBack: readonly TakenBack[];
  /** What this turn had said when it paused. */
  said: string;
  /** The executions that were decided on, the last last: told again, none is a new pause. One alone as a string. */
  decided?: string | readonly string[] | undefined;
  /** How many characters of its answer it had said at each decision. */
  cuts?: readonly number[];
  /** Of a turn that was taken back, as there. */
  since?: readonly string[];
  /** `unread`: what stood there could not be learned. */
  standing: readonly Standing[] | 'unread';
  /** What this turn was to replace: while that stands, it failed before it could, and a turn in its place takes it back. */
  replaces?: string;
  /** It failed, and the agent never had its question: nothing of it will be written down. */
  isUntaken?: true;
};

export const nothingEarlier: Earlier = { ids: [], takenBack: [], said: '', standing: [] };

export function readEarlier(json: string | undefined): Earlier {
  return json === undefined
    ? nothingEarlier
    : { ...nothingEarlier, ...(JSON.parse(json) as Partial<Earlier>) };
}

/** What a turn had said when its visitor decided last; '' where nobody was asked. */
export function readSaidBefore({ answer = '', earlier }: Pick<TurnRecord, 'answer' | 'earlier'>): string {
  return answer.slice(0, readEarlier(earlier).cuts?.at(-1) ?? 0);
}

/** So much of a text tells it from another of the same length. */
const beginningChars = 200;

/** White space is no words: an agent may write it down otherwise. */
export function toStanding({ id, text }: Pick<RecordedMessage, 'id' | 'text'>): Standing {
  const words = text.replace(/\s+/g, ' ').trim();
  return { id, chars: words.length, beginning: words.slice(0, beginningChars) };
}

export function isStanding(message: RecordedMessage, standing: Earlier['standing']): boolean {
  if (standing === 'unread') return true;
  const now = toStanding(message);
  return standing.some(
    ({ id, chars, beginning }) => id === now.id && chars === now.chars && beginning === now.beginning,
  );
}

type Ended = Pick<TurnRecord, 'at' | 'endedAt' | 'code' | 'agentMessageId' | 'earlier'>;

/** The agent said that it would not answer it, or never had it. */
export function wasRefused(turn: Pick<Ended, 'code' | 'earlier'>): boolean {
  return turn.code === 'agent-refused' || turn.code === 'rate-limited' || wasUntaken(turn);
}

export function wasUntaken({ earlier }: Pick<Ended, 'earlier'>): boolean {
  return readEarlier(earlier).isUntaken === true;
}

/** An agent that was told to stop may write down what it had said this much later. */
export const lateMs = 120_000;

/** Of one that completed under a known id nothing is left to come. */
export function mayBeWrittenLate(other: Ended, turn: Pick<Ended, 'at' | 'endedAt'>): boolean {
  if (other.agentMessageId !== undefined) return false;
  return (other.endedAt ?? other.at) >= toBegun(turn) - lateMs;
}
