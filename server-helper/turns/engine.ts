/** Begins, follows, stops and decides turns: one question, one run at the agent, however many ask for it. */
import { nothingEarlier } from '../conversation/earlier.ts';
import { isPauseOver } from '../conversation/pause.ts';
import type { Workspaces } from '../conversation/workspace.ts';
import { HelperError, toHelperError } from '../errors.ts';
import { toLogFields } from '../log.ts';
import type { DecisionRequest } from '../protocol/wire.ts';
import { createTeller } from '../store/shared-logs.ts';
import { type BeginTurn, blankTurn, type ConversationRecord, type TurnRecord } from '../store/store.ts';
import type { SiteTools } from '../tools/running.ts';
import { createAttaching } from './attaching.ts';
import { createCancelling } from './cancelling.ts';
import { createClosing } from './closing.ts';
import type { NewTurn, RunContext, RunParts, TurnQuestion } from './context.ts';
import { createDeciding } from './deciding.ts';
import { createEnds } from './ends.ts';
import { createHalting } from './halting.ts';
import { createLeases } from './leases.ts';
import { createLogs } from './logs.ts';
import { createDeletingAgain, createLosing } from './losing.ts';
import { createPausing } from './pausing.ts';
import { createPublishing } from './publishing.ts';
import { refuseMore } from './readers.ts';
import { refuseStale, takeBack } from './replacing.ts';
import { TurnRun } from './run.ts';
import { createReadStanding } from './standing.ts';
import { createStoppings } from './stoppings.ts';
import { startTicking } from './ticking.ts';
import { LiveTurn } from './turn.ts';

export type Engine = {
  /** @param owner undefined: all turns alone are looked at @throws LimitReached */
  requireRoom(owner: string | undefined, mostRunning: number): void;
  /** Begins a turn in the store and runs it, unless it was begun before or another one runs. @param onUnasked the agent never was */
  begin(
    conversation: ConversationRecord,
    turn: NewTurn,
    question: TurnQuestion,
    onUnasked: () => void,
  ): Promise<BeginTurn & { live?: LiveTurn }>;
  /** Begun by a call that then failed on its way back: nobody runs it, and the agent was never asked. */
  isUnasked(record: TurnRecord): boolean;
  /** Its log is at hand, and nobody has to be asked for it. */
  isKept(record: TurnRecord): boolean;
  /** The turn as its readers follow it: live, kept, or made anew from the records. */
  attach(conversation: ConversationRecord, record: TurnRecord): Promise<LiveTurn>;
  /** Nothing happens to a turn that has ended. */
  stop(conversation: ConversationRecord, record: TurnRecord): Promise<void>;
  /** The conversation is deleted: lets its turns go, and tells the agent to stop the one that ran, if one did. */
  end(conversation: ConversationRecord, wasRunning: boolean): void;
  /** Stores what of this conversation has ended and could not be stored when it did. */
  settle(conversationId: string): Promise<void>;
  /** Resolves once a stopped answer of this chat is quiet at the agent. */
  quiet(chatId: string): Promise<void>;
  /** @throws HelperError `turn-conflict` for a second decision */
  decide(conversation: ConversationRecord, record: TurnRecord, decision: DecisionRequest): Promise<void>;
  /** Resolves when no turn runs, or after `withinMs`; then lets every reader and every turn go to another helper. */
  drain(withinMs: number): Promise<void>;
  /** How many turns run here, and the bytes that all that are held take. */
  measure(): { liveTurns: number; heldBytes: number };
  close(): void;
};

