/** How much may be asked before somebody has to wait: each number an option, against who asks so much that it costs. */

/** Whole numbers from 1. Each process counts for itself, and begins anew with its start, unless the store counts for all. */
export type Allowances = {
  /** Questions and decisions of one visitor, a minute. Default 20. */
  visitorPerMinute: number;
  /** Those of one address (of IPv6: /64), a minute; more of it is more of all that an address may do. Default 120. */
  addressPerMinute: number;
  /** Questions of all guests together, a minute. Default half of `sitePerMinute`, all of it where nobody can sign in. */
  guestsPerMinute: number;
  /** Questions of all guests in 24 hours. Default half of `sitePerDay`, all of it where nobody can sign in. */
  guestsPerDay: number;
  /** Questions of all visitors, a minute. Default 600. */
  sitePerMinute: number;
  /** Questions of all visitors in 24 hours, counted from the first. Default 50,000. */
  sitePerDay: number;
  /** Answers of one visitor that run at once. Default 5. */
  runningTurns: number;
  /** Streams of one visitor that are open at once. Default 20. */
  openReaders: number;
};

export const usualAddressPerMinute = 120;
const defaults = {
  visitorPerMinute: 20,
  addressPerMinute: usualAddressPerMinute,
  sitePerMinute: 600,
  sitePerDay: 50_000,
  runningTurns: 5,
  openReaders: 20,
};

export const allowanceNames = [...Object.keys(defaults), 'guestsPerMinute', 'guestsPerDay'];

/** @param canSignIn guests leave half of what all may ask to customers */
export function toAllowances(given: Partial<Allowances>, canSignIn: boolean): Allowances {
  const all = { ...defaults, ...given };
  const share = (count: number) => (canSignIn ? Math.ceil(count / 2) : count);
  return { guestsPerMinute: share(all.sitePerMinute), guestsPerDay: share(all.sitePerDay), ...all };
}
