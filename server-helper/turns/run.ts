/** Runs one turn at the agent: asks once, follows the answer, mends a broken stream from the record, stops it. */
import { AgentUntaken, WorkspaceMissing } from '../agent/failure.ts';
import type { AgentReply, Frame } from '../agent/frame.ts';
import type { AnswerEnd, AnswerSink } from '../agent/stream.ts';
import { HelperError } from '../errors.ts';
import { toLogFields } from '../log.ts';
import type { ConversationRecord } from '../store/store.ts';
import { LateSignal } from '../within.ts';
import { afterCancelMs, tellToStop } from './cancelling.ts';
import type { Opening, RunParts } from './context.ts';
import { isAnswer, toFinalText } from './finaltext.ts';
import { findRest } from './mending.ts';
import type { Lately } from './record.ts';
import { createReplayed, type Replayed } from './replayed.ts';
import type { LiveTurn } from './turn.ts';

export class TurnRun implements AnswerSink {
  /** Another helper runs the turn, and this one shows it. */
  isElsewhere = false;
  #connection: { abort(): void } | undefined;
  /** The agent has taken the call: its record will hold the question. */
  #arrived = false;
  isCounted = false;
  /** Where it began here: called, perhaps more than once, when it is known that the agent was never asked. */
  onUnasked: (() => void) | undefined;
  #again: (() => Promise<void>) | undefined;
  /** Something that may be this turn's runs at the agent. */
  mayRun = false;
  #cancelling = false;
  /** Its end is on its way, but for what the other helpers are to know first. */
  #failing = false;
  #stopping: Promise<void> | undefined;
  /** Takes the text while the reply is followed again from its start. */
  #replayed: Replayed | undefined;
  #replyDone: ((end: AnswerEnd) => void) | undefined;
  #quiet: (() => void) | undefined;
  readonly #gone = new LateSignal();

  constructor(
    private readonly context: RunParts,
    readonly turn: LiveTurn,
    readonly conversation: ConversationRecord,
    /** Perhaps: all that was not begun here, and not asked yet. */
    private asked: boolean,
  ) {}

  /**
   * Asks the agent: the only chat call of this turn that it takes.
   * @param again where the agent does not have the workspace, and has not asked
   */
  ask(opening: Opening, again?: () => Promise<void>): void {
    if (this.isLeft) return;
    this.asked = true;
    this.count();
    this.#again = again;
    this.#connection = opening(this);
  }

  /** It is over, and kept for its readers: what its question brought is not. */
  forgetQuestion(): void {
    this.#again = undefined;
    if (!this.turn.isUntaken) void this.context.onOver?.(this.conversation, this.turn);
  }

  /** A workspace was made for it: it counts for all, asked or not. */
  count(): void {
    this.isCounted = true;
  }

  /** Or it is to be stopped, whatever the agent says by then. */
  get isDone(): boolean {
    return this.turn.isOver || this.turn.isClosing || this.#failing || this.#stopping !== undefined;
  }

  /** Or it is another helper's to go on with. */
  get isLeft(): boolean {
    return this.isDone || this.#gone.isAborted;
  }

  /** Aborts once the turn ends here, or is another helper's. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  onOpen(): void {
    // What runs there may be another turn's.
    if (this.#replayed) return;
    this.#arrived = true;
    this.#again = undefined;
    // Stop was pressed before the agent had the question: only now is there something to cancel.
    if (this.#cancelling) void this.#cancelUpstream();
  }

  onLife(): void {
    this.turn.lastLifeAt = this.context.monotonicNow();
  }

  onFrame(frame: Frame): boolean {
    if (this.#replayed) return this.#replayed.onFrame(frame);
    // Told once more in what goes on after it, it ends nothing.
    if (frame.kind === 'pause' && this.turn.decided.includes(frame.pause.executionId)) return false;
    this.turn.onFrame(frame);
    return true;
  }

  onFlush(): void {
    const { failure } = this.turn;
    if (failure) void this.fail(failure);
    else this.turn.log.flush();
  }

  onEnd(end: AnswerEnd): void {
    this.#connection = undefined;
    this.#quiet?.();
    if (this.#replyDone) return this.#replyDone(end);
    if (this.isDone) return;
    this.#settle(end).catch((error: unknown) => this.onFault(error));
  }

  /** Said, and the turn fails. */
  onFault(error: unknown): void {
    this.context.log.error({ ...toLogFields(error), turnId: this.turn.id }, 'a turn could not be settled');
    void this.fail(error instanceof HelperError ? error : new HelperError('internal'));
  }

