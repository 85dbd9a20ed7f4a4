/** Begins, follows, stops and decides turns: one question, one run at the agent, however many ask for it. */
import type { ChatQuestion } from '../agent/chat.ts';
import { readPause, requireFittingDecision, writePause } from '../conversation/pause.ts';
import type { Workspaces } from '../conversation/workspace.ts';
import { HelperError, toHelperError } from '../errors.ts';
import { toLogFields } from '../log.ts';
import { heartbeat } from '../protocol/sse.ts';
import { type DecisionRequest, limits } from '../protocol/wire.ts';
import type { ConversationRecord, TurnRecord } from '../store/store.ts';
import { createLogs } from './logs.ts';
import { findQuestionId } from './record.ts';
import { type RunContext, TurnRun } from './run.ts';
import { LiveTurn, type TurnEnd } from './turn.ts';

export type TurnQuestion = Pick<ChatQuestion, 'text' | 'reasoningMode' | 'pasted' | 'page' | 'memberId'> & {
  replaces: string | undefined;
};

export type Engine = {
  /** @throws HelperError `rate-limited` when running turns alone fill the room for logs */
  requireRoom(): void;
  /** Runs a turn that the store has just begun. */
  run(conversation: ConversationRecord, record: TurnRecord, question: TurnQuestion): LiveTurn;
  /** The turn as its readers follow it: live, kept, or made anew from the records. */
  attach(conversation: ConversationRecord, record: TurnRecord): Promise<LiveTurn>;
  /** Nothing happens to a turn that has ended. */
  stop(conversation: ConversationRecord, record: TurnRecord): Promise<void>;
  /** Resolves once a stopped answer of this chat is quiet at the agent. */
  quiet(chatId: string): Promise<void>;
  /** @throws HelperError `turn-conflict` for a second decision */
  decide(conversation: ConversationRecord, record: TurnRecord, decision: DecisionRequest): Promise<void>;
  /** Resolves when no turn runs, or after `withinMs`; then lets every reader go. */
  drain(withinMs: number): Promise<void>;
  close(): void;
};

const tickMs = 1_000;
const beatTicks = limits.heartbeatMs / tickMs;
const maxBlockedMs = 30_000;
const truncateWithin = 100;

