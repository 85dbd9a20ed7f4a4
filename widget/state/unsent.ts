/** What was sent before it was known who is there, kept in this tab alone: a reload gives it back as a draft, unsent. */
import type { Who } from './happening.ts';
import { toNamed } from './subject.ts';

/**
 * `until`, in ms since 1970: nobody knew who had typed it, and nobody signs out and another one in as fast as that; or it
 * is known, and that one may sign in again.
 */
type Kept = { text: string; who?: Who; until?: number | undefined };

const unsureMs = 30_000;
const leftMs = 60 * unsureMs;
const mostLeft = 5;

/** Two texts as one draft. */
export const join = (...texts: (string | undefined)[]): string => texts.filter(Boolean).join('\n');

export type Unsent = {
  /** @param who whose it is; undefined: whoever turns out to be there @param isUnsure it is whose it was, if for a moment */
  keep(text: string, who: Who, isUnsure: boolean): void;
  /** Who wrote it is not there any more, and may be back soon. */
  keepFor(text: string, who: Who): void;
  /** Pages say by now who is there. @param by whose is what was typed, as far as that is known */
  name(who: Who, by: Who): void;
  /** It is on its way, or given up. */
  empty(): void;
  /** What was left here before the page was loaded, once, if it may be `who`'s. */
  take(who: Who): string | undefined;
};

/** @param key of this helper's bot @param isReload of the page @param readStorage may throw at every touch */
export function createUnsent(
  key: string,
  isReload: () => boolean = () => false,
  readStorage: () => Storage = () => sessionStorage,
): Unsent {
  const name = `porchlight-unsent ${self === top} ${key}`;
  /** From before this page was loaded, oldest first, and from since. */
  let left: readonly Kept[] = [];
  let own: Kept | undefined;
  const write = () => {
    const all = own ? [...left, own] : left;
    try {
      if (all.length > 0) readStorage().setItem(name, JSON.stringify(all));
      else readStorage().removeItem(name);
    } catch {}
  };
  try {
    const kept: unknown = JSON.parse(readStorage().getItem(name) ?? '[]');
    if (Array.isArray(kept)) left = kept.filter((one) => typeof one?.text === 'string').slice(-mostLeft);
  } catch {}
  return {
    keep(text, who, isUnsure) {
      own = { text, who, until: isUnsure ? Date.now() + unsureMs : undefined };
      write();
    },
    keepFor(text, who) {
      left = [...left, { text, who, until: Date.now() + leftMs }];
      write();
    },
    name(who, by) {
      left = toNamed(left, who);
      // Of whom nobody knew, it is not whoever has come meanwhile.
      if (own && (own.until ? by === who && (own.who ?? who) === who : who && !own.who))
        own = { text: own.text, who };
      write();
    },
    empty() {
      own = undefined;
      write();
    },
    take(who) {
      if (left.length === 0) return undefined;
      const theirs = left.filter(
        // Of whom nobody knew, on another page, it may be the next one who is there.
        (one) =>
          (one.who ? one.who === who : !one.until || isReload()) && !(one.until && one.until < Date.now()),
      );
      // What waits for one whose sign-in ended stays while a guest is there, who has nothing of it.
      left = left.filter(({ who: whose, until = 0 }) => !who && whose && until > Date.now() + unsureMs);
      write();
      return join(...theirs.map(({ text }) => text)) || undefined;
    },
  };
}
