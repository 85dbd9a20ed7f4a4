/** Runs one turn at the agent: asks once, follows the answer, mends a broken stream from the record, stops it. */
import type { AgentChat } from '../agent/chat.ts';
import type { AgentConversations } from '../agent/conversation.ts';
import type { AgentReply, Frame } from '../agent/frame.ts';
import type { AnswerEnd, AnswerSink } from '../agent/stream.ts';
import { HelperError } from '../errors.ts';
import { type Log, toLogFields } from '../log.ts';
import { limits } from '../protocol/wire.ts';
import type { ConversationRecord, Store, TurnRecord } from '../store/store.ts';
import { findReply } from './record.ts';
import type { LiveTurn } from './turn.ts';

export type RunContext = {
  chat: AgentChat;
  conversations: AgentConversations;
  store: Store;
  log: Log;
  now: () => number;
};

/** Of one run: `hold` keeps the chat's next question waiting until what it is given has settled. */
export type RunParts = RunContext & { hold: (chatId: string, done: Promise<unknown>) => void };

/** Opens an answer: the question, a decision, or the running reply once more. */
export type Opening = (sink: AnswerSink) => { abort(): void };

const mendWaitsMs = [0, 500, 1500, 4000];
const cancelWaitsMs = [0, 500, 1500];
const afterCancelMs = 5_000;
const recordMessages = 20;

export class TurnRun implements AnswerSink {
  #connection: { abort(): void } | undefined;
  /** The agent has taken the call: its record will hold the question. */
  #arrived = false;
  #asked = false;
  #cancelling = false;
  /** While the reply is followed again from its start: how many characters were replayed, and whether they differ. */
  #replayed: { chars: number; differs: boolean } | undefined;
  #replyDone: ((end: AnswerEnd) => void) | undefined;
  #quiet: (() => void) | undefined;

  constructor(
    private readonly context: RunParts,
    readonly turn: LiveTurn,
    readonly conversation: ConversationRecord,
    readonly record: Pick<TurnRecord, 'id' | 'question' | 'at'>,
  ) {}

  /** Asks the agent: the only chat call of this turn. */
  ask(opening: Opening): void {
    if (this.turn.isOver) return;
    this.#asked = true;
    this.#connection = opening(this);
  }

