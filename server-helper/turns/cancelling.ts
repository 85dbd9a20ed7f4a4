/** Stops answers at the agent. A cancel goes by the chat, so its next question waits until the last answer is quiet. */
import type { AgentChat } from '../agent/chat.ts';
import type { AnswerSink } from '../agent/stream.ts';
import { type Log, toLogFields } from '../log.ts';
import { sleep } from '../within.ts';
import type { Stoppings } from './stoppings.ts';

export type Cancelling = {
  /**
   * The chat's next question, at every helper of this store, waits until `done`, which never rejects. Resolves once the
   * others can know: before that no end is written, after which a next question may be asked.
   */
  hold(chatId: string, done: Promise<unknown>): Promise<void>;
  /** Does something that the chat's next question waits for, once the others can know. @returns what `act` gave */
  during<T>(chatId: string, act: () => Promise<T>): Promise<T>;
  /** Resolves once what is held of this chat is done, here and elsewhere. */
  quiet(chatId: string): Promise<void>;
  /** Something is held. */
  readonly isBusy: boolean;
  /**
   * Stops an answer that another helper reads, or has not asked for yet; it is listened to here until it is over.
   *
   * @param may asked before the agent is told, once the others can know: whether there is something to stop
   * @returns what `may` gave
   */
  stopUnread(chatId: string, may?: () => Promise<boolean>): Promise<boolean>;
};

const waitsMs = [0, 500, 1500];
/** How long an agent that was told may still write. */
export const afterCancelMs = 5_000;

/** Tells the agent to stop, more than once if need be. @param isOver the answer has ended by itself */
export async function tellToStop(
  { chat, log }: { chat: AgentChat; log: Log },
  chatId: string,
  isOver: () => boolean,
): Promise<void> {
  for (const waitMs of waitsMs) {
    if (waitMs > 0) await sleep(waitMs);
    if (waitMs > 0 && isOver()) return;
    try {
      return await chat.cancel(chatId);
    } catch (error) {
      log.warn(toLogFields(error), 'the agent could not be told to stop');
    }
  }
}

export function createCancelling(parts: { chat: AgentChat; log: Log }, stoppings: Stoppings): Cancelling {
  const held = new Map<string, Promise<void>>();

  const hold = (chatId: string, done: Promise<unknown>) => {
    const noted = stoppings.note(chatId);
    const all = Promise.all([held.get(chatId), noted, done]).then(async () => {
      if (held.get(chatId) !== all) return;
      await stoppings.forget(chatId);
      if (held.get(chatId) === all) held.delete(chatId);
    });
    held.set(chatId, all);
    return noted;
  };
  const stop = async (chatId: string) => {
    let isOver = false;
    let connection: { abort(): void } | undefined;
    const over = new Promise<void>((resolve) => {
      const onEnd = () => {
        isOver = true;
        resolve();
      };
      const sink: AnswerSink = { onLife() {}, onFrame() {}, onFlush() {}, onEnd };
      connection = parts.chat.subscribe(chatId, sink);
    });
    await tellToStop(parts, chatId, () => isOver);
    await Promise.race([over, sleep(afterCancelMs)]);
    connection?.abort();
  };
  return {
    hold,
    async during(chatId, act) {
      let begin = () => {};
      const acting = new Promise<void>((resolve) => {
        begin = resolve;
      }).then(act);
      await hold(
        chatId,
        acting.catch(() => {}),
      );
      begin();
      return acting;
    },
    async quiet(chatId) {
      await held.get(chatId);
      await stoppings.quietElsewhere(chatId);
    },
    get isBusy() {
      return held.size > 0;
    },
    async stopUnread(chatId, may = async () => true) {
      let begin = (_: boolean) => {};
      const begun = new Promise<boolean>((resolve) => {
        begin = resolve;
      });
      await hold(
        chatId,
        begun.then((isWanted) => (isWanted ? stop(chatId) : undefined)),
      );
      let isWanted = false;
      try {
        isWanted = await may();
      } finally {
        begin(isWanted);
      }
      return isWanted;
    },
  };
}
