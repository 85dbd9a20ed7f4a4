/** The answer that the newest one took the place of: at hand until something else is asked. Loaded with the first answer. */
import type { Entry } from './entries.ts';

/** Under whose question it was, and which turn took its place. */
export type Former = { nextId: string; question: string | undefined; text: string };

/** Of each visit, and gone with it. */
const formers = new WeakMap<object, Former>();

/** @param visit an object that lives as long as one visitor's visit */
export function keepFormer(visit: object, former: Former): void {
  formers.set(visit, former);
}

export function findFormer(visit: object, { turnId }: Entry): Former | undefined {
  const former = formers.get(visit);
  return former?.nextId === turnId ? former : undefined;
}
