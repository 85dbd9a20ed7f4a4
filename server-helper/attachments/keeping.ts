/** Keeps what was attached until its question has been answered, in pieces, in the store: whichever helper is asked has it. */
import type { AgentAttachment } from '../agent/chat.ts';
import { hashText } from '../auth/keys.ts';
import { HelperError } from '../errors.ts';
import type { Attachment } from '../protocol/wire.ts';
import type { Store } from '../store/store.ts';
import { sleep } from '../within.ts';
import type { AttachmentType } from './kinds.ts';
import { mostBytesTogether } from './option.ts';

export type NewAttachment = { name: string; type: AttachmentType; bytes: Uint8Array };
export type Place = { owner: string; conversationId: string };

export type Attachments = {
  /**
   * @param address of limits
   * @param since when it began to come, in ms since 1970
   * @throws HelperError `rate-limited`; `not-found` where it was erased meanwhile
   */
  keep(place: Place, file: NewAttachment, address: string | undefined, since: number): Promise<Attachment>;
  /** Before it is: what is on its way then is not kept. @param what an owner, or a conversation's id */
  noteErased(what: string): Promise<void>;
  /** In the order asked for. @throws HelperError `bad-request` where one is not there, `too-large` */
  find(place: Place, ids: readonly string[]): Promise<AgentAttachment[]>;
  /** A guest has signed in. */
  move(from: string, to: string): Promise<void>;
  /**
   * Never rejects: what could not be forgotten goes an hour after it came.
   *
   * @param isMeant default: all of this visitor's
   * @returns whether they are gone
   */
  forget(owner: string, isMeant?: (kept: Kept) => boolean): Promise<boolean>;
};

/** As it stands in the store. `until`: ms since 1970. */
export type Kept = Attachment & { conversationId: string; pieces: number; until: number };
type Slot = { key: string; kept: Kept };

const ttlMs = 3600_000;
/** Longer than a file may take to come. */
const erasedMs = 600_000;
/** As an agent takes them. */
const pieceBytes = 60 * 1024;
/** Of one visitor, that wait for their question. */
const mostWaiting = 16;
/** That wait: of one visitor; and, as far as this process has put them there, of one address and of all. */
const mostBytes = { owner: 2 * mostBytesTogether, address: 50_000_000, all: 200_000_000 };

/** `key`: none before it has a place. */
type Here = { key?: string; address: string | undefined; kept: Kept };

