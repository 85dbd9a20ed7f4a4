/** One live turn: what the agent's frames mean for its log, up to exactly one end. Knows no socket and no store. */
import { toFrameError } from '../agent/failure.ts';
import type { AgentPause, AgentReply, Frame } from '../agent/frame.ts';
import { readEarlier } from '../conversation/earlier.ts';
import { type StoredPause, toTitle } from '../conversation/pause.ts';
import { HelperError } from '../errors.ts';
import { type Message, type ProblemCode, type Source, toAgentMessageId } from '../protocol/wire.ts';
import type { Clock } from './context.ts';
import { toFinalText } from './finaltext.ts';
import { TurnLog } from './log.ts';
import { Said } from './said.ts';
import { type TurnEnd, tellEnd } from './telling.ts';
import { createToolIds } from './toolids.ts';

export class LiveTurn {
  readonly log: TurnLog;
  /** Of this log: the ids of its events are good for going on only here. */
  readonly tellerId: string;
  /** The only telling of this turn there has been: whatever id a reader brings is of this log. */
  isOriginal: boolean;
  /** Its log goes on as another helper told it; while that one runs it, `catchUp` takes what it has told by now. */
  readonly isTold: boolean;
  catchUp: (() => Promise<void>) | undefined;
  readonly said: Said;
  /** What was said before the last decision. */
  textBefore = '';
  /** JSON of what in the agent's record is not this turn's answer. */
  earlier: string | undefined;
  /** The agent is known not to have the question. */
  isUntaken = false;
  sources: Source[] = [];
  /** The reply object, once the agent has sent it. */
  reply: AgentReply | undefined;
  /** The agent said that the text is whole. */
  saidDone = false;
  pause: AgentPause | undefined;
  /** JSON of the agent's did not parse: its record must be asked. */
  damaged = false;
  /** Its end is being written down: what else comes is no part of it. */
  isClosing = false;
  /** By the monotonic clock. */
  lastLifeAt: number;
  startedAt: number;
  /** When its first word came, if one has. */
  saidAt: number | undefined;
  endedAt = 0;
  #end: TurnEnd | undefined;
  #endedBefore: number | undefined;
  readonly #toToolId = createToolIds();
  readonly #decided: string[] = [];
  #failure: HelperError | undefined;

  constructor(
    readonly conversationId: string,
    readonly id: string,
    readonly at: number,
    readonly clock: Clock,
    telling?: { tellerId: string; isTold: boolean },
  ) {
    this.isOriginal = telling !== undefined;
    this.isTold = telling?.isTold === true;
    this.tellerId = telling?.tellerId ?? crypto.randomUUID();
    this.log = new TurnLog(clock.monotonicNow);
    this.said = new Said(this.log);
    this.lastLifeAt = this.startedAt = clock.monotonicNow();
    if (!this.isTold)
      this.log.append('turn-started', { turnId: id, conversationId, at: new Date(at).toISOString() });
  }

