/** The answer that the newest one took the place of: at hand until something else is asked. Loaded with the first answer. */
import type { Source } from '../../server-helper/protocol/wire.ts';
import type { Entry } from './entries.ts';

export type Former = {
  turnId: string;
  question: string | undefined;
  text: string;
  /** What it cites: the newest one has others. */
  sources: readonly Source[];
  /** Which took its place: known once it has been seen. */
  nextId?: string;
};

/** Of each visit, and gone with it. */
const formers = new WeakMap<object, Former>();

/** @param visit an object that lives as long as one visitor's visit */
export function keepFormer(visit: object, former: Former): void {
  formers.set(visit, former);
}

export function findFormer(visit: object, { turnId, request }: Entry): Former | undefined {
  const former = formers.get(visit);
  // Read anew, it has no request any more.
  if (former && request?.replaces === former.turnId) former.nextId = turnId;
  return former?.nextId === turnId ? former : undefined;
}