export function createEngine(context: RunContext, workspaces: Workspaces): Engine {
  const { store, chat, conversations, log, now } = context;
  const logs = createLogs(now);
  const runs = new WeakMap<LiveTurn, TurnRun>();
  /** A chat that is being told to stop: the next question waits until it is quiet. */
  const quieting = new Map<string, Promise<void>>();

  const logFailure = (error: unknown) => log.error(toLogFields(error), 'a pause could not be ended');
  const hold = (chatId: string, done: Promise<unknown>) => {
    const all = Promise.all([quieting.get(chatId), done]).then(() => {
      if (quieting.get(chatId) === all) quieting.delete(chatId);
    });
    quieting.set(chatId, all);
  };
  const onEnd = (turn: LiveTurn, end: TurnEnd) => {
    store.settleTurn(turn.conversationId, turn.id, toChange(end, turn.endedAt)).catch((error: unknown) => {
      log.error({ ...toLogFields(error), turnId: turn.id }, 'the end of a turn could not be stored');
    });
    log.info({ turnId: turn.id, status: end.status, ms: turn.endedAt - turn.startedAt }, 'turn ended');
  };
  const open = (conversation: ConversationRecord, record: TurnRecord) => {
    const turn = new LiveTurn(conversation.id, record.id, record.at, now, onEnd);
    const run = new TurnRun({ ...context, hold }, turn, conversation, record);
    logs.add(turn);
    runs.set(turn, run);
    return { turn, run };
  };

  const prepare = async (conversation: ConversationRecord, record: TurnRecord, question: TurnQuestion) => {
    await quieting.get(conversation.chatId);
    const workspace = await workspaces.pin(conversation);
    if (question.replaces !== undefined) await truncate(conversation, question.replaces, record.id);
    return workspace;
  };
  /** Takes back the replaced question and all that followed, at the agent first. */
  const truncate = async (conversation: ConversationRecord, replaced: string, keepId: string) => {
    const old = await store.findTurn(conversation.id, replaced);
    const { messages } = await conversations.read(conversation.chatId, truncateWithin);
    const turns = await store.listTurns(conversation.id);
    const messageId = old
      ? findQuestionId(messages, old, turns)
      : messages.find(({ id }) => id === replaced)?.id;
    if (messageId !== undefined) await conversations.truncate(conversation.chatId, messageId);
    if (old) await store.dropTurnsFrom(conversation.id, old.id, keepId);
  };

  const rebuild = async (conversation: ConversationRecord, record: TurnRecord): Promise<LiveTurn> => {
    if (record.status === 'running') {
      const { turn, run } = open(conversation, record);
      run.mend(undefined).then(
        () => turn.log.flush(),
        (error: unknown) => run.fail(toHelperError(error)),
      );
      return turn;
    }
    // What is only told again is stored already.
    let isReplay = true;
    const onNewEnd = (ended: LiveTurn, end: TurnEnd) => {
      if (!isReplay) onEnd(ended, end);
    };
    const turn = new LiveTurn(conversation.id, record.id, record.at, now, onNewEnd, record.endedAt);
    if (record.status === 'completed') {
      const { messages } = await conversations.read(conversation.chatId, truncateWithin);
      const found = messages.find((message) => message.id === record.agentMessageId);
      const text = found?.text ?? record.answer;
      if (text === undefined) throw new HelperError('not-found');
      turn.say(text);
      turn.cite(found?.sources ?? []);
      turn.complete(text, found?.id);
    } else {
      turn.say(record.answer ?? '');
      if (record.status === 'paused' && record.pause) turn.waitFor(readPause(record.pause));
      else if (record.status === 'failed') turn.fail(new HelperError(record.code ?? 'internal'));
      else {
        // A pause that was taken out while the helper was lost waits for nobody.
        isReplay = record.status === 'stopped';
        turn.stop();
      }
    }
    isReplay = false;
    turn.endReplay();
    logs.add(turn);
    runs.set(turn, new TurnRun({ ...context, hold }, turn, conversation, record));
    return turn;
  };

  /** A pause is over after its time: what was said stays, and the conversation is free again. */
  const endExpired = async (turn: LiveTurn) => {
    const record = await store.findTurn(turn.conversationId, turn.id);
    if (!record?.pause || readPause(record.pause).expiresAtMs > now()) return;
    if ((await store.takePause(turn.conversationId, turn.id)) !== undefined) runs.get(turn)?.stop();
  };

  let ticks = 0;
  const tick = () => {
    ticks += 1;
    for (const turn of logs.running()) {
      const run = runs.get(turn);
      if (turn.isOver) continue;
      if (now() - turn.lastLifeAt >= limits.agentSilenceMs || now() - turn.startedAt >= limits.turnTimeoutMs)
        run?.fail(new HelperError('agent-timeout'));
      else if (ticks % beatTicks === 0) {
        turn.log.cutStuck(maxBlockedMs);
        turn.log.beat(heartbeat);
      }
    }
    if (ticks % beatTicks === 0)
      for (const turn of logs.settled()) {
        turn.log.cutStuck(maxBlockedMs);
        if (turn.status === 'paused') endExpired(turn).catch(logFailure);
      }
    logs.sweep();
  };
  const timer = setInterval(tick, tickMs);
  (timer as { unref?: () => void }).unref?.();

  const attach = async (conversation: ConversationRecord, record: TurnRecord) =>
    logs.get(conversation.id, record.id) ?? (await rebuild(conversation, record));

  return {
    requireRoom: logs.requireRoom,
    run(conversation, record, question) {
      const { turn, run } = open(conversation, record);
      prepare(conversation, record, question).then(
        (workspace) =>
          run.ask((sink) =>
            chat.ask(
              { ...question, chatId: conversation.chatId, chatMode: conversation.mode, workspace },
              sink,
            ),
          ),
        (error: unknown) => run.fail(toHelperError(error)),
      );
      return turn;
    },
    attach,
    async stop(conversation, record) {
      const turn = await attach(conversation, record);
      const run = runs.get(turn);
      if (turn.status === 'paused') await store.takePause(conversation.id, record.id);
      if (!run || (turn.status !== 'running' && turn.status !== 'paused')) return;
      run.stop();
    },
    quiet: async (chatId) => quieting.get(chatId),
    async decide(conversation, record, decision) {
      const turn = await attach(conversation, record);
      const run = runs.get(turn);
      const pause = record.pause && readPause(record.pause);
      if (turn.status !== 'paused' || !pause || !run)
        throw new HelperError('turn-conflict', 'This turn does not wait for a decision');
      requireFittingDecision(pause, decision);
      if (pause.expiresAtMs <= now()) {
        await endExpired(turn);
        throw new HelperError('turn-conflict', 'The time for this decision is over');
      }
      if ((await store.takePause(conversation.id, record.id)) === undefined)
        throw new HelperError('turn-conflict', 'This decision has been made already');
      // Stop may have come first while the store was asked.
      if (turn.status !== 'paused')
        throw new HelperError('turn-conflict', 'This turn does not wait for a decision');
      turn.goOn();
      await store.updateTurn(conversation.id, record.id, { status: 'running' });
      logs.remove(turn);
      logs.add(turn);
      const { chatId } = conversation;
      run.ask((sink) =>
        chat.resume(chatId, pause.pause, { decision: decision.decision, answers: decision.answers }, sink),
      );
    },
    async drain(withinMs) {
      const until = now() + withinMs;
      while ([...logs.running()].some((turn) => !turn.isOver) && now() < until)
        await new Promise((resolve) => setTimeout(resolve, 50));
      for (const turn of logs.running()) turn.log.cutAll();
    },
    close: () => clearInterval(timer),
  };
}

/** Question and answer are kept only as long as the agent's record cannot give them. */
function toChange(end: TurnEnd, nowMs: number): Parameters<RunContext['store']['updateTurn']>[2] {
  const endedAt = 'message' in end ? Date.parse(end.message.at) : nowMs;
  switch (end.status) {
    case 'completed':
      return end.agentMessageId === undefined
        ? { status: 'completed', endedAt, answer: end.message.text }
        : {
            status: 'completed',
            endedAt,
            agentMessageId: end.agentMessageId,
            question: '',
            answer: undefined,
          };
    case 'stopped':
      return { status: 'stopped', endedAt, answer: end.message.text, pause: undefined };
    case 'paused':
      return { status: 'paused', endedAt, pause: writePause(end.stored), answer: end.text };
    case 'failed':
      return { status: 'failed', endedAt, code: end.code, answer: end.text };
  }
}
