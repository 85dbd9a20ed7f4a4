/** Tells the logs of the turns that run here to where all helpers read them, before readers here see them: what was seen can be gone on with anywhere. */
import { type Log, toLogFields } from '../log.ts';
import type { SharedLogs, Telling } from '../store/shared-logs.ts';
import { sleep } from '../within.ts';
import type { LiveTurn } from './turn.ts';

export type Publishing = {
  /** This helper tells the turn from now on. @param told the event before which all is told already */
  join(turn: LiveTurn, told: number): void;
  /** It is another's to tell. */
  leave(turn: LiveTurn): void;
  /** Resolves once all is told, or after `withinMs`. */
  settle(withinMs: number): Promise<void>;
};

type Told = {
  turn: LiveTurn;
  /** The event before which all is told. */
  told: number;
  /** Since when something new is held back from readers. */
  heldSince: number | undefined;
};

/** What comes within it is told together: one call for all turns. */
const gatherMs = 20;
const mostGathered = 8 * 1024;
/** So long readers wait for a store that does not answer. */
const patienceMs = 250;
/** Of one turn in one call, and of all but the last. */
const [mostEvents, mostBytes] = [1_000, 1024 * 1024];
const [firstWaitMs, mostWaitMs] = [50, 2_000];
/** What could not be told by then is found in the records. */
const settledMs = 60_000;

const nothing: Publishing = { join() {}, leave() {}, async settle() {} };

/** @param onRefused the log is another helper's by now */
export function createPublishing(
  logs: SharedLogs | undefined,
  runner: string,
  { monotonicNow, log }: { monotonicNow: () => number; log: Log },
  onRefused: (turn: LiveTurn) => Promise<void>,
): Publishing {
  if (!logs) return nothing;
  const all = new Map<LiveTurn, Told>();
  /** Have something to tell. */
  const waiting = new Set<Told>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isTelling = false;
  let failures = 0;
  let sentAt = Number.NEGATIVE_INFINITY;

  const leave = (turn: LiveTurn) => {
    const one = all.get(turn);
    if (!one) return;
    all.delete(turn);
    waiting.delete(one);
    turn.log.show(undefined);
  };
  /** Those whose readers have waited long enough see what is not told yet. */
  const showLate = () => {
    const before = monotonicNow() - patienceMs;
    for (const one of waiting)
      if (one.heldSince !== undefined && one.heldSince <= before) one.turn.log.show(one.turn.log.nextId);
  };
  const toTelling = ({ turn, told }: Told): Telling => {
    const next = Math.min(turn.log.nextId, told + mostEvents);
    const { conversationId, id, tellerId: teller } = turn;
    return { conversationId, id, teller, from: told, next, events: turn.log.toText(told, next) };
  };
  const onTold = (one: Told, stands: number | undefined) => {
    const { turn } = one;
    if (!all.has(turn)) return;
    if (stands === undefined || stands > turn.log.nextId) {
      // It may have ended there, or been stopped: that is told here first.
      waiting.delete(one);
      onRefused(turn)
        .catch((error: unknown) =>
          log.warn(toLogFields(error), 'a turn that another tells could not be read'),
        )
        .finally(() => leave(turn));
      return;
    }
    one.told = stands;
    one.heldSince = monotonicNow();
    turn.log.show(stands);
    if (stands < turn.log.nextId) return;
    waiting.delete(one);
    one.heldSince = undefined;
    if (turn.isOver) leave(turn);
  };
  /** Not all at once where much has gathered; whoever has more to tell then stands last. */
  const takeBatch = (): Told[] => {
    const batch: Told[] = [];
    let bytes = 0;
    for (const one of waiting) {
      if (bytes >= mostBytes) break;
      bytes += one.turn.log.bytesSince(one.told);
      batch.push(one);
    }
    for (const one of batch) {
      waiting.delete(one);
      waiting.add(one);
    }
    return batch;
  };
  /** The first word, the last, and much at once. */
  const isUrgent = ({ turn, told }: Told) =>
    told <= 1 || turn.isOver || turn.log.bytesSince(told) >= mostGathered;
  const tell = async () => {
    clearTimeout(timer);
    timer = undefined;
    isTelling = true;
    sentAt = monotonicNow();
    const batch = takeBatch();
    const late = setInterval(showLate, patienceMs / 5);
    try {
      const stands = await logs.tell(runner, batch.map(toTelling));
      failures = 0;
      for (const [index, one] of batch.entries()) onTold(one, stands[index]);
    } catch (error) {
      if (failures === 0) log.warn(toLogFields(error), 'what turns say is kept here alone for now');
      failures += 1;
      await sleep(Math.min(mostWaitMs, firstWaitMs * 2 ** Math.min(failures, 10)));
      for (const { turn } of waiting)
        if (turn.isOver && turn.endedAt + settledMs < monotonicNow()) leave(turn);
    } finally {
      clearInterval(late);
      isTelling = false;
      if (waiting.size > 0) tellSoon([...waiting].some(isUrgent));
    }
  };
  const tellSoon = (isAtOnce = false) => {
    if (isTelling) return;
    const waitMs = isAtOnce ? 0 : gatherMs - (monotonicNow() - sentAt);
    if (waitMs <= 0) void tell();
    else timer ??= setTimeout(() => void tell(), waitMs);
  };

  return {
    join(turn, told) {
      if (all.has(turn)) return;
      const one: Told = { turn, told, heldSince: undefined };
      all.set(turn, one);
      turn.log.holdBack(() => {
        if (one.told >= turn.log.nextId) return;
        one.heldSince ??= monotonicNow();
        waiting.add(one);
        // While the store does not answer, nobody waits for it.
        if (failures > 0) turn.log.show(turn.log.nextId);
        tellSoon(isUrgent(one));
      });
      // Where nothing of a turn is told yet, other helpers take it for one that is told nowhere.
      if (told < turn.log.nextId) turn.log.flush();
    },
    leave,
    async settle(withinMs) {
      const until = monotonicNow() + withinMs;
      while (waiting.size > 0 && monotonicNow() < until) await sleep(gatherMs);
    },
  };
}
