/** All turn logs that this helper holds, bounded in bytes and in minutes: the oldest settled one goes first. */
import { LimitReached } from '../errors.ts';
import { limits } from '../protocol/wire.ts';
import type { LiveTurn } from './turn.ts';

export type Logs = {
  get(conversationId: string, turnId: string): LiveTurn | undefined;
  /** @throws HelperError `rate-limited` when running turns alone fill the room */
  requireRoom(): void;
  add(turn: LiveTurn): void;
  remove(turn: LiveTurn): void;
  running(): IterableIterator<LiveTurn>;
  settled(): IterableIterator<LiveTurn>;
  /** Of all, counted by the latest sweep. */
  readonly bytes: number;
  /** Counts the bytes anew and lets go of what is too old or too much. */
  sweep(): void;
};

const settledTtlMs = 30 * 60_000;

export function createLogs(now: () => number, maxBytes: number = limits.maxLogBytes): Logs {
  /** In the order of settling, so that the first is the oldest. */
  const settled = new Map<string, LiveTurn>();
  const running = new Map<string, LiveTurn>();
  const toKey = (conversationId: string, turnId: string) => `${conversationId} ${turnId}`;

  const heldBytes = () => {
    let bytes = 0;
    for (const turn of running.values()) bytes += turn.log.heldBytes;
    for (const turn of settled.values()) bytes += turn.log.heldBytes;
    return bytes;
  };
  let bytesAtSweep = 0;
  const sweep = () => {
    for (const [key, turn] of running) {
      if (!turn.isOver) continue;
      running.delete(key);
      turn.log.trim();
      settled.set(key, turn);
    }
    let bytes = heldBytes();
    for (const [key, turn] of settled) {
      if (bytes <= maxBytes && turn.endedAt + settledTtlMs > now()) break;
      settled.delete(key);
      turn.log.cutAll();
      bytes -= turn.log.heldBytes;
    }
    bytesAtSweep = bytes;
  };

  return {
    get: (conversationId, turnId) => {
      const key = toKey(conversationId, turnId);
      return running.get(key) ?? settled.get(key);
    },
    requireRoom() {
      // Counted by the sweep of every second: counting for each new turn would cost with their number.
      if (bytesAtSweep > maxBytes)
        throw new LimitReached('heldBytes', 10_000, 'Too many long answers at once');
    },
    add(turn) {
      running.set(toKey(turn.conversationId, turn.id), turn);
    },
    remove(turn) {
      const key = toKey(turn.conversationId, turn.id);
      running.delete(key);
      settled.delete(key);
    },
    running: () => running.values(),
    settled: () => settled.values(),
    get bytes() {
      return bytesAtSweep;
    },
    sweep,
  };
}