  onOpen(): void {
    this.#arrived = true;
    // Stop was pressed before the agent had the question: only now is there something to cancel.
    if (this.#cancelling) this.#cancelUpstream();
  }

  onLife(): void {
    this.turn.lastLifeAt = this.context.now();
  }

  onFrame(frame: Frame): void {
    if (this.#replayed !== undefined && frame.kind === 'text') return this.#onReplayed(frame.text);
    this.turn.onFrame(frame);
  }

  onFlush(): void {
    const { failure } = this.turn;
    if (failure && !this.turn.isOver) this.fail(failure);
    else this.turn.log.flush();
  }

  onEnd(end: AnswerEnd): void {
    this.#connection = undefined;
    this.#quiet?.();
    if (this.#replyDone) return this.#replyDone(end);
    if (this.turn.isOver) return;
    this.#settle(end).catch((error: unknown) => {
      this.context.log.error({ ...toLogFields(error), turnId: this.turn.id }, 'a turn could not be settled');
      this.fail(error instanceof HelperError ? error : new HelperError('internal'));
    });
  }

  /** Ends the turn as failed and lets the agent go. */
  fail(error: HelperError): void {
    if (this.turn.isOver) return;
    this.context.log.warn({ code: error.code, turnId: this.turn.id }, 'a turn failed');
    this.turn.fail(error);
    this.turn.log.flush();
    if (this.#connection) this.#cancelUpstream();
  }

  /** Ends the turn as stopped, at once for the visitor; the agent is told. */
  stop(): void {
    this.turn.stop();
    this.turn.log.flush();
    if (this.#asked) this.#cancelUpstream();
  }

  /** The chat's next question waits: a cancel goes by the chat, and a late one would stop that question's answer. */
  #cancelUpstream(): void {
    this.#cancelling = true;
    this.context.hold(this.conversation.chatId, this.#tellToStop());
  }

  /** The agent is told, more than once if need be; what it still sends is no longer read. Resolves within 30 s. */
  async #tellToStop(): Promise<void> {
    const { chat, log } = this.context;
    const quiet = new Promise<void>((resolve) => {
      if (!this.#connection) resolve();
      this.#quiet = resolve;
      setTimeout(resolve, afterCancelMs);
    });
    for (const waitMs of cancelWaitsMs) {
      if (waitMs > 0) await sleep(waitMs);
      // Once the answer has ended by itself there is nothing left to stop.
      if (waitMs > 0 && !this.#connection) break;
      try {
        await chat.cancel(this.conversation.chatId);
        break;
      } catch (error) {
        log.warn({ ...toLogFields(error), turnId: this.turn.id }, 'the agent could not be told to stop');
      }
    }
    await quiet;
    this.#connection?.abort();
    this.#connection = undefined;
    this.#replyDone?.({ kind: 'cut' });
  }

  async #settle(end: AnswerEnd): Promise<void> {
    const { turn, context } = this;
    const { reply, pause } = turn;
    if (pause) {
      turn.waitFor({ pause, expiresAtMs: context.now() + limits.approvalTtlMs });
    } else if (reply && !turn.damaged) {
      this.#completeWith(reply);
    } else if (end.kind === 'failed' && !this.#mayHaveArrived(end.error)) {
      this.fail(end.error);
      // A line too long is our reason to hang up, not the agent's: it would write on.
      if (this.#arrived) this.#cancelUpstream();
      return;
    } else {
      await this.mend(end.kind === 'failed' ? end.error : undefined);
    }
    turn.log.flush();
  }

  /** A refusal is an answer; a connection that broke before the status came says nothing. */
  #mayHaveArrived(error: HelperError): boolean {
    return error.code === 'agent-unavailable' || (this.#arrived && error.code !== 'too-large');
  }

  /** What the agent sent as its final text stands; what of it was not streamed yet is streamed now. */
  #completeWith({ text, sources, agentMessageId }: AgentReply): void {
    const { turn } = this;
    if (text?.startsWith(turn.text)) turn.onFrame({ kind: 'text', text: text.slice(turn.text.length) });
    if (sources && turn.sources.length === 0) turn.onFrame({ kind: 'sources', sources });
    if (turn.failure) return this.fail(turn.failure);
    turn.complete(text ?? turn.text, agentMessageId);
  }

  /** The stream broke off: follows the running reply again, or reads the record, else fails honestly. */
  async mend(cause: HelperError | undefined): Promise<void> {
    const { context, turn, conversation } = this;
    this.#asked = true;
    let error = cause ?? new HelperError('agent-unavailable');
    for (const waitMs of mendWaitsMs) {
      if (waitMs > 0) await sleep(waitMs);
      if (turn.isOver) return;
      try {
        if (await context.chat.isStreaming(conversation.chatId)) {
          this.#arrived = true;
          await this.#followAgain();
          if (turn.reply && !turn.isOver) return this.#completeWith(turn.reply);
          if (turn.pause && !turn.isOver)
            return turn.waitFor({ pause: turn.pause, expiresAtMs: context.now() + limits.approvalTtlMs });
        }
        if (turn.isOver) return;
        const { messages } = await context.conversations.read(conversation.chatId, recordMessages);
        const others = await context.store.listTurns(conversation.id);
        const found = findReply(messages, this.record, this.#arrived, others);
        if (found) {
          if (turn.sources.length === 0) turn.cite(found.sources);
          if (found.text.startsWith(turn.text)) turn.say(found.text.slice(turn.text.length));
          return turn.complete(found.text, found.id);
        }
        // `[DONE]` was the agent's own word that nothing is missing.
        if (turn.saidDone && turn.text !== '' && !turn.damaged) return turn.complete(turn.text, undefined);
        if (!this.#arrived) break;
      } catch (caught) {
        if (!(caught instanceof HelperError)) throw caught;
        error = caught;
        // An agent that cannot be reached, and may never have had the question: the visitor need not wait to be told.
        if (!this.#arrived && waitMs > 0) break;
        if (turn.saidDone && turn.text !== '' && !turn.damaged) return turn.complete(turn.text, undefined);
      }
    }
    if (turn.reply) this.#completeWith(turn.reply);
    else this.fail(error);
  }

  async #followAgain(): Promise<void> {
    this.#replayed = { chars: 0, differs: false };
    await new Promise<AnswerEnd>((resolve) => {
      this.#replyDone = resolve;
      this.#connection = this.context.chat.subscribe(this.conversation.chatId, this);
    });
    this.#replyDone = undefined;
    this.#replayed = undefined;
  }

  /** Only what goes beyond the text already shown is said; a replay that differs is left to the record. */
  #onReplayed(text: string): void {
    const { turn } = this;
    const replayed = this.#replayed;
    if (!replayed || replayed.differs) return;
    const known = turn.text.slice(replayed.chars, replayed.chars + text.length);
    replayed.differs = !text.startsWith(known);
    replayed.chars += text.length;
    if (!replayed.differs && text.length > known.length)
      turn.onFrame({ kind: 'text', text: text.slice(known.length) });
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
