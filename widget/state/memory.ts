/** What survives a reload, in this site's localStorage: nothing is written before the visitor's first act. */
import type { TurnRequest } from '../../server-helper/protocol/wire.ts';
import type { WidgetCode } from '../errors.ts';
import { beforeAll, toSaid } from './clock.ts';
import type { Around } from './happening.ts';
import { readPlace, readStored, toFilled } from './stored.ts';
import { sharedKey, toClaimed, toLook } from './subject.ts';

/** A question that the helper has not been seen to accept. */
export type PendingQuestion = {
  conversationId: string;
  turnId: string;
  question: TurnRequest;
  /** It was refused: it is sent again by a click alone. */
  code?: WidgetCode;
  /** The first of its conversation: nobody has that if it does not arrive. */
  isFirst?: boolean;
};

/** Who is there: one truth for all chats of the origin. */
type Shared = {
  /** Who is signed in, as pages of this site said last, hashed; absent: nobody. */
  who?: string;
  /** When they said so, in ms since 1970. */
  said?: number;
  /** They say it by the tag: a page whose tag says nothing is a sign-out. */
  tag?: boolean;
};

/** What one visitor has with one helper's bot. */
export type Place = {
  /** Whose conversation this is, hashed. */
  subject?: string;
  /** A guest's session, renewable for 30 days. One who signed in brings a token instead. */
  session?: string;
  /** The subjects of this guest before, whose sessions the helper does not know any more: other tabs may show such a one. */
  was?: string;
  conversationId?: string;
  open?: boolean;
  /** In the larger window. */
  wide?: boolean;
  pending?: PendingQuestion;
  /** Those that were on their way when their conversation was left for another. */
  leaving?: PendingQuestion[];
  draft?: string;
  /** How thoroughly the agent is to think, as the visitor chose. */
  mode?: string;
  /** The pause on which a decision is under way: its turn, and until when it is open. */
  deciding?: string;
};

export type Remembered = Shared & Place;
/** The one entry in the origin's storage: each place under its helper and bot. */
export type Stored = Shared & { chats?: Record<string, Place> };

export type Memory = {
  read(): Remembered;
  /** What all tabs share about who is there; undefined before the first use. */
  readKept(): Around['kept'];
  /** News of another tab: for a moment it counts as stored, since it may be here before what that tab has stored. */
  hear(who: string | undefined, at: number): void;
  /** Of another visitor than this tab's, only `open` is changed; `open` and `wide` are all tabs'. */
  change(change: { [K in keyof Place]?: Place[K] | undefined }): void;
  /** What is being written, in this tab alone. */
  keepDraft(draft: string): void;
  /** Pages say now that this one is there: what an earlier one left goes, but a guest may be about to sign in. */
  claim(who: string | undefined, at: number, tag: boolean): void;
  /** Whose conversation it is from now on: an earlier one's goes, unless the guest became this visitor. */
  setIdentity(
    subject: string,
    guestSession: string | undefined,
    who: string | undefined,
    at: number,
    tag: boolean,
  ): void;
  /** Nobody's any more: what this tab still knows is not stored again. */
  leave(): void;
  /** It was left open in this tab, and not in another alone. */
  readonly isOpenHere: boolean;
  /** False once the browser has refused to keep something. */
  readonly keeps: boolean;
};

/** Characters: the last four subjects. */
const mostNamed = 60;
/** How long what another tab has stored may take to be seen here, in ms. */
const lagMs = 1_000;

/**
 * @param key of this helper's bot
 * @param readStorage may throw at every touch: blocked, full, private
 * @param readTabStorage of this tab alone: others may be in another conversation, and have questions of their own
 */
