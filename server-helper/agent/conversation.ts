/** The conversation area of the agent's API: the record of what was said, and its changes. */
import type { ChatMode, Source, Vote } from '../protocol/wire.ts';
import { AgentReplyTooLarge, isGone } from './failure.ts';
import { isCutOff } from './frame.ts';
import type { AgentHttp } from './http.ts';
import { asObject, asString } from './json.ts';
import { readSources } from './sources.ts';

export type RecordedMessage = {
  id: string;
  role: 'visitor' | 'agent';
  text: string;
  sources: Source[];
  /** Milliseconds since 1970, by our clock; undefined when the agent does not tell. */
  at: number | undefined;
  /** A tool still runs, or it was cut off: the message is not the last word. */
  unfinished: boolean;
  /** The agent says why it ends: it is the last word. Else it may still be written. */
  finished: boolean;
};

/** Messages from index `from` on, oldest first. */
export type RecordPage = {
  total: number;
  from: number;
  messages: RecordedMessage[];
  /** Where each of them stands in the record: between them may be what an agent notes for itself. */
  indices: number[];
  /** How many the record has there, such notes included. */
  held: number;
};

export type AgentConversations = {
  /** The newest `count` messages before index `before` (default: the end). An unknown chat has none. */
  read(chatId: string, count: number, before?: number): Promise<RecordPage>;
  delete(chatId: string): Promise<void>;
  rename(chatId: string, title: string): Promise<void>;
  setMode(chatId: string, mode: ChatMode): Promise<void>;
  vote(chatId: string, messageId: string, vote: Vote, voterId: string): Promise<void>;
  /** Deletes this message and all later ones. */
  truncate(chatId: string, messageId: string): Promise<void>;
};

export function createAgentConversations(http: AgentHttp): AgentConversations {
  /** At most so many messages a page, as far as the agent has shown. */
  let maxPerPage = 100;
  const readPage = async (chatId: string, page: number, perPage: number) => {
    const query = { chat_id: chatId, page, per_page: perPage };
    try {
      const reply = asObject(await http.call('GET', '/v1/bot/chat/read', { query })) ?? {};
      const messages = Array.isArray(reply.conversation) ? reply.conversation : [];
      const pagination = asObject(reply.pagination);
      const told = reply.total ?? pagination?.total;
      const total = typeof told === 'number' ? told : messages.length;
      const cap = Number(pagination?.per_page);
      if (cap >= 1 && cap < Math.min(perPage, total) && messages.length <= cap) maxPerPage = Math.floor(cap);
      return { total, messages };
    } catch (error) {
      if (isGone(error)) return { total: 0, messages: [] };
      throw error;
    }
  };
  const ignoreMissing = async (call: Promise<unknown>) => {
    try {
      await call;
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  };

  return {
    async read(chatId, count, before) {
      /** Fewer where its messages are long. */
      let most = count;
      const toPerPage = () => Math.min(maxPerPage, most);
      const tryPage = (page: number, perPage: number) =>
        readPage(chatId, page, perPage).catch((error: unknown) => {
          if (!(error instanceof AgentReplyTooLarge) || perPage === 1) throw error;
          most = Math.floor(perPage / 2);
          return undefined;
        });
      // The agent pages from the oldest on, so the end is found first, unless an earlier read has found it.
      let first: Awaited<ReturnType<typeof tryPage>>;
      while (before === undefined && !first) first = await tryPage(1, toPerPage());
      const end = before ?? first?.total ?? 0;
      const from = Math.max(0, end - count);
      let messages: unknown[] = [];
      for (let at = from; at < end; ) {
        const perPage = toPerPage();
        const page = Math.floor(at / perPage) + 1;
        const read = (page === 1 && first) || (await tryPage(page, perPage));
        // Smaller pages than were asked for are other pages.
        if (!read || perPage > maxPerPage) continue;
        const { messages: found } = read;
        // An agent that knows no pages gives the whole record.
        if (found.length > perPage) {
          messages = found.slice(from, end);
          break;
        }
        const start = (page - 1) * perPage;
        messages.push(...found.slice(at - start, end - start));
        at = start + perPage;
      }
      const read = messages.flatMap((message, at) =>
        readMessage(message, http.aheadMs).map((one): [number, RecordedMessage] => [from + at, one]),
      );
      return {
        total: end,
        from,
        messages: read.map(([, one]) => one),
        indices: read.map(([index]) => index),
        held: messages.length,
      };
    },
    delete: (chatId) =>
      ignoreMissing(http.call('DELETE', '/v1/bot/chat/delete', { query: { chat_id: chatId } })),
    rename: (chatId, title) =>
      ignoreMissing(http.call('PUT', '/v1/bot/chat/rename', { body: { chat_id: chatId, title } })),
    // The next question says it too.
    setMode: (chatId, mode) =>
      ignoreMissing(http.call('PUT', '/v1/bot/chat/mode', { body: { chat_id: chatId, chat_mode: mode } })),
    async vote(chatId, messageId, vote, voterId) {
      await http.call('PUT', '/v1/bot/chat/message/vote', {
        body: {
          chat_id: chatId,
          message_id: messageId,
          voter_id: voterId,
          voter_type: 'member',
          type: vote === 'up' ? 'upvote' : vote === 'down' ? 'downvote' : 'none',
        },
      });
    },
    truncate: (chatId, messageId) =>
      ignoreMissing(
        http.call('DELETE', '/v1/bot/chat/message/delete', {
          body: { chat_id: chatId, message_id: messageId, truncate: true },
        }),
      ),
  };
}

/** Of a time without a zone nobody knows whose noon it is: the agent's own is UTC. */
function toTime(text: string): number {
  const hasZone = !/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text);
  return Date.parse(hasZone ? text : `${text.replace(' ', 'T')}Z`);
}

/** Roles of what an agent notes for itself between a question and its answer. */
const noAnswer = /^(tool|function|developer)$/;

function readMessage(value: unknown, aheadMs: number): RecordedMessage[] {
  const message = asObject(value);
  const id = asString(message?.uuid) ?? asString(message?.id);
  const text = asString(message?.content);
  if (!message || id === undefined || text === undefined || noAnswer.test(String(message.role))) return [];
  const unfinished =
    message.isToolExecuting === true || message.finish_reason === 'paused' || isCutOff(message);
  const at = toTime(String(message.created_at ?? message.updated_at ?? ''));
  return [
    {
      id,
      // The agent's own role is called "system".
      role: message.role === 'user' ? 'visitor' : 'agent',
      text,
      sources: readSources(message.sources),
      at: Number.isNaN(at) ? undefined : at - aheadMs,
      unfinished,
      finished: !unfinished && asString(message.finish_reason) !== undefined,
    },
  ];
}
