/** The port to the logs of turns where all helpers read them: the same events under the same ids, whoever tells a turn. */
import type { TurnRecord } from './store.ts';

/** `teller` names the log: a turn that was told anew has another. */
export type LogKey = { conversationId: string; id: string; teller: string };

/** Whole events from id `from` up to `next`, as they are sent to readers. */
export type Telling = LogKey & { from: number; next: number; events: string };

export type SharedLogs = {
  /**
   * Adds to each log what goes on where it ends. Gives for each the id of the event that it goes on with: another than
   * `next` where it did not end at `from`, and nothing was added. Undefined: the turn is gone, told anew, or another
   * helper's.
   */
  tell(runner: string, tellings: readonly Telling[]): Promise<(number | undefined)[]>;
  /** All that was told from event `from` on; empty where there is nothing, or no such log. */
  read(log: LogKey, from: number): Promise<string>;
  /**
   * Hands over what is told from event `from` on, as it comes. Events may come twice, and stop coming while the store
   * does not answer. @returns ends it
   */
  follow(log: LogKey, from: number, onEvents: (events: string) => void): () => void;
};

export function toLogKey({ conversationId, id, teller }: Readonly<TurnRecord>): LogKey | undefined {
  return teller === undefined ? undefined : { conversationId, id, teller };
}

/** 128 random bits in one string: of those that Node puts a UUID together of, a turn would hold all. */
export function createTeller(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('.');
}
