/** The words of the identity machine: what it knows, what can happen to it, and what is then to be done. */
import type { WidgetCode } from '../errors.ts';

/** What the page said last. `unsaid`: it has not spoken yet. */
export type Source =
  | { kind: 'unsaid' | 'nobody' | 'callback' }
  | { kind: 'token'; token: string; subject: string | undefined };

/** An identified subject; undefined is nobody in particular: a guest. */
export type Who = string | undefined;

export type Phase = 'rest' | 'waiting' | 'asking' | 'opening' | 'settled' | 'stuck' | 'superseded';

export type Identity = {
  source: Source;
  /** When the page said so: of all tabs the last word counts. Milliseconds since 1970. */
  saidAt: number;
  /** As `Around` had it last, and by how much the wall clock was set back since this page was read, in ms. */
  clock: number;
  setBackMs: number;
  /**
   * `rest`: the visitor has not acted. `waiting`: for a page that has not spoken. `superseded`: another page of the
   * site says that somebody is there whom this one cannot be.
   */
  phase: Phase;
  /** Counts up with each thing asked: a late reply to an earlier one changes nothing. */
  ticket: number;
  /** Whose things are on screen, and whose session is held. `who`: as pages say, a guest's token that was refused too. */
  shown: { subject: string; isGuest: boolean; who: Who } | undefined;
  /** While nobody is shown: whose may be what was typed since the first act. */
  typists: readonly Who[];
  /** Of these, the questions to the page that it has not answered yet. */
  earlier: readonly number[];
  /** What it answered to the latest, until those are answered too. */
  answer: { token: string | undefined; subject: string | undefined } | undefined;
  /** Whom it named last, until it is asked again. */
  named: Who;
  /** Whom all tabs were told to be there, as far as this one knows. */
  told: Who;
  /** Its last answer did not come. */
  isUnanswered: boolean;
  /** Whose place was kept when a session was asked for. */
  offered: string | undefined;
  /** Who a session was asked for, as the page said. */
  openedFor: Who;
  /** Why the token of that one was refused. */
  refusal: WidgetCode | undefined;
  /** To whom the helper may have moved what the guest on screen said. */
  givenTo: Who;
  /** What is on screen may be somebody else's: it stays, unseen, until that is known. */
  veiled: boolean;
  /** How often that was so. */
  veils: number;
  /** The tab was left since the page was asked last. */
  isLeft: boolean;
  /** Up to this ticket: what is answered now may have been looked up after the tab was left. */
  leftTicket: number;
  /** The session's hour is over. */
  expired: boolean;
  /** The helper refused a token: the page is asked for a fresh one once. */
  refusedOnce: boolean;
  failures: number;
};

export type Happening =
  | { what: 'said'; source: Source; at: number }
  /** The visitor's first act, or another try. */
  | { what: 'begin' }
  /** The tab is left: from here on its visitor may become another. */
  | { what: 'left' }
  /** The tab is seen again, or the panel opened. */
  | { what: 'seen' }
  /** What was kept is gone: many sites clear their storage at sign-out. */
  | { what: 'lost' }
  /** Another tab: `ask` when its page has spoken and only asking tells who is there. */
  | { what: 'told'; who: Who; ask: boolean; at: number }
  | { what: 'answered'; ticket: number; token: string | undefined; subject: string | undefined }
  | { what: 'failed'; ticket: number }
  | { what: 'opened'; ticket: number; subject: string; isGuest: boolean }
  /** `mayPass`: nobody refused it, the helper was out of reach. */
  | { what: 'refused'; ticket: number; code: WidgetCode; mayPass: boolean }
  | { what: 'expired' }
  | { what: 'silent'; ticket: number }
  | { what: 'again'; ticket: number };

/**
 * `isReset`: it is the same guest, whose session is not known any more, and nothing of whom is forgotten. `isTheirs`: all
 * that was sent under a veil is by the one who comes. `ended`: whose sign-in ended by its time, and may be back soon.
 */
export type Departure = { isReset: boolean; isTheirs: boolean; ended?: Who };

/** Why one who was signed in, or means to be, is a guest. */
export type GuestReason = 'token-refused' | 'sign-in-ended' | undefined;

export type Todo =
  | { do: 'ask' | 'wait'; ticket: number }
  | { do: 'open'; ticket: number; token: string | undefined; reason: GuestReason }
  | { do: 'retry'; ticket: number; failures: number }
  /** Shows and holds nothing of the earlier visitor any more. */
  | ({ do: 'drop'; closes: boolean } & Departure)
  /** What is kept belongs to this one from now on: an earlier one's goes. */
  | { do: 'claim'; who: Who; at: number }
  | { do: 'tell'; who: Who; ask: boolean; at: number }
  | { do: 'settle'; at: number }
  | { do: 'resume' }
  | { do: 'refuse'; code: WidgetCode };

/** What the machine sees around it. */
export type Around = {
  now: number;
  /** By how much the wall clock is ahead of the monotonic one, in ms: less than before when it was set back. */
  clock: number;
  /** The panel is open. */
  isOpen: boolean;
  /** Something of the visitor's can be seen: the panel is open, or this is a dock. */
  isShown: boolean;
  /** What all tabs share, once the chat was used: whose place is kept, and who is there as pages said last. */
  kept: { subject: string | undefined; who: Who; saidAt: number; was?: string | undefined } | undefined;
};

/** No subject is called so. */
export const unknown = '?';
/** Nobody, by a late answer: perhaps somebody who has signed out since. */
export const unnamed = '??';

/** @param clock as `Around` has it */
export function createIdentity(source: Source, saidAt: number, clock: number): Identity {
  return {
    source,
    saidAt,
    clock,
    setBackMs: 0,
    phase: 'rest',
    ticket: 0,
    shown: undefined,
    typists: [],
    earlier: [],
    answer: undefined,
    named: unknown,
    told: unknown,
    isUnanswered: false,
    offered: undefined,
    openedFor: undefined,
    refusal: undefined,
    givenTo: undefined,
    veiled: false,
    veils: 0,
    isLeft: false,
    leftTicket: 0,
    expired: false,
    refusedOnce: false,
    failures: 0,
  };
}
