/** Reads one answer of the agent: bytes → frames, whatever the content type, up to how the answer ended. */
import { HelperError } from '../errors.ts';
import { createSseReader, type SseReader, SseTooLong } from '../protocol/sse.ts';
import { toAgentError, toCallError } from './failure.ts';
import { type Frame, readFrame } from './frame.ts';
import { type AgentHttp, type Call, concat, type Exchange, isSuccess, toOutcome } from './http.ts';
import { readPlainDeltas } from './plain.ts';

/** How an answer ended: by its own word, or not. `error` is set when the call failed. */
export type AnswerEnd =
  | { kind: 'ended' }
  /** The bytes stopped without a final object. */
  | { kind: 'cut' }
  | { kind: 'failed'; error: HelperError };

export type AnswerSink = {
  /** The agent has taken the call. */
  onOpen?(): void;
  /** Bytes came, be they only a comment. */
  onLife(): void;
  /** Gives `false` for one that ends nothing here, whatever it is elsewhere. */
  onFrame(frame: Frame): unknown;
  /** All frames of one read have been handed out. */
  onFlush(): void;
  /** Called once, last. */
  onEnd(end: AnswerEnd): void;
};

const endKinds = new Set<Frame['kind']>(['final', 'pause', 'error']);
const lineFeed = 0x0a;
const maxJsonBytes = 2 * 1024 * 1024;
/** Of a refusal only its code is read. */
const maxErrorBytes = 64 * 1024;
const errorBodyMs = 10_000;
/** An agent that has said its last word closes the connection itself, or it is closed: nothing more is read of it. */
const lingerMs = 3_000;

/** Calls `path` and reads the answer into `sink`. The returned `abort` ends it without another word. */
export function openAnswer(
  http: AgentHttp,
  method: string,
  path: string,
  options: Call,
  sink: AnswerSink,
): { abort(): void } {
  const answer = new Answer(http, path, sink);
  answer.connection = http.open(method, path, options, answer);
  return answer;
}

class Answer implements Exchange {
  connection: { abort(): void } | undefined;
  over = false;
  #status = 0;
  /** Of a refusal. */
  #header: ((name: string) => string | undefined) | undefined;
  #streams = false;
  /** For all that is not a delta in its plain form, from the first such on. */
  #reader: SseReader | undefined;
  /** Of an answer that does not stream: JSON, or the body of an error. */
  #parts: Uint8Array[] | undefined;
  #bytes = 0;
  #plain = false;
  #ended = false;
  /** The last read ended where an event ends, so the next one begins with an event. */
  #isBetween = true;
  #errorTimer: ReturnType<typeof setTimeout> | undefined;
  #lingerTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly http: AgentHttp,
    readonly path: string,
    readonly sink: AnswerSink,
  ) {}

  abort(): void {
    this.over = true;
    this.connection?.abort();
  }

  onStart(status: number, header: (name: string) => string | undefined) {
    if (this.over) return;
    this.#status = status;
    this.http.note(toOutcome(status));
    if (isSuccess(status)) this.http.quota.note(header);
    else {
      this.#header = header;
      this.#errorTimer = setTimeout(() => this.onEnd(), errorBodyMs);
      return;
    }
    const type = header('content-type')?.split(';')[0]?.trim().toLowerCase();
    this.#streams = type === 'text/event-stream';
    if (!this.#streams && type !== 'application/json') {
      // A captive portal or an error page with status 200: nothing of it is for the visitor.
      this.http.target.log.warn({ path: this.path }, 'the agent answered with something else than JSON');
      return this.#finish({ kind: 'failed', error: new HelperError('agent-unavailable') });
    }
    this.sink.onOpen?.();
  }

  onData(bytes: Uint8Array) {
    if (this.over) return;
    this.sink.onLife();
    if (!this.#streams) {
      this.#bytes += bytes.length;
      if (!isSuccess(this.#status) && this.#bytes > maxErrorBytes) this.onEnd();
      else if (this.#bytes > maxJsonBytes)
        this.#finish({ kind: 'failed', error: new HelperError('too-large') });
      else {
        this.#parts ??= [];
        this.#parts.push(bytes.slice());
      }
      return;
    }
    try {
      const read = this.#isBetween ? readPlainDeltas(bytes, this) : 0;
      if (read < bytes.length) {
        this.#reader ??= createSseReader((event) => this.#onEvent(event.event, event.data));
        this.#reader.push(bytes.subarray(read));
        this.#isBetween = bytes.at(-1) === lineFeed && bytes.at(-2) === lineFeed;
      }
    } catch (error) {
      if (!(error instanceof SseTooLong)) throw error;
      return this.#finish({ kind: 'failed', error: new HelperError('too-large') });
    }
    if (this.over) return;
    if (!this.#ended) return this.sink.onFlush();
    this.#lingerTimer = setTimeout(() => this.connection?.abort(), lingerMs);
    this.#finish({ kind: 'ended' });
  }

  onEnd() {
    clearTimeout(this.#lingerTimer);
    if (this.over) return;
    if (this.#streams) {
      this.#reader?.end();
      this.#finish(this.#ended ? { kind: 'ended' } : { kind: 'cut' });
      return;
    }
    const body = new TextDecoder().decode(concat(this.#parts ?? []));
    if (!isSuccess(this.#status)) {
      const header = this.#header ?? (() => undefined);
      const error = toAgentError(this.#status, header, body, this.http.target.log, this.path);
      this.http.quota.note(header, this.#status === 429 ? error.retryAfterMs : undefined);
      return this.#finish({ kind: 'failed', error });
    }
    const frame = readFrame('done', body, false);
    const isTold = frame.kind === 'done' ? frame.text !== undefined : endKinds.has(frame.kind);
    if (!isTold) return this.#finish({ kind: 'cut' });
    this.sink.onFrame(frame);
    if (frame.kind === 'error') this.sink.onFlush();
    this.#finish({ kind: 'ended' });
  }

  onError(cause?: unknown): void {
    clearTimeout(this.#lingerTimer);
    if (this.over) return;
    if (this.#status === 0) {
      this.http.note('unreachable');
      this.http.tellUnreachable(this.path, cause);
    }
    // Before a status came, the call may or may not have arrived: the record will tell.
    this.#finish(
      this.#ended
        ? { kind: 'ended' }
        : this.#streams
          ? { kind: 'cut' }
          : { kind: 'failed', error: toCallError(cause) },
    );
  }

  onFrame(frame: Frame): void {
    if (!this.#ended && !this.over) this.sink.onFrame(frame);
  }

  #onEvent(event: string | undefined, data: string): void {
    if (this.#ended || this.over) return;
    const frame = readFrame(event, data, this.#plain);
    if (frame.kind === 'skip') return;
    // A brace opens JSON, and so does a quote, until something else was text.
    if (frame.kind === 'text' && event === undefined && !/^[{"]/.test(data)) this.#plain = true;
    this.#ended = frame.kind === 'final' || frame.kind === 'done' || frame.kind === 'pause';
    if (this.sink.onFrame(frame) === false) this.#ended = false;
  }

  #finish(end: AnswerEnd): void {
    if (this.over) return;
    this.over = true;
    clearTimeout(this.#errorTimer);
    this.sink.onFlush();
    this.sink.onEnd(end);
    if (end.kind === 'failed') this.connection?.abort();
  }
}