export function createMemory(
  key: string,
  readStorage: () => Storage = () => localStorage,
  readTabStorage: () => Storage = () => sessionStorage,
): Memory {
  // A page and the frames in it share the tab's storage, and have a chat each.
  const tabKey = `porchlight-tab ${self === top} ${key}`;
  const openKey = `porchlight-open ${self === top} ${key}`;
  let keeps = true;
  let cache: Stored | undefined;
  let own: string | undefined;
  /** A guest's, as it was written here last. */
  let mine: Place | undefined;
  let heard: { who: string | undefined; at: number; since: number } | undefined;

  const readAll = (): Stored => {
    if (keeps || cache === undefined) {
      try {
        cache = readStored(readStorage().getItem(sharedKey));
      } catch {
        keeps = false;
        cache ??= {};
      }
    }
    const { said } = cache;
    // Else what is written from here would bring the earlier visitor back.
    const isNews = heard && performance.now() - heard.since < lagMs;
    if (heard && isNews && said !== undefined && toSaid(said, Date.now()) < toSaid(heard.at, Date.now()))
      cache = toClaimed(cache, heard.who, heard.at, cache.tag === true);
    return cache;
  };
  const readTab = (place: Place): Place => {
    try {
      const tab = readPlace(JSON.parse(readTabStorage().getItem(tabKey) ?? '{}'));
      if (tab.subject === place.subject || (tab.subject && place.was?.includes(tab.subject))) return tab;
      // Of somebody who is not there any more.
      readTabStorage().removeItem(tabKey);
    } catch {}
    return {};
  };
  const writeTab = (value: unknown, name = tabKey) => {
    try {
      readTabStorage().setItem(name, JSON.stringify(value ?? false));
    } catch {}
  };
  const read = (): Remembered => {
    const { chats, ...shared } = readAll();
    const place = readPlace(chats?.[key]);
    // A tab may know a guest by a former name.
    const { subject, ...tab } = readTab(place);
    return { ...shared, ...place, ...tab };
  };
  const write = ({ chats, ...shared }: Stored) => {
    const places = Object.entries(chats ?? {}).map(([name, place]) => [name, toFilled(place)] as const);
    const filled = Object.fromEntries(places.filter(([, place]) => Object.keys(place).length > 0));
    cache = toFilled({ ...shared, chats: Object.keys(filled).length > 0 && filled }) as Stored;
    try {
      if (Object.keys(cache).length === 0) readStorage().removeItem(sharedKey);
      else {
        const text = JSON.stringify(cache);
        readStorage().setItem(sharedKey, text);
        // Some take all, and keep nothing.
        keeps &&= readStorage().getItem(sharedKey) === text;
      }
    } catch {
      keeps = false;
    }
  };
  const writePlace = (all: Stored, place: { [K in keyof Place]?: Place[K] | undefined }) => {
    mine = all.who === undefined && place.session !== undefined ? (place as Place) : undefined;
    write({ ...all, chats: { ...all.chats, [key]: place as Place } });
  };
  /** The page has cleared all, and the guest is here still. One who is signed in may have signed out by that. */
  const restore = () => {
    if (mine && mine.subject === own && readAll().said === undefined) writePlace({ said: beforeAll }, mine);
  };
  return {
    read,
    readKept() {
      const kept = read();
      const { said: saidAt, subject, who, was } = kept;
      return saidAt === undefined ? undefined : { subject, who, saidAt, was };
    },
    hear(who, at) {
      if (!heard || heard.at < at) heard = { who, at, since: performance.now() };
    },
    change(changes) {
      if ('open' in changes) writeTab(changes.open, openKey);
      restore();
      const all = readAll();
      const before = readPlace(all.chats?.[key]);
      const kept = readTab(before);
      if (own === undefined || before.subject === own) {
        const { open, wide, ...tab } = { ...kept, ...changes };
        const { pending } = kept;
        // The shared one may be another tab's by now: that one forgets it.
        const isOthers = pending && before.pending && before.pending.turnId !== pending.turnId;
        const others = isOthers && !changes.pending ? { pending: before.pending } : {};
        writeTab({ ...tab, subject: before.subject });
        writePlace(all, { ...before, ...changes, ...others });
      } else if ('open' in changes) writePlace(all, { ...before, open: changes.open });
      // This tab knows the guest by the name of before.
      else if (kept.subject === own) writeTab({ ...kept, ...changes });
    },
    keepDraft(draft) {
      restore();
      const { subject } = readPlace(readAll().chats?.[key]);
      if (subject !== undefined && own === subject) writeTab({ ...readTab({ subject }), subject, draft });
    },
    claim(who, at, tag) {
      write(toClaimed(readAll(), who, at, tag));
      // What this tab has of somebody else goes too.
      read();
    },
    setIdentity(subject, session, who, said, tag) {
      const kept = readAll();
      const all = toClaimed(kept, who, said, tag);
      const place = readPlace(kept.chats?.[key]);
      // The same guest as ever: one whom the page had named in between was not taken for that.
      const before = place.subject !== subject ? readPlace(all.chats?.[key]) : place;
      const isNew = session !== undefined && before.subject !== subject;
      // A guest whose session nobody knows any more is the same one still.
      const isOther = isNew && before.session === undefined;
      const names = isNew ? `${before.was} ${before.subject}`.slice(-mostNamed) : before.was;
      const was = session && !isOther ? names : undefined;
      own = subject;
      const tab = readTab(before);
      if (!isOther && tab.subject !== undefined) writeTab({ ...tab, subject });
      writePlace(all, { ...(isOther ? toLook(before) : before), subject, session, was });
    },
    leave() {
      mine = undefined;
    },
    get isOpenHere() {
      try {
        return readTabStorage().getItem(openKey) === 'true';
      } catch {
        return false;
      }
    },
    get keeps() {
      return keeps;
    },
  };
}
