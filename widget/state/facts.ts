/** What can be asked of what the identity machine knows: who is there, whose words those are. Pure. */
import type { WidgetCode } from '../errors.ts';
import { beforeAll } from './clock.ts';
import { type Around, type Identity, type Source, unknown, unnamed, type Who } from './happening.ts';

/** Nothing of anybody is on screen any more. */
export const nobodyShown = {
  shown: undefined,
  givenTo: undefined,
  typists: [],
  veiled: false,
  expired: false,
} satisfies Partial<Identity>;

/** Who would be there, by what the page said. */
export function readWho(source: Source): Who {
  return source.kind === 'token' ? source.subject : undefined;
}

/** Whom the page named, and when. Where it named nobody, any other page's word is later. */
export function toFirstWord({ source, saidAt }: Identity): { who: Who; at: number } {
  const who = readWho(source);
  return { who, at: who ? saidAt : beforeAll };
}

/** Who is there as far as this page knows: whose things are on screen, who has come after it, or whom it named. */
export function toOwnWho({ phase, shown, typists, source }: Identity): Who {
  if (phase === 'settled') return shown?.who;
  return phase === 'superseded' ? typists[0] : readWho(source);
}

/** Whose hour is over, here and at the site: nobody signed out. */
export function findEnded({ expired, shown }: Identity, who: Who): Who {
  return who === undefined && expired && !shown?.isGuest ? shown?.who : undefined;
}

export function shows({ shown }: Identity, who: Who): boolean {
  return shown !== undefined && shown.subject === who;
}

export function tokenOf(source: Source): string | undefined {
  return source.kind === 'token' ? source.token : undefined;
}

/** Whether both are for the same session: of a function nobody knows before it has answered. */
export function isSameSource(one: Source, other: Source): boolean {
  if (one.kind === 'callback' || other.kind === 'callback') return false;
  return tokenOf(one) === tokenOf(other) || (readWho(one) !== undefined && readWho(one) === readWho(other));
}

/** At rest, the page has named somebody, or a function that does, and names another now. */
export function isNamedAnew({ phase, source }: Identity, next: Source): boolean {
  const isOther =
    source.kind === 'token'
      ? readWho(next) !== source.subject
      : source.kind === 'callback' && next.kind !== 'callback';
  return phase === 'rest' && isOther;
}

/** The guest on screen is the one that all tabs share, and was and is nobody else. */
export function isSameGuest({ shown, givenTo }: Identity, kept: Around['kept'], who: Who): boolean {
  return (
    shown?.isGuest === true &&
    (kept?.subject === shown.subject ||
      kept?.was?.includes(shown.subject) === true ||
      kept?.subject === (givenTo ?? shown.who ?? unknown)) &&
    [givenTo, shown.who].every((one) => one === undefined || one === who)
  );
}

/** The guest on screen is there for one whose token was refused before. */
export function isRefusedGuest({ shown, openedFor }: Identity): boolean {
  return shown?.isGuest === true && shown.who !== undefined && shown.who === openedFor;
}

/** Another tab's token was taken meanwhile: the place of the guest on screen is the visitor's own. */
export function isTaken({ phase, shown }: Identity, kept: Around['kept']): boolean {
  return (
    phase === 'settled' && shown?.isGuest === true && shown.who !== undefined && kept?.subject === shown.who
  );
}

/** Two tabs began at once, and one guest is enough; or this one's place was another's meanwhile, and went with that one. */
export function isSecondGuest({ offered }: Identity, kept: Around['kept'], subject: string): boolean {
  return (
    kept !== undefined && kept.subject !== offered && (kept.subject !== undefined || subject === offered)
  );
}

/** What is kept is still of the one on screen: all may have been cleared, and another have begun. */
export function isTheirs(state: Identity, kept: Around['kept']): boolean {
  const { shown, source } = state;
  if (shown?.isGuest) return isSameGuest(state, kept, readWho(source));
  return (
    !shown || (kept !== undefined && kept.who === (state.phase === 'settled' ? shown.who : readWho(source)))
  );
}

/** A guest's words are whoever's who signs in; what is on screen is not lost because its page was out of reach. */
export function isTypedBy({ typists, shown }: Identity, who: Who): boolean {
  return typists.every(
    (typist) =>
      typist === undefined ||
      typist === who ||
      (typist === unnamed && who === undefined) ||
      ([unknown, unnamed].includes(typist) && shown !== undefined && shown.who === who),
  );
}

/** What the guest on screen said is this one's: the session came with the token, or the guest was there for this one. */
export function isGivenTo({ shown, givenTo }: Identity, kept: Around['kept'], subject: string): boolean {
  return (
    shown?.isGuest === true && (kept?.subject === shown.subject || [givenTo, shown.who].includes(subject))
  );
}

/** Where guests are not admitted, one whose token is past its time is no stranger: the page has a fresh one to give. */
export function toCode({ refusal }: Identity, { code }: { code: WidgetCode }): WidgetCode {
  return code === 'sign-in-required' && refusal === 'sso-token-expired' ? refusal : code;
}

/** Whose is what is typed now, by what the page said. */
export function toTypist({ source, typists, named, veiled }: Identity): Who {
  const who = source.kind === 'callback' ? named : readWho(source);
  const isUnsure = veiled && source.kind === 'callback';
  return isUnsure || typists.some((one) => one !== who) ? unknown : who;
}

/** Notes what the page answered, or that it did not. @returns whether it was the latest question */
export function noteAnswer(state: Identity, ticket: number, answer: Identity['answer']): boolean {
  const nobody = ticket > state.leftTicket ? undefined : unnamed;
  const named = answer ? answer.subject : unknown;
  const isLatest = ticket === state.ticket && !state.earlier.includes(ticket);
  if (isLatest) Object.assign(state, { answer, isUnanswered: !answer, named });
  else if (state.earlier.includes(ticket)) state.typists = [...state.typists, named ?? nobody];
  state.earlier = state.earlier.filter((one) => one !== ticket);
  return isLatest;
}
