/** What was sent before it was known who is there, kept in this tab alone: a reload gives it back as a draft, unsent. */
import type { Who } from './happening.ts';

const entry = 'porchlight-unsent';

type Kept = { text: string; who?: string };

export type Unsent = {
  /** @param who whose it is; undefined: whoever turns out to be there */
  keep(text: string, who: Who): void;
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
    keep(text, who) {
      left = undefined;
      try {
        readStorage().setItem(name, JSON.stringify({ text, who }));
      } catch {}
    },
    forget,
    take(who) {
      const found = left;
      if (!found) return undefined;
      left = undefined;
      forget();
      const isTheirs = found.who === undefined || found.who === who;
      return isTheirs && typeof found.text === 'string' ? found.text : undefined;
    },
  };
}
