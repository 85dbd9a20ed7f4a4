/** Tells the page what it has asked to be told. */
import type { PorchlightApi, PorchlightEvents } from './public.ts';

export function createEvents() {
  const listeners = new Map<string, Set<(detail: never) => void>>();
  const on: PorchlightApi['on'] = (event, listener) => {
    const all = listeners.get(event) ?? new Set();
    listeners.set(event, all.add(listener as (detail: never) => void));
    return () => void all.delete(listener as (detail: never) => void);
  };
  const emit = <E extends keyof PorchlightEvents>(event: E, detail: PorchlightEvents[E]) => {
    for (const listener of listeners.get(event) ?? []) {
      try {
        (listener as (detail: PorchlightEvents[E]) => void)(detail);
      } catch (error) {
        // The page's own mistake is told as the page's own, and stops nothing here.
        reportError(error);
      }
    }
  };
  return { on, emit };
}
