/** Which question each answer stands under that a turn is known by, where the agent wrote others down between the two. Pure. */
import type { RecordedMessage } from '../agent/conversation.ts';
import type { TurnRecord } from '../store/store.ts';
import { readSaidBefore } from './earlier.ts';

type Asking = Pick<TurnRecord, 'id' | 'question' | 'answer' | 'agentMessageId' | 'status' | 'earlier'>;

export type Places = {
  /** The record with every known answer right after its own question, and without those whose question it does not hold. */
  reunited: RecordedMessage[];
  /** Its answer stands under its question, and under none that may be another's: the agent's id alone finds both again. */
  isInPlace(turn: Asking): boolean;
};

/**
 * A message that a turn is known by, and the question that is written last before it. `said`: what it said before its
 * visitor decided, which an agent may write down as messages of their own; `from`: the first of those that stand right
 * before the answer.
 */
type Known<T> = { turn: T; said: string; from: number; answer: number; under: number };

/**
 * @param recorded oldest first, each question in the words of its turn
 * @param turns oldest first; a question of which only the agent still has the words is empty
 */
export function findPlaces<T extends Asking>(
  recorded: readonly RecordedMessage[],
  turns: readonly T[],
): Places {
  const known = findKnown(recorded, turns);
  const standing = new Set([...known.values()].flatMap(toIndices));
  const isOpen = (index: number, { said }: Known<T>) => {
    const next = recorded[index + 1];
    return next?.role !== 'agent' || standing.has(index + 1) || isPiece(said, next);
  };
  const asked = recorded.flatMap(({ role }, index) => (role === 'visitor' ? [index] : []));
  const places = placeAll(recorded, asked, turns, known, isOpen);
  const moved = new Map<number, number>();
  for (const [turn, question] of places) {
    const found = known.get(turn) as Known<T>;
    if (question !== found.under) for (const index of toIndices(found)) moved.set(index, question);
  }
  // A page may begin behind a question whose answer was written down under the next: what is kept here tells it.
  const taken = new Set(places.values());
  const isStray = ({ turn, under }: Known<T>) =>
    turn.question !== '' &&
    !places.has(turn) &&
    (taken.has(under) || turns.some((one) => one !== turn && one.question === recorded[under]?.text));
  const strays = new Set([...known.values()].filter(isStray).flatMap(toIndices));
  const reunited = reunite(recorded, moved, strays);
  return {
    reunited,
    isInPlace: (turn) => {
      const found = [...known.values()].find((one) => one.turn.id === turn.id);
      const question = recorded[found?.under ?? -1];
      if (!found || !question || moved.has(found.answer) || strays.has(found.answer)) return false;
      if (question.text !== turn.question)
        return !turns.some((one) => one.id !== turn.id && one.question === question.text);
      // It may be the question of one that was asked later, and this page begin behind its own.
      const later = turns.slice(turns.indexOf(found.turn) + 1);
      if (later.some((one) => one.question === turn.question && !places.has(one))) return false;
      const isOthers = ({ role, text }: RecordedMessage, index: number) =>
        role === 'visitor' && text === turn.question && reunited[index + 1]?.role === 'visitor';
      return !reunited.slice(0, reunited.indexOf(question)).some(isOthers);
    },
  };
}

function findKnown<T extends Asking>(
  recorded: readonly RecordedMessage[],
  turns: readonly T[],
): Map<T, Known<T>> {
  const find = createFinder(recorded, turns);
  const known = new Map<T, Known<T>>();
  let under = -1;
  for (const [answer, message] of recorded.entries()) {
    if (message.role === 'visitor') under = answer;
    const turn = find(message);
    if (!turn) continue;
    const said = readSaidBefore(turn);
    let from = answer;
    while (isPiece(said, recorded[from - 1]) && !find(recorded[from - 1])) from -= 1;
    known.set(turn, { turn, said, from, answer, under });
  }
  return known;
}

/** Whose answer a message is: by the agent's id, else, of a turn whose id the record does not hold, by the very words that nothing else here has. */
function createFinder<T extends Asking>(recorded: readonly RecordedMessage[], turns: readonly T[]) {
  const byId = new Map(turns.map((turn) => [turn.agentMessageId, turn]));
  const answers = recorded.filter(({ role }) => role === 'agent');
  const found = new Set(answers.map(({ id }) => byId.get(id)));
  const unknown = turns.filter((turn) => turn.status === 'completed' && !found.has(turn));
  const byWords = new Map<string, T | undefined>();
  for (const turn of unknown) addOnce(byWords, turn.answer, turn);
  const messages = new Map<string, RecordedMessage | undefined>();
  if (byWords.size > 0) for (const one of answers) addOnce(messages, one.text, one);
  return (message: RecordedMessage | undefined): T | undefined => {
    if (message?.role !== 'agent') return undefined;
    const words = message.text.trim();
    return byId.get(message.id) ?? (messages.get(words) === message ? byWords.get(words) : undefined);
  };
}

