/** One answer of the fake agent: what a test's script writes to the helper, in whatever dialect. */
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';

export type AgentCall = {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
};

/** A message as `GET /v1/bot/chat/read` gives it; the agent's own role is `system`. */
export type RecordedMessage = {
  uuid: string;
  chat_id: string;
  role: 'user' | 'system';
  content: string;
  sources: unknown[];
  created_at: string;
  updated_at: string;
};

export class FakeAnswer {
  readonly chatId: string;
  readonly message: string;
  /** Resolves when the helper has hung up or the answer is whole. */
  readonly closed: Promise<void>;
  /** Resolves when the agent was told to stop this chat. */
  readonly cancelled: Promise<void>;
  cancel: () => void = () => {};

  constructor(
    readonly call: AgentCall,
    readonly response: ServerResponse,
    private readonly records: Map<string, RecordedMessage[]>,
  ) {
    this.chatId = String(call.body.chat_id ?? call.query.chat_id);
    this.message = String(call.body.message ?? '');
    this.closed = new Promise((resolve) => response.once('close', resolve));
    this.cancelled = new Promise((resolve) => {
      this.cancel = resolve;
    });
  }

  /** Sends the head of an event stream. */
  open(): void {
    this.response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    this.response.flushHeaders();
  }
  write(bytes: string | Uint8Array): void {
    this.response.write(bytes);
  }
  /** `data` that is a string goes out as it is, all else as JSON. */
  event(name: string | undefined, data: unknown): void {
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    this.write(`${name === undefined ? '' : `event: ${name}\n`}data: ${text}\n\n`);
  }
  comment(): void {
    this.write(': ping\n\n');
  }
  end(): void {
    this.response.end();
  }
  /** A reset connection. */
  reset(): void {
    this.response.socket?.resetAndDestroy();
  }
  refuse(status: number, headers: Record<string, string> = {}): void {
    this.response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify({ success: false, error: { message: 'The agent says no', code: 'no' } }));
  }

  /** Writes the question down, as the agent does when it begins. */
  recordQuestion(text = this.message, at = new Date()): RecordedMessage {
    return this.#record('user', text, [], at);
  }
  recordReply(text: string, sources: unknown[] = [], at = new Date()): RecordedMessage {
    return this.#record('system', text, sources, at);
  }
  /** Records question and reply and gives the object that ends an answer. */
  toFinal(text: string, more: { sources?: unknown[]; usage?: unknown } = {}): Record<string, unknown> {
    const { sources = [], usage } = more;
    const user = this.recordQuestion();
    const agent = this.recordReply(text, sources);
    return { chat: { reply: text, user, agent, sources, meta: [], ...(usage ? { usage } : {}) } };
  }
  /** The regular end: recorded, told, closed. */
  done(text: string, more: { sources?: unknown[]; usage?: unknown } = {}): void {
    this.event('done', this.toFinal(text, more));
    this.end();
  }

  #record(role: 'user' | 'system', content: string, sources: unknown[], at: Date): RecordedMessage {
    const time = at.toISOString();
    const message: RecordedMessage = {
      uuid: randomUUID(),
      chat_id: this.chatId,
      role,
      content,
      sources,
      created_at: time,
      updated_at: time,
    };
    const all = this.records.get(this.chatId) ?? [];
    all.push(message);
    this.records.set(this.chatId, all);
    return message;
  }
}
