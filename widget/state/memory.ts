/** What survives a reload, in this site's localStorage: nothing is written before the visitor's first act. */
import type { TurnRequest } from '../../server-helper/protocol/wire.ts';
import type { WidgetCode } from '../errors.ts';
import type { Around } from './happening.ts';
import { toClaimed } from './subject.ts';

/** A question that the helper has not been seen to accept. */
export type PendingQuestion = {
  conversationId: string;
  turnId: string;
  question: TurnRequest;
  /** It was refused: it is sent again by a click alone. */
  code?: WidgetCode;
};

export type Remembered = {
  /** Whose conversation this is, hashed. */
  subject?: string;
  /** Who is signed in, as pages of this site said last, hashed; absent: nobody. */
  who?: string;
  /** When they said so, in ms since 1970. */
  said?: number;
  /** They say it by the tag: a page whose tag says nothing is a sign-out. */
  tag?: boolean;
  /** A guest's session, renewable for 30 days. One who signed in brings a token instead. */
  session?: string;
  conversationId?: string;
  open?: boolean;
  pending?: PendingQuestion;
};

export type Memory = {
  read(): Remembered;
  /** What all tabs share about who is there; undefined before the first use. */
  readKept(): Around['kept'];
  /** Of another visitor than this tab's, only `open` is changed. */
  change(change: { [K in keyof Remembered]?: Remembered[K] | undefined }): void;
  /** Pages say now that this one is there: what an earlier one left goes, but a guest may be about to sign in. */
  claim(who: string | undefined, at: number, tag: boolean): void;
  /** Whose conversation it is from now on: an earlier one's goes, unless the guest became this visitor. */
  setIdentity(subject: string, guestSession: string | undefined, at: number, tag: boolean): void;
  /** False once the browser has refused to keep something. */
  readonly keeps: boolean;
};

/** @param storage may throw at every touch: blocked, full, private */
export function createMemory(key: string, readStorage: () => Storage = () => localStorage): Memory {
  let keeps = true;
  let cache: Remembered | undefined;
  let own: string | undefined;

  const read = (): Remembered => {
    if (keeps || cache === undefined) {
      try {
        cache = readRemembered(readStorage().getItem(key));
      } catch {
        keeps = false;
        cache ??= {};
      }
    }
    return cache;
  };
  const write = (next: { [K in keyof Remembered]?: Remembered[K] | undefined }) => {
    const filled = Object.entries(next).filter(([, value]) => value !== undefined && value !== false);
    cache = Object.fromEntries(filled);
    try {
      if (filled.length === 0) readStorage().removeItem(key);
      else readStorage().setItem(key, JSON.stringify(cache));
    } catch {
      keeps = false;
    }
  };
  return {
    read,
    readKept() {
      const { subject, who, said } = read();
      // A word from the future was noted before the clock was set back: any word is later.
      return said === undefined ? undefined : { subject, who, saidAt: said > Date.now() ? 0 : said };
    },
    change(changes) {
      const before = read();
      if (own === undefined || before.subject === own) write({ ...before, ...changes });
      else if ('open' in changes) write({ ...before, open: changes.open });
    },
    claim(who, at, tag) {
      write(toClaimed(read(), who, at, tag));
    },
    setIdentity(subject, session, said, tag) {
      const who = session === undefined ? subject : undefined;
      const before = toClaimed(read(), who, said, tag);
      // A guest whose session is another's now, or over, is another guest.
      const isOther = who === undefined && before.subject !== subject;
      own = subject;
      write({ ...(isOther ? { open: before.open, said, tag } : before), subject, session });
    },
    get keeps() {
      return keeps;
    },
  };
}

/** Whatever somebody wrote there: only what has the right shape is taken. */
function readRemembered(text: string | null): Remembered {
  if (text === null) return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return {};
  }
  if (typeof value !== 'object' || value === null) return {};
  const { subject, who, said, tag, session, conversationId, open, pending } = value as Record<
    string,
    unknown
  >;
  const remembered: Remembered = {};
  if (typeof subject === 'string') remembered.subject = subject;
  if (typeof who === 'string') remembered.who = who;
  if (typeof said === 'number') remembered.said = said;
  if (tag === true) remembered.tag = true;
  if (typeof session === 'string') remembered.session = session;
  if (typeof conversationId === 'string') remembered.conversationId = conversationId;
  if (typeof open === 'boolean') remembered.open = open;
  const question = pending as PendingQuestion | undefined;
  if (typeof question?.turnId === 'string' && typeof question.question?.text === 'string')
    remembered.pending = question;
  return remembered;
}
