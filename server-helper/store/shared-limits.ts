/** The port to limits that all helpers count together, by the clock of the store. */

/** A token bucket: so many at once, so many a minute. */
export type SharedBucket = { key: string; burst: number; perMinute: number };
/** So many in the 24 hours from the first on. */
export type SharedCount = { key: string; most: number };

export type SharedLimits = {
  /**
   * Takes one of each, or of none where one of them has none left.
   *
   * @returns ms to wait for each bucket and then for each count, 0 where there is one; and what each count has come to
   */
  take(
    buckets: readonly SharedBucket[],
    counts: readonly SharedCount[],
  ): Promise<{ waits: number[]; counts: number[] }>;
  giveBack(buckets: readonly SharedBucket[], counts: readonly SharedCount[]): Promise<void>;
};
