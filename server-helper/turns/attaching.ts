/** Finds the log that a turn's readers follow, or makes it anew from the records; and from where a reader goes on. */
import { readPause } from '../conversation/pause.ts';
import { HelperError, toHelperError } from '../errors.ts';
import type { ConversationRecord, Store, TurnRecord } from '../store/store.ts';
import type { RunContext } from './context.ts';
import { followElsewhere } from './elsewhere.ts';
import type { Ends } from './ends.ts';
import type { Leases } from './leases.ts';
import type { Logs } from './logs.ts';
import { tellRecord } from './retelling.ts';
import type { TurnRun } from './run.ts';
import type { LiveTurn } from './turn.ts';

type Parts = {
  context: RunContext;
  logs: Logs;
  ends: Ends;
  leases: Leases;
  runner: string;
  open: (conversation: ConversationRecord, record: TurnRecord) => { turn: LiveTurn; run: TurnRun };
  mend: (conversation: ConversationRecord, record: TurnRecord) => LiveTurn;
  letGo: (turn: LiveTurn) => void;
};

export function createAttaching({ context, logs, ends, leases, runner, open, mend, letGo }: Parts) {
  const { store } = context;
  /** Two readers that come at one moment must find one log. */
  const building = new Map<string, Promise<LiveTurn>>();

  const build = async (conversation: ConversationRecord, record: TurnRecord): Promise<LiveTurn> => {
    const taken = record.status === 'running' && (await leases.take(record));
    if (taken) {
      const turn = mend(conversation, taken);
      await store.setTeller(conversation.id, turn.id, turn.tellerId);
      return turn;
    }
    const { turn, run } = open(conversation, record);
    run.isElsewhere = record.status === 'running';
    try {
      await store.setTeller(conversation.id, turn.id, turn.tellerId);
      if (!run.isElsewhere) await tellRecord(context, turn, conversation, record);
    } catch (error) {
      letGo(turn);
      throw error;
    }
    if (run.isElsewhere)
      followElsewhere(context, turn, conversation, run.gone, leases.take)
        .then((mine) => {
          run.isElsewhere = false;
          turn.lastLifeAt = turn.startedAt = context.monotonicNow();
          return mine && run.mend(undefined);
        })
        .catch((error: unknown) => run.fail(toHelperError(error)));
    return turn;
  };
  /** Another helper may have decided it, stopped it or told it on: then what is kept here is of the past. */
  const isStale = async (turn: LiveTurn): Promise<boolean> => {
    const isMoving = () => turn.isClosing || ends.isKept(turn);
    if (isMoving()) return false;
    const record = await store.findTurn(turn.conversationId, turn.id);
    if (isMoving() || !record || !turn.isOver) return false;
    return record.status === 'running' ? record.runner !== runner : !isTelling(turn, record);
  };

  return async (conversation: ConversationRecord, record: TurnRecord): Promise<LiveTurn> => {
    const kept = logs.get(conversation.id, record.id);
    if (kept && (isTelling(kept, record) || !(await isStale(kept)))) return kept;
    if (kept) letGo(kept);
    const key = `${conversation.id} ${record.id}`;
    let built = building.get(key);
    if (!built) {
      const buildCurrent = async () => {
        const current = await store.findTurn(conversation.id, record.id);
        if (!current) throw new HelperError('not-found');
        return logs.get(conversation.id, record.id) ?? build(conversation, current);
      };
      built = buildCurrent().finally(() => building.delete(key));
      building.set(key, built);
    }
    return built;
  };
}

/** It tells what is stored; of two pauses of one turn each has a time of its own. */
function isTelling(turn: LiveTurn, { status, pause, answer }: TurnRecord): boolean {
  if (turn.status !== status) return false;
  // Stopped here, where none of it was heard: whoever ran it has added what was said.
  if (status === 'stopped' && turn.text === '' && answer) return false;
  return pause === undefined || turn.waitsFor?.expiresAtMs === readPause(pause).expiresAtMs;
}

/**
 * From which event on a reader that has seen `lastId` goes on; 0, the whole turn anew, unless no other log than this one
 * can have given it that id.
 */
export async function findStart(
  store: Pick<Store, 'findTurn'>,
  turn: LiveTurn,
  teller: string | undefined,
  lastId: number,
): Promise<number> {
  if (lastId < 0 || !turn.isOriginal) return 0;
  if (teller !== turn.tellerId) {
    const record = await store.findTurn(turn.conversationId, turn.id);
    // Another helper has told it since, under ids of its own. Which of two tellings a reader has seen nobody knows: the
    // tabs of one visitor share a session.
    if (record && record.teller !== turn.tellerId) turn.isOriginal = false;
  }
  return turn.isOriginal && lastId < turn.log.nextId ? lastId + 1 : 0;
}
