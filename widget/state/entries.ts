/** One turn on screen: what was asked, and the answer, which alone changes while it is written. */
import { type Signal, signal } from '@preact/signals';
import type { Message, TurnRequest } from '../../server-helper/protocol/wire.ts';
import { type Answer, toAnswer } from './turn.ts';

export type Entry = {
  turnId: string;
  question: string | undefined;
  /** The helper is known to have the turn. */
  known: boolean;
  /** Id of the last event seen, to go on from there. */
  lastEventId: number | undefined;
  answer: Signal<Answer | undefined>;
  /** While its events are followed: by whom, and what that ends with. */
  followedBy?: { signal: AbortSignal } | undefined;
  /** The visitor stopped it before the helper was seen to have it: nothing of it is shown any more. */
  isDropped?: true;
  /** The time to decide on it was over. */
  expired?: true;
  /** What was sent, while the helper is not known to have it: sent again, it is the same question. */
  request?: TurnRequest;
};

export function createEntry(turnId: string, question: string | undefined, answer: Answer | undefined): Entry {
  return { turnId, question, known: false, lastEventId: undefined, answer: signal(answer) };
}

/** History, oldest first, told apart into turns. */
export function toEntries(messages: readonly Message[]): Entry[] {
  const found = new Map<string, Entry>();
  for (const message of messages) {
    const entry = found.get(message.turnId) ?? createEntry(message.turnId, undefined, undefined);
    entry.known = true;
    if (message.role === 'visitor') entry.question = message.text;
    else entry.answer.value = toAnswer(message);
    found.set(message.turnId, entry);
  }
  return [...found.values()];
}

/** How a turn that was stopped came to its end. */
export function toStoppedState({ expired }: Entry, { text }: Answer) {
  if (expired) return 'pause-expired';
  return text === '' ? 'stopped-empty' : 'aborted';
}
