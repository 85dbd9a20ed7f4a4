/** Finds the log that a turn's readers follow, or makes it anew from the records; and from where a reader goes on. */
import { readPause } from '../conversation/pause.ts';
import { HelperError, toHelperError } from '../errors.ts';
import { toLogFields } from '../log.ts';
import { toLogKey } from '../store/shared-logs.ts';
import type { ConversationRecord, Store, TurnRecord } from '../store/store.ts';
import { sleep } from '../within.ts';
import type { RunContext } from './context.ts';
import { followElsewhere } from './elsewhere.ts';
import type { Ends } from './ends.ts';
import { followTold, tellEnded } from './following.ts';
import type { Leases } from './leases.ts';
import type { Logs } from './logs.ts';
import type { Publishing } from './publishing.ts';
import { tellRecord } from './retelling.ts';
import type { TurnRun } from './run.ts';
import { createTold, type Told } from './told.ts';
import type { LiveTurn } from './turn.ts';
import { tellUnfollowed } from './watching.ts';

type Parts = {
  context: RunContext;
  logs: Logs;
  ends: Ends;
  leases: Leases;
  runner: string;
  publishing: Publishing;
  open: (
    conversation: ConversationRecord,
    record: TurnRecord,
    telling?: { tellerId: string; isTold: boolean },
  ) => { turn: LiveTurn; run: TurnRun };
  letGo: (turn: LiveTurn) => void;
};

/** `told`: where its runner tells it to all helpers. */
type Opened = { turn: LiveTurn; run: TurnRun; told?: Told };

/** A turn that has just begun is told a moment later. */
const firstMs = 100;

export function createAttaching({ context, logs, ends, leases, runner, publishing, open, letGo }: Parts) {
  const { store } = context;
  /** Two readers that come at one moment must find one log. */
  const building = new Map<string, Promise<LiveTurn>>();

  /** What its runner has told of it; undefined where that is nowhere to be read. */
  const readTold = async (record: TurnRecord): Promise<string | undefined> => {
    const key = toLogKey(record);
    if (!store.logs || !key) return undefined;
    const events = await store.logs.read(key, 0);
    if (events !== '' || record.status !== 'running') return events || undefined;
    await sleep(firstMs);
    return (await store.logs.read(key, 0)) || undefined;
  };
  /** @param events undefined: it is told anew */
  const openAs = (conversation: ConversationRecord, record: TurnRecord, events?: string): Opened => {
    const { logs: shared } = store;
    if (events === undefined || !shared || record.teller === undefined) return open(conversation, record);
    const opened = open(conversation, record, { tellerId: record.teller, isTold: true });
    const told = createTold(opened.turn, shared);
    const isRunning = record.status === 'running';
    try {
      told.take(events);
      if (isRunning) told.passPause();
      // An end that was told, and that its runner did not live to store, is found once more.
      if (!isRunning || !opened.turn.isOver) {
        opened.turn.catchUp = told.catchUp;
        return { ...opened, told };
      }
    } catch (error) {
      context.log.warn(toLogFields(error), 'what another helper told of a turn is told anew');
    }
    letGo(opened.turn);
    return open(conversation, record);
  };
  const takeOver = async (conversation: ConversationRecord, record: TurnRecord): Promise<LiveTurn> => {
    // A store that does not answer is no reason to fail it.
    const events = await readTold(record).catch(() => undefined);
    const kept = logs.get(conversation.id, record.id);
    if (kept) return kept;
    const { turn, run, told } = openAs(conversation, record, events);
    turn.catchUp = undefined;
    if (told) publishing.join(turn, turn.log.nextId);
    orFail(run, run.mend(undefined));
    if (!told) await beginTelling(turn, true);
    return turn;
  };
  const beginTelling = async (turn: LiveTurn, isOurs = false) => {
    await store.setTeller(turn.conversationId, turn.id, turn.tellerId);
    if (isOurs) publishing.join(turn, 0);
  };
  /** What goes wrong with one turn is no reason for the process to end. */
  const orFail = (run: TurnRun, work: Promise<void>) => {
    work
      .catch((error: unknown) => run.fail(toHelperError(error)))
      .catch((error: unknown) => {
        tellUnfollowed(context, run.turn, error);
        letGo(run.turn);
      });
  };
  const follow = ({ turn, run, told }: Opened, conversation: ConversationRecord) => {
    const watching = { left: run.gone, take: leases.take };
    const mine = told
      ? followTold(context, turn, told, conversation, watching)
      : followElsewhere(context, turn, conversation, watching);
    const goOn = mine.then((taken) => {
      run.isElsewhere = false;
      turn.catchUp = undefined;
      turn.lastLifeAt = turn.startedAt = context.monotonicNow();
      if (!taken) return;
      publishing.join(turn, told ? turn.log.nextId : 0);
      return run.mend(undefined);
    });
    orFail(run, goOn);
  };
  const build = async (conversation: ConversationRecord, record: TurnRecord): Promise<LiveTurn> => {
    const taken = record.status === 'running' && (await leases.take(record));
    if (taken) return takeOver(conversation, taken);
    const events = await readTold(record);
    // What is told was stored before.
    const stands = (events && (await store.findTurn(conversation.id, record.id))) || record;
    const opened = openAs(conversation, stands, stands.teller === record.teller ? events : undefined);
    const { turn, run, told } = opened;
    run.isElsewhere = stands.status === 'running';
    try {
      if (!told) await beginTelling(turn);
      if (!run.isElsewhere)
        await (told
          ? tellEnded(context, turn, told, conversation, stands)
          : tellRecord(context, turn, conversation, stands));
    } catch (error) {
      letGo(turn);
      throw error;
    }
    if (run.isElsewhere) follow(opened, conversation);
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

  const attach = async (conversation: ConversationRecord, record: TurnRecord): Promise<LiveTurn> => {
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
  return { attach, takeOver };
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
  // Seen at the helper that runs it a moment before it was told here. One that cannot be read is told from its start.
  if (lastId >= turn.log.nextId) await turn.catchUp?.().catch(() => {});
  if (teller !== turn.tellerId) {
    const record = await store.findTurn(turn.conversationId, turn.id);
    // Another helper has told it since, under ids of its own. Which of two tellings a reader has seen nobody knows: the
    // tabs of one visitor share a session.
    if (record && record.teller !== turn.tellerId) turn.isOriginal = false;
  }
  return turn.isOriginal && lastId < turn.log.nextId ? lastId + 1 : 0;
}
