/** Questions that are on their way when their conversation is left: kept over reloads, and sent on. */
import type { ArrivingDeps } from './arriving.ts';
import type { PendingQuestion } from './memory.ts';

export type Leaving = ReturnType<typeof createLeaving>;

export function createLeaving(deps: ArrivingDeps) {
  const { memory } = deps;
  /** Ends with the visitor: what arrives meanwhile is asked as this one's. */
  let visit = new AbortController();
  const arrive = () => {
    if (memory.read().leaving)
      import('../rare.ts').then(
        (part) => part.arrive(deps, visit.signal),
        // Kept, and taken up on the next page.
        () => {},
      );
  };
  return {
    /** Goes on with what was left. */
    arrive,
    leave(question: PendingQuestion) {
      memory.change({ leaving: [...(memory.read().leaving ?? []), question] });
      arrive();
    },
    /** Another visitor. */
    end() {
      visit.abort();
      visit = new AbortController();
    },
  };
}
