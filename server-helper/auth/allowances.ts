/** How much may be asked before somebody has to wait: each number an option, against who asks so much that it costs. */

/** Whole numbers from 1. Each process counts for itself, and begins anew with its start. */
export type Allowances = {
  /** Questions and decisions of one visitor, a minute. Default 20. */
  visitorPerMinute: number;
  /** Those of one address (of IPv6: /64), a minute. Default 120. */
  addressPerMinute: number;
  /** Those of all guests together, a minute. Default 300. */
  guestsPerMinute: number;
  /** Those of all visitors, a minute. Default 600. */
  sitePerMinute: number;
  /** Those of all visitors in 24 hours, counted from the first. Default 50,000. */
  sitePerDay: number;
  /** Answers of one visitor that run at once. Default 5. */
  runningTurns: number;
  /** Streams of one visitor that are open at once. Default 20. */
  openReaders: number;
};

export const defaultAllowances: Allowances = {
  visitorPerMinute: 20,
  addressPerMinute: 120,
  guestsPerMinute: 300,
  sitePerMinute: 600,
  sitePerDay: 50_000,
  runningTurns: 5,
  openReaders: 20,
};
