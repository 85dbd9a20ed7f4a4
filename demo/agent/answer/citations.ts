/** The citations in an answer as it streams: each passage becomes a source when its number is first read. */

import type { CitedSource } from '../store/messages.ts';

export function createCitations(available: readonly CitedSource[], tell: (sources: CitedSource[]) => void) {
  const cited = new Set<number>();
  /** A marker may be cut between deltas. */
  let tail = '';
  return {
    read(delta: string) {
      const text = tail + delta;
      const before = cited.size;
      for (const [, number] of text.matchAll(/\[(\d{1,3})\]/g)) {
        if (available[Number(number) - 1]) cited.add(Number(number));
      }
      tail = text.slice(-4);
      if (cited.size > before) tell(available.filter(({ citation_number }) => cited.has(citation_number)));
    },
  };
}
