/** One live turn: what the agent's frames mean for its log, up to exactly one end. Knows no socket and no store. */
import type { AgentPause, AgentReply, Frame } from '../agent/frame.ts';
import { type StoredPause, toPausedEvent, toTitle } from '../conversation/pause.ts';
import { HelperError } from '../errors.ts';
import {
  limits,
  type Message,
  type ProblemCode,
  problems,
  type Source,
  toAgentMessageId,
} from '../protocol/wire.ts';
import { TurnLog } from './log.ts';

export type TurnEnd =
  | { status: 'completed'; message: Message; agentMessageId: string | undefined }
  | { status: 'stopped'; message: Message }
  | { status: 'paused'; stored: StoredPause; text: string }
  | { status: 'failed'; code: ProblemCode; text: string };

export class LiveTurn {
  readonly log: TurnLog;
  /** What was said so far. */
  text = '';
  sources: Source[] = [];
  /** The reply object, once the agent has sent it. */
  reply: AgentReply | undefined;
  /** The agent said that the text is whole. */
  saidDone = false;
  pause: AgentPause | undefined;
  /** JSON of the agent's did not parse: its record must be asked. */
  damaged = false;
  lastLifeAt: number;
  startedAt: number;
  endedAt = 0;
  #end: TurnEnd | undefined;
  #toolIds = new Map<string, string>();
  #textBytes = 0;
  #failure: HelperError | undefined;

  constructor(
    readonly conversationId: string,
    readonly id: string,
    readonly at: number,
    private readonly now: () => number,
    private readonly onEnd: (turn: LiveTurn, end: TurnEnd) => void,
    /** While a turn is told again: when it ended. */
    private endedBefore?: number,
  ) {
    this.log = new TurnLog(now);
    this.lastLifeAt = this.startedAt = now();
    this.log.append('turn-started', { turnId: id, conversationId, at: new Date(at).toISOString() });
  }

  /** Ended or paused: nothing more is added unless a decision opens it again. */
  get isOver(): boolean {
    return this.#end !== undefined;
  }
  get status(): TurnEnd['status'] | 'running' {
    return this.#end?.status ?? 'running';
  }
  /** Why the answer must not be read on, if it must not. */
  get failure(): HelperError | undefined {
    return this.#failure;
  }

  onFrame(frame: Frame): void {
    if (this.isOver || this.#failure) return;
    try {
      this.#take(frame);
    } catch (error) {
      this.#failure = error instanceof HelperError ? error : new HelperError('internal');
    }
  }

  #take(frame: Frame): void {
    switch (frame.kind) {
      case 'text':
        return this.say(frame.text, frame.json);
      case 'reasoning':
        this.#count(frame.text);
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
        return;
      case 'pause':
        this.pause = frame.pause;
        return;
      case 'broken':
        this.damaged = true;
        return;
      case 'error': {
        const refused = frame.status !== undefined && frame.status < 500 && frame.status !== 429;
        throw new HelperError(
          refused ? 'agent-refused' : frame.status === 429 ? 'rate-limited' : 'agent-unavailable',
        );
      }
    }
  }

  /** @param json the same as an event's data, where it is at hand */
  say(text: string, json?: Uint8Array): void {
    if (text === '') return;
    this.#count(text);
    this.text += text;
    if (json) this.log.appendText(json);
    else this.log.append('text-delta', { text });
  }

  cite(sources: Source[]): void {
    if (sources.length === 0) return;
    this.sources = sources;
    this.log.append('sources', { sources });
  }

  /** A short delta is counted in UTF-16 units: encoding each would cost more than the exactness is worth. */
  #count(text: string): void {
    this.#textBytes += text.length < 64 ? text.length : new TextEncoder().encode(text).length;
    if (this.#textBytes > limits.maxTurnBytes) throw new HelperError('too-large');
  }

  /** The agent's execution ids stay in the helper. */
  #toToolId(key: string): string {
    let id = this.#toolIds.get(key);
    if (!id) {
      id = `tool-${this.#toolIds.size + 1}`;
      this.#toolIds.set(key, id);
    }
    return id;
  }

  /** @param text what stands as the answer; after a recovery it may differ from what was streamed */
  complete(text: string, agentMessageId: string | undefined): void {
    if (this.isOver) return;
    const message = this.#toMessage(text, 'completed');
    const usage = this.reply?.usage;
    this.log.append('turn-completed', usage ? { message, usage } : { message });
    this.#settle({ status: 'completed', message, agentMessageId });
  }

  stop(): void {
    if (this.status !== 'running' && this.status !== 'paused') return;
    this.log.reopen();
    const message = this.#toMessage(this.text, 'stopped');
    this.log.append('turn-stopped', { message });
    this.#settle({ status: 'stopped', message });
  }

  waitFor(stored: StoredPause): void {
    if (this.isOver) return;
    this.log.append('turn-paused', toPausedEvent(stored));
    this.#settle({ status: 'paused', stored, text: this.text });
  }

  fail(error: HelperError): void {
    if (this.isOver) return;
    const { code, retryAfterMs } = error;
    const { retryable } = problems[code];
    this.log.append(
      'turn-failed',
      retryAfterMs === undefined ? { code, retryable } : { code, retryable, retryAfterMs },
    );
    this.#settle({ status: 'failed', code, text: this.text });
  }

  /** What was told again is told: what follows is new. */
  endReplay(): void {
    this.endedBefore = undefined;
  }

  /** A decision was made: the turn runs on under the same ids. */
  goOn(): void {
    this.#end = undefined;
    this.pause = undefined;
    this.reply = undefined;
    this.saidDone = false;
    this.lastLifeAt = this.startedAt = this.now();
    this.log.reopen();
  }

  #settle(end: TurnEnd): void {
    this.#end = end;
    this.endedAt = this.now();
    this.onEnd(this, end);
  }

  #toMessage(text: string, status: Message['status']): Message {
    return {
      id: toAgentMessageId(this.id),
      turnId: this.id,
      role: 'agent',
      text,
      status,
      sources: this.sources,
      at: new Date(this.endedBefore ?? this.now()).toISOString(),
    };
  }
}
