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

/** Two helpers may stop answers of one chat: one that heard the Stop, and one that ran the answer. */
const slots = [0, 1];

type Note = {
  /** What is being written, one thing after the other. */
  last: Promise<void>;
  /** Which of them is ours, once it is. */
  key: string | undefined;
  /** Says it again. */
  timer: ReturnType<typeof setInterval> | undefined;
};

/** @param runner this helper */
export function createStoppings(store: Store, log: Log, runner: string): Stoppings {
  const notes = new Map<string, Note>();
  const toKeys = (chatId: string) => slots.map((slot) => `stopping:${chatId}:${slot}`);
  const doNext = (note: Note, act: () => Promise<void>): Promise<void> => {
    note.last = note.last
      .then(() => within(act(), mostWriteMs))
      .catch((error: unknown) => log.warn(toLogFields(error), 'other helpers may not know of a stop'));
    return note.last;
  };
  const write = (chatId: string, note: Note) =>
    doNext(note, async () => {
      if (note.key !== undefined) return store.replace(note.key, runner, lifeMs);
      for (const key of toKeys(chatId))
        if ((await store.remember(key, runner, lifeMs)) === runner) {
          note.key = key;
          return;
        }
    });

  return {
    note(chatId) {
      const note: Note = notes.get(chatId) ?? { last: Promise.resolve(), key: undefined, timer: undefined };
      notes.set(chatId, note);
      note.timer ??= setInterval(() => void write(chatId, note), renewMs).unref();
      return write(chatId, note);
    },
    async forget(chatId) {
      const note = notes.get(chatId);
      if (!note) return;
      clearInterval(note.timer);
      note.timer = undefined;
      await doNext(note, async () => {
        const { key } = note;
        note.key = undefined;
        if (key !== undefined) await store.forget(key);
      });
      if (!note.timer) notes.delete(chatId);
    },
    async quietElsewhere(chatId) {
      for (let waited = 0; waited < mostWaitMs; waited += lookMs) {
        const noted = await Promise.all(toKeys(chatId).map((key) => store.recall(key))).catch(() => []);
        if (noted.every((by) => by === undefined || by === runner)) return;
        await sleep(lookMs);
      }
    },
  };
}