  /** Ends the turn as failed and lets the agent go. @param isLeft what was asked may run on there */
  async fail(error: HelperError, isLeft = this.#connection !== undefined): Promise<void> {
    if (this.isDone) return;
    this.#gone.abort();
    if (isLeft) {
      this.#failing = true;
      await this.#cancelUpstream();
      this.#failing = false;
      if (this.isDone) return;
    }
    if (!this.asked || (error instanceof AgentUntaken && !this.#arrived)) {
      this.turn.isUntaken = true;
      this.onUnasked?.();
    }
    await this.context.close(this, this.turn.toFailed(error));
    // It may have been stopped meanwhile, at another helper.
    const { code, detail: reason, agentCode } = error;
    if (this.turn.status === 'failed')
      this.context.log.warn({ code, reason, agentCode, turnId: this.turn.id }, 'a turn failed');
  }

  /** Ends the turn as stopped, at once for the visitor; the agent is told. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop().finally(() => {
      this.#stopping = undefined;
    });
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    if (this.turn.isClosing || (this.turn.isOver && this.turn.status !== 'paused')) return;
    this.#gone.abort();
    if (this.asked) await this.#cancelUpstream();
    else if (this.onUnasked) this.turn.isUntaken = true;
    await this.context.close(this, this.turn.toStopped());
  }

  /** Another helper has the turn now: this one hangs up without a word. */
  yield(): void {
    this.#gone.abort();
    this.#connection?.abort();
    this.#connection = undefined;
    this.#replyDone?.({ kind: 'cut' });
  }

  /** The chat's next question waits: a cancel goes by the chat, and a late one would stop that question's answer. */
  #cancelUpstream(): Promise<void> {
    this.#cancelling = true;
    return this.context.hold(this.conversation.chatId, this.#tellToStop());
  }

  /** The agent is told, more than once if need be; what it still sends is no longer read. Resolves within 30 s. */
  async #tellToStop(): Promise<void> {
    const quiet = new Promise<void>((resolve) => {
      if (!this.#connection) resolve();
      this.#quiet = resolve;
      setTimeout(resolve, afterCancelMs);
    });
    await tellToStop(this.context, this.conversation.chatId, () => !this.#connection);
    await quiet;
    this.yield();
  }

  async #settle(end: AnswerEnd): Promise<void> {
    const { turn, context } = this;
    const { reply, pause } = turn;
    if (this.#again && end.kind === 'failed' && end.error instanceof WorkspaceMissing) return this.#again();
    if (pause) return context.onPause(this, pause);
    if (reply && !turn.damaged && isAnswer(turn, reply)) return this.#completeWith(reply);
    // A line too long is our reason to hang up, not the agent's: it would write on.
    if (end.kind === 'failed' && !this.#mayHaveArrived(end.error)) return this.fail(end.error, this.#arrived);
    return this.mend(end.kind === 'failed' ? end.error : undefined);
  }

  /** A refusal is an answer; a connection that broke before the status came said nothing. */
  #mayHaveArrived(error: HelperError): boolean {
    return error.code === 'agent-unavailable' || (this.#arrived && error.code !== 'too-large');
  }

  /** What the agent sent as its final text stands; what of it was not streamed yet is streamed now. */
  #completeWith({ text: final, sources, agentMessageId }: AgentReply): Promise<void> {
    const { turn } = this;
    const text = toFinalText(turn, final);
    if (text.startsWith(turn.text)) turn.onFrame({ kind: 'text', text: text.slice(turn.text.length) });
    if (sources) turn.onFrame({ kind: 'sources', sources });
    if (turn.failure) return this.fail(turn.failure);
    return this.context.close(this, turn.toCompleted(text, agentMessageId));
  }

  /** The stream broke off: follows the running reply again, or reads the record, else fails honestly. */
  async mend(cause: HelperError | undefined): Promise<void> {
    const { context, turn } = this;
    const found = await findRest(this, context, cause);
    if (this.isDone) return;
    if (found.kind === 'reply' && isAnswer(turn, found.reply)) return this.#completeWith(found.reply);
    if (found.kind === 'pause') return context.onPause(this, found.pause);
    if (found.kind === 'text') return context.close(this, turn.toCompleted(found.text, found.id));
    // Given up, it would run on, and the next question would find the chat busy.
    const error = found.kind === 'reply' ? new HelperError('agent-unavailable') : found.error;
    return this.fail(error, this.#arrived || this.mayRun);
  }

  /** The agent is known to have the question. */
  get hasArrived(): boolean {
    return this.#arrived;
  }

  /** The reply that runs at the agent, told once more. @param isSure nothing that was given up can run there */
  async followAgain(isSure: boolean, lately: Lately): Promise<AnswerEnd> {
    this.#arrived ||= isSure && lately.answers.length === 0;
    this.mayRun = true;
    const before = this.turn.text.length;
    this.#replayed = createReplayed(this.turn, isSure, lately);
    const end = await new Promise<AnswerEnd>((resolve) => {
      this.#replyDone = resolve;
      this.#connection = this.context.chat.subscribe(this.conversation.chatId, this);
    });
    this.#replyDone = undefined;
    this.#replayed = undefined;
    // What it told was this turn's.
    this.#arrived ||=
      this.turn.text.length > before || this.turn.reply !== undefined || this.turn.pause !== undefined;
    return end;
  }
}
