/** What can be asked of what the identity machine knows: who is there, whose words those are. Pure. */
import { type Around, type Identity, type Source, unknown, type Who } from './happening.ts';

/** Who would be there, by what the page said. */
export function readWho(source: Source): Who {
  return source.kind === 'token' ? source.subject : undefined;
}

export function isShown({ shown }: Identity, who: Who): boolean {
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

/** The guest on screen is the one that all tabs share, and was and is nobody else. */
export function isSameGuest({ shown, givenTo }: Identity, kept: Around['kept'], who: Who): boolean {
  return (
    shown?.isGuest === true &&
    (kept?.subject === shown.subject || kept?.subject === (givenTo ?? unknown)) &&
    [givenTo, shown.who].every((one) => one === undefined || one === who)
  );
}

/** A guest's words are whoever's who signs in; what is on screen is not lost because its page was out of reach. */
export function isTypedBy({ typists, shown }: Identity, who: Who): boolean {
  return typists.every(
    (typist) => typist === undefined || typist === who || (typist === unknown && shown !== undefined),
  );
}

/** The helper moved what the guest on screen said along: it was this guest's session that came with the token. */
export function isGivenTo({ shown, givenTo }: Identity, kept: Around['kept'], subject: string): boolean {
  return shown?.isGuest === true && (kept?.subject === shown.subject || givenTo === subject);
}

/** Notes what the page answered, or that it did not. @returns whether it was the latest question */
export function noteAnswer(state: Identity, ticket: number, answer: Identity['answer']): boolean {
  const named = answer ? answer.subject : unknown;
  const isLatest = ticket === state.ticket && !state.earlier.includes(ticket);
  if (isLatest) Object.assign(state, { answer, isUnanswered: !answer, named });
  else if (state.earlier.includes(ticket)) state.typists = [...state.typists, named];
  state.earlier = state.earlier.filter((one) => one !== ticket);
  return isLatest;
}
