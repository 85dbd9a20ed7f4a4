/** Which chats have an answer that is being stopped: noted in the store, so that every helper on it knows. */
import { type Log, toLogFields } from '../log.ts';
import type { Store } from '../store/store.ts';
import { sleep, within } from '../within.ts';

export type Stoppings = {
  /** Resolves once it is written, or the store takes too long: a Stop does not wait for that. Never rejects. */
  note(chatId: string): Promise<void>;
  forget(chatId: string): Promise<void>;
  /** Resolves once no other helper stops an answer of this chat. */
  quietElsewhere(chatId: string): Promise<void>;
};

/** A helper that is gone says nothing any more. */
const lifeMs = 6_000;
const renewMs = 2_000;
const mostWriteMs = 1_000;
const lookMs = 100;
/** Nobody takes longer to stop an answer. */
const mostWaitMs = 30_000;

/** @param runner this helper */
export function createStoppings(store: Store, log: Log, runner: string): Stoppings {
  /** What is being written of each chat, one thing after the other, and what says it again. */
  const notes = new Map<string, { last: Promise<void>; timer: ReturnType<typeof setInterval> | undefined }>();
  const toKey = (chatId: string) => `stopping:${chatId}`;
  const doNext = (chatId: string, act: () => Promise<void>): Promise<void> => {
    const note = notes.get(chatId) ?? { last: Promise.resolve(), timer: undefined };
    notes.set(chatId, note);
    note.last = note.last
      .then(() => within(act(), mostWriteMs))
      .catch((error: unknown) => log.warn(toLogFields(error), 'other helpers may not know of a stop'));
    return note.last;
  };
  const write = (chatId: string) => doNext(chatId, () => store.replace(toKey(chatId), runner, lifeMs));

  return {
    note(chatId) {
      const written = write(chatId);
      const note = notes.get(chatId);
      if (note && !note.timer) {
        note.timer = setInterval(() => void write(chatId), renewMs);
        note.timer.unref();
      }
      return written;
    },
    async forget(chatId) {
      const note = notes.get(chatId);
      clearInterval(note?.timer);
      if (note) note.timer = undefined;
      await doNext(chatId, async () => {
        // Another one's goes on.
        if ((await store.recall(toKey(chatId))) === runner) await store.forget(toKey(chatId));
      });
      if (note && !note.timer) notes.delete(chatId);
    },
    async quietElsewhere(chatId) {
      for (let waited = 0; waited < mostWaitMs; waited += lookMs) {
        const by = await store.recall(toKey(chatId)).catch(() => undefined);
        if (by === undefined || by === runner) return;
        await sleep(lookMs);
      }
    },
  };
}
