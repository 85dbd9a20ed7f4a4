/** Keeps what was attached until its question has been answered, in pieces, in the store: whichever helper is asked has it. */
import type { AgentAttachment } from '../agent/chat.ts';
import { hashText } from '../auth/keys.ts';
import { HelperError } from '../errors.ts';
import type { Attachment } from '../protocol/wire.ts';
import type { Store } from '../store/store.ts';
import type { AttachmentType } from './kinds.ts';
import { mostBytesTogether } from './option.ts';

export type NewAttachment = { name: string; type: AttachmentType; bytes: Uint8Array };
export type Place = { owner: string; conversationId: string };

export type Attachments = {
  /** @param address of limits @throws HelperError `rate-limited`; `not-found` where it was erased meanwhile */
  keep(place: Place, file: NewAttachment, address: string | undefined): Promise<Attachment>;
  /** In the order asked for. @throws HelperError `bad-request` where one is not there, `too-large` */
  find(place: Place, ids: readonly string[]): Promise<AgentAttachment[]>;
  /** A guest has signed in. */
  move(from: string, to: string): Promise<void>;
  /**
   * Never rejects: what could not be forgotten goes an hour after it came.
   *
   * @param isMeant default: all of this visitor's
   */
  forget(owner: string, isMeant?: (kept: Kept) => boolean): Promise<void>;
};

/** As it stands in the store. `at`: ms since 1970. */
export type Kept = Attachment & { conversationId: string; pieces: number; at: number };
type Slot = { key: string; kept: Kept };

const ttlMs = 3600_000;
/** As an agent takes them. */
const pieceBytes = 60 * 1024;
/** Of one visitor, that wait for their question. */
const mostWaiting = 16;
/** That wait, as far as this process has put them there: of one visitor, of one address, of all. */
const mostBytes = { owner: 2 * mostBytesTogether, address: 50_000_000, all: 200_000_000 };

/** @param now ms since 1970 */
export function createAttachments(
  store: Pick<Store, 'remember' | 'recall' | 'forget' | 'replace'>,
  bot: string,
  now: () => number,
): Attachments {
  /** By id. */
  const here = new Map<
    string,
    { owner: string; address: string | undefined; bytes: number; until: number }
  >();
  const requireRoom = (owner: string, address: string | undefined, bytes: number) => {
    for (const [id, { until }] of here) if (until <= now()) here.delete(id);
    const all = [...here.values()];
    const check = (most: number, those: typeof all) => {
      if (those.reduce((sum, one) => sum + one.bytes, bytes) <= most) return;
      const free = Math.min(...those.map(({ until }) => until));
      throw new HelperError('rate-limited', 'Too much waits for a question already', free - now());
    };
    check(
      mostBytes.owner,
      all.filter((one) => one.owner === owner),
    );
    if (address !== undefined)
      check(
        mostBytes.address,
        all.filter((one) => one.address === address),
      );
    check(mostBytes.all, all);
  };
  const toKeys = async (owner: string) => {
    const hash = await hashText(owner);
    return Array.from({ length: mostWaiting }, (_, number) => `attachment:${bot}:${hash}:${number}`);
  };
  const readSlot = async (key: string): Promise<Slot | undefined> => {
    const json = await store.recall(key);
    return json === undefined ? undefined : { key, kept: JSON.parse(json) as Kept };
  };
  const readAll = async (owner: string) =>
    (await Promise.all((await toKeys(owner)).map(readSlot))).filter((slot) => slot !== undefined);
  const piecesOf = ({ id, pieces }: Kept) =>
    Array.from({ length: pieces }, (_, number) => `attachment:${bot}:piece:${id}:${number}`);
  const drop = async ({ key, kept }: Slot) => {
    here.delete(kept.id);
    await Promise.all([...piecesOf(kept), key].map((one) => store.forget(one)));
  };
  /** The first that is free: of two that come at once each has its own. */
  const claim = async (owner: string, kept: Kept): Promise<string | undefined> => {
    const json = JSON.stringify(kept);
    for (const key of await toKeys(owner)) if ((await store.remember(key, json, ttlMs)) === json) return key;
    return undefined;
  };

  return {
    async keep({ owner, conversationId }, { name, type, bytes }, address) {
      requireRoom(owner, address, bytes.length);
      const attachment = { id: crypto.randomUUID(), name, type, size: bytes.length };
      const pieces = Math.ceil(bytes.length / pieceBytes);
      const kept: Kept = { ...attachment, conversationId, pieces, at: now() };
      here.set(kept.id, { owner, address, bytes: bytes.length, until: now() + ttlMs });
      let key: string | undefined;
      try {
        key = await claim(owner, kept);
        if (key === undefined)
          throw new HelperError('rate-limited', 'Too many files wait for a question already', ttlMs);
        for (const [number, piece] of piecesOf(kept).entries())
          await store.replace(
            piece,
            toBase64(bytes.subarray(number * pieceBytes, (number + 1) * pieceBytes)),
            ttlMs,
          );
        // Erased while it was written.
        if ((await readSlot(key))?.kept.id !== kept.id) throw new HelperError('not-found');
        return attachment;
      } catch (error) {
        here.delete(kept.id);
        if (key !== undefined) await drop({ key, kept }).catch(() => {});
        throw error;
      }
    },
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
      for (const { key, kept } of await readAll(from)) {
        const known = here.get(kept.id);
        if (known) known.owner = to;
        if ((await claim(to, kept)) !== undefined) await store.forget(key);
      }
    },
    async forget(owner, isMeant = () => true) {
      for (let tries = 2; tries > 0; tries -= 1)
        try {
          for (const slot of await readAll(owner)) if (isMeant(slot.kept)) await drop(slot);
          return;
        } catch {
          // Once more; then the store forgets it by itself.
        }
    },
  };
}

function toMissing(id: string): HelperError {
  return new HelperError('bad-request', `attachments: ${id} is not here, or not any more`);
}

function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += 8_192)
    binary += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return btoa(binary);
}
