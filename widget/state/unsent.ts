/** What was sent before it was known who is there, kept in this tab alone: a reload gives it back as a draft, unsent. */
import type { Who } from './happening.ts';

const entry = 'porchlight-unsent';

/** `until`, in ms since 1970: nobody knew who had typed it, and nobody signs out and another one in as fast as that. */
type Kept = { text: string; who?: string; until?: number };

const unsureMs = 30_000;

export type Unsent = {
  /** @param who whose it is; undefined: whoever turns out to be there @param isUnsure it is whose it was, if for a moment */
  keep(text: string, who: Who, isUnsure: boolean): void;
  /** It is on its way, or given up. */
  forget(): void;
  /** What was left here before the page was loaded, once, if it may be `who`'s. */
  take(who: Who): string | undefined;
};

/** @param key of this helper's bot @param readStorage may throw at every touch */
export function createUnsent(key: string, readStorage: () => Storage = () => sessionStorage): Unsent {
  const name = `${entry} ${key}`;
  let left: Kept | undefined;
  const forget = () => {
    try {
      readStorage().removeItem(name);
    } catch {}
  };
  try {
    left = JSON.parse(readStorage().getItem(name) ?? 'null') ?? undefined;
  } catch {}
  return {
    keep(text, who, isUnsure) {
      left = undefined;
      const until = isUnsure ? Date.now() + unsureMs : undefined;
      try {
        readStorage().setItem(name, JSON.stringify({ text, who, until }));
      } catch {}
    },
    forget,
    take(who) {
      const found = left;
      if (!found) return undefined;
      left = undefined;
      forget();
      const isTheirs =
        (found.who === undefined || found.who === who) && !(found.until && found.until < Date.now());
      return isTheirs && typeof found.text === 'string' ? found.text : undefined;
    },
  };
}
