/** A visitor as a plain HTTP client: a session, JSON calls, and turn streams read by an own small parser. */
import { createHmac, randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type {
  ConversationList,
  ConversationReply,
  Problem,
  SessionReply,
  TurnEvent,
  TurnEventData,
  TurnEventKind,
} from '../../server-helper/protocol/wire.ts';
import { type RunningHelper, secrets, until, visitorMark } from './helper-process.ts';

export type Reply<T> = { status: number; headers: Headers; text: string; json: T };
export type StreamEvent = { id: number } & TurnEvent;

/** A question that no other test asks. */
export function makeQuestion(about = 'boots'): string {
  return `What about ${about}? ${visitorMark} ${randomUUID()}`;
}

const toBase64 = (text: string) => Buffer.from(text).toString('base64url');

/** Signs any payload under any header, good or bad. */
export function signText(
  payload: string,
  secret = secrets.ssoSecret,
  header: unknown = { alg: 'HS256', typ: 'JWT' },
): string {
  const signed = `${toBase64(JSON.stringify(header))}.${toBase64(payload)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

export function signJwt(claims: unknown, secret?: string, header?: unknown): string {
  return signText(JSON.stringify(claims), secret, header);
}

export function makeSsoToken(
  claims: Record<string, unknown> = {},
  nowSeconds = Math.floor(Date.now() / 1000),
) {
  return signJwt({ email: 'ada@shop.test', iat: nowSeconds, exp: nowSeconds + 600, ...claims });
}

export class TurnStream {
  readonly events: StreamEvent[] = [];
  raw = '';
  comments = 0;
  /** The stream was closed by the helper, as opposed to cut. */
  closed = false;
  cut = false;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #unread = '';

  constructor(
    readonly response: Response,
    readonly helper: RunningHelper,
  ) {
    this.#reader = response.body?.getReader();
    void this.#read();
  }

  get text(): string {
    return this.all('text-delta')
      .map((data) => data.text)
      .join('');
  }
  get last(): StreamEvent {
    return this.events.at(-1) as StreamEvent;
  }
  all<K extends TurnEventKind>(kind: K): TurnEventData[K][] {
    return this.events.filter((event) => event.kind === kind).map((event) => event.data as TurnEventData[K]);
  }
  /** The one event of its kind, which must be the last. */
  ended<K extends TurnEventKind>(kind: K): TurnEventData[K] {
    expect(this.events.map((event) => event.kind)).toContain(kind);
    expect(this.last.kind).toBe(kind);
    expect(this.all(kind)).toHaveLength(1);
    return this.last.data as TurnEventData[K];
  }

  until(isSo: (stream: this) => boolean, what: string): Promise<void> {
    return until(() => isSo(this) || this.closed || this.cut, what).then(() => {
      if (!isSo(this)) throw new Error(`the stream ended before: ${what}; got ${this.raw}`);
    });
  }
  untilText(text: string): Promise<void> {
    return this.until(() => this.text.includes(text), `the text ${text}`);
  }
  async whole(withinMs = 15_000): Promise<this> {
    await until(() => this.closed || this.cut, 'the stream closes', withinMs);
    return this;
  }
  /** Hangs up. */
  leave(): void {
    this.cut = true;
    void this.#reader?.cancel();
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for (let part = await this.#reader?.read(); part?.value; part = await this.#reader?.read())
        this.#take(decoder.decode(part.value, { stream: true }));
      this.closed = !this.cut;
    } catch {
      this.cut = true;
    }
    this.helper.answers.push(this.raw);
  }

  #take(text: string): void {
    this.raw += text;
    const blocks = (this.#unread + text).split('\n\n');
    this.#unread = blocks.pop() ?? '';
    for (const block of blocks) {
      if (block.startsWith(':')) this.comments += 1;
      const match = /^id: (\d+)\nevent: ([a-z-]+)\ndata: ([^\n]*)$/.exec(block);
      if (match) {
        const [, id, kind, data] = match;
        this.events.push({ id: Number(id), kind, data: JSON.parse(data ?? '') } as StreamEvent);
      }
    }
  }
}

export class Visitor {
  constructor(
    readonly helper: RunningHelper,
    public session: string,
    readonly reply: SessionReply,
  ) {}

  headers(more: Record<string, string> = {}): Record<string, string> {
    return { authorization: `Bearer ${this.session}`, ...more };
  }

  /** A JSON call; a body that is a string goes out as it is. */
  async call<T = Problem>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply<T>> {
    return callHelper<T>(this.helper, method, path, body, this.headers(headers));
  }

  /** PUT of a turn, which must be accepted. */
  async ask(conversationId: string, turnId: string, question: string | object): Promise<TurnStream> {
    const body = typeof question === 'string' ? { text: question } : question;
    const response = await this.helper.fetch(toTurnPath(conversationId, turnId), {
      method: 'PUT',
      headers: this.headers({ 'content-type': 'application/json' }),
      body: JSON.stringify(body),
    });
    return this.#toStream(response);
  }

  async attach(conversationId: string, turnId: string, lastEventId?: number): Promise<TurnStream> {
    const headers = this.headers(lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) });
    return this.#toStream(await this.helper.fetch(toTurnPath(conversationId, turnId), { headers }));
  }

  /** Asks in a new conversation and reads to the end. */
  async chat(question: string = makeQuestion(), conversationId: string = randomUUID()) {
    const turnId = randomUUID();
    const stream = await this.ask(conversationId, turnId, question);
    await stream.whole();
    return { conversationId, turnId, question, stream };
  }

  async history(conversationId: string, cursor?: string): Promise<ConversationReply> {
    const query = cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`;
    const { status, json } = await this.call<ConversationReply>(
      'GET',
      `/conversations/${conversationId}${query}`,
    );
    expect(status).toBe(200);
    return json;
  }

  async list(cursor?: string): Promise<ConversationList> {
    const query = cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`;
    const { status, json } = await this.call<ConversationList>('GET', `/conversations${query}`);
    expect(status).toBe(200);
    return json;
  }

  async #toStream(response: Response): Promise<TurnStream> {
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    return new TurnStream(response, this.helper);
  }
}

export function toTurnPath(conversationId: string, turnId: string): string {
  return `/conversations/${conversationId}/turns/${turnId}`;
}

export async function callHelper<T = Problem>(
  helper: RunningHelper,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Reply<T>> {
  const init: RequestInit = { method, headers };
  if (body !== undefined) {
    init.headers = { 'content-type': 'application/json', ...headers };
    init.body = typeof body === 'string' ? body : JSON.stringify(body);
  }
  const response = await helper.fetch(path, init);
  const text = await response.text();
  helper.answers.push(text);
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: (isJson ? JSON.parse(text) : {}) as T,
  };
}

/** `POST /session` as it answers, whatever that is. */
export function openSession(helper: RunningHelper, body: object = {}, headers: Record<string, string> = {}) {
  return callHelper<SessionReply & Partial<Problem>>(helper, 'POST', '/session', body, headers);
}

export async function createVisitor(helper: RunningHelper, body: object = {}): Promise<Visitor> {
  const { status, json, text } = await openSession(helper, body);
  if (status !== 200) throw new Error(`no session: ${status} ${text}`);
  return new Visitor(helper, json.session, json);
}