  /** What was said so far. */
  get text(): string {
    return this.said.text;
  }
  set text(text: string) {
    this.said.text = text;
  }
  /** How many characters of the text stood at each decision. */
  get cuts(): readonly number[] {
    return readEarlier(this.earlier).cuts ?? [];
  }
  /** The executions that were decided on, here or at another helper, or run here. */
  get decided(): readonly string[] {
    return [...new Set([readEarlier(this.earlier).decided ?? [], this.#decided].flat())];
  }
  /** Ended or paused: nothing more is added unless a decision opens it again. */
  get isOver(): boolean {
    return this.#end !== undefined;
  }
  get status(): TurnEnd['status'] | 'running' {
    return this.#end?.status ?? 'running';
  }
  /** What a paused turn waits for. */
  get waitsFor(): StoredPause | undefined {
    return this.#end?.status === 'paused' ? this.#end.stored : undefined;
  }
  /** Why it failed, if it did. */
  get code(): ProblemCode | undefined {
    return this.#end?.status === 'failed' ? this.#end.error.code : undefined;
  }
  /** Why the answer must not be read on, if it must not. */
  get failure(): HelperError | undefined {
    return this.#failure;
  }

  /** Nothing more of it is taken. */
  giveUp(error: HelperError): void {
    this.#failure ??= error;
  }

  onFrame(frame: Frame): void {
    if (this.isOver || this.isClosing || this.#failure) return;
    try {
      this.#take(frame);
    } catch (error) {
      this.#failure = error instanceof HelperError ? error : new HelperError('internal');
    }
  }

  #take(frame: Frame): void {
    switch (frame.kind) {
      case 'text':
        if (!frame.json) return this.say(frame.text);
        this.saidAt ??= this.clock.monotonicNow();
        return this.said.copy(frame.json);
      case 'reasoning':
        this.said.count(frame.text);
        return this.log.append('reasoning-delta', { text: frame.text });
      case 'tool':
        return this.log.append('tool', {
          id: this.#toToolId(frame.key),
          name: frame.name,
          status: frame.status,
          title: toTitle(frame.name),
        });
      case 'sources':
        return this.cite(frame.sources);
      case 'final':
        this.reply = frame.reply;
        return;
      case 'done':
        this.saidDone = true;
        return this.#sayRest(frame.text);
      case 'pause':
        this.pause = frame.pause;
        return;
      case 'broken':
        this.damaged = true;
        return;
      case 'error':
        throw toFrameError(frame.status, frame.code);
    }
  }

  say(text: string): void {
    if (text === '' || this.isOver) return;
    this.saidAt ??= this.clock.monotonicNow();
    this.said.say(text);
  }

  /** All of the answer, or what came since a decision: in other words than were heard it adds nothing. */
  #sayRest(whole = ''): void {
    const text = toFinalText(this, whole);
    if (text.startsWith(this.text)) this.say(text.slice(this.text.length));
  }

  cite(sources: Source[]): void {
    if (this.isOver || !sources[0] || JSON.stringify(sources) === JSON.stringify(this.sources)) return;
    this.sources = sources;
    this.log.append('sources', { sources });
  }

  /** @param text what stands as the answer; after a recovery it may differ from what was streamed */
  toCompleted(text: string, agentMessageId: string | undefined): TurnEnd {
    return { status: 'completed', message: this.#toMessage(text, 'completed'), agentMessageId };
  }
  toStopped(text = this.text): TurnEnd {
    return { status: 'stopped', message: this.#toMessage(text, 'stopped') };
  }
  /** Another helper stopped it, which may know less of it. */
  toStoppedElsewhere(answer = ''): TurnEnd {
    return this.toStopped(this.text.startsWith(answer) ? this.text : answer);
  }
  toPaused(stored: StoredPause): TurnEnd {
    return { status: 'paused', stored, text: this.text };
  }
  toFailed(error: HelperError): TurnEnd {
    return { status: 'failed', error, text: this.text };
  }

  /** Tells the end: the last event, unless a decision opens a pause again, or a pause is stopped. */
  end(end: TurnEnd): void {
    if (this.isOver && this.status !== 'paused') return;
    this.log.reopen();
    tellEnd(this.log, end, this.reply?.usage);
    this.adoptEnd(end);
    this.log.flush();
  }

  /** It was told already. */
  adoptEnd(end: TurnEnd): void {
    this.#end = end;
    this.endedAt = this.clock.monotonicNow();
  }

  /** @param endedAt when it ended, while a turn is told again; undefined once what follows is new */
  retell(endedAt: number | undefined): void {
    this.#endedBefore = endedAt;
  }

  /** It may be taken over from another helper: what was said before the last decision stands, whatever the agent tells now. */
  goOnFromDecision(): void {
    const { said } = readEarlier(this.earlier);
    this.textBefore = said;
    if (this.text === '') this.say(said);
    else if (!this.text.startsWith(said)) this.text = said + this.text;
  }

  /** A decision was made: the turn runs on under the same ids. */
  goOn(): void {
    this.pause = this.waitsFor?.pause;
    this.#end = undefined;
    this.saidAt = undefined;
    this.#endedBefore = undefined;
    this.startedAt = this.clock.monotonicNow();
    this.passPause();
    this.log.reopen();
  }

  /** What it waits for is seen to, without a word to anybody. */
  passPause(): void {
    if (this.pause) this.#decided.push(this.pause.executionId);
    this.pause = undefined;
    this.textBefore = this.text;
    this.reply = undefined;
    this.saidDone = false;
    this.lastLifeAt = this.clock.monotonicNow();
  }

  #toMessage(text: string, status: Message['status']): Message {
    return {
      id: toAgentMessageId(this.id),
      turnId: this.id,
      role: 'agent',
      text,
      status,
      sources: this.sources,
      at: new Date(this.#endedBefore ?? this.clock.now()).toISOString(),
    };
  }
}
