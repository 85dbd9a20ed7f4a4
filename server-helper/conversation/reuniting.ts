/** Which question each answer stands under that a turn is known by, where the agent wrote others down between the two. Pure. */
import type { RecordedMessage } from '../agent/conversation.ts';
import type { TurnRecord } from '../store/store.ts';

type Asking = Pick<TurnRecord, 'id' | 'question' | 'agentMessageId' | 'status'>;

export type Places = {
  /** The record with every known answer right after its own question, and without those whose question it does not hold. */
  reunited: RecordedMessage[];
  /** Its answer stands under its question, and under none that may be another's: the agent's id alone finds both again. */
  isInPlace(turn: Asking): boolean;
};

/** A message that a turn is known by, and the question that is written last before it. */
type Known<T> = { turn: T; answer: number; under: number };

/**
 * @param recorded oldest first, each question in the words of its turn
 * @param turns oldest first; a question of which only the agent still has the words is empty
 */
export function findPlaces<T extends Asking>(
  recorded: readonly RecordedMessage[],
  turns: readonly T[],
): Places {
  const known = findKnown(recorded, turns);
  const standing = new Set([...known.values()].map(({ answer }) => answer));
  const isOpen = (index: number) =>
    recorded[index]?.role === 'visitor' && (recorded[index + 1]?.role !== 'agent' || standing.has(index + 1));
  const asked = recorded.flatMap(({ role }, index) => (role === 'visitor' ? [index] : []));
  const places = placeAll(recorded, asked, turns, known, isOpen);
  const moved = new Map<number, number>();
  for (const [turn, question] of places) {
    const { answer, under } = known.get(turn) as Known<T>;
    if (question !== under) moved.set(answer, question);
  }
  // A page may begin behind a question whose answer was written down under the next: what is kept here tells it.
  const taken = new Set(places.values());
  const isStray = ({ turn, under }: Known<T>) =>
    turn.question !== '' &&
    !places.has(turn) &&
    (taken.has(under) || turns.some((one) => one !== turn && one.question === recorded[under]?.text));
  const strays = new Set([...known.values()].filter(isStray).map(({ answer }) => answer));
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
  const byId = new Map(turns.map((turn) => [turn.agentMessageId, turn]));
  const known = new Map<T, Known<T>>();
  let under = -1;
  for (const [answer, { id, role }] of recorded.entries()) {
    const turn = byId.get(id);
    if (role === 'visitor') under = answer;
    else if (turn) known.set(turn, { turn, answer, under });
  }
  return known;
}

/** What one more known answer under its question counts for, against all turns whose answer is not known. */
const knownScore = 1_000_000;
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
  isOpen: (index: number) => boolean,
): Map<T, number> {
  const numbers = new Map(
    [...new Set(turns.map(({ question }) => question))].map((text, index) => [text, index]),
  );
  const spoken = asked.map((index) => numbers.get(recorded[index]?.text ?? ''));
  const words = turns.map(({ question }) => numbers.get(question));
  const open = asked.map(isOpen);
  const toScore = (row: number, column: number) => {
    const [turn, question] = [turns[column] as T, asked[row] as number];
    const one = known.get(turn);
    const isUnder = one?.under === question;
    if (isUnder && turn.question === '') return foundScore;
    if (spoken[row] !== words[column]) return 0;
    if (!one) return turn.status === 'stopped' || turn.status === 'failed' ? cutOffScore : anyScore;
    if (isUnder) return knownScore + 1;
    return question < one.answer && open[row] ? knownScore : 0;
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
  const answers = new Map([...moved].map(([answer, question]) => [question, answer]));
  return recorded.flatMap((message, index) => {
    if (moved.has(index) || strays.has(index)) return [];
    const answer = recorded[answers.get(index) ?? -1];
    return answer ? [message, answer] : [message];
  });
}
