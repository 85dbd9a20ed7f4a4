/** What survives a reload, in this site's localStorage: nothing is written before the visitor's first act. */
import type { TurnRequest } from '../../server-helper/protocol/wire.ts';

/** A question that the helper has not been seen to accept. */
export type PendingQuestion = { conversationId: string; turnId: string; question: TurnRequest };

export type Remembered = {
  /** Whose conversation this is. */
  subject?: string;
  /** A guest's session, renewable for 30 days. One who signed in brings a token instead. */
  session?: string;
  conversationId?: string;
  open?: boolean;
  pending?: PendingQuestion;
};

export type Memory = {
  read(): Remembered;
  change(change: { [K in keyof Remembered]?: Remembered[K] | undefined }): void;
  /** Another subject than before: all that belonged to the earlier one goes, unless the guest became this visitor. */
  setIdentity(subject: string, guestSession: string | undefined): void;
  clear(): void;
  /** False once the browser has refused to keep something. */
  readonly keeps: boolean;
};

/** @param storage may throw at every touch: blocked, full, private */
export function createMemory(key: string, readStorage: () => Storage = () => localStorage): Memory {
  let keeps = true;
  let cache: Remembered | undefined;

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
  const write = (next: Remembered) => {
    cache = next;
    try {
      if (Object.keys(next).length === 0) readStorage().removeItem(key);
      else readStorage().setItem(key, JSON.stringify(next));
    } catch {
      keeps = false;
    }
  };
  const change: Memory['change'] = (changes) => {
    const next = { ...read(), ...changes };
    for (const name of Object.keys(next) as (keyof Remembered)[])
      if (next[name] === undefined) delete next[name];
    write(next as Remembered);
  };

  return {
    read,
    change,
    setIdentity(subject, guestSession) {
      const before = read();
      const becameKnown = before.session !== undefined && guestSession === undefined;
      if (before.subject !== undefined && before.subject !== subject && !becameKnown)
        write(before.open === undefined ? {} : { open: before.open });
      change({ subject, session: guestSession });
    },
    clear: () => write({}),
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
  const { subject, session, conversationId, open, pending } = value as Record<string, unknown>;
  const remembered: Remembered = {};
  if (typeof subject === 'string') remembered.subject = subject;
  if (typeof session === 'string') remembered.session = session;
  if (typeof conversationId === 'string') remembered.conversationId = conversationId;
  if (typeof open === 'boolean') remembered.open = open;
  const question = pending as PendingQuestion | undefined;
  if (typeof question?.turnId === 'string' && typeof question.question?.text === 'string')
    remembered.pending = question;
  return remembered;
}