/** @param now ms since 1970 */
export function createAttachments(
  store: Pick<Store, 'remember' | 'recall' | 'forget' | 'replace' | 'isMerged'>,
  bot: string,
  now: () => number,
): Attachments {
  /** By id. */
  const here = new Map<string, Here>();
  const toKeys = async (owner: string) => {
    const hash = await hashText(owner);
    return Array.from({ length: mostWaiting }, (_, number) => `attachment:${bot}:${hash}:${number}`);
  };
  const readSlot = async (key: string): Promise<Slot | undefined> => {
    const json = await store.recall(key);
    return json === undefined ? undefined : { key, kept: JSON.parse(json) as Kept };
  };
  const toErasedKey = async (what: string) => `attachment:${bot}:erased:${await hashText(what)}`;
  const isErasedSince = async (what: string, since: number) =>
    Number((await store.recall(await toErasedKey(what))) ?? -1) >= since;
  const readAll = async (owner: string) =>
    (await Promise.all((await toKeys(owner)).map(readSlot))).filter((slot) => slot !== undefined);
  const piecesOf = ({ id, pieces }: Kept) =>
    Array.from({ length: pieces }, (_, number) => `attachment:${bot}:piece:${id}:${number}`);
  const isWhole = async (kept: Kept) => {
    const last = piecesOf(kept).at(-1);
    return last === undefined || (await store.recall(last)) !== undefined;
  };
  /** Another file may have the place by now. */
  const leave = ({ key, kept }: Slot) => store.forget(key, JSON.stringify(kept));
  /** The slot last: while it stands the pieces are found. */
  const drop = async ({ key, kept }: Slot) => {
    for (const piece of piecesOf(kept)) {
      await store.forget(piece);
      await letOthersIn();
    }
    await leave({ key, kept });
    here.delete(kept.id);
  };
  /** The first that is free: of two that come at once each has its own. */
  const claim = async (owner: string, kept: Kept): Promise<string | undefined> => {
    const json = JSON.stringify(kept);
    for (const key of await toKeys(owner))
      if ((await store.remember(key, json, toLeftMs(kept))) === json) return key;
    return undefined;
  };
  const toLeftMs = ({ until }: Kept) => Math.max(1, until - now());
  /** Another helper may have forgotten them. */
  const lookWhatWaits = async () => {
    for (const [id, { key, kept }] of [...here])
      if (kept.until <= now() || (key !== undefined && (await readSlot(key))?.kept.id !== id))
        here.delete(id);
  };
  /** Room for what is among `here` already. */
  const requireRoom = async (address: string | undefined) => {
    const isFull = (isMeant: (one: Here) => boolean, most: number) =>
      [...here.values()].filter(isMeant).reduce((sum, { kept }) => sum + kept.size, 0) > most;
    const isAnyFull = () =>
      (address !== undefined && isFull((one) => one.address === address, mostBytes.address)) ||
      isFull(() => true, mostBytes.all);
    if (!isAnyFull()) return;
    await lookWhatWaits();
    if (isAnyFull()) throw toFull(Math.min(...[...here.values()].map(({ kept }) => toLeftMs(kept))));
  };
  /** Of two that come at once the one in the later place has no room. @param mine one of the owner's, or to be */
  const requireOwnRoom = async (owner: string, mine: Kept) => {
    const own = (await readAll(owner)).map(({ kept }) => kept);
    const at = own.findIndex(({ id }) => id === mine.id);
    const before = at < 0 ? own : own.slice(0, at);
    if (before.reduce((sum, { size }) => sum + size, mine.size) > mostBytes.owner)
      throw toFull(Math.min(...own.map(toLeftMs)));
  };

  const forget: Attachments['forget'] = async (owner, isMeant = () => true) => {
    for (let tries = 2; tries > 0; tries -= 1)
      try {
        for (const slot of await readAll(owner)) if (isMeant(slot.kept)) await drop(slot);
        return true;
      } catch {
        // Once more; then the store forgets it by itself.
      }
    return false;
  };

  return {
    async keep({ owner, conversationId }, { name, type, bytes }, address, since) {
      const attachment = { id: crypto.randomUUID(), name, type, size: bytes.length };
      const pieces = Math.ceil(bytes.length / pieceBytes);
      const kept: Kept = { ...attachment, conversationId, pieces, until: now() + ttlMs };
      // Before anything is waited for: of those that come at once each counts.
      here.set(kept.id, { address, kept });
      let key: string | undefined;
      try {
        await requireRoom(address);
        await requireOwnRoom(owner, kept);
        key = await claim(owner, kept).catch(async (error: unknown) => {
          // The store may have it, and have failed to say so.
          await forget(owner, ({ id }) => id === kept.id);
          throw error;
        });
        if (key === undefined) throw toFull(ttlMs);
        // Whoever has signed in meanwhile has taken it along.
        here.set(kept.id, { key: here.get(kept.id)?.key ?? key, address, kept });
        await requireOwnRoom(owner, kept);
        for (const [number, piece] of piecesOf(kept).entries()) {
          const part = bytes.subarray(number * pieceBytes, (number + 1) * pieceBytes);
          await store.replace(piece, toBase64(part), ttlMs);
          await letOthersIn();
        }
        // Signed in, or erased, while it was written: whoever it is by now may send it again.
        if (await store.isMerged(owner)) throw new HelperError('unauthenticated');
        if ((await readSlot(key))?.kept.id !== kept.id) throw new HelperError('not-found');
        for (const what of [owner, conversationId])
          if (await isErasedSince(what, since)) throw new HelperError('not-found');
        return attachment;
      } catch (error) {
        const place = here.get(kept.id)?.key ?? key;
        here.delete(kept.id);
        if (place !== undefined) await drop({ key: place, kept }).catch(() => {});
        throw error;
      }
    },
    noteErased: async (what) => store.replace(await toErasedKey(what), String(now()), erasedMs),
    async find({ owner, conversationId }, ids) {
      const slots = await readAll(owner);
      const named = ids.map((id) => {
        const slot = slots.find(({ kept }) => kept.id === id && kept.conversationId === conversationId);
        if (!slot) throw toMissing(id);
        return slot.kept;
      });
      if (named.reduce((sum, { size }) => sum + size, 0) > mostBytesTogether)
        throw new HelperError('too-large', `attachments: at most ${mostBytesTogether} bytes together`);
      return Promise.all(
        named.map(async (kept) => {
          const data = await Promise.all(piecesOf(kept).map((piece) => store.recall(piece)));
          if (data.includes(undefined)) throw toMissing(kept.id);
          const { name, type, size } = kept;
          return { name, type, size, data: data as string[] };
        }),
      );
    },
    async move(from, to) {
      for (const slot of await readAll(from)) {
        // What still comes, at another helper perhaps, is refused there, and its place given up.
        if (!(await isWhole(slot.kept))) continue;
        const key = await claim(to, slot.kept);
        if (key === undefined) {
          await drop(slot);
          continue;
        }
        const known = here.get(slot.kept.id);
        if (known) known.key = key;
        // Given up meanwhile, as one that was still being written.
        if ((await readSlot(slot.key))?.kept.id !== slot.kept.id) {
          await leave({ key, kept: slot.kept });
          continue;
        }
        await leave(slot);
        // Of several guests who sign in as one.
        await requireOwnRoom(to, slot.kept).catch((error: unknown) => {
          if (error instanceof HelperError) return drop({ key, kept: slot.kept });
          throw error;
        });
      }
    },
    forget,
  };
}

/** A store on this thread keeps it between two of its calls. */
const letOthersIn = () => sleep(0);

function toFull(waitMs: number): HelperError {
  return new HelperError('rate-limited', 'Too much waits for a question already', waitMs);
}

function toMissing(id: string): HelperError {
  return new HelperError('bad-request', `attachments: ${id} is not here, or not any more`);
}

function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += 8_192)
    // Spread it would take eight times as long.
    binary += String.fromCharCode.apply(null, bytes.subarray(at, at + 8_192) as unknown as number[]);
  return btoa(binary);
}
