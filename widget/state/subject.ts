/** Tells one visitor from another by what a token says, and notes it in this browser; only the helper can trust it. */
import { beforeAll } from './clock.ts';
import type { Place, Stored } from './memory.ts';

/** The storage entry and the channel of the origin: all its chats share who is there. */
export const sharedKey = 'porchlight';

/**
 * The subject of an SSO token, as the helper derives it, hashed: what is kept and told to other tabs names nobody.
 *
 * @returns undefined when it cannot be read: the helper refuses such a token
 */
export function toSubject(ssoToken: string): string | undefined {
  try {
    const { external_id, sub = null, email } = readClaims(ssoToken);
    const id = external_id ?? sub;
    return toHash(
      id === null
        ? `email:${(email as string).replace(/[A-Z]/g, (letter) => letter.toLowerCase())}`
        : `external:${id}`,
    );
  } catch {
    return undefined;
  }
}

/** Of a JWT. @throws when it is none */
export function readClaims(jwt: string): Record<string, unknown> {
  const base64 = (jwt.split('.')[1] as string).replace(/-/g, '+').replace(/_/g, '/');
  return JSON.parse(decodeURIComponent(escape(atob(base64))));
}

type Navigation = PerformanceNavigationTiming & { deliveryType?: string };

/**
 * A page whose body came out of a cache, as it may at Back, or was fetched before it was wanted: what it says may be of
 * before. Sent, it is 300 and more.
 */
function readOldPage(): Navigation | undefined {
  const [page] = performance.getEntriesByType('navigation') as Navigation[];
  return page && (page.deliveryType || page.transferSize - page.encodedBodySize < 300) ? page : undefined;
}

/** Until an old page has loaded, the browser takes replies to its calls from the cache too, however old they are. */
export async function untilFresh(): Promise<void> {
  if (!readOldPage() || document.readyState === 'complete') return;
  await new Promise((resolve) => addEventListener('load', resolve));
  await new Promise((resolve) => setTimeout(resolve));
}

/**
 * When a page said who is there. What is written into an old page says what was so when its token was made; of a fresh
 * page that is not asked, for the two clocks may differ.
 *
 * @param at when it was heard, in ms since 1970
 * @param isTag by the tag, which is written into its page
 * @param last when it was said last, as is kept here
 */
export function toSaidAt(userToken: unknown, at: number, isTag: boolean, last = at): number {
  // It answers as of when it is asked, on an old page too.
  if (typeof userToken === 'function') return at;
  const page = readOldPage();
  const loadedAt = page?.loadEventStart;
  if (!page || (!isTag && loadedAt && at > performance.timeOrigin + loadedAt)) return at;
  try {
    return Math.min(at, Number(readClaims(userToken as string).iat) * 1000 || at);
  } catch {
    // What a service worker makes has no size, be it new or old: no sign-out goes unheard. It is the latest word, and no
    // later than that: the next token is dated by the server's clock.
    if (page.workerStart && page.type !== 'back_forward') return Math.min(at, last + 1);
    // That nobody is there has no date: any other word is later, unless the server said that the page is still so.
    return page.deliveryType || !page.transferSize ? beforeAll : at;
  }
}

/** Two runs of FNV-1a, without waiting and on plain-http pages too, where the browser's own hashes are missing. */
export function toHash(text: string): string {
  let one = 0x811c9dc5;
  let two = 0x1b873593;
  for (let at = 0; at < text.length; at += 1) {
    one = Math.imul(one ^ text.charCodeAt(at), 0x01000193);
    two = Math.imul(two ^ text.charCodeAt(at), 0x85ebca6b);
    two ^= two >>> 13;
  }
  return (one >>> 0).toString(36) + (two >>> 0).toString(36);
}

/** How the chat looks in this browser, whoever is there. */
export const toLook = ({ open, wide }: Place): Place => ({ open, wide }) as Place;

/**
 * What is kept once pages say that `who` is there: what an earlier one left goes. A guest's place stays for whoever
 * signs in next, and for nobody after that one.
 */
export function toClaimed(kept: Stored, who: string | undefined, said: number, tag: boolean): Stored {
  const chats = Object.entries(kept.chats ?? {}).map(([key, place]) => {
    const isTheirs = place.session ? (kept.who ?? who) === who : who !== undefined && place.subject === who;
    return [key, isTheirs ? place : toLook(place)];
  });
  return { chats: Object.fromEntries(chats), who, said, tag } as Stored;
}

/** What was written before anybody was known is of the first who is, and of nobody after that one. */
export const toNamed = <Kept extends { who?: string | undefined; until?: number | undefined }>(
  all: readonly Kept[],
  who: string | undefined,
): Kept[] => all.map((one) => (!who || one.who || one.until ? one : { ...one, who }));