/** Under what stands there twice nothing is found. */
function addOnce<T>(all: Map<string, T | undefined>, words: string | undefined, one: T): void {
  const key = words?.trim();
  if (key) all.set(key, all.has(key) ? undefined : one);
}

function isPiece(said: string, message: RecordedMessage | undefined): boolean {
  const text = message?.role === 'agent' ? message.text.trim() : '';
  return text !== '' && said.includes(text);
}

const toIndices = ({ from, answer }: Pick<Known<unknown>, 'from' | 'answer'>) =>
  Array.from({ length: answer - from + 1 }, (_, index) => from + index);

/** What one more known answer under its question counts for, against all turns whose answer is not known. */
const knownScore = 1_000_000;
/** The same of one that its words alone tell. */
const wordsScore = 500_000;
const anyScore = 1_000;
/** It was there before, alone: so it is now, whatever else is there. */
const foundScore = 1_000 * knownScore;
/** One that was cut off may have been written down late, out of this order. */
const cutOffScore = 10;

/**
 * Gives each known answer its question: both in the order in which they were asked, none before its question, with room
 * for as many of the other turns as there is; then as the record stands.
 */
function placeAll<T extends Asking>(
  recorded: readonly RecordedMessage[],
  asked: readonly number[],
  turns: readonly T[],
  known: ReadonlyMap<T, Known<T>>,
  isOpen: (index: number, known: Known<T>) => boolean,
): Map<T, number> {
  const numbers = new Map(
    [...new Set(turns.map(({ question }) => question))].map((text, index) => [text, index]),
  );
  const spoken = asked.map((index) => numbers.get(recorded[index]?.text ?? ''));
  const words = turns.map(({ question }) => numbers.get(question));
  const toScore = (row: number, column: number) => {
    const [turn, question] = [turns[column] as T, asked[row] as number];
    const one = known.get(turn);
    const isUnder = one?.under === question;
    if (isUnder && turn.question === '') return foundScore;
    if (spoken[row] !== words[column]) return 0;
    if (!one) return turn.status === 'stopped' || turn.status === 'failed' ? cutOffScore : anyScore;
    const score = recorded[one.answer]?.id === turn.agentMessageId ? knownScore : wordsScore;
    if (isUnder) return score + 1;
    if (question > one.answer) return 0;
    return isOpen(question, one) ? score : score / 2;
  };
  // The most that the first so many questions, and the first so many turns, come to.
  const width = turns.length + 1;
  const best = new Float64Array((asked.length + 1) * width);
  const at = (row: number, column: number) => best[row * width + column] as number;
  const together = (row: number, column: number) => {
    const score = toScore(row - 1, column - 1);
    return score > 0 ? at(row - 1, column - 1) + score : 0;
  };
  for (let row = 1; row <= asked.length; row += 1)
    for (let column = 1; column < width; column += 1)
      best[row * width + column] = Math.max(at(row - 1, column), at(row, column - 1), together(row, column));
  const places = new Map<T, number>();
  let row = asked.length;
  let column = turns.length;
  while (row > 0 && column > 0) {
    const turn = turns[column - 1] as T;
    if (together(row, column) === at(row, column)) {
      if (known.has(turn)) places.set(turn, asked[row - 1] as number);
      row -= 1;
      column -= 1;
    } else if (at(row - 1, column) === at(row, column)) row -= 1;
    else column -= 1;
  }
  return places;
}

/** @param moved which answer goes right after which question */
function reunite(
  recorded: readonly RecordedMessage[],
  moved: ReadonlyMap<number, number>,
  strays: ReadonlySet<number>,
): RecordedMessage[] {
  const answers = new Map<number, RecordedMessage[]>();
  for (const [index, question] of moved)
    answers.set(question, [...(answers.get(question) ?? []), recorded[index] as RecordedMessage]);
  return recorded.flatMap((message, index) =>
    moved.has(index) || strays.has(index) ? [] : [message, ...(answers.get(index) ?? [])],
  );
}