export function createEngine(context: RunContext, workspaces: Workspaces, tools: SiteTools): Engine {
  const { store, chat, log, now, monotonicNow, tracing } = context;
  const logs = createLogs(monotonicNow);
  const ends = createEnds(store, log);
  const runs = new WeakMap<LiveTurn, TurnRun>();
  const letGo = (turn: LiveTurn) => {
    runs.get(turn)?.yield();
    tracing.turnEnded(turn, { status: 'elsewhere' });
    logs.remove(turn);
    turn.log.cutAll();
    publishing.leave(turn);
  };
  const runner = crypto.randomUUID();
  const cancelling = createCancelling(context, createStoppings(store, log, runner));
  const deleteAgain = createDeletingAgain(context, cancelling);
  const close = createClosing(ends, runner, letGo, deleteAgain, context);
  const isHeld = (record: TurnRecord | undefined) => record?.status === 'running' && record.runner === runner;
  const readStanding = createReadStanding(context);
  // A store that does not answer is no reason to let it go.
  const isOurs = ({ turn }: TurnRun) => store.findTurn(turn.conversationId, turn.id).then(isHeld, () => true);
  const pausing = createPausing(context, tools, { close, readStanding, isOurs });
  const parts: RunParts = { ...context, hold: cancelling.hold, close, onPause: pausing.onPause };
  const onLost = createLosing({ context, runs, ends, runner, letGo, deleteAgain });
  const publishing = createPublishing(store.logs, runner, context, onLost);
  const leases = createLeases(context, runner, {
    isHere: ({ conversationId, id }) => {
      const turn = logs.get(conversationId, id);
      return turn !== undefined && runs.get(turn)?.isElsewhere !== true;
    },
    onLost,
    async onHeld({ conversationId, id }) {
      const turn = logs.get(conversationId, id);
      const run = turn && runs.get(turn);
      if (turn && run && !run.isElsewhere) {
        // A decision was stored and its answer got lost: without another try the conversation is set free.
        const isStray = turn.status === 'paused' && !turn.isClosing && !ends.isKept(turn);
        if (isStray && turn.endedAt + strayMs < monotonicNow())
          await close(run, turn.toFailed(new HelperError('internal')));
        return;
      }
      const conversation = await store.findConversation(conversationId);
      const record = await store.findTurn(conversationId, id);
      if (conversation && record && leases.isOrphan(record)) await takeOver(conversation, record);
    },
  });

  const isMine = (turn: LiveTurn) => !turn.isOver && runs.get(turn)?.isElsewhere === false;
  const open = (
    conversation: ConversationRecord,
    record: TurnRecord,
    telling?: { tellerId: string; isTold: boolean },
  ) => {
    const turn = new LiveTurn(conversation.id, record.id, record.at, context, telling);
    turn.earlier = record.earlier;
    const run = new TurnRun(parts, turn, conversation, telling?.isTold !== false);
    logs.add(turn);
    runs.set(turn, run);
    return { turn, run };
  };
  const start = (conversation: ConversationRecord, record: TurnRecord, question: TurnQuestion) => {
    const tellerId = record.teller ?? createTeller();
    const { turn, run } = open(conversation, record, { tellerId, isTold: false });
    publishing.join(turn, 0);
    const { chatId } = conversation;
    const chatMode = question.isMember ? (question.mode ?? conversation.mode) : 'ask';
    /** @param gone the agent does not have it, and has not asked */
    const prepare = async (gone?: string) => {
      await cancelling.quiet(chatId);
      if (turn.isOver || turn.isClosing) return;
      const workspace = await workspaces.pin(conversation, gone, () => run.count());
      // A store that does not answer is no reason to fail it.
      const isOurs = async () => isHeld(await store.findTurn(conversation.id, turn.id).catch(() => record));
      if (question.replaces !== undefined && gone === undefined)
        await takeBack({ ...context, cancelling, isOurs }, conversation, question.replaces, turn);
      // Stopped or deleted meanwhile at another helper, it is not asked: the next look at the leases ends it here.
      if (!(await isOurs())) return;
      const again = gone === undefined ? () => send(workspace) : undefined;
      run.ask((sink) => chat.ask({ ...question, chatId, chatMode, workspace }, sink), again);
    };
    const send = (gone?: string) =>
      prepare(gone).catch((error: unknown) => {
        if (!(error instanceof HelperError))
          log.error({ ...toLogFields(error), turnId: turn.id }, 'a question could not be sent');
        return run.fail(toHelperError(error));
      });
    void tracing.turn(turn, conversation.bot, send).finally(() => run.isCounted || run.onUnasked?.());
    return turn;
  };
  const { attach, takeOver } = createAttaching({
    ...{ context, logs, ends, leases, runner, publishing, open, letGo },
  });
  /** A pause is over after its time: what was said stays, and the conversation is free again. */
  const endExpired = async (turn: LiveTurn) => {
    const record = await store.findTurn(turn.conversationId, turn.id);
    if (isPauseOver(record?.pause, now())) await runs.get(turn)?.stop();
  };
  const stop = createHalting({ context, runner, runs, ends, cancelling, attach, letGo });
  const stopTicking = startTicking({ logs, runs, ends, leases, monotonicNow, endExpired, log });

  return {
    requireRoom(owner, mostRunning) {
      logs.requireRoom();
      if (owner === undefined) return;
      let running = 0;
      for (const turn of logs.running())
        if (!turn.isOver && runs.get(turn)?.conversation.owner === owner) running += 1;
      if (running >= mostRunning) refuseMore('runningTurns', 'Too many questions are being answered at once');
    },
    async begin(conversation, turn, question, onUnasked) {
      const teller = createTeller();
      const { until } = leases.make();
      const held = { status: 'running', runner, leaseUntil: until, teller } as const;
      const { replaces } = question;
      const earlier = replaces === undefined ? undefined : JSON.stringify({ ...nothingEarlier, replaces });
      const record: TurnRecord = { ...blankTurn, ...turn, ...held, earlier, conversationId: conversation.id };
      const before = await store.listTurns(conversation.id, newest);
      refuseStale(before, turn.id, question.newest);
      const done = leases.expect(record);
      try {
        let begun = await store.beginTurn(conversation, record);
        if (begun.kind === 'running') {
          // One whose end could not be stored when it came.
          await ends.flush(conversation.id);
          if (isPauseOver(begun.turn.pause, now())) await stop(begun.conversation, begun.turn);
          begun = await store.beginTurn(conversation, record);
        }
        const isUnasked =
          begun.kind === 'known' && begun.turn.fingerprint === turn.fingerprint && isHeld(begun.turn);
        if (begun.kind === 'gone' || (begun.kind !== 'began' && !isUnasked)) return begun;
        // Two that begin the same turn at one moment: it runs once.
        const found = logs.get(conversation.id, turn.id);
        // A reader that came while the store was slow took it for another helper's.
        // What an earlier turn of this id has left, which was taken back at another helper meanwhile, is not this one's.
        const isPast = begun.kind === 'began' && found?.isOver === true;
        const isOther = found !== undefined && (isPast || runs.get(found)?.isElsewhere === true);
        if (isOther) letGo(found);
        const live = isOther ? undefined : found;
        const turnHere = live ?? start(begun.conversation, begun.turn, question);
        const run = runs.get(turnHere);
        if (live || !run) onUnasked();
        else run.onUnasked = onUnasked;
        return { ...begun, live: turnHere };
      } finally {
        done();
      }
    },
    isUnasked: leases.isOrphan,
    isKept: ({ conversationId, id }) => logs.get(conversationId, id) !== undefined,
    attach,
    stop,
    end({ id, chatId }, wasRunning) {
      let isHere = false;
      for (const turn of [...logs.running(), ...logs.settled()]) {
        if (turn.conversationId !== id) continue;
        const run = runs.get(turn);
        isHere ||= !turn.isOver && run?.isElsewhere === false;
        if (turn.isOver) letGo(turn);
        else void run?.stop();
      }
      if (wasRunning && !isHere) void cancelling.stopUnread(chatId);
    },
    settle: ends.flush,
    quiet: cancelling.quiet,
    decide: createDeciding({
      ...{ context, logs, runs, ends, leases, publishing, attach, isHeld, readStanding },
      goOn: pausing.goOn,
    }),
    async drain(withinMs) {
      const until = monotonicNow() + withinMs;
      const isBusy = () => cancelling.isBusy || [...logs.running()].some(isMine);
      while (isBusy() && monotonicNow() < until) await new Promise((resolve) => setTimeout(resolve, 50));
      await ends.flush();
      await publishing.settle(untoldMs);
      await leases.release();
      for (const turn of logs.running()) letGo(turn);
    },
    measure: () => ({ liveTurns: [...logs.running()].filter(isMine).length, heldBytes: logs.bytes }),
    close: stopTicking,
  };
}

const strayMs = 10_000;
/** So long a helper that goes away tells what it has not told yet. */
const untoldMs = 1_000;
/** One that was taken back longer ago is forgotten. */
const newest = { limit: 100 };
