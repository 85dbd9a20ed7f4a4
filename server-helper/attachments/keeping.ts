/** Keeps what was attached until its question has been answered, in pieces, in the store: whichever helper is asked has it. */
import type { AgentAttachment } from '../agent/chat.ts';
import { HelperError } from '../errors.ts';
import type { Attachment } from '../protocol/wire.ts';
import type { Store } from '../store/store.ts';
import type { AttachmentType } from './kinds.ts';

export type NewAttachment = { name: string; type: AttachmentType; bytes: Uint8Array };

export type Attachments = {
  /** The oldest that waits in this conversation makes room. */
  keep(conversationId: string, owner: string, file: NewAttachment): Promise<Attachment>;
  /** In the order asked for. @throws HelperError `bad-request` where one is not there, or somebody else's */
  find(conversationId: string, owner: string, ids: readonly string[]): Promise<AgentAttachment[]>;
  /** Never rejects: what could not be forgotten goes an hour after it came. @param ids absent: all */
  forget(conversationId: string, ids?: readonly string[]): Promise<void>;
};

type Kept = Attachment & { owner: string; pieces: number; at: number };
type Slot = { key: string; kept: Kept };

const ttlMs = 3600_000;
/** As an agent takes them. */
const pieceBytes = 60 * 1024;
/** Of one conversation, that wait for their question. */
const mostWaiting = 16;
/** That wait here at all, since their store may be this process's memory. */
const mostBytes = 200_000_000;

/** @param now ms since 1970 */
export function createAttachments(
  store: Pick<Store, 'remember' | 'replace' | 'recall' | 'forget'>,
  now: () => number,
): Attachments {
  /** By slot, what this process has put into the store. */
  const here = new Map<string, { bytes: number; until: number }>();
  const requireRoom = (bytes: number) => {
    for (const [key, { until }] of here) if (until <= now()) here.delete(key);
    let sum = bytes;
    for (const one of here.values()) sum += one.bytes;
    if (sum > mostBytes) throw new HelperError('rate-limited', 'Too many files wait', 60_000);
  };
  const toSlot = (conversationId: string, number: number) => `attachment:${conversationId}:${number}`;
  const toPiece = ({ key, kept }: Slot, number: number) => `${key}:${kept.id}:${number}`;
  const read = async (key: string): Promise<Slot | undefined> => {
    const json = await store.recall(key);
    return json === undefined ? undefined : { key, kept: JSON.parse(json) as Kept };
  };
  const readAll = async (conversationId: string): Promise<Slot[]> => {
    const keys = Array.from({ length: mostWaiting }, (_, number) => toSlot(conversationId, number));
    return (await Promise.all(keys.map(read))).filter((slot) => slot !== undefined);
  };
  const numbersOf = ({ kept }: Slot) => Array.from({ length: kept.pieces }, (_, number) => number);
  const drop = async (slot: Slot) => {
    here.delete(slot.key);
    await Promise.all(numbersOf(slot).map((number) => store.forget(toPiece(slot, number))));
  };
  /** A free one, else that of the oldest. */
  const claim = async (conversationId: string, kept: Kept): Promise<Slot> => {
    const json = JSON.stringify(kept);
    for (let number = 0; number < mostWaiting; number += 1) {
      const key = toSlot(conversationId, number);
      if ((await store.remember(key, json, ttlMs)) === json) return { key, kept };
    }
    const [oldest] = (await readAll(conversationId)).sort((one, other) => one.kept.at - other.kept.at);
    if (!oldest) throw new HelperError('internal');
    await drop(oldest);
    await store.replace(oldest.key, json, ttlMs);
    return { key: oldest.key, kept };
  };

  return {
    async keep(conversationId, owner, { name, type, bytes }) {
      requireRoom(bytes.length);
      const attachment = { id: crypto.randomUUID(), name, type, size: bytes.length };
      const pieces = Math.ceil(bytes.length / pieceBytes);
      const slot = await claim(conversationId, { ...attachment, owner, pieces, at: now() });
      here.set(slot.key, { bytes: bytes.length, until: now() + ttlMs });
      try {
        for (const number of numbersOf(slot)) {
          const piece = bytes.subarray(number * pieceBytes, (number + 1) * pieceBytes);
          await store.replace(toPiece(slot, number), toBase64(piece), ttlMs);
        }
      } catch (error) {
        await Promise.all([drop(slot), store.forget(slot.key)]).catch(() => {});
        throw error;
      }
      return attachment;
    },
    async find(conversationId, owner, ids) {
      const slots = await readAll(conversationId);
      const found: AgentAttachment[] = [];
      for (const id of ids) {
        const slot = slots.find(({ kept }) => kept.id === id && kept.owner === owner);
        const data = slot
          ? await Promise.all(numbersOf(slot).map((number) => store.recall(toPiece(slot, number))))
          : [undefined];
        if (!slot || data.includes(undefined))
          throw new HelperError('bad-request', `attachments: ${id} is not here, or not any more`);
        const { name, type, size } = slot.kept;
        found.push({ name, type, size, data: data as string[] });
      }
      return found;
    },
    async forget(conversationId, ids) {
      try {
        for (const slot of await readAll(conversationId)) {
          if (ids && !ids.includes(slot.kept.id)) continue;
          await drop(slot);
          await store.forget(slot.key);
        }
      } catch {
        // The store forgets it by itself.
      }
    },
  };
}

function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += 8_192)
    binary += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return btoa(binary);
}
