/** Lengths of time in ms, and instants as the API writes them. */

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** @param ms since 1970 */
export function toIso(ms: number): string {
  return new Date(ms).toISOString();
}

export const toIsoOrNull = (ms: number | null) => (ms === null ? null : toIso(ms));
